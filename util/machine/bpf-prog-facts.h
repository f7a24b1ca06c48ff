/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is to know about loaded BPF programs besides their names: for lists of them, not needed to count one. */
#ifndef PSTAT_MACHINE_BPF_PROG_FACTS_H
#define PSTAT_MACHINE_BPF_PROG_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct bpf_prog;
struct sysroots;

/* Runs and their time are kept by the kernel while kernel.bpf_stats_enabled is set; they are 0 when it never was. */
struct bpf_prog_facts {
	uint64_t run_cnt;
	uint64_t run_time_ns;
	uint64_t misses; /* runs that the kernel left out, because the program was running on that CPU already */
	uint32_t uid;	 /* of whoever loaded it */
	uint32_t nr_maps;
	uint32_t *map_ids;  /* the maps that it uses */
	bool traces_a_prog; /* it is attached, or will be, to another BPF program, as fentry and fexit can be */
};

/* 0 or -errno. */
int bpf_prog_facts__read(const struct bpf_prog *prog, struct bpf_prog_facts *facts);
void bpf_prog_facts__free(struct bpf_prog_facts *facts);

/* Does the kernel keep runs and their time now? */
bool bpf_prog_facts__are_kept(const struct sysroots *roots);

/* Pairs of a program's id and of something that holds it; a pair is there once. Zeroed is empty. */
struct prog_holders {
	int nr;
	struct prog_holder {
		uint32_t prog;
		uint32_t holder;
	} * pairs; /* by program, then by holder */
};

/*
 * The processes that hold programs by an open file: the program's, a link's, or a perf event's that it is attached to. Reads
 * /proc/PID/fd of every process that this user may look at. 0 or -ENOMEM.
 */
int prog_holders__processes(const struct sysroots *roots, struct prog_holders *holders);

/*
 * The prog arrays (ids of maps) that programs stand in: they can be reached by tail calls, which trampolines do not see. 0 or
 * -errno: -EPERM without CAP_SYS_ADMIN.
 */
int prog_holders__prog_arrays(struct prog_holders *holders);
void prog_holders__free(struct prog_holders *holders);

/* The first pair of @prog, with *@nr of them side by side; NULL when there is none. */
const struct prog_holder *prog_holders__of(const struct prog_holders *holders, uint32_t prog, int *nr);

#endif
