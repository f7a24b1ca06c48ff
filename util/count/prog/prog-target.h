/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One BPF program that is counted, and the pair of programs that count it
 * (bpf_skel/prog_profiler.bpf.c). Each target has its own totals; the perf events and the runs in
 * flight are shared. The order of calls is load, attach, close. set_gate and read may be called at
 * any time after load, and close at any time, even if one of the others failed. To make a target,
 * assign it a program that can be counted.
 *
 * Links are held as fds and nothing is pinned: all of it is gone when the process ends, however it
 * ends.
 */
#ifndef PSTAT_COUNT_PROG_TARGET_H
#define PSTAT_COUNT_PROG_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_link;
struct bpf_prog;
struct bpf_program;
struct prog_profiler_bpf;
struct prog_shape;
struct prog_stats;
struct strbuf;

/* All zero: nothing is open. */
struct prog_target {
	struct bpf_prog *prog; /* owned; its func is the function to count */
	/*
	 * owned; the kernel's statistics count the program, and there is no fentry/fexit pair.
	 * NULL: the pair counts
	 */
	struct prog_stats *stats;
	struct prog_profiler_bpf *skel;
	struct bpf_program *run_begin, *run_end; /* of skel: those that are loaded */
	struct bpf_link *begin, *end;
	uint64_t misses_before; /* see prog_target__own_misses(), when it was attached */
};

int prog_target__load(struct prog_target *target, const struct prog_shape *shape);
int prog_target__attach(struct prog_target *target, struct strbuf *why);

/*
 * Reads the totals of a target that has a fentry/fexit pair: prog_shape__totals_size() bytes for
 * each possible CPU, in the order of the possible CPUs.
 */
int prog_target__read(const struct prog_target *target, char *totals, struct strbuf *why);

/* A run counts if the gate has the same number, which is not 0, at its start and at its end. */
void prog_target__set_gate(const struct prog_target *target, uint32_t gate);

/*
 * With --outliers: from now on, streams runs that count more than @above. May be called before
 * load.
 */
void prog_target__set_above(const struct prog_target *target, const struct prog_shape *shape,
			    uint64_t above);

/*
 * Returns the number of missed runs of a target that has a fentry/fexit pair: they began while
 * run_begin was already running on that CPU, so the kernel did not call it. (If the kernel did not
 * call run_end, the run is lost instead.)
 */
uint64_t prog_target__missed(const struct prog_target *target);

/*
 * Returns how often the kernel skipped the target itself since it was attached, because it was
 * already running on that CPU.
 */
uint64_t prog_target__own_misses(const struct prog_target *target);

/* Returns the number of references to the program that this target holds. */
uint64_t prog_target__refs(const struct prog_target *target);

/* Detaches the pair. It can be attached again. */
void prog_target__detach(struct prog_target *target);
void prog_target__close(struct prog_target *target);

#endif
