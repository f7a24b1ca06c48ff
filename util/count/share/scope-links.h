/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches BPF programs at points of programs. Everything ends with the fds, so nothing stays
 * attached when pstat is killed.
 */
#ifndef PSTAT_COUNT_SCOPE_LINKS_H
#define PSTAT_COUNT_SCOPE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* uapi linux/bpf.h since 6.6; the headers of the build machine may be older */
#define SCOPE_TRACE_UPROBE_MULTI 48

/* Attachments. A zeroed struct has none. */
struct scope_links {
	int nr;
	int *fds;
	/* the perf event of each fd, which is closed after it; -1: none */
	int *events;
};

/* Can many user-space points be attached with one link? Linux 6.6. */
bool scope_links__have_multi(void);

/* User-space points of one file, with the same program. */
struct scope_uprobes {
	const char *option; /* that named the points; for messages */
	const char *path;   /* through which the file can be opened */
	bool at_return;
	int nr;
	uint64_t *offsets;
	uint64_t *ref_ctr_offsets;
	uint64_t *cookies;
};

/*
 * Attaches the program @prog_fd at all points of @uprobes. @name is the file, for messages. Returns
 * 0, or -errno with the reason in @why; what was attached stays attached.
 */
int scope_links__add_uprobes(struct scope_links *links, int prog_fd, bool multi,
			     const struct scope_uprobes *uprobes, const char *name,
			     struct strbuf *why);
/*
 * Adds an attachment, and the perf event that it needs (-1: none). Closes both on error. Returns 0
 * or -ENOMEM.
 */
int scope_links__add(struct scope_links *links, int fd, int event);
/*
 * Returns the number in the file of a PMU, such as "uprobe/type", after the text @format, or
 * -errno.
 */
int scope_links__read_pmu(const char *file, const char *format);
/* Detaches everything. */
void scope_links__free(struct scope_links *links);

#endif
