/* SPDX-License-Identifier: GPL-2.0-only */
/* The internal functions of libpstat-self.a, for events, leaders, threads and error texts. */
#ifndef PSTAT_SELF_SELF_H
#define PSTAT_SELF_SELF_H

struct evlist;
struct evsel;
struct pstat_self_config;
struct reading;
struct self_unit;

/*
 * ---- self-unit.c: the leaders that this process follows ----
 *
 * A leader is a BPF program that reads the counters of a CPU at each context switch. To follow a
 * leader, the process loads a BPF program (bpf_skel/bperf_self.bpf.c), which runs after each
 * reading and adds up the counts of each thread of the process. A unit is a leader that the process
 * follows. All handles (struct pstat_self) with the same leader share one unit. Several threads may
 * call self_unit__look() at the same time. Only one thread at a time may call the other functions.
 */

/*
 * Follows a leader that counts @evsel: one that the pinned map at @path lists, or a new one. Stores
 * in *@row the index of the event among the leader's events. Release *@unit with self_unit__put().
 * Returns 0, or -errno after logging the reason.
 */
int self_unit__get(const struct evsel *evsel, const char *path, struct self_unit **unit, int *row);
void self_unit__put(struct self_unit *unit);

/*
 * Stores in *@to the calling thread's count of the event at @row. @slot must be the slot of this
 * thread. Returns 0, or -errno, which pstat_self_read() then returns to its caller.
 */
int self_unit__look(const struct self_unit *unit, int slot, int row, struct reading *to);

/*
 * Closes the fds of all units. The child of a fork(2) calls this function, because the child must
 * not keep the counters open, and cannot use the handles of its parent.
 */
void self_unit__drop_all(void);

/* ---- self-event.c ---- */

/*
 * Parses the event of @config. The caller frees *@evlist. Returns 0, or -errno after logging the
 * reason.
 */
int self_event__parse(const struct pstat_self_config *config, struct evlist **evlist);

/* ---- self-thread.c: the slot (a number below BPERF_SELF_THREADS) of each counted thread ---- */

/*
 * Call this once, before any thread calls another function of self-thread.c. Returns 0 or -errno.
 */
int self_thread__init(void);

/*
 * Returns the slot of the calling thread, or -EAGAIN if no slot is free. The slot belongs to the
 * thread until the thread ends. Only the call that assigns the slot can take locks or allocate
 * memory (in pthread_setspecific(3)).
 */
int self_thread__slot(void);

/*
 * Releases all slots, including the slot of the calling thread. The child of a fork(2) calls this
 * function.
 */
void self_thread__forget_all(void);

/* ---- self-words.c: each thread's text, which pstat_self_error() returns ---- */

/*
 * self_words__begin() empties the calling thread's text. Until self_words__end() is called, the
 * messages of the log and of libbpf are added to this text. Only one thread at a time may be
 * between these two calls.
 */
void self_words__begin(void);
void self_words__end(void);

/*
 * Records that a read failed with @err. This function can run in a signal handler, so it does not
 * format the text. self_words__get() formats the text later.
 */
void self_words__set_read(int err);

const char *self_words__get(void);

#endif
