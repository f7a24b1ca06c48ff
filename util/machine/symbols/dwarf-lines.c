// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/dwarf-lines.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/dwarf-inline.h"
#include "util/machine/symbols/dwarf-units.h"
#include "util/machine/symbols/libdw.h"

/*
 * A program or library that libdwfl has opened. libdwfl's addresses are link-time addresses plus
 * `bias`.
 */
struct dwarf_lines {
	const struct libdw *dw;
	Dwfl_Callbacks callbacks;
	struct dwarf_files files; /* the fds that have not been passed to libdwfl yet */
	Dwfl *dwfl;
	Dwfl_Module *module; /* owned by dwfl */
	GElf_Addr bias;
	struct strbuf paths[SOURCE_MOST_FRAMES]; /* source paths that the latest search found */
	struct dwarf_units units;
	struct dwarf_inline_used inline_used;
};

/*
 * Two callbacks for libdwfl. libdwfl's own callbacks request debug files from servers, and open any
 * path that a file contains. pstat's find_elf() finds nothing, and find_debuginfo() returns only
 * files that are open already.
 */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **file, Elf **elf)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

/* Passes the descriptor *@fd to libdwfl, which closes it. */
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
	/*
	 * @link is NULL or a bare name if libdwfl requests the debug file, and a path if libdwfl
	 * requests the common file (made by dwz(1), see dwarf-files.h)
	 */
	return hand_out(link && strchr(link, '/') ? &lines->files.common : &lines->files.debug,
			found);
}

/*
 * Returns -ENOMEM if libdw ran out of memory, otherwise @err. libdw reports this failure only as
 * text. The text is in English, because pstat loads no message catalogs.
 */
static int error_or_no_memory(const struct libdw *dw, int err)
{
	const char *of_dwarf = dw->dwarf_errmsg(-1), *of_dwfl = dw->dwfl_errmsg(-1);
	bool no_memory = (of_dwarf && strstr(of_dwarf, "memory")) ||
			 (of_dwfl && strstr(of_dwfl, "memory"));

	if (of_dwfl)
		pr_debug("no debug information: %s", of_dwfl);
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
	const struct libdw *dw = libdw__load("source lines");
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
	for (int i = 0; i < SOURCE_MOST_FRAMES; i++)
		lines->paths[i] = (struct strbuf)STRBUF_INIT;
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
	dwarf_units__free(&lines->units);
	if (lines->dwfl)
		lines->dw->dwfl_end(lines->dwfl);
	dwarf_files__close(&lines->files);
	for (int i = 0; i < SOURCE_MOST_FRAMES; i++)
		strbuf__free(&lines->paths[i]);
	free(lines);
}

/* ---- searches ---- */

static const char *comp_dir(const struct libdw *dw, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;

	return dw->dwarf_formstring(dw->dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

/*
 * Finds the source line of @address: the line number, the name of the file as it was passed to the
 * compiler, and the directory in which the compiler ran. Returns 0 or -ENOENT.
 */
static int find_line(struct dwarf_lines *lines, Dwarf_Addr address, const char **file, int *number,
		     const char **folder)
{
	const struct libdw *dw = lines->dw;
	Dwfl_Line *line = dw->dwfl_module_getsrc(lines->module, address);
	struct dwarf_unit *found;
	Dwarf_Line *in_unit;

	if (line) {
		*file = dw->dwfl_lineinfo(line, NULL, number, NULL, NULL, NULL);
		*folder = dw->dwfl_line_comp_dir(line);
		return *file ? 0 : -ENOENT;
	}
	found = dwarf_units__find(&lines->units, dw, lines->module, address);
	if (!found)
		return -ENOENT;
	in_unit = dw->dwarf_getsrc_die(&found->die, address - found->bias);
	if (!in_unit || dw->dwarf_lineno(in_unit, number))
		return -ENOENT;
	*file = dw->dwarf_linesrc(in_unit, NULL, NULL);
	*folder = comp_dir(dw, &found->die);
	return *file ? 0 : -ENOENT;
}

/*
 * Sets the path and the line of @frame, and keeps the path in lines->paths[@place]. @folder is the
 * directory in which the compiler ran, or NULL. If @file is a relative path, puts @folder before
 * it.
 */
static void set_line(struct dwarf_lines *lines, int place, const char *file, int number,
		     const char *folder, struct source_frame *frame)
{
	struct strbuf *path = &lines->paths[place];

	if (!file || number <= 0)
		return;
	if (*file == '/')
		folder = NULL;
	strbuf__reset(path);
	strbuf__addf(path, "%s%s%s", folder ?: "", folder ? "/" : "", file);
	frame->file = path->text;
	frame->line = number;
}

/* Sets the path and line of @frame to those of the code that calls the inlined function @die. */
static void find_call(struct dwarf_lines *lines, struct dwarf_unit *unit, Dwarf_Die *die, int place,
		      struct source_frame *frame)
{
	const struct libdw *dw = lines->dw;
	Dwarf_Word file = 0, number = 0;
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	size_t nr;

	dw->dwarf_formudata(dw->dwarf_attr(die, DW_AT_call_file, &attribute), &file);
	dw->dwarf_formudata(dw->dwarf_attr(die, DW_AT_call_line, &attribute), &number);
	if (!number || number > INT_MAX || dw->dwarf_getsrcfiles(&unit->die, &files, &nr) ||
	    file >= nr)
		return;
	set_line(lines, place, dw->dwarf_filesrc(files, file, NULL, NULL), (int)number,
		 comp_dir(dw, &unit->die), frame);
}

/*
 * Adds the inlined functions at @address to @frames. If the caller has found the source line of
 * @address, that line is already in the first frame. If there are inlined functions, the first
 * frame is for the innermost one, and the last frame is for the function that is not inlined.
 * Returns the number of frames, or -ENOMEM.
 */
static int add_inlined(struct dwarf_lines *lines, Dwarf_Addr address, bool with_lines,
		       struct source_frame *frames)
{
	struct dwarf_unit *unit =
		dwarf_units__find(&lines->units, lines->dw, lines->module, address);
	Dwarf_Die *found[SOURCE_MOST_FRAMES - 1];
	int nr = 0;

	if (unit)
		nr = dwarf_inline__find(unit, lines->dw, &lines->inline_used, address - unit->bias,
					found, SOURCE_MOST_FRAMES - 1);
	for (int i = 0; i < nr; i++) {
		frames[i].function = dwarf_inline__name(lines->dw, found[i]) ?: "";
		frames[i + 1] = (struct source_frame){ .function = NULL };
		if (with_lines)
			find_call(lines, unit, found[i], i + 1, &frames[i + 1]);
	}
	return nr < 0 ? nr : nr + 1;
}

int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, unsigned int what,
		      struct source_frame frames[static SOURCE_MOST_FRAMES])
{
	Dwarf_Addr at = address + lines->bias;
	const char *file, *folder;
	int number, nr = 1;

	frames[0] = (struct source_frame){ .function = NULL };
	if ((what & SOURCE_LINES) && !find_line(lines, at, &file, &number, &folder))
		set_line(lines, 0, file, number, folder, &frames[0]);
	if (what & SOURCE_INLINED)
		nr = add_inlined(lines, at, what & SOURCE_LINES, frames);
	if (nr > 1 || (nr == 1 && frames[0].file))
		return nr;
	return nr < 0 ? nr : error_or_no_memory(lines->dw, -ENOENT);
}

bool dwarf_lines__is_cut(const struct dwarf_lines *lines)
{
	return lines->inline_used.is_over;
}
