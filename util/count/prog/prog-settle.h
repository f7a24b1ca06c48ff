/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that pstat leaves alone for a while. The kernel does not let a function be replaced (freplace) that has an fentry or fexit
 * program, and loaders as libxdp load a program first and replace its functions next, the main one included. So a program that
 * was found by a pattern is not touched until it is two seconds old, or is attached by a link: a loader has finished with it then.
 */
#ifndef PSTAT_COUNT_PROG_SETTLE_H
#define PSTAT_COUNT_PROG_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/bpf-prog-links.h"

struct bpf_prog;

/* Zeroed is empty. Programs are kept by id and are not held open: a program that goes meanwhile is none. */
struct prog_settle {
	int nr;
	uint32_t *ids;
	uint64_t left_ns; /* the longest time that one of them has to be left alone from when it was put aside */
	bool knows_links;
	struct prog_links links;
};

/* The links as they are in this round, which ends with prog_settle__end_round(). Empty where they cannot be read. */
const struct prog_links *prog_settle__links(struct prog_settle *settle);
void prog_settle__end_round(struct prog_settle *settle);

/* Puts @prog, whose names have been read, aside. 1 when it has to be left alone; 0 when it can be counted; -ENOMEM. */
int prog_settle__put_aside(struct prog_settle *settle, const struct bpf_prog *prog);

/* Puts the program @id aside once more, as it could not be opened yet. 0 or -ENOMEM. */
int prog_settle__keep(struct prog_settle *settle, uint32_t id);

/* Empties @settle: the ids are the caller's, who frees them. Returns their number. */
int prog_settle__take(struct prog_settle *settle, uint32_t **ids);

/* Sleeps until those that were put aside have settled. 0, or -EINTR when a signal asks pstat to end. */
int prog_settle__wait(const struct prog_settle *settle);

void prog_settle__free(struct prog_settle *settle);

#endif
