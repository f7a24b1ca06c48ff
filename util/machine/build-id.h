/* SPDX-License-Identifier: GPL-2.0-only */
/* What an ELF file is known by, wherever it lies: the GNU build id, which its linker put into a note. */
#ifndef PSTAT_MACHINE_BUILD_ID_H
#define PSTAT_MACHINE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's, for stacks and mappings (BPF_BUILD_ID_SIZE); longer ones are cut there, and shorter ones are filled up with zeros. */
#define BUILD_ID_SIZE 20
/* Where distributions install debug files. */
#define DEBUG_DIRS "/usr/lib/debug"

#define BUILD_ID_HEX_SIZE (2 * BUILD_ID_SIZE + 1)

/* Equal when all bytes are: how many of them the file has is not always told. Zeroed is none. */
struct build_id {
	uint8_t bytes[BUILD_ID_SIZE];
	uint8_t len; /* 0: not known */
};

bool build_id__equal(const struct build_id *a, const struct build_id *b);
bool build_id__is_set(const struct build_id *id);

/* As other tools write it: two digits a byte; of an id whose length is not known all bytes up to the last that is not zero. */
void build_id__hex(const struct build_id *id, char hex[static BUILD_ID_HEX_SIZE]);

/*
 * The file that was split off the one of that id, as distributions install them: DIR/.build-id/xx/yyyy.debug in the first of the directories
 * @dirs ("/usr/lib/debug:/other") that has it. 0; -ENOENT when none has, or @id is none.
 */
int build_id__find_debug(const struct build_id *id, const char *dirs, char *path, size_t size);

#endif
