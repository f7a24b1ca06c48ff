// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading takes most of the start-up time, and most of that would be libbpf's: it indexes all types of the kernel for a few
 * offsets and an id. kernel-btf finds those in a tenth of the time. They go to libbpf in its own terms:
 *
 *	offsets		a BTF of five structs in a memfd, which libbpf relocates the programs against (btf_custom_path)
 *	the id		a handler for the section "pstat_tp_btf" puts it in when its program is loaded
 */
#include "util/count/backend-cgroup-load.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf_skel/cgroup_counter.skel.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/kernel-btf.h"

/* ---- the kernel's types ---- */

enum { TASK, ENTITY, CSS_SET, CGROUP, CSS, KERNFS_NODE, SUBSYS_ID, TP_SWITCH, NR_TYPES };

/* Offsets in bytes. */
struct kernel_facts {
	int task_cgroups, task_tgid, task_se, se_sum, se_prev, set_subsys, set_dfl, cgroup_self, cgroup_kn, css_cgroup,
		css_parent, css_serial, node_id;
	int perf_event_id; /* index into css_set.subsys; -ENOENT: this kernel has no cgroups for perf events */
	uint32_t switch_id;
};

static int read_facts(struct kernel_facts *facts, struct strbuf *why_not)
{
	struct kernel_btf_type types[NR_TYPES] = {
		[TASK] = { .name = "task_struct", .kind = BTF_KIND_STRUCT },
		[ENTITY] = { .name = "sched_entity", .kind = BTF_KIND_STRUCT },
		[CSS_SET] = { .name = "css_set", .kind = BTF_KIND_STRUCT },
		[CGROUP] = { .name = "cgroup", .kind = BTF_KIND_STRUCT },
		[CSS] = { .name = "cgroup_subsys_state", .kind = BTF_KIND_STRUCT },
		[KERNFS_NODE] = { .name = "kernfs_node", .kind = BTF_KIND_STRUCT },
		[SUBSYS_ID] = { .name = "cgroup_subsys_id", .kind = BTF_KIND_ENUM },
		[TP_SWITCH] = { .name = "btf_trace_sched_switch", .kind = BTF_KIND_TYPEDEF },
	};
	const struct {
		int *offset;
		int type;
		const char *member;
	} members[] = {
		{ &facts->task_cgroups, TASK, "cgroups" },
		{ &facts->task_tgid, TASK, "tgid" },
		{ &facts->task_se, TASK, "se" },
		{ &facts->se_sum, ENTITY, "sum_exec_runtime" },
		{ &facts->se_prev, ENTITY, "prev_sum_exec_runtime" },
		{ &facts->set_subsys, CSS_SET, "subsys" },
		{ &facts->set_dfl, CSS_SET, "dfl_cgrp" },
		{ &facts->cgroup_self, CGROUP, "self" },
		{ &facts->cgroup_kn, CGROUP, "kn" },
		{ &facts->css_cgroup, CSS, "cgroup" },
		{ &facts->css_parent, CSS, "parent" },
		{ &facts->css_serial, CSS, "serial_nr" },
		{ &facts->node_id, KERNFS_NODE, "id" },
	};
	struct kernel_btf *btf;
	int err = kernel_btf__open(sysroots__host(), &btf);

	if (err) {
		strbuf__addf(why_not,
			     "%s/kernel/btf/vmlinux: %s: where the kernel keeps a task's control group is not known",
			     sysroots__host()->sysfs, strerror(-err));
		return err;
	}
	kernel_btf__find(btf, types, NR_TYPES);
	for (size_t i = 0; !err && i < sizeof(members) / sizeof(members[0]); i++) {
		*members[i].offset = kernel_btf__member(btf, &types[members[i].type], members[i].member);
		if (*members[i].offset < 0) {
			err = -ENOENT;
			strbuf__addf(why_not, "this kernel's struct %s has no member %s", types[members[i].type].name,
				     members[i].member);
		}
	}
	facts->perf_event_id = kernel_btf__enum_value(btf, &types[SUBSYS_ID], "perf_event_cgrp_id");
	facts->switch_id = types[TP_SWITCH].id;
	kernel_btf__close(btf);
	if (!err && !facts->switch_id) {
		err = -ENOENT;
		strbuf__adds(why_not, "this kernel has no tracepoint sched_switch");
	}
	return err;
}

/* ---- a BTF of what was found ---- */

struct own_member {
	const char *name;
	const char *type; /* NULL: u64; "*": a pointer; else the type before it */
	int offset;
};

static int add_struct(struct btf *btf, const char *name, const struct own_member *members, int ptr_id, int u64_id)
{
	int id, err = 0, end = 0;

	for (const struct own_member *m = members; m->name; m++)
		if (m->offset + 1024 > end)
			end = m->offset + 1024;
	id = btf__add_struct(btf, name, (__u32)end);
	for (const struct own_member *m = members; id >= 0 && !err && m->name; m++) {
		int type = !m->type ? u64_id : *m->type == '*' ? ptr_id : btf__find_by_name(btf, m->type);

		err = type < 0 ? type : btf__add_field(btf, m->name, type, (__u32)m->offset * 8, 0);
	}
	return id < 0 ? id : err;
}

static int fill_own_btf(struct btf *btf, const struct kernel_facts *f)
{
	/* where there is no perf_event, use_v1 is false and its loads are never reached */
	int perf_cgroup = f->set_subsys + (f->perf_event_id > 0 ? f->perf_event_id : 0) * (int)sizeof(void *);
	const struct own_member node[] = { { "id", NULL, f->node_id }, {} };
	const struct own_member css[] = { { "cgroup", "*", f->css_cgroup },
					  { "parent", "*", f->css_parent },
					  { "serial_nr", NULL, f->css_serial },
					  {} };
	const struct own_member cgroup[] = { { "self", "cgroup_subsys_state", f->cgroup_self },
					     { "kn", "*", f->cgroup_kn },
					     {} };
	const struct own_member set[] = { { "perf_cgroup", "*", perf_cgroup }, { "dfl_cgrp", "*", f->set_dfl }, {} };
	const struct own_member entity[] = { { "sum_exec_runtime", NULL, f->se_sum },
					     { "prev_sum_exec_runtime", NULL, f->se_prev },
					     {} };
	const struct own_member task[] = { { "tgid", "int", f->task_tgid },
					   { "se", "sched_entity", f->task_se },
					   { "cgroups", "*", f->task_cgroups },
					   {} };
	int u64_id = btf__add_int(btf, "unsigned long long", 8, 0), ptr_id = btf__add_ptr(btf, 0);
	int int_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int err = u64_id < 0 ? u64_id : ptr_id < 0 ? ptr_id : int_id < 0 ? int_id : 0;

	err = err ?: add_struct(btf, "kernfs_node", node, ptr_id, u64_id);
	err = err ?: add_struct(btf, "cgroup_subsys_state", css, ptr_id, u64_id);
	err = err ?: add_struct(btf, "cgroup", cgroup, ptr_id, u64_id);
	err = err ?: add_struct(btf, "css_set", set, ptr_id, u64_id);
	err = err ?: add_struct(btf, "sched_entity", entity, ptr_id, u64_id);
	return err ?: add_struct(btf, "task_struct", task, ptr_id, u64_id);
}

/* A memfd or -errno. */
static int write_own_btf(const struct kernel_facts *facts)
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
		err = -errno;
	if (!err && write(fd, raw, size) != (ssize_t)size)
		err = -EIO;
	if (err && fd >= 0)
		close(fd);
	btf__free(btf);
	return err ?: fd;
}

/* ---- loading ---- */

/* libbpf's prog_prepare_load_fn for the section "pstat_tp_btf": its program is tp_btf, with an id that libbpf need not look for. */
static int make_tp_btf(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct kernel_facts *facts = (const struct kernel_facts *)cookie;

	opts->expected_attach_type = BPF_TRACE_RAW_TP;
	opts->attach_btf_id = facts->switch_id;
	return bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
}

/*
 * For as long as the process lives, and so are the facts: libbpf 1.1 frees its table twice when the last handler is taken away and
 * another comes.
 */
static int register_handler(const struct kernel_facts *facts)
{
	static struct kernel_facts known;
	static int id;
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .cookie = (long)&known, .prog_prepare_load_fn = make_tp_btf);

	known = *facts;
	if (id <= 0)
		id = libbpf_register_prog_handler("pstat_tp_btf", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, &handler);
	return id < 0 ? id : 0;
}

static int set_sizes(struct cgroup_object *object)
{
	const struct cgroup_sizes *sizes = &object->sizes;
	struct cgroup_counter_bpf *skel = object->skel;
	uint32_t nr_reads = sizes->nr_plain + sizes->nr_timed;
	size_t row_size = sizes->nr_cells * sizeof(uint64_t);
	uint64_t nr_rows = (uint64_t)sizes->nr_cpus * sizes->nr_slots;
	int err;

	/* whole cache lines: no two CPUs write to one */
	object->cpu_size = (sizeof(struct cgroup_cpu) + 2 * row_size + 63) & ~(size_t)63;
	object->cpus_size = object->cpu_size * sizes->nr_cpus;
	object->rows_size = row_size * nr_rows;
	if (nr_rows > UINT32_MAX || object->rows_size > UINT32_MAX)
		return -E2BIG;
	skel->rodata->nr_plain = sizes->nr_plain;
	skel->rodata->nr_timed = sizes->nr_timed;
	skel->rodata->nr_cells = sizes->nr_cells;
	skel->rodata->nr_cpus = sizes->nr_cpus;
	skel->rodata->nr_slots = sizes->nr_slots;
	skel->rodata->use_v1 = sizes->v1;
	err = bpf_map__set_max_entries(skel->maps.events, nr_reads ? nr_reads * sizes->nr_cpus : 1);
	err = err ?: bpf_map__set_max_entries(skel->maps.slots, sizes->nr_slots);
	err = err ?: bpf_map__set_value_size(skel->maps.cpus, (__u32)object->cpu_size);
	err = err ?: bpf_map__set_max_entries(skel->maps.cpus, sizes->nr_cpus);
	err = err ?: bpf_map__set_value_size(skel->maps.rows, (__u32)row_size);
	err = err ?: bpf_map__set_max_entries(skel->maps.rows, (__u32)nr_rows);
	return err ?: bpf_map__set_max_entries(skel->maps.wakeups, (__u32)sysconf(_SC_PAGESIZE));
}

static int load_skeleton(struct cgroup_object *object, const struct kernel_facts *facts, int btf_fd)
{
	char path[64];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = path);
	int err = register_handler(facts);

	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", btf_fd);
	object->skel = cgroup_counter_bpf__open_opts(&opts);
	err = object->skel ? set_sizes(object) : -errno;
	err = err ?: cgroup_counter_bpf__load(object->skel);
	return err;
}

static int map_array(const struct bpf_map *map, int prot, size_t size, char **data)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, (size + page - 1) & ~(page - 1), prot, MAP_SHARED, bpf_map__fd(map), 0);

	if (at == MAP_FAILED)
		return -errno;
	*data = at;
	return 0;
}

static void unmap_array(char **data, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (*data)
		munmap(*data, (size + page - 1) & ~(page - 1));
	*data = NULL;
}

/* ring_buffer_sample_fn: that it came is all there is to know. */
static int take_wakeup(void *ctx, void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return 0;
}

static int map_all(struct cgroup_object *object)
{
	struct cgroup_counter_bpf *skel = object->skel;
	int err = map_array(skel->maps.cpus, PROT_READ | PROT_WRITE, object->cpus_size, &object->cpus);

	err = err ?: map_array(skel->maps.rows, PROT_READ, object->rows_size, &object->rows);
	if (err)
		return err;
	object->wakeups = ring_buffer__new(bpf_map__fd(skel->maps.wakeups), take_wakeup, NULL, NULL);
	return object->wakeups ? 0 : -errno;
}

int cgroup_object__load(struct cgroup_object *object, const struct cgroup_sizes *sizes, struct strbuf *why_not)
{
	struct kernel_facts facts;
	int err = read_facts(&facts, why_not), btf_fd;

	if (err)
		return err;
	object->sizes = *sizes;
	if (sizes->v1 && facts.perf_event_id < 0) {
		strbuf__adds(why_not, "this kernel has no perf events by control group (CONFIG_CGROUP_PERF)");
		return -EOPNOTSUPP;
	}
	btf_fd = write_own_btf(&facts);
	err = btf_fd < 0 ? btf_fd : load_skeleton(object, &facts, btf_fd);
	if (btf_fd >= 0)
		close(btf_fd);
	err = err ?: map_all(object);
	if (err) {
		strbuf__addf(why_not, "the counting programs cannot be loaded: %s%s", strerror(-err),
			     err == -EPERM ? " (CAP_BPF and CAP_PERFMON are needed)" : "");
		return err;
	}
	object->settle_fd = bpf_program__fd(object->skel->progs.on_move);
	object->events_fd = bpf_map__fd(object->skel->maps.events);
	object->slots_fd = bpf_map__fd(object->skel->maps.slots);
	return 0;
}

static int attach(const struct bpf_program *prog, const char *tracepoint, int *fd, struct strbuf *why_not)
{
	int err;

	*fd = bpf_raw_tracepoint_open(tracepoint, bpf_program__fd(prog));
	if (*fd >= 0)
		return 0;
	err = -errno;
	*fd = -1;
	strbuf__addf(why_not, "the program %s cannot be attached: %s", bpf_program__name(prog), strerror(-err));
	return err;
}

int cgroup_object__attach(struct cgroup_object *object, struct strbuf *why_not)
{
	int err = attach(object->skel->progs.on_move, "cgroup_attach_task", &object->move_fd, why_not);

	return err ?: attach(object->skel->progs.on_switch, NULL, &object->switch_fd, why_not);
}

void cgroup_object__close(struct cgroup_object *object)
{
	if (object->switch_fd >= 0)
		close(object->switch_fd);
	if (object->move_fd >= 0)
		close(object->move_fd);
	ring_buffer__free(object->wakeups);
	unmap_array(&object->cpus, object->cpus_size);
	unmap_array(&object->rows, object->rows_size);
	cgroup_counter_bpf__destroy(object->skel);
	*object = (struct cgroup_object)CGROUP_OBJECT_INIT;
}

void cgroup_object__enable(struct cgroup_object *object, bool enabled)
{
	object->skel->bss->enabled = enabled;
}

int cgroup_object__settle(struct cgroup_object *object, int cpu_id)
{
	const uint64_t nobody_moved[4] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)cpu_id,
		    .ctx_in = nobody_moved, .ctx_size_in = sizeof(nobody_moved));

	return bpf_prog_test_run_opts(object->settle_fd, &opts) ? -errno : 0;
}

int cgroup_object__wake_fd(const struct cgroup_object *object)
{
	return object->wakeups ? ring_buffer__epoll_fd(object->wakeups) : -1;
}

int cgroup_object__take_wakeups(struct cgroup_object *object)
{
	return ring_buffer__consume(object->wakeups);
}

struct cgroup_cpu *cgroup_object__cpu(const struct cgroup_object *object, int cpu_id)
{
	return (struct cgroup_cpu *)(object->cpus + object->cpu_size * (size_t)cpu_id);
}

const volatile uint64_t *cgroup_object__row(const struct cgroup_object *object, int cpu_id, uint32_t slot)
{
	size_t row = (size_t)cpu_id * object->sizes.nr_slots + slot;

	return (const volatile uint64_t *)(object->rows + row * object->sizes.nr_cells * sizeof(uint64_t));
}
