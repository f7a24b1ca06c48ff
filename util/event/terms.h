/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic terms, which do not depend on the PMU. All events except tracepoints accept config,
 * config1 to config3, name, percore and cpu. perf and vendors' files also use the terms period,
 * freq and metric-id, which are ignored. The other generic terms, such as call-graph, are for
 * sampling, and are refused.
 */
#ifndef PSTAT_EVENT_TERMS_H
#define PSTAT_EVENT_TERMS_H

#include <stdbool.h>
#include <stddef.h>

struct ast_event;
struct ast_term;
struct evsel;
struct parse_error;
struct resolver;

bool terms__is_generic(const struct ast_term *term);
/*
 * Applies the generic term @term to @evsel. @column is the position in the user's string at which
 * errors are reported. If @term comes from sysfs or a vendor's file, its own column is not a
 * position in the user's string. Returns 0; -EINVAL with r->error set; or -ENOMEM.
 */
int terms__apply(struct resolver *r, const struct ast_term *term, size_t column,
		 struct evsel *evsel);
/*
 * Applies all terms of an event that accepts only generic terms. Returns the same values as
 * terms__apply().
 */
int terms__apply_all(struct resolver *r, const struct ast_event *event, struct evsel *evsel);
/*
 * Does nothing if @error is already set. Otherwise, sets it to "unknown term …", with the PMU name
 * @pmu (NULL: none), and lists the valid terms. These are the terms in @others, separated by commas
 * (NULL: none), and the generic terms that both pstat and perf stat accept. Returns -EINVAL.
 */
int terms__unknown(const struct ast_term *term, size_t column, const char *pmu, const char *others,
		   struct parse_error *error);

#endif
