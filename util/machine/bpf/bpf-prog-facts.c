// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog-facts.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/machine/bpf/bpf-prog.h"

/*
 * Reads the ids of at most @nr maps that the program uses. @nr is the number of maps that an
 * earlier system call reported. More maps may have been bound to the program since then
 * (BPF_PROG_BIND_MAP). Returns 0 or -errno.
 */
static int read_maps(const struct bpf_prog *prog, uint32_t nr, struct bpf_prog_facts *facts)
{
	struct bpf_prog_info info = { .nr_map_ids = nr };
	int err;

	facts->map_ids = calloc((size_t)nr + 1, sizeof(*facts->map_ids));
	if (!facts->map_ids)
		return -ENOMEM;
	info.map_ids = (__u64)(unsigned long)facts->map_ids;
	err = nr ? bpf_prog__read_info(prog->fd, &info) : 0;
	facts->nr_maps = err ? 0 : info.nr_map_ids < nr ? info.nr_map_ids : nr;
	return err;
}

/*
 * Returns whether @btf_id is the id of a program's BTF, and not of the BTF of the kernel or a
 * module. Also returns true for 0, which the kernel reports once a tracing program has been
 * attached to another program (kernel/bpf/btf.c, bpf_prog_get_target_btf).
 */
static bool is_btf_of_prog(uint32_t btf_id)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	bool found;
	int fd;

	if (!btf_id)
		return true;
	fd = bpf_btf_get_fd_by_id(btf_id);
	if (fd < 0)
		return false;
	found = !bpf_obj_get_info_by_fd(fd, &info, &len) && !info.kernel_btf;
	close(fd);
	return found;
}

int bpf_prog_facts__read(const struct bpf_prog *prog, struct bpf_prog_facts *facts)
{
	struct bpf_prog_info info = {};
	int err = bpf_prog__read_info(prog->fd, &info);

	*facts = (struct bpf_prog_facts){
		.run_cnt = info.run_cnt,
		.run_time_ns = info.run_time_ns,
		.misses = info.recursion_misses,
		.uid = info.created_by_uid,
	};
	if (!err && info.type == BPF_PROG_TYPE_TRACING && info.attach_btf_id)
		facts->traces_a_prog = is_btf_of_prog(info.attach_btf_obj_id);
	return err ?: read_maps(prog, info.nr_map_ids, facts);
}

void bpf_prog_facts__free(struct bpf_prog_facts *facts)
{
	free(facts->map_ids);
}

bool bpf_prog_facts__are_kept(const struct sysroots *roots)
{
	uint64_t enabled;

	return !sysfs__read_u64(roots->procfs, "sys/kernel/bpf_stats_enabled", &enabled) && enabled;
}
