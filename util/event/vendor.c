// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/vendor-priv.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"

#define EVENTS_MAX 200000

const char vendor_installed[] = "";

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
	if (vendor->pack)
		vendor_pack__free(vendor->pack);
	free(vendor->path);
	free(vendor->ids);
	strbuf__free(&vendor->notes);
	free(vendor);
}

const char *vendor__new_notes(struct vendor *vendor)
{
	const char *notes = vendor->notes.text + vendor->nr_returned;

	vendor->nr_returned = vendor->notes.len;
	return notes;
}

/* ---- reading events ---- */

static int compare(const void *a, const void *b)
{
	const struct vendor_event *left = *(struct vendor_event *const *)a,
				  *right = *(struct vendor_event *const *)b;

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
		strbuf__addf(&vendor->notes, "%s: event '%s' is malformed\n",
			     object->topic ?: vendor->path, event->name ?: "without a name");
	if (event)
		vendor_json__free(event);
	free(event);
	return err == -EINVAL || err == -ENOENT ? 0 : err;
}

/*
 * Searches the first @nr events. Returns the index of the first event whose name is not less than
 * @name, or @nr.
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

static bool is_known(const struct vendor_reading *reading, const char *name, size_t len)
{
	char key[VENDOR_NAME_ROOM];
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
	const struct vendor_reading *reading = arg;
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
			strbuf__addf(&vendor->notes, "%s: '%.*s': %s\n", vendor->path,
				     (int)record->key_len, record->key, error.text);
			return 0;
		}
		err = reading->each(&(struct vendor_object){ json,
							     json_object_get(json, "Standard"),
							     NULL, vendor->models[i].cpu },
				    reading->arg);
	}
	json_decref(json);
	return err;
}

int vendor__read_pack(struct vendor *vendor, const char *kind, const char *key,
		      struct vendor_reading *reading)
{
	struct strbuf why = STRBUF_INIT;
	int err = vendor_pack__for_each(vendor->pack, kind, key, read_record, reading, &why);

	if (why.len)
		strbuf__addf(&vendor->notes, "%s: %s", vendor->path, why.text);
	else
		vendor__note_error(vendor, err);
	strbuf__free(&why);
	return err;
}

static void read_events(struct vendor *vendor, const char *key)
{
	struct vendor_reading reading = {
		.vendor = vendor,
		.nr_models = CPUID_MODELS_MAX,
		.known = vendor->nr,
		.each = add_event,
		.arg = vendor,
	};

	if (vendor->pack)
		vendor__read_pack(vendor, VENDOR_PACK_EVENT, key, &reading);
	else
		vendor__note_error(vendor, vendor_folder__for_each(vendor->path, vendor->ids,
								   vendor->nr_ids, add_event,
								   vendor, &vendor->notes));
	vendor->complete = !key || !vendor->pack;
	sort(vendor);
}

const struct vendor_event *vendor__get(struct vendor *vendor, int i)
{
	vendor__prepare(vendor);
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
	char key[VENDOR_NAME_ROOM];
	int at;

	vendor__prepare(vendor);
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
