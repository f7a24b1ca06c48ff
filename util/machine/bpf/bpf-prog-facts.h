/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about loaded BPF programs that only lists of programs need. */
#ifndef PSTAT_MACHINE_BPF_PROG_FACTS_H
#define PSTAT_MACHINE_BPF_PROG_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct bpf_prog;
struct sysroots;

/* The kernel updates runs and time only while kernel.bpf_stats_enabled is set. */
struct bpf_prog_facts {
	uint64_t run_cnt;
	uint64_t run_time_ns;
	/* runs that the kernel skipped because the program was already running on that CPU */
	uint64_t misses;
	uint32_t uid; /* user who loaded the program */
	uint32_t nr_maps;
	uint32_t *map_ids; /* ids of the maps that the program uses */
	/* the program is, or will be, attached to another BPF program (fentry or fexit) */
	bool traces_a_prog;
};

/* Reads the facts. Returns 0 or -errno. Call bpf_prog_facts__free() in both cases. */
int bpf_prog_facts__read(const struct bpf_prog *prog, struct bpf_prog_facts *facts);
void bpf_prog_facts__free(struct bpf_prog_facts *facts);

/* Returns whether the kernel currently counts runs and their time. */
bool bpf_prog_facts__are_kept(const struct sysroots *roots);

/* Unique pairs of a program id and the id of its holder. A zeroed struct is empty. */
struct prog_holders {
	int nr;
	struct prog_holder {
		uint32_t prog;
		uint32_t holder;
	} * pairs; /* sorted by program, then by holder */
};

/*
 * Finds the processes that hold a program through an open file: the program itself, a link, or a
 * perf event to which the program is attached. Reads /proc/PID/fd of every process that this user
 * may inspect. Returns 0 or -ENOMEM.
 */
int prog_holders__processes(const struct sysroots *roots, struct prog_holders *holders);

/*
 * Finds the prog arrays (map ids) that contain programs. Tail calls can reach these programs, and
 * trampolines do not see tail calls. Returns 0, or -errno: -EPERM without CAP_SYS_ADMIN.
 */
int prog_holders__prog_arrays(struct prog_holders *holders);
void prog_holders__free(struct prog_holders *holders);

/*
 * Returns the first pair of @prog, and sets *@nr to the number of its pairs, which are adjacent.
 * Returns NULL if there is none.
 */
const struct prog_holder *prog_holders__of(const struct prog_holders *holders, uint32_t prog,
					   int *nr);

#endif
