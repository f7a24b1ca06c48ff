// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-go.h"

#include <string.h>

#include "util/machine/symbols/elf-file.h"

/* Sections that Go's linker writes, even with -s (no symbols). */
static bool is_go_section(const char *name)
{
	return !strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab") ||
	       !strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid");
}

bool scope_go__is(const struct elf_file *file)
{
	struct elf_names names;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t table;

	if (elf_getshdrstrndx(file->elf, &table) || elf_file__names(file, (GElf_Word)table, &names))
		return false;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_name < names.size &&
		    is_go_section(names.text + header.sh_name))
			return true;
	return false;
}
