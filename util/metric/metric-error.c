// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-expr.h"

/* The parts of a long expression that are shown before the column, and in total. */
#define SHOWN_BEFORE 60
#define SHOWN 100

void metric_error__free(struct metric_error *error)
{
	strbuf__free(&error->metric);
	strbuf__free(&error->expr);
	strbuf__free(&error->reason);
	*error = (struct metric_error)METRIC_ERROR_INIT;
}

void metric_error__format(const struct metric_error *error, struct strbuf *sb)
{
	size_t first = error->column > SHOWN_BEFORE ? error->column - SHOWN_BEFORE : 0;
	const char *before = first ? "…" : "";

	strbuf__addf(sb, "metric %s: %s\n%s", error->metric.text, error->reason.text, before);
	for (size_t i = first; i < error->expr.len && i < first + SHOWN; i++) {
		char c = error->expr.text[i];

		strbuf__addc(sb, (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c);
	}
	strbuf__addf(sb, "%s\n%*s^", error->expr.len > first + SHOWN ? "…" : "",
		     (int)(error->column - first) + (first ? 1 : 0), "");
}
