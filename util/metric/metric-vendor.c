// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-vendor.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>

#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/machine/cpuid.h"
#include "util/machine/pmu.h"
#include "util/machine/pmus.h"
#include "util/metric/metric-json.h"
#include "util/metric/metric-table.h"

struct loading {
	struct metric_table *table;
	const struct sysroots *roots;
	struct pmus *pmus; /* NULL until a metric needs a PMU's identifier */
};

/*
 * Sets *@found to whether the machine has a PMU whose identifier matches @compat. Returns 0 or
 * -ENOMEM.
 */
static int has_compatible(struct loading *loading, const char *compat, bool *found)
{
	struct pmu *pmu;

	loading->pmus = loading->pmus ?: pmus__new(loading->roots);
	if (!loading->pmus)
		return -ENOMEM;
	*found = false;
	for (int i = 0; !*found && (pmu = pmus__get(loading->pmus, i)); i++) {
		const char *identifier = pmu__identifier(pmu);

		*found = identifier && cpuid__matches_whole(compat, identifier);
	}
	return 0;
}

static int add_metric(const struct vendor_object *object, void *arg)
{
	struct loading *loading = arg;
	const char *compat = json_string_value(json_object_get(object->object, "Compat"));
	struct strbuf why = STRBUF_INIT;
	struct metric_def def;
	bool wanted = true;
	int err = metric_json__read(object->object, object->standard, &def, &why);

	strbuf__free(&why);
	if (err)
		return 0;
	if (compat)
		err = has_compatible(loading, compat, &wanted);
	return err ?: wanted ? metric_table__add(loading->table, &def) : 0;
}

int metric_vendor__load(struct vendor *vendor, const struct sysroots *roots, struct metric_table *table)
{
	struct loading loading = { .table = table, .roots = roots };
	int err = vendor__for_each_metric(vendor, add_metric, &loading);

	pmus__free(loading.pmus);
	return err;
}
