/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records the files that processes have mapped as code, and finds them by build id or by address.
 * The mappings come from /proc/PID/maps and from the kernel's records of new mappings. The files
 * remain known after the processes have ended. libdwfl cannot be used instead, because it knows
 * only the current mappings of processes that still exist.
 */
#ifndef PSTAT_MACHINE_MAPPED_OBJECTS_H
#define PSTAT_MACHINE_MAPPED_OBJECTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct build_id;
struct mapped_objects;
struct object;
struct sysroots;

/* Code that the process `pid` has mapped. */
struct mapping {
	pid_t pid;
	uint64_t start, len; /* address, and length in bytes */
	uint64_t offset;     /* offset of `start` in the file */
	/*
	 * as in /proc or in the kernel's records: "/usr/bin/true", "[vdso]", "/tmp/x (deleted)";
	 * anonymous memory: "" or "//anon"
	 */
	const char *path;
	const struct build_id *id; /* NULL: unknown */
	unsigned int major, minor; /* device of the file */
	uint64_t inode;		   /* inode of the file; 0: unknown */
};

/*
 * @debug_dirs lists the directories to search for debug files ("/usr/lib/debug:…"). @debug_dirs and
 * @roots must outlive the returned struct. Returns NULL if memory ran out.
 */
struct mapped_objects *mapped_objects__new(const struct sysroots *roots, const char *debug_dirs);
void mapped_objects__free(struct mapped_objects *objects);

/*
 * Adds all code mappings that @pid has now. Earlier mappings are kept except where new ones overlap
 * them. Returns 0; -ESRCH if the process has ended; -EACCES if pstat is not allowed to inspect it;
 * or another -errno.
 */
int mapped_objects__add_process(struct mapped_objects *objects, pid_t pid);
/*
 * Like mapped_objects__add_process(), but for all processes that pstat is allowed to inspect.
 * Returns 0 or -errno.
 */
int mapped_objects__add_all(struct mapped_objects *objects);
/* Adds one mapping. Returns 0 or -ENOMEM. */
int mapped_objects__add(struct mapped_objects *objects, const struct mapping *mapping);
/*
 * Adds the mappings of @parent to the mappings of @child, which @parent has forked. Returns 0 or
 * -ENOMEM.
 */
int mapped_objects__fork(struct mapped_objects *objects, pid_t parent, pid_t child);
/*
 * Records that @pid has ended. Its mappings are kept until at least ENDED_KEPT more processes have
 * ended (process-maps.h), or until a new process gets its id. Its files are kept until @objects is
 * freed.
 */
void mapped_objects__end(struct mapped_objects *objects, pid_t pid);

/* Returns the file with this build id, or NULL if none is known. */
struct object *mapped_objects__by_build_id(struct mapped_objects *objects,
					   const struct build_id *id);
/*
 * Returns the file that @pid has most recently mapped at @address, or NULL if none is known. Sets
 * *@offset to the offset of @address in the file.
 */
struct object *mapped_objects__by_address(struct mapped_objects *objects, pid_t pid,
					  uint64_t address, uint64_t *offset);

/*
 * Finds the function at @address among those that @pid has compiled at run time. Returns its name,
 * and sets *@file as jit_maps__find() does. Returns NULL if the function is unknown, or if a file
 * is mapped at @address.
 */
const char *mapped_objects__jit_function(struct mapped_objects *objects, pid_t pid,
					 uint64_t address, const char **file);

/* Returns the number of files that are known. */
size_t mapped_objects__nr(const struct mapped_objects *objects);
/* Returns the file with the index @i (0: the file that was added first). */
const struct object *mapped_objects__get(const struct mapped_objects *objects, size_t i);

#endif
