// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/counts.h"
#include "util/count/measurement.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/report/export/export-priv.h"

static const struct metric_family enabled_family = {
	.name = "pstat_event_enabled_seconds",
	.help = "Time for which the event was enabled, added up over CPUs and subjects",
	.unit = "seconds",
	.value = VALUE_NS,
};
static const struct metric_family running_family = {
	.name = "pstat_event_running_seconds",
	.help = "Time for which the event had a counter; counts are scaled up if it is shorter",
	.unit = "seconds",
	.value = VALUE_NS,
};
static const struct metric_family up_family = {
	.name = "pstat_event_up",
	.help = "Whether the event is counted; if not, the reason",
	.unit = "",
	.type = METRIC_GAUGE,
};
static const struct metric_family build_family = {
	.name = "pstat_build",
	.help = "The version of pstat",
	.unit = "",
	.type = METRIC_INFO,
};
static const struct metric_family cpu_family = {
	.name = "pstat_cpu",
	.help = "The model of the CPUs",
	.unit = "",
	.type = METRIC_INFO,
};
static const struct metric_family start_family = {
	.name = "pstat_start_time_seconds",
	.help = "Time at which pstat started, in seconds since 1970",
	.unit = "seconds",
	.type = METRIC_GAUGE,
	.value = VALUE_NS,
};
static const struct metric_family readings_family = {
	.name = "pstat_readings",
	.help = "Readings of all counts",
	.unit = "",
};
static const struct metric_family duration_family = {
	.name = "pstat_scrape_duration_seconds",
	.help = "Time that reading the counts took",
	.unit = "seconds",
	.type = METRIC_GAUGE,
	.value = VALUE_NS,
};
static const struct metric_family lost_family = {
	.name = "pstat_lost_runs",
	.help = "Runs of BPF programs or scopes that could not be counted",
	.unit = "",
};

static const struct metric_family bpf_seconds_family = {
	.name = "pstat_own_bpf_seconds",
	.help = "Time that a BPF program of pstat ran; only while kernel.bpf_stats_enabled is 1",
	.unit = "seconds",
	.value = VALUE_NS,
};
static const struct metric_family bpf_runs_family = {
	.name = "pstat_own_bpf_runs",
	.help = "Runs of a BPF program of pstat; only while kernel.bpf_stats_enabled is 1",
	.unit = "",
};

static const struct metric_family *const families[] = {
	&bpf_seconds_family, &bpf_runs_family, &enabled_family,	 &running_family,
	&up_family,	     &build_family,    &readings_family, &duration_family,
	&lost_family,	     &cpu_family,      &start_family,
};

/* Returns NAME="VALUE", which the caller must free, or NULL if memory ran out. */
static char *make_label(const char *name, const char *value)
{
	struct strbuf labels = STRBUF_INIT;

	metric_labels__add(&labels, name, value);
	if (!strbuf__failed(&labels))
		return strbuf__detach(&labels);
	strbuf__free(&labels);
	return NULL;
}

int export_own__init(struct export_report *er)
{
	er->build_labels = make_label("version", er->config.version);
	er->model_label = make_label("model", er->config.cpu_model);
	return er->build_labels && er->model_label ? 0 : -ENOMEM;
}

void export_own__free(struct export_report *er)
{
	free(er->build_labels);
	free(er->model_label);
}

bool export_own__has_name(const char *name)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (metric_name__extends(name, families[i]->name))
			return true;
	return false;
}

/* Returns whether the event, or an event on another PMU that is merged into it, is open. */
static bool is_open(const struct export_report *er, const struct measurement *m, int event)
{
	for (int i = event; i >= 0; i = evlist__next_merged(er->config.evlist, event, i))
		if (!m->events[i]->open_err)
			return true;
	return false;
}

/* Returns the reason why an event is not counted, or NULL if the event is counted. */
static const char *why_down(const struct export_report *er, const struct measurement *m, int event)
{
	const struct export_times *times = &er->times[event];
	const struct counts *counts = m->events[event];

	if (counts->open_err == -ECANCELED && !is_open(er, m, event))
		return counts->why_not ?: "another event of its group cannot be counted";
	if (counts->open_err && !is_open(er, m, event))
		return counts->why_not ?: strerror(-counts->open_err);
	if (!counts->cpus->nr)
		return "none of the counted CPUs has this event";
	if (times->enabled && !times->running)
		return "the event has not had a counter yet";
	return NULL;
}

/*
 * Adds the label "reason", whose value is the first line of @why. If this line begins with the name
 * of the event, omits the text up to the first ": ", for example "cycles on CPU 3: ". All machines
 * then have the same label for the same cause, and queries can group machines by cause. Omits the
 * other lines of @why, which contain advice.
 */
static void add_reason(struct strbuf *labels, const char *event, const char *why)
{
	size_t len = strcspn(why, "\n"), name = strlen(event);
	const char *cause = strncmp(why, event, name) != 0 ? NULL : strstr(why + name, ": ");
	char *line;

	if (cause && cause < why + len) {
		len -= (size_t)(cause + 2 - why);
		why = cause + 2;
	}
	line = strndup(why, len);
	if (!line) {
		metric_labels__add(labels, "reason", "out of memory");
		return;
	}
	metric_labels__add(labels, "reason", line);
	free(line);
}

static void add_up(struct export_report *er, const struct measurement *m, struct metric_page *page)
{
	metric_page__begin(page, &up_family);
	for (int i = 0; i < m->nr; i++) {
		const struct evsel *evsel = er->config.evlist->entries[i];
		struct export_event *event = &er->events[i];
		const char *why;

		if (evsel->merged)
			continue;
		why = why_down(er, m, i);
		strbuf__reset(&event->up);
		metric_labels__add(&event->up, "event", event->full);
		if (why)
			add_reason(&event->up, evsel->name, why);
		if (strbuf__failed(&event->up))
			page->failed = true;
		metric_page__add_count(page, event->up.text, !why);
	}
}

static void add_times(struct export_report *er, const struct measurement *m, bool running,
		      struct metric_page *page)
{
	metric_page__begin(page, running ? &running_family : &enabled_family);
	for (int i = 0; i < m->nr; i++) {
		const struct export_times *times = &er->times[i];

		const struct evsel *evsel = er->config.evlist->entries[i];

		/* the times of an event include the times of events that are merged into it */
		if (evsel->merged || evsel->tool != TOOL_NONE || !is_open(er, m, i))
			continue;
		metric_page__add_count(page, er->events[i].labels,
				       running ? times->running : times->enabled);
	}
}

static void add_one(const struct metric_family *family, const char *labels, uint64_t value,
		    struct metric_page *page)
{
	metric_page__begin(page, family);
	metric_page__add_count(page, labels, value);
}

static void add_bpf(const struct export_own *own, struct metric_page *page)
{
	metric_page__begin(page, &bpf_seconds_family);
	for (int i = 0; i < own->nr_bpf; i++)
		metric_page__add_count(page, own->bpf[i].labels, own->bpf[i].ns);
	metric_page__begin(page, &bpf_runs_family);
	for (int i = 0; i < own->nr_bpf; i++)
		metric_page__add_count(page, own->bpf[i].labels, own->bpf[i].runs);
}

void export_own__add(struct export_report *er, const struct measurement *m,
		     const struct export_own *own, struct metric_page *page)
{
	add_times(er, m, false, page);
	add_times(er, m, true, page);
	add_up(er, m, page);
	if (m->lost_runs > er->lost_runs)
		er->lost_runs = m->lost_runs;
	if (m->run_cnt)
		add_one(&lost_family, "", er->lost_runs, page);
	add_bpf(own, page);
	add_one(&readings_family, "", own->readings, page);
	add_one(&duration_family, "", own->reading_ns, page);
	add_one(&start_family, "", er->config.start_ns, page);
	add_one(&build_family, er->build_labels, 1, page);
	add_one(&cpu_family, er->model_label, 1, page);
}
