/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs of scopes and their maps. */
#ifndef PSTAT_COUNT_SCOPE_PROGRAMS_H
#define PSTAT_COUNT_SCOPE_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct backend_group;
struct event_fds;
struct gate;
struct gate_links;
struct gate_points;
struct scope_bpf;
struct scope_shape;
struct stat_config;
struct strbuf;

struct scope_programs {
	struct scope_bpf *skel;
	/* the programs at user-space points are for links with many points (Linux 6.6) */
	bool multi;
	/* those at functions of the kernel are for links with many functions (Linux 5.18) */
	bool func_multi;
	int threads_map;		 /* -1: not made */
	uint32_t depth;			 /* runs that a thread can have in progress */
	int switch_fd, exit_fd, exec_fd; /* attachments; -1: not attached */
};

void scope_programs__init(struct scope_programs *programs);
/*
 * Loads the programs and fills their maps. Two more rows than shape->nr_rows have totals, for
 * scope_calibrate().
 */
int scope_programs__load(struct scope_programs *programs, const struct scope_shape *shape,
			 const struct backend_group *group, const struct event_fds *fds,
			 const struct stat_config *cfg);
/* Attaches the programs at context switches, exits and execs. */
int scope_programs__watch(struct scope_programs *programs, struct strbuf *why);
/*
 * If @tracepoint is one at which scope_programs__watch() attaches a program, attaches this program
 * again, so that it runs after all others there: a run that ends there is counted before the
 * program drops the runs that are left.
 */
int scope_programs__watch_last(struct scope_programs *programs, const char *tracepoint,
			       struct strbuf *why);
/* Sets one point of the system call @nr. @cookie 0: it has none. Returns 0 or -errno. */
int scope_programs__set_syscall(const struct scope_programs *programs, int nr,
				enum scope_syscall_point point, uint64_t cookie);
/*
 * Puts the events of one CPU of the group into the map. The events of a CPU that is not @online are
 * dead or not open, so events of another CPU take their place. The kernel refuses to read these on
 * the CPU (EINVAL), so runs there are lost, and not counted as 0.
 */
int scope_programs__put_events(const struct scope_programs *programs,
			       const struct scope_shape *shape, const struct backend_group *group,
			       const struct event_fds *fds, int cpu, bool online);
/* What opens and closes the count. */
struct gate *scope_programs__gate(const struct scope_programs *programs);
/* 0: runs are not counted. A run counts if the gate has the same value at its beginning and end. */
void scope_programs__set_gate(struct scope_programs *programs, uint32_t gate);
/* Attaches the program that opens and closes the count at the points of --start and --stop. */
int scope_programs__attach_gate(const struct scope_programs *programs,
				const struct gate_points *points, struct gate_links **links,
				struct strbuf *why);
/* Also counts the runs of pstat itself, or no longer. */
int scope_programs__count_self(struct scope_programs *programs, bool on);
void scope_programs__free(struct scope_programs *programs);

#endif
