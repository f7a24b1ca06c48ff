// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-inline.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/machine/symbols/bounded-child.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/libdw.h"

/*
 * The maximum time, in ns, that pstat waits for the child. SCOPE_INLINE_CPU_SECONDS is not a
 * sufficient limit, because a child that gets no CPU time does not reach this limit.
 */
#define MOST_WAIT_NS (5 * NSEC_PER_SEC)

/* ---- in the child ---- */

struct search {
	const struct libdw *dw;
	struct dwarf_files files;
	const char *symbol;
	uint32_t nr;
};

/*
 * Returns whether search->symbol is the symbol of @die, an entry of the DWARF data. In C++, the
 * symbol differs from the name in the source, so the linkage name is checked first.
 */
static bool has_symbol(const struct search *search, Dwarf_Die *die)
{
	const struct libdw *dw = search->dw;
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dw->dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dw->dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute) ||
	    dw->dwarf_attr_integrate(die, DW_AT_name, &attribute))
		name = dw->dwarf_formstring(&attribute);
	return name && !strcmp(name, search->symbol);
}

/* Counts the inlined copies among @die, its later siblings, and all their descendants. */
static void visit(struct search *search, Dwarf_Die *die)
{
	const struct libdw *dw = search->dw;
	Dwarf_Die child;
	int more;

	do {
		/*
		 * the entry of an inlined copy refers to the entry of the function, and
		 * has_symbol() follows this reference
		 */
		if (dw->dwarf_tag(die) == DW_TAG_inlined_subroutine && has_symbol(search, die))
			search->nr++;
		if (!dw->dwarf_child(die, &child))
			visit(search, &child);
		more = dw->dwarf_siblingof(die, die);
	} while (!more);
}

static bool read_units(struct search *search, int fd)
{
	const struct libdw *dw = search->dw;
	Dwarf *dwarf = fd < 0 ? NULL : dw->dwarf_begin(fd, DWARF_C_READ), *common = NULL;
	Dwarf_Off unit = 0, next;
	size_t header;
	bool is_read = false;

	if (!dwarf)
		return false;
	if (search->files.common >= 0)
		common = dw->dwarf_begin(search->files.common, DWARF_C_READ);
	if (common)
		dw->dwarf_setalt(dwarf, common);
	while (!dw->dwarf_nextcu(dwarf, unit, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die die;

		if (dw->dwarf_offdie(dwarf, unit + header, &die))
			visit(search, &die);
		is_read = true;
		unit = next;
	}
	return is_read;
}

static void run(int socket, void *arg)
{
	struct search *search = arg;
	const int kept[] = { socket, search->files.file, search->files.debug,
			     search->files.common };
	const struct bounded_limits limits = {
		.memory = SCOPE_INLINE_MEMORY + dwarf_files__size(&search->files),
		.cpu_seconds = SCOPE_INLINE_CPU_SECONDS,
	};

	bounded_child__confine(kept, sizeof(kept) / sizeof(kept[0]), &limits);
	if (!read_units(search, search->files.file))
		read_units(search, search->files.debug);
	bounded_child__send(socket, &search->nr, sizeof(search->nr));
	_exit(0);
}

/* ---- in the parent ---- */

static int ask(struct search *search, uint32_t *nr)
{
	struct bounded_child child = BOUNDED_CHILD_INIT;
	int err = bounded_child__start(&child, run, search);

	err = err ?: bounded_child__receive(&child, nr, sizeof(*nr), MOST_WAIT_NS);
	bounded_child__end(&child);
	return err;
}

int scope_inline__count(const struct elf_file *file, const char *debug_dirs, const char *symbol,
			uint32_t *nr)
{
	struct search search = { .symbol = symbol, .files = DWARF_FILES_INIT };
	int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0), err = -ENODATA;
	struct build_id id;

	*nr = 0;
	if (fd < 0)
		return -errno;
	elf_file__build_id(file, &id);
	dwarf_files__open(&search.files, fd, &id, debug_dirs);
	/* load libdw only if there is DWARF data; most installed programs have none */
	if (dwarf_files__have_lines(&search.files))
		search.dw = libdw__load("inlined functions");
	if (search.dw)
		err = ask(&search, nr);
	dwarf_files__close(&search.files);
	return err;
}
