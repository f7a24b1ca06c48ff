// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/dwarf-lines.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"

/* One file in one libdwfl session, at the addresses that libdwfl gives it: `bias` over those that it is linked for. */
struct dwarf_lines {
	Dwfl_Callbacks callbacks;
	char *search_path; /* libdwfl's, for debug files */
	Dwfl *dwfl;
	Dwfl_Module *module; /* owned by dwfl */
	GElf_Addr bias;
	struct strbuf path; /* of the last line that was found */
};

static char *search_path(const char *debug_dirs)
{
	struct strbuf path = STRBUF_INIT;

	/* "+": what has a checksum is compared with it; "": beside the file itself, and .debug there */
	strbuf__addf(&path, "+:.debug:%s", debug_dirs);
	return strbuf__detach(&path);
}

static int open_module(struct dwarf_lines *lines, const char *path)
{
	Dwarf_Addr debug_bias;

	lines->module = dwfl_report_offline(lines->dwfl, "file", path, -1);
	if (!lines->module || dwfl_report_end(lines->dwfl, NULL, NULL) ||
	    !dwfl_module_getelf(lines->module, &lines->bias))
		return -ENOEXEC;
	return dwfl_module_getdwarf(lines->module, &debug_bias) ? 0 : -ENODATA;
}

int dwarf_lines__open(const char *path, const char *debug_dirs, struct dwarf_lines **result)
{
	struct dwarf_lines *lines = calloc(1, sizeof(*lines));
	int err = -ENOMEM;

	*result = NULL;
	if (!lines)
		return -ENOMEM;
	lines->path = (struct strbuf)STRBUF_INIT;
	lines->search_path = search_path(debug_dirs);
	lines->callbacks = (Dwfl_Callbacks){ .find_elf = dwfl_build_id_find_elf,
					     .find_debuginfo = dwfl_standard_find_debuginfo,
					     .section_address = dwfl_offline_section_address,
					     .debuginfo_path = &lines->search_path };
	if (lines->search_path)
		lines->dwfl = dwfl_begin(&lines->callbacks);
	if (lines->dwfl)
		err = open_module(lines, path);
	if (err) {
		pr_debug("%s: no source lines: %s", path, dwfl_errmsg(-1));
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
		dwfl_end(lines->dwfl);
	strbuf__free(&lines->path);
	free(lines->search_path);
	free(lines);
}

int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, struct source_line *found)
{
	Dwfl_Line *line = dwfl_module_getsrc(lines->module, address + lines->bias);
	const char *file = NULL, *folder;

	*found = (struct source_line){ .file = NULL };
	if (line)
		file = dwfl_lineinfo(line, NULL, &found->line, NULL, NULL, NULL);
	if (!file || found->line <= 0)
		return -ENOENT;
	/* a compiler that was told a relative path tells where it ran */
	folder = *file == '/' ? NULL : dwfl_line_comp_dir(line);
	strbuf__reset(&lines->path);
	strbuf__addf(&lines->path, "%s%s%s", folder ?: "", folder ? "/" : "", file);
	found->file = lines->path.text;
	return 0;
}
