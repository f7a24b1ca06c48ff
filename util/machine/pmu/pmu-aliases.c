// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/pmu-aliases.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/pmu/pmu-dir.h"
#include "util/machine/pmu/pmu-files.h"
#include "util/machine/pmu/pmu.h"

/* The size of the buffer for a file. A file that does not fit is an error (-EFBIG). */
#define FILE_MAX 4096

struct pmu_alias_file {
	struct pmu_alias alias; /* owns its strings */
	int err;		/* 1: not read yet; otherwise 0 or -errno */
};

void pmu_aliases__free(struct pmu_aliases *aliases)
{
	for (int i = 0; i < aliases->nr; i++) {
		free((char *)aliases->list[i].alias.name);
		free((char *)aliases->list[i].alias.terms);
		free((char *)aliases->list[i].alias.unit);
	}
	free(aliases->list);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), suffix_len = strlen(suffix);

	return len > suffix_len && !strcmp(name + len - suffix_len, suffix);
}

static bool is_event(const char *name)
{
	return !has_suffix(name, ".unit") && !has_suffix(name, ".scale") &&
	       !has_suffix(name, ".snapshot") && !has_suffix(name, ".per-pkg");
}

static int compare_events(const void *a, const void *b)
{
	return strcasecmp(((const struct pmu_alias_file *)a)->alias.name,
			  ((const struct pmu_alias_file *)b)->alias.name);
}

static void read_list(struct pmu_aliases *aliases, const struct pmu_files *files)
{
	struct dir_names names;

	if (aliases->is_read)
		return;
	aliases->is_read = true;
	pmu_files__list(files, "events", &names);
	aliases->list = calloc((size_t)names.nr + 1, sizeof(*aliases->list));
	for (int i = 0; aliases->list && i < names.nr; i++) {
		if (!is_event(names.names[i]))
			continue;
		aliases->list[aliases->nr].err = 1;
		aliases->list[aliases->nr++].alias.name = names.names[i];
		names.names[i] = NULL;
	}
	dir_names__free(&names);
	if (aliases->nr)
		qsort(aliases->list, (size_t)aliases->nr, sizeof(*aliases->list), compare_events);
}

/*
 * Parses a positive number. The decimal separator is a point, whatever the locale is. Returns 0,
 * -EINVAL or -ENOMEM.
 */
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

static int read_event_file(const struct pmu_files *files, const char *event, const char *suffix,
			   char *buf, size_t size)
{
	char file[NAME_MAX + 24];

	snprintf(file, sizeof(file), "events/%.*s%s", NAME_MAX, event, suffix);
	return pmu_files__read(files, file, buf, size);
}

/* Returns whether the file of @event that has the suffix @suffix exists and contains "1". */
static bool read_flag(const struct pmu_files *files, const char *event, const char *suffix)
{
	char buf[16];

	return read_event_file(files, event, suffix, buf, sizeof(buf)) >= 0 && !strcmp(buf, "1");
}

static int read_event(const struct pmu_files *files, struct pmu_alias *alias)
{
	char buf[FILE_MAX];
	int len = read_event_file(files, alias->name, "", buf, sizeof(buf));

	if (len < 0)
		return len;
	if (!len)
		return -EINVAL;
	alias->terms = strdup(buf);
	len = read_event_file(files, alias->name, ".unit", buf, sizeof(buf));
	if (len < 0 && len != -ENOENT)
		return len;
	alias->unit = strdup(len > 0 ? buf : "");
	if (!alias->terms || !alias->unit)
		return -ENOMEM;
	len = read_event_file(files, alias->name, ".scale", buf, sizeof(buf));
	if (len > 0)
		len = parse_scale(buf, &alias->scale);
	if (len < 0 && len != -ENOENT)
		return len;
	alias->snapshot = read_flag(files, alias->name, ".snapshot");
	alias->per_pkg = read_flag(files, alias->name, ".per-pkg");
	return 0;
}

const char *pmu_aliases__name(struct pmu_aliases *aliases, const struct pmu_files *files, int i)
{
	read_list(aliases, files);
	return i < aliases->nr ? aliases->list[i].alias.name : NULL;
}

int pmu_aliases__find(struct pmu_aliases *aliases, const struct pmu_files *files, const char *name,
		      struct pmu_alias *alias)
{
	struct pmu_alias_file key = { .alias.name = name }, *event;

	read_list(aliases, files);
	event = aliases->nr ? bsearch(&key, aliases->list, (size_t)aliases->nr, sizeof(key),
				      compare_events) :
			      NULL;
	if (!event)
		return -ENOENT;
	if (event->err > 0) {
		event->err = read_event(files, &event->alias);
		/* the directory lists the event, so -ENOENT ("no such event") would be wrong */
		if (event->err == -ENOENT)
			event->err = -EIO;
	}
	*alias = event->alias;
	return event->err;
}
