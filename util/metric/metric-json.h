/* SPDX-License-Identifier: GPL-2.0-only */
/* One metric of a vendor's JSON file. */
#ifndef PSTAT_METRIC_JSON_H
#define PSTAT_METRIC_JSON_H

struct json_t;
struct metric_def;
struct strbuf;

/*
 * Fills @def from @object. Values that @object does not have come from @standard: the
 * architecture's metric that it refers to, or NULL. The strings belong to the objects. Returns 0;
 * -ENOENT if the object is an event and not a metric; -EINVAL, with the reason in @why, if it is
 * invalid. def->name is NULL if the object has no name.
 */
int metric_json__read(const struct json_t *object, const struct json_t *standard, struct metric_def *def,
		      struct strbuf *why);

#endif
