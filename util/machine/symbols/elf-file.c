// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/elf-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/interrupt.h"
#include "util/machine/symbols/build-id.h"
#include "util/base/regular-file.h"

void elf_file__close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
}

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/*
 * libelf allocates memory for all sections and segments that the headers declare, so their numbers
 * must be checked before libelf is used.
 */
static int check_counts(uint64_t sections, uint64_t segments)
{
	return sections > ELF_MOST_SECTIONS || segments > ELF_MOST_SEGMENTS ? -E2BIG : 0;
}

static int check64(int fd)
{
	Elf64_Shdr first = { 0 };
	Elf64_Ehdr header;

	if (!read_at(fd, &header, sizeof(header), 0))
		return -ENOEXEC;
	if (header.e_shoff && !header.e_shnum &&
	    !read_at(fd, &first, sizeof(first), header.e_shoff))
		return -ENOEXEC;
	return check_counts(header.e_shnum ?: first.sh_size, header.e_phnum);
}

static int check32(int fd)
{
	Elf32_Shdr first = { 0 };
	Elf32_Ehdr header;

	if (!read_at(fd, &header, sizeof(header), 0))
		return -ENOEXEC;
	if (header.e_shoff && !header.e_shnum &&
	    !read_at(fd, &first, sizeof(first), header.e_shoff))
		return -ENOEXEC;
	return check_counts(header.e_shnum ?: first.sh_size, header.e_phnum);
}

static int check_headers(int fd)
{
	const unsigned char own_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
										    ELFDATA2MSB;
	unsigned char ident[EI_NIDENT];

	if (!read_at(fd, ident, sizeof(ident), 0) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != own_order)
		return -ENOEXEC;
	return ident[EI_CLASS] == ELFCLASS64 ? check64(fd) :
	       ident[EI_CLASS] == ELFCLASS32 ? check32(fd) :
					       -ENOEXEC;
}

int elf_file__open_fd(struct elf_file *file, int fd)
{
	int err = check_headers(fd);

	*file = (struct elf_file){ .fd = fd };
	if (!err && elf_version(EV_CURRENT) != EV_NONE)
		file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	if (!err && (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
		     !gelf_getehdr(file->elf, &file->header) ||
		     (file->header.e_type != ET_EXEC && file->header.e_type != ET_DYN)))
		err = -ENOEXEC;
	if (err)
		elf_file__close(file);
	return err;
}

int elf_file__open(struct elf_file *file, const char *path)
{
	struct stat st;
	int fd = regular_file__open(path, &st);

	return fd < 0 ? fd : elf_file__open_fd(file, fd);
}

const char *elf_file__strerror(int err)
{
	switch (err) {
	case -E2BIG:
		return "its tables are too large (the limits are 1048576 symbols, 128 MB of names, "
		       "16384 sections, 1024 segments)";
	case -EBADMSG:
		return "it is truncated or damaged: its headers describe more bytes than the file "
		       "contains";
	case -EINTR:
		return "a signal arrived before it was read";
	case -ENOEXEC:
		return "it is not an ELF file";
	case -ETIMEDOUT:
		return "its file system does not answer";
	default:
		return strerror(-err);
	}
}

static bool is_beyond(uint64_t size, uint64_t begin, uint64_t len)
{
	return begin > size || len > size - begin;
}

bool elf_file__is_truncated(const struct elf_file *file)
{
	const GElf_Ehdr *header = &file->header;
	Elf_Scn *section = NULL;
	struct stat st;
	uint64_t size;

	if (fstat(file->fd, &st))
		return false;
	size = (uint64_t)st.st_size;
	if (header->e_shoff &&
	    is_beyond(size, header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize))
		return true;
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr one;

		if (gelf_getshdr(section, &one) && one.sh_type != SHT_NULL &&
		    one.sh_type != SHT_NOBITS && is_beyond(size, one.sh_offset, one.sh_size))
			return true;
	}
	return false;
}

Elf_Data *elf_file__content(Elf_Scn *section, const GElf_Shdr *header, uint64_t most)
{
	if (header->sh_size > most || header->sh_type == SHT_NOBITS ||
	    (header->sh_flags & SHF_COMPRESSED))
		return NULL;
	return elf_getdata(section, NULL);
}

int elf_file__names(const struct elf_file *file, GElf_Word section, struct elf_names *names)
{
	Elf_Scn *scn = elf_getscn(file->elf, section);
	const Elf_Data *data;
	GElf_Shdr header;

	if (!scn || !gelf_getshdr(scn, &header) || header.sh_type != SHT_STRTAB)
		return -ENODATA;
	if (header.sh_size > ELF_MOST_NAME_BYTES)
		return -E2BIG;
	data = elf_file__content(scn, &header, ELF_MOST_NAME_BYTES);
	if (!data || !data->d_buf)
		return -ENODATA;
	*names = (struct elf_names){ .text = data->d_buf, .size = data->d_size };
	/* a name must end with a NUL, so the text after the last NUL is ignored */
	while (names->size && names->text[names->size - 1])
		names->size--;
	return names->size ? 0 : -ENODATA;
}

/* Calls @each for the symbols of one table. Returns 0, or -EINTR if a signal asks pstat to end. */
static int each_of(const struct elf_file *file, Elf_Data *data, const struct elf_names *names,
		   void (*each)(const struct elf_symbol_seen *seen, void *arg), void *arg)
{
	struct elf_symbol_seen seen = { .names = names };
	size_t of_section = SIZE_MAX;
	GElf_Shdr section;
	GElf_Sym symbol;

	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		if (!(i % 16384) && interrupt__is_due())
			return -EINTR;
		if (symbol.st_name >= names->size || !names->text[symbol.st_name] ||
		    symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS)
			continue;
		if (symbol.st_shndx != of_section) {
			of_section = symbol.st_shndx;
			seen.section = gelf_getshdr(elf_getscn(file->elf, of_section), &section);
		}
		seen.name = names->text + symbol.st_name;
		seen.symbol = &symbol;
		seen.index = (size_t)i;
		each(&seen, arg);
	}
	return 0;
}

int elf_file__each_symbol(const struct elf_file *file, GElf_Word type,
			  void (*each)(const struct elf_symbol_seen *seen, void *arg), void *arg)
{
	const size_t size = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *section = NULL;
	int err = -ENODATA;

	while ((section = elf_nextscn(file->elf, section))) {
		struct elf_names names;
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != type)
			continue;
		if (header.sh_size > size * ELF_MOST_SYMBOLS)
			return -E2BIG;
		err = elf_file__names(file, header.sh_link, &names);
		data = err ? NULL : elf_file__content(section, &header, size * ELF_MOST_SYMBOLS);
		/* a file has at most one table of each type */
		return err ?: data ? each_of(file, data, &names, each, arg) : -ENODATA;
	}
	return err;
}

/* Sets @id to the build id in the notes @data. Returns whether @data contains one. */
static bool find_in_notes(Elf_Data *data, struct build_id *id)
{
	size_t name_at, desc_at, at = 0;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const char *notes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(notes + name_at, "GNU", sizeof("GNU")) != 0 || note.n_descsz < 2)
			continue;
		*id = (struct build_id){ .len = note.n_descsz < BUILD_ID_SIZE ?
							(uint8_t)note.n_descsz :
							BUILD_ID_SIZE };
		memcpy(id->bytes, notes + desc_at, id->len);
		return true;
	}
	return false;
}

int elf_file__build_id(const struct elf_file *file, struct build_id *id)
{
	uint64_t room = ELF_MOST_NOTE_BYTES; /* size of the notes that may still be read */
	size_t nr = 0;

	/*
	 * read segments, not sections, because sections can be stripped, and the kernel reads
	 * segments too
	 */
	*id = (struct build_id){ .len = 0 };
	if (elf_getphdrnum(file->elf, &nr))
		return -ENOENT;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr segment;
		Elf_Data *data;

		if (!gelf_getphdr(file->elf, (int)i, &segment) || segment.p_type != PT_NOTE ||
		    segment.p_filesz > room)
			continue;
		room -= segment.p_filesz;
		data = elf_getdata_rawchunk(file->elf, (int64_t)segment.p_offset, segment.p_filesz,
					    segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data && find_in_notes(data, id))
			return 0;
	}
	return -ENOENT;
}

int elf_file__segments(const struct elf_file *file, struct elf_segments *segments)
{
	size_t nr = 0;

	*segments = (struct elf_segments){ .nr = 0 };
	if (elf_getphdrnum(file->elf, &nr) || !nr)
		return -ENOENT;
	segments->segments = calloc(nr, sizeof(*segments->segments));
	if (!segments->segments)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_LOAD)
			segments->segments[segments->nr++] =
				(struct elf_segment){ .offset = segment.p_offset,
						      .size = segment.p_filesz,
						      .address = segment.p_vaddr,
						      .is_code = segment.p_flags & PF_X };
	}
	return 0;
}

int elf_segments__address_of(const struct elf_segments *segments, uint64_t offset,
			     uint64_t *address)
{
	int err = -ENOENT;

	for (size_t i = 0; i < segments->nr; i++) {
		const struct elf_segment *segment = &segments->segments[i];

		if (offset - segment->offset >= segment->size)
			continue;
		*address = segment->address + offset - segment->offset;
		if (segment->is_code)
			return 0;
		err = -EACCES;
	}
	return err;
}

int elf_segments__offset_of(const struct elf_segments *segments, uint64_t address, bool is_code,
			    uint64_t *offset)
{
	int err = -ENOENT;

	for (size_t i = 0; i < segments->nr; i++) {
		const struct elf_segment *segment = &segments->segments[i];

		if (address - segment->address >= segment->size)
			continue;
		*offset = segment->offset + address - segment->address;
		if (segment->is_code || !is_code)
			return 0;
		err = -EACCES;
	}
	return err;
}
