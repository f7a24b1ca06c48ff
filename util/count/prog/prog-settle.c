// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-settle.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/count/wakeups.h"
#include "util/machine/bpf/bpf-prog.h"

#define SETTLE_NS (2 * NSEC_PER_SEC)
#define LOOK_US 20000 /* how often pstat checks for signals while it waits, in µs */

const struct prog_links *prog_settle__links(struct prog_settle *settle)
{
	if (!settle->knows_links)
		settle->knows_links = !prog_links__read(&settle->links);
	return &settle->links;
}

void prog_settle__end_round(struct prog_settle *settle)
{
	prog_links__free(&settle->links);
	settle->knows_links = false;
}

/*
 * Can the kernel replace the function? It cannot replace static functions, and functions of fentry,
 * fexit and freplace programs (bpf_check_attach_target).
 */
static bool may_be_replaced(const struct bpf_prog *prog)
{
	return prog->func_is_global && prog->type != BPF_PROG_TYPE_EXT &&
	       prog->type != BPF_PROG_TYPE_TRACING;
}

/*
 * Returns the time in ns since the program was loaded. The kernel records the load time on
 * CLOCK_BOOTTIME, which also advances while the system is suspended.
 */
static uint64_t age_of(const struct bpf_prog *prog)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_BOOTTIME, &now);
	ns = (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
	return ns > prog->load_time ? ns - prog->load_time : 0;
}

int prog_settle__keep(struct prog_settle *settle, uint32_t id)
{
	uint32_t *bigger;

	for (int i = 0; i < settle->nr; i++)
		if (settle->ids[i] == id)
			return 0;
	bigger = realloc(settle->ids, sizeof(*bigger) * ((size_t)settle->nr + 1));
	if (!bigger)
		return -ENOMEM;
	settle->ids = bigger;
	settle->ids[settle->nr++] = id;
	return 0;
}

int prog_settle__put_aside(struct prog_settle *settle, const struct bpf_prog *prog)
{
	uint64_t age = age_of(prog);

	if (age >= SETTLE_NS || !may_be_replaced(prog) ||
	    prog_links__attach(prog_settle__links(settle), prog->id))
		return 0;
	if (prog_settle__keep(settle, prog->id))
		return -ENOMEM;
	if (settle->left_ns < SETTLE_NS - age)
		settle->left_ns = SETTLE_NS - age;
	pr_debug("-b %u (%s): not counted yet, because its functions may still be replaced",
		 prog->id, prog->name);
	return 1;
}

int prog_settle__take(struct prog_settle *settle, uint32_t **ids)
{
	int nr = settle->nr;

	*ids = settle->ids;
	settle->ids = NULL;
	settle->nr = 0;
	settle->left_ns = 0;
	return nr;
}

int prog_settle__wait(const struct prog_settle *settle)
{
	uint64_t end = clock__now() + settle->left_ns;

	pr_info("-b: waiting %.1f s, because functions of programs that were just loaded (%d) may "
		"still be replaced",
		(double)settle->left_ns / (double)NSEC_PER_SEC, settle->nr);
	while (clock__now() < end) {
		if (wakeups__is_asked_to_end())
			return -EINTR;
		usleep(LOOK_US);
	}
	return 0;
}

void prog_settle__free(struct prog_settle *settle)
{
	prog_settle__end_round(settle);
	free(settle->ids);
	*settle = (struct prog_settle){ 0 };
}
