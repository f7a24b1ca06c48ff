/* SPDX-License-Identifier: GPL-2.0-only */
/* --filter: conditions on the fields of tracepoints, in the kernel's own language (Documentation/trace/events.rst). */
#ifndef PSTAT_EVENT_FILTER_H
#define PSTAT_EVENT_FILTER_H

struct evlist;
struct evsel;
struct strbuf;
struct sysroots;

/*
 * Adds @filter to the tracepoint events of @evlist from index @first on: both conditions must hold when one has a filter already.
 * 0; -ENOENT when there is no tracepoint among them; -ENOMEM.
 */
int event_filter__add(struct evlist *evlist, int first, const char *filter);

/*
 * The kernel refused @evsel's filter with @err (negative): adds why, in words, to @sb: a field that the tracepoint does not have is
 * named, with a mark under it, and those that it has.
 */
void event_filter__explain(struct strbuf *sb, const struct sysroots *roots, const struct evsel *evsel, int err);

#endif
