/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The map that contains the state of each thread (struct scope_task), such as the thread's runs in
 * progress.
 */
#ifndef PSTAT_COUNT_SCOPE_THREADS_H
#define PSTAT_COUNT_SCOPE_THREADS_H

struct scope_programs;
struct scope_shape;
struct strbuf;

/*
 * Makes programs->threads_map. Sets programs->depth to the number of runs in progress for which a
 * thread's state has room: SCOPE_DEPTH or, if the kernel cannot allocate such a large state, a
 * smaller power of two. Returns 0 or -errno. If the kernel cannot store the state of any thread,
 * stores the reason in @why.
 */
int scope_threads__make_map(struct scope_programs *programs, const struct scope_shape *shape,
			    struct strbuf *why);

#endif
