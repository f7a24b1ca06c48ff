/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that pstat must not touch yet. Loaders such as libxdp load a program first and replace
 * its functions afterwards (freplace). The kernel refuses to replace a function to which an fentry
 * or fexit program is attached. So if a pattern matches a program, pstat waits until the program is
 * two seconds old or a link attaches it. By then, its loader has finished.
 */
#ifndef PSTAT_COUNT_PROG_PENDING_H
#define PSTAT_COUNT_PROG_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/bpf/bpf-prog-links.h"

struct bpf_prog;

/*
 * A zeroed struct is empty. It contains the ids of programs and does not hold the programs open. A
 * program that is unloaded is ignored.
 */
struct prog_pending {
	int nr;
	uint32_t *ids;
	/* the time until all these programs may be touched, from when the last of them was added */
	uint64_t left_ns;
	bool knows_links;
	struct prog_links links;
};

/*
 * Returns the links of the system, as read in this round, or no links if they cannot be read.
 * prog_pending__end_round() ends the round.
 */
const struct prog_links *prog_pending__links(struct prog_pending *pending);
void prog_pending__end_round(struct prog_pending *pending);

/*
 * Adds @prog, whose names have been read, if pstat must not touch it yet. Returns 1 if it was
 * added, 0 if it can be counted now, or -ENOMEM.
 */
int prog_pending__put_aside(struct prog_pending *pending, const struct bpf_prog *prog);

/* Adds the program @id again, because it could not be opened yet. Returns 0 or -ENOMEM. */
int prog_pending__keep(struct prog_pending *pending, uint32_t id);

/* Empties @pending and passes the ids to the caller, who frees them. Returns their number. */
int prog_pending__take(struct prog_pending *pending, uint32_t **ids);

/*
 * Sleeps until pstat may touch all programs in @pending. Returns 0, or -EINTR if a signal asks
 * pstat to end.
 */
int prog_pending__wait(const struct prog_pending *pending);

void prog_pending__free(struct prog_pending *pending);

#endif
