/* SPDX-License-Identifier: GPL-2.0-only */
/* The text that pstat_self_error() returns, one for each thread. */
#ifndef PSTAT_SELF_WORDS_H
#define PSTAT_SELF_WORDS_H

/*
 * From self_words__begin() to self_words__end(), the messages of the log and of libbpf go into the
 * calling thread's text. Only one thread at a time may do that.
 */
void self_words__begin(void);
void self_words__end(void);

/*
 * Sets the text for a read that failed with @err. The text is only created when it is asked for,
 * because a signal handler may be reading.
 */
void self_words__set_read(int err);

const char *self_words__get(void);

#endif
