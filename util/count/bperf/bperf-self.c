// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-self.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf_skel/bperf_self.h"
#include "bpf_skel/bperf_self.skel.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/bperf/bperf-leader.h"
#include "util/count/bperf/bpf-tasks.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"

struct bperf_self {
	int leader_fd; /* the link of the leader (bperf-leader.h); keeps the leader alive */
	int follow_fd; /* the link that attaches the program follow_self */
	int look_fd;   /* the program `look`, which reads the counts */
	int nr_sums;
	const char *slots; /* the map of slots (one for each thread), mapped into memory */
};

/* ---- following a leader ---- */

static size_t slot_size(const struct bperf_self *self)
{
	return BPERF_SELF_SLOT_SIZE((size_t)self->nr_sums);
}

/*
 * Returns the size in bytes of the mapped array of slots, rounded up to whole pages. The kernel
 * rounds the size of each value of an array map up to a multiple of 8 (kernel/bpf/arraymap.c).
 * slot_size() is always a multiple of 8, so there is no padding between the slots.
 */
static size_t slots_size(const struct bperf_self *self)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (slot_size(self) * BPERF_SELF_THREADS + page - 1) / page * page;
}

static int prepare(const struct bperf_self *self, const struct bperf_leader *leader,
		   const struct bperf_plan *plan, struct bperf_self_bpf *skel)
{
	int err;

	skel->rodata->nr_rows = leader->info.nr_events;
	skel->rodata->nr_sums = (__u32)self->nr_sums;
	skel->rodata->nr_cpus = leader->info.nr_cpus;
	skel->rodata->of_pstat = leader->of_pstat;
	memcpy((void *)skel->rodata->plan, plan, sizeof(*plan) * (size_t)self->nr_sums);
	err = bpf_map__reuse_fd(skel->maps.source, leader->source_fd);
	err = err ?: bpf_map__reuse_fd(skel->maps.events, leader->events_fd);
	err = err		       ?:
		      leader->of_pstat ? bpf_map__set_autocreate(skel->maps.before, false) :
					 bpf_map__reuse_fd(skel->maps.before, leader->before_fd);
	err = err ?: bpf_map__set_value_size(skel->maps.slots, (__u32)slot_size(self));
	return err   ?:
		       bpf_program__set_attach_target(skel->progs.follow_self, leader->prog_fd,
						      "on_switch");
}

/*
 * Maps the slots into memory, and duplicates the fds that are needed later. The caller can then
 * destroy the skeleton, which occupies a lot of memory.
 */
static int keep(struct bperf_self *self, const struct bperf_leader *leader,
		const struct bperf_self_bpf *skel)
{
	void *slots;

	self->look_fd = fcntl(bpf_program__fd(skel->progs.look), F_DUPFD_CLOEXEC, 0);
	self->leader_fd = fcntl(leader->link_fd, F_DUPFD_CLOEXEC, 0);
	if (self->look_fd < 0 || self->leader_fd < 0)
		return -errno;
	slots = mmap(NULL, slots_size(self), PROT_READ, MAP_SHARED, bpf_map__fd(skel->maps.slots),
		     0);
	if (slots == MAP_FAILED)
		return -errno;
	self->slots = slots;
	return 0;
}

static int attach(struct bperf_self *self, const struct bperf_self_bpf *skel)
{
	self->follow_fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(skel->progs.follow_self));
	if (self->follow_fd >= 0)
		return 0;
	return errno == E2BIG ? -EUSERS : -errno;
}

/*
 * Closes @self. Returns @err, or -EOPNOTSUPP if @err is -ENOTSUPP. Stores "cannot @step the program
 * ..." in @why, unless the returned error is -EUSERS or -EOPNOTSUPP.
 */
static int fail(struct bperf_self **self, const char *step, int err, struct strbuf *why)
{
	if (err == -ENOTSUPP)
		err = -EOPNOTSUPP;
	if (err != -EUSERS && err != -EOPNOTSUPP)
		reason__set(why, err,
			    "cannot %s the program that adds up what this process counts: %s", step,
			    strerror(-err));
	bperf_self__close(*self);
	*self = NULL;
	return err;
}

static struct bperf_self *self__new(const struct bperf_leader *leader)
{
	struct bperf_self *self = malloc(sizeof(*self));
	int nr = (int)leader->info.nr_events;

	if (self)
		*self = (struct bperf_self){ .leader_fd = -1,
					     .follow_fd = -1,
					     .look_fd = -1,
					     .nr_sums = nr < BPERF_MAX_SHARED ? nr :
										BPERF_MAX_SHARED };
	return self;
}

int bperf_self__follow(const struct bperf_leader *leader, const struct bperf_plan *plan,
		       struct bperf_self **out, struct strbuf *why)
{
	int task_state, err = bpf_tasks__find_state(sysroots__host(), &task_state, why);
	const char *step = "load";
	struct bperf_self_bpf *skel;

	*out = NULL;
	if (err)
		return err;
	*out = self__new(leader);
	if (!*out)
		return -ENOMEM;
	skel = bperf_self_bpf__open();
	err = skel ? prepare(*out, leader, plan, skel) : -errno;
	if (skel)
		skel->rodata->task_state_offset = task_state;
	err = err ?: bperf_self_bpf__load(skel);
	if (!err) {
		step = "keep";
		err = keep(*out, leader, skel);
	}
	if (!err) {
		step = "attach";
		err = attach(*out, skel);
	}
	bperf_self_bpf__destroy(skel);
	return err ? fail(out, step, err, why) : 0;
}

void bperf_self__close_fds(struct bperf_self *self)
{
	int *fds[] = { &self->leader_fd, &self->follow_fd, &self->look_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void bperf_self__close(struct bperf_self *self)
{
	if (!self)
		return;
	bperf_self__close_fds(self);
	if (self->slots)
		munmap((void *)self->slots, slots_size(self));
	free(self);
}

/* ---- reading ---- */

bool bperf_self__has(const struct bperf_self *self, int row)
{
	return row >= 0 && row < self->nr_sums;
}

/*
 * Runs the program `look`. Makes the system call without libbpf, because libbpf's function executes
 * more instructions.
 */
static int run_look(const struct bperf_self *self, const struct bperf_self_ask *ask)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr.test));
	attr.test.prog_fd = (__u32)self->look_fd;
	attr.test.ctx_in = (__u64)(unsigned long)ask;
	attr.test.ctx_size_in = sizeof(*ask);
	if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr.test)))
		return -errno;
	switch (attr.test.retval) {
	case BPERF_SELF_OK:
		return 0;
	case BPERF_SELF_OTHER_PROCESS:
		return -ESTALE;
	case BPERF_SELF_NO_ROOM:
		return -ENOMEM;
	case BPERF_SELF_DISTURBED:
		return -EBUSY;
	default:
		return -ENODATA;
	}
}

/*
 * Each thread has one slot, to which BPF writes the answer during the system call of run_look(). A
 * signal handler that runs in the thread may also call this function, perhaps for another event,
 * and overwrite the answer. So the answer is valid only if `seq` shows that BPF has stored exactly
 * one answer in the slot during the attempt. Otherwise, the function repeats the system call.
 */
int bperf_self__look(const struct bperf_self *self, int slot, int row, struct reading *to)
{
	const struct bperf_self_ask ask = { .slot = (__u64)slot, .row = (__u64)row };
	const volatile struct bperf_self_slot *own;
	uint64_t seq;
	int err;

	if (self->look_fd < 0)
		return -ESTALE;
	own = (const void *)(self->slots + slot_size(self) * (size_t)slot);
	do {
		seq = own->seq;
		err = run_look(self, &ask);
		to->value = own->answer.counter;
		to->enabled = own->answer.enabled;
		to->running = own->answer.running;
	} while (!err && own->seq != seq + 1);
	return err;
}
