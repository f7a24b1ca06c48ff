// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/drm-clients.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/sysfs.h"

/* The major number of graphics devices (Documentation/admin-guide/devices.txt). */
#define DRM_MAJOR 226
/* Devices with this minor number or a higher one are ignored. */
#define MINORS_MAX 256
/* The maximum number of different events. Further events are neither listed nor found. */
#define SEEN_MAX 1024
/* Size of the buffer for a line of fdinfo. */
#define LINE_SIZE 256

/*
 * The prefixes of the keys that are events. If one prefix is the beginning of another prefix, the
 * longer prefix comes first.
 */
static const struct key {
	const char *prefix, *unit, *what;
} keys[] = {
	{ "drm-active-", "bytes", "Total memory active in one or more engines" },
	{ "drm-cycles-", "cycles", "Busy cycles" },
	{ "drm-engine-capacity-", "capacity", "Engine capacity" },
	{ "drm-engine-", "ns", "Utilization in ns" },
	{ "drm-maxfreq-", "hz", "Maximum frequency" },
	{ "drm-purgeable-", "bytes", "Size of resident and purgeable memory buffers" },
	{ "drm-resident-", "bytes", "Size of resident memory buffers" },
	{ "drm-shared-", "bytes", "Size of shared memory buffers" },
	{ "drm-total-cycles-", "cycles", "Total busy cycles" },
	{ "drm-total-", "bytes", "Size of shared and private memory" },
};

static const struct key *find_key(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strncasecmp(name, keys[i].prefix, strlen(keys[i].prefix)))
			return &keys[i];
	return NULL;
}

bool drm_clients__is_event_name(const char *name)
{
	return find_key(name);
}

/* ---- processes and their open devices ---- */

/* Handles the fdinfo @file of one open device. A result other than 0 stops the iteration. */
typedef int (*fdinfo_fn)(FILE *file, void *arg);

/* Opens @root/@pid/fdinfo/@fd for reading. Does not block, even if the file is not regular. */
static FILE *open_fdinfo(const char *root, const char *pid, const char *fd)
{
	char path[PATH_MAX];
	FILE *file;
	int opened;

	snprintf(path, sizeof(path), "%s/%s/fdinfo/%s", root, pid, fd);
	opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	file = opened < 0 ? NULL : fdopen(opened, "r");
	if (opened >= 0 && !file)
		close(opened);
	return file;
}

/*
 * Returns whether @minors contains @number. If not, adds @number. Numbers that are too large for
 * the array are treated as known.
 */
static bool is_known(unsigned char minors[MINORS_MAX], unsigned int number)
{
	bool known = number >= MINORS_MAX || minors[number];

	if (number < MINORS_MAX)
		minors[number] = 1;
	return known;
}

/*
 * Returns whether @fd, a name in @dir (a directory /proc/PID/fd), refers to a DRM device whose
 * minor number is not in @minors yet. If so, adds the number to @minors. AT_STATX_DONT_SYNC keeps
 * pstat from hanging if @fd refers to a file on a file server that does not respond.
 */
static bool is_new_device(int dir, const char *fd, unsigned char minors[MINORS_MAX])
{
	struct statx st;

	return isdigit((unsigned char)*fd) &&
	       !statx(dir, fd, AT_STATX_DONT_SYNC, STATX_TYPE, &st) && S_ISCHR(st.stx_mode) &&
	       st.stx_rdev_major == DRM_MAJOR && !is_known(minors, st.stx_rdev_minor);
}

static int walk_process(const struct sysroots *roots, const char *pid, fdinfo_fn fn, void *arg)
{
	unsigned char minors[MINORS_MAX] = { 0 };
	const char *tasks = sysroots__tasks(roots);
	char path[PATH_MAX];
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s/fd", tasks, pid);
	dir = opendir(path);
	while (dir && !err && (entry = readdir(dir))) {
		FILE *file = NULL;

		if (is_new_device(dirfd(dir), entry->d_name, minors))
			file = open_fdinfo(tasks, pid, entry->d_name);
		if (!file)
			continue;
		err = fn(file, arg);
		fclose(file);
	}
	if (dir)
		closedir(dir);
	return err;
}

static int walk_all(const struct sysroots *roots, fdinfo_fn fn, void *arg)
{
	DIR *dir = opendir(sysroots__tasks(roots));
	struct dirent *entry;
	int err = 0;

	while (dir && !err && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = walk_process(roots, entry->d_name, fn, arg);
	if (dir)
		closedir(dir);
	return err;
}

/* Splits a line into key and value. Returns false if the line has no key. */
static bool cut_line(char *line, char **value)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return false;
	*colon = '\0';
	*value = colon + 1 + strspn(colon + 1, " \t");
	(*value)[strcspn(*value, "\n")] = '\0';
	return true;
}

/* ---- listing events ---- */

struct lister {
	drm_fn each;
	void *arg;
	struct drm_event *seen;
	int nr;
};

static int list_one(struct lister *l, const struct drm_event *event)
{
	for (int i = 0; i < l->nr; i++)
		if (!strcmp(l->seen[i].pmu, event->pmu) && !strcmp(l->seen[i].name, event->name))
			return 0;
	if (l->nr == SEEN_MAX)
		return 0;
	l->seen[l->nr++] = *event;
	return l->each(event, l->arg);
}

static int list_fdinfo(FILE *file, void *arg)
{
	struct drm_event event = { .pmu = "" };
	char line[LINE_SIZE], *value;
	int err = 0;

	while (!err && fgets(line, sizeof(line), file)) {
		const struct key *key;

		if (!cut_line(line, &value))
			continue;
		if (!strcmp(line, "drm-driver"))
			snprintf(event.pmu, sizeof(event.pmu), "drm_%.*s",
				 (int)sizeof(event.pmu) - 5, value);
		key = find_key(line);
		if (!key || !*event.pmu || strlen(line) >= sizeof(event.name))
			continue;
		strcpy(event.name, line);
		event.unit = key->unit;
		event.what = key->what;
		err = list_one(arg, &event);
	}
	return err;
}

int drm_clients__for_each(const struct sysroots *roots, drm_fn each, void *arg)
{
	struct lister l = { .each = each, .arg = arg };
	int err;

	l.seen = calloc(SEEN_MAX, sizeof(*l.seen));
	if (!l.seen)
		return -ENOMEM;
	err = walk_all(roots, list_fdinfo, &l);
	free(l.seen);
	return err;
}

/* If `pmu` is NULL, any PMU matches. If `name` is NULL, any event matches. */
struct search {
	const char *pmu, *name;
	struct drm_event *event;
};

static int take(const struct drm_event *event, void *arg)
{
	struct search *search = arg;

	if ((search->pmu && strcmp(event->pmu, search->pmu)) ||
	    (search->name && strcasecmp(event->name, search->name)))
		return 0;
	*search->event = *event;
	return 1;
}

int drm_clients__find(const struct sysroots *roots, const char *pmu, const char *name,
		      struct drm_event *event)
{
	struct search search = { pmu, name, event };
	int err = drm_clients__for_each(roots, take, &search);

	return err < 0 ? err : err ? 0 : -ENOENT;
}

bool drm_clients__has_pmu(const struct sysroots *roots, const char *pmu)
{
	struct drm_event event;

	return !drm_clients__find(roots, pmu, NULL, &event);
}

/* ---- values ---- */

static uint64_t number_of(const char *value)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = {
		{ "KiB", 1ULL << 10 }, { "MiB", 1ULL << 20 }, { "GiB", 1ULL << 30 },
		{ "KHz", 1000 },       { "MHz", 1000000 },    { "GHz", 1000000000 },
	};
	char *end;
	uint64_t number = strtoull(value, &end, 10);

	end += strspn(end, " \t");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name))
			number *= units[i].factor;
	return number;
}

struct adder {
	const struct drm_event *event;
	uint64_t sum;
};

static int add_fdinfo(FILE *file, void *arg)
{
	char line[LINE_SIZE], *value;
	struct adder *adder = arg;
	bool is_driver = false;

	while (fgets(line, sizeof(line), file)) {
		if (!cut_line(line, &value))
			continue;
		if (!strcmp(line, "drm-driver"))
			is_driver = !strcmp(value, adder->event->pmu + strlen("drm_"));
		else if (is_driver && !strcmp(line, adder->event->name))
			adder->sum += number_of(value);
	}
	return 0;
}

int drm_clients__sum(const struct sysroots *roots, const struct drm_event *event, pid_t pid,
		     uint64_t *sum)
{
	struct adder adder = { .event = event };
	char name[16];
	int err;

	snprintf(name, sizeof(name), "%d", (int)pid);
	err = pid < 0 ? walk_all(roots, add_fdinfo, &adder) :
			walk_process(roots, name, add_fdinfo, &adder);
	*sum = adder.sum;
	return err;
}
