// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/ast.h"
#include "util/event/cpu-term.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/names.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/resolver.h"
#include "util/event/terms.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

/* ---- shared by the files named in resolve.h ---- */

struct pmus *resolver__pmus(struct resolver *r)
{
	if (!r->pmus)
		r->pmus = pmus__new(r->env->roots);
	return r->pmus;
}

struct evsel *resolver__new_evsel(uint32_t type, uint64_t config)
{
	struct evsel *evsel = evsel__new();

	if (!evsel)
		return NULL;
	evsel->attr.attr.type = type;
	evsel->attr.attr.config = config;
	evsel->attr.attr.exclude_guest = 1;
	return evsel;
}

bool resolver__skips(const struct resolver *r, struct pmu *pmu)
{
	if (r->env->pmu_filter && !pmu__matches(pmu, r->env->pmu_filter))
		return true;
	return r->env->cputype_pmu && strcmp(r->env->cputype_pmu, pmu__name(pmu));
}

uint64_t resolver__config_on(struct resolver *r, const struct pmu *pmu, uint64_t config)
{
	return pmus__take_types(r->pmus) ? config | (uint64_t)pmu__type(pmu) << PMU_TYPE_SHIFT :
					   config;
}

int resolver__add(struct resolver *r, const struct ast_event *event, struct evsel *evsel,
		  const struct span *name)
{
	if (r->evlist->nr >= AST_EVENTS_MAX) {
		evsel__free(evsel);
		return parse_error__set(r->error, event->text.column, "more than %d events",
					AST_EVENTS_MAX);
	}
	if (!evsel->name)
		evsel->name = strndup(name->s, name->len);
	if (!evsel->name) {
		evsel__free(evsel);
		return -ENOMEM;
	}
	return evlist__add(r->evlist, evsel);
}

/* Adds the numbers of the bits that are set, with ranges: "0-3,7". */
static void add_bit_list(struct strbuf *sb, uint64_t bits)
{
	const char *comma = "";

	for (int bit = 0; bit < 64; bit++) {
		int last = bit;

		if (!(bits >> bit & 1))
			continue;
		while (last < 63 && (bits >> (last + 1) & 1))
			last++;
		strbuf__addf(sb, last > bit ? "%s%d-%d" : "%s%d", comma, bit, last);
		comma = ",";
		bit = last;
	}
}

/*
 * Warns, in perf's words, if config, config1, config2 or config3 of the attr contains bits that are
 * in no format of the PMU. The kernel ignores or refuses such bits. If the type is in enum
 * perf_type_id and is not PERF_TYPE_RAW, does nothing, because the config then has no formats: it
 * is a number that the kernel defines.
 */
static void warn_of_unknown_bits(const struct evsel *evsel, struct pmu *pmu)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;
	uint64_t config3 = evsel->attr.v8.config3;
	const uint64_t words[4] = { attr->config, attr->config1, attr->config2, config3 };
	static const char *const names[4] = { "config", "config1", "config2", "config3" };
	uint64_t known[4];

	if (attr->type != PERF_TYPE_RAW && attr->type < PERF_TYPE_MAX)
		return;
	if (!(words[0] | words[1] | words[2] | words[3]) || !pmu__format_bits(pmu, known))
		return;
	for (int i = 0; i < 4; i++) {
		struct strbuf bits = STRBUF_INIT;

		if (!(words[i] & ~known[i]))
			continue;
		add_bit_list(&bits, words[i] & ~known[i]);
		log__plain("WARNING: event '%s' not valid "
			   "(bits %s of %s '%llx' not supported by kernel)!\n",
			   evsel->name ?: "N/A", bits.text, names[i], (unsigned long long)words[i]);
		strbuf__free(&bits);
	}
}

int resolver__set_pmu(struct resolver *r, struct evsel *evsel, struct pmu *pmu)
{
	const struct cpumap *cpus = pmu__cpus(pmu);

	if (!r->env->probing)
		warn_of_unknown_bits(evsel, pmu);
	evsel->pmu_name = strdup(pmu__name(pmu));
	if (cpus && !evsel->cpus_given)
		evsel->pmu_cpus = cpumap__copy(cpus);
	evsel->is_uncore = pmu__is_uncore(pmu);
	evsel->is_core_pmu = pmu__is_core(pmu) && pmus__nr_core(r->pmus) > 1;
	if (!evsel->pmu_name || (cpus && !evsel->pmu_cpus))
		return -ENOMEM;
	/*
	 * a core PMU counts only on its own CPUs, so remove all other CPUs from the event; do not
	 * do this for uncore PMUs, whose drivers move an event to the right CPU
	 */
	return evsel->cpus_given && evsel->is_core_pmu && cpus ? cpu_term__restrict(evsel, cpus) :
								 0;
}

/* ---- events ---- */

static int set_unit(struct evsel *evsel, const char *unit, double scale)
{
	char *copy = strdup(unit);

	if (!copy)
		return -ENOMEM;
	free(evsel->unit);
	evsel->unit = copy;
	evsel->scale = scale;
	return 0;
}

/*
 * Adds an event with @type and @config, to be counted by @pmu. If @pmu is NULL, the kernel chooses
 * the PMU. Otherwise, @pmu must be loaded.
 */
static int add_plain(struct resolver *r, const struct ast_event *event, uint32_t type,
		     uint64_t config, enum tool_event tool, struct pmu *pmu,
		     const struct span *name)
{
	struct evsel *evsel;
	int err;

	evsel = resolver__new_evsel(type, config);
	if (!evsel)
		return -ENOMEM;
	evsel->tool = tool;
	err = event->nr_terms ? terms__apply_all(r, event, evsel) : 0;
	/*
	 * as in perf, the output may add the PMU to the event's name even if the user set this name
	 * with name=, because there can be an event with this name for each core PMU
	 */
	evsel->name_given = false;
	if (!err && pmu)
		err = resolver__set_pmu(r, evsel, pmu);
	if (!err && (evsel__is_clock(evsel) || tool == TOOL_SCOPE_TIME))
		err = set_unit(evsel, "msec", 1e-6);
	if (!err && tool_event__is_time(tool))
		err = set_unit(evsel, "ns", 1.0);
	if (err) {
		evsel__free(evsel);
		return err;
	}
	return resolver__add(r, event, evsel, name);
}

static int refuse_filter(struct resolver *r, const struct ast_event *event)
{
	if (!r->env->cputype_pmu && !r->env->pmu_filter)
		return parse_error__set(r->error, event->name.column,
					"no core PMU has any of the CPUs in cpu=");
	return parse_error__set(r->error, event->name.column, "PMU '%s' has no event '%.*s'",
				r->env->cputype_pmu ?: r->env->pmu_filter, SPAN_ARG(&event->name));
}

/* Adds a hardware or cache event for each core PMU of a hybrid machine. */
static int add_on_core_pmus(struct resolver *r, const struct ast_event *event, uint32_t type,
			    uint64_t config, const struct span *name)
{
	int first = r->evlist->nr, err = 0;

	for (int i = 0; i < pmus__nr_core(r->pmus) && !err; i++) {
		struct pmu *pmu = pmus__get(r->pmus, i);

		if (resolver__skips(r, pmu))
			continue;
		err = pmu__load(pmu);
		if (err)
			return parse_error__set(r->error, event->name.column,
						"PMU '%s': its file '%s' cannot be used (%s)",
						pmu__name(pmu), pmu__bad_file(pmu), strerror(-err));
		err = add_plain(r, event, type, resolver__config_on(r, pmu, config), TOOL_NONE, pmu,
				name);
		/* omit a core PMU that has none of the CPUs in the term cpu= */
		err = err == -ENXIO ? 0 : err;
	}
	return err ?: r->evlist->nr > first ? 0 : refuse_filter(r, event);
}

/*
 * Adds a hardware event. If the kernel accepts a PMU type in attr.config, adds an event for each
 * core PMU. Otherwise, adds one event, and the kernel chooses its PMU: the PMU of the CPU on which
 * the event is opened, or, for a task, the first core PMU.
 */
static int add_hardware(struct resolver *r, const struct ast_event *event, uint64_t config)
{
	struct pmus *pmus = resolver__pmus(r);

	if (!pmus)
		return -ENOMEM;
	if (pmus__take_types(pmus))
		return add_on_core_pmus(r, event, PERF_TYPE_HARDWARE, config, &event->text);
	if (r->env->pmu_filter && resolver__skips(r, pmus__get(pmus, 0)))
		return refuse_filter(r, event);
	return add_plain(r, event, PERF_TYPE_HARDWARE, config, TOOL_NONE, NULL, &event->text);
}

/*
 * Adds a cache event. If there are several core PMUs, adds an event for each of them. If there is
 * only one core PMU, and sysfs lists an event of this PMU with the same name, adds the event from
 * sysfs instead.
 */
static int add_cache(struct resolver *r, const struct ast_event *event, uint64_t config)
{
	struct pmus *pmus = resolver__pmus(r);
	int err;

	if (!pmus)
		return -ENOMEM;
	if (pmus__nr_core(pmus) > 1)
		return add_on_core_pmus(r, event, PERF_TYPE_HW_CACHE, config, &event->name);
	if (resolver__skips(r, pmus__get(pmus, 0)))
		return refuse_filter(r, event);
	err = resolve_pmu__alias_on(r, event, pmus__get(pmus, 0));
	if (err != -ENOENT)
		return err;
	return add_plain(r, event, PERF_TYPE_HW_CACHE, config, TOOL_NONE, NULL, &event->name);
}

/*
 * Adds an event that the user gave as TYPE:CONFIG or rNNN. If the event's type is that of a PMU,
 * the event is opened only on the CPUs of this PMU.
 */
static int add_numeric(struct resolver *r, const struct ast_event *event)
{
	struct pmus *pmus = resolver__pmus(r);

	if (!pmus)
		return -ENOMEM;
	return add_plain(r, event, event->type, event->config, TOOL_NONE,
			 pmus__find_type(pmus, event->type), &event->text);
}

/*
 * Returns whether --pmu-filter excludes @row, a software or tool event. Software events belong to
 * the PMU "software". Tool events are never excluded.
 */
static bool is_filtered(struct resolver *r, const struct event_name *row)
{
	struct pmus *pmus = row->tool == TOOL_NONE && r->env->pmu_filter ? resolver__pmus(r) : NULL;
	struct pmu *software = pmus ? pmus__find(pmus, "software") : NULL;

	return software && resolver__skips(r, software);
}

static int add_fixed(struct resolver *r, const struct ast_event *event,
		     const struct event_name *row)
{
	if (row->tool == TOOL_RUN_CNT && !r->env->bpf_prog)
		return parse_error__set(r->error, event->name.column,
					"run_cnt counts runs of BPF programs and scopes: it needs "
					"-b or --scope");
	if (row->tool == TOOL_SCOPE_TIME && !r->env->scope)
		return parse_error__set(r->error, event->name.column,
					"scope-time is the wall time of scopes: it needs --scope");
	if (row->type == PERF_TYPE_HARDWARE)
		return add_hardware(r, event, row->config);
	if (is_filtered(r, row))
		return refuse_filter(r, event);
	return add_plain(r, event, row->type, row->config, row->tool, NULL, &event->text);
}

static int add_name(struct resolver *r, const struct ast_event *event)
{
	const struct event_name *row = event_name__find(&event->name);
	const char *why;
	uint64_t config;
	int err;

	if (row)
		return add_fixed(r, event, row);
	err = event_name__decode_cache(&event->name, &config, &why);
	if (!err)
		return add_cache(r, event, config);
	if (err == -EINVAL)
		return parse_error__set(r->error, event->name.column, "'%.*s': %s",
					SPAN_ARG(&event->name), why);
	err = resolve_pmu__alias(r, event);
	if (err == -ENOENT)
		err = resolve_tool__name(r, event);
	if (err != -ENOENT)
		return err;
	parse_error__set(r->error, event->name.column, "unknown event '%.*s'",
			 SPAN_ARG(&event->name));
	resolve_near__offer_names(r, &event->name, false);
	r->error->see_list = true;
	return -EINVAL;
}

static int add_event(struct resolver *r, const struct ast_event *event)
{
	switch (event->kind) {
	case AST_NAME:
		return add_name(r, event);
	case AST_PMU:
		return resolve_pmu__event(r, event);
	case AST_NUMERIC:
		return add_numeric(r, event);
	case AST_TRACEPOINT:
		return tracepoint__resolve(r, event);
	case AST_BREAKPOINT:
		return breakpoint__resolve(r, event);
	}
	return -EINVAL;
}

static int resolve_event(struct resolver *r, const struct ast_event *event)
{
	int first = r->evlist->nr, err = add_event(r, event);

	if (err == -ENXIO)
		err = parse_error__set(r->error, event->name.column,
				       "its PMU has none of the CPUs in cpu=");
	for (int i = first; i < r->evlist->nr && !err; i++) {
		r->evlist->entries[i]->ordinal = (int)(event - r->ast->events);
		if (event->modified)
			err = modifiers__apply(&event->mod, r->evlist->entries[i], r->error);
	}
	return err;
}

/*
 * Puts the events at index @first and later, which the user wrote in braces, into one group.
 * regroup__events() can change this group afterwards.
 */
static void set_leader(const struct evlist *evlist, int first)
{
	struct evsel *leader = evlist->entries[first];

	for (int i = first; i < evlist->nr; i++) {
		evlist->entries[i]->leader = leader;
		evlist->entries[i]->nr_members = 0;
	}
	leader->nr_members = evlist->nr - first;
}

static int resolve_group(struct resolver *r, const struct ast_group *group)
{
	int first = r->evlist->nr, err = 0;

	for (int i = 0; i < group->nr_events && !err; i++)
		err = resolve_event(r, &r->ast->events[group->first_event + i]);
	if (err || !group->braces)
		return err;
	set_leader(r->evlist, first);
	for (int i = first; i < r->evlist->nr && !err; i++) {
		struct evsel *evsel = r->evlist->entries[i];

		err = modifiers__apply_group(&group->mod, evsel, evsel__is_group_leader(evsel),
					     r->error);
	}
	return err;
}

bool resolver__may_be_topdown(const struct evsel *evsel)
{
	if (evsel->attr.attr.type != PERF_TYPE_RAW || evsel->tool != TOOL_NONE)
		return false;
	if (strcasestr(evsel->name, "uops_retired.slots"))
		return false;
	return strcasestr(evsel->name, "slots") || strcasestr(evsel->name, "topdown");
}

/* Returns whether regroup__events() may have to change the list from index @first on. */
static bool may_need_regroup(const struct evlist *evlist, int first)
{
	for (int i = first; i < evlist->nr; i++)
		if (evsel__is_grouped(evlist->entries[i]) ||
		    resolver__may_be_topdown(evlist->entries[i]))
			return true;
	return false;
}

int resolve__list(struct evlist *evlist, const struct ast *ast, const struct event_env *env,
		  struct parse_error *error)
{
	struct resolver r = {
		.env = env, .evlist = evlist, .error = error, .ast = ast, .pmus = env->pmus
	};
	int first = evlist->nr, err = 0;

	for (int i = 0; i < ast->nr_groups && !err; i++)
		err = resolve_group(&r, &ast->groups[i]);
	if (!err && may_need_regroup(evlist, first))
		err = regroup__events(&r, first);
	if (r.pmus != env->pmus)
		pmus__free(r.pmus);
	return err;
}
