/* SPDX-License-Identifier: GPL-2.0-only */
/* The slots of this process's threads: a number for each that has read, below BPERF_SELF_THREADS, its own until it ends. */
#ifndef PSTAT_SELF_THREAD_H
#define PSTAT_SELF_THREAD_H

/* To be called once before any other, with no other thread in it. 0 or -errno. */
int self_thread__init(void);

/* That of the calling thread, or -EAGAIN. Takes locks or memory only the first time. */
int self_thread__slot(void);

/* In the child of a fork: there is one thread, and it has none. */
void self_thread__forget_all(void);

#endif
