/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which files processes have mapped as code, by build id and by address. Files are known by what /proc/PID/maps says of a process now, and by
 * what the kernel tells of each new mapping. What has been told stays, also when the process has ended.
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

/* Code that process @pid has mapped. */
struct mapping {
	pid_t pid;
	uint64_t start, len; /* bytes */
	uint64_t offset;     /* in the file */
	const char *path; /* of the file, as /proc shows it: "/usr/bin/true", "[vdso]", "/tmp/x (deleted)", or empty */
	const struct build_id *id; /* NULL: not told */
	unsigned int major, minor; /* of the file's device … */
	uint64_t inode;		   /* … and its number there; 0: not told */
};

/* Debug files are looked for in @debug_dirs ("/usr/lib/debug:…"), which must outlive it. NULL without memory. */
struct mapped_objects *mapped_objects__new(const struct sysroots *roots, const char *debug_dirs);
void mapped_objects__free(struct mapped_objects *objects);

/*
 * All that @pid has mapped now; what was known of it before stays where it is not mapped over. 0; -ESRCH when it has ended; -EACCES when
 * this user may not look; -ENOMEM.
 */
int mapped_objects__add_process(struct mapped_objects *objects, pid_t pid);
/* The same of all processes that this user may look at. 0 or -errno. */
int mapped_objects__add_all(struct mapped_objects *objects);
/* A mapping that was told of. 0 or -ENOMEM. */
int mapped_objects__add(struct mapped_objects *objects, const struct mapping *mapping);
/* @child was forked by @parent, and has its mappings besides those that it is known to have. 0 or -ENOMEM. */
int mapped_objects__fork(struct mapped_objects *objects, pid_t parent, pid_t child);
/* @pid has ended. Its mappings are kept until they are those of one of many that have ended since; its files for ever. */
void mapped_objects__end(struct mapped_objects *objects, pid_t pid);

/* The file of that build id; NULL when none was mapped as far as is known. */
struct object *mapped_objects__by_build_id(struct mapped_objects *objects, const struct build_id *id);
/* What @pid had mapped at @address last, and *@offset in it; NULL when nothing is known to be there. */
struct object *mapped_objects__by_address(struct mapped_objects *objects, pid_t pid, uint64_t address,
					  uint64_t *offset);

/* All of them, for what there is to say of them at the end. */
size_t mapped_objects__nr(const struct mapped_objects *objects);
const struct object *mapped_objects__get(const struct mapped_objects *objects, size_t i);

#endif
