// SPDX-License-Identifier: GPL-2.0-only
#include "self/self.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf_skel/bperf_self.h"

/* for each slot, the id of the thread that owns it; 0: the slot is free */
static _Atomic pid_t owners[BPERF_SELF_THREADS];
/*
 * The next search for a free slot starts at this number, modulo BPERF_SELF_THREADS. Each search
 * increases the number, so that a slot is not reused as soon as a thread gives it back. At that
 * moment, the thread is still running, and the BPF program may add the thread's counts to the slot.
 */
static atomic_uint next;
static pthread_key_t at_end;
/* slot of this thread, plus 1; 0: none */
static __thread int own;

static void give_back(void *slot)
{
	atomic_store(&owners[(uintptr_t)slot - 1], 0);
	own = 0;
}

int self_thread__init(void)
{
	return -pthread_key_create(&at_end, give_back);
}

static int take_free(pid_t tid)
{
	for (int i = 0; i < BPERF_SELF_THREADS; i++) {
		int slot = (int)(atomic_fetch_add(&next, 1) % BPERF_SELF_THREADS);
		pid_t nobody = 0;

		if (atomic_compare_exchange_strong(&owners[slot], &nobody, tid))
			return slot;
	}
	return -EAGAIN;
}

/* Frees the slots of threads that have ended without a call to give_back(). */
static void sweep(void)
{
	pid_t pid = getpid();

	for (int slot = 0; slot < BPERF_SELF_THREADS; slot++) {
		pid_t tid = atomic_load(&owners[slot]);

		if (tid && syscall(SYS_tgkill, pid, tid, 0) && errno == ESRCH)
			atomic_compare_exchange_strong(&owners[slot], &tid, 0);
	}
}

static int take(void)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	int slot = take_free(tid);

	if (slot < 0) {
		sweep();
		slot = take_free(tid);
	}
	if (slot < 0)
		return slot;
	/*
	 * if memory runs out here, give_back() will not be called, but sweep() can free the slot
	 * after the thread has ended
	 */
	pthread_setspecific(at_end, (void *)(uintptr_t)(slot + 1));
	own = slot + 1;
	return slot;
}

int self_thread__slot(void)
{
	return own ? own - 1 : take();
}

void self_thread__forget_all(void)
{
	if (own)
		pthread_setspecific(at_end, NULL);
	own = 0;
	memset(owners, 0, sizeof(owners));
}
