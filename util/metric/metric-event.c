// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-event.h"

#include <string.h>

#include "util/base/strbuf.h"
#include "util/event/lexer.h"
#include "util/event/names.h"

enum tool_event metric_event__tool(const char *name)
{
	struct span span = { .s = name, .len = strlen(name) };
	const struct event_name *row = event_name__find(&span);

	return row ? row->tool : TOOL_NONE;
}

bool metric_event__is_tool(const char *name)
{
	return metric_event__tool(name) != TOOL_NONE;
}

void metric_event__add(const char *name, const char *modifier, struct strbuf *text)
{
	const char *first = strchr(name, '@'), *last = strrchr(name, '@'), *rest = name;

	if (first && first != last) {
		strbuf__add(text, name, (size_t)(first - name));
		strbuf__addc(text, '/');
		strbuf__add(text, first + 1, (size_t)(last - first - 1));
		strbuf__addc(text, '/');
		rest = last + 1;
	}
	strbuf__adds(text, rest);
	if (!modifier || metric_event__is_tool(name))
		return;
	if (!strchr(rest, ':') && rest == name)
		strbuf__addc(text, ':');
	strbuf__adds(text, modifier);
}
