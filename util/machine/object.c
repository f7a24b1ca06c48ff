// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/object.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/machine/elf-file.h"
#include "util/machine/symbol-table.h"

struct object {
	char *name, *path;
	struct build_id id;
	const char *debug_dirs; /* not owned */
	bool opened, lines_opened;
	int err;	      /* of opening: -errno; -ESTALE when another file is there now */
	int symbols_err;      /* why there are none */
	struct elf_file file; /* when opened and !err */
	struct symbol_table *symbols;
	struct dwarf_lines *lines; /* NULL: there are none */
};

struct object *object__new(const char *name, const char *path, const struct build_id *id, const char *debug_dirs)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
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
	if (object->opened && !object->err)
		elf_file__close(&object->file);
	symbol_table__free(object->symbols);
	dwarf_lines__free(object->lines);
	free(object->name);
	free(object->path);
	free(object);
}

const char *object__name(const struct object *object)
{
	return object->name;
}

const struct build_id *object__build_id(const struct object *object)
{
	return &object->id;
}

/* The file of that path may be another one by now: an upgrade, or a program that was built again. */
static int open_file(struct object *object)
{
	struct build_id id;
	int err = object->path ? elf_file__open(&object->file, object->path) : -ENOENT;

	if (err)
		return err;
	elf_file__build_id(&object->file, &id);
	if (build_id__is_set(&object->id) && !build_id__equal(&object->id, &id)) {
		elf_file__close(&object->file);
		return -ESTALE;
	}
	object->id = id; /* with its length, which the kernel does not tell */
	return 0;
}

static int read_symbols(struct object *object)
{
	char debug[PATH_MAX];
	bool has_debug = !build_id__find_debug(&object->id, object->debug_dirs, debug, sizeof(debug));

	object->symbols = symbol_table__new();
	if (!object->symbols)
		return -ENOMEM;
	return symbol_table__add_file(object->symbols, object->path, has_debug ? debug : NULL);
}

static void open_once(struct object *object)
{
	if (object->opened)
		return;
	object->opened = true;
	object->err = open_file(object);
	object->symbols_err = object->err ?: read_symbols(object);
	if (object->symbols_err)
		pr_info("%s: no functions are known: %s", object->name, object__why_no_symbols(object));
}

void object__find(struct object *object, uint64_t offset, struct code_place *place)
{
	const struct symbol *symbol;

	*place = (struct code_place){ .function = NULL };
	open_once(object);
	if (object->err || elf_file__address_of(&object->file, offset, &place->address) || !object->symbols)
		return;
	symbol = symbol_table__find(object->symbols, place->address);
	if (!symbol)
		return;
	place->function = symbol->name;
	place->offset = place->address - symbol->address;
}

int object__find_line(struct object *object, const struct code_place *place, struct source_line *line)
{
	*line = (struct source_line){ .file = NULL };
	open_once(object);
	if (!object->err && !object->lines_opened)
		dwarf_lines__open(object->path, object->debug_dirs, &object->lines);
	object->lines_opened = true;
	return object->lines && place->address ? dwarf_lines__find(object->lines, place->address, line) : -ENOENT;
}

const char *object__why_no_symbols(const struct object *object)
{
	switch (object->opened ? object->symbols_err : 0) {
	case 0:
		return NULL;
	case -ESTALE:
		return "another file is there now, of another build id";
	case -ENODATA:
		return "it was stripped of its symbols, and there is no debug file of it";
	case -ENOEXEC:
		return "it is no ELF file";
	default:
		return object->path	      ? strerror(-object->symbols_err) :
		       object->name[0] == '/' ? "it cannot be opened" :
						"it is no file";
	}
}
