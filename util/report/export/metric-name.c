// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/export/metric-name.h"

#include <string.h>

#include "util/base/strbuf.h"
#include "util/event/evsel.h"

static const struct {
	const char *of_event, *name;
	double factor;
} units[] = {
	{ "ns", "seconds", 1e-9 },     { "msec", "seconds", 1e-3 },	 { "s", "seconds", 1.0 },
	{ "Joules", "joules", 1.0 },   { "J", "joules", 1.0 },		 { "W", "watts", 1.0 },
	{ "V", "volts", 1.0 },	       { "A", "amperes", 1.0 },		 { "'C", "celsius", 1.0 },
	{ "C", "celsius", 1.0 },       { "Hz", "hertz", 1.0 },		 { "B", "bytes", 1.0 },
	{ "Bytes", "bytes", 1.0 },     { "bytes", "bytes", 1.0 },	 { "KiB", "bytes", 1024.0 },
	{ "MiB", "bytes", 1048576.0 }, { "GiB", "bytes", 1073741824.0 }, { "%", "ratio", 0.01 },
};

struct metric_unit metric_unit__of(const struct evsel *evsel)
{
	struct metric_unit unit = { .name = "", .factor = evsel->scale };

	if (evsel__is_clock(evsel) || tool_event__is_time(evsel->tool))
		return (struct metric_unit){ .name = "seconds", .value = VALUE_NS };
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].of_event, evsel->unit) != 0)
			continue;
		unit.name = units[i].name;
		unit.factor *= units[i].factor;
	}
	/* the value of a sensor can be negative, so it is not stored as a count */
	if (unit.factor != 1.0 || evsel->snapshot)
		unit.value = VALUE_NUMBER;
	return unit;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void metric_name__add_clean(struct strbuf *name, const char *text)
{
	bool begun = false, gap = false;

	for (; *text; text++) {
		if (!is_plain(*text)) {
			gap = begun;
			continue;
		}
		if (gap)
			strbuf__addc(name, '_');
		strbuf__addc(name,
			     *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text);
		begun = true;
		gap = false;
	}
	if (!begun)
		strbuf__adds(name, "event");
}

/* Returns whether @text ends with an underscore and @end. */
static bool ends_with(const struct strbuf *text, const char *end)
{
	size_t len = strlen(end);

	return text->len > len && text->text[text->len - len - 1] == '_' &&
	       !strcmp(text->text + text->len - len, end);
}

void metric_name__add(struct strbuf *name, const char *prefix, const struct evsel *evsel,
		      unsigned int left_out, int nr)
{
	const char *unit = metric_unit__of(evsel).name;
	struct strbuf event = STRBUF_INIT;

	/* add the PMU: several core PMUs, or several sensors, can have events with equal names */
	if (evsel->pmu_name && !evsel->name_given &&
	    (evsel->is_core_pmu || evsel->tool == TOOL_HWMON) &&
	    strncmp(evsel->name, evsel->pmu_name, strlen(evsel->pmu_name)) != 0)
		strbuf__addf(&event, "%s/", evsel->pmu_name);
	strbuf__addf(&event, "%s%s", evsel->name, evsel__left_out_mark(evsel, left_out));
	strbuf__adds(name, prefix);
	metric_name__add_clean(name, event.text);
	if (nr > 1)
		strbuf__addf(name, "_%d", nr);
	if (*unit && !ends_with(name, unit))
		strbuf__addf(name, "_%s", unit);
	strbuf__free(&event);
}

bool metric_name__extends(const char *name, const char *other)
{
	/* OpenMetrics reserves _created, which pstat does not export */
	static const char *const ends[] = { "", "_total", "_info", "_created" };
	size_t len = strlen(other);

	for (size_t i = 0; !strncmp(name, other, len) && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(name + len, ends[i]))
			return true;
	return false;
}
