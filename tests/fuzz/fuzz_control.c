// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as the commands and the argument of --control. The first byte determines the size
 * of the pieces in which they arrive. It also selects a pipe whose other end closes, or a named
 * pipe with answers. A command at the end of a piece is a line of its own. The commands must be
 * those that a slow parser finds in the same pieces.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test_event_roots.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/control.h"

/* The largest length of a line, plus one. */
#define LINE_MAX_BYTES 255

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fake_roots folder;
static char fifos[2][128]; /* commands, answers */

static void remove_folder(void)
{
	fake_roots__remove(&folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	fake_roots__init(&folder);
	for (int i = 0; i < 2; i++) {
		snprintf(fifos[i], sizeof(fifos[i]), "%s/fifo%d", folder.dir, i);
		if (mkfifo(fifos[i], 0600))
			abort();
	}
	atexit(remove_folder);
	return 0;
}

static void try_argument(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct strbuf why = STRBUF_INIT;
	struct control_spec spec;
	int err;

	if (!text)
		abort();
	err = control_spec__parse(text, &spec, &why);
	/*
	 * A number that is not an open descriptor is stored in spec.missing, and counting continues
	 * without it.
	 */
	if (err ? err != -EINVAL || !why.len :
		  why.len || (spec.fd < 0 && !spec.fifo && !spec.missing))
		abort();
	if (spec.fd >= 0 && spec.fifo)
		abort();
	control_spec__free(&spec);
	strbuf__free(&why);
	free(text);
}

/*
 * Returns the command in a line. If @whole, the line is complete, and an argument may follow
 * commands that accept one.
 */
static enum control_command command_of(const char *line, size_t len, bool whole)
{
	static const struct {
		const char *word;
		bool takes_argument;
	} words[] = { { "enable", true },
		      { "disable", true },
		      { "ping", false },
		      { "evlist", true },
		      { "stop", false } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t word = strlen(words[i].word);
		bool argument = whole && words[i].takes_argument && len > word && line[word] == ' ';

		if ((word == len || argument) && !memcmp(words[i].word, line, word))
			return (enum control_command)((int)CONTROL_ENABLE + (int)i);
	}
	return CONTROL_NONE;
}

/* The state of the slow parser: positions in the whole text. */
struct slow {
	const char *text;
	size_t begin, end; /* the bytes that have arrived and have not been used yet */
	bool in_long_line, closed;
};

static size_t line_end(const struct slow *slow)
{
	size_t at = slow->begin;

	while (at < slow->end && slow->text[at] != '\n' && slow->text[at] != '\0')
		at++;
	return at;
}

/*
 * Takes the bytes up to @written, as far as there is room. If the other end is @closed and no bytes
 * are left, the input ends.
 */
static void slow_read(struct slow *slow, size_t written, bool closed)
{
	size_t before = slow->end, full;

	if (slow->end - slow->begin == LINE_MAX_BYTES) {
		slow->in_long_line = true;
		slow->begin = slow->end;
	}
	full = slow->begin + LINE_MAX_BYTES;
	slow->end = written < full ? written : full;
	slow->closed = closed && slow->end == before;
	if (!slow->in_long_line)
		return;
	slow->begin = line_end(slow);
	if (slow->begin < slow->end) {
		slow->in_long_line = false;
		slow->begin++;
	}
}

/*
 * Returns the next command. A line is used if it is complete, if no more bytes arrive, or if the
 * bytes so far are a command.
 */
static enum control_command slow_next(struct slow *slow)
{
	while (slow->begin < slow->end) {
		size_t end = line_end(slow);
		bool whole = end < slow->end || slow->closed;
		enum control_command command =
			command_of(slow->text + slow->begin, end - slow->begin, whole);

		if (end == slow->end && !slow->closed && command == CONTROL_NONE)
			return CONTROL_NONE;
		slow->begin = end < slow->end ? end + 1 : end;
		if (command != CONTROL_NONE)
			return command;
	}
	return slow->closed ? CONTROL_CLOSED : CONTROL_NONE;
}

/* The end that is read, and the other end. */
struct line {
	struct control *control;
	int in, out, answers; /* -1: closed, or none */
};

static void open_pipe(struct line *line)
{
	struct control_spec spec = { .ack_fd = -1 };
	struct strbuf why = STRBUF_INIT;
	int ends[2];

	if (pipe(ends))
		abort();
	spec.fd = ends[0];
	if (control__open(&spec, &line->control, &why))
		abort();
	line->in = ends[0];
	line->out = ends[1];
	strbuf__free(&why);
}

static void open_fifos(struct line *line)
{
	struct strbuf why = STRBUF_INIT, text = STRBUF_INIT;
	struct control_spec spec;

	strbuf__addf(&text, "fifo:%s,%s", fifos[0], fifos[1]);
	if (control_spec__parse(text.text, &spec, &why) ||
	    control__open(&spec, &line->control, &why))
		abort();
	line->out = open(fifos[0], O_WRONLY | O_CLOEXEC);
	line->answers = open(fifos[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (line->out < 0 || line->answers < 0)
		abort();
	control_spec__free(&spec);
	strbuf__free(&text);
	strbuf__free(&why);
}

static void close_line(struct line *line)
{
	control__close(line->control);
	if (line->in >= 0)
		close(line->in);
	if (line->out >= 0)
		close(line->out);
	if (line->answers >= 0)
		close(line->answers);
}

static void write_piece(struct line *line, const char *text, size_t len)
{
	if (len && write(line->out, text, len) != (ssize_t)len)
		abort();
	/* a named pipe stays open */
	if (!len && line->out >= 0 && line->answers < 0) {
		close(line->out);
		line->out = -1;
	}
}

/* Each command must be acknowledged, and nothing else may be written. */
static void answer(const struct line *line)
{
	char text[16];

	control__ack(line->control);
	if (line->answers >= 0 &&
	    (read(line->answers, text, sizeof(text)) != 5 || memcmp(text, "ack\n", 5) != 0))
		abort();
}

static void try_commands(const char *text, size_t size, size_t piece, bool named)
{
	struct line line = { .in = -1, .out = -1, .answers = -1 };
	enum control_command command = CONTROL_NONE;
	struct slow slow = { .text = text };
	size_t written = 0;

	(named ? open_fifos : open_pipe)(&line);
	do {
		size_t rest = size - written, len = rest < piece ? rest : piece;

		write_piece(&line, text + written, len);
		written += len;
		control__read(line.control);
		slow_read(&slow, written, line.out < 0);
		do {
			command = control__next(line.control);
			if (command != slow_next(&slow))
				abort();
			if (command != CONTROL_NONE && command != CONTROL_CLOSED)
				answer(&line);
		} while (command != CONTROL_NONE && command != CONTROL_CLOSED);
	} while (command != CONTROL_CLOSED && !(named && slow.end == size));
	if (written < size || (command == CONTROL_CLOSED) == named)
		abort();
	close_line(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece = size ? data[0] & 127 : 0;

	if (!piece)
		return 0;
	try_argument(data + 1, size - 1);
	try_commands((const char *)data + 1, size - 1, piece, data[0] & 128);
	return 0;
}
