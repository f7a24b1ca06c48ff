// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/vendor.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/vendor-json.h"
#include "util/event/vendor-pack.h"
#include "util/machine/cpuid.h"
#include "util/machine/cpumap.h"
#include "util/machine/pmu.h"

#define EVENTS_MAX 200000
#define NAME_ROOM 256

const char vendor_installed[] = "";

/*
 * A model of the machine's CPUs: its number in the packed file, and one CPU of that model (-1: all
 * are).
 */
struct model {
	int number, cpu;
};

/*
 * Each event is read once: when its name is looked up, or when all events are listed. Pointers to
 * events stay valid.
 */
struct vendor {
	const char *dir; /* NULL: there are no events */
	const struct sysroots *roots;
	bool prepared, is_folder; /* @path is a folder of JSON files */
	char *path;		  /* of the packed file, or the folder of the architecture */
	struct cpuid *ids;
	int nr_ids;
	struct vendor_pack *pack;		   /* NULL: the folder @path */
	struct model models[CPUID_MODELS_MAX + 1]; /* in the packed file */
	int nr_models;
	struct vendor_event **events; /* sorted by name */
	int nr, room;
	bool complete;	       /* all events have been read */
	char asked[NAME_ROOM]; /* the last name that was looked up in the packed file */
	struct strbuf notes;
	const char *missing;
};

struct vendor *vendor__new(const char *dir, const struct sysroots *roots)
{
	struct vendor *vendor = calloc(1, sizeof(*vendor));

	if (!vendor)
		return NULL;
	vendor->dir = dir && (dir == vendor_installed || *dir) ? dir : NULL;
	vendor->roots = roots;
	vendor->notes = (struct strbuf)STRBUF_INIT;
	return vendor;
}

void vendor__free(struct vendor *vendor)
{
	if (!vendor)
		return;
	for (int i = 0; i < vendor->nr; i++) {
		vendor_json__free(vendor->events[i]);
		free(vendor->events[i]);
	}
	free(vendor->events);
	vendor_pack__free(vendor->pack);
	free(vendor->path);
	free(vendor->ids);
	strbuf__free(&vendor->notes);
	free(vendor);
}

const char *vendor__notes(const struct vendor *vendor)
{
	return vendor->notes.text;
}

static void note_error(struct vendor *vendor, int err)
{
	if (err && err != -EINVAL)
		strbuf__addf(&vendor->notes, "%s: %s\n", vendor->path, strerror(-err));
}

/* ---- finding the files ---- */

/* Makes DIR/NAME vendor->path. Is there such a file? */
static bool try_path(struct vendor *vendor, const char *dir, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	free(vendor->path);
	vendor->path = path;
	return !access(path, F_OK);
}

/*
 * Sets @dir to ../share/pstat/events, relative to the executable's folder. Does that folder exist?
 */
static bool find_installed(const struct vendor *vendor, char *dir, size_t size)
{
	static const char below[] = "share/pstat/events";
	char link[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "%s/self/exe", vendor->roots->procfs);
	len = readlink(link, dir, size - 1);
	if (len < 0)
		return false;
	dir[len] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(dir, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	len = (ssize_t)strlen(dir);
	return snprintf(dir + len, size - (size_t)len, "/%s", below) < (int)(size - (size_t)len) && !access(dir, F_OK);
}

static void open_pack(struct vendor *vendor)
{
	int err = vendor_pack__open(vendor->path, &vendor->pack, &vendor->notes), number;

	note_error(vendor, err);
	for (int i = 0; !err && i < vendor->nr_ids; i++) {
		number = vendor_pack__model(vendor->pack, &vendor->ids[i]);
		if (number > 0)
			vendor->models[vendor->nr_models++] = (struct model){ number, vendor->ids[i].cpu };
		else if (vendor->dir != vendor_installed)
			strbuf__addf(&vendor->notes, "%s has no events for this CPU (%s)\n", vendor->path,
				     vendor->ids[i].text);
	}
	if (!err && !vendor->nr_models)
		vendor->missing = "the vendors' events that are installed do not include this CPU's\n"
				  "a newer version of the package pstat-events may have them";
	if (!err)
		vendor->models[vendor->nr_models++] = (struct model){ VENDOR_PACK_ANY_MODEL, -1 };
}

/* Finds the files of this machine's architecture in @dir. */
static void find_files(struct vendor *vendor, const char *dir)
{
	const char *arch = vendor->nr_ids && !strncmp(vendor->ids[0].text, "0x", 2) ? "arm64" : "x86";
	char name[64];

	snprintf(name, sizeof(name), "%s.events", arch);
	if (!try_path(vendor, dir, "mapfile.csv") && try_path(vendor, dir, name)) {
		open_pack(vendor);
		vendor->complete = !vendor->pack;
		return;
	}
	vendor->is_folder = true;
	snprintf(name, sizeof(name), "%s/mapfile.csv", arch);
	if (try_path(vendor, dir, name)) {
		try_path(vendor, dir, arch);
		return;
	}
	free(vendor->path);
	vendor->path = strdup(dir);
}

static void prepare(struct vendor *vendor)
{
	char dir[PATH_MAX];

	if (vendor->prepared || !vendor->dir)
		return;
	vendor->prepared = true;
	snprintf(dir, sizeof(dir), "%s", vendor->dir);
	if (vendor->dir == vendor_installed && !find_installed(vendor, dir, sizeof(dir))) {
		vendor->missing = "the names of vendors' events are not installed\n"
				  "install the package pstat-events, or run `make install-events` in "
				  "pstat's source";
		vendor->complete = true;
		return;
	}
	vendor->ids = calloc(CPUID_MODELS_MAX, sizeof(*vendor->ids));
	if (vendor->ids)
		vendor->nr_ids = cpuid__read(vendor->roots, vendor->ids, CPUID_MODELS_MAX);
	if (!vendor->nr_ids && vendor->dir != vendor_installed)
		strbuf__adds(&vendor->notes, "the model of this machine's CPU is not known\n");
	find_files(vendor, dir);
	if (vendor->path && vendor->ids)
		return;
	strbuf__addf(&vendor->notes, "%s: %s\n", dir, strerror(ENOMEM));
	vendor->complete = true;
}

const char *vendor__missing(struct vendor *vendor)
{
	prepare(vendor);
	return vendor->missing;
}

/* ---- reading events ---- */

static int compare(const void *a, const void *b)
{
	const struct vendor_event *left = *(struct vendor_event *const *)a, *right = *(struct vendor_event *const *)b;

	return strcmp(left->name, right->name) ?:
		       left->cpu - right->cpu  ?:
		       strcmp(left->pmu ?: "", right->pmu ?: "") ?:
		       strcmp(left->compat ?: "", right->compat ?: "");
}

static void sort(struct vendor *vendor)
{
	if (vendor->nr)
		qsort(vendor->events, (size_t)vendor->nr, sizeof(struct vendor_event *), compare);
}

static int make_room(struct vendor *vendor)
{
	struct vendor_event **grown;
	int room;

	if (vendor->nr == EVENTS_MAX)
		return -E2BIG;
	if (vendor->nr < vendor->room)
		return 0;
	room = vendor->room ? vendor->room * 2 : 64;
	grown = realloc(vendor->events, sizeof(struct vendor_event *) * (size_t)room);
	if (!grown)
		return -ENOMEM;
	vendor->events = grown;
	vendor->room = room;
	return 0;
}

static int add_event(const struct vendor_object *object, void *arg)
{
	struct vendor *vendor = arg;
	struct vendor_event *event = calloc(1, sizeof(*event));
	int err = event ? make_room(vendor) : -ENOMEM;

	if (!err)
		err = vendor_json__event(object->object, object->standard, object->topic, event);
	if (!err) {
		event->cpu = object->cpu;
		vendor->events[vendor->nr++] = event;
		return 0;
	}
	if (err == -EINVAL)
		strbuf__addf(&vendor->notes, "%s: event '%s' cannot be understood\n", object->topic ?: vendor->path,
			     event->name ?: "without a name");
	if (event)
		vendor_json__free(event);
	free(event);
	return err == -EINVAL || err == -ENOENT ? 0 : err;
}

/*
 * How the records of a packed file are read: @each is called once for each model that has the
 * record.
 */
struct reading {
	struct vendor *vendor;
	int nr_models; /* read only this number of models, and records for any model */
	int known;     /* number of events that were read earlier, and that are skipped */
	vendor_object_fn each;
	void *arg;
};

/*
 * Returns the index of the first of the first @nr events whose name is not less than @name, or @nr.
 */
static int search(const struct vendor *vendor, int nr, const char *name)
{
	int low = 0;

	while (low < nr) {
		int middle = low + (nr - low) / 2;

		if (strcmp(vendor->events[middle]->name, name) < 0)
			low = middle + 1;
		else
			nr = middle;
	}
	return low;
}

static bool is_known(const struct reading *reading, const char *name, size_t len)
{
	char key[NAME_ROOM];
	int at;

	if (!reading->known || len >= sizeof(key))
		return false;
	memcpy(key, name, len);
	key[len] = '\0';
	at = search(reading->vendor, reading->known, key);
	return at < reading->known && !strcmp(reading->vendor->events[at]->name, key);
}

static int read_record(const struct vendor_record *record, void *arg)
{
	const struct reading *reading = arg;
	struct vendor *vendor = reading->vendor;
	json_t *json = NULL;
	json_error_t error;
	int err = 0;

	if (is_known(reading, record->key, record->key_len))
		return 0;
	for (int i = 0; i < vendor->nr_models && !err; i++) {
		if (i >= reading->nr_models && vendor->models[i].number != VENDOR_PACK_ANY_MODEL)
			continue;
		if (!vendor_record__has_model(record, vendor->models[i].number))
			continue;
		json = json ?: json_loadb(record->json, record->json_len, JSON_DECODE_ANY, &error);
		if (!json) {
			strbuf__addf(&vendor->notes, "%s: '%.*s': %s\n", vendor->path, (int)record->key_len,
				     record->key, error.text);
			return 0;
		}
		err = reading->each(
			&(struct vendor_object){ json, json_object_get(json, "Standard"), NULL, vendor->models[i].cpu },
			reading->arg);
	}
	json_decref(json);
	return err;
}

static int read_pack(struct vendor *vendor, const char *kind, const char *key, struct reading *reading)
{
	struct strbuf why = STRBUF_INIT;
	int err = vendor_pack__for_each(vendor->pack, kind, key, read_record, reading, &why);

	if (why.len)
		strbuf__addf(&vendor->notes, "%s: %s", vendor->path, why.text);
	strbuf__free(&why);
	return err;
}

static void read_events(struct vendor *vendor, const char *key)
{
	struct reading reading = {
		.vendor = vendor,
		.nr_models = CPUID_MODELS_MAX,
		.known = vendor->nr,
		.each = add_event,
		.arg = vendor,
	};
	int err;

	if (vendor->pack)
		err = read_pack(vendor, VENDOR_PACK_EVENT, key, &reading);
	else
		err = vendor_folder__for_each(vendor->path, vendor->ids, vendor->nr_ids, add_event, vendor,
					      &vendor->notes);
	note_error(vendor, err);
	vendor->complete = !key || !vendor->pack;
	sort(vendor);
}

const struct vendor_event *vendor__get(struct vendor *vendor, int i)
{
	prepare(vendor);
	if (vendor->dir && !vendor->complete)
		read_events(vendor, NULL);
	return i < vendor->nr ? vendor->events[i] : NULL;
}

/* ---- looking up a name ---- */

static bool is_of(const struct vendor_event *event, struct pmu *pmu)
{
	const struct cpumap *cpus;

	if (event->compat) {
		const char *identifier = pmu__identifier(pmu);

		if (!identifier || !cpuid__matches_whole(event->compat, identifier))
			return false;
	}
	if (event->pmu)
		return pmu__matches(pmu, event->pmu);
	if (!pmu__is_core(pmu) || pmu__is_placeholder(pmu))
		return false;
	cpus = pmu__cpus(pmu);
	return event->cpu < 0 || !cpus || cpumap__index(cpus, event->cpu) >= 0;
}

const struct vendor_event *vendor__find(struct vendor *vendor, const char *name, struct pmu *pmu)
{
	char key[NAME_ROOM];
	int at;

	prepare(vendor);
	if (!vendor->dir || !vendor_json__lower(name, key, sizeof(key)))
		return NULL;
	at = search(vendor, vendor->nr, key);
	if (!vendor->complete && strcmp(key, vendor->asked) != 0 &&
	    (at == vendor->nr || strcmp(vendor->events[at]->name, key) != 0)) {
		strcpy(vendor->asked, key);
		read_events(vendor, key);
		at = search(vendor, vendor->nr, key);
	}
	for (; at < vendor->nr && !strcmp(vendor->events[at]->name, key); at++)
		if (is_of(vendor->events[at], pmu))
			return vendor->events[at];
	return NULL;
}

/* ---- metrics ---- */

int vendor__for_each_metric(struct vendor *vendor, vendor_object_fn each, void *arg)
{
	struct reading reading = { .vendor = vendor, .nr_models = 1, .each = each, .arg = arg };
	int err;

	prepare(vendor);
	if (vendor->pack)
		err = read_pack(vendor, VENDOR_PACK_METRIC, NULL, &reading);
	else if (vendor->is_folder && vendor->path && vendor->ids)
		err = vendor_folder__for_each(vendor->path, vendor->ids, vendor->nr_ids ? 1 : 0, each, arg,
					      &vendor->notes);
	else
		return 0;
	note_error(vendor, err);
	return err == -ENOMEM ? err : 0;
}

struct groups {
	int (*each)(const char *group, const char *text, void *arg);
	void *arg;
	struct vendor *vendor;
};

static int give_group(const struct vendor_record *record, void *arg)
{
	const struct groups *groups = arg;
	json_t *json = json_loadb(record->json, record->json_len, JSON_DECODE_ANY, NULL);
	char name[NAME_ROOM];
	int err = 0;

	if (json_is_string(json) && record->key_len < sizeof(name) && groups->vendor->nr_models &&
	    vendor_record__has_model(record, groups->vendor->models[0].number)) {
		memcpy(name, record->key, record->key_len);
		name[record->key_len] = '\0';
		err = groups->each(name, json_string_value(json), groups->arg);
	}
	json_decref(json);
	return err;
}

int vendor__for_each_group(struct vendor *vendor, int (*each)(const char *group, const char *text, void *arg),
			   void *arg)
{
	struct groups groups = { each, arg, vendor };

	prepare(vendor);
	return vendor->pack ? vendor_pack__for_each(vendor->pack, VENDOR_PACK_GROUP, NULL, give_group, &groups,
						    &vendor->notes) :
			      0;
}
