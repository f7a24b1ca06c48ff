/* SPDX-License-Identifier: GPL-2.0-only */
/* Attaches the program of a backend at the points of --start and --stop. */
#ifndef PSTAT_COUNT_GATE_LINKS_H
#define PSTAT_COUNT_GATE_LINKS_H

#include <stdbool.h>

struct bpf_program;
struct gate_links;
struct gate_points;
struct strbuf;

/*
 * To be called before @prog, the program at the points, is loaded. If not @on, it is not loaded.
 * Returns 0 or -errno.
 */
int gate_links__prepare(struct bpf_program *prog, bool on);
/*
 * Attaches @prog at all @points: the stops first, so that no start stays without its stop.
 * @changed_fd is the map gate_changed, or -1 if the caller reads the messages. Returns 0, or -errno
 * with the reason in @why.
 */
int gate_links__attach(struct bpf_program *prog, int changed_fd, const struct gate_points *points,
		       struct gate_links **links, struct strbuf *why);
/* An fd that is readable when a point has changed the gate. NULL: -1. */
int gate_links__wake_fd(const struct gate_links *links);
/*
 * From now on, the fd is also readable if @fd is, which the caller keeps. -1: nothing to do.
 * Returns 0 or -errno.
 */
int gate_links__wake_for(const struct gate_links *links, int fd);
/* Takes the messages that made it readable. */
void gate_links__drain(struct gate_links *links);
/* Detaches everything. NULL is fine. */
void gate_links__free(struct gate_links *links);

#endif
