// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as a mapped program, and reads its build ID, its functions and their addresses,
 * and its symbols.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/elf-symbol.h"
#include "util/machine/symbols/object.h"
#include "util/machine/symbols/symbol-table.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	return 0;
}

/* The build ID must consist of two digits for each of 2 to 20 bytes. */
static void try_build_id(const char *path)
{
	char hex[BUILD_ID_HEX_SIZE], debug[PATH_MAX];
	struct elf_file file;
	struct build_id id;

	if (elf_file__open(&file, path))
		return;
	if (!elf_file__build_id(&file, &id)) {
		build_id__hex(&id, hex);
		if (id.len < 2 || strlen(hex) != 2 * (size_t)id.len ||
		    strspn(hex, "0123456789abcdef") != strlen(hex))
			abort();
		if (build_id__debug_path(&id, "/nonexistent", 12, debug, sizeof(debug)))
			abort();
	}
	elf_file__close(&file);
}

static void try_symbols(const char *path)
{
	struct symbol_table *table = symbol_table__new();
	const struct symbol *found;
	int err;

	if (!table)
		abort();
	err = symbol_table__add_file(table, path);
	/* There can be stubs of the PLT even if nothing else has a name. */
	if (!err && !symbol_table__nr(table))
		abort();
	for (uint64_t address = 1; address; address <<= 1) {
		found = symbol_table__find(table, address);
		if (found && (found->address > address || !*found->name))
			abort();
	}
	symbol_table__free(table);
}

/*
 * Each function in the list must be found by name, unless several functions with this name are at
 * different addresses.
 */
static void find_again(const char *name, void *arg)
{
	struct elf_symbol symbol;
	int err = elf_symbol__find(arg, name, &symbol);

	if (!name || !*name || (err && err != -EEXIST && err != -EOPNOTSUPP))
		abort();
}

static void try_names(const char *path)
{
	struct elf_symbol symbol;
	int err = elf_symbol__find(path, "main", &symbol);

	if (err && !*elf_symbol__strerror(err))
		abort();
	elf_symbol__for_each(path, find_again, (void *)path);
}

static void try_object(const char *path)
{
	struct object *object = object__new("x", path, NULL, "/nonexistent");
	struct code_place place;

	if (!object)
		abort();
	for (uint64_t offset = 0; offset < 8192; offset += 256) {
		object__find(object, offset, &place);
		if (place.function && !*place.function)
			abort();
		if (place.address && object__find_start(object, &place) > place.address)
			abort();
	}
	object__free(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	char path[32];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	try_build_id(path);
	try_symbols(path);
	try_names(path);
	try_object(path);
	close(fd);
	return 0;
}
