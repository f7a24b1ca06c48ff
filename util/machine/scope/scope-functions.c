// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/interrupt.h"
#include "util/base/near-names.h"
#include "util/machine/scope/scope-go.h"
#include "util/machine/scope/scope-versions.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/demangler.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/far-file.h"

/*
 * The maximum size of a symbol's name, including a version that the linker has appended. Symbols
 * with longer names are ignored, because only hostile files contain them.
 */
#define MOST_NAME_BYTES 16384
/* The maximum total size of the names in scope_functions.cut. */
#define MOST_CUT_BYTES (16 << 20)

struct scope_functions {
	struct scope_function *functions;
	size_t nr, room;
	struct elf_segments segments;
	struct elf_file debug; /* valid if `has_debug` is set; stays open, as names point into it */
	bool has_debug;
	bool has_local; /* .symtab, the debug file or Go's table has functions */
	struct scope_versions versions;
	struct demangler *demangler; /* NULL until a name is demangled */
	char **cut;		     /* names from which cut_version() has removed the version */
	size_t nr_cut, cut_bytes;
};

/* ---- reading ---- */

struct reading {
	struct scope_functions *functions;
	bool is_dynamic; /* the table is .dynsym; its versions are in another section */
	int err;
};

static struct scope_function *new_function(struct scope_functions *functions)
{
	if (functions->nr == functions->room) {
		size_t room = functions->room ? 2 * functions->room : 1024;
		struct scope_function *more =
			reallocarray(functions->functions, room, sizeof(*more));

		if (!more)
			return NULL;
		functions->functions = more;
		functions->room = room;
	}
	return &functions->functions[functions->nr++];
}

/*
 * If the linker has appended a version to the name of a symbol in .symtab ("f@VERSION", or
 * "f@@VERSION" for the default version), moves the version to function->version.
 */
static int cut_version(struct scope_functions *functions, struct scope_function *function)
{
	const char *at = strchr(function->name, '@');
	char **more, *name;

	if (!at || at == function->name)
		return 0;
	functions->cut_bytes += (size_t)(at - function->name);
	if (functions->cut_bytes > MOST_CUT_BYTES)
		return -E2BIG;
	name = strndup(function->name, (size_t)(at - function->name));
	more = name ? reallocarray(functions->cut, functions->nr_cut + 1, sizeof(*more)) : NULL;
	if (!more) {
		free(name);
		return -ENOMEM;
	}
	functions->cut = more;
	more[functions->nr_cut++] = name;
	function->name = name;
	function->version = at + 1 + (at[1] == '@');
	return 0;
}

static void read_one(const struct elf_symbol_seen *seen, void *arg)
{
	int type = GELF_ST_TYPE(seen->symbol->st_info);
	struct reading *reading = arg;
	struct scope_functions *functions = reading->functions;
	struct scope_function *function;
	uint64_t offset;

	if (reading->err || (type != STT_FUNC && type != STT_GNU_IFUNC) ||
	    strnlen(seen->name, MOST_NAME_BYTES + 1) > MOST_NAME_BYTES ||
	    (seen->section && !(seen->section->sh_flags & SHF_EXECINSTR)) ||
	    elf_segments__offset_of(&functions->segments, seen->symbol->st_value, true, &offset))
		return;
	function = new_function(functions);
	if (!function) {
		reading->err = -ENOMEM;
		return;
	}
	*function = (struct scope_function){ .address = seen->symbol->st_value,
					     .size = seen->symbol->st_size,
					     .offset = offset,
					     .name = seen->name,
					     .is_indirect = type == STT_GNU_IFUNC,
					     .rank = elf_file__rank(seen->symbol) };
	if (reading->is_dynamic)
		function->version = scope_versions__of(&functions->versions, seen->index);
	else
		reading->err = cut_version(functions, function);
}

static int read_table(struct scope_functions *functions, const struct elf_file *file,
		      GElf_Word type)
{
	struct reading reading = { .functions = functions, .is_dynamic = type == SHT_DYNSYM };
	int err = elf_file__each_symbol(file, type, read_one, &reading);

	if (reading.err)
		return reading.err;
	return err == -ENODATA ? 0 : err;
}

/*
 * Reads the functions of the debug file. A missing or unreadable debug file is not an error.
 */
static int read_debug(struct scope_functions *functions, const struct elf_file *file,
		      const char *debug_dirs)
{
	struct build_id id;
	int err = elf_file__build_id(file, &id);

	err = err ?: far_file__open_debug_elf(&id, debug_dirs, &functions->debug);
	if (err)
		return err == -EINTR ? err : 0;
	functions->has_debug = true;
	err = read_table(functions, &functions->debug, SHT_SYMTAB);
	return err == -ENOMEM || err == -EINTR ? err : 0;
}

static int read_go_function(const char *name, uint64_t address, uint64_t size, void *arg)
{
	struct scope_functions *functions = arg;
	struct scope_function *function;
	uint64_t offset;

	if (elf_segments__offset_of(&functions->segments, address, true, &offset))
		return 0;
	function = new_function(functions);
	if (!function)
		return -ENOMEM;
	*function = (struct scope_function){
		.address = address, .size = size, .offset = offset, .name = name
	};
	return 0;
}

static int read_go(struct scope_functions *functions, const struct elf_file *file)
{
	int err = scope_go__each_function(file, read_go_function, functions);

	return err == -ENODATA ? 0 : err;
}

static int by_address(const void *a, const void *b)
{
	const struct scope_function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	/* libraries use aliases with a leading underscore internally, so prefer names without it */
	if ((*x->name == '_') != (*y->name == '_'))
		return *x->name == '_' ? 1 : -1;
	return strcmp(x->name, y->name) ?: !!y->version - !!x->version;
}

/*
 * If a symbol is in both .dynsym and .symtab, keeps only one copy: the copy with a version, if
 * there is one.
 */
static void remove_doubles(struct scope_functions *functions)
{
	struct scope_function *all = functions->functions;
	size_t kept = 0;

	for (size_t i = 0; i < functions->nr; i++) {
		const struct scope_function *last = kept ? &all[kept - 1] : NULL;

		if (last && last->address == all[i].address && !strcmp(last->name, all[i].name) &&
		    (!all[i].version || (last->version && !strcmp(last->version, all[i].version))))
			continue;
		all[kept++] = all[i];
	}
	functions->nr = kept;
}

int scope_functions__read(struct scope_functions **result, const struct elf_file *file,
			  const char *debug_dirs)
{
	struct scope_functions *functions = calloc(1, sizeof(*functions));
	int err = functions ? elf_file__segments(file, &functions->segments) : -ENOMEM;

	*result = NULL;
	if (err == -ENOENT)
		err = -ENODATA;
	err = err ?: read_table(functions, file, SHT_SYMTAB);
	if (!err && !functions->nr)
		err = read_debug(functions, file, debug_dirs);
	if (!err && !functions->nr)
		err = read_go(functions, file);
	if (functions)
		functions->has_local = functions->nr;
	err = err ?: scope_versions__read(&functions->versions, file);
	err = err ?: read_table(functions, file, SHT_DYNSYM);
	if (!err && !functions->nr)
		err = elf_file__is_truncated(file) ? -EBADMSG : -ENODATA;
	if (err) {
		scope_functions__free(functions);
		return err;
	}
	qsort(functions->functions, functions->nr, sizeof(*functions->functions), by_address);
	remove_doubles(functions);
	*result = functions;
	return 0;
}

void scope_functions__free(struct scope_functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->nr_cut; i++)
		free(functions->cut[i]);
	free(functions->cut);
	if (functions->has_debug)
		elf_file__close(&functions->debug);
	scope_versions__free(&functions->versions);
	demangler__free(functions->demangler);
	free(functions->segments.segments);
	free(functions->functions);
	free(functions);
}

bool scope_functions__are_exported_only(const struct scope_functions *functions)
{
	return !functions->has_local;
}

const struct scope_function *scope_functions__all(const struct scope_functions *functions,
						  size_t *nr)
{
	*nr = functions->nr;
	return functions->functions;
}

const struct scope_function *scope_functions__at(const struct scope_functions *functions,
						 uint64_t address)
{
	const struct scope_function *all = functions->functions;
	size_t low = 0, high = functions->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	while (low > 1 && all[low - 2].address == all[low - 1].address)
		low--;
	if (address == all[low - 1].address || address - all[low - 1].address < all[low - 1].size)
		return &all[low - 1];
	return NULL;
}

const char *scope_functions__readable(struct scope_functions *functions, const char *name)
{
	if (!functions->demangler)
		functions->demangler = demangler__new();
	/* false: do not trust the name, because the file may belong to another user */
	return functions->demangler ? demangler__name(functions->demangler, name, false) : NULL;
}
