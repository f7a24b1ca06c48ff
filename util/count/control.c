// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"

/*
 * The acknowledgement of a command. pstat also sends the terminating NUL, because programs written
 * for perf expect five bytes.
 */
static const char ack_text[] = "ack\n";

static const struct {
	const char *word;
	enum control_command command;
	bool takes_argument;
} commands[] = {
	{ "enable", CONTROL_ENABLE, true }, { "disable", CONTROL_DISABLE, true },
	{ "ping", CONTROL_PING, false },    { "evlist", CONTROL_EVLIST, true },
	{ "stop", CONTROL_STOP, false },
};

struct control {
	int fd, ack_fd;
	bool owned; /* control__close() has to close the fds */
	bool closed;
	bool in_long_line; /* the rest of the current line has to be skipped */
	size_t len;	   /* the number of bytes in `text` that have not been processed yet */
	char text[256];
	bool has_argument; /* the latest command has an argument */
	char argument[256];
};

/* ---- the argument of --control ---- */

/*
 * Parses the number of a file descriptor. As in perf, a descriptor that is not open is not an
 * error. Stores in @spec->missing the first number that is not an open descriptor. Returns 0;
 * -EINVAL after adding the reason to @why; or -ENOMEM.
 */
static int parse_fd(const char *word, int *fd, struct control_spec *spec, struct strbuf *why)
{
	char *end;
	long number = strtol(word, &end, 0);

	if (end == word || *end)
		return reason__set(why, -EINVAL, "'%s' is not the number of a file descriptor",
				   word);
	if (number >= 0 && number <= INT_MAX && fcntl((int)number, F_GETFD) >= 0)
		*fd = (int)number;
	else if (!spec->missing)
		spec->missing = strdup(word);
	return *fd >= 0 || spec->missing ? 0 : -ENOMEM;
}

static int parse_fifo(const char *word, char **path, struct strbuf *why)
{
	struct stat st;

	if (stat(word, &st)) {
		if (errno == ENOENT)
			strbuf__addf(why, "there is no named pipe %s: make one with mkfifo",
				     log__value(word));
		else
			strbuf__addf(why, "%s: %s", word, strerror(errno));
		return -EINVAL;
	}
	if (!S_ISFIFO(st.st_mode))
		return reason__set(why, -EINVAL, "%s is not a named pipe: make one with mkfifo",
				   word);
	*path = strdup(word);
	return *path ? 0 : -ENOMEM;
}

static int parse_words(char *in, struct control_spec *spec, bool fifo, struct strbuf *why)
{
	char *ack = strchr(in, ',');
	int err;

	if (ack)
		*ack++ = '\0';
	if (!fifo) {
		err = parse_fd(in, &spec->fd, spec, why);
		return err || !ack ? err : parse_fd(ack, &spec->ack_fd, spec, why);
	}
	err = parse_fifo(in, &spec->fifo, why);
	return err || !ack || !*ack ? err : parse_fifo(ack, &spec->ack_fifo, why);
}

int control_spec__parse(const char *text, struct control_spec *spec, struct strbuf *why)
{
	bool fifo = !strncmp(text, "fifo:", 5);
	char *words;
	int err;

	*spec = (struct control_spec){ .fd = -1, .ack_fd = -1 };
	if (!fifo && strncmp(text, "fd:", 3))
		return reason__set(why, -EINVAL, "write it as fd:IN[,OUT] or fifo:IN[,OUT]");
	words = strdup(strchr(text, ':') + 1);
	if (!words)
		return -ENOMEM;
	err = parse_words(words, spec, fifo, why);
	free(words);
	if (err)
		control_spec__free(spec);
	return err;
}

void control_spec__free(struct control_spec *spec)
{
	free(spec->fifo);
	free(spec->ack_fifo);
	free(spec->missing);
	spec->fifo = spec->ack_fifo = spec->missing = NULL;
}

/*
 * Opens a FIFO for reading and writing, so that open(2) does not wait for the controller, and pstat
 * sees no end of file when the controller closes the FIFO. Returns 0, or -errno with the reason in
 * @why.
 */
static int open_fifo(const char *path, int *fd, struct strbuf *why)
{
	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0) {
		int err = -errno;

		return reason__set(why, err, "%s: %s", path, strerror(-err));
	}
	return 0;
}

int control__open(const struct control_spec *spec, struct control **out, struct strbuf *why)
{
	struct control *control = calloc(1, sizeof(*control));
	int err = 0;

	*out = NULL;
	if (!control)
		return -ENOMEM;
	control->owned = spec->fifo;
	control->fd = spec->fd;
	control->ack_fd = spec->ack_fd;
	if (spec->fifo)
		err = open_fifo(spec->fifo, &control->fd, why);
	if (!err && spec->ack_fifo)
		err = open_fifo(spec->ack_fifo, &control->ack_fd, why);
	if (err)
		control__close(control);
	else
		*out = control;
	return err;
}

void control__close(struct control *control)
{
	if (!control)
		return;
	if (control->owned && control->fd >= 0)
		close(control->fd);
	if (control->owned && control->ack_fd >= 0)
		close(control->ack_fd);
	free(control);
}

int control__fd(const struct control *control)
{
	return control->fd;
}

/* ---- commands ---- */

static void drop(struct control *control, size_t nr)
{
	control->len -= nr;
	memmove(control->text, control->text + nr, control->len);
}

/* Skips the rest of a line that is too long, so that pstat does not take the rest for a command. */
static void skip_long_line(struct control *control)
{
	size_t rest = 0;

	while (rest < control->len && control->text[rest] != '\n' && control->text[rest] != '\0')
		rest++;
	if (rest < control->len) {
		control->in_long_line = false;
		rest++;
	}
	drop(control, rest);
}

void control__read(struct control *control)
{
	ssize_t n;

	if (control->len == sizeof(control->text) - 1) {
		pr_warn("--control: ignored a line of more than %zu bytes, which cannot be a "
			"command",
			control->len);
		control->len = 0;
		control->in_long_line = true;
	}
	n = read(control->fd, control->text + control->len,
		 sizeof(control->text) - 1 - control->len);
	if (n > 0)
		control->len += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		control->closed = true;
	if (n < 0 && control->closed)
		pr_warn("--control: cannot read commands: %s\npstat continues to count without "
			"further commands",
			strerror(errno));
	if (control->in_long_line)
		skip_long_line(control);
}

static enum control_command find_command(const char *line)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(line, commands[i].word))
			return commands[i].command;
	return CONTROL_NONE;
}

/*
 * The caller must have ended the first line of control->text with a NUL. Returns the command in
 * this line, and stores the command's argument. A space separates the command from the argument.
 * Returns CONTROL_NONE if the line is not a command.
 */
static enum control_command take_line(struct control *control)
{
	char *space = strchr(control->text, ' ');

	control->has_argument = false;
	for (size_t i = 0; space && i < sizeof(commands) / sizeof(commands[0]); i++) {
		size_t len = strlen(commands[i].word);

		if (!commands[i].takes_argument || control->text + len != space ||
		    memcmp(control->text, commands[i].word, len) != 0)
			continue;
		control->has_argument = true;
		strcpy(control->argument, space + 1);
		return commands[i].command;
	}
	return find_command(control->text);
}

const char *control__argument(const struct control *control)
{
	return control->has_argument ? control->argument : NULL;
}

/* Warns that a line is not a command. */
static void refuse(const char *line)
{
	pr_warn("--control: '%s': not a command\ncommands are enable, disable, ping, evlist, stop",
		line);
}

/*
 * A line ends with a newline or a NUL. Text that ends with neither of them is accepted if it is a
 * complete command without an argument, or if no more text can arrive.
 */
enum control_command control__next(struct control *control)
{
	enum control_command command = CONTROL_NONE;

	while (command == CONTROL_NONE && control->len) {
		size_t len;

		control->text[control->len] = '\0';
		len = strcspn(control->text, "\n");
		if (len == control->len && !control->closed &&
		    find_command(control->text) == CONTROL_NONE)
			return CONTROL_NONE;
		control->text[len] = '\0';
		command = take_line(control);
		if (command == CONTROL_NONE && len)
			refuse(control->text);
		drop(control, len < control->len ? len + 1 : len);
	}
	return command == CONTROL_NONE && control->closed ? CONTROL_CLOSED : command;
}

/*
 * Writes with SIGPIPE blocked, and discards this signal, because pstat must continue to count even
 * if the controller has closed its end. Returns 0 or -errno.
 */
static int write_without_sigpipe(int fd, const char *text, size_t len)
{
	struct timespec at_once = { 0 };
	sigset_t pipe_signal, old;
	int err = 0;

	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe_signal, &old);
	for (ssize_t n; len && !err;) {
		n = write(fd, text, len);
		if (n < 0 && errno != EINTR)
			err = -errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	if (err == -EPIPE)
		sigtimedwait(&pipe_signal, NULL, &at_once);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return err;
}

void control__ack(struct control *control)
{
	int err = control->ack_fd < 0 ?
			  0 :
			  write_without_sigpipe(control->ack_fd, ack_text, sizeof(ack_text));

	if (err)
		pr_warn("--control: cannot acknowledge a command: %s", strerror(-err));
}
