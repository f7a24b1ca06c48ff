/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs at the points of `pstat profile --start` and `--stop`. They open and close the
 * gate (gate.h). If tasks are sampled, only these tasks can open and close it. The BPF programs
 * that run at samples discard all samples while the gate is closed.
 */
#ifndef PSTAT_COUNT_PROFILE_GATE_H
#define PSTAT_COUNT_PROFILE_GATE_H

struct backend_group;
struct gate;
struct profile_gate;
struct stat_config;

/*
 * Loads the BPF programs for @cfg->points. The points must outlive the result. Returns 0, or -errno
 * with the reason in @group->why. The caller must free *@gate even if this function fails.
 */
int profile_gate__new(const struct backend_group *group, const struct stat_config *cfg,
		      struct profile_gate **gate);
/*
 * Attaches the programs. If @fd is not -1, the fd that profile_gate__wake_fd() returns is also
 * readable whenever @fd is readable. Returns 0, or -errno with the reason in @group->why.
 */
int profile_gate__attach(struct profile_gate *gate, const struct backend_group *group, int fd);

struct gate *profile_gate__gate(const struct profile_gate *gate);
/* Returns the fd of the map that contains the gate, or -1 if @gate is NULL. */
int profile_gate__map_fd(const struct profile_gate *gate);
/* Returns an fd that is readable after a point has opened or closed the gate. */
int profile_gate__wake_fd(const struct profile_gate *gate);

/* The functions below do nothing if @gate is NULL. */
void profile_gate__arm(struct profile_gate *gate);
void profile_gate__disarm(struct profile_gate *gate);
/* Discards the messages that make the fd of profile_gate__wake_fd() readable. */
void profile_gate__drain(struct profile_gate *gate);
/* Detaches the programs. */
void profile_gate__free(struct profile_gate *gate);

#endif
