// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as a program in which probes are attached, and reads its functions and their
 * return instructions, and its USDT points. The places must be in the code that the file loads.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/machine/scope/scope-functions.h"
#include "util/machine/scope/scope-go.h"
#include "util/machine/scope/scope-match.h"
#include "util/machine/scope/scope-returns.h"
#include "util/machine/scope/scope-usdt.h"
#include "util/machine/scope/scope-word.h"
#include "util/machine/symbols/elf-file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	return 0;
}

/* Checks that the place is at the file offset of its address. */
static void check_place(const struct elf_file *file, uint64_t address, uint64_t offset)
{
	struct elf_segments segments;
	uint64_t found;

	if (elf_file__segments(file, &segments) ||
	    elf_segments__offset_of(&segments, address, true, &found) || found != offset)
		abort();
	free(segments.segments);
}

static void try_returns(const struct elf_file *file, const struct scope_function *function)
{
	struct scope_returns returns;
	int err = scope_returns__find(file, function, &returns);

	if (err && !*scope_returns__strerror(err))
		abort();
	for (size_t i = 0; i < returns.nr && !err; i++)
		if (returns.offsets[i] - function->offset >= function->size)
			abort();
	if (!err)
		scope_returns__free(&returns);
}

static void try_match(struct scope_functions *functions, const char *pattern)
{
	struct scope_matches found;
	struct scope_word word;

	if (scope_word__init(&word, pattern, pattern + strlen(pattern), 1))
		abort();
	if (scope_match__find(functions, &word, &found))
		abort();
	for (size_t i = 1; i < found.nr; i++)
		if (found.matches[i - 1].function->address >= found.matches[i].function->address)
			abort();
	scope_matches__free(&found);
	scope_word__free(&word);
}

static void try_functions(const struct elf_file *file)
{
	struct scope_functions *functions;
	const struct scope_function *all, *found;
	size_t nr;

	if (scope_functions__read(&functions, file, "/nonexistent"))
		return;
	all = scope_functions__all(functions, &nr);
	if (!nr)
		abort();
	for (size_t i = 0; i < nr; i++) {
		if (!*all[i].name || (i && all[i].address < all[i - 1].address))
			abort();
		check_place(file, all[i].address, all[i].offset);
		found = scope_functions__at(functions, all[i].address);
		if (!found || found->address != all[i].address)
			abort();
		if (i < 16)
			try_returns(file, &all[i]);
	}
	try_match(functions, "*");
	try_match(functions, "main");
	scope_functions__free(functions);
}

static int check_usdt(const struct usdt_place *place, void *arg)
{
	if (!place->provider || !place->name || !*place->name ||
	    strlen(place->provider) > ELF_MOST_NAME_BYTES)
		abort();
	check_place(arg, place->address, place->offset);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_file file;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (elf_file__open_fd(&file, fd))
		return 0;
	try_functions(&file);
	scope_usdt__each(&file, check_usdt, &file);
	scope_go__is(&file);
	elf_file__close(&file);
	return 0;
}
