// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/dwarf-lines.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/libdw.h"

/* A program in a libdwfl session. libdwfl's addresses are link-time addresses plus `bias`. */
struct dwarf_lines {
	const struct libdw *dw;
	Dwfl_Callbacks callbacks;
	struct dwarf_files files; /* fds that were not yet passed to libdwfl */
	Dwfl *dwfl;
	Dwfl_Module *module; /* owned by dwfl */
	GElf_Addr bias;
	struct strbuf path; /* the path of the last line that was found */

	/* all compilation units, sorted by address; read when libdwfl does not find an address */
	bool units_read;
	struct unit_range {
		Dwarf_Addr start, end;
		Dwarf_Die unit;
		/* difference between the addresses above and the addresses in the unit */
		Dwarf_Addr bias;
	} * units;
	size_t nr_units, room;
};

/*
 * Callbacks for libdwfl. libdwfl's own callbacks request debug files from servers, and open any
 * path that is in a file. These callbacks return only files that are open already.
 */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **file, Elf **elf)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

/* Passes the descriptor to libdwfl, which closes it. */
static int hand_out(int *fd, char **found)
{
	int given = *fd;

	if (given >= 0)
		*found = strdup("debug");
	*fd = -1;
	return given;
}

static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word checksum, char **found)
{
	struct dwarf_lines *lines = *userdata;

	(void)module, (void)name, (void)base, (void)file, (void)checksum;
	if (!lines)
		return -1;
	/* libdwfl requests the debug file by its name alone, and the common file by a path */
	return hand_out(link && strchr(link, '/') ? &lines->files.common : &lines->files.debug,
			found);
}

/*
 * Returns -ENOMEM if libdw failed because it got no memory, otherwise @err. libdw reports this
 * failure only as text. The text is in English, because pstat loads no message catalogs.
 */
static int error_or_no_memory(const struct libdw *dw, int err)
{
	const char *of_dwarf = dw->dwarf_errmsg(-1), *of_dwfl = dw->dwfl_errmsg(-1);
	bool no_memory = (of_dwarf && strstr(of_dwarf, "memory")) ||
			 (of_dwfl && strstr(of_dwfl, "memory"));

	if (of_dwfl)
		pr_debug("no source lines: %s", of_dwfl);
	return no_memory ? -ENOMEM : err;
}

static int open_module(struct dwarf_lines *lines)
{
	const struct libdw *dw = lines->dw;
	Dwarf_Addr debug_bias;
	void **userdata;

	lines->module = dw->dwfl_report_offline(lines->dwfl, "file", "file", lines->files.file);
	if (lines->module)
		lines->files.file = -1;
	if (!lines->module || dw->dwfl_report_end(lines->dwfl, NULL, NULL) ||
	    !dw->dwfl_module_getelf(lines->module, &lines->bias) ||
	    !dw->dwfl_module_info(lines->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		return -ENOEXEC;
	*userdata = lines;
	return dw->dwfl_module_getdwarf(lines->module, &debug_bias) ? 0 : -ENODATA;
}

int dwarf_lines__open(struct dwarf_files *files, struct dwarf_lines **result)
{
	const struct libdw *dw = libdw__load();
	struct dwarf_lines *lines;
	int err = -ENOMEM;

	*result = NULL;
	lines = dw ? calloc(1, sizeof(*lines)) : NULL;
	if (!lines) {
		dwarf_files__close(files);
		return dw ? -ENOMEM : -ENOSYS;
	}
	lines->files = *files;
	*files = (struct dwarf_files)DWARF_FILES_INIT;
	lines->dw = dw;
	lines->path = (struct strbuf)STRBUF_INIT;
	lines->callbacks = (Dwfl_Callbacks){ .find_elf = find_elf,
					     .find_debuginfo = find_debuginfo,
					     .section_address = dw->dwfl_offline_section_address };
	lines->dwfl = dw->dwfl_begin(&lines->callbacks);
	if (lines->dwfl)
		err = open_module(lines);
	if (err) {
		err = error_or_no_memory(dw, err);
		dwarf_lines__free(lines);
		return err;
	}
	*result = lines;
	return 0;
}

void dwarf_lines__free(struct dwarf_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwfl)
		lines->dw->dwfl_end(lines->dwfl);
	dwarf_files__close(&lines->files);
	strbuf__free(&lines->path);
	free(lines->units);
	free(lines);
}

/* ---- files without .debug_aranges, for example from clang ---- */

static int add_unit(struct dwarf_lines *lines, Dwarf_Die *unit, Dwarf_Addr bias)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = lines->dw->dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		if (lines->nr_units == lines->room) {
			size_t room = lines->room ? 2 * lines->room : 64;
			struct unit_range *units = realloc(lines->units, room * sizeof(*units));

			if (!units)
				return -ENOMEM;
			lines->units = units;
			lines->room = room;
		}
		lines->units[lines->nr_units++] = (struct unit_range){
			.start = start + bias, .end = end + bias, .unit = *unit, .bias = bias
		};
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void read_units(struct dwarf_lines *lines)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	int err = 0;

	while (!err && (unit = lines->dw->dwfl_module_nextcu(lines->module, unit, &bias)))
		err = add_unit(lines, unit, bias);
	if (err)
		pr_warn("out of memory for the compilation units of a file: its source lines are "
			"missing");
	if (lines->nr_units)
		qsort(lines->units, lines->nr_units, sizeof(*lines->units), by_start);
	lines->units_read = true;
}

/* Finds the unit with @address by binary search. Units do not overlap. */
static const struct unit_range *find_unit(struct dwarf_lines *lines, Dwarf_Addr address)
{
	size_t low = 0, high;

	if (!lines->units_read)
		read_units(lines);
	high = lines->nr_units;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->units[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < lines->units[low - 1].end ? &lines->units[low - 1] : NULL;
}

static const char *comp_dir(const struct libdw *dw, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;

	return dw->dwarf_formstring(dw->dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

/* ---- searches ---- */

/*
 * Finds the line number, the name of the file as it was passed to the compiler, and the directory
 * in which the compiler ran. Returns 0 or -ENOENT.
 */
static int find_line(struct dwarf_lines *lines, Dwarf_Addr address, const char **file, int *number,
		     const char **folder)
{
	const struct libdw *dw = lines->dw;
	Dwfl_Line *line = dw->dwfl_module_getsrc(lines->module, address);
	const struct unit_range *found;
	Dwarf_Line *in_unit;
	Dwarf_Die unit;

	if (line) {
		*file = dw->dwfl_lineinfo(line, NULL, number, NULL, NULL, NULL);
		*folder = dw->dwfl_line_comp_dir(line);
		return *file ? 0 : -ENOENT;
	}
	found = find_unit(lines, address);
	if (!found)
		return -ENOENT;
	unit = found->unit;
	in_unit = dw->dwarf_getsrc_die(&unit, address - found->bias);
	if (!in_unit || dw->dwarf_lineno(in_unit, number))
		return -ENOENT;
	*file = dw->dwarf_linesrc(in_unit, NULL, NULL);
	*folder = comp_dir(dw, &unit);
	return *file ? 0 : -ENOENT;
}

int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, struct source_line *found)
{
	const char *file, *folder;

	*found = (struct source_line){ .file = NULL };
	if (find_line(lines, address + lines->bias, &file, &found->line, &folder))
		return error_or_no_memory(lines->dw, -ENOENT);
	if (found->line <= 0)
		return -ENOENT;
	/* a relative file name is relative to the compiler's directory */
	if (*file == '/')
		folder = NULL;
	strbuf__reset(&lines->path);
	strbuf__addf(&lines->path, "%s%s%s", folder ?: "", folder ? "/" : "", file);
	found->file = lines->path.text;
	return 0;
}
