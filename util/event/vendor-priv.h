/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that three files share. vendor.c looks up events by name. vendor-metrics.c lists
 * metrics. vendor-models.c finds the vendors' files, and finds the machine's CPU models in them.
 */
#ifndef PSTAT_EVENT_VENDOR_PRIV_H
#define PSTAT_EVENT_VENDOR_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/strbuf.h"
#include "util/event/vendor-json.h"
#include "util/event/vendor-pack.h"
#include "util/event/vendor.h"
#include "util/machine/cpu/cpuid.h"

struct sysroots;
struct vendor_event;

#define VENDOR_NAME_ROOM 256

/*
 * A CPU model of the machine: its number in the packed file, and one CPU of this model (-1: all
 * CPUs are of this model).
 */
struct vendor_model {
	int number, cpu;
};

/* No event is read twice. Pointers to events remain valid until vendor__free(). */
struct vendor {
	const char *dir; /* NULL: there are no events */
	const struct sysroots *roots;
	bool prepared, is_folder; /* is_folder: `path` is a directory of JSON files */
	char *path;		  /* the packed file, or the directory of the architecture */
	struct cpuid *ids;
	int nr_ids;
	/* NULL if no packed file is open, for example because is_folder is set */
	struct vendor_pack *pack;
	/* the machine's models in the packed file; the last element is VENDOR_PACK_ANY_MODEL */
	struct vendor_model models[CPUID_MODELS_MAX + 1];
	int nr_models;
	struct vendor_event **events; /* sorted by name */
	int nr, room;
	bool complete;		      /* all available events have been read */
	char asked[VENDOR_NAME_ROOM]; /* the name that was most recently looked up in the pack */
	struct strbuf notes;
	size_t nr_returned; /* vendor__new_notes() has returned this number of bytes of `notes` */
	const char *missing;
};

/* Finds the vendors' files, and opens the packed file if there is one. Later calls do nothing. */
void vendor__prepare(struct vendor *vendor);

/*
 * Adds the error @err (0: none) to vendor->notes. Ignores -EINVAL, because the notes already
 * contain the reason for this error.
 */
void vendor__note_error(struct vendor *vendor, int err);

/*
 * Controls how records of a packed file are read. `each` is called once for each of a record's
 * models that `nr_models` selects.
 */
struct vendor_reading {
	struct vendor *vendor;
	/*
	 * selects the first nr_models elements of vendor->models, and VENDOR_PACK_ANY_MODEL; the
	 * records of other models are skipped
	 */
	int nr_models;
	/*
	 * the first `known` elements of vendor->events were read earlier, so their records are
	 * skipped
	 */
	int known;
	vendor_object_fn each;
	void *arg;
};

/*
 * Reads the records of @kind with @key (NULL: any key). Returns 0; -errno if the file cannot be
 * read; or the result of reading->each if it is not 0. Adds the reason for an error to the notes.
 */
int vendor__read_pack(struct vendor *vendor, const char *kind, const char *key,
		      struct vendor_reading *reading);

#endif
