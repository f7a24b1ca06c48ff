// SPDX-License-Identifier: GPL-2.0-only
/* --hist[=EVENT]: of which event the distribution is. */
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

/* Told with the names that there are. */
static int refuse(const struct raw_options *raw)
{
	const struct evsel *evsel;
	struct strbuf names = STRBUF_INIT;

	evlist__for_each(raw->to->evlist, evsel) {
		if (evsel->tool == TOOL_NONE)
			strbuf__addf(&names, "%s%s", names.len ? ", " : "", evsel->name);
	}
	if (*raw->hist)
		pr_err("--hist=%s: this is none of the events that are counted: %s\nadd it to -e", raw->hist,
		       names.len ? names.text : "there are none");
	else
		pr_err("--hist needs an event of which the runs have counts: give -e too");
	strbuf__free(&names);
	return EXIT_USAGE;
}

int settle_hist(struct raw_options *raw)
{
	const struct evsel *evsel;

	if (!raw->hist)
		return 0;
	evlist__for_each(raw->to->evlist, evsel) {
		if (evsel->tool == TOOL_NONE && (!*raw->hist || !strcmp(raw->hist, evsel->name))) {
			raw->to->count.hist = evsel;
			return 0;
		}
	}
	return refuse(raw);
}
