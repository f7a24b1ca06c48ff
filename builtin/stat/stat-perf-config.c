// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applies settings in perf's configuration: stat.big-num, stat.no-csv-summary,
 * stat.bpf-counter-events and stat.default-metrics. Only pstat has stat.default-metrics. The
 * command line overrides the settings. pstat only warns about an invalid setting, because an error
 * would make every `pstat stat` fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/perf-config.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

/* ---- settings ---- */

struct taking {
	struct raw_options *raw;
	bool failed; /* memory ran out */
};

static bool take_bool(const struct perf_config_item *item, bool *value)
{
	if (!perf_config__bool(item->value, value))
		return true;
	pr_warn("%s:%d: %s = %s is ignored: the value must be true or false", item->file,
		item->line, item->name, item->value);
	return false;
}

/*
 * Stores the value of stat.bpf-counter-events, a list of events. A later list replaces an earlier
 * one, even if the later list is empty.
 */
static void take_bpf_events(struct taking *taking, const struct perf_config_item *item)
{
	struct raw_options *raw = taking->raw;

	free(raw->bpf_events);
	free(raw->bpf_events_from);
	raw->bpf_events = strdup(item->value);
	if (asprintf(&raw->bpf_events_from, "%s:%d", item->file, item->line) < 0)
		raw->bpf_events_from = NULL;
	taking->failed |= !raw->bpf_events || !raw->bpf_events_from;
}

/*
 * Applies a setting. As in perf, ignores unknown names, because they may be for another command or
 * another version.
 */
static void take_setting(void *data, const struct perf_config_item *item)
{
	struct taking *taking = data;
	struct raw_options *raw = taking->raw;
	bool value;

	if (!strcmp(item->name, "stat.bpf-counter-events")) {
		take_bpf_events(taking, item);
	} else if (!strcmp(item->name, "stat.big-num")) {
		if (take_bool(item, &value) && !option_words__given(raw, "-B") &&
		    !option_words__given(raw, "--no-big-num"))
			raw->to->big_num = value;
	} else if (!strcmp(item->name, "stat.default-metrics")) {
		if (take_bool(item, &value))
			raw->to->metrics.defaults = value;
	} else if (!strcmp(item->name, "stat.no-csv-summary")) {
		if (take_bool(item, &value) && !option_words__given(raw, "--no-csv-summary"))
			raw->to->csv_summary = !value;
	}
}

int stat_perf_config__resolve(struct raw_options *raw)
{
	struct taking taking = { .raw = raw };

	perf_config__read(PERF_CONFIG_SYSTEM, take_setting, &taking);
	if (!taking.failed)
		return 0;
	return command__out_of_memory();
}

/* ---- events that BPF should count ---- */

static bool is_named(const struct raw_options *raw, const struct evsel *evsel)
{
	return evsel->tool == TOOL_NONE && !evsel->bpf_counter &&
	       perf_config__lists(raw->bpf_events, evsel->name);
}

static bool is_of_cgroup(const struct raw_options *raw, const struct evsel *evsel)
{
	return raw->for_each_cgroup || evsel->cgroup;
}

/*
 * Returns the reason why shared counters cannot count @evsel, or NULL if they can.
 * stat.bpf-counter-events must name @evsel.
 */
static const char *why_native(const struct raw_options *raw, const struct evsel *evsel)
{
	const struct evsel *other;

	if (raw->to->count.progs)
		return "-b has its own BPF programs that read the counters";
	if (raw->to->count.scopes)
		return "--scope has its own BPF programs that read the counters";
	if (is_of_cgroup(raw, evsel))
		return "shared counters cannot be limited to a cgroup";
	if (evsel->snapshot)
		return "its value does not count up, so BPF cannot compute differences";
	if (evsel->is_uncore && stat_config__per_task(&raw->to->count))
		return "it counts a whole package, not a task";
	evlist__for_each(raw->to->evlist, other)
		if (other->leader == evsel->leader && other->tool == TOOL_NONE &&
		    !other->bpf_counter && !is_named(raw, other))
			return "its group contains events that the setting does not name";
	return NULL;
}

static const char *why_group_native(const struct raw_options *raw, const struct evsel *leader)
{
	const struct evsel *evsel;
	const char *why = NULL;

	evlist__for_each(raw->to->evlist, evsel) {
		if (evsel->leader == leader && is_named(raw, evsel))
			why = why ?: why_native(raw, evsel);
	}
	return why;
}

/*
 * Remembers whether this process may load BPF programs that run at context switches. The first call
 * of why_no_bpf() tests this.
 */
struct probed {
	bool done;
	struct strbuf why_not;
};

static const char *why_no_bpf(struct probed *probed)
{
	if (!probed->done)
		bpf_util__probe_raw_tp(&probed->why_not);
	probed->done = true;
	return probed->why_not.len ? probed->why_not.text : NULL;
}

void stat_perf_config__share_events(struct raw_options *raw)
{
	struct probed probed = { .why_not = STRBUF_INIT };
	struct evsel *evsel;

	if (!raw->bpf_events || !*raw->bpf_events)
		return;
	evlist__for_each(raw->to->evlist, evsel) {
		const char *why;

		if (!is_named(raw, evsel))
			continue;
		why = why_group_native(raw, evsel->leader) ?: why_no_bpf(&probed);
		if (why)
			pr_info("%s: not counted through BPF, although %s names it: %s",
				evsel->name, raw->bpf_events_from, why);
		else
			pr_info("%s: counted through BPF, because %s names it", evsel->name,
				raw->bpf_events_from);
		evsel->bpf_counter = !why;
	}
	strbuf__free(&probed.why_not);
}
