/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the parts of an ELF program or library that a search for symbols needs. The file may belong
 * to another user and contain anything, so pstat checks the size of each table before libelf reads
 * it. pstat never maps the file, because its owner could truncate it at any time, and reading the
 * mapped file would then raise SIGBUS.
 */
#ifndef PSTAT_MACHINE_ELF_FILE_H
#define PSTAT_MACHINE_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_id;

/*
 * The functions below return -E2BIG for files that exceed one of the first four limits. Code and
 * notes beyond the last two limits are not read. The limits are chosen for programs of up to 1 GB,
 * including their symbols.
 */
#define ELF_MOST_SECTIONS 16384
#define ELF_MOST_SEGMENTS 1024
#define ELF_MOST_SYMBOLS (1 << 20)
#define ELF_MOST_NAME_BYTES (128 << 20)
#define ELF_MOST_CODE_BYTES (16 << 20) /* total size of the PLT sections that are decoded */
#define ELF_MOST_NOTE_BYTES (1 << 20)

struct elf_file {
	int fd;
	Elf *elf;
	GElf_Ehdr header;
};

/*
 * A table of names. The last of the `size` bytes is a NUL. The text is valid until the file is
 * closed.
 */
struct elf_names {
	const char *text;
	size_t size;
};

struct elf_symbol_seen {
	const char *name; /* points into `names`; never empty */
	const struct elf_names *names;
	const GElf_Sym *symbol;
	size_t index; /* index of the symbol in the table of symbols */
	/* the section that contains the symbol; NULL if the symbol's section number is invalid */
	const GElf_Shdr *section;
};

/*
 * Opens the ELF file @path. Returns 0; -ENOEXEC if it is not a regular file, or not an ELF program,
 * library or debug file in this machine's byte order; -E2BIG if it exceeds a limit; or another
 * -errno if it cannot be opened. After an error, there is nothing to close.
 */
int elf_file__open(struct elf_file *file, const char *path);
/* Like elf_file__open(), but for the open descriptor @fd. Takes ownership of @fd, even on error. */
int elf_file__open_fd(struct elf_file *file, int fd);
void elf_file__close(struct elf_file *file);

/*
 * Returns whether the file is too short to contain all of its section headers and sections. The
 * section headers are usually the last part of a file, so libelf finds no sections in a truncated
 * file. elf_file__strerror(-EBADMSG) describes this error.
 */
bool elf_file__is_truncated(const struct elf_file *file);

/*
 * Returns a description of an error that an elf_file__ function or far_file__open_elf() returned,
 * or of -EBADMSG.
 */
const char *elf_file__strerror(int err);

/* Reads the build id. Returns 0, or -ENOENT if the file has none. */
int elf_file__build_id(const struct elf_file *file, struct build_id *id);

/*
 * Calls @each for each symbol that is in the table of the type @type (SHT_SYMTAB or SHT_DYNSYM) and
 * has an address in this file. Returns 0; -ENODATA if there is no such table, or if it cannot be
 * read; -E2BIG if it exceeds a limit; or -EINTR if a signal asks pstat to end.
 */
int elf_file__each_symbol(const struct elf_file *file, GElf_Word type,
			  void (*each)(const struct elf_symbol_seen *seen, void *arg), void *arg);

/*
 * Returns the rank of a symbol. If a function has several symbols, pstat uses the name of the
 * symbol with the highest rank. Global symbols have the highest rank. Weak symbols are next: in
 * glibc, for example, `poll` is a weak alias of `__poll`, and pstat, like perf, prints `__poll`.
 * Local symbols are last.
 */
static inline uint8_t elf_file__rank(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
		return 2;
	case STB_WEAK:
		return 1;
	default:
		return 0;
	}
}

/* Reads the table of names in the section with the index @section. Returns 0 or -errno. */
int elf_file__names(const struct elf_file *file, GElf_Word section, struct elf_names *names);
/*
 * Returns the content of @section, or NULL if it is compressed, larger than @most bytes, or not in
 * the file.
 */
Elf_Data *elf_file__content(Elf_Scn *section, const GElf_Shdr *header, uint64_t most);

/*
 * The parts of the file that are loaded into memory, with their link-time addresses. The struct
 * remains valid after the file is closed.
 */
struct elf_segments {
	struct elf_segment {
		uint64_t offset, size, address;
		bool is_code;
	} * segments;
	size_t nr;
};

/*
 * Reads the segments that are loaded. Returns 0; -ENOENT if the file has no program headers; or
 * -ENOMEM. The caller frees @segments->segments with free().
 */
int elf_file__segments(const struct elf_file *file, struct elf_segments *segments);

/*
 * Converts the file offset @offset to a link-time address. Returns 0; -ENOENT if no segment
 * contains the offset; or -EACCES if only non-executable segments contain the offset.
 */
int elf_segments__address_of(const struct elf_segments *segments, uint64_t offset,
			     uint64_t *address);
/*
 * Converts the link-time address @address to a file offset. Returns 0; -ENOENT if the file contains
 * no byte for that address; or -EACCES if @is_code is set and only non-executable segments contain
 * the address.
 */
int elf_segments__offset_of(const struct elf_segments *segments, uint64_t address, bool is_code,
			    uint64_t *offset);

#endif
