/* SPDX-License-Identifier: GPL-2.0-only */
/* One metric of a vendor's JSON file. */
#ifndef PSTAT_REPORT_METRIC_JSON_H
#define PSTAT_REPORT_METRIC_JSON_H

struct json_t;
struct metric_def;
struct strbuf;

/*
 * Fills @def from @object. What @object does not have comes from @standard, the architecture's
 * metric that it refers to, or NULL. The strings belong to the objects. 0; -ENOENT if it is no
 * metric, but an event; -EINVAL if it makes no sense, and @why says the reason. def->name is NULL
 * unless it was found.
 */
int metric_json__read(const struct json_t *object, const struct json_t *standard, struct metric_def *def,
		      struct strbuf *why);

#endif
