/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `pstat list`. */
#ifndef PSTAT_BUILTIN_LIST_OPTIONS_H
#define PSTAT_BUILTIN_LIST_OPTIONS_H

#include <stdbool.h>

#include "builtin/list/list-print.h"
#include "util/event/event-list.h"

/* The caller must fill the struct with zeros. The struct owns only `globs` and `words`. */
struct list_options {
	struct event_query query;
	struct list_style style;
	bool subject_given;   /* an argument selected a kind of event */
	bool events;	      /* list events */
	bool metrics, groups; /* `metrics`: list metrics; `groups`: list groups of metrics */
	bool free;	      /* list free counters instead of events */
	bool scopes;	      /* list the functions and USDT points of the file globs[0] */
	bool sdt;	      /* `sdt` was given (in perf: markers in programs); not supported */
	bool pfm;	      /* `pfm` was given (in perf: the events of libpfm4); not supported */
	const char *cputype;  /* NULL: not given */
	const char *output;   /* a file; NULL: standard output */
	int debug;	      /* how many times --debug was given */
	const char *events_dir, *metrics_file;
	const char **globs; /* owned; query.globs points to the same array */
	char *words;	    /* owned; the globs point into this text */
};

/*
 * Returns 0, or the exit code after reporting an error. In both cases, the caller must call
 * list_options__free().
 */
int list_options__parse(struct list_options *options, int argc, char **argv);
/*
 * Returns whether the command line contains an argument that selects events, metrics or points, or
 * the details to print about them.
 */
bool list_options__choose_events(const struct list_options *options);
void list_options__free(struct list_options *options);

#endif
