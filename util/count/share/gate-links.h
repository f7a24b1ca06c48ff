/* SPDX-License-Identifier: GPL-2.0-only */
/* Attaches the programs of a backend at the points of --start and --stop. */
#ifndef PSTAT_COUNT_GATE_LINKS_H
#define PSTAT_COUNT_GATE_LINKS_H

#include <stdbool.h>

struct bpf_program;
struct gate_links;
struct gate_points;
struct strbuf;

/*
 * The programs for points in user space (user), at kernel functions (func), and at tracepoints and
 * system calls (tp).
 */
struct gate_programs {
	struct bpf_program *user, *func, *tp;
};
#define GATE_PROGRAMS(skel)                            \
	(&(const struct gate_programs){                \
		.user = (skel)->progs.pstat_gate,      \
		.func = (skel)->progs.pstat_gate_func, \
		.tp = (skel)->progs.pstat_gate_tp,     \
	})

/*
 * Finds out by trying whether programs can be attached to the kernel functions in @points, which
 * may be NULL. Returns 0, or -errno with the reason in @why.
 */
int gate_links__test(const struct gate_points *points, struct strbuf *why);
/*
 * Chooses the programs to load. These are the programs that @points need; if @points is NULL, no
 * program is loaded. Call this function before the programs are loaded. Returns 0 or -errno.
 */
int gate_links__prepare(const struct gate_programs *programs, const struct gate_points *points);
/*
 * Attaches the programs at all @points. Attaches at the points of --stop first. Otherwise, a point
 * of --start could open the gate before the programs at the points of --stop are attached, and
 * pstat could miss the stop. @changed_fd is the fd of the map gate_changed, or -1 if the caller
 * itself reads the messages in this map. Returns 0, or -errno with the reason in @why. The caller
 * must free *@links even if this function fails.
 */
int gate_links__attach(const struct gate_programs *programs, int changed_fd,
		       const struct gate_points *points, struct gate_links **links,
		       struct strbuf *why);
/* Returns an fd that becomes readable when a point changes the gate, or -1 if @links is NULL. */
int gate_links__wake_fd(const struct gate_links *links);
/*
 * Makes the fd of gate_links__wake_fd() also readable whenever @fd is readable. The caller still
 * owns @fd. Does nothing if @fd is -1. Returns 0 or -errno.
 */
int gate_links__wake_for(const struct gate_links *links, int fd);
/* Removes the messages of the points, which make the fd of gate_links__wake_fd() readable. */
void gate_links__drain(struct gate_links *links);
/* Detaches the programs from all points and frees @links, which may be NULL. */
void gate_links__free(struct gate_links *links);

#endif
