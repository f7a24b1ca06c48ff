/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machines made of the files that tests/data/machines lists. The first lines of server.txt there
 * describe the format.
 */
#ifndef PSTAT_TESTS_MACHINE_FILES_H
#define PSTAT_TESTS_MACHINE_FILES_H

#include "tests/unit/test_event_roots.h"

static inline void machine_files__fill(char *content, size_t size)
{
	memset(content, 'x', size);
	content[size] = '\0';
}

/* The two characters \n mean the end of a line. */
static inline void machine_files__unescape(char *text)
{
	for (char *at = text; (at = strstr(at, "\\n")); at++) {
		*at = '\n';
		memmove(at + 1, at + 2, strlen(at + 2) + 1);
	}
}

static inline void machine_files__add(const struct fake_roots *fake, const char *prefix, char *line)
{
	static char content[(1 << 20) + 1];
	char *colon = strstr(line, ": "), path[1024];

	if (!colon)
		colon = strrchr(line, ':');
	if (!colon)
		abort();
	snprintf(path, sizeof(path), "%s%.*s", prefix, (int)(colon - line), line);
	colon += strspn(colon, ": ");
	if (*colon == '@') {
		size_t len = strtoul(colon + 1, NULL, 10);

		machine_files__fill(content, len < sizeof(content) ? len : sizeof(content) - 1);
	} else {
		machine_files__unescape(colon);
		snprintf(content, sizeof(content), "%s%s", colon, *colon ? "\n" : "");
	}
	fake_roots__file(fake, path, content);
}

/* Makes the machine @name in a new directory, which fake_roots__remove() removes. */
static inline void fake_roots__load(struct fake_roots *fake, const char *name)
{
	char path[256], line[1024], prefix[256] = "", pmu[128];
	FILE *list;

	fake_roots__init(fake);
	snprintf(path, sizeof(path), "tests/data/machines/%s.txt", name);
	list = fopen(path, "r");
	if (!list)
		abort();
	while (fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (!strcmp(line, "[/]"))
			*prefix = '\0';
		else if (sscanf(line, "[%127[^]]]", pmu) == 1)
			snprintf(prefix, sizeof(prefix), "sys/bus/event_source/devices/%s/", pmu);
		else
			machine_files__add(fake, prefix, line);
	}
	fclose(list);
}

#endif
