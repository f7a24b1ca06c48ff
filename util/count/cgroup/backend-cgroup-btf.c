// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/backend-cgroup-load.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/kernel-btf.h"

/* ---- the kernel's types ---- */

enum {
	TASK,
	ENTITY,
	INFO,
	CFS_RQ,
	RQ,
	CSS_SET,
	CGROUP,
	CSS,
	KERNFS_NODE,
	SUBSYS_ID,
	TP_SWITCH,
	NR_TYPES
};

struct kernel_facts {
	/* byte offsets of struct members; -ENOENT: this kernel does not have the member */
	int task_cgroups, task_tgid, task_se, task_info, se_sum, se_prev, se_cfs_rq, info_arrival,
		cfs_rq_rq, rq_clock, set_subsys, set_dfl, cgroup_self, cgroup_kn, cgroup_root,
		css_cgroup, css_parent, css_serial, node_id;
	/* index into css_set.subsys; -ENOENT: this kernel lacks the perf_event hierarchy */
	int perf_event_id;
	uint32_t switch_id; /* BTF id of btf_trace_sched_switch */
};

/*
 * Returns whether the kernel has all struct members from which the BPF programs compute how long a
 * task has been on its CPU: the scheduler's clock minus the time of the task's arrival. If not,
 * pstat's own BTF omits task_struct.sched_info, and the programs use the task's CPU time instead
 * (time_since_arrival() in cgroup_counter.bpf.c).
 */
static bool knows_arrival(const struct kernel_facts *f)
{
	return f->task_info >= 0 && f->info_arrival >= 0 && f->se_cfs_rq >= 0 &&
	       f->cfs_rq_rq >= 0 && f->rq_clock >= 0;
}

static int find_members(const struct kernel_btf *btf, const struct kernel_btf_type *types,
			struct kernel_facts *facts, struct strbuf *why_not)
{
	const struct {
		int *offset;
		int type;
		const char *member;
		bool may_lack;
	} members[] = {
		{ &facts->task_cgroups, TASK, "cgroups", false },
		{ &facts->task_tgid, TASK, "tgid", false },
		{ &facts->task_se, TASK, "se", false },
		{ &facts->task_info, TASK, "sched_info", true },
		{ &facts->info_arrival, INFO, "last_arrival", true },
		{ &facts->se_cfs_rq, ENTITY, "cfs_rq", true },
		{ &facts->cfs_rq_rq, CFS_RQ, "rq", true },
		{ &facts->rq_clock, RQ, "clock", true },
		{ &facts->se_sum, ENTITY, "sum_exec_runtime", false },
		{ &facts->se_prev, ENTITY, "prev_sum_exec_runtime", false },
		{ &facts->set_subsys, CSS_SET, "subsys", false },
		{ &facts->set_dfl, CSS_SET, "dfl_cgrp", false },
		{ &facts->cgroup_self, CGROUP, "self", false },
		{ &facts->cgroup_kn, CGROUP, "kn", false },
		{ &facts->cgroup_root, CGROUP, "root", false },
		{ &facts->css_cgroup, CSS, "cgroup", false },
		{ &facts->css_parent, CSS, "parent", false },
		{ &facts->css_serial, CSS, "serial_nr", false },
		{ &facts->node_id, KERNFS_NODE, "id", false },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const struct kernel_btf_type *type = &types[members[i].type];

		*members[i].offset = kernel_btf__member(btf, type, members[i].member);
		if (*members[i].offset < 0 && !members[i].may_lack)
			return reason__set(why_not, -ENOENT,
					   "this kernel's struct %s has no member %s", type->name,
					   members[i].member);
	}
	return 0;
}

static int read_facts(struct kernel_facts *facts, struct strbuf *why_not)
{
	struct kernel_btf_type types[NR_TYPES] = {
		[TASK] = { .name = "task_struct", .kind = BTF_KIND_STRUCT },
		[ENTITY] = { .name = "sched_entity", .kind = BTF_KIND_STRUCT },
		[INFO] = { .name = "sched_info", .kind = BTF_KIND_STRUCT },
		[CFS_RQ] = { .name = "cfs_rq", .kind = BTF_KIND_STRUCT },
		[RQ] = { .name = "rq", .kind = BTF_KIND_STRUCT },
		[CSS_SET] = { .name = "css_set", .kind = BTF_KIND_STRUCT },
		[CGROUP] = { .name = "cgroup", .kind = BTF_KIND_STRUCT },
		[CSS] = { .name = "cgroup_subsys_state", .kind = BTF_KIND_STRUCT },
		[KERNFS_NODE] = { .name = "kernfs_node", .kind = BTF_KIND_STRUCT },
		[SUBSYS_ID] = { .name = "cgroup_subsys_id", .kind = BTF_KIND_ENUM },
		[TP_SWITCH] = { .name = "btf_trace_sched_switch", .kind = BTF_KIND_TYPEDEF },
	};
	struct kernel_btf *btf;
	int err = kernel_btf__open(sysroots__host(), &btf);

	if (err)
		return reason__set(why_not, err,
				   "%s/kernel/btf/vmlinux: %s: the position of a task's cgroup in "
				   "the kernel's structs is not known",
				   sysroots__host()->sysfs, strerror(-err));
	err = kernel_btf__find(btf, types, NR_TYPES);
	if (err) {
		strbuf__adds(why_not, "out of memory");
		kernel_btf__close(btf);
		return err;
	}
	err = find_members(btf, types, facts, why_not);
	facts->perf_event_id = kernel_btf__enum_value(btf, &types[SUBSYS_ID], "perf_event_cgrp_id");
	facts->switch_id = types[TP_SWITCH].id;
	kernel_btf__close(btf);
	if (!err && !facts->switch_id) {
		err = -ENOENT;
		strbuf__adds(why_not, "this kernel has no tracepoint sched_switch");
	}
	return err;
}

/* ---- the BTF that pstat writes, with the offsets of the kernel ---- */

struct own_member {
	const char *name;
	/* NULL: u64; "*": a pointer; otherwise the name of a type that was added before */
	const char *type;
	int offset; /* < 0: this kernel does not have the member */
};

static int add_struct(struct btf *btf, const char *name, const struct own_member *members,
		      int ptr_id, int u64_id)
{
	int id, err = 0, end = 0;

	for (const struct own_member *m = members; m->name; m++)
		if (m->offset + 1024 > end)
			end = m->offset + 1024;
	id = btf__add_struct(btf, name, (__u32)end);
	for (const struct own_member *m = members; id >= 0 && !err && m->name; m++) {
		int type;

		if (m->offset < 0)
			continue;
		type = !m->type	       ? u64_id :
		       *m->type == '*' ? ptr_id :
					 btf__find_by_name(btf, m->type);
		err = type < 0 ? type : btf__add_field(btf, m->name, type, (__u32)m->offset * 8, 0);
	}
	return id < 0 ? id : err;
}

static int fill_own_btf(struct btf *btf, const struct kernel_facts *f)
{
	/*
	 * if the kernel lacks the perf_event hierarchy, no program reads `perf_cgroup`, so any
	 * offset will do
	 */
	int perf_cgroup =
		f->set_subsys + (f->perf_event_id > 0 ? f->perf_event_id : 0) * (int)sizeof(void *);
	const struct own_member node[] = { { "id", NULL, f->node_id }, {} };
	const struct own_member css[] = { { "cgroup", "*", f->css_cgroup },
					  { "parent", "*", f->css_parent },
					  { "serial_nr", NULL, f->css_serial },
					  {} };
	const struct own_member cgroup[] = { { "self", "cgroup_subsys_state", f->cgroup_self },
					     { "kn", "*", f->cgroup_kn },
					     { "root", "*", f->cgroup_root },
					     {} };
	const struct own_member set[] = { { "perf_cgroup", "*", perf_cgroup },
					  { "dfl_cgrp", "*", f->set_dfl },
					  {} };
	const struct own_member entity[] = { { "sum_exec_runtime", NULL, f->se_sum },
					     { "prev_sum_exec_runtime", NULL, f->se_prev },
					     { "cfs_rq", "*", f->se_cfs_rq },
					     {} };
	const struct own_member info[] = { { "last_arrival", NULL, f->info_arrival }, {} };
	const struct own_member cfs_rq[] = { { "rq", "*", f->cfs_rq_rq }, {} };
	const struct own_member rq[] = { { "clock", NULL, f->rq_clock }, {} };
	const struct own_member task[] = { { "tgid", "int", f->task_tgid },
					   { "se", "sched_entity", f->task_se },
					   { "sched_info", "sched_info",
					     knows_arrival(f) ? f->task_info : -ENOENT },
					   { "cgroups", "*", f->task_cgroups },
					   {} };
	int u64_id = btf__add_int(btf, "unsigned long long", 8, 0), ptr_id = btf__add_ptr(btf, 0);
	int int_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int err = u64_id < 0 ? u64_id : ptr_id < 0 ? ptr_id : int_id < 0 ? int_id : 0;

	err = err ?: add_struct(btf, "kernfs_node", node, ptr_id, u64_id);
	err = err ?: add_struct(btf, "cgroup_subsys_state", css, ptr_id, u64_id);
	err = err ?: add_struct(btf, "cgroup", cgroup, ptr_id, u64_id);
	err = err ?: add_struct(btf, "css_set", set, ptr_id, u64_id);
	err = err ?: add_struct(btf, "rq", rq, ptr_id, u64_id);
	err = err ?: add_struct(btf, "cfs_rq", cfs_rq, ptr_id, u64_id);
	err = err ?: add_struct(btf, "sched_info", info, ptr_id, u64_id);
	err = err ?: add_struct(btf, "sched_entity", entity, ptr_id, u64_id);
	return err ?: add_struct(btf, "task_struct", task, ptr_id, u64_id);
}

/* Writes pstat's own BTF to a memfd. Returns the fd, or -errno. */
static int write_own_btf(const struct kernel_facts *facts, struct strbuf *why_not)
{
	struct btf *btf = btf__new_empty();
	const void *raw;
	__u32 size;
	int fd, err;

	if (!btf)
		return -errno;
	err = fill_own_btf(btf, facts);
	raw = err ? NULL : btf__raw_data(btf, &size);
	if (!err && !raw)
		err = -ENOMEM;
	fd = err ? -1 : memfd_create("pstat-btf", MFD_CLOEXEC);
	if (!err && fd < 0)
		err = reason__store_call(why_not, -errno, "memfd_create",
					 "cannot pass the kernel's types to libbpf");
	errno = EIO;
	if (!err && write(fd, raw, size) != (ssize_t)size)
		err = -errno;
	if (err && fd >= 0)
		close(fd);
	btf__free(btf);
	return err ?: fd;
}

int cgroup_btf__make(struct cgroup_btf *btf, struct strbuf *why_not)
{
	struct kernel_facts facts;
	int err = read_facts(&facts, why_not), fd;

	if (err)
		return err;
	fd = write_own_btf(&facts, why_not);
	if (fd < 0)
		return reason__set(why_not, fd, "cannot pass the kernel's types to libbpf: %s",
				   strerror(-fd));
	*btf = (struct cgroup_btf){ .fd = fd,
				    .switch_id = facts.switch_id,
				    .has_perf_event = facts.perf_event_id >= 0 };
	return 0;
}
