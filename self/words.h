/* SPDX-License-Identifier: GPL-2.0-only */
/* What pstat_self_error() says: a text for each thread. */
#ifndef PSTAT_SELF_WORDS_H
#define PSTAT_SELF_WORDS_H

/*
 * From here on what the log is told is this thread's text, and so is what libbpf has to say; not two threads at a time. Until
 * self_words__end(), which gives them back.
 */
void self_words__begin(void);
void self_words__end(void);

/* The text is that of a read that failed with @err: found when it is asked for, as a signal handler may be what reads. */
void self_words__set_read(int err);

const char *self_words__get(void);

#endif
