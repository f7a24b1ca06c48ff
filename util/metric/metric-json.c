// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-json.h"

#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/metric/metric-table.h"

static const struct {
	const char *key;
	size_t field;
} keys[] = {
	{ "MetricName", offsetof(struct metric_def, name) },
	{ "MetricGroup", offsetof(struct metric_def, groups) },
	{ "MetricExpr", offsetof(struct metric_def, expr) },
	{ "ScaleUnit", offsetof(struct metric_def, scale) },
	{ "MetricThreshold", offsetof(struct metric_def, threshold) },
	{ "BriefDescription", offsetof(struct metric_def, desc) },
	{ "PublicDescription", offsetof(struct metric_def, long_desc) },
	{ "MetricgroupNoGroup", offsetof(struct metric_def, no_group_for) },
	{ "DefaultMetricgroupName", offsetof(struct metric_def, heading) },
	{ "DefaultShowEvents", offsetof(struct metric_def, shows_events) },
	{ "Unit", offsetof(struct metric_def, pmu) },
};

static const struct {
	const char *word;
	enum metric_grouping grouping;
} constraints[] = {
	{ "NO_GROUP_EVENTS", METRIC_NO_GROUP },
	{ "NO_GROUP_EVENTS_NMI", METRIC_NO_GROUP_WATCHDOG },
	{ "NO_NMI_WATCHDOG", METRIC_NO_GROUP_WATCHDOG },
	{ "NO_GROUP_EVENTS_SMT", METRIC_NO_GROUP_SMT },
	{ "NO_THRESHOLD_AND_NMI", METRIC_NO_GROUP_THRESHOLD },
};

static const json_t *value(const json_t *object, const json_t *standard, const char *key)
{
	return json_object_get(object, key) ?: json_object_get(standard, key);
}

static int refuse(struct strbuf *why, const char *what, const char *word)
{
	strbuf__addf(why, "%s%s", what, word);
	return -EINVAL;
}

static int read_constraint(const json_t *json, struct metric_def *def, struct strbuf *why)
{
	if (!json)
		return 0;
	for (size_t i = 0; json_is_string(json) && i < sizeof(constraints) / sizeof(constraints[0]); i++) {
		if (!strcmp(json_string_value(json), constraints[i].word)) {
			def->grouping = constraints[i].grouping;
			return 0;
		}
	}
	return refuse(why, "unknown MetricConstraint ", json_is_string(json) ? json_string_value(json) : "(no string)");
}

int metric_json__read(const json_t *object, const json_t *standard, struct metric_def *def, struct strbuf *why)
{
	*def = (struct metric_def){ 0 };
	if (!json_is_object(object))
		return refuse(why, "this is not an object", "");
	def->name = json_string_value(value(object, standard, "MetricName"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *json = value(object, standard, keys[i].key);

		if (json && !json_is_string(json))
			return refuse(why, "not a string: ", keys[i].key);
		if (json && *json_string_value(json))
			*(const char **)((char *)def + keys[i].field) = json_string_value(json);
	}
	if (!def->name || !*def->name)
		return -ENOENT;
	if (!def->expr)
		return refuse(why, "it has no MetricExpr", "");
	return read_constraint(value(object, standard, "MetricConstraint"), def, why);
}
