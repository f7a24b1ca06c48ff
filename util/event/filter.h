/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --filter: conditions on the fields of tracepoints, in the kernel's syntax
 * (Documentation/trace/events.rst in the kernel's source).
 */
#ifndef PSTAT_EVENT_FILTER_H
#define PSTAT_EVENT_FILTER_H

struct evlist;
struct evsel;
struct strbuf;
struct sysroots;

/*
 * Adds @filter to all tracepoints in @evlist at index @first or later. If an event already has a
 * filter, combines the two filters with "&&". Returns 0; -ENOENT if there is no tracepoint at index
 * @first or later; or -ENOMEM.
 */
int filter__add(struct evlist *evlist, int first, const char *filter);

/*
 * Adds to @sb an explanation of why the kernel refused @evsel's filter with the negative errno
 * @err. If the filter contains a field that the tracepoint does not have, the explanation marks
 * this field. The explanation also lists the tracepoint's fields.
 */
void filter__explain(struct strbuf *sb, const struct sysroots *roots, const struct evsel *evsel,
		     int err);

#endif
