// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/sysfs.h"
#include "util/machine/cpumap.h"
#include "util/machine/pmu-dir.h"
#include "util/machine/pmu-format.h"

/* sysfs gives a page at most. */
#define FILE_MAX 4096

struct event {
	struct pmu_alias alias; /* its strings are owned */
	int err;		/* 1: not read yet; else the result of reading it */
};

struct pmu {
	const struct sysroots *roots;
	char *name;
	bool placeholder;
	int load_err; /* 1: not loaded yet */
	const char *bad_file;
	uint32_t type;
	struct cpumap *cpus;
	bool is_uncore;
	int is_core; /* -1: not known yet */
	bool second_name_read;
	char *second_name;
	bool formats_read, events_read;
	struct dir_names formats;
	struct event *events; /* sorted, without regard to case */
	int nr_events;
};

static int read_file(const struct pmu *pmu, const char *file, char *buf, size_t size)
{
	char path[PATH_MAX];
	int len;

	if (pmu->placeholder)
		return -ENOENT;
	len = snprintf(path, sizeof(path), "bus/event_source/devices/%s/%s", pmu->name, file);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return sysfs__read(pmu->roots->sysfs, path, buf, size);
}

static bool has_file(const struct pmu *pmu, const char *file)
{
	char path[PATH_MAX];
	int len;

	if (pmu->placeholder)
		return false;
	len = snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s", pmu->roots->sysfs, pmu->name, file);
	return len > 0 && (size_t)len < sizeof(path) && !access(path, F_OK);
}

static void read_dir(const struct pmu *pmu, const char *dir, struct dir_names *names)
{
	char path[PATH_MAX];
	int len;

	*names = (struct dir_names){ 0 };
	if (pmu->placeholder)
		return;
	len = snprintf(path, sizeof(path), "bus/event_source/devices/%s/%s", pmu->name, dir);
	if (len > 0 && (size_t)len < sizeof(path))
		dir_names__read(names, pmu->roots->sysfs, path);
}

struct pmu *pmu__new(const struct sysroots *roots, const char *name)
{
	struct pmu *pmu = calloc(1, sizeof(*pmu));

	if (!pmu)
		return NULL;
	pmu->roots = roots;
	pmu->load_err = 1;
	pmu->is_core = -1;
	pmu->name = strdup(name);
	if (!pmu->name) {
		pmu__free(pmu);
		return NULL;
	}
	return pmu;
}

struct pmu *pmu__new_placeholder(void)
{
	struct pmu *pmu = pmu__new(NULL, "cpu");

	if (pmu) {
		pmu->placeholder = true;
		pmu->type = PERF_TYPE_RAW;
		pmu->load_err = 0;
	}
	return pmu;
}

void pmu__free(struct pmu *pmu)
{
	if (!pmu)
		return;
	for (int i = 0; i < pmu->nr_events; i++) {
		free((char *)pmu->events[i].alias.name);
		free((char *)pmu->events[i].alias.terms);
		free((char *)pmu->events[i].alias.unit);
	}
	free(pmu->events);
	dir_names__free(&pmu->formats);
	cpumap__free(pmu->cpus);
	free(pmu->second_name);
	free(pmu->name);
	free(pmu);
}

/* A file that is not there says nothing; one that cannot be understood is an error. An empty one stands for no CPU given. */
static int load_cpus(struct pmu *pmu, const char *file)
{
	char buf[FILE_MAX];
	int len = read_file(pmu, file, buf, sizeof(buf));

	if (len == -ENOENT || len == 0)
		return 0;
	pmu->bad_file = file;
	return len < 0 ? len : cpumap__parse(buf, &pmu->cpus);
}

static int load(struct pmu *pmu)
{
	char path[PATH_MAX];
	uint64_t type;
	int err, len;

	pmu->bad_file = "type";
	len = snprintf(path, sizeof(path), "bus/event_source/devices/%s/type", pmu->name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	err = sysfs__read_u64(pmu->roots->sysfs, path, &type);
	if (err)
		return err;
	if (type > UINT32_MAX)
		return -ERANGE;
	pmu->type = (uint32_t)type;
	pmu->is_uncore = has_file(pmu, "cpumask");
	err = load_cpus(pmu, "cpumask");
	if (!err && !pmu->cpus)
		err = load_cpus(pmu, "cpus");
	return err;
}

int pmu__load(struct pmu *pmu)
{
	if (pmu->load_err > 0)
		pmu->load_err = load(pmu);
	return pmu->load_err;
}

const char *pmu__bad_file(const struct pmu *pmu)
{
	return pmu->bad_file;
}

uint32_t pmu__type(const struct pmu *pmu)
{
	return pmu->type;
}

const struct cpumap *pmu__cpus(const struct pmu *pmu)
{
	return pmu->cpus;
}

bool pmu__is_uncore(const struct pmu *pmu)
{
	return pmu->is_uncore;
}

bool pmu__is_software(const struct pmu *pmu)
{
	static const char *const names[] = { "msr", "kprobe", "uprobe" };

	if (pmu->is_uncore || pmu->is_core > 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(pmu->name, names[i]))
			return true;
	return pmu->type == PERF_TYPE_SOFTWARE || pmu->type == PERF_TYPE_TRACEPOINT ||
	       pmu->type == PERF_TYPE_BREAKPOINT;
}

const char *pmu__name(const struct pmu *pmu)
{
	return pmu->name;
}

bool pmu__is_core(struct pmu *pmu)
{
	if (pmu->is_core < 0)
		pmu->is_core = !strcmp(pmu->name, "cpu") || !strcmp(pmu->name, "cpum_cf") || has_file(pmu, "cpus");
	return pmu->is_core;
}

const char *pmu__second_name(struct pmu *pmu)
{
	char buf[256];

	if (!pmu->second_name_read && read_file(pmu, "alias", buf, sizeof(buf)) > 0)
		pmu->second_name = strdup(buf);
	pmu->second_name_read = true;
	return pmu->second_name;
}

/*
 * @name is @stem with a number behind it: stem7, stem_7; in hexadecimal (as some have it, by physical address) three digits or more, so
 * that no word at the end is taken for one.
 */
static bool is_numbered(const char *name, const char *stem)
{
	size_t len = strlen(stem), digits;
	bool hex = false;

	if (strncmp(name, stem, len))
		return false;
	name += len;
	if (!*name)
		return true;
	if (*name == '_')
		name++;
	else if (len && isdigit((unsigned char)stem[len - 1]))
		return false; /* imc_1 is not imc_10 */
	for (digits = 0; name[digits]; digits++) {
		if (!isxdigit((unsigned char)name[digits]))
			return false;
		hex |= !isdigit((unsigned char)name[digits]);
	}
	return digits > (hex ? 2 : 0);
}

static const char *skip_uncore(const char *name)
{
	return strncmp(name, "uncore_", 7) ? name : name + 7;
}

/* A pattern says itself whether "uncore_" belongs to it: uncore_* is not every PMU. */
static bool name_matches(const char *name, const char *pattern)
{
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, name, 0) || !fnmatch(pattern, skip_uncore(name), 0);
	return is_numbered(skip_uncore(name), skip_uncore(pattern));
}

bool pmu__matches(struct pmu *pmu, const char *pattern)
{
	const char *second;

	if (name_matches(pmu->name, pattern))
		return true;
	second = pmu__second_name(pmu);
	return second && name_matches(second, pattern);
}

static void read_formats(struct pmu *pmu)
{
	if (!pmu->formats_read)
		read_dir(pmu, "format", &pmu->formats);
	pmu->formats_read = true;
}

const char *pmu__format_name(struct pmu *pmu, int i)
{
	read_formats(pmu);
	return i < pmu->formats.nr ? pmu->formats.names[i] : NULL;
}

int pmu__find_format(struct pmu *pmu, const char *term, struct pmu_format *format)
{
	char file[NAME_MAX + 8], buf[FILE_MAX];
	bool found = false;
	int len;

	read_formats(pmu);
	for (int i = 0; i < pmu->formats.nr && !found; i++)
		found = !strcmp(pmu->formats.names[i], term);
	if (!found)
		return -ENOENT;
	snprintf(file, sizeof(file), "format/%.*s", NAME_MAX, term);
	len = read_file(pmu, file, buf, sizeof(buf));
	return len < 0 ? len : pmu_format__parse(buf, format);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), suffix_len = strlen(suffix);

	return len > suffix_len && !strcmp(name + len - suffix_len, suffix);
}

static bool is_event(const char *name)
{
	return !has_suffix(name, ".unit") && !has_suffix(name, ".scale") && !has_suffix(name, ".snapshot") &&
	       !has_suffix(name, ".per-pkg");
}

static int compare_events(const void *a, const void *b)
{
	return strcasecmp(((const struct event *)a)->alias.name, ((const struct event *)b)->alias.name);
}

static void read_events(struct pmu *pmu)
{
	struct dir_names names;

	if (pmu->events_read)
		return;
	pmu->events_read = true;
	read_dir(pmu, "events", &names);
	pmu->events = calloc((size_t)names.nr + 1, sizeof(*pmu->events));
	for (int i = 0; pmu->events && i < names.nr; i++) {
		if (!is_event(names.names[i]))
			continue;
		pmu->events[pmu->nr_events].err = 1;
		pmu->events[pmu->nr_events++].alias.name = names.names[i];
		names.names[i] = NULL;
	}
	dir_names__free(&names);
	if (pmu->nr_events)
		qsort(pmu->events, (size_t)pmu->nr_events, sizeof(*pmu->events), compare_events);
}

const char *pmu__alias_name(struct pmu *pmu, int i)
{
	read_events(pmu);
	return i < pmu->nr_events ? pmu->events[i].alias.name : NULL;
}

/* As the kernel writes it, whatever the locale says about the decimal point. 0 or -EINVAL. */
static int parse_scale(const char *text, double *scale)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	char *end;

	if (!c)
		return -ENOMEM;
	*scale = strtod_l(text, &end, c);
	freelocale(c);
	return end == text || *end || !isfinite(*scale) || *scale <= 0 ? -EINVAL : 0;
}

static int read_event_file(const struct pmu *pmu, const char *event, const char *suffix, char *buf, size_t size)
{
	char file[NAME_MAX + 24];

	snprintf(file, sizeof(file), "events/%.*s%s", NAME_MAX, event, suffix);
	return read_file(pmu, file, buf, size);
}

/* A file that says only 1, when it is there. */
static bool read_flag(const struct pmu *pmu, const char *event, const char *suffix)
{
	char buf[16];

	return read_event_file(pmu, event, suffix, buf, sizeof(buf)) >= 0 && !strcmp(buf, "1");
}

static int read_event(const struct pmu *pmu, struct pmu_alias *alias)
{
	char buf[FILE_MAX];
	int len = read_event_file(pmu, alias->name, "", buf, sizeof(buf));

	if (len < 0)
		return len;
	if (!len)
		return -EINVAL;
	alias->terms = strdup(buf);
	len = read_event_file(pmu, alias->name, ".unit", buf, sizeof(buf));
	if (len < 0 && len != -ENOENT)
		return len;
	alias->unit = strdup(len > 0 ? buf : "");
	if (!alias->terms || !alias->unit)
		return -ENOMEM;
	len = read_event_file(pmu, alias->name, ".scale", buf, sizeof(buf));
	if (len > 0)
		len = parse_scale(buf, &alias->scale);
	if (len < 0 && len != -ENOENT)
		return len;
	alias->snapshot = read_flag(pmu, alias->name, ".snapshot");
	alias->per_pkg = read_flag(pmu, alias->name, ".per-pkg");
	return 0;
}

int pmu__find_alias(struct pmu *pmu, const char *name, struct pmu_alias *alias)
{
	struct event key = { .alias.name = name }, *event;

	read_events(pmu);
	event = pmu->nr_events ? bsearch(&key, pmu->events, (size_t)pmu->nr_events, sizeof(key), compare_events) : NULL;
	if (!event)
		return -ENOENT;
	if (event->err > 0) {
		event->err = read_event(pmu, &event->alias);
		/* The name is listed, so "no such event" would be wrong. */
		if (event->err == -ENOENT)
			event->err = -EIO;
	}
	*alias = event->alias;
	return event->err;
}
