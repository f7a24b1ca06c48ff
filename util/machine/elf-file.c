// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/elf-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "util/machine/build-id.h"

void elf_file__close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
}

int elf_file__open(struct elf_file *file, const char *path)
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

int elf_file__each_symbol(const struct elf_file *file, GElf_Word type,
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

/* The build id among the notes of @data. */
static bool find_in_notes(Elf_Data *data, struct build_id *id)
{
	size_t name_at, desc_at, at = 0;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const char *notes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(notes + name_at, "GNU", sizeof("GNU")) != 0 || note.n_descsz < 2)
			continue;
		*id = (struct build_id){ .len = note.n_descsz < BUILD_ID_SIZE ? (uint8_t)note.n_descsz :
										BUILD_ID_SIZE };
		memcpy(id->bytes, notes + desc_at, id->len);
		return true;
	}
	return false;
}

int elf_file__build_id(const struct elf_file *file, struct build_id *id)
{
	size_t nr = 0;

	/* segments, not sections: those can be stripped, and it is segments that the kernel looks into */
	*id = (struct build_id){ .len = 0 };
	if (elf_getphdrnum(file->elf, &nr))
		return -ENOENT;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr segment;
		Elf_Data *data;

		if (!gelf_getphdr(file->elf, (int)i, &segment) || segment.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(file->elf, (int64_t)segment.p_offset, segment.p_filesz,
					    segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data && find_in_notes(data, id))
			return 0;
	}
	return -ENOENT;
}

int elf_file__address_of(const struct elf_file *file, uint64_t offset, uint64_t *address)
{
	size_t nr = 0;

	if (elf_getphdrnum(file->elf, &nr))
		return -ENOENT;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    offset - segment.p_offset < segment.p_filesz) {
			*address = segment.p_vaddr + offset - segment.p_offset;
			return 0;
		}
	}
	return -ENOENT;
}
