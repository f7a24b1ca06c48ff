// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cpu/cpumap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"

#define CPU_ID_MAX 65535

static struct cpumap *cpumap__alloc(int room)
{
	return calloc(1, sizeof(struct cpumap) + sizeof(int) * (size_t)(room > 0 ? room : 1));
}

/* Parses a decimal CPU id at *@pos, and moves *@pos past it. Returns the id, -EINVAL or -ERANGE. */
static int parse_id(const char **pos)
{
	const char *p = *pos;
	int id = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		id = id * 10 + (*p - '0');
		if (id > CPU_ID_MAX)
			return -ERANGE;
	}
	*pos = p;
	return id;
}

/* Returns @err. If @why is not NULL, adds the reason why the text at @at is not accepted. */
static int refuse(const char *at, int err, struct strbuf *why)
{
	if (why && err == -ERANGE)
		strbuf__addf(why, "CPU %.*s: the largest possible id is %d",
			     (int)strspn(at, "0123456789"), at, CPU_ID_MAX);
	else if (why)
		strbuf__adds(why, "not a list of CPUs: write it as 0-3,8");
	return err;
}

/*
 * Returns the largest id in @list, and sets @set[id] to 1 for each id. @set may be NULL. On error,
 * returns -EINVAL or -ERANGE, and adds the reason to @why unless @why is NULL.
 */
static int parse_ids(const char *list, unsigned char *set, struct strbuf *why)
{
	const char *p = list;
	int largest = 0;

	for (;;) {
		const char *at = p;
		int first = parse_id(&p), last = first;

		if (first >= 0 && *p == '-') {
			at = ++p;
			last = parse_id(&p);
		}
		if (last < 0)
			return refuse(at, last, why);
		if (*p && *p != ',')
			return refuse(p, -EINVAL, why);
		if (last < first) {
			if (why)
				strbuf__addf(why, "%d-%d runs backwards: write it as %d-%d", first,
					     last, last, first);
			return -EINVAL;
		}
		if (set)
			memset(set + first, 1, (size_t)(last - first + 1));
		if (last > largest)
			largest = last;
		/* like perf, accept a comma after the last id */
		if (!*p++ || !*p)
			return largest;
	}
}

void cpumap__why_not(const char *list, struct strbuf *why)
{
	parse_ids(list, NULL, why);
}

int cpumap__parse(const char *list, struct cpumap **map)
{
	int largest = parse_ids(list, NULL, NULL);
	unsigned char *set;

	*map = NULL;
	if (largest < 0)
		return largest;
	set = calloc(1, (size_t)largest + 1);
	*map = cpumap__alloc(largest + 1);
	if (!set || !*map) {
		free(set);
		free(*map);
		*map = NULL;
		return -ENOMEM;
	}
	parse_ids(list, set, NULL);
	for (int id = 0; id <= largest; id++)
		if (set[id])
			(*map)->ids[(*map)->nr++] = id;
	free(set);
	return 0;
}

int cpumap__read(const struct sysroots *roots, const char *path, struct cpumap **map)
{
	char buf[CPU_LIST_SIZE];
	int len = sysfs__read(roots->sysfs, path, buf, sizeof(buf));

	*map = NULL;
	return len < 0 ? len : cpumap__parse(buf, map);
}

int cpumap__online(const struct sysroots *roots, struct cpumap **map)
{
	return cpumap__read(roots, "devices/system/cpu/online", map);
}

int cpumap__possible(const struct sysroots *roots, struct cpumap **map)
{
	return cpumap__read(roots, "devices/system/cpu/possible", map);
}

int cpumap__possible_here(struct strbuf *why, struct cpumap **map)
{
	int err = cpumap__possible(sysroots__host(), map);

	if (err == -ENOMEM)
		return err;
	return reason__set(why, err, "cannot read /sys/devices/system/cpu/possible: %s%s",
			   strerror(-err),
			   err == -ENOENT ? "\nmount sysfs (mount -t sysfs sysfs /sys)" : "");
}

struct cpumap *cpumap__any(void)
{
	struct cpumap *map = cpumap__alloc(1);

	if (map) {
		map->nr = 1;
		map->ids[0] = -1;
	}
	return map;
}

struct cpumap *cpumap__copy(const struct cpumap *map)
{
	struct cpumap *copy = cpumap__alloc(map->nr);

	if (copy) {
		copy->nr = map->nr;
		memcpy(copy->ids, map->ids, sizeof(int) * (size_t)map->nr);
	}
	return copy;
}

struct cpumap *cpumap__intersect(const struct cpumap *a, const struct cpumap *b)
{
	struct cpumap *both = cpumap__alloc(a->nr);

	if (!both)
		return NULL;
	for (int i = 0; i < a->nr; i++)
		if (cpumap__index(b, a->ids[i]) >= 0)
			both->ids[both->nr++] = a->ids[i];
	return both;
}

struct cpumap *cpumap__union(const struct cpumap *a, const struct cpumap *b)
{
	struct cpumap *all = cpumap__alloc(a->nr + b->nr);
	int i = 0, j = 0;

	if (!all)
		return NULL;
	while (i < a->nr || j < b->nr) {
		int id = j == b->nr || (i < a->nr && a->ids[i] < b->ids[j]) ? a->ids[i] : b->ids[j];

		all->ids[all->nr++] = id;
		i += i < a->nr && a->ids[i] == id;
		j += j < b->nr && b->ids[j] == id;
	}
	return all;
}

void cpumap__remove(struct cpumap *map, int id)
{
	int at = cpumap__index(map, id);

	if (at < 0)
		return;
	map->nr--;
	memmove(map->ids + at, map->ids + at + 1, sizeof(int) * (size_t)(map->nr - at));
}

bool cpumap__equal(const struct cpumap *a, const struct cpumap *b)
{
	return a->nr == b->nr && !memcmp(a->ids, b->ids, sizeof(int) * (size_t)a->nr);
}

void cpumap__free(struct cpumap *map)
{
	free(map);
}

static int compare_ids(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int cpumap__index(const struct cpumap *map, int id)
{
	const int *found = bsearch(&id, map->ids, (size_t)map->nr, sizeof(int), compare_ids);

	return found ? (int)(found - map->ids) : -1;
}

bool cpumap__is_any(const struct cpumap *map)
{
	return map->nr == 1 && map->ids[0] == -1;
}

int cpumap__last(const struct cpumap *map)
{
	return map->nr ? map->ids[map->nr - 1] : -1;
}

void cpumap__format(const struct cpumap *map, struct strbuf *sb)
{
	for (int i = 0, last; i < map->nr; i = last + 1) {
		last = i;
		while (last + 1 < map->nr && map->ids[last + 1] == map->ids[last] + 1)
			last++;
		strbuf__addf(sb, "%s%d", i ? "," : "", map->ids[i]);
		if (last > i)
			strbuf__addf(sb, "-%d", map->ids[last]);
	}
}
