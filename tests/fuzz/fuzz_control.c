// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as the commands of --control, and as its argument. The first byte says in how large pieces they arrive, which makes lines of
 * their own where a command ends with one. They are just the commands that a slow reading of the same pieces finds.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/control.h"

/* A line is shorter than that. */
#define LINE_MAX_BYTES 255

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
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
	if (err ? err != -EINVAL || !why.len : why.len || (spec.fd < 0) == !spec.fifo)
		abort();
	if (spec.fd >= 0 && spec.fifo)
		abort();
	control_spec__free(&spec);
	strbuf__free(&why);
	free(text);
}

static enum control_command command_of(const char *line, size_t len)
{
	static const char *const words[] = { "enable", "disable", "ping", "evlist", "stop" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], line, len))
			return (enum control_command)((int)CONTROL_ENABLE + (int)i);
	return CONTROL_NONE;
}

/* A slow reading of the same: places in the whole text. */
struct slow {
	const char *text;
	size_t begin, end; /* of what has arrived and was not used */
	bool in_long_line, closed;
};

static size_t line_end(const struct slow *slow)
{
	size_t at = slow->begin;

	while (at < slow->end && slow->text[at] != '\n' && slow->text[at] != '\0')
		at++;
	return at;
}

/* As much arrives as there is room for, up to @written; nothing, when the other side is @closed, tells the end. */
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

/* A line is used when it has an end, when no more comes, and when it is a command already. */
static enum control_command slow_next(struct slow *slow)
{
	while (slow->begin < slow->end) {
		size_t end = line_end(slow);
		enum control_command command = command_of(slow->text + slow->begin, end - slow->begin);

		if (end == slow->end && !slow->closed && command == CONTROL_NONE)
			return CONTROL_NONE;
		slow->begin = end < slow->end ? end + 1 : end;
		if (command != CONTROL_NONE)
			return command;
	}
	return slow->closed ? CONTROL_CLOSED : CONTROL_NONE;
}

static void try_commands(const char *text, size_t size, size_t piece)
{
	struct control_spec spec = { .ack_fd = -1 };
	struct strbuf why = STRBUF_INIT;
	enum control_command command = CONTROL_NONE;
	struct slow slow = { .text = text };
	struct control *control;
	size_t written = 0;
	int ends[2];

	if (pipe(ends))
		abort();
	spec.fd = ends[0];
	if (control__open(&spec, &control, &why))
		abort();
	while (command != CONTROL_CLOSED) {
		size_t rest = size - written, len = rest < piece ? rest : piece;

		if (len && write(ends[1], text + written, len) != (ssize_t)len)
			abort();
		if (!len && ends[1] >= 0) {
			close(ends[1]);
			ends[1] = -1;
		}
		written += len;
		control__read(control);
		slow_read(&slow, written, ends[1] < 0);
		do {
			command = control__next(control);
			if (command != slow_next(&slow))
				abort();
		} while (command != CONTROL_NONE && command != CONTROL_CLOSED);
	}
	if (ends[1] >= 0 || written < size)
		abort();
	control__close(control);
	close(ends[0]);
	strbuf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece = size ? data[0] : 0;

	if (!piece)
		return 0;
	try_argument(data + 1, size - 1);
	try_commands((const char *)data + 1, size - 1, piece < LINE_MAX_BYTES ? piece : LINE_MAX_BYTES);
	return 0;
}
