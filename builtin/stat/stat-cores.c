// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles --pmu-filter and, for machines with several kinds of core, --cputype and --hybrid-merge.
 * Also warns about events that cannot be counted on all CPUs of the target, and splits groups whose
 * events need different CPUs. Most warnings have the same text as in perf.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/groups.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

/*
 * Stores the argument of --pmu-filter, and whether the option came after an event or a metric. If
 * it did, stat_cores__resolve_cputype() refuses the option.
 */
void stat_cores__take_pmu_filter(struct raw_options *raw, const char *text, bool on)
{
	(void)on;
	raw->pmu_filter = text;
	raw->pmu_filter_late |= raw->has_events || raw->to->metrics.given;
}

void stat_cores__take_cputype(struct raw_options *raw, const char *text, bool on)
{
	(void)on;
	raw->cputype = text;
	raw->cputype_late |= raw->has_events;
}

/* perf truncates the description of a group to this number of bytes. */
#define GROUP_DESC_MAX 199

/* ---- --cputype ---- */

static int refuse_cputype(const struct raw_options *raw, struct pmus *pmus)
{
	struct strbuf names = STRBUF_INIT;

	for (int i = 0; i < pmus__nr_core(pmus); i++)
		strbuf__addf(&names, "%s%s", i ? ", " : "", pmu__name(pmus__get(pmus, i)));
	pr_err("--cputype %s is not supported: this machine has no PMU of this name\n"
	       "its core PMUs: %s",
	       log__value(raw->cputype), names.text);
	strbuf__free(&names);
	return EXIT_USAGE;
}

int stat_cores__resolve_cputype(struct raw_options *raw)
{
	struct pmus *pmus;
	struct pmu *pmu;
	int code = 0;

	if (raw->pmu_filter_late) {
		pr_err("--pmu-filter %s must precede the events and metrics\n"
		       "give it before the first -e or -M",
		       log__value(raw->pmu_filter));
		return EXIT_USAGE;
	}
	if (!raw->cputype)
		return 0;
	if (raw->cputype_late) {
		pr_err("--cputype %s must precede the events\n"
		       "give it before the first -e",
		       log__value(raw->cputype));
		return EXIT_USAGE;
	}
	pmus = pmus__new(sysroots__host());
	if (!pmus)
		return command__out_of_memory();
	pmu = pmus__find_filter(pmus, raw->cputype);
	if (!pmu)
		code = refuse_cputype(raw, pmus);
	else if (!(raw->cputype_pmu = strdup(pmu__name(pmu))))
		code = command__out_of_memory();
	pmus__free(pmus);
	return code;
}

/* ---- CPUs without the core PMU of an event ---- */

static bool has_core_cpus(const struct evsel *evsel)
{
	return evsel->pmu_cpus && !evsel->is_uncore;
}

/*
 * Adds the event's name in the form that perf's warnings use. If there are several core PMUs, the
 * name of a default hardware event contains the PMU.
 */
static void add_name(const struct evsel *evsel, struct strbuf *text)
{
	if (evsel->is_default && evsel->is_core_pmu && evsel->attr.attr.type == PERF_TYPE_HARDWARE)
		strbuf__addf(text, "%s/%s/", evsel->pmu_name, evsel->name);
	else
		strbuf__adds(text, evsel->name);
}

static bool has_all(const struct cpumap *map, const struct cpumap *asked)
{
	for (int i = 0; i < asked->nr; i++)
		if (cpumap__index(map, asked->ids[i]) < 0)
			return false;
	return true;
}

/*
 * Warns about each event that cannot be counted on every CPU of -C because of its core PMU or its
 * term cpu=. If the core PMU is the reason, the warning has perf's text. pstat counts such an event
 * only on those CPUs of -C on which it can be counted. If there are none, the event has no row.
 * Does not warn about uncore events, because -C overrides the cpumask of their PMU (see
 * groups__own_cpus()).
 */
static void warn_of_other_cores(const struct stat_options *options)
{
	const struct cpumap *asked = options->count.cpus;
	const struct evsel *evsel;

	evlist__for_each(options->evlist, evsel) {
		struct strbuf name = STRBUF_INIT, list = STRBUF_INIT;

		if (!asked || !has_core_cpus(evsel) || has_all(evsel->pmu_cpus, asked))
			continue;
		add_name(evsel, &name);
		cpumap__format(evsel->pmu_cpus, &list);
		if (evsel->cpus_given)
			pr_warn("event %d: -C chooses CPUs %s, but the term cpu= limits the event "
				"to CPUs %s",
				evsel->idx + 1, options->cpu_text, list.text);
		else
			log__plain("WARNING: A requested CPU in '%s' is not supported by PMU '%s' "
				   "(CPUs %s) for event '%s'\n",
				   options->cpu_text, evsel->pmu_name, list.text, name.text);
		strbuf__free(&list);
		strbuf__free(&name);
	}
}

/* Adds to @list the ids in @map that are not in @online. */
static void list_offline(const struct cpumap *map, const struct cpumap *online, struct strbuf *list)
{
	for (int i = 0; i < map->nr; i++)
		if (cpumap__index(online, map->ids[i]) < 0)
			strbuf__addf(list, "%s%d", list->len ? "," : "", map->ids[i]);
}

/*
 * Without -C, warns about events whose term cpu= names offline CPUs. If all CPUs of the term are
 * offline, the event has no count and, with -A, no row.
 */
static void warn_of_offline_cpus(const struct stat_options *options)
{
	struct cpumap *online = NULL;
	const struct evsel *evsel;

	evlist__for_each(options->evlist, evsel) {
		struct strbuf list = STRBUF_INIT;

		if (!evsel->cpus_given || !evsel->pmu_cpus || options->count.cpus)
			continue;
		if (!online && cpumap__online(sysroots__host(), &online))
			return;
		list_offline(evsel->pmu_cpus, online, &list);
		if (list.len)
			pr_warn("event %d: the term cpu= names CPUs that are offline: %s",
				evsel->idx + 1, list.text);
		strbuf__free(&list);
	}
	cpumap__free(online);
}

/* ---- groups of events that are counted on different CPUs ---- */

/*
 * Returns whether perf treats the event as an event of CPU 0. This is the case for duration_time if
 * pstat does not count tasks, and -C was not given.
 */
static bool is_of_cpu_0(const struct evsel *evsel, const struct stat_config *cfg)
{
	return evsel->tool == TOOL_DURATION_TIME && !cfg->cpus && !stat_config__per_task(cfg);
}

/*
 * Returns the CPUs on which the event is counted if @target is the set of CPUs to count. The caller
 * must free the map. Returns NULL if memory ran out.
 */
static struct cpumap *cpus_of(const struct evsel *evsel, const struct stat_config *cfg,
			      const struct cpumap *target)
{
	const struct cpumap *own = groups__own_cpus(cfg, evsel);
	struct cpumap *cpu_0;

	if (is_of_cpu_0(evsel, cfg))
		return cpumap__parse("0", &cpu_0) ? NULL : cpu_0;
	if (own && evsel->is_uncore)
		return cpumap__copy(own);
	if (own && !stat_config__per_task(cfg))
		return cpumap__intersect(own, target);
	return cpumap__copy(target);
}

static void warn_of_group(const struct evlist *evlist, const struct evsel *leader)
{
	struct strbuf text = STRBUF_INIT;
	const struct evsel *evsel;

	strbuf__adds(&text, "anon group { ");
	add_name(leader, &text);
	evlist__for_each(evlist, evsel) {
		if (evsel == leader || evsel->leader != leader)
			continue;
		strbuf__adds(&text, ", ");
		add_name(evsel, &text);
	}
	strbuf__adds(&text, " }");
	log__plain("WARNING: grouped events cpus do not match.\n"
		   "Events with CPUs not matching the leader will be removed from the group.\n"
		   "  %.*s\n",
		   GROUP_DESC_MAX, text.text);
	strbuf__free(&text);
}

static void leave_group(struct evsel *evsel)
{
	evsel->leader->nr_members--;
	evsel->leader = evsel;
	evsel->nr_members = 1;
}

/*
 * All events of a group are counted on the CPUs of the event that leads the group. Returns 1 if
 * @evsel must leave its group because it needs other CPUs, 0 if @evsel can stay in the group, or
 * -ENOMEM.
 */
static int check_member(const struct evsel *evsel, const struct stat_config *cfg,
			const struct cpumap *target)
{
	struct cpumap *leaders = cpus_of(evsel->leader, cfg, target),
		      *own = cpus_of(evsel, cfg, target);
	int result = leaders && own ? !cpumap__equal(leaders, own) : -ENOMEM;

	cpumap__free(leaders);
	cpumap__free(own);
	return result;
}

static bool has_own_cpus(const struct evsel *evsel)
{
	return evsel->pmu_cpus || evsel->tool == TOOL_DURATION_TIME;
}

static int check_groups(const struct stat_options *options, const struct cpumap *target)
{
	const struct evsel *warned = NULL;
	struct evsel *evsel;

	evlist__for_each(options->evlist, evsel) {
		struct evsel *leader = evsel->leader;
		int leaves;

		if (leader == evsel || (!has_own_cpus(leader) && !has_own_cpus(evsel)))
			continue;
		if (evsel->tool != TOOL_NONE && evsel->tool != TOOL_DURATION_TIME)
			continue;
		leaves = check_member(evsel, &options->count, target);
		if (leaves < 0)
			return command__out_of_memory();
		if (!leaves)
			continue;
		if (warned != leader)
			warn_of_group(options->evlist, leader);
		warned = leader;
		leave_group(evsel);
	}
	return 0;
}

static bool has_groups_of_pmus(const struct evlist *evlist)
{
	const struct evsel *evsel;

	evlist__for_each(evlist, evsel)
		if (evsel__is_grouped(evsel) && has_own_cpus(evsel))
			return true;
	return false;
}

static int split_groups(const struct stat_options *options)
{
	struct cpumap *target = NULL;
	int err = 0, code;

	if (!has_groups_of_pmus(options->evlist))
		return 0;
	if (stat_config__per_task(&options->count))
		target = cpumap__any();
	else if (options->count.cpus)
		target = cpumap__copy(options->count.cpus);
	else
		err = cpumap__online(sysroots__host(), &target);
	/*
	 * If the list of CPUs cannot be read, print no message. Opening the events will also fail,
	 * with a clearer message.
	 */
	if (err)
		return err == -ENOMEM ? command__out_of_memory() : 0;
	code = target ? check_groups(options, target) : command__out_of_memory();
	cpumap__free(target);
	return code;
}

/* ---- --hybrid-merge ---- */

static bool is_same_event(const struct evsel *a, const struct evsel *b)
{
	return !strcmp(a->name, b->name) && a->scale == b->scale && !strcmp(a->unit, b->unit) &&
	       a->cgroup == b->cgroup;
}

/* Returns whether the row of @first already contains an event of the PMU @pmu. */
static bool has_pmu(const struct evlist *evlist, const struct evsel *first, const char *pmu)
{
	if (!strcmp(first->pmu_name, pmu))
		return true;
	for (int i = first->idx + 1; i < evlist->nr; i++)
		if (evlist->entries[i]->merge_into == first &&
		    !strcmp(evlist->entries[i]->pmu_name, pmu))
			return true;
	return false;
}

/*
 * Adds to the row of @first, for each other core PMU, the event that has the same name, unit, scale
 * and cgroup as @first. If the user gave a name twice, each PMU has two events with this name, and
 * there are two rows.
 */
static void merge_into(const struct stat_options *options, struct evsel *first)
{
	const struct evlist *evlist = options->evlist;

	for (int i = first->idx + 1; i < evlist->nr; i++) {
		struct evsel *evsel = evlist->entries[i];

		if (!evsel->is_core_pmu || evsel->merged || !is_same_event(first, evsel) ||
		    has_pmu(evlist, first, evsel->pmu_name))
			continue;
		evsel->merged = true;
		evsel->merge_into = first;
	}
}

static void merge_pmus(const struct stat_options *options)
{
	struct evsel *evsel;

	if (!options->hybrid_merge || options->count.aggr_mode == AGGR_NONE)
		return;
	evlist__for_each(options->evlist, evsel)
		if (evsel->is_core_pmu && !evsel->merged)
			merge_into(options, evsel);
}

int stat_cores__resolve(struct raw_options *raw)
{
	int code;

	warn_of_other_cores(raw->to);
	warn_of_offline_cpus(raw->to);
	code = split_groups(raw->to);
	if (!code)
		merge_pmus(raw->to);
	return code;
}
