/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An object is a file, or memory without a file, that processes have mapped as code. struct object
 * is used to find the function, the source line and the inlined functions at an offset in the file.
 * The first search opens the file, and the first search for a line or an inlined function reads the
 * file's DWARF data.
 */
#ifndef PSTAT_MACHINE_OBJECT_H
#define PSTAT_MACHINE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/dwarf-lines.h"

struct mapped_file;
struct memory_shares;
struct object;

struct code_place {
	const char *function; /* NULL: unknown; owned by the object */
	uint64_t offset;      /* in the function */
	uint64_t address;     /* link-time address; 0: unknown */
	/* the code is not in the file: no segment contains the @offset passed to object__find() */
	bool is_outside;
};

/*
 * @name is the name in reports. @path is the path at which the file can be opened. Pass NULL if
 * there is no such path, as for "[vdso]", or if object__take_file() will be called next. @id is the
 * build id of the file, or NULL. @debug_dirs must outlive the object. Returns NULL if memory ran
 * out.
 */
struct object *object__new(const char *name, const char *path, const struct build_id *id,
			   const char *debug_dirs);
void object__free(struct object *object);
/*
 * Sets the file of the object to @file, the result of mapped_file__find(), and takes ownership of
 * @file. The memory for the file's symbols is taken from the share of the file's owner in @shares,
 * which must outlive the object.
 */
void object__take_file(struct object *object, const struct mapped_file *file,
		       struct memory_shares *shares);
/* Returns whether the file belongs to root or to the effective user. */
bool object__is_trusted(const struct object *object);

/* Returns whether the object is not a file, but memory in which a process can generate code. */
bool object__is_memory(const struct object *object);

const char *object__name(const struct object *object);
const struct build_id *object__build_id(const struct object *object);

/* Fills in @place for the code at @offset in the file. Unknown fields are NULL or 0. */
void object__find(struct object *object, uint64_t offset, struct code_place *place);
/*
 * Returns the link-time address at which the function at @place starts, even if the function has no
 * symbol. If the file's list of function starts (function-starts.h) does not contain the function,
 * returns the start of the last listed function before it. Returns 0 if there is no such function,
 * or if there is no usable list.
 */
uint64_t object__find_start(struct object *object, const struct code_place *place);
/*
 * Finds the source line of @place and the functions that are inlined there. object__find() must
 * have filled in @place. @what (enum source_flags) must be the same in all calls for @object. Sets
 * *@frames to an array that is valid until the next search. Returns the number of frames, or
 * -ENOENT if nothing is known.
 */
int object__find_source(struct object *object, const struct code_place *place, unsigned int what,
			const struct source_frame **frames);

/*
 * Returns the reason why no functions are known ("it is stripped …"). Returns NULL if some
 * functions are known, or if nothing has been searched for yet.
 */
const char *object__why_no_symbols(const struct object *object);

#endif
