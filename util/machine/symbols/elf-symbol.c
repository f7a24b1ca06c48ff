// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/elf-symbol.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/far-file.h"

/* Opens the debug file that is installed for the build id of @file. Returns 0 or -errno. */
static int open_debug(const struct elf_file *file, struct elf_file *debug)
{
	struct build_id id;

	return elf_file__build_id(file, &id) ?: far_file__open_debug_elf(&id, DEBUG_DIRS, debug);
}

/*
 * Calls @each for the symbols in the first table that can be read: .symtab of the file @path,
 * .symtab of its debug file, or .dynsym of the file @path. Sets *@relative as in struct elf_symbol.
 * Returns 0 or -errno.
 */
static int each_best(const char *path, bool *relative,
		     void (*each)(const struct elf_symbol_seen *seen, void *arg), void *arg)
{
	struct elf_file file, other;
	int err = far_file__open_elf(path, &file);

	if (err)
		return err;
	*relative = file.header.e_type == ET_DYN;
	err = elf_file__each_symbol(&file, SHT_SYMTAB, each, arg);
	if (err && !open_debug(&file, &other)) {
		err = elf_file__each_symbol(&other, SHT_SYMTAB, each, arg);
		elf_file__close(&other);
	}
	if (err)
		err = elf_file__each_symbol(&file, SHT_DYNSYM, each, arg);
	elf_file__close(&file);
	return err;
}

struct search {
	const char *name;
	struct elf_symbol *symbol;
	int err;	/* -ENOENT until a symbol is found */
	bool is_global; /* the symbol that was found is global */
};

static void compare(const struct elf_symbol_seen *seen, void *arg)
{
	const GElf_Sym *sym = seen->symbol;
	bool is_global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	int type = GELF_ST_TYPE(sym->st_info);
	struct search *search = arg;

	if (strcmp(seen->name, search->name) || type == STT_SECTION || type == STT_FILE)
		return;
	if (search->err != -ENOENT && is_global == search->is_global &&
	    sym->st_value == search->symbol->address)
		return; /* an alias, or the same symbol again */
	if (search->err != -ENOENT && search->is_global)
		return; /* keep the first global symbol */
	if (search->err != -ENOENT && !is_global) {
		search->err = -EEXIST;
		return;
	}
	search->err = type == STT_TLS ? -EOPNOTSUPP : 0;
	search->is_global = is_global;
	search->symbol->address = sym->st_value;
	search->symbol->size = sym->st_size;
}

int elf_symbol__find(const char *file, const char *name, struct elf_symbol *symbol)
{
	struct search search = { .name = name, .symbol = symbol, .err = -ENOENT };
	int err;

	*symbol = (struct elf_symbol){ 0 };
	err = each_best(file, &symbol->relative, compare, &search);
	return err ?: search.err;
}

const char *elf_symbol__strerror(int err)
{
	switch (err) {
	case -ENOENT:
		return "it has no symbol of that name";
	case -EEXIST:
		return "it has several symbols of that name in different source files: give the "
		       "address";
	case -ENOEXEC:
		return "it is not an ELF program (a script? name its interpreter)";
	case -ENODATA:
		return "it is stripped, and its debug file is not installed";
	case -EOPNOTSUPP:
		return "it is thread-local: each thread has its own address";
	default:
		return elf_file__strerror(err);
	}
}

struct names {
	void (*each)(const char *name, void *arg);
	void *arg;
};

static void pass_name(const struct elf_symbol_seen *seen, void *arg)
{
	int type = GELF_ST_TYPE(seen->symbol->st_info);
	struct names *names = arg;

	if (type == STT_OBJECT || type == STT_FUNC)
		names->each(seen->name, names->arg);
}

void elf_symbol__for_each(const char *file, void (*each)(const char *name, void *arg), void *arg)
{
	struct names names = { each, arg };
	bool relative;

	each_best(file, &relative, pass_name, &names);
}

/* Reads the address at which the kernel loaded the program headers (AT_PHDR in getauxval(3)). */
static int read_phdr_address(const struct sysroots *roots, pid_t pid, uint64_t *address)
{
	char path[PATH_MAX];
	uint64_t pair[2]; /* type and value of one entry, in the format of a 64-bit process */
	int fd, err = -ENODATA;

	snprintf(path, sizeof(path), "%s/%d/auxv", sysroots__tasks(roots), pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	while (err && read(fd, pair, sizeof(pair)) == sizeof(pair)) {
		if (pair[0] == AT_PHDR) {
			*address = pair[1];
			err = 0;
		}
	}
	close(fd);
	return err;
}

int elf_symbol__load_bias(const struct sysroots *roots, pid_t pid, const char *path, uint64_t *bias)
{
	uint64_t in_memory = 0, linked = 0;
	struct elf_file file;
	bool found = false;
	size_t nr = 0;
	int err = far_file__open_elf(path, &file);

	*bias = 0;
	if (err)
		return err;
	if (file.header.e_type == ET_EXEC)
		goto out;
	err = gelf_getclass(file.elf) == ELFCLASS64 && !elf_getphdrnum(file.elf, &nr) ? 0 :
											-EOPNOTSUPP;
	/* find the segment that contains the program headers */
	for (size_t i = 0; !err && i < nr && !found; i++) {
		GElf_Phdr segment;

		found = gelf_getphdr(file.elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
			file.header.e_phoff - segment.p_offset < segment.p_filesz;
		if (found)
			linked = segment.p_vaddr + file.header.e_phoff - segment.p_offset;
	}
	if (!err && !found)
		err = -ENODATA;
	err = err ?: read_phdr_address(roots, pid, &in_memory);
	*bias = err ? 0 : in_memory - linked;
out:
	elf_file__close(&file);
	return err;
}
