/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that pstat must not touch yet. The kernel does not let freplace replace a function that
 * has an fentry or fexit program, and loaders such as libxdp load a program first and replace its
 * functions afterwards, including the main one. So pstat does not touch a program that a pattern
 * matched until the program is two seconds old or is attached by a link. By then its loader has
 * finished.
 */
#ifndef PSTAT_COUNT_PROG_SETTLE_H
#define PSTAT_COUNT_PROG_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/bpf/bpf-prog-links.h"

struct bpf_prog;

/*
 * A zeroed struct is empty. Programs are kept by id and not held open, so a program that is
 * unloaded is ignored.
 */
struct prog_settle {
	int nr;
	uint32_t *ids;
	/* the longest remaining wait of any of them, measured from the moment when it was added */
	uint64_t left_ns;
	bool knows_links;
	struct prog_links links;
};

/*
 * Returns the links of the system as read in this round, which ends with prog_settle__end_round().
 * Empty if they cannot be read.
 */
const struct prog_links *prog_settle__links(struct prog_settle *settle);
void prog_settle__end_round(struct prog_settle *settle);

/*
 * Adds @prog, whose names have been read, if it must not be touched yet. Returns 1 if it was added,
 * 0 if it can be counted now, or -ENOMEM.
 */
int prog_settle__put_aside(struct prog_settle *settle, const struct bpf_prog *prog);

/* Adds the program @id again, because it could not be opened yet. Returns 0 or -ENOMEM. */
int prog_settle__keep(struct prog_settle *settle, uint32_t id);

/* Empties @settle and passes the ids to the caller, who frees them. Returns their number. */
int prog_settle__take(struct prog_settle *settle, uint32_t **ids);

/*
 * Sleeps until all programs in @settle have settled. Returns 0, or -EINTR when a signal asks pstat
 * to end.
 */
int prog_settle__wait(const struct prog_settle *settle);

void prog_settle__free(struct prog_settle *settle);

#endif
