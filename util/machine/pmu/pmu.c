// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf-sys.h"
#include "util/base/sysfs.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu-dir.h"
#include "util/machine/pmu/pmu-aliases.h"
#include "util/machine/pmu/pmu-files.h"
#include "util/machine/pmu/pmu-format.h"

/* The size of the buffer for a file. A file that does not fit is an error (-EFBIG). */
#define FILE_MAX 4096

struct pmu {
	struct pmu_files files; /* `files.name` points to `name` */
	char *name;
	int load_err; /* 1: not loaded yet; otherwise the result of load() */
	const char *bad_file;
	uint32_t type;
	struct cpumap *cpus;
	bool is_uncore;
	int is_core; /* -1: unknown */
	bool second_name_read;
	char *second_name;
	bool identifier_read;
	char *identifier;
	bool formats_read;
	struct dir_names formats;
	struct pmu_aliases aliases;
};

struct pmu *pmu__new(const struct sysroots *roots, const char *name)
{
	struct pmu *pmu = calloc(1, sizeof(*pmu));

	if (!pmu)
		return NULL;
	pmu->load_err = 1;
	pmu->is_core = -1;
	pmu->name = strdup(name);
	if (!pmu->name) {
		pmu__free(pmu);
		return NULL;
	}
	pmu->files = (struct pmu_files){ roots, pmu->name };
	return pmu;
}

bool pmu__is_placeholder(const struct pmu *pmu)
{
	return !pmu->files.roots;
}

struct pmu *pmu__new_placeholder(void)
{
	struct pmu *pmu = pmu__new(NULL, "cpu");

	if (pmu) {
		pmu->type = PERF_TYPE_RAW;
		pmu->load_err = 0;
	}
	return pmu;
}

void pmu__free(struct pmu *pmu)
{
	if (!pmu)
		return;
	pmu_aliases__free(&pmu->aliases);
	dir_names__free(&pmu->formats);
	cpumap__free(pmu->cpus);
	free(pmu->second_name);
	free(pmu->identifier);
	free(pmu->name);
	free(pmu);
}

/*
 * Sets the PMU's CPUs to the list in @file. Returns 0 (also if the file is missing or empty), or
 * -errno if the file is malformed or cannot be read.
 */
static int load_cpus(struct pmu *pmu, const char *file)
{
	char buf[CPU_LIST_SIZE];
	int len = pmu_files__read(&pmu->files, file, buf, sizeof(buf));

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
	err = sysfs__read_u64(pmu->files.roots->sysfs, path, &type);
	if (err)
		return err;
	if (type > UINT32_MAX)
		return -ERANGE;
	pmu->type = (uint32_t)type;
	pmu->is_uncore = pmu_files__has(&pmu->files, "cpumask");
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
		pmu->is_core = !strcmp(pmu->name, "cpu") || !strcmp(pmu->name, "cpum_cf") ||
			       pmu_files__has(&pmu->files, "cpus");
	return pmu->is_core;
}

const char *pmu__second_name(struct pmu *pmu)
{
	char buf[256];

	if (!pmu->second_name_read && pmu_files__read(&pmu->files, "alias", buf, sizeof(buf)) > 0)
		pmu->second_name = strdup(buf);
	pmu->second_name_read = true;
	return pmu->second_name;
}

const char *pmu__identifier(struct pmu *pmu)
{
	char buf[256];

	if (!pmu->identifier_read &&
	    pmu_files__read(&pmu->files, "identifier", buf, sizeof(buf)) > 0)
		pmu->identifier = strdup(buf);
	pmu->identifier_read = true;
	return pmu->identifier;
}

size_t pmu__name_stem_len(const char *name)
{
	size_t len = strlen(name);

	while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	return len;
}

/*
 * Returns whether @name is @stem, or @stem followed by a number: stem7, stem_7. In the names of
 * some PMUs, the number is a physical address in hexadecimal. A number that contains letters must
 * have at least three digits, because otherwise the ends of many words would look like numbers.
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
		return false; /* imc_1 does not match imc_10 */
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

/*
 * A glob is compared both with the whole name and with the name without "uncore_". The glob itself
 * is not shortened: without its "uncore_", the glob uncore_* would match every PMU.
 */
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
		pmu_files__list(&pmu->files, "format", &pmu->formats);
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
	len = pmu_files__read(&pmu->files, file, buf, sizeof(buf));
	return len < 0 ? len : pmu_format__parse(buf, format);
}

bool pmu__format_bits(struct pmu *pmu, uint64_t bits[4])
{
	struct pmu_format format;
	const char *name;
	int i;

	memset(bits, 0, 4 * sizeof(*bits));
	for (i = 0; (name = pmu__format_name(pmu, i)); i++) {
		if (pmu__find_format(pmu, name, &format))
			return false;
		for (int word = 0; word < 4; word++)
			bits[word] |= format.words[word];
	}
	return i > 0;
}

int pmu__find_alias(struct pmu *pmu, const char *name, struct pmu_alias *alias)
{
	return pmu_aliases__find(&pmu->aliases, &pmu->files, name, alias);
}

const char *pmu__alias_name(struct pmu *pmu, int i)
{
	return pmu_aliases__name(&pmu->aliases, &pmu->files, i);
}
