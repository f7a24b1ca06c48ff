/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of --control. While pstat counts, another program, the controller, sends them to
 * pstat, one per line:
 *
 *	enable [EVENT]		start counting
 *	disable [EVENT]		stop counting
 *	ping			only acknowledge the command
 *	evlist [-v|-g|-F]	print the events on stderr
 *	stop			end the session
 *
 * If the argument of --control contains OUT (see below), pstat writes an acknowledgement to OUT
 * after each command. As in perf, pstat acknowledges even a command with an invalid argument, after
 * printing a message.
 */
#ifndef PSTAT_COUNT_CONTROL_H
#define PSTAT_COUNT_CONTROL_H

struct control;
struct strbuf;

/* The parsed argument of --control: "fd:IN[,OUT]" or "fifo:IN[,OUT]". */
struct control_spec {
	int fd, ack_fd;	       /* -1: none */
	char *fifo, *ack_fifo; /* owned; NULL: none */
	/* owned; the first fd in the argument that is not open, as text; NULL: all fds are open */
	char *missing;
};

/*
 * Parses the argument of --control. Returns 0; -EINVAL after adding the reason to @why; or -ENOMEM.
 */
int control_spec__parse(const char *text, struct control_spec *spec, struct strbuf *why);
void control_spec__free(struct control_spec *spec);

enum control_command {
	CONTROL_NONE, /* no further complete command has arrived */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,
	CONTROL_EVLIST,
	CONTROL_STOP,
	CONTROL_CLOSED, /* the controller has closed its end, or reading failed */
};

/*
 * Makes *@control, and opens the named pipes of @spec, if there are any. Returns 0, or -errno after
 * adding the reason to @why.
 */
int control__open(const struct control_spec *spec, struct control **control, struct strbuf *why);
void control__close(struct control *control);

/* Returns the fd for poll(2). When the fd is readable, control__read() does not block. */
int control__fd(const struct control *control);
/*
 * Reads the text that has arrived, or the part of it that fits into the buffer of @control.
 * control__next() takes the next command from the buffer. After control__read(), the caller must
 * call control__next() until it returns CONTROL_NONE or CONTROL_CLOSED.
 */
void control__read(struct control *control);
enum control_command control__next(struct control *control);
/*
 * Returns the argument of the latest command, or NULL. Valid until the next call of
 * control__next().
 */
const char *control__argument(const struct control *control);
/* Acknowledges the latest command. Does nothing if there is no OUT. */
void control__ack(struct control *control);

#endif
