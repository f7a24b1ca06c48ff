/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that processes have mapped as code: what is at an offset in it is a function, and a line of source. The file is not looked
 * into before the first question, and for lines not before the first for a line.
 */
#ifndef PSTAT_MACHINE_OBJECT_H
#define PSTAT_MACHINE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/build-id.h"
#include "util/machine/dwarf-lines.h"

struct mapped_file;
struct memory_shares;
struct object;

struct code_place {
	const char *function; /* NULL: not known; owned by the object */
	uint64_t offset;      /* in the function */
	uint64_t address;     /* as linked; 0 when the file does not tell */
	/* the file has no bytes at that offset, so the address is not in the file at all */
	bool is_outside;
};

/*
 * @name is what it is called, @path where it can be opened (NULL: nowhere, "[vdso]" is so). @id is the build id that it is known by, NULL when
 * there is none. @debug_dirs must outlive it. NULL without memory.
 */
struct object *object__new(const char *name, const char *path, const struct build_id *id, const char *debug_dirs);
void object__free(struct object *object);
/*
 * Sets a file that was found already. Takes ownership of @file. The memory for its symbols is taken from @shares,
 * which must outlive the object.
 */
void object__take_file(struct object *object, const struct mapped_file *file, struct memory_shares *shares);
/* Does the file belong to root or to the effective user? */
bool object__is_trusted(const struct object *object);

const char *object__name(const struct object *object);
const struct build_id *object__build_id(const struct object *object);

/* What is at @offset in the file. It always answers, if need be with what is not known. */
void object__find(struct object *object, uint64_t offset, struct code_place *place);
/* The line of @place, which object__find() told. 0 or -ENOENT. */
int object__find_line(struct object *object, const struct code_place *place, struct source_line *line);

/* Why no function of it is known, NULL when some are or nobody has asked yet: "no such file", "it was stripped of its symbols …". */
const char *object__why_no_symbols(const struct object *object);

#endif
