// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/vendor.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/vendor-json.h"
#include "util/machine/cpuid.h"
#include "util/machine/cpumap.h"
#include "util/machine/pmu.h"
#include "util/machine/pmu-dir.h"

/* The largest that vendors publish have some MB. */
#define FILE_MAX (32 << 20)
#define EVENTS_MAX 200000

struct vendor {
	const char *dir;
	const struct sysroots *roots;
	bool loaded;
	struct vendor_event *events; /* sorted by name */
	int nr, room;
	json_t *standards; /* object: an architecture's event by its name in lower case */
	struct strbuf notes;
};

struct vendor *vendor__new(const char *dir, const struct sysroots *roots)
{
	struct vendor *vendor = calloc(1, sizeof(*vendor));

	if (!vendor)
		return NULL;
	vendor->dir = dir && *dir ? dir : NULL;
	vendor->roots = roots;
	vendor->notes = (struct strbuf)STRBUF_INIT;
	return vendor;
}

void vendor__free(struct vendor *vendor)
{
	if (!vendor)
		return;
	for (int i = 0; i < vendor->nr; i++)
		vendor_json__free(&vendor->events[i]);
	free(vendor->events);
	json_decref(vendor->standards);
	strbuf__free(&vendor->notes);
	free(vendor);
}

const char *vendor__notes(const struct vendor *vendor)
{
	return vendor->notes.text;
}

/* The array of a file, owned by the caller; NULL when it is none, and then a note says so unless it is an object. */
static json_t *read_array(struct vendor *vendor, const char *path)
{
	json_error_t error;
	json_t *root, *events;
	struct stat st;

	if (!stat(path, &st) && (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)) {
		strbuf__addf(&vendor->notes, "%s: no file, or too long a one\n", path);
		return NULL;
	}
	root = json_load_file(path, 0, &error);
	if (!root) {
		strbuf__addf(&vendor->notes, "%s:%d: %s\n", path, error.line, error.text);
		return NULL;
	}
	events = json_is_object(root) ? json_object_get(root, "Events") : root;
	if (!json_is_array(events))
		events = NULL; /* descriptions of metric groups */
	json_incref(events);
	json_decref(root);
	return events;
}

static const char *string_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Into @buf; false when it is longer than the name of an event can be. */
static bool lower(const char *text, char *buf, size_t size)
{
	size_t i = 0;

	for (; text[i] && i + 1 < size; i++)
		buf[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
	buf[i] = '\0';
	return !text[i];
}

static const json_t *find_standard(const struct vendor *vendor, const json_t *object)
{
	const char *name = string_of(object, "ArchStdEvent");
	char key[256];

	if (!name || !lower(name, key, sizeof(key)))
		return NULL;
	return json_object_get(vendor->standards, key);
}

static int add_event(struct vendor *vendor, const json_t *object, const char *topic, int cpu)
{
	struct vendor_event event = { 0 };
	int err;

	if (vendor->nr == EVENTS_MAX)
		return -E2BIG;
	if (vendor->nr == vendor->room) {
		int room = vendor->room ? vendor->room * 2 : 1024;
		struct vendor_event *grown = realloc(vendor->events, sizeof(*grown) * (size_t)room);

		if (!grown)
			return -ENOMEM;
		vendor->events = grown;
		vendor->room = room;
	}
	err = vendor_json__event(object, find_standard(vendor, object), topic, &event);
	if (err) {
		if (err == -EINVAL)
			strbuf__addf(&vendor->notes, "%s: event '%s' cannot be understood\n", topic,
				     event.name ?: "without a name");
		vendor_json__free(&event);
		return err == -ENOMEM ? err : 0;
	}
	event.cpu = cpu;
	vendor->events[vendor->nr++] = event;
	return 0;
}

static bool is_json(const char *name, char *topic, size_t size)
{
	size_t len = strlen(name);

	if (len < 6 || strcmp(name + len - 5, ".json"))
		return false;
	snprintf(topic, size, "%.*s", (int)(len - 5), name);
	return true;
}

static int read_file(struct vendor *vendor, const char *path, const char *topic, int cpu)
{
	json_t *events = read_array(vendor, path), *object;
	int err = 0;
	size_t i;

	json_array_foreach(events, i, object)
	{
		err = err ?: add_event(vendor, object, topic, cpu);
	}
	json_decref(events);
	return err;
}

/* Every *.json of a model's folder. */
static int read_model(struct vendor *vendor, const char *folder, int cpu)
{
	char path[PATH_MAX], topic[NAME_MAX + 1];
	struct dir_names dir;
	int err = dir_names__read(&dir, vendor->dir, folder);

	if (err) {
		strbuf__addf(&vendor->notes, "%s/%s: %s\n", vendor->dir, folder, strerror(-err));
		return err == -ENOMEM ? err : 0;
	}
	for (int i = 0; i < dir.nr && !err; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", vendor->dir, folder, dir.names[i]);
		if (is_json(dir.names[i], topic, sizeof(topic)))
			err = read_file(vendor, path, topic, cpu);
	}
	dir_names__free(&dir);
	return err;
}

static void keep_standards(struct vendor *vendor, json_t *events)
{
	json_t *object;
	char key[256];
	size_t i;

	json_array_foreach(events, i, object)
	{
		const char *name = string_of(object, "EventName");

		if (name && lower(name, key, sizeof(key)))
			json_object_set(vendor->standards, key, object);
	}
}

static int read_standards(struct vendor *vendor)
{
	char path[PATH_MAX], topic[NAME_MAX + 1];
	struct dir_names dir;
	int err = dir_names__read(&dir, vendor->dir, ".");

	vendor->standards = json_object();
	if (!vendor->standards)
		err = err ?: -ENOMEM;
	for (int i = 0; i < dir.nr && !err; i++) {
		json_t *events;

		if (!is_json(dir.names[i], topic, sizeof(topic)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", vendor->dir, dir.names[i]);
		events = read_array(vendor, path);
		keep_standards(vendor, events);
		json_decref(events);
	}
	dir_names__free(&dir);
	return err;
}

/* "PATTERN,VERSION,FOLDER,TYPE": the folder, cut out of the line, when the pattern is for @id. */
static const char *folder_for(char *line, const struct cpuid *id)
{
	char *rest = line, *pattern = strsep(&rest, ","), *folder;

	if (*pattern == '#' || !rest || !strsep(&rest, ",") || !rest)
		return NULL;
	folder = strsep(&rest, ",\r\n");
	if (!*folder || *folder == '/' || strstr(folder, "..") || !cpuid__matches(id, pattern))
		return NULL;
	return folder;
}

/* The first line that matches counts. */
static int read_map(struct vendor *vendor, const struct cpuid *id)
{
	char path[PATH_MAX], line[1024];
	bool found = false;
	FILE *map;
	int err = 0;

	snprintf(path, sizeof(path), "%s/mapfile.csv", vendor->dir);
	map = fopen(path, "re");
	if (!map) {
		strbuf__addf(&vendor->notes, "%s: %s\n", path, strerror(errno));
		return 0;
	}
	while (!found && !err && fgets(line, sizeof(line), map)) {
		const char *folder = folder_for(line, id);

		found = folder;
		if (folder)
			err = read_model(vendor, folder, id->cpu);
	}
	fclose(map);
	if (!found)
		strbuf__addf(&vendor->notes, "%s has no events for this CPU (%s)\n", path, id->text);
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct vendor_event *left = a, *right = b;

	return strcmp(left->name, right->name) ?: left->cpu - right->cpu;
}

static void load(struct vendor *vendor)
{
	struct cpuid ids[CPUID_MODELS_MAX];
	int nr, err;

	if (vendor->loaded)
		return;
	vendor->loaded = true;
	if (!vendor->dir)
		return;
	nr = cpuid__read(vendor->roots, ids, CPUID_MODELS_MAX);
	if (!nr)
		strbuf__adds(&vendor->notes, "the model of this machine's CPU is not known\n");
	err = read_standards(vendor);
	for (int i = 0; i < nr && !err; i++)
		err = read_map(vendor, &ids[i]);
	if (err)
		strbuf__addf(&vendor->notes, "%s: %s\n", vendor->dir, strerror(-err));
	if (vendor->nr)
		qsort(vendor->events, (size_t)vendor->nr, sizeof(*vendor->events), compare);
	json_decref(vendor->standards);
	vendor->standards = NULL;
}

const struct vendor_event *vendor__get(struct vendor *vendor, int i)
{
	load(vendor);
	return i < vendor->nr ? &vendor->events[i] : NULL;
}

static bool is_of(const struct vendor_event *event, struct pmu *pmu)
{
	const struct cpumap *cpus;

	if (event->pmu)
		return pmu__matches(pmu, event->pmu);
	if (!pmu__is_core(pmu))
		return false;
	cpus = pmu__cpus(pmu);
	return event->cpu < 0 || !cpus || cpumap__index(cpus, event->cpu) >= 0;
}

const struct vendor_event *vendor__find(struct vendor *vendor, const char *name, struct pmu *pmu)
{
	char key[256];
	int low = 0, high;

	load(vendor);
	if (!lower(name, key, sizeof(key)))
		return NULL;
	/* the first that is not less */
	for (high = vendor->nr; low < high;) {
		int middle = (low + high) / 2;

		if (strcmp(vendor->events[middle].name, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < vendor->nr && !strcmp(vendor->events[low].name, key); low++)
		if (is_of(&vendor->events[low], pmu))
			return &vendor->events[low];
	return NULL;
}
