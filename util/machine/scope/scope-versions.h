/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the versions of a library's symbols, for example GLIBC_2.2.5 in memcpy@GLIBC_2.2.5 (Linux
 * Standard Base, "Symbol Versioning").
 */
#ifndef PSTAT_MACHINE_SCOPE_VERSIONS_H
#define PSTAT_MACHINE_SCOPE_VERSIONS_H

#include <gelf.h>
#include <stddef.h>

struct elf_file;

/* The maximum number of versions in one file. Further versions are ignored. */
#define MOST_VERSIONS 4096

struct scope_versions {
	Elf_Data *of_symbols; /* .gnu.version: the version number of each symbol; NULL: missing */
	const char **names;   /* names[i] is the name of version number i; NULL: unknown */
};

/* Reads the versions, if the file has any. Returns 0 or -ENOMEM. */
int scope_versions__read(struct scope_versions *versions, const struct elf_file *file);
void scope_versions__free(struct scope_versions *versions);

/*
 * Returns the version of symbol @index in .dynsym, or NULL if the symbol has no known version. The
 * result is valid until the file is closed.
 */
const char *scope_versions__of(const struct scope_versions *versions, size_t index);

#endif
