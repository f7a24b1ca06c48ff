// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/function-starts.h"
#include "util/machine/symbols/line-reader.h"
#include "util/machine/symbols/mapped-file.h"
#include "util/machine/symbols/memory-shares.h"
#include "util/base/regular-file.h"
#include "util/machine/symbols/symbol-table.h"

struct object {
	char *name, *path;
	struct build_id id;
	const char *debug_dirs; /* not owned */
	struct mapped_file file;
	struct memory_shares *shares; /* not owned; NULL: there is no limit */
	bool opened, lines_opened, starts_read;
	/*
	 * 0; -ESTALE if another file has replaced the file; or another -errno if the file or its
	 * segments could not be read
	 */
	int err;
	int symbols_err; /* `err` or, if it is 0, the result of read_symbols() */
	struct elf_segments segments;
	struct symbol_table *symbols;
	struct function_starts starts; /* read by the first call of object__find_start() */
	struct line_reader *lines;     /* NULL: not opened yet, or cannot be opened */
};

struct object *object__new(const char *name, const char *path, const struct build_id *id,
			   const char *debug_dirs)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->file = (struct mapped_file)MAPPED_FILE_INIT;
	object->debug_dirs = debug_dirs;
	object->name = strdup(name);
	object->path = path ? strdup(path) : NULL;
	if (id)
		object->id = *id;
	if (!object->name || (path && !object->path)) {
		object__free(object);
		return NULL;
	}
	return object;
}

void object__free(struct object *object)
{
	if (!object)
		return;
	mapped_file__free(&object->file);
	free(object->segments.segments);
	symbol_table__free(object->symbols);
	function_starts__free(&object->starts);
	line_reader__free(object->lines);
	free(object->name);
	free(object->path);
	free(object);
}

const char *object__name(const struct object *object)
{
	return object->name;
}

bool object__is_memory(const struct object *object)
{
	static const char *const names[] = { "[anon",	  "[heap",	    "[stack", "/memfd:",
					     "/dev/zero", "/anon_hugepage", "/SYSV" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(object->name, names[i], strlen(names[i])))
			return true;
	return false;
}

const struct build_id *object__build_id(const struct object *object)
{
	return &object->id;
}

void object__take_file(struct object *object, const struct mapped_file *file,
		       struct memory_shares *shares)
{
	object->file = *file;
	object->shares = shares;
}

bool object__is_trusted(const struct object *object)
{
	return mapped_file__is_trusted(&object->file);
}

/* Returns a descriptor of the file, or -errno. */
static int open_fd(const struct object *object, struct stat *st)
{
	if (!object->file.is_found)
		return object->path ? regular_file__open(object->path, st) : -ENOENT;
	return mapped_file__open(&object->file, st);
}

/*
 * Opens the file. Returns 0; -ESTALE if another file is at its path now, for example after an
 * upgrade or a new build; or another -errno.
 */
static int open_elf(struct object *object, struct elf_file *elf, struct stat *st)
{
	struct build_id id;
	int fd = open_fd(object, st), err = fd < 0 ? fd : elf_file__open_fd(elf, fd);

	if (err)
		return err;
	elf_file__build_id(elf, &id);
	if (build_id__is_set(&object->id) && !build_id__equal(&object->id, &id)) {
		elf_file__close(elf);
		return -ESTALE;
	}
	object->id = id; /* sets the id or, if only its length was unknown, the length */
	return 0;
}

static int read_symbols(struct object *object, const struct elf_file *elf, const struct stat *st)
{
	int err, bound = 0;

	object->symbols = symbol_table__new();
	if (!object->symbols)
		return -ENOMEM;
	err = symbol_table__add_elf(object->symbols, elf, &object->id, object->debug_dirs);
	/* keep the table after -ENODATA: the file has no functions, but may have PLT stubs */
	if (err && err != -ENODATA)
		bound = err;
	else if (object->shares)
		bound = memory_shares__take(object->shares, st->st_uid,
					    symbol_table__bytes(object->symbols));
	if (bound) {
		symbol_table__free(object->symbols);
		object->symbols = NULL;
	}
	return bound ?: err;
}

/*
 * Prints why no functions are known: as a warning if the file exceeds a limit; otherwise at the
 * level LOG_INFO, because stripped files are common.
 */
static void report_unread(const struct object *object)
{
	int err = object->symbols_err;
	bool is_bound = err == -E2BIG || err == -EDQUOT;

	log__print(is_bound ? LOG_WARNING : LOG_INFO, "%s: no functions are known: %s",
		   object->name, object__why_no_symbols(object));
}

static void open_once(struct object *object)
{
	struct elf_file elf;
	struct stat st;

	if (object->opened)
		return;
	/* leave `opened` unset, so that a later report tries again */
	if (interrupt__is_due())
		return;
	object->opened = true;
	object->err = open_elf(object, &elf, &st);
	object->symbols_err = object->err;
	if (!object->err) {
		object->err = elf_file__segments(&elf, &object->segments);
		object->symbols_err = object->err ?: read_symbols(object, &elf, &st);
		elf_file__close(&elf);
	}
	if (object->symbols_err)
		report_unread(object);
}

void object__find(struct object *object, uint64_t offset, struct code_place *place)
{
	const struct symbol *symbol;
	int err;

	*place = (struct code_place){ .function = NULL };
	open_once(object);
	if (!object->opened || object->err)
		return;
	err = elf_segments__address_of(&object->segments, offset, &place->address);
	place->is_outside = err == -ENOENT;
	if (err)
		place->address = 0;
	if (err || !object->symbols)
		return;
	symbol = symbol_table__find(object->symbols, place->address);
	if (!symbol)
		return;
	place->function = symbol->name;
	place->offset = place->address - symbol->address;
}

static void read_starts(struct object *object)
{
	struct elf_file elf;
	struct stat st;

	if (interrupt__is_due())
		return;
	object->starts_read = true;
	if (open_elf(object, &elf, &st))
		return;
	/* if the list cannot be read, it stays empty */
	function_starts__read(&object->starts, &elf);
	if (object->shares &&
	    memory_shares__take(object->shares, st.st_uid,
				object->starts.nr * sizeof(*object->starts.starts)))
		function_starts__free(&object->starts);
	elf_file__close(&elf);
}

uint64_t object__find_start(struct object *object, const struct code_place *place)
{
	if (!object->starts_read)
		read_starts(object);
	return function_starts__find(&object->starts, place->address);
}

/* Opens the file again, for the child process that reads DWARF data (line-reader.h). */
static void open_lines(struct object *object, unsigned int what)
{
	struct line_file file = {
		.name = object->name,
		.id = &object->id,
		.debug_dirs = object->debug_dirs,
		.is_trusted = object__is_trusted(object),
	};
	struct stat st;

	object->lines_opened = true;
	file.fd = open_fd(object, &st);
	if (file.fd >= 0)
		line_reader__new(&file, what, &object->lines);
}

int object__find_source(struct object *object, const struct code_place *place, unsigned int what,
			const struct source_frame **frames)
{
	open_once(object);
	if (!place->address || !object->opened || object->err)
		return -ENOENT;
	if (!object->lines_opened)
		open_lines(object, what);
	return object->lines ? line_reader__find(object->lines, place->address, frames) : -ENOENT;
}

const char *object__why_no_symbols(const struct object *object)
{
	switch (object->opened ? object->symbols_err : 0) {
	case 0:
		return NULL;
	case -ESTALE:
		return "another file with a different build ID has replaced it";
	case -ENODATA:
		return "it is stripped, and its debug file is not installed";
	case -EDQUOT:
		return "the symbols of its owner's files need more than " MEMORY_SHARE_TEXT
		       " of memory";
	default:
		return object->symbols_err != -ENOENT || object->path ?
			       elf_file__strerror(object->symbols_err) :
		       object->name[0] == '/' ? "it cannot be opened" :
						"it is not a file";
	}
}
