/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packed files contain vendors' events and metrics. scripts/pack-events creates one file for each
 * architecture, because most CPU models of an architecture share most of their events.
 *
 *	pstat events 1                                 version of the format
 *	from Linux 6.12.117                            origin of the events
 *	model NUMBER PATTERN                           a CPU model; PATTERN is as in mapfile.csv
 *	block KIND OFFSET PACKED SIZE KEY              sorted by KIND and KEY
 *	                                               an empty line
 *	<the blocks, each compressed by zlib>
 *
 * OFFSET is the number of bytes from the end of the empty line to the block. PACKED and SIZE are
 * the numbers of bytes before and after decompression. KEY is the key of the block's first record.
 * A block consists of records that are sorted by key:
 *
 *	KEY <tab> NUMBER,NUMBER... <tab> JSON <newline>
 *
 * Each NUMBER is the number of a model that has this record. The number 0 means every machine that
 * has a PMU whose identifier matches "Compat" in the JSON object. KIND determines the JSON value:
 *
 *	event	an object of the vendor's file; the key is its EventName in lower case
 *	group	a string that describes a group of metrics; the key is the name of the group
 *	metric	an object of the vendor's file; the key is its MetricName in lower case
 *
 * scripts/pack-events adds the key "Topic" to the objects of events and metrics. If an object
 * refers to a standard event ("ArchStdEvent", see vendor-folder.h), the script also adds the key
 * "Standard", which contains a copy of this event.
 *
 * To find a name, pstat decompresses only the blocks that may contain the name. pstat checks all
 * data before using it, because any user may have written the file.
 */
#ifndef PSTAT_EVENT_VENDOR_PACK_H
#define PSTAT_EVENT_VENDOR_PACK_H

#include <stddef.h>

struct cpuid;
struct strbuf;
struct vendor_pack;

#define VENDOR_PACK_EVENT "event"
#define VENDOR_PACK_GROUP "group"
#define VENDOR_PACK_METRIC "metric"

/* The model number in records that do not depend on the CPU model. */
#define VENDOR_PACK_ANY_MODEL 0

/* A record of a block, passed to callbacks. The pointers are valid only during the callback. */
struct vendor_record {
	const char *key, *models, *json; /* not NUL-terminated */
	size_t key_len, models_len, json_len;
};

/*
 * Opens the file and reads the lines before the blocks. Returns 0; -ENOENT if it does not exist;
 * another -errno, with a line in @why, if it cannot be used; or -ENOMEM.
 */
int vendor_pack__open(const char *path, struct vendor_pack **pack, struct strbuf *why);
void vendor_pack__free(struct vendor_pack *pack);

/* Returns the number of the first model that matches @id, or -ENOENT. */
int vendor_pack__model(const struct vendor_pack *pack, const struct cpuid *id);

/*
 * Calls @each for the records of @kind with the key @key (NULL: any key), whatever their models
 * are. If a result of @each is not 0, stops and returns it. Otherwise, returns 0; -EINVAL, with a
 * line in @why, if a block is damaged or cannot be read; or -ENOMEM.
 */
int vendor_pack__for_each(struct vendor_pack *pack, const char *kind, const char *key,
			  int (*each)(const struct vendor_record *record, void *arg), void *arg,
			  struct strbuf *why);

/* Returns 1 if the number @model is one of the record's models, otherwise 0. */
int vendor_record__has_model(const struct vendor_record *record, int model);

#endif
