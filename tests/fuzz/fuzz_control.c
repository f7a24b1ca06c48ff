// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as the commands of --control, and as its argument. The first byte says in how large pieces they arrive: a command is what
 * stands where a line begins, and what arrives in one piece are just the commands that a slow reading finds.
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

/* The next command from *@at on, CONTROL_CLOSED behind the last. */
static enum control_command read_slowly(const char *text, size_t size, size_t *at)
{
	while (*at < size) {
		size_t from = *at;
		enum control_command command;

		while (*at < size && text[*at] != '\n' && text[*at] != '\0')
			++*at;
		command = command_of(text + from, *at - from);
		++*at;
		if (command != CONTROL_NONE)
			return command;
	}
	return CONTROL_CLOSED;
}

/* However it arrived: @command stands where a line begins, from *@at on, which is behind the command before. */
static void find_command(const char *text, size_t size, enum control_command command, size_t *at)
{
	bool begins = true;

	for (; *at < size; begins = text[*at] == '\n' || text[*at] == '\0', ++*at) {
		for (size_t len = 4; begins && len <= 7 && *at + len <= size; len++) {
			if (command_of(text + *at, len) == command) {
				*at += len;
				return;
			}
		}
	}
	abort();
}

static void try_commands(const char *text, size_t size, size_t piece)
{
	struct control_spec spec = { .ack_fd = -1 };
	struct strbuf why = STRBUF_INIT;
	enum control_command command = CONTROL_NONE;
	size_t slow_at = 0, found_at = 0;
	struct control *control;
	int ends[2];

	if (pipe(ends))
		abort();
	spec.fd = ends[0];
	if (control__open(&spec, &control, &why))
		abort();
	for (size_t at = 0; command != CONTROL_CLOSED; at += piece) {
		size_t rest = at < size ? size - at : 0, len = rest < piece ? rest : piece;

		if (len && write(ends[1], text + at, len) != (ssize_t)len)
			abort();
		if (!len && ends[1] >= 0) {
			close(ends[1]);
			ends[1] = -1;
		}
		control__read(control);
		while ((command = control__next(control)) != CONTROL_NONE && command != CONTROL_CLOSED) {
			find_command(text, size, command, &found_at);
			if (piece >= size && command != read_slowly(text, size, &slow_at))
				abort();
		}
	}
	if (ends[1] >= 0 || (piece >= size && read_slowly(text, size, &slow_at) != CONTROL_CLOSED))
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
