// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-metrics.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/metric/metric-table.h"

/*
 * Prefixes of the names of top-down groups of metrics, in order of preference. The level follows
 * the prefix.
 */
static const char *const families[] = { "TopdownL", "PipelineL" };

/*
 * Returns the level of the group @name (@len bytes long), or 0 if the name does not consist of the
 * prefix @family and a level.
 */
static unsigned int level_of(const char *name, size_t len, const char *family)
{
	size_t family_len = strlen(family);
	char digit;

	if (len != family_len + 1 || strncmp(name, family, family_len))
		return 0;
	digit = name[family_len];
	return digit >= '1' && digit <= '9' ? (unsigned int)(digit - '0') : 0;
}

static unsigned int max_level(const struct metric_table *table, const char *family)
{
	unsigned int max = 0;

	for (int i = 0; i < metric_table__nr(table); i++) {
		const char *name = metric_table__get(table, i)->groups;
		size_t len;

		for (; (name = metric_table__next_name(name, &len)); name += len) {
			unsigned int level = level_of(name, len, family);

			max = level > max ? level : max;
		}
	}
	return max;
}

static int refuse(const char *message, struct vendor *vendor)
{
	log__plain_at(LOG_ERROR, "%s\n", message);
	if (vendor && vendor__missing(vendor))
		pr_warn("%s", vendor__missing(vendor));
	return EXIT_CONFLICT;
}

int stat_topdown__find(const struct metric_table *table, uint64_t level, struct vendor *vendor,
		       struct strbuf *group)
{
	const char *family = families[0];
	unsigned int max = 0;

	for (size_t i = 0; !max && i < sizeof(families) / sizeof(families[0]); i++) {
		family = families[i];
		max = max_level(table, family);
	}
	if (!max)
		return refuse("Topdown requested but the topdown metric groups aren't present.\n"
			      "(See perf list the metric groups have names like TopdownL1)",
			      vendor);
	if (level > max) {
		log__plain_at(LOG_ERROR, "Invalid top-down metrics level. The max level is %u.\n",
			      max);
		return EXIT_CONFLICT;
	}
	strbuf__addf(group, "%s%u", family, level ? (unsigned int)level : 1);
	return 0;
}

int stat_topdown__check(const struct metric_table *table, struct vendor *vendor, const char *name)
{
	char message[64];

	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);

		if (!strcasecmp(def->name, name) || metric_table__list_has(def->groups, name))
			return 0;
	}
	snprintf(message, sizeof(message), "Missing %s metrics", name);
	return refuse(message, vendor);
}
