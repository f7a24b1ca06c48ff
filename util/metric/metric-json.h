/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads metrics of vendors' JSON files. */
#ifndef PSTAT_METRIC_JSON_H
#define PSTAT_METRIC_JSON_H

struct json_t;
struct metric_def;
struct strbuf;

/*
 * Fills @def from @object. Missing values come from @standard, the architecture's metric to which
 * the object refers, or NULL. The objects own the strings. Returns 0; -ENOENT if the object is an
 * event; or -EINVAL, with the reason in @why, if it is invalid. def->name is NULL if the object has
 * no name.
 */
int metric_json__read(const struct json_t *object, const struct json_t *standard, struct metric_def *def,
		      struct strbuf *why);

#endif
