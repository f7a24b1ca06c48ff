// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/vendor-folder.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "util/base/strbuf.h"
#include "util/event/vendor-json.h"
#include "util/machine/cpu/cpuid.h"
#include "util/machine/pmu/pmu-dir.h"

/* The largest published files are a few MB in size. */
#define FILE_MAX (32 << 20)

struct vendor_folder {
	const char *dir;
	/*
	 * standard events and metrics of the architecture; the keys are their names in lower case
	 */
	json_t *standards;
	vendor_object_fn each;
	void *arg;
	struct strbuf *notes;
};

/*
 * Returns the array of events and metrics in a file. The caller owns the array. Returns NULL if the
 * file describes groups of metrics instead. Adds a note and returns NULL if the file cannot be
 * read.
 */
static json_t *read_array(struct vendor_folder *folder, const char *path)
{
	json_error_t error;
	json_t *root, *events;
	struct stat st;

	if (!stat(path, &st) && (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)) {
		strbuf__addf(folder->notes, "%s: not a regular file, or too large\n", path);
		return NULL;
	}
	root = json_load_file(path, 0, &error);
	if (!root) {
		strbuf__addf(folder->notes, "%s:%d: %s\n", path, error.line, error.text);
		return NULL;
	}
	events = json_is_object(root) ? json_object_get(root, "Events") : root;
	if (!json_is_array(events))
		events = NULL; /* the file describes groups of metrics */
	json_incref(events);
	json_decref(root);
	return events;
}

static const char *string_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static const json_t *find_standard(const struct vendor_folder *folder, const json_t *object)
{
	const char *name = string_of(object, "ArchStdEvent");
	char key[256];

	if (!name || !vendor_json__lower(name, key, sizeof(key)))
		return NULL;
	return json_object_get(folder->standards, key);
}

/*
 * Returns whether @name is the name of a JSON file. Derives @topic from the name as perf does:
 * "floating point" from floating-point.json, and "metrics" from any name that ends in metrics.json.
 */
static bool is_json(const char *name, char *topic, size_t size)
{
	size_t len = strlen(name);

	if (len < 6 || strcmp(name + len - 5, ".json"))
		return false;
	snprintf(topic, size, "%.*s", (int)(len - 5), name);
	if (len >= 12 && !strcmp(name + len - 12, "metrics.json"))
		snprintf(topic, size, "metrics");
	for (char *dash = topic; (dash = strchr(dash, '-'));)
		*dash = ' ';
	return true;
}

static int read_file(struct vendor_folder *folder, const char *path, const char *topic, int cpu)
{
	json_t *objects = read_array(folder, path), *object;
	int err = 0;
	size_t i;

	json_array_foreach(objects, i, object)
	{
		struct vendor_object one = { object, find_standard(folder, object), topic, cpu };

		err = err ?: folder->each(&one, folder->arg);
	}
	json_decref(objects);
	return err;
}

/*
 * Reads every *.json file in a model's folder. Returns 0, -ENOMEM, or the first result of `each`
 * that is not 0.
 */
static int read_model(struct vendor_folder *folder, const char *model, int cpu)
{
	char path[PATH_MAX], topic[NAME_MAX + 1];
	struct dir_names dir;
	int err = dir_names__read(&dir, folder->dir, model);

	if (err) {
		strbuf__addf(folder->notes, "%s/%s: %s\n", folder->dir, model, strerror(-err));
		return err == -ENOMEM ? err : 0;
	}
	for (int i = 0; i < dir.nr && !err; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", folder->dir, model, dir.names[i]);
		if (is_json(dir.names[i], topic, sizeof(topic)))
			err = read_file(folder, path, topic, cpu);
	}
	dir_names__free(&dir);
	return err;
}

/*
 * Stores standard events and metrics of the architecture under their names. Returns 0 or -ENOMEM.
 */
static int keep_standards(struct vendor_folder *folder, json_t *events)
{
	json_t *object;
	char key[256];
	size_t i;

	json_array_foreach(events, i, object)
	{
		const char *names[] = { string_of(object, "EventName"),
					string_of(object, "MetricName") };

		for (int j = 0; j < 2; j++)
			if (names[j] && vendor_json__lower(names[j], key, sizeof(key)) &&
			    json_object_set(folder->standards, key, object))
				return -ENOMEM;
	}
	return 0;
}

static int read_standards(struct vendor_folder *folder)
{
	char path[PATH_MAX], topic[NAME_MAX + 1];
	struct dir_names dir;
	int err = dir_names__read(&dir, folder->dir, ".");

	folder->standards = json_object();
	if (!folder->standards)
		err = err ?: -ENOMEM;
	for (int i = 0; i < dir.nr && !err; i++) {
		json_t *events;

		if (!is_json(dir.names[i], topic, sizeof(topic)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder->dir, dir.names[i]);
		events = read_array(folder, path);
		err = keep_standards(folder, events);
		json_decref(events);
	}
	dir_names__free(&dir);
	return err;
}

/*
 * Returns FOLDER from the line "PATTERN,VERSION,FOLDER,TYPE" if the pattern matches @id, otherwise
 * NULL. Also returns NULL if FOLDER could be outside the directory of mapfile.csv.
 */
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

/*
 * Finds the first line of mapfile.csv whose pattern matches @id, and reads the files in the folder
 * that this line names. Returns the same values as read_model().
 */
static int read_map(struct vendor_folder *folder, const struct cpuid *id)
{
	char path[PATH_MAX], line[1024];
	bool found = false;
	FILE *map;
	int err = 0;

	snprintf(path, sizeof(path), "%s/mapfile.csv", folder->dir);
	map = fopen(path, "re");
	if (!map) {
		strbuf__addf(folder->notes, "%s: %s\n", path, strerror(errno));
		return 0;
	}
	while (!found && !err && fgets(line, sizeof(line), map)) {
		const char *model = folder_for(line, id);

		found = model;
		if (model)
			err = read_model(folder, model, id->cpu);
	}
	fclose(map);
	if (!found)
		strbuf__addf(folder->notes, "%s has no events for this CPU (%s)\n", path, id->text);
	return err;
}

int vendor_folder__for_each(const char *dir, const struct cpuid *ids, int nr_ids,
			    vendor_object_fn each, void *arg, struct strbuf *notes)
{
	struct vendor_folder folder = { .dir = dir, .each = each, .arg = arg, .notes = notes };
	int err = read_standards(&folder);

	for (int i = 0; i < nr_ids && !err; i++)
		err = read_map(&folder, &ids[i]);
	json_decref(folder.standards);
	return err;
}
