// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as a file with source lines, and as the debug file of a program without source
 * lines (stripped-program). The file must be refused; or each line must have a file and a number
 * above 0, and all frames except the last one must be inlined functions. A second query, and a
 * query after opening the file again, must give the same result.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/dwarf-lines.h"
#include "util/machine/symbols/elf-file.h"

/* Addresses of the corpus' functions, and addresses without code. */
static const uint64_t places[] = { 0,	     4,	       0x10,	 0x4001eb, 0x4001f0, 0x40023c,
				   0x400205, 0x40020c, 0x400212, 0x400240, 0x4001f6, 0x4001fc,
				   0x40021e, 0x400248, 0x400250, 0x400300, 0x100000, UINT64_MAX };
#define NR_PLACES (sizeof(places) / sizeof(places[0]))

static char program[128], debug_file[128]; /* below machine.dir, the folder of debug files */

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char bytes[4096];
	FILE *file = fopen("tests/fuzz/stripped-program", "r");
	size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	if (!size || fclose(file))
		abort();
	machine__init();
	fake_roots__file(&machine, ".build-id/ab/cdef0123456789.debug", "");
	snprintf(debug_file, sizeof(debug_file), "%s/.build-id/ab/cdef0123456789.debug",
		 machine.dir);
	snprintf(program, sizeof(program), "%s/program", machine.dir);
	write_file(program, bytes, size);
	return 0;
}

/* Returns "FUNCTION FILE:LINE" of all frames, which the caller frees, or NULL if there are none. */
static char *find(struct dwarf_lines *lines, uint64_t address)
{
	struct source_frame frames[SOURCE_MOST_FRAMES];
	int nr = dwarf_lines__find(lines, address, SOURCE_LINES | SOURCE_INLINED, frames);
	struct strbuf text = STRBUF_INIT;

	if (nr == -ENOENT)
		return NULL;
	if (nr < 1 || nr > SOURCE_MOST_FRAMES)
		abort();
	for (int i = 0; i < nr; i++) {
		const struct source_frame *frame = &frames[i];

		if (!frame->function != (i == nr - 1) || (frame->file && !*frame->file) ||
		    !frame->file != !frame->line || frame->line < 0)
			abort();
		strbuf__addf(&text, "%s %s:%d\n", frame->function ?: "", frame->file ?: "",
			     frame->line);
	}
	if (strbuf__failed(&text))
		abort();
	return text.text;
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
	struct build_id id = { .len = 0 };
	struct dwarf_files files;
	struct dwarf_lines *lines;
	struct elf_file elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (!elf_file__open(&elf, path)) {
		elf_file__build_id(&elf, &id);
		elf_file__close(&elf);
	}
	dwarf_files__open(&files, fd, &id, machine.dir);
	err = dwarf_lines__open(&files, &lines);
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
	write_file(debug_file, data, size);
	try_lines(debug_file);
	try_lines(program);
	return 0;
}
