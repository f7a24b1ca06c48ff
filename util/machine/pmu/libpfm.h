/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libpfm4 converts the event names in the manuals of many CPUs to struct perf_event_attr. pstat
 * loads libpfm4 at run time for --pfm-events, and can be built without the library.
 */
#ifndef PSTAT_MACHINE_LIBPFM_H
#define PSTAT_MACHINE_LIBPFM_H

struct perf_event_attr;
struct strbuf;

/*
 * PFM_PLM0 | PFM_PLM3 of perfmon/pfmlib.h: count in the kernel and in user space, unless modifiers
 * in the event's name select only one of them.
 */
#define LIBPFM_KERNEL_AND_USER (0x01 | 0x08)

struct libpfm {
	/*
	 * pfm_get_perf_event_encoding(3): sets the members of @attr for the event @name and its
	 * modifiers. The library can write a struct perf_event_attr that is larger than pstat's, so
	 * @attr must have room for the larger struct. @full_name and @index may be NULL. Returns 0,
	 * or an error code that `strerror` can describe.
	 */
	int (*encode)(const char *name, int privileges, struct perf_event_attr *attr,
		      char **full_name, int *index);
	const char *(*strerror)(int error);
};

/* Loads and initializes the library. If this fails, returns NULL, with the reason in @why. */
const struct libpfm *libpfm__load(struct strbuf *why);

#endif
