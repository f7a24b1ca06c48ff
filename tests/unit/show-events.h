/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as one line of text, for tests. An event is written "NAME type:config", then each property
 * that is not 0: c1= c2= c3= (config1 to config3), bp= (the access of a breakpoint), the excluded
 * modes (-u user, -k kernel, -h hypervisor, -G guests, -H host, -I idle), p= (precise), D pinned, e
 * exclusive, b counted by BPF, W weak group, UNIT*SCALE, pkg, snap, percore, the PMU, its CPUs,
 * core (one of several core PMUs), from SOURCE (a value that pstat reads itself), merged into an
 * earlier event. Groups are in braces.
 */
#ifndef PSTAT_TESTS_SHOW_EVENTS_H
#define PSTAT_TESTS_SHOW_EVENTS_H

#include "util/base/strbuf.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

static inline void show_config(struct strbuf *sb, const char *name, uint64_t value)
{
	if (value)
		strbuf__addf(sb, " %s=0x%llx", name, (unsigned long long)value);
}

static inline void show_flag(struct strbuf *sb, const char *name, bool set)
{
	if (set)
		strbuf__addf(sb, " %s", name);
}

static inline void show_attr(struct strbuf *sb, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;

	strbuf__addf(sb, "%s %u:0x%llx", evsel->name, attr->type, (unsigned long long)attr->config);
	show_config(sb, "c1", attr->config1);
	show_config(sb, "c2", attr->config2);
	show_config(sb, "c3", evsel->attr.v8.config3);
	show_config(sb, "bp", attr->bp_type);
	show_flag(sb, "-u", attr->exclude_user);
	show_flag(sb, "-k", attr->exclude_kernel);
	show_flag(sb, "-h", attr->exclude_hv);
	show_flag(sb, "-G", attr->exclude_guest);
	show_flag(sb, "-H", attr->exclude_host);
	show_flag(sb, "-I", attr->exclude_idle);
	show_config(sb, "p", attr->precise_ip);
	show_flag(sb, "D", attr->pinned);
	show_flag(sb, "e", attr->exclusive);
}

static inline void show_event(struct strbuf *sb, const struct evsel *evsel)
{
	show_attr(sb, evsel);
	show_flag(sb, "b", evsel->bpf_counter);
	show_flag(sb, "W", evsel->weak_group);
	if (*evsel->unit || evsel->scale != 1.0)
		strbuf__addf(sb, " %s*%g", evsel->unit, evsel->scale);
	show_flag(sb, "pkg", evsel->per_pkg);
	show_flag(sb, "snap", evsel->snapshot);
	if (evsel->source)
		strbuf__addf(sb, " from %s", evsel->source);
	show_flag(sb, "percore", evsel->percore);
	if (evsel->pmu_name)
		strbuf__addf(sb, " on %s", evsel->pmu_name);
	if (evsel->pmu_cpus) {
		strbuf__adds(sb, " cpus ");
		cpumap__format(evsel->pmu_cpus, sb);
	}
	show_flag(sb, "core", evsel->is_core_pmu);
	show_flag(sb, "merged", evsel->merged);
}

static inline void show_events(struct strbuf *sb, const struct evlist *evlist)
{
	for (int i = 0; i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->entries[i], *leader = evsel->leader;
		bool grouped = leader->nr_members > 1;

		strbuf__adds(sb, i ? "; " : "");
		strbuf__adds(sb, grouped && leader == evsel ? "{" : "");
		show_event(sb, evsel);
		strbuf__adds(sb, grouped && i == leader->idx + leader->nr_members - 1 ? "}" : "");
	}
}

#endif
