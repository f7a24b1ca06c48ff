// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-versions.h"

#include <errno.h>
#include <stdlib.h>

#include "util/machine/symbols/elf-file.h"

/* The bits of an entry in .gnu.version that contain the version number. */
#define VERSION_NUMBER 0x7fff

static void read_definitions(struct scope_versions *versions, Elf_Data *data,
			     const struct elf_names *names)
{
	int at = 0;

	for (int i = 0; i < MOST_VERSIONS; i++) {
		unsigned int number;
		GElf_Verdef definition;
		GElf_Verdaux name;

		if (!gelf_getverdef(data, at, &definition))
			return;
		number = definition.vd_ndx & VERSION_NUMBER;
		/* skip the base version: its name is the name of the file */
		if (!(definition.vd_flags & VER_FLG_BASE) && number < MOST_VERSIONS &&
		    definition.vd_aux <= data->d_size &&
		    gelf_getverdaux(data, at + (int)definition.vd_aux, &name) &&
		    name.vda_name < names->size)
			versions->names[number] = names->text + name.vda_name;
		if (!definition.vd_next || definition.vd_next > data->d_size - (size_t)at)
			return;
		at += (int)definition.vd_next;
	}
}

int scope_versions__read(struct scope_versions *versions, const struct elf_file *file)
{
	Elf_Scn *section = NULL;

	*versions = (struct scope_versions){ 0 };
	versions->names = calloc(MOST_VERSIONS, sizeof(*versions->names));
	if (!versions->names)
		return -ENOMEM;
	while ((section = elf_nextscn(file->elf, section))) {
		struct elf_names names;
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_GNU_versym && !versions->of_symbols)
			versions->of_symbols = elf_file__content(
				section, &header, sizeof(GElf_Versym) * ELF_MOST_SYMBOLS);
		if (header.sh_type != SHT_GNU_verdef ||
		    elf_file__names(file, header.sh_link, &names))
			continue;
		data = elf_file__content(section, &header, ELF_MOST_NOTE_BYTES);
		if (data)
			read_definitions(versions, data, &names);
	}
	return 0;
}

void scope_versions__free(struct scope_versions *versions)
{
	free(versions->names);
	*versions = (struct scope_versions){ 0 };
}

const char *scope_versions__of(const struct scope_versions *versions, size_t index)
{
	GElf_Versym version;

	if (!versions->of_symbols || index > ELF_MOST_SYMBOLS ||
	    !gelf_getversym(versions->of_symbols, (int)index, &version))
		return NULL;
	version &= VERSION_NUMBER;
	return version < MOST_VERSIONS ? versions->names[version] : NULL;
}
