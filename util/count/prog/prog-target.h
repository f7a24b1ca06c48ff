/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A target is one BPF program that is counted, and the pair of programs that count it: an fentry
 * and an fexit program (bpf_skel/prog_profiler.bpf.c). Each target has its own totals. All targets
 * share the perf events and the table of runs in progress (map `cpu_runs`).
 *
 * To use a target, set `prog` to a program that can be counted. If the kernel's statistics are to
 * count this program, also set `stats`; such a target has no pair. Then call prog_target__load(),
 * prog_target__attach() and prog_target__close(), in this order. prog_target__set_gate() and
 * prog_target__read() may be called at any time between load and close. prog_target__close() may
 * also be called after an error.
 *
 * pstat holds each BPF link as an fd, and pins nothing. So the kernel detaches everything when the
 * pstat process ends, even if it is killed.
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

/* In a zero-initialized struct, nothing is open. */
struct prog_target {
	struct bpf_prog *prog; /* owned; its member `func` is the function to count */
	/*
	 * owned; if it is not NULL, the kernel's statistics count the program, and there is no pair
	 */
	struct prog_stats *stats;
	struct prog_profiler_bpf *skel;
	struct bpf_program *run_begin, *run_end; /* the pair: the loaded programs of skel */
	struct bpf_link *begin, *end;
	/* how many runs of `prog` the kernel had skipped before prog_target__attach() */
	uint64_t misses_before;
};

/*
 * The first function loads the pair, and the second function attaches it. If the kernel's
 * statistics count the program, there is no pair to load or attach. Both functions return 0 or
 * -errno. The first function stores the reason in @shape->why, and the second function in @why.
 */
int prog_target__load(struct prog_target *target, const struct prog_shape *shape);
int prog_target__attach(struct prog_target *target, struct strbuf *why);

/*
 * Reads the totals of @target, which must have a pair. Stores them in @totals, which must have room
 * for prog_shape__totals_size() bytes for each possible CPU. The CPUs are in the order of their
 * ids. Returns 0, or -errno with the reason in @why.
 */
int prog_target__read(const struct prog_target *target, char *totals, struct strbuf *why);

/*
 * Sets the value of the gate to @gate. A run is counted if the gate has the same value at the
 * beginning of the run and at its end, and this value is not 0. If the kernel's statistics count
 * the program, there is no gate: the function stops counting if @gate is 0, otherwise it starts
 * counting.
 */
void prog_target__set_gate(const struct prog_target *target, uint32_t gate);

/*
 * With --outliers: makes the pair report runs whose count (the word @shape->outlier_word) is
 * greater than @above. target->skel must be open.
 */
void prog_target__set_above(const struct prog_target *target, const struct prog_shape *shape,
			    uint64_t above);

/*
 * Returns the number of missed runs of a target that has a pair. A run is missed if the kernel
 * skips run_begin, because run_begin is already running on the CPU. (If the kernel skips run_end,
 * the run is lost instead.)
 */
uint64_t prog_target__missed(const struct prog_target *target);

/*
 * Returns the number of runs of the counted program itself that the kernel has skipped since
 * prog_target__attach(), because the program was already running on the CPU.
 */
uint64_t prog_target__own_misses(const struct prog_target *target);

/* Returns how many references to the counted program the target holds. */
uint64_t prog_target__refs(const struct prog_target *target);

/* Detaches the pair. prog_target__attach() can attach it again. */
void prog_target__detach(struct prog_target *target);
void prog_target__close(struct prog_target *target);

#endif
