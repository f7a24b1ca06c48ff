// SPDX-License-Identifier: GPL-2.0-only
#include "self/self.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "include/pstat-self.h"
#include "perf-sys.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"

/* ---- an event given by its attr ---- */

/* Copies the members that select the event. */
static void copy_event(union perf_attr *to, const union perf_attr *from)
{
	const struct perf_event_attr *attr = &from->attr;

	memset(to, 0, sizeof(*to));
	to->attr.type = attr->type;
	to->attr.size = PERF_ATTR_SIZE;
	to->attr.config = attr->config;
	to->attr.config1 = attr->config1;
	to->attr.config2 = attr->config2;
	to->v8.config3 = from->v8.config3;
	to->attr.bp_type = attr->bp_type;
	to->attr.pinned = attr->pinned;
	to->attr.exclusive = attr->exclusive;
	to->attr.precise_ip = attr->precise_ip;
	to->attr.exclude_user = attr->exclude_user;
	to->attr.exclude_kernel = attr->exclude_kernel;
	to->attr.exclude_hv = attr->exclude_hv;
	to->attr.exclude_idle = attr->exclude_idle;
	to->attr.exclude_host = attr->exclude_host;
	to->attr.exclude_guest = attr->exclude_guest;
}

static int add_attr(struct evlist *evlist, const struct perf_event_attr *attr)
{
	union perf_attr given = {}, event;
	struct evsel *evsel;
	char name[64];

	if (attr->size < PERF_ATTR_SIZE_VER0 || attr->size > sizeof(given)) {
		pr_err("attr.size is %u, but must be sizeof(struct perf_event_attr)", attr->size);
		return -EINVAL;
	}
	memcpy(&given, attr, attr->size);
	copy_event(&event, &given);
	given.attr.size = PERF_ATTR_SIZE;
	if (memcmp(&given, &event, sizeof(event)) != 0) {
		pr_err("config.attr sets members that do not select an event: only type, config to "
		       "config3, the exclude bits, precise_ip, pinned and exclusive may be set");
		return -EINVAL;
	}
	evsel = evsel__new();
	if (!evsel)
		return log__out_of_memory();
	snprintf(name, sizeof(name), "event %u:%#llx", attr->type,
		 (unsigned long long)attr->config);
	evsel->attr = event;
	evsel->name = strdup(name);
	if (!evsel->name) {
		evsel__free(evsel);
		return log__out_of_memory();
	}
	return evlist__add(evlist, evsel) ? log__out_of_memory() : 0;
}

/* ---- an event given by its name ---- */

static int add_named(struct evlist *evlist, const char *name)
{
	const struct event_env env = { .roots = sysroots__host() };
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf text = STRBUF_INIT;
	int err = parse_events(evlist, name, &env, &error);

	if (err == -EINVAL) {
		parse_error__format(&error, &text);
		if (text.len && text.text[text.len - 1] == '\n')
			text.text[text.len - 1] = '\0';
		pr_err("%s", text.text);
	} else if (err) {
		log__out_of_memory();
	}
	strbuf__free(&text);
	parse_error__free(&error);
	return err;
}

/* ---- whether the event can be counted for a thread ---- */

static int check_event(const struct evlist *evlist, const char *name)
{
	const struct evsel *evsel = evlist->nr ? evlist->entries[0] : NULL;
	const char *why = NULL;

	if (evlist->nr != 1) {
		pr_err("%s: names %d events: open each event with a separate call", name,
		       evlist->nr);
		return -EINVAL;
	}
	if (evsel->tool != TOOL_NONE)
		why = "it is not a perf event";
	else if (evsel->snapshot)
		why = "its value does not count up";
	else if (evsel->is_uncore)
		why = "it counts a whole package, not a thread";
	if (!why)
		return 0;
	pr_err("%s: %s", evsel->name, why);
	return -EOPNOTSUPP;
}

int self_event__parse(const struct pstat_self_config *config, struct evlist **out)
{
	struct evlist *evlist = evlist__new();
	int err;

	*out = evlist;
	if (!evlist)
		return log__out_of_memory();
	if (!config->event == !config->attr) {
		pr_err("give config.event or config.attr%s", config->event ? ", but not both" : "");
		err = -EINVAL;
	} else {
		err = config->event ? add_named(evlist, config->event) :
				      add_attr(evlist, config->attr);
	}
	err = err ?: check_event(evlist, config->event ?: "attr");
	if (err) {
		evlist__free(evlist);
		*out = NULL;
	}
	return err;
}
