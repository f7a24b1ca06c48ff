/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds USDT points: places that the authors of a program have marked with sys/sdt.h of SystemTap.
 * A note in the file describes each place:
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
 */
#ifndef PSTAT_MACHINE_SCOPE_USDT_H
#define PSTAT_MACHINE_SCOPE_USDT_H

#include <stdint.h>

struct elf_file;

/* One place of a point. Strings are valid until the file is closed. */
struct usdt_place {
	const char *provider, *name;
	const char *arguments;	 /* where the arguments are: "-4@%edi 8@-24(%rbp)" */
	uint64_t address;	 /* link-time address */
	uint64_t offset;	 /* in the file */
	uint64_t ref_ctr_offset; /* file offset of the semaphore; 0: there is no semaphore */
};

/*
 * Calls @each for each place, in the order of the notes. Stops if @each returns a value other than
 * 0, and returns this value. Otherwise returns 0; -ENOENT if the file has no USDT points; or
 * -ENOMEM. Skips malformed notes.
 */
int scope_usdt__each(const struct elf_file *file,
		     int (*each)(const struct usdt_place *place, void *arg), void *arg);

#endif
