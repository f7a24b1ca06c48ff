/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands to a running count, one per line (--control):
 *
 *	enable, disable [EVENT]	start and stop counting
 *	ping			only acknowledge the command
 *	evlist [-v|-g|-F]	print the events on stderr
 *	stop			end the count
 *
 * Each command is acknowledged if an ack fd was given. As in perf, pstat also acknowledges a
 * command whose argument is invalid, after a warning.
 */
#ifndef PSTAT_COUNT_CONTROL_H
#define PSTAT_COUNT_CONTROL_H

struct control;
struct strbuf;

/* "fd:IN[,OUT]" or "fifo:IN[,OUT]". */
struct control_spec {
	int fd, ack_fd;	       /* -1: none */
	char *fifo, *ack_fifo; /* owned; NULL: none */
	char *missing;	       /* owned: the first file descriptor that is not open, or NULL */
};

/* Returns 0; -EINVAL after adding the reason to @why; or -ENOMEM. */
int control_spec__parse(const char *text, struct control_spec *spec, struct strbuf *why);
void control_spec__free(struct control_spec *spec);

enum control_command {
	CONTROL_NONE, /* no complete command has arrived */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,
	CONTROL_EVLIST,
	CONTROL_STOP,
	CONTROL_CLOSED, /* the controller has closed its side */
};

/* Opens the files of @spec. Returns 0, or -errno after adding the reason to @why. */
int control__open(const struct control_spec *spec, struct control **control, struct strbuf *why);
void control__close(struct control *control);

/* For poll(). When it is readable, control__read() does not block. */
int control__fd(const struct control *control);
/*
 * Reads all text that has arrived. Afterwards, call control__next() until it returns CONTROL_NONE:
 * it returns one command per call.
 */
void control__read(struct control *control);
enum control_command control__next(struct control *control);
/* The argument of the last command, valid until the next call; NULL if it had none. */
const char *control__argument(const struct control *control);
/* Acknowledges the last command. */
void control__ack(struct control *control);

#endif
