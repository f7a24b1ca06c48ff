/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands to a running count, a line each (--control):
 *
 *	enable, disable [EVENT]	start and stop counting
 *	ping			nothing but the answer
 *	evlist [-v|-g|-F]	the events to stderr
 *	stop			end the count
 *
 * Each is answered, where there is a place to answer to: also, as perf does it, one whose argument nothing can be done with, which is told.
 */
#ifndef PSTAT_COUNT_CONTROL_H
#define PSTAT_COUNT_CONTROL_H

struct control;
struct strbuf;

/* "fd:IN[,OUT]" or "fifo:IN[,OUT]". */
struct control_spec {
	int fd, ack_fd;	       /* -1: none */
	char *fifo, *ack_fifo; /* owned; NULL: none */
};

/* 0; -EINVAL and the reason added to @why; -ENOMEM. */
int control_spec__parse(const char *text, struct control_spec *spec, struct strbuf *why);
void control_spec__free(struct control_spec *spec);

enum control_command {
	CONTROL_NONE, /* nothing that can be done came */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,
	CONTROL_EVLIST,
	CONTROL_STOP,
	CONTROL_CLOSED, /* whoever gave commands has gone */
};

/* Opens what has to be opened. 0, or -errno with the reason added to @why. */
int control__open(const struct control_spec *spec, struct control **control, struct strbuf *why);
void control__close(struct control *control);

/* To be polled; it does not block in control__read() once it is readable. */
int control__fd(const struct control *control);
/* Takes what has come. Then control__next() gives the commands one by one until CONTROL_NONE. */
void control__read(struct control *control);
enum control_command control__next(struct control *control);
/* What stood behind the last command, up to the next call; NULL without. */
const char *control__argument(const struct control *control);
/* The last command was dealt with. */
void control__ack(struct control *control);

#endif
