/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One BPF program that is counted, and the pair of programs that count it (bpf_skel/prog_profiler.bpf.c). Each target has its
 * own totals; the perf events are shared. The order of calls is load, set_state, attach, close; set_gate and read may
 * come any time after load, close any time after find, also when one of them failed.
 *
 * Links are held as fds and nothing is pinned: all of it is gone when the process ends, however it ends.
 */
#ifndef PSTAT_COUNT_PROG_TARGET_H
#define PSTAT_COUNT_PROG_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_link;
struct bpf_prog;
struct prog_profiler_bpf;

/* All zero: nothing is open. */
struct prog_target {
	struct bpf_prog *prog; /* owned; its func is what is counted */
	struct prog_profiler_bpf *skel;
	struct bpf_link *begin, *end;
};

/* What is the same for all targets of a session. */
struct prog_shape {
	int nr_events;	   /* that are read in each run */
	int nr_cpus;	   /* largest possible CPU id + 1 */
	int events_map;	   /* fd of the map with their perf events, see prog_shape__new_events_map() */
	size_t value_size; /* bytes of one CPU's state: struct prog_state and its rows of readings */
};

/* The map event × nr_cpus + CPU id → perf event that all targets' programs read. Its fd or -errno; tells nothing. */
int prog_shape__new_events_map(const struct prog_shape *shape);

/* All of these return 0 or -errno, which has then been told. */

int prog_target__load(struct prog_target *target, const struct prog_shape *shape);
int prog_target__attach(struct prog_target *target);

/* The state of every possible CPU, @values: shape.value_size bytes for each, in the order of the possible CPUs. */
int prog_target__set_state(const struct prog_target *target, const char *values);
int prog_target__read_state(const struct prog_target *target, char *values);

/* Runs that begin while the gate is open are counted. */
void prog_target__set_gate(const struct prog_target *target, bool open);

/* Runs whose begin the kernel did not tell us of, because run_begin was running on that CPU already. */
uint64_t prog_target__missed(const struct prog_target *target);

/* How many references on the program this target holds. */
uint64_t prog_target__refs(const struct prog_target *target);

void prog_target__close(struct prog_target *target);

#endif
