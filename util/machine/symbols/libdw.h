/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads libdw when DWARF data is first needed. Always loading libdw, and the two libraries that it
 * needs, would make counting the command `true` one sixth more expensive. A statically linked pstat
 * contains libdw.
 */
#ifndef PSTAT_MACHINE_LIBDW_H
#define PSTAT_MACHINE_LIBDW_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define LIBDW_FUNCTIONS(F)              \
	F(dwarf_attr)                   \
	F(dwarf_attr_integrate)         \
	F(dwarf_begin)                  \
	F(dwarf_child)                  \
	F(dwarf_errmsg)                 \
	F(dwarf_filesrc)                \
	F(dwarf_formstring)             \
	F(dwarf_formudata)              \
	F(dwarf_getsrc_die)             \
	F(dwarf_getsrcfiles)            \
	F(dwarf_lineno)                 \
	F(dwarf_linesrc)                \
	F(dwarf_nextcu)                 \
	F(dwarf_offdie)                 \
	F(dwarf_ranges)                 \
	F(dwarf_setalt)                 \
	F(dwarf_siblingof)              \
	F(dwarf_tag)                    \
	F(dwfl_begin)                   \
	F(dwfl_end)                     \
	F(dwfl_errmsg)                  \
	F(dwfl_line_comp_dir)           \
	F(dwfl_lineinfo)                \
	F(dwfl_module_build_id)         \
	F(dwfl_module_getdwarf)         \
	F(dwfl_module_getelf)           \
	F(dwfl_module_getsrc)           \
	F(dwfl_module_info)             \
	F(dwfl_module_nextcu)           \
	F(dwfl_offline_section_address) \
	F(dwfl_report_end)              \
	F(dwfl_report_offline)

/* Pointers to the functions of libdw, with the same names. */
struct libdw {
#define LIBDW_MEMBER(name) __typeof__(name) *name;
	LIBDW_FUNCTIONS(LIBDW_MEMBER)
#undef LIBDW_MEMBER
};

/*
 * Returns the functions, which stay valid until pstat ends. If libdw cannot be loaded, returns
 * NULL, and the first call also warns that there are no @what (for example, "source lines").
 */
const struct libdw *libdw__load(const char *what);

#endif
