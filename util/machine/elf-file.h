/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF program or library, as far as a search for its symbols needs it. The file may be another user's, and is then whatever that user
 * wrote: its tables are bounded before libelf reads them, and nothing of it is mapped, as its owner may truncate it at any time.
 */
#ifndef PSTAT_MACHINE_ELF_FILE_H
#define PSTAT_MACHINE_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_id;

/* A file with more is not read: -E2BIG. Programs of a gigabyte with all their symbols are below these. */
#define ELF_MOST_SECTIONS 16384
#define ELF_MOST_SEGMENTS 1024
#define ELF_MOST_SYMBOLS (1 << 20)
#define ELF_MOST_NAME_BYTES (128 << 20)
#define ELF_MOST_CODE_BYTES (16 << 20) /* of a section whose instructions are looked at */
#define ELF_MOST_NOTE_BYTES (1 << 20)

struct elf_file {
	int fd;
	Elf *elf;
	GElf_Ehdr header;
};

/* A table of names: the text ends with a NUL at @size. Valid until the file is closed. */
struct elf_names {
	const char *text;
	size_t size;
};

struct elf_symbol_seen {
	const char *name; /* in @names, never empty */
	const struct elf_names *names;
	const GElf_Sym *symbol;
	const GElf_Shdr *section; /* of the symbol; NULL when the file has none of that number */
};

/*
 * 0; -ENOEXEC when it is no regular file, or no ELF program, library or debug file of this machine's byte order; -E2BIG; or -errno of
 * opening it. To be closed when it was 0.
 */
int elf_file__open(struct elf_file *file, const char *path);
/* The same of the open file @fd, which is closed with it, and also when this fails. */
int elf_file__open_fd(struct elf_file *file, int fd);
void elf_file__close(struct elf_file *file);

/* What an error of elf_file__*() means, in words. */
const char *elf_file__strerror(int err);

/* 0, or -ENOENT when the file has none. */
int elf_file__build_id(const struct elf_file *file, struct build_id *id);

/*
 * Calls @each for each symbol that has a place in this file, from the tables of @type (SHT_SYMTAB, SHT_DYNSYM). -ENODATA when there is no
 * such table; -E2BIG; -EINTR when a signal came.
 */
int elf_file__each_symbol(const struct elf_file *file, GElf_Word type,
			  void (*each)(const struct elf_symbol_seen *seen, void *arg), void *arg);

/* The section @section's table of names. 0 or -errno. */
int elf_file__names(const struct elf_file *file, GElf_Word section, struct elf_names *names);
/* The content of @section, if it is at most @most bytes and is not compressed. NULL otherwise. */
Elf_Data *elf_file__content(Elf_Scn *section, const GElf_Shdr *header, uint64_t most);

/* Where the file's bytes are loaded: a copy that needs no open file. */
struct elf_segments {
	struct elf_segment {
		uint64_t offset, size, address;
		bool is_code;
	} * segments;
	size_t nr;
};

/* 0, -ENOENT when the file is not loaded at all, or -ENOMEM. To be freed with free(@segments->segments). */
int elf_file__segments(const struct elf_file *file, struct elf_segments *segments);

/*
 * The address, as linked, of what lies at @offset in the file. 0; -ENOENT when no segment loads it; -EACCES when only a segment that is not
 * executable loads it.
 */
int elf_segments__address_of(const struct elf_segments *segments, uint64_t offset, uint64_t *address);

#endif
