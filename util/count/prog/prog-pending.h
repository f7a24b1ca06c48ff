/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs that pstat must not touch yet, that is, to which it must not attach fentry programs.
 * Loaders such as libxdp load a program first and then replace its functions (freplace). The kernel
 * refuses to replace a function that has an fentry or fexit program. So if a pattern of -b matches
 * a new program whose function can be replaced, pstat does not touch the program until a BPF link
 * attaches the program, or until the program is two seconds old. By then, the loader has usually
 * finished.
 */
#ifndef PSTAT_COUNT_PROG_PENDING_H
#define PSTAT_COUNT_PROG_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/bpf/bpf-prog-links.h"

struct bpf_prog;

/*
 * A zero-initialized struct is empty. The struct contains the ids of programs, but not their fds,
 * so it does not keep programs loaded.
 */
struct prog_pending {
	int nr;
	uint32_t *ids;
	/*
	 * time in ns after which all programs in `ids` may be touched, measured from the latest
	 * prog_pending__put_aside() that added a program
	 */
	uint64_t left_ns;
	bool knows_links; /* `links` has been read since the latest prog_pending__end_round() */
	struct prog_links links;
};

/*
 * Returns all BPF links that exist, or an empty list if they cannot be read. The links are read
 * once, and then kept until prog_pending__end_round() is called.
 */
const struct prog_links *prog_pending__links(struct prog_pending *pending);
void prog_pending__end_round(struct prog_pending *pending);

/*
 * Adds @prog if pstat must not touch it yet. bpf_prog__read_func() must have been called for @prog.
 * Returns 1 if @prog was added, 0 if it may be touched now, or -ENOMEM.
 */
int prog_pending__put_aside(struct prog_pending *pending, const struct bpf_prog *prog);

/* Adds the program @id, unless it is already in @pending. Returns 0 or -ENOMEM. */
int prog_pending__keep(struct prog_pending *pending, uint32_t id);

/* Moves the ids to *@ids, which the caller frees, and returns their number. */
int prog_pending__take(struct prog_pending *pending, uint32_t **ids);

/*
 * Sleeps until pstat may touch all programs in @pending. Returns 0, or -EINTR if a signal asked
 * pstat to end.
 */
int prog_pending__wait(const struct prog_pending *pending);

void prog_pending__free(struct prog_pending *pending);

#endif
