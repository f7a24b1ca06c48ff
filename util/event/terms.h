/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terms that mean the same for every event: config, config1 to config3, name, percore; those that perf's lines and the vendors' files
 * have and that change nothing here: period, freq, metric-id; and those that only sampling knows.
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

bool generic_term__is(const struct ast_term *term);
/*
 * Lays @term, one of these, on @evsel. @column is where a complaint about it belongs (terms that come out of sysfs have none of
 * their own). 0; -EINVAL and @error set; -ENOMEM.
 */
int generic_term__apply(struct resolver *r, const struct ast_term *term, size_t column, struct evsel *evsel);
/* All terms of an event that takes no others. */
int generic_terms__apply_all(struct resolver *r, const struct ast_event *event, struct evsel *evsel);
/* "unknown term …" and which have an effect: @others, comma-separated, NULL without, before the generic ones. Returns -EINVAL. */
int generic_term__unknown(const struct ast_term *term, size_t column, const char *pmu, const char *others,
			  struct parse_error *error);

#endif
