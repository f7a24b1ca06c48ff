// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/elf-symbol.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/sysfs.h"

struct elf_file {
	int fd;
	Elf *elf;
	GElf_Ehdr header;
};

static void elf_file__close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
}

static int elf_file__open(struct elf_file *file, const char *path)
{
	int err = 0;

	*file = (struct elf_file){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (file->fd < 0)
		return -errno;
	if (elf_version(EV_CURRENT) != EV_NONE)
		file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &file->header) ||
	    (file->header.e_type != ET_EXEC && file->header.e_type != ET_DYN))
		err = -ENOEXEC;
	if (err)
		elf_file__close(file);
	return err;
}

/* Calls @each for each symbol that has a place in this file. -ENODATA when there is no table of @type. */
static int each_symbol(const struct elf_file *file, GElf_Word type,
		       void (*each)(const char *name, const GElf_Sym *symbol, void *arg), void *arg)
{
	Elf_Scn *section = NULL;
	int err = -ENODATA;

	while ((section = elf_nextscn(file->elf, section))) {
		Elf_Data *data = NULL;
		GElf_Shdr header;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) || header.sh_type != type)
			continue;
		while ((data = elf_getdata(section, data))) {
			for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
				const char *name = elf_strptr(file->elf, header.sh_link, symbol.st_name);

				if (name && *name && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS)
					each(name, &symbol, arg);
			}
		}
		err = 0;
	}
	return err;
}

/* The path of the debug file with the same build id, as distributions install them; empty without. */
static void debug_path(const struct elf_file *file, char *path, size_t size)
{
	Elf_Scn *section = NULL;

	*path = '\0';
	while ((section = elf_nextscn(file->elf, section))) {
		size_t name_at, desc_at, at = 0;
		Elf_Data *data;
		GElf_Shdr header;
		GElf_Nhdr note;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		while (data && (at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
			const unsigned char *id = (const unsigned char *)data->d_buf + desc_at;
			int len;

			if (note.n_type != NT_GNU_BUILD_ID || note.n_descsz < 2 || note.n_descsz > 64)
				continue;
			len = snprintf(path, size, "/usr/lib/debug/.build-id/%02x/", id[0]);
			for (unsigned int i = 1; i < note.n_descsz; i++)
				len += snprintf(path + len, size - (size_t)len, "%02x", id[i]);
			snprintf(path + len, size - (size_t)len, ".debug");
			return;
		}
	}
}

/* .symtab, that of the debug file, or else .dynsym. */
static int each_best(const char *path, bool *relative,
		     void (*each)(const char *name, const GElf_Sym *symbol, void *arg), void *arg)
{
	char debug[256];
	struct elf_file file, other;
	int err = elf_file__open(&file, path);

	if (err)
		return err;
	*relative = file.header.e_type == ET_DYN;
	err = each_symbol(&file, SHT_SYMTAB, each, arg);
	if (err) {
		debug_path(&file, debug, sizeof(debug));
		if (*debug && !elf_file__open(&other, debug)) {
			err = each_symbol(&other, SHT_SYMTAB, each, arg);
			elf_file__close(&other);
		}
	}
	if (err)
		err = each_symbol(&file, SHT_DYNSYM, each, arg);
	elf_file__close(&file);
	return err;
}

struct search {
	const char *name;
	struct elf_symbol *symbol;
	int err;	/* -ENOENT until one is found */
	bool is_global; /* the one that was found */
};

static void compare(const char *name, const GElf_Sym *sym, void *arg)
{
	bool is_global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	int type = GELF_ST_TYPE(sym->st_info);
	struct search *search = arg;

	if (strcmp(name, search->name) || type == STT_SECTION || type == STT_FILE)
		return;
	if (search->err != -ENOENT && is_global == search->is_global && sym->st_value == search->symbol->address)
		return; /* an alias, or the same symbol again */
	if (search->err != -ENOENT && search->is_global)
		return; /* a local one does not hide a global one */
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
		return "it has several of that name, each of its own source file: give the address";
	case -ENOEXEC:
		return "it is no ELF program (a script? name the program that runs it)";
	case -ENODATA:
		return "it was stripped of its symbols, and there is no debug file of it";
	case -EOPNOTSUPP:
		return "each thread has one of its own, at an address of its own";
	default:
		return strerror(-err);
	}
}

struct names {
	void (*each)(const char *name, void *arg);
	void *arg;
};

static void tell_name(const char *name, const GElf_Sym *sym, void *arg)
{
	int type = GELF_ST_TYPE(sym->st_info);
	struct names *names = arg;

	if (type == STT_OBJECT || type == STT_FUNC)
		names->each(name, names->arg);
}

void elf_symbol__for_each(const char *file, void (*each)(const char *name, void *arg), void *arg)
{
	struct names names = { each, arg };
	bool relative;

	each_best(file, &relative, tell_name, &names);
}

/* Where the kernel put the program headers (getauxval(3)). */
static int read_phdr_address(const struct sysroots *roots, pid_t pid, uint64_t *address)
{
	char path[PATH_MAX];
	uint64_t pair[2]; /* of unsigned long: 64-bit programs only */
	int fd, err = -ENODATA;

	snprintf(path, sizeof(path), "%s/%d/auxv", roots->procfs, pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
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
	int err = elf_file__open(&file, path);

	*bias = 0;
	if (err)
		return err;
	if (file.header.e_type == ET_EXEC)
		goto out;
	err = gelf_getclass(file.elf) == ELFCLASS64 && !elf_getphdrnum(file.elf, &nr) ? 0 : -EOPNOTSUPP;
	/* the program headers lie in the part of the file that some segment loads */
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
