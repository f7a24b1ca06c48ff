// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/session-priv.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/stat-config.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

static void add_field(struct strbuf *sb, const char *name, uint64_t value, bool hex)
{
	if (value)
		strbuf__addf(sb, hex ? ", %s: 0x%" PRIx64 : ", %s: %" PRIu64, name, value);
}

/*
 * Adds the fields of the event's perf_event_attr with the values that the parser set. The backend
 * may open the event with other values.
 */
static void add_attr(struct strbuf *sb, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;

	if (evsel->tool != TOOL_NONE)
		return;
	strbuf__addf(sb, ": type: %u, size: %u, config: 0x%llx", attr->type, attr->size,
		     attr->config);
	add_field(sb, "pinned", attr->pinned, false);
	add_field(sb, "exclusive", attr->exclusive, false);
	add_field(sb, "exclude_user", attr->exclude_user, false);
	add_field(sb, "exclude_kernel", attr->exclude_kernel, false);
	add_field(sb, "exclude_hv", attr->exclude_hv, false);
	add_field(sb, "exclude_idle", attr->exclude_idle, false);
	add_field(sb, "precise_ip", attr->precise_ip, false);
	add_field(sb, "exclude_host", attr->exclude_host, false);
	add_field(sb, "exclude_guest", attr->exclude_guest, false);
	if (attr->type == PERF_TYPE_BREAKPOINT)
		add_field(sb, "bp_type", attr->bp_type, false);
	/* bp_addr and bp_len share memory with config1 and config2 */
	add_field(sb, attr->type == PERF_TYPE_BREAKPOINT ? "bp_addr" : "config1", attr->config1,
		  true);
	add_field(sb, attr->type == PERF_TYPE_BREAKPOINT ? "bp_len" : "config2", attr->config2,
		  true);
	add_field(sb, "config3", evsel->attr.v8.config3, true);
}

static void add_group(struct strbuf *sb, const struct evlist *evlist, const struct evsel *leader)
{
	const struct evsel *evsel;

	strbuf__adds(sb, evsel__is_grouped(leader) ? "{" : "");
	strbuf__add_clean(sb, leader->name);
	evlist__for_each(evlist, evsel) {
		if (evsel == leader || evsel->leader != leader)
			continue;
		strbuf__addc(sb, ',');
		strbuf__add_clean(sb, evsel->name);
	}
	strbuf__adds(sb, evsel__is_grouped(leader) ? "}" : "");
}

static void add_line(struct strbuf *sb, const struct evlist *evlist, const struct evsel *evsel,
		     const struct stat_config *cfg, char letter)
{
	if (letter == 'g' && !evsel__is_group_leader(evsel))
		return;
	if (letter == 'g')
		add_group(sb, evlist, evsel);
	else
		strbuf__add_clean(sb, evsel->name);
	if (letter == 'v')
		add_attr(sb, evsel);
	/* -F: print what perf prints for an event without a sampling frequency */
	if (letter == 'F' && !cfg->sampling)
		strbuf__adds(sb, ": sample_period=0");
	strbuf__addc(sb, '\n');
}

void control_evlist__answer(const struct evlist *evlist, const struct stat_config *cfg,
			    const char *option)
{
	char letter = option && option[0] == '-' && strlen(option) == 2 ? option[1] : '\0';
	struct strbuf sb = STRBUF_INIT;
	const struct evsel *evsel;

	if (option && (!letter || !strchr("vgF", letter))) {
		log__plain("failed: wrong command\n");
		return;
	}
	/* as in perf, repeat the list of events for each cgroup of --for-each-cgroup */
	for (int i = 0; i < (cfg->nr_each_cgroup ?: 1); i++)
		evlist__for_each(evlist, evsel)
			add_line(&sb, evlist, evsel, cfg, letter);
	if (sb.len && !strbuf__failed(&sb))
		log__plain("%s", sb.text);
	strbuf__free(&sb);
}
