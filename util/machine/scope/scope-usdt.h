/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds USDT points. The authors of a program mark these points in the source with macros of
 * SystemTap (sys/sdt.h). One point can be at several places in the code. Each place is described by
 * a note in the file: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
 */
#ifndef PSTAT_MACHINE_SCOPE_USDT_H
#define PSTAT_MACHINE_SCOPE_USDT_H

#include <stdint.h>

struct elf_file;

/* One place of a point. Strings are valid until the file is closed. */
struct usdt_place {
	const char *provider, *name;
	/* size and location of each argument: "-4@%edi 8@-24(%rbp)"; NULL: missing */
	const char *arguments;
	uint64_t address;	 /* link-time address */
	uint64_t offset;	 /* in the file */
	uint64_t ref_ctr_offset; /* file offset of the semaphore (scope.h); 0: none */
};

/*
 * Calls @each for each place, in the order of the notes. Skips malformed notes. If @each returns a
 * value other than 0, stops and returns this value. Otherwise returns 0; -ENOENT if the file has no
 * USDT points; or -ENOMEM.
 */
int scope_usdt__each(const struct elf_file *file,
		     int (*each)(const struct usdt_place *place, void *arg), void *arg);

#endif
