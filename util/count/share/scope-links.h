/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches BPF programs at points in user space, and owns the fds of all attachments, including
 * those at points in the kernel (scope-kernel.h). The kernel removes an attachment when its fd is
 * closed, so nothing stays attached when pstat is killed.
 */
#ifndef PSTAT_COUNT_SCOPE_LINKS_H
#define PSTAT_COUNT_SCOPE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* in uapi linux/bpf.h since Linux 6.6; the headers of the build machine may be older */
#define SCOPE_TRACE_UPROBE_MULTI 48

/* A list of attachments. A zero-initialized struct is an empty list. */
struct scope_links {
	int nr;
	int *fds;
	/*
	 * for each attachment, the fd of its perf event, or -1 if it has none; closed after the fd
	 * in `fds`
	 */
	int *events;
};

/*
 * Returns whether one BPF link can attach a program at many points in user space (since Linux 6.6).
 */
bool scope_links__have_multi(void);

/* Points in one file at which the same program is attached. */
struct scope_uprobes {
	const char *option; /* the option that named the points; for messages */
	const char *path;   /* the path through which the file can be opened */
	bool at_return;
	int nr;
	uint64_t *offsets;
	uint64_t *ref_ctr_offsets;
	uint64_t *cookies;
};

/*
 * Attaches the program @prog_fd at all points of @uprobes. If @multi is true, uses a single link
 * (see scope_links__have_multi()). @name is the name of the file in messages. Returns 0, or -errno
 * with the reason in @why. After an error, the program stays attached at the points where it was
 * already attached, until scope_links__free() is called.
 */
int scope_links__add_uprobes(struct scope_links *links, int prog_fd, bool multi,
			     const struct scope_uprobes *uprobes, const char *name,
			     struct strbuf *why);
/*
 * Adds the attachment @fd to @links, together with its perf event @event (-1 if it has no perf
 * event). Takes ownership of both fds, even on error. Returns 0 or -ENOMEM.
 */
int scope_links__add(struct scope_links *links, int fd, int event);
/*
 * Attaches the program @prog_fd to the perf event @event, adds the attachment to @links, and
 * enables the event. The program can read @cookie. Takes ownership of @event, even on error.
 * Returns 0 or -errno.
 */
int scope_links__add_event(struct scope_links *links, int prog_fd, int event, uint64_t cookie);
/*
 * Reads a number from a file of a PMU in sysfs, such as "uprobe/type". @format is a scanf() format
 * with one %d. Returns the number or -errno.
 */
int scope_links__read_pmu(const char *file, const char *format);
/* Closes all fds in @links, so the kernel detaches the programs. */
void scope_links__free(struct scope_links *links);

#endif
