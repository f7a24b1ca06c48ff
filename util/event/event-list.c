// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/event-list.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/names.h"
#include "util/event/parse-events.h"
#include "util/event/tp-format.h"
#include "util/event/vendor.h"
#include "util/machine/pmu/drm-clients.h"
#include "util/machine/pmu/hwmon.h"
#include "util/machine/machine-view.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmu-format.h"
#include "util/machine/pmu/pmu-dir.h"
#include "util/machine/pmu/pmus.h"

struct lister {
	const struct event_env *env;
	const struct event_query *query;
	struct strbuf *notes;
	int (*each)(const struct listed_event *event, void *arg);
	void *arg;
};

const char *event_kind__name(enum event_kind kind)
{
	static const char *const names[NR_EVENT_KINDS] = {
		[EVENT_HARDWARE] = "Hardware event",	[EVENT_SOFTWARE] = "Software event",
		[EVENT_CACHE] = "Hardware cache event", [EVENT_TOOL] = "Tool event",
		[EVENT_PMU] = "Kernel PMU event",	[EVENT_VENDOR] = "Vendor event",
		[EVENT_FORM] = "Raw event descriptor",	[EVENT_TRACEPOINT] = "Tracepoint event",
	};

	return names[kind];
}

static bool matches_one(const char *text, const char *glob)
{
	if (!text || !*text)
		return false;
	return strpbrk(glob, "*?[") ? !fnmatch(glob, text, FNM_CASEFOLD) :
				      strcasestr(text, glob) != NULL;
}

/* Returns whether @name matches the pattern @unit, or is @unit plus a number: unit7, unit_7. */
static bool is_of_unit(const char *name, const char *unit)
{
	size_t len = strlen(unit);

	if (!fnmatch(unit, name, 0))
		return true;
	if (strncmp(name, unit, len) != 0)
		return false;
	name += len;
	name += *name == '_';
	return *name && !name[strspn(name, "0123456789")];
}

static bool is_asked_for(const struct lister *l, const struct listed_event *event)
{
	if (l->query->unit && event->pmu && !is_of_unit(event->pmu, l->query->unit))
		return false;
	if (event->deprecated && !l->query->deprecated)
		return false;
	if (l->query->kinds & 1U << event->kind)
		return true;
	for (int i = 0; i < l->query->nr_globs; i++) {
		const char *glob = l->query->globs[i];

		if (matches_one(event->name, glob) || matches_one(event->alias, glob) ||
		    matches_one(event->pmu, glob) || matches_one(event->topic, glob))
			return true;
	}
	return false;
}

/* Replaces NULL with "" in members that must not be NULL. Calls `each` if @event is requested. */
static int deliver(struct lister *l, struct listed_event event)
{
	const char **texts[] = { &event.topic, &event.unit, &event.brief, &event.more,
				 &event.encoding };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!*texts[i])
			*texts[i] = "";
	return is_asked_for(l, &event) ? l->each(&event, l->arg) : 0;
}

#define LISTED(...) ((struct listed_event){ __VA_ARGS__ })

/* ---- names that need no sysfs ---- */

static enum event_kind kind_of(const struct event_name *row)
{
	if (row->tool != TOOL_NONE)
		return EVENT_TOOL;
	return row->type == PERF_TYPE_HARDWARE ? EVENT_HARDWARE : EVENT_SOFTWARE;
}

static bool is_clock(const struct event_name *row)
{
	return row->tool == TOOL_SCOPE_TIME ||
	       (row->type == PERF_TYPE_SOFTWARE && (row->config == PERF_COUNT_SW_CPU_CLOCK ||
						    row->config == PERF_COUNT_SW_TASK_CLOCK));
}

static int list_names(struct lister *l, enum event_kind kind)
{
	int err = 0;

	for (const struct event_name *row = event_names; row->name && !err; row++) {
		const char *unit = is_clock(row) ? "msec" : "";

		if (tool_event__is_time(row->tool))
			unit = "ns";
		if (kind_of(row) == kind)
			err = deliver(l,
				      LISTED(.kind = kind, .name = row->name, .alias = row->alias,
					     .unit = unit, .scale = is_clock(row) ? 1e-6 : 0,
					     .brief = row->help));
	}
	return err;
}

static int list_facts(struct lister *l)
{
	const char *name;
	int err = 0;

	for (int fact = 0; !err && (name = machine_view__fact_name(fact)); fact++)
		if (machine_view__fact_is_event(fact))
			err = deliver(l, LISTED(.kind = EVENT_TOOL, .name = name,
						.brief = machine_view__fact_help(fact)));
	return err;
}

static int list_cache(const char *name, uint64_t config, void *arg)
{
	(void)config;
	return deliver(arg, LISTED(.kind = EVENT_CACHE, .name = name));
}

/* ---- PMUs ---- */

/*
 * Returns the length of the stem of the PMU name @name: the name without a final '_' and number. As
 * in perf, a number without '_' is part of the stem, for example in armv8_cortex_a53.
 */
static size_t stem_len(const char *name)
{
	size_t len = strlen(name), stem = pmu__name_stem_len(name);

	return stem < len && stem > 1 && name[stem - 1] == '_' ? stem - 1 : len;
}

static bool same_stem(struct pmu *a, struct pmu *b)
{
	size_t len = stem_len(pmu__name(a));

	return len == stem_len(pmu__name(b)) && !strncmp(pmu__name(a), pmu__name(b), len);
}

/* Returns whether @other (NULL: none) has the same stem as @pmu, and also has the event @name. */
static bool shares_alias(struct pmu *pmu, struct pmu *other, const char *name)
{
	struct pmu_alias alias;

	return other && same_stem(other, pmu) && pmu__find_alias(other, name, &alias) != -ENOENT;
}

static int list_alias(struct lister *l, struct pmu *pmu, const char *name, bool several)
{
	int len = several ? (int)stem_len(pmu__name(pmu)) : INT_MAX, err;
	struct strbuf full = STRBUF_INIT, encoding = STRBUF_INIT;
	struct pmu_alias alias = { 0 };

	/* list the event even if its files are invalid: counting the event shows the error */
	if (pmu__find_alias(pmu, name, &alias))
		alias = (struct pmu_alias){ .name = name, .unit = "", .terms = NULL };
	strbuf__addf(&full, "%.*s/%s/", len, pmu__name(pmu), name);
	if (alias.terms)
		strbuf__addf(&encoding, "%.*s/%s/", len, pmu__name(pmu), alias.terms);
	if (strbuf__failed(&full) || strbuf__failed(&encoding))
		err = -ENOMEM;
	else
		err = deliver(l, LISTED(.kind = EVENT_PMU, .name = full.text, .pmu = pmu__name(pmu),
					.unit = alias.unit, .scale = alias.scale,
					.encoding = encoding.text));
	strbuf__free(&full);
	strbuf__free(&encoding);
	return err;
}

static int list_pmu(struct lister *l, struct pmus *pmus, int at)
{
	struct pmu *pmu = pmus__get(pmus, at), *before = at ? pmus__get(pmus, at - 1) : NULL;
	struct pmu *behind = pmus__get(pmus, at + 1);
	const char *name;
	int err = 0;

	for (int i = 0; (name = pmu__alias_name(pmu, i)) && !err; i++)
		if (!shares_alias(pmu, before, name))
			err = list_alias(l, pmu, name, shares_alias(pmu, behind, name));
	return err;
}

static int list_pmus(struct lister *l, struct pmus *pmus)
{
	int err = 0;

	for (int i = 0; pmus__get(pmus, i) && !err; i++)
		err = list_pmu(l, pmus, i);
	return err;
}

/* ---- PMUs that exist only in pstat ---- */

static int list_sensor(const struct hwmon_event *event, void *arg)
{
	struct strbuf name = STRBUF_INIT, alias = STRBUF_INIT, brief = STRBUF_INIT;
	bool labelled = *event->label_name;
	int err = -ENOMEM;

	strbuf__addf(&name, "%s/%s/", event->pmu, labelled ? event->label_name : event->name);
	strbuf__addf(&alias, "%s/%s/", event->pmu, event->name);
	strbuf__addf(&brief, "%s in unit %s named %s", event->what, event->pmu + strlen("hwmon_"),
		     labelled ? event->label : event->name);
	if (!strbuf__failed(&name) && !strbuf__failed(&alias) && !strbuf__failed(&brief))
		err = deliver(arg, LISTED(.kind = EVENT_PMU, .name = name.text,
					  .alias = labelled ? alias.text : NULL, .pmu = event->pmu,
					  .topic = "hwmon", .unit = event->unit,
					  .scale = event->scale, .brief = brief.text));
	strbuf__free(&name);
	strbuf__free(&alias);
	strbuf__free(&brief);
	return err;
}

static int list_client(const struct drm_event *event, void *arg)
{
	char name[sizeof(event->pmu) + sizeof(event->name) + 2];

	snprintf(name, sizeof(name), "%s/%s/", event->pmu, event->name);
	return deliver(arg, LISTED(.kind = EVENT_PMU, .name = name, .pmu = event->pmu,
				   .topic = "drm", .unit = event->unit, .brief = event->what));
}

/* ---- the vendors' names ---- */

/* Returns the first PMU that has the event, or NULL if this machine has no such PMU. */
static struct pmu *pmu_of_vendor(const struct lister *l, struct pmus *pmus,
				 const struct vendor_event *event)
{
	struct pmu *pmu;

	for (int i = 0; (pmu = pmus__get(pmus, i)); i++)
		if (!pmu__load(pmu) && vendor__find(l->env->vendor, event->name, pmu))
			return pmu;
	return NULL;
}

static int list_vendor(struct lister *l, struct pmus *pmus)
{
	const struct vendor_event *event;
	const char *last = "";
	int err = 0;

	for (int i = 0; l->env->vendor && (event = vendor__get(l->env->vendor, i)) && !err; i++) {
		struct strbuf encoding = STRBUF_INIT;
		struct pmu *pmu = pmu_of_vendor(l, pmus, event);
		const char *on = pmu ? pmu__name(pmu) : "cpu";

		/* list an event of several core PMUs only once */
		if (!strcmp(event->name, last))
			continue;
		last = event->name;
		strbuf__addf(&encoding, "%s/%s/", event->pmu ?: on, event->terms);
		if (strbuf__failed(&encoding))
			err = -ENOMEM;
		else if (pmu)
			err = deliver(l, LISTED(.kind = EVENT_VENDOR, .name = event->name,
						.pmu = pmu__name(pmu), .topic = event->topic,
						.unit = event->unit, .scale = event->scale,
						.brief = event->brief, .more = event->more,
						.encoding = encoding.text,
						.deprecated = event->deprecated));
		strbuf__free(&encoding);
	}
	return err;
}

/* ---- the syntax of events without a name ---- */

static int list_pmu_form(struct lister *l, struct pmu *pmu)
{
	struct strbuf form = STRBUF_INIT;
	struct pmu_format format;
	const char *name;
	int err;

	strbuf__addf(&form, "%s/", pmu__name(pmu));
	for (int i = 0; (name = pmu__format_name(pmu, i)); i++) {
		strbuf__addf(&form, "%s%s", i ? "," : "", name);
		if (!pmu__find_format(pmu, name, &format) && pmu_format__max(&format) > 1)
			strbuf__addf(&form, "=0..0x%llx",
				     (unsigned long long)pmu_format__max(&format));
	}
	strbuf__adds(&form, pmu__format_name(pmu, 0) ? "/" : "config=NUMBER/");
	err = strbuf__failed(&form) ? -ENOMEM :
				      deliver(l, LISTED(.kind = EVENT_FORM, .name = form.text,
							.pmu = pmu__name(pmu)));
	strbuf__free(&form);
	return err;
}

static int list_forms(struct lister *l, struct pmus *pmus)
{
	static const struct {
		const char *name, *brief;
	} forms[] = {
		{ "rHHH", "raw event of the CPU, in hexadecimal" },
		{ "TYPE:CONFIG", "by the numbers of perf_event_open(2)" },
		{ "mem:ADDRESS[/LENGTH][:rwx]", "breakpoint: accesses to an address" },
		{ "mem:SYMBOL[/LENGTH][:rwx]",
		  "breakpoint: accesses to a symbol of the command or process" },
	};
	struct pmu *pmu;
	int err = 0;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && !err; i++)
		err = deliver(l, LISTED(.kind = EVENT_FORM, .name = forms[i].name,
					.brief = forms[i].brief));
	for (int i = 0; (pmu = pmus__get(pmus, i)) && !err; i++)
		if (pmu__format_name(pmu, 0))
			err = list_pmu_form(l, pmu);
	return err;
}

/* ---- tracepoints ---- */

static int list_tracepoint(struct lister *l, const char *system, const char *name)
{
	struct listed_event event = { .kind = EVENT_TRACEPOINT, .topic = system };
	char full[2 * NAME_MAX + 4], path[PATH_MAX];
	struct strbuf fields = STRBUF_INIT;
	int err = 0;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", l->env->roots->tracefs, system, name);
	snprintf(full, sizeof(full), "%s:%s", system, name);
	event.name = full;
	/* an entry that has no file `id`, such as enable or filter, is not a tracepoint */
	if (!is_asked_for(l, &event) || access(path, F_OK))
		return 0;
	if (l->query->details)
		tp_format__describe(l->env->roots, system, name, &fields);
	event.more = fields.text;
	err = strbuf__failed(&fields) ? -ENOMEM : deliver(l, event);
	strbuf__free(&fields);
	return err;
}

static int list_system(struct lister *l, const char *system)
{
	char path[NAME_MAX + 16];
	struct dir_names dir;
	int err = 0;

	snprintf(path, sizeof(path), "events/%s", system);
	if (dir_names__read(&dir, l->env->roots->tracefs, path))
		return 0;
	for (int i = 0; i < dir.nr && !err; i++)
		err = list_tracepoint(l, system, dir.names[i]);
	dir_names__free(&dir);
	return err;
}

static int list_tracepoints(struct lister *l)
{
	const char *tracefs = l->env->roots->tracefs;
	struct dir_names dir;
	int err = dir_names__read(&dir, tracefs, "events");

	if (err == -ENOMEM)
		return err;
	if (err == -EACCES || err == -EPERM)
		strbuf__addf(l->notes, "tracepoints are not listed: only root can read %s\n",
			     tracefs);
	else if (err)
		strbuf__addf(l->notes,
			     "tracepoints are not listed: %s/events: %s; mount it: mount -t "
			     "tracefs tracefs %s\n",
			     tracefs, strerror(-err), tracefs);
	err = 0;
	for (int i = 0; i < dir.nr && !err; i++)
		err = list_system(l, dir.names[i]);
	dir_names__free(&dir);
	return err;
}

int event_list__for_each(const struct event_env *env, const struct event_query *query,
			 struct strbuf *notes,
			 int (*each)(const struct listed_event *event, void *arg), void *arg)
{
	struct lister l = { .env = env, .query = query, .notes = notes, .each = each, .arg = arg };
	struct pmus *pmus = pmus__new(env->roots);
	int err = pmus ? 0 : -ENOMEM;

	for (unsigned int kind = 0; kind < NR_EVENT_KINDS && !err; kind++) {
		if (!query->nr_globs && !(query->kinds & 1U << kind))
			continue;
		switch ((enum event_kind)kind) {
		case EVENT_HARDWARE:
		case EVENT_SOFTWARE:
		case EVENT_TOOL:
			err = list_names(&l, kind);
			if (!err && kind == EVENT_TOOL)
				err = list_facts(&l);
			break;
		case EVENT_CACHE:
			err = event_name__for_each_cache(list_cache, &l);
			break;
		case EVENT_PMU:
			err = list_pmus(&l, pmus);
			err = err ?: hwmon__for_each(env->roots, list_sensor, &l);
			err = err ?: drm_clients__for_each(env->roots, list_client, &l);
			break;
		case EVENT_VENDOR:
			err = list_vendor(&l, pmus);
			break;
		case EVENT_FORM:
			err = list_forms(&l, pmus);
			break;
		case EVENT_TRACEPOINT:
			err = list_tracepoints(&l);
			break;
		case NR_EVENT_KINDS:
			break;
		}
	}
	pmus__free(pmus);
	return err;
}
