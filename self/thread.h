/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slots of this process's threads. Each thread that has read has a number below
 * BPERF_SELF_THREADS, which it keeps until it ends.
 */
#ifndef PSTAT_SELF_THREAD_H
#define PSTAT_SELF_THREAD_H

/*
 * Call this once before the other functions, while no other thread uses them. Returns 0 or -errno.
 */
int self_thread__init(void);

/*
 * Returns the slot of the calling thread, or -EAGAIN if there is none left. Only the first call of
 * a thread takes locks or memory.
 */
int self_thread__slot(void);

/*
 * Releases all slots in the child of a fork. The child has a single thread, which then has no slot.
 */
void self_thread__forget_all(void);

#endif
