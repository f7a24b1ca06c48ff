/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libpfm4, which knows the events of many CPUs by the names of their manuals. It is loaded when
 * --pfm-events is used: nothing else needs it, and pstat is built without it.
 */
#ifndef PSTAT_MACHINE_LIBPFM_H
#define PSTAT_MACHINE_LIBPFM_H

struct perf_event_attr;
struct strbuf;

/*
 * PFM_PLM0 | PFM_PLM3 of perfmon/pfmlib.h: count in the kernel and in user space, if the name
 * does not say otherwise.
 */
#define LIBPFM_KERNEL_AND_USER (0x01 | 0x08)

struct libpfm {
	/*
	 * pfm_get_perf_event_encoding(3): sets type, config and what the modifiers of @name mean
	 * in @attr, which the library may take for larger than it is here. @full_name and @index
	 * may be NULL. Returns 0 or an error for strerror().
	 */
	int (*encode)(const char *name, int privileges, struct perf_event_attr *attr, char **full_name, int *index);
	const char *(*strerror)(int error);
};

/* Loads and initializes the library. NULL, with the reason in @why, if that is not possible. */
const struct libpfm *libpfm__load(struct strbuf *why);

#endif
