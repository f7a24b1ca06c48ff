/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches BPF programs of a backend at the points that --start and --stop name. These programs
 * open and close the session's gate. pstat counts only while the gate is open (util/count/gate.h).
 */
#ifndef PSTAT_COUNT_GATE_LINKS_H
#define PSTAT_COUNT_GATE_LINKS_H

#include <stdbool.h>

struct bpf_program;
struct gate_links;
struct gate_points;
struct strbuf;

/*
 * The programs for points in user space (`user`), at kernel functions (`func`), and at tracepoints
 * and system calls (`tp`).
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
 * If @points contains kernel functions, checks that BPF programs can be attached at kernel
 * functions. @points may be NULL. Returns 0, or -errno with the reason in @why.
 */
int gate_links__test(const struct gate_points *points, struct strbuf *why);
/*
 * Chooses which programs libbpf will load: the programs that are needed for @points, or none if
 * @points is NULL. Also chooses how these programs will be attached. Call this function before the
 * programs are loaded. Returns 0 or -errno.
 */
int gate_links__prepare(const struct gate_programs *programs, const struct gate_points *points);
/*
 * Attaches the programs at all @points. Begins with the points of --stop, because a point of
 * --start could otherwise open the gate before a program can close it. @changed_fd is the fd of the
 * ring buffer gate_changed, to which the programs send a message when they change the gate.
 * @changed_fd must be -1 if the caller itself waits for these messages; the caller must then not
 * use the next three functions. Returns 0, or -errno with the reason in @why. The caller must free
 * *@links even if this function fails.
 */
int gate_links__attach(const struct gate_programs *programs, int changed_fd,
		       const struct gate_points *points, struct gate_links **links,
		       struct strbuf *why);
/* Returns an fd that becomes readable when the gate changes, or -1 if @links is NULL. */
int gate_links__wake_fd(const struct gate_links *links);
/*
 * From this call on, the fd of gate_links__wake_fd() is also readable whenever @fd is readable. The
 * caller still owns @fd. Does nothing if @fd is -1. Returns 0 or -errno.
 */
int gate_links__wake_for(const struct gate_links *links, int fd);
/*
 * Removes all messages from gate_changed, so that they no longer make the fd of
 * gate_links__wake_fd() readable.
 */
void gate_links__drain(struct gate_links *links);
/* Detaches the programs from all points and frees @links, which may be NULL. */
void gate_links__free(struct gate_links *links);

#endif
