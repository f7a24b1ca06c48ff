// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/compare/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/base/number.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpuid.h"
#include "util/machine/cpu/cpuinfo.h"
#include "util/machine/cpu/cpumap.h"
#include "util/report/aggr.h"
#include "util/report/stat_row.h"

const char *const baseline_fact_names[FACT_NR] = {
	[FACT_HOST] = "host", [FACT_KERNEL] = "kernel",	      [FACT_ARCHITECTURE] = "architecture",
	[FACT_CPU] = "cpu",   [FACT_MICROCODE] = "microcode", [FACT_GOVERNOR] = "governor",
	[FACT_SMT] = "smt",   [FACT_CPUS] = "cpus",
};

const char *const baseline_attr_names[ATTR_NR] = {
	[ATTR_CONFIG] = "config",
	[ATTR_CONFIG1] = "config1",
	[ATTR_CONFIG2] = "config2",
	[ATTR_CONFIG3] = "config3",
	[ATTR_EXCLUDE_USER] = "exclude_user",
	[ATTR_EXCLUDE_KERNEL] = "exclude_kernel",
	[ATTR_EXCLUDE_HV] = "exclude_hv",
	[ATTR_EXCLUDE_HOST] = "exclude_host",
	[ATTR_EXCLUDE_GUEST] = "exclude_guest",
	[ATTR_PRECISE_IP] = "precise_ip",
};

struct baseline *baseline__new(void)
{
	return calloc(1, sizeof(struct baseline));
}

static void series__free(struct baseline_series *s)
{
	free(s->event);
	free(s->cgroup);
	free(s->subject);
	free(s->aggregate);
	free(s->unit);
	free(s->type);
	free(s->values);
	free(s->shares);
	free(s->runs);
}

void baseline__free(struct baseline *b)
{
	if (!b)
		return;
	for (int i = 0; i < b->nr; i++)
		series__free(&b->series[i]);
	free(b->series);
	free(b->times.list);
	for (int i = 0; i < FACT_NR; i++)
		free(b->facts[i]);
	free(b->version);
	free(b->time);
	free(b->target);
	free(b);
}

/* ---- facts ---- */

#define FACT_MAX 256

static void read_cpu(const struct sysroots *roots, char *text, size_t size)
{
	struct cpuid ids[CPUID_MODELS_MAX];
	int nr;

	if (!cpuinfo__field(roots, "model name", text, size))
		return;
	nr = cpuid__read(roots, ids, CPUID_MODELS_MAX);
	for (int i = 0, len = 0; i < nr && len < (int)size; i++)
		len += snprintf(text + len, size - (size_t)len, "%s%s", i ? " " : "", ids[i].text);
}

/*
 * Sets @text, which must be empty, to the CPUs' frequency governor, or to "several" if the
 * governors differ.
 */
static void read_governor(const struct sysroots *roots, const struct cpumap *cpus, char *text,
			  size_t size)
{
	for (int i = 0; i < cpus->nr; i++) {
		char path[96], governor[64];

		snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/cpufreq/scaling_governor",
			 cpus->ids[i]);
		if (sysfs__read(roots->sysfs, path, governor, sizeof(governor)) <= 0)
			continue;
		if (*text && strcmp(text, governor))
			snprintf(text, size, "several");
		else
			snprintf(text, size, "%s", governor);
	}
}

int baseline__add_facts(struct baseline *b, const struct sysroots *roots)
{
	char texts[FACT_NR][FACT_MAX] = { "" };
	struct cpumap *cpus = NULL;
	struct utsname name;

	if (!uname(&name)) {
		snprintf(texts[FACT_HOST], FACT_MAX, "%s", name.nodename);
		snprintf(texts[FACT_KERNEL], FACT_MAX, "%s", name.release);
		snprintf(texts[FACT_ARCHITECTURE], FACT_MAX, "%s", name.machine);
	}
	read_cpu(roots, texts[FACT_CPU], FACT_MAX);
	if (cpuinfo__field(roots, "microcode", texts[FACT_MICROCODE], FACT_MAX))
		*texts[FACT_MICROCODE] = '\0';
	if (sysfs__read(roots->sysfs, "devices/system/cpu/smt/control", texts[FACT_SMT], FACT_MAX) <
	    0)
		*texts[FACT_SMT] = '\0';
	if (!cpumap__online(roots, &cpus)) {
		snprintf(texts[FACT_CPUS], FACT_MAX, "%d", cpus->nr);
		read_governor(roots, cpus, texts[FACT_GOVERNOR], FACT_MAX);
	}
	cpumap__free(cpus);
	for (int i = 0; i < FACT_NR; i++) {
		if (*texts[i] && !b->facts[i])
			b->facts[i] = strdup(texts[i]);
		if (*texts[i] && !b->facts[i])
			return -ENOMEM;
	}
	return 0;
}

/* ---- series ---- */

struct baseline_series *baseline__add_series(struct baseline *b)
{
	struct baseline_series *series =
		reallocarray(b->series, (size_t)b->nr + 1, sizeof(*series));

	if (!series)
		return NULL;
	b->series = series;
	series += b->nr++;
	*series = (struct baseline_series){ 0 };
	return series;
}

int baseline_times__add(struct baseline_times *times, const struct baseline_time *time)
{
	if (times->nr == times->room) {
		int room = 2 * times->room + 8;
		struct baseline_time *more = reallocarray(times->list, (size_t)room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		times->list = more;
		times->room = room;
	}
	times->list[times->nr++] = *time;
	return 0;
}

int baseline_series__add(struct baseline_series *s, double value, double share, double runs)
{
	double **const arrays[] = { &s->values, &s->shares, &s->runs };

	if (s->nr == s->room) {
		int room = 2 * s->room + 8;

		for (int i = 0; i < 3; i++) {
			double *more = reallocarray(*arrays[i], (size_t)room, sizeof(*more));

			if (!more)
				return -ENOMEM;
			*arrays[i] = more;
		}
		s->room = room;
	}
	s->values[s->nr] = value;
	s->shares[s->nr] = share;
	s->runs[s->nr++] = runs;
	return 0;
}

/* Compares like strcmp(3). NULL is less than any text. */
static int compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

int baseline_series__compare(const struct baseline_series *a, const struct baseline_series *b)
{
	return compare(a->event, b->event)	       ?:
		       compare(a->cgroup, b->cgroup)   ?:
		       compare(a->subject, b->subject) ?:
							 compare(a->aggregate, b->aggregate);
}

bool baseline_series__match(const struct baseline_series *a, const struct baseline_series *b)
{
	return !baseline_series__compare(a, b);
}

void baseline_series__add_name(const struct baseline_series *s, struct strbuf *sb)
{
	const char *const parts[] = { s->subject, s->aggregate, s->cgroup };

	strbuf__adds(sb, s->event);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i])
			strbuf__addf(sb, " %s", parts[i]);
}

/* ---- from rows ---- */

static void set_attr(struct baseline_series *s, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;

	if (!evsel->tracepoint)
		s->attr[ATTR_CONFIG] = attr->config;
	s->attr[ATTR_CONFIG1] = attr->config1;
	s->attr[ATTR_CONFIG2] = attr->config2;
	s->attr[ATTR_CONFIG3] = evsel->attr.v8.config3;
	s->attr[ATTR_EXCLUDE_USER] = attr->exclude_user;
	s->attr[ATTR_EXCLUDE_KERNEL] = attr->exclude_kernel;
	s->attr[ATTR_EXCLUDE_HV] = attr->exclude_hv;
	s->attr[ATTR_EXCLUDE_HOST] = attr->exclude_host;
	s->attr[ATTR_EXCLUDE_GUEST] = attr->exclude_guest;
	s->attr[ATTR_PRECISE_IP] = attr->precise_ip;
}

/*
 * Returns a name for the type of the event, or NULL if memory ran out. The numbers of PMUs and
 * tracepoints can change when a machine reboots, but their names stay the same.
 */
static char *type_of(const struct evsel *evsel)
{
	static const char *const generic[] = {
		[PERF_TYPE_HARDWARE] = "hardware", [PERF_TYPE_SOFTWARE] = "software",
		[PERF_TYPE_HW_CACHE] = "cache",	   [PERF_TYPE_RAW] = "raw",
		[PERF_TYPE_BREAKPOINT] = "memory",
	};
	uint32_t type = evsel->attr.attr.type;
	char *text = NULL;

	if (evsel->tracepoint)
		return asprintf(&text, "tracepoint %s", evsel->tracepoint) < 0 ? NULL : text;
	if (evsel->tool != TOOL_NONE)
		return strdup("pstat");
	if (evsel->pmu_name)
		return strdup(evsel->pmu_name);
	if (type < sizeof(generic) / sizeof(generic[0]) && generic[type])
		return strdup(generic[type]);
	return asprintf(&text, "%u", type) < 0 ? NULL : text;
}

static const char *subject_of(const struct aggr_id *id)
{
	return id->subject ?: id->mode == AGGR_THREAD ? id->comm : NULL;
}

/* Copies @text, which may be NULL. Returns false if memory ran out. */
static bool copy(char **to, const char *text)
{
	*to = text ? strdup(text) : NULL;
	return *to || !text;
}

/* Returns a new series for @row, without values, or NULL if memory ran out. */
static struct baseline_series *series_of(struct baseline *b, const struct stat_row *row,
					 const struct evsel *evsel)
{
	struct baseline_series *s = baseline__add_series(b);
	struct strbuf aggregate = STRBUF_INIT;
	bool done;

	if (!s)
		return NULL;
	aggr_id__add_name(&row->id, &aggregate);
	done = !strbuf__failed(&aggregate) &&
	       copy(&s->aggregate, aggregate.len ? aggregate.text : NULL);
	strbuf__free(&aggregate);
	s->type = type_of(evsel);
	set_attr(s, evsel);
	s->per_run = row->has_runs;
	return done && s->type && copy(&s->event, row->event) && copy(&s->cgroup, row->cgroup) &&
			       copy(&s->subject, subject_of(&row->id)) &&
			       copy(&s->unit, row->unit) ?
		       s :
		       NULL;
}

static bool is_of(const struct baseline_series *s, const struct stat_row *row,
		  const char *aggregate)
{
	return !compare(s->event, row->event) && !compare(s->cgroup, row->cgroup) &&
	       !compare(s->subject, subject_of(&row->id)) && !compare(s->aggregate, aggregate);
}

/*
 * Returns the series of @row, or NULL. The order of rows rarely changes, so the search begins at
 * *@from, after the series that the previous call found.
 */
static struct baseline_series *find(struct baseline *b, const struct stat_row *row,
				    const char *aggregate, int *from)
{
	for (int i = 0; i < b->nr; i++) {
		int at = (*from + i) % b->nr;

		if (is_of(&b->series[at], row, aggregate)) {
			*from = at + 1;
			return &b->series[at];
		}
	}
	return NULL;
}

static int pad(struct baseline_series *s, int nr)
{
	int err = 0;

	while (!err && s->nr < nr)
		err = baseline_series__add(s, NAN, 0, 0);
	return err;
}

static int add_row(struct baseline *b, const struct stat_row *row, const struct evlist *evlist,
		   int before, int *from)
{
	struct strbuf aggregate = STRBUF_INIT;
	struct baseline_series *s;
	double value = NAN, share = 0;
	int err = 0;

	aggr_id__add_name(&row->id, &aggregate);
	if (strbuf__failed(&aggregate))
		return -ENOMEM;
	s = find(b, row, aggregate.len ? aggregate.text : NULL, from);
	strbuf__free(&aggregate);
	if (!s) {
		s = series_of(b, row, evlist->entries[row->event_nr]);
		err = s ? pad(s, before) : -ENOMEM;
	}
	if (err || s->nr > before)
		return err;
	if (row->state == ROW_COUNTED && !(row->has_runs && row->runs == 0)) {
		value = row->has_runs ? row->value / row->runs : row->value;
		share = row->enabled ? (double)row->running / (double)row->enabled : 1;
	}
	return baseline_series__add(s, value, share, row->has_runs ? row->runs : 0);
}

/*
 * Combines the elements at the indexes @from and @next, and stores the result at the index @to. The
 * value is the sum of both values or, if they are per run, their mean, weighted by the numbers of
 * runs. The share is the smaller share, and the runs are added up. If one of the values is NAN, or
 * does not exist because @next is beyond the end, the other value and its share are stored
 * unchanged.
 */
static void join(struct baseline_series *s, int to, int from, int next)
{
	bool one = next >= s->nr || isnan(s->values[next]), other = isnan(s->values[from]);
	double runs = s->runs[from] + (next < s->nr ? s->runs[next] : 0);

	if (one || other) {
		int from_one = other && next < s->nr ? next : from;

		s->values[to] = s->values[from_one];
		s->shares[to] = s->shares[from_one];
	} else if (s->per_run) {
		s->values[to] =
			(s->values[from] * s->runs[from] + s->values[next] * s->runs[next]) / runs;
		s->shares[to] = number__min(s->shares[from], s->shares[next]);
	} else {
		s->values[to] = s->values[from] + s->values[next];
		s->shares[to] = number__min(s->shares[from], s->shares[next]);
	}
	s->runs[to] = runs;
}

void baseline__limit(struct baseline *b, int most)
{
	for (int i = 0; i < b->nr; i++) {
		struct baseline_series *s = &b->series[i];
		int nr = s->nr > most ? (s->nr + 1) / 2 : 0;

		for (int at = 0; at < nr; at++)
			join(s, at, 2 * at, 2 * at + 1);
		s->nr = nr ?: s->nr;
	}
}

/*
 * Returns whether the baseline stores the row. A row that has only metrics is not stored. For
 * intervals, the event `run_cnt` is not stored either, because the number of runs, unlike a count
 * per run, depends on the length of the interval.
 */
static bool is_kept(const struct baseline *b, const struct stat_row *row,
		    const struct evlist *evlist)
{
	return !row->no_count &&
	       !(b->intervals && evlist->entries[row->event_nr]->tool == TOOL_RUN_CNT);
}

int baseline__add_rows(struct baseline *b, const struct stat_rows *rows,
		       const struct evlist *evlist)
{
	int before = 0, from = 0, err = 0;

	for (int i = 0; i < b->nr; i++)
		before = b->series[i].nr > before ? b->series[i].nr : before;
	for (int i = 0; !err && i < rows->nr; i++)
		if (is_kept(b, &rows->rows[i], evlist))
			err = add_row(b, &rows->rows[i], evlist, before, &from);
	for (int i = 0; !err && i < b->nr; i++)
		err = pad(&b->series[i], before + 1);
	return err;
}
