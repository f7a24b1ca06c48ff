/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads facts about a loaded BPF program that are not in struct bpf_prog, and finds the processes
 * and maps that hold programs.
 */
#ifndef PSTAT_MACHINE_BPF_PROG_FACTS_H
#define PSTAT_MACHINE_BPF_PROG_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct bpf_prog;
struct sysroots;

struct bpf_prog_facts {
	uint64_t run_cnt;     /* runs while BPF statistics were enabled */
	uint64_t run_time_ns; /* total time of these runs */
	/* runs that the kernel skipped because the program was already running on the same CPU */
	uint64_t misses;
	uint32_t uid; /* user who loaded the program */
	uint32_t nr_maps;
	uint32_t *map_ids; /* ids of the maps that the program uses */
	/* the program is an fentry or fexit program for another BPF program, attached or not */
	bool traces_a_prog;
};

/*
 * Reads the facts about @prog. Returns 0 or -errno. Call bpf_prog_facts__free() even after an
 * error.
 */
int bpf_prog_facts__read(const struct bpf_prog *prog, struct bpf_prog_facts *facts);
void bpf_prog_facts__free(struct bpf_prog_facts *facts);

/*
 * Returns whether kernel.bpf_stats_enabled is set. If so, the kernel counts the runs of each BPF
 * program, and measures their total time.
 */
bool bpf_prog_facts__are_kept(const struct sysroots *roots);

/*
 * Unique pairs of a program and a holder of the program. A holder is a process (see
 * prog_holders__processes()), or a prog array that contains the program. A zeroed struct is empty.
 */
struct prog_holders {
	int nr;
	struct prog_holder {
		uint32_t prog;	 /* id of the program */
		uint32_t holder; /* id of the process or map */
	} * pairs;		 /* sorted by program, then by holder */
};

/*
 * Finds the processes that have an fd of a program, of a link, or of a perf event to which a
 * program is attached. Reads /proc/PID/fd of every process that this user may inspect. Returns 0 or
 * -ENOMEM.
 */
int prog_holders__processes(const struct sysroots *roots, struct prog_holders *holders);

/*
 * Finds the prog arrays that contain programs. A tail call can start a program in a prog array, but
 * does not run the fentry programs that are attached to this program. Returns 0; -EPERM without
 * CAP_SYS_ADMIN; or another -errno.
 */
int prog_holders__prog_arrays(struct prog_holders *holders);
void prog_holders__free(struct prog_holders *holders);

/*
 * Returns the first pair with the program @prog, or NULL if there is no such pair. Sets *@nr to the
 * number of pairs with @prog, which are consecutive.
 */
const struct prog_holder *prog_holders__of(const struct prog_holders *holders, uint32_t prog,
					   int *nr);

#endif
