/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --start and --stop with -b. BPF programs at the points of --start and --stop open and close a
 * gate. Runs are counted only while the gate is open. All targets (the counted BPF programs) share
 * one gate.
 */
#ifndef PSTAT_COUNT_PROG_GATE_H
#define PSTAT_COUNT_PROG_GATE_H

struct gate;
struct gate_points;
struct prog_gate;
struct prog_shape;

/*
 * Loads the BPF programs for @points, and sets @shape->gate_map. @points must outlive the result.
 * Call this after prog_shared__make_maps() and prog_calibrate(). Returns 0, or -errno with the
 * reason in @shape->why. Call prog_gate__free() even after an error.
 */
int prog_gate__new(const struct gate_points *points, struct prog_shape *shape,
		   struct prog_gate **gate);
/*
 * Attaches the programs. If @fd is not -1, the fd that prog_gate__wake_fd() returns is also
 * readable whenever @fd is readable. Returns 0, or -errno with the reason in @shape->why.
 */
int prog_gate__attach(struct prog_gate *gate, const struct prog_shape *shape, int fd);
struct gate *prog_gate__gate(const struct prog_gate *gate);

void prog_gate__arm(struct prog_gate *gate);
/* Returns an fd that is readable after a point has opened or closed the gate. */
int prog_gate__wake_fd(const struct prog_gate *gate);
/* Removes the messages that made the fd of prog_gate__wake_fd() readable. */
void prog_gate__drain(struct prog_gate *gate);
/* Detaches the programs. @gate may be NULL. */
void prog_gate__free(struct prog_gate *gate);

#endif
