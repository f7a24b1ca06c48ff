// SPDX-License-Identifier: GPL-2.0-only
/*
 * vendor-events DIR CPUID...: prints what pstat reads from the vendors' events in DIR for each
 * CPUID, which is VENDOR-FAMILY-MODEL-STEPPING as in mapfile.csv, or an arm64 MIDR, 0x.... For
 * tests. The result does not depend on the machine. Prints a line "cpu CPUID", and for each event
 * and metric a JSON object.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test_event_roots.h"
#include "util/base/strbuf.h"
#include "util/event/vendor.h"
#include "util/metric/metric-file.h"
#include "util/metric/metric-table.h"

static void set_cpu(const struct fake_roots *fake, const char *cpuid)
{
	char vendor[32], text[256];
	unsigned int family, model, stepping;

	if (!strncmp(cpuid, "0x", 2)) {
		fake_roots__file(fake, "sys/devices/system/cpu/online", "0\n");
		fake_roots__file(fake, "sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
				 cpuid);
		return;
	}
	if (sscanf(cpuid, "%31[^-]-%u-%x-%x", vendor, &family, &model, &stepping) != 4)
		exit(2);
	snprintf(text, sizeof(text),
		 "vendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nstepping\t: %u\n", vendor,
		 family, model, stepping);
	fake_roots__file(fake, "proc/cpuinfo", text);
}

static void print(json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);

	if (!text)
		abort();
	puts(text);
	free(text);
	json_decref(object);
}

static void print_event(const struct vendor_event *event)
{
	print(json_pack("{s:s, s:s?, s:s?, s:s, s:s, s:f, s:s, s:s, s:s, s:b, s:b}", "event",
			event->name, "pmu", event->pmu, "compat", event->compat, "terms",
			event->terms, "unit", event->unit, "scale", event->scale, "brief",
			event->brief, "more", event->more, "topic", event->topic, "per_pkg",
			event->per_pkg, "deprecated", event->deprecated));
}

static int print_metric(const struct vendor_object *object, void *arg)
{
	struct strbuf why = STRBUF_INIT;
	struct metric_def def;
	int err = metric_file__read(object->object, object->standard, &def, &why);

	(void)arg;
	if (err == -EINVAL)
		fprintf(stderr, "%s: %s\n", def.name ?: "?", why.text);
	if (!err)
		print(json_pack("{s:s, s:s?, s:s, s:s?, s:s?, s:s?, s:i}", "metric", def.name,
				"groups", def.groups, "expr", def.expr, "scale", def.scale,
				"threshold", def.threshold, "unit", def.pmu, "grouping",
				(int)def.grouping));
	strbuf__free(&why);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		const struct vendor_event *event;
		struct vendor *vendor;
		struct fake_roots fake;

		fake_roots__init(&fake);
		set_cpu(&fake, argv[i]);
		vendor = vendor__new(argv[1], &fake.roots);
		if (!vendor)
			abort();
		printf("cpu %s\n", argv[i]);
		for (int j = 0; (event = vendor__get(vendor, j)); j++)
			print_event(event);
		if (vendor__for_each_metric(vendor, print_metric, NULL))
			abort();
		fputs(vendor__notes(vendor), stderr);
		vendor__free(vendor);
		fake_roots__remove(&fake);
	}
	return argc < 3 ? 2 : 0;
}
