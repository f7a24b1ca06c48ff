// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/backend-cgroup-load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf_skel/gate.h"
#include "bpf_skel/cgroup_counter.skel.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/count/gate.h"
#include "util/count/share/gate-links.h"

/* ---- loading ---- */

/*
 * With --cgroup-follow, the size in bytes of the ring buffer: enough for roughly a thousand
 * messages about cgroups. The size must be a power of two and a multiple of the page size.
 */
#define MESSAGES_SIZE (1 << 20)

size_t cgroup_sizes__cpu_size(const struct cgroup_sizes *sizes)
{
	/* rounded up to whole cache lines, so that no two CPUs write to the same cache line */
	return (sizeof(struct cgroup_cpu) + 2 * sizes->nr_cells * sizeof(uint64_t) + 63) &
	       ~(size_t)63;
}

static void find_sizes(struct cgroup_object *object)
{
	const struct cgroup_sizes *sizes = &object->sizes;

	object->cpu_size = cgroup_sizes__cpu_size(sizes);
	object->cpus_size = object->cpu_size * sizes->nr_cpus;
	object->rows_size = sizes->nr_cells * sizeof(uint64_t) * sizes->nr_cpus * sizes->nr_slots;
}

static int set_sizes(struct cgroup_object *object)
{
	const struct cgroup_sizes *sizes = &object->sizes;
	struct cgroup_counter_bpf *skel = object->skel;
	uint32_t nr_reads = sizes->nr_plain + sizes->nr_timed;
	size_t row_size = sizes->nr_cells * sizeof(uint64_t);
	uint64_t nr_rows = (uint64_t)sizes->nr_cpus * sizes->nr_slots;
	int err;

	find_sizes(object);
	if (nr_rows > UINT32_MAX || object->rows_size > UINT32_MAX)
		return -E2BIG;
	skel->rodata->nr_plain = sizes->nr_plain;
	skel->rodata->nr_timed = sizes->nr_timed;
	skel->rodata->nr_cells = sizes->nr_cells;
	skel->rodata->nr_cpus = sizes->nr_cpus;
	skel->rodata->nr_slots = sizes->nr_slots;
	skel->rodata->use_v1 = sizes->v1;
	skel->rodata->root_id = sizes->root_id;
	err = bpf_map__set_max_entries(skel->maps.events, nr_reads ? nr_reads * sizes->nr_cpus : 1);
	err = err ?: bpf_map__set_max_entries(skel->maps.slots, sizes->nr_slots);
	err = err ?: bpf_map__set_value_size(skel->maps.cpus, (__u32)object->cpu_size);
	err = err ?: bpf_map__set_max_entries(skel->maps.cpus, sizes->nr_cpus);
	err = err ?: bpf_map__set_value_size(skel->maps.rows, (__u32)row_size);
	err = err ?: bpf_map__set_max_entries(skel->maps.rows, (__u32)nr_rows);
	err = err ?: bpf_program__set_autoload(skel->progs.on_mkdir, sizes->follow);
	err = err ?: bpf_program__set_autoload(skel->progs.on_rmdir, sizes->follow);
	skel->rodata->gated = sizes->points;
	err = err ?: gate_links__prepare(GATE_PROGRAMS(skel), sizes->points);
	err = err ?: bpf_map__set_value_size(skel->maps.at_point, (__u32)row_size);
	err = err ?: bpf_map__set_autocreate(skel->maps.at_point, sizes->points);
	err = err ?: bpf_map__set_autocreate(skel->maps.info, sizes->shared);
	err = err ?: bpf_map__set_autocreate(skel->maps.members, sizes->shared);
	err = err ?: bpf_map__set_max_entries(skel->maps.members, sizes->nr_slots);
	return err   ?:
		       bpf_map__set_max_entries(skel->maps.wakeups,
						sizes->follow ? MESSAGES_SIZE :
								(__u32)sysconf(_SC_PAGESIZE));
}

static int load_skeleton(struct cgroup_object *object, const struct cgroup_btf *btf)
{
	char path[64];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = path);
	int err = bpf_util__use_tp_btf(btf->switch_id);

	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", btf->fd);
	object->skel = cgroup_counter_bpf__open_opts(&opts);
	err = object->skel ? set_sizes(object) : -errno;
	err = err ?: cgroup_counter_bpf__load(object->skel);
	return err;
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Maps the first @size bytes (rounded up to whole pages) of the array @map_fd into memory. */
static int map_array(int map_fd, int prot, size_t size, void **data)
{
	size_t page = page_size();
	void *at = mmap(NULL, (size + page - 1) & ~(page - 1), prot, MAP_SHARED, map_fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	*data = at;
	return 0;
}

static void unmap_array(void *data, size_t size)
{
	size_t page = page_size();

	if (data)
		munmap(data, (size + page - 1) & ~(page - 1));
}

/*
 * A ring_buffer_sample_fn. Passes messages about created and removed cgroups to
 * object->take_message. Ignores shorter messages, which only wake pstat after a task has moved, or
 * after the gate has opened or closed.
 */
static int take_wakeup(void *ctx, void *data, size_t size)
{
	struct cgroup_object *object = ctx;

	if (size >= sizeof(struct cgroup_message) && object->take_message)
		object->take_message(object->message_ctx, data);
	return 0;
}

/*
 * Maps only the two pages of a shared ring buffer that contain the positions of the consumer and
 * the producer. If programs are shared, sessions only wait for messages in the ring buffer, and do
 * not read the messages.
 */
static int map_ring(struct cgroup_object *object)
{
	size_t page = page_size();
	char *both = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (both == MAP_FAILED)
		return -errno;
	object->ring = both;
	if (mmap(both, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, object->maps.wakeups,
		 0) == MAP_FAILED ||
	    mmap(both + page, page, PROT_READ, MAP_SHARED | MAP_FIXED, object->maps.wakeups,
		 (off_t)page) == MAP_FAILED)
		return -errno;
	return 0;
}

static void unmap_all(struct cgroup_object *object)
{
	unmap_array(object->cpus, object->cpus_size);
	unmap_array(object->rows, object->rows_size);
	unmap_array(object->control, sizeof(*object->control));
	unmap_array(object->members, sizeof(*object->members) * object->sizes.nr_slots);
	unmap_array(object->ring, 2 * page_size());
}

int cgroup_object__map(struct cgroup_object *object)
{
	const struct cgroup_maps *maps = &object->maps;
	const int both = PROT_READ | PROT_WRITE;
	void *cpus = NULL, *rows = NULL, *control = NULL, *members = NULL;
	int err;

	find_sizes(object);
	err = map_array(maps->cpus, both, object->cpus_size, &cpus);
	err = err ?: map_array(maps->rows, PROT_READ, object->rows_size, &rows);
	err = err ?: map_array(maps->control, both, sizeof(*object->control), &control);
	if (!err && object->sizes.shared)
		err = map_array(maps->members, both,
				sizeof(*object->members) * object->sizes.nr_slots, &members);
	object->cpus = cpus;
	object->rows = rows;
	object->control = control;
	object->members = members;
	if (err || object->sizes.shared)
		return err ?: map_ring(object);
	object->wakeups = ring_buffer__new(maps->wakeups, take_wakeup, object, NULL);
	return object->wakeups ? 0 : -errno;
}

/*
 * Binds the maps `info` and `members` to the program on_switch, so that the kernel keeps these maps
 * as long as the program exists. No program uses these maps: they describe the events and cgroups
 * to other sessions.
 */
static int bind_maps(const struct cgroup_object *object)
{
	const int maps[] = { object->maps.info, object->maps.members };

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		if (bpf_prog_bind_map(bpf_program__fd(object->skel->progs.on_switch), maps[i],
				      NULL))
			return -errno;
	return 0;
}

static void note_maps(struct cgroup_object *object)
{
	const struct cgroup_counter_bpf *skel = object->skel;

	object->maps = (struct cgroup_maps){
		.slots = bpf_map__fd(skel->maps.slots),
		.cpus = bpf_map__fd(skel->maps.cpus),
		.rows = bpf_map__fd(skel->maps.rows),
		.wakeups = bpf_map__fd(skel->maps.wakeups),
		.control = bpf_map__fd(skel->maps.data_control),
		.info = object->sizes.shared ? bpf_map__fd(skel->maps.info) : -1,
		.members = object->sizes.shared ? bpf_map__fd(skel->maps.members) : -1,
	};
	object->flush_fd = bpf_program__fd(skel->progs.on_move);
	object->events_fd = bpf_map__fd(skel->maps.events);
}

int cgroup_object__load(struct cgroup_object *object, const struct cgroup_sizes *sizes,
			struct strbuf *why_not)
{
	struct cgroup_btf btf = { .fd = -1 };
	int err = cgroup_btf__make(&btf, why_not);

	if (err)
		return err;
	object->sizes = *sizes;
	if (sizes->v1 && !btf.has_perf_event) {
		strbuf__adds(why_not,
			     "this kernel cannot count perf events by cgroup (CONFIG_CGROUP_PERF)");
		close(btf.fd);
		return -EOPNOTSUPP;
	}
	err = load_skeleton(object, &btf);
	close(btf.fd);
	if (!err) {
		note_maps(object);
		err = sizes->shared ? bind_maps(object) : 0;
	}
	err = err ?: cgroup_object__map(object);
	if (privileges__filter_refuses_bpf(err))
		return reason__store_call(why_not, err, privileges__refused_bpf_call(),
					  "the counting programs cannot be loaded");
	return bpf_util__store_load(why_not, err, "the counting programs cannot be loaded", false);
}

static int attach(const struct bpf_program *prog, const char *tracepoint, int *fd,
		  struct strbuf *why_not)
{
	int err;

	*fd = bpf_raw_tracepoint_open(tracepoint, bpf_program__fd(prog));
	if (*fd >= 0)
		return 0;
	err = -errno;
	*fd = -1;
	return reason__set(why_not, err, "the program %s cannot be attached: %s",
			   bpf_program__name(prog), strerror(-err));
}

int cgroup_object__attach(struct cgroup_object *object, struct strbuf *why_not)
{
	int err = attach(object->skel->progs.on_move, "cgroup_attach_task", &object->move_fd,
			 why_not);

	if (!err && object->sizes.follow) {
		err = attach(object->skel->progs.on_mkdir, "cgroup_mkdir", &object->mkdir_fd,
			     why_not);
		if (!err)
			err = attach(object->skel->progs.on_rmdir, "cgroup_rmdir",
				     &object->rmdir_fd, why_not);
	}
	err = err ?: attach(object->skel->progs.on_switch, NULL, &object->switch_fd, why_not);
	if (err || !object->sizes.points)
		return err;
	return gate_links__attach(GATE_PROGRAMS(object->skel), -1, object->sizes.points,
				  &object->gate_links, why_not);
}

struct gate *cgroup_object__gate(const struct cgroup_object *object)
{
	return (struct gate *)&object->skel->data_gate->gate;
}

int cgroup_object__watch_cpus(struct cgroup_object *object)
{
	object->hotplug_fd = bpf_raw_tracepoint_open("cpuhp_enter", object->flush_fd);
	return object->hotplug_fd < 0 ? -errno : 0;
}

static void close_all(const int *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

void cgroup_object__close(struct cgroup_object *object)
{
	const struct cgroup_maps *maps = &object->maps;
	const int links[] = { object->switch_fd, object->move_fd, object->mkdir_fd,
			      object->rmdir_fd, object->hotplug_fd };
	const int others[] = { object->flush_fd, object->events_fd, maps->slots,
			       maps->cpus,	 maps->rows,	    maps->wakeups,
			       maps->control,	 maps->info,	    maps->members };

	if (object->gate_links)
		gate__report(cgroup_object__gate(object));
	gate_links__free(object->gate_links);
	close_all(links, sizeof(links) / sizeof(links[0]));
	ring_buffer__free(object->wakeups);
	unmap_all(object);
	/* if there is a skeleton, it owns the other fds */
	if (object->skel)
		cgroup_counter_bpf__destroy(object->skel);
	else
		close_all(others, sizeof(others) / sizeof(others[0]));
	*object = (struct cgroup_object)CGROUP_OBJECT_INIT;
}

void cgroup_object__enable(struct cgroup_object *object, bool enabled)
{
	object->control->enabled = enabled;
	__atomic_add_fetch(&object->control->epoch, 1, __ATOMIC_SEQ_CST);
}

int cgroup_object__flush(const struct cgroup_object *object, int cpu_id)
{
	const uint64_t nobody_moved[4] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)cpu_id,
		    .ctx_in = nobody_moved, .ctx_size_in = sizeof(nobody_moved));

	return bpf_prog_test_run_opts(object->flush_fd, &opts) ? -errno : 0;
}

int cgroup_object__wake_fd(const struct cgroup_object *object)
{
	return object->wakeups ? ring_buffer__epoll_fd(object->wakeups) : object->maps.wakeups;
}

void cgroup_object__take_wakeups(struct cgroup_object *object)
{
	if (object->wakeups)
		ring_buffer__consume(object->wakeups);
	else
		*(volatile unsigned long *)object->ring =
			*(volatile unsigned long *)(object->ring + page_size());
}

uint64_t cgroup_object__lost_messages(const struct cgroup_object *object)
{
	return object->control->lost_messages;
}

int cgroup_object__set_slot(struct cgroup_object *object, uint64_t id, uint32_t slot)
{
	if (slot)
		return bpf_map_update_elem(object->maps.slots, &id, &slot, BPF_ANY) ? -errno : 0;
	return bpf_map_delete_elem(object->maps.slots, &id) && errno != ENOENT ? -errno : 0;
}

int cgroup_object__reserve_slot(struct cgroup_object *object, uint32_t slot)
{
	return bpf_map_update_elem(bpf_map__fd(object->skel->maps.reserve), NULL, &slot, BPF_ANY) ?
		       -errno :
		       0;
}

void cgroup_object__forget_slots(struct cgroup_object *object)
{
	__atomic_add_fetch(&object->control->generation, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&object->control->epoch, 1, __ATOMIC_SEQ_CST);
}

struct cgroup_cpu *cgroup_object__cpu(const struct cgroup_object *object, int cpu_id)
{
	return (struct cgroup_cpu *)(object->cpus + object->cpu_size * (size_t)cpu_id);
}

uint64_t *cgroup_object__last(const struct cgroup_object *object, int cpu_id)
{
	return (uint64_t *)(cgroup_object__cpu(object, cpu_id) + 1);
}

const volatile uint64_t *cgroup_object__row(const struct cgroup_object *object, int cpu_id,
					    uint32_t slot)
{
	size_t row = (size_t)cpu_id * object->sizes.nr_slots + slot;

	return (const volatile uint64_t *)(object->rows +
					   row * object->sizes.nr_cells * sizeof(uint64_t));
}
