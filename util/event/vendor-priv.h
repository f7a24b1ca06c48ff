/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files vendor*.c share: vendor.c looks events up by their names, vendor-metrics.c passes
 * metrics on, and vendor-models.c finds the files and the models of the machine's CPUs, and keeps
 * the messages.
 */
#ifndef PSTAT_EVENT_VENDOR_PRIV_H
#define PSTAT_EVENT_VENDOR_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/strbuf.h"
#include "util/event/vendor-json.h"
#include "util/event/vendor-pack.h"
#include "util/event/vendor.h"
#include "util/machine/cpuid.h"

struct sysroots;
struct vendor_event;

#define VENDOR_NAME_ROOM 256

/*
 * A model of the machine's CPUs: its number in the packed file, and one CPU of that model (-1: all
 * are).
 */
struct vendor_model {
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
	struct vendor_pack *pack;			  /* NULL: the folder @path */
	struct vendor_model models[CPUID_MODELS_MAX + 1]; /* in the packed file */
	int nr_models;
	struct vendor_event **events; /* sorted by name */
	int nr, room;
	bool complete;		      /* all events have been read */
	char asked[VENDOR_NAME_ROOM]; /* the last name that was looked up in the packed file */
	struct strbuf notes;
	size_t nr_told; /* bytes of notes that vendor__new_notes() has returned */
	const char *missing;
};

/* Finds and opens the files, once. */
void vendor__prepare(struct vendor *vendor);

/* Adds an error of the files to the notes. -EINVAL is ignored: the reason was added before. */
void vendor__note_error(struct vendor *vendor, int err);

/*
 * How the records of a packed file are read: @each is called once for each model that has the
 * record.
 */
struct vendor_reading {
	struct vendor *vendor;
	int nr_models; /* read only this number of models, and records for any model */
	int known;     /* number of events that were read earlier, and that are skipped */
	vendor_object_fn each;
	void *arg;
};

/*
 * Reads the records of @kind, only those of @key unless it is NULL. Returns 0, -errno if the file
 * cannot be read, or what @each returned. Adds the reason to the notes.
 */
int vendor__read_pack(struct vendor *vendor, const char *kind, const char *key, struct vendor_reading *reading);

#endif
