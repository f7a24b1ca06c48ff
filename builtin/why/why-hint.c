// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/why/why-hint.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "builtin/stat/stat-options.h"
#include "builtin/why/why-run.h"
#include "util/base/strbuf.h"

/* Characters that have no special meaning in a shell, in any position. */
#define PLAIN                                                  \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" \
	"0123456789%+,-./:=@_"

/* Adds a space and @word, in quotes if @word is empty or contains characters not in PLAIN. */
static void add_word(struct strbuf *sb, const char *word)
{
	strbuf__addc(sb, ' ');
	if (*word && !word[strspn(word, PLAIN)]) {
		strbuf__adds(sb, word);
		return;
	}
	strbuf__addc(sb, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf__adds(sb, "'\\''");
		else
			strbuf__addc(sb, *word);
	}
	strbuf__addc(sb, '\'');
}

/*
 * Adds the command line of `pstat why`. If the session counted a command, leaves out the arguments
 * of this command.
 */
static void add_command_line(const struct why_hint *hint, struct strbuf *sb)
{
	char *const *command = hint->options->count.argv;
	int nr = hint->argc;

	for (int i = 1; command && i < hint->argc; i++)
		if (hint->argv + i == command)
			nr = i + 1;
	strbuf__adds(sb, "pstat why");
	if (hint->command)
		add_word(sb, hint->command);
	for (int i = 1; i < nr; i++)
		add_word(sb, hint->argv[i]);
}

/*
 * Returns false if @line contains control characters. The log would replace these characters, so a
 * user who copies the printed line would run a different command.
 */
static bool can_be_printed(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < ' ' || *line == 0x7f)
			return false;
	return true;
}

void why_hint__print(const struct why_hint *hint, enum log_level level)
{
	struct strbuf line = STRBUF_INIT, answer = STRBUF_INIT;
	bool refused;

	if (hint->options->as_perf || hint->options->quiet)
		return;
	add_command_line(hint, &line);
	if (strbuf__failed(&line) || !can_be_printed(line.text)) {
		/* print no hint, because the command line cannot be shown */
	} else if (!log__enabled(LOG_DEBUG)) {
		log__print(level, "to find out why, run: %s", line.text);
	} else if (!why_run(hint->options, false, &answer, &refused)) {
		log__print(LOG_DEBUG, "%s prints:", line.text);
		log__plain_at(LOG_DEBUG, "%s", answer.text);
	}
	strbuf__free(&line);
	strbuf__free(&answer);
}

enum log_level why_hint__level_beside_rows(void)
{
	return isatty(STDERR_FILENO) ? LOG_WARNING : LOG_INFO;
}
