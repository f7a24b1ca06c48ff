// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any content for a file with source lines: refused, or the line of an address has a file, is above 0, and is the same when it is asked
 * for again, also of a file that is opened anew.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/machine/dwarf-lines.h"

/* Where the corpus' functions are, and where nothing is. */
static const uint64_t places[] = { 0,	     4,	       0x10,	 0x4001eb, 0x4001f0, 0x400205, 0x40020c,
				   0x400212, 0x400240, 0x400248, 0x400250, 0x400300, 0x100000, UINT64_MAX };
#define NR_PLACES (sizeof(places) / sizeof(places[0]))

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	return 0;
}

/* "FILE:LINE", to be freed; NULL: none. */
static char *find(struct dwarf_lines *lines, uint64_t address)
{
	struct source_line found;
	char *text = NULL;
	int err = dwarf_lines__find(lines, address, &found);

	if (err) {
		if (err != -ENOENT || found.file)
			abort();
		return NULL;
	}
	if (!found.file || !*found.file || found.line <= 0 || asprintf(&text, "%s:%d", found.file, found.line) < 0)
		abort();
	return text;
}

static void expect(struct dwarf_lines *lines, uint64_t address, const char *text)
{
	char *again = find(lines, address);

	if (!text != !again || (text && strcmp(text, again) != 0))
		abort();
	free(again);
}

static struct dwarf_lines *open_lines(const char *path)
{
	struct dwarf_lines *lines;
	int err = dwarf_lines__open(path, "/nonexistent", &lines);

	if (err ? lines || (err != -ENODATA && err != -ENOEXEC) : !lines)
		abort();
	return lines;
}

static void try_lines(const char *path)
{
	struct dwarf_lines *lines = open_lines(path);
	char *texts[NR_PLACES];

	if (!lines)
		return;
	for (size_t i = 0; i < NR_PLACES; i++)
		texts[i] = find(lines, places[i]);
	for (size_t i = 0; i < NR_PLACES; i++)
		expect(lines, places[i], texts[i]);
	dwarf_lines__free(lines);
	lines = open_lines(path);
	if (!lines)
		abort();
	for (size_t i = 0; i < NR_PLACES; i++) {
		expect(lines, places[i], texts[i]);
		free(texts[i]);
	}
	dwarf_lines__free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	char path[32];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	try_lines(path);
	close(fd);
	return 0;
}
