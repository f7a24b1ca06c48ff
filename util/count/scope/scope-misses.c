// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beginnings of runs that pstat's programs did not see. The kernel skips a program if the CPU is
 * running another one, or the same one, and counts this for the program. It skips a probe if the
 * CPU is handling another one, and counts this for the link (Linux 6.7).
 */
#include "util/count/scope/scope-misses.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/count/bpf-util.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/share/scope-links.h"

/* bpf_link_info of linux/bpf.h, Linux 6.7; the headers of the build machine may be older */
struct link_info {
	__u32 type, id, prog_id, padding;
	union {
		struct {
			__u64 addrs;
			__u32 count, flags;
			__u64 missed;
		} kprobe_multi;
		struct {
			__u32 kind, padding;
			__u64 func_name;
			__u32 name_len, offset;
			__u64 addr, missed;
		} kprobe;
		__u64 room[8];
	};
};

#define LINK_PERF_EVENT 7
#define LINK_KPROBE_MULTI 8
#define KIND_KPROBE 3
#define KIND_KRETPROBE 4

/* Stores in *@name the name of the program @id and returns its misses. */
static uint64_t misses_of_id(__u32 id, char name[BPF_OBJ_NAME_LEN])
{
	int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	uint64_t misses = 0;

	*name = 0;
	if (fd < 0)
		return 0;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len)) {
		misses = info.recursion_misses;
		memcpy(name, info.name, BPF_OBJ_NAME_LEN);
	}
	close(fd);
	return misses;
}

/* The kernel cuts names to 15 characters. */
static bool is_fentry_begin(const char *name)
{
	return !strcmp(name, "pstat_fentry_be");
}

static bool is_begin(const char *name)
{
	return !strcmp(name, "pstat_func_begi") || !strcmp(name, "pstat_func_sess");
}

/* Returns the misses of a link at functions of the kernel, or of its fentry program. */
static uint64_t misses_of_link(int fd)
{
	struct link_info info = {};
	__u32 len = sizeof(info);
	char name[BPF_OBJ_NAME_LEN];
	uint64_t misses;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	misses = misses_of_id(info.prog_id, name);
	if (is_fentry_begin(name))
		return misses;
	if (!is_begin(name))
		return 0;
	if (info.type == LINK_KPROBE_MULTI)
		return info.kprobe_multi.missed;
	if (info.type == LINK_PERF_EVENT &&
	    (info.kprobe.kind == KIND_KPROBE || info.kprobe.kind == KIND_KRETPROBE))
		return info.kprobe.missed;
	return 0;
}

uint64_t scope_misses__count(const struct scope_programs *programs, const struct scope_links *links)
{
	const struct scope_bpf *skel = programs->skel;
	const struct bpf_program *all[] = { skel->progs.pstat_begin, skel->progs.pstat_tp_begin,
					    skel->progs.pstat_func_begin,
					    skel->progs.pstat_func_session,
					    skel->progs.pstat_sys_enter };
	uint64_t misses = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (bpf_program__fd(all[i]) >= 0)
			misses += bpf_util__misses_of(bpf_program__fd(all[i]));
	for (int i = 0; i < links->nr; i++)
		misses += misses_of_link(links->fds[i]);
	return misses;
}
