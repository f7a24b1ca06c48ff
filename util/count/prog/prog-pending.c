// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-pending.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/count/wakeups.h"
#include "util/machine/bpf/bpf-prog.h"

#define PENDING_NS (2 * NSEC_PER_SEC)
#define LOOK_US 20000 /* while pstat waits, it checks for signals at this interval (µs) */

const struct prog_links *prog_pending__links(struct prog_pending *pending)
{
	if (!pending->knows_links)
		pending->knows_links = !prog_links__read(&pending->links);
	return &pending->links;
}

void prog_pending__end_round(struct prog_pending *pending)
{
	prog_links__free(&pending->links);
	pending->knows_links = false;
}

/*
 * Returns whether the kernel allows prog->func to be replaced. The kernel does not replace static
 * functions, or functions of fentry, fexit and freplace programs (bpf_check_attach_target). pstat
 * treats all other programs of the type BPF_PROG_TYPE_TRACING like fentry programs.
 */
static bool may_be_replaced(const struct bpf_prog *prog)
{
	return prog->func_is_global && prog->type != BPF_PROG_TYPE_EXT &&
	       prog->type != BPF_PROG_TYPE_TRACING;
}

/*
 * Returns the time in ns since the program was loaded. load_time is a time of CLOCK_BOOTTIME, which
 * also advances while the system is suspended.
 */
static uint64_t age_of(const struct bpf_prog *prog)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_BOOTTIME, &now);
	ns = (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
	return ns > prog->load_time ? ns - prog->load_time : 0;
}

int prog_pending__keep(struct prog_pending *pending, uint32_t id)
{
	uint32_t *bigger;

	for (int i = 0; i < pending->nr; i++)
		if (pending->ids[i] == id)
			return 0;
	bigger = realloc(pending->ids, sizeof(*bigger) * ((size_t)pending->nr + 1));
	if (!bigger)
		return -ENOMEM;
	pending->ids = bigger;
	pending->ids[pending->nr++] = id;
	return 0;
}

int prog_pending__put_aside(struct prog_pending *pending, const struct bpf_prog *prog)
{
	uint64_t age = age_of(prog);

	if (age >= PENDING_NS || !may_be_replaced(prog) ||
	    prog_links__attach(prog_pending__links(pending), prog->id))
		return 0;
	if (prog_pending__keep(pending, prog->id))
		return -ENOMEM;
	if (pending->left_ns < PENDING_NS - age)
		pending->left_ns = PENDING_NS - age;
	pr_debug("-b %u (%s): not counted yet, because its functions may still be replaced",
		 prog->id, prog->name);
	return 1;
}

int prog_pending__take(struct prog_pending *pending, uint32_t **ids)
{
	int nr = pending->nr;

	*ids = pending->ids;
	pending->ids = NULL;
	pending->nr = 0;
	pending->left_ns = 0;
	return nr;
}

int prog_pending__wait(const struct prog_pending *pending)
{
	uint64_t end = clock__now() + pending->left_ns;

	pr_info("-b: waiting %.1f s, because functions of %d recently loaded programs may still be "
		"replaced",
		(double)pending->left_ns / (double)NSEC_PER_SEC, pending->nr);
	while (clock__now() < end) {
		if (wakeups__is_asked_to_end())
			return -EINTR;
		usleep(LOOK_US);
	}
	return 0;
}

void prog_pending__free(struct prog_pending *pending)
{
	prog_pending__end_round(pending);
	free(pending->ids);
	*pending = (struct prog_pending){ 0 };
}
