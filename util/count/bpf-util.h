/* SPDX-License-Identifier: GPL-2.0-only */
/* What every backend that loads BPF programs needs of libbpf. */
#ifndef PSTAT_COUNT_BPF_UTIL_H
#define PSTAT_COUNT_BPF_UTIL_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* linux/errno.h: of kernel-internal use, but BPF's load and attach calls let it out to user space */
#define ENOTSUPP 524

/* libbpf's messages go through the log, one level lower than ours: its warnings are our -v, all else is -vv. */
void bpf_util__init(void);
/* The same until bpf_util__leave(), for a library: the program may want libbpf's messages itself. Not two at a time. */
void bpf_util__enter(void);
void bpf_util__leave(void);

/*
 * May an fentry program be attached to the function @func_btf_id of the BPF program @prog_fd? A program of two
 * instructions is loaded for it and dropped again.
 * 0, or the kernel's -errno with the reason in words in @why_not: who refused it, and the verifier's last line if there is one.
 */
int bpf_util__probe_fentry(int prog_fd, uint32_t func_btf_id, struct strbuf *why_not);

/* The same for a program of pstat's own: does this kernel have fentry for BPF programs at all? */
int bpf_util__probe_trampoline(struct strbuf *why_not);

/*
 * Is fentry refused whatever it is for? A program for no function is offered: where it is taken seriously, it is invalid. The same
 * answers, at a fraction of the cost; 0 does not say that this architecture can do it.
 */
int bpf_util__probe_lockdown(struct strbuf *why_not);

/* May this user turn ids of links, programs and maps into fds, which sessions that share something do? Only CAP_SYS_ADMIN may. */
bool bpf_util__may_use_ids(void);

/* May a program be loaded that runs at raw tracepoints? The same answers. */
int bpf_util__probe_raw_tp(struct strbuf *why_not);

/* … or at each sample of a perf event? */
int bpf_util__probe_perf_event(struct strbuf *why_not);
/* The fd of such a program, that does nothing, or -errno. */
int bpf_util__load_perf_event(void);

/*
 * Puts a perf event of CPU @cpu_id into a map of them, [row × nr_cpus + CPU id]; @nr_cpus is the largest possible id + 1. Nothing to do when
 * @fd is -1: it is not open there.
 */
int bpf_util__put_event(int map_fd, int row, int nr_cpus, int cpu_id, int fd, const char *name, struct strbuf *why);

/* Programs that pstat loads to try something have names that begin so. */
#define OWN_PROG_PREFIX "pstat_"

#endif
