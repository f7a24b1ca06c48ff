/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GNU build ids. The linker stores a build id in a note of the ELF file. The id identifies the file
 * even if the file is moved or copied.
 */
#ifndef PSTAT_MACHINE_BUILD_ID_H
#define PSTAT_MACHINE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The size in bytes of the build ids that the kernel reports for stack frames and mappings
 * (BPF_BUILD_ID_SIZE). Longer ids are truncated, and shorter ids are padded with zeros.
 */
#define BUILD_ID_SIZE 20
/* The directory in which distributions install debug files. */
#define DEBUG_DIRS "/usr/lib/debug"

#define BUILD_ID_HEX_SIZE (2 * BUILD_ID_SIZE + 1)

/*
 * Two ids are equal if their `bytes` are equal. `len` is not compared, because it is not always
 * known. A zeroed struct means that there is no id.
 */
struct build_id {
	uint8_t bytes[BUILD_ID_SIZE];
	uint8_t len; /* 0: unknown */
};

bool build_id__equal(const struct build_id *a, const struct build_id *b);
bool build_id__is_set(const struct build_id *id);

/*
 * Formats the id in hexadecimal, with two digits for each byte. If the length is unknown, trailing
 * zero bytes are omitted.
 */
void build_id__hex(const struct build_id *id, char hex[static BUILD_ID_HEX_SIZE]);

/*
 * Sets @path to the path at which distributions install the debug file of the program or library
 * with the build id @id: DIR/.build-id/xx/yyyy.debug, where xxyyyy is the id in hexadecimal. DIR is
 * the first @len bytes of @dir. Returns 0; -ENOENT if DIR is empty or @id is not set; or
 * -ENAMETOOLONG if the path does not fit in @size bytes.
 */
int build_id__debug_path(const struct build_id *id, const char *dir, size_t len, char *path,
			 size_t size);

#endif
