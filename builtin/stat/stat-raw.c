// SPDX-License-Identifier: GPL-2.0-only
/* Words as they came, into struct raw_options: for the commands that take them. */
#include "builtin/stat/stat-raw.h"

#include <stdlib.h>
#include <string.h>

#include "util/event/vendor.h"

/*
 * Skips quotes around the whole argument of -e, which come from scripts that quote twice. perf stat
 * ignores them, too. Moves *@value behind the first quote and returns the length without quotes.
 */
static size_t unquote(const char **value)
{
	const char *text = *value + strspn(*value, " ");
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	if (len < 3 || (*text != '"' && *text != '\'') || strchr(text + 1, *text) != text + len - 1)
		return strlen(*value);
	*value = text + 1;
	return len - 2;
}

void raw_options__add_event(struct raw_options *raw, char letter, const char *value)
{
	size_t len = letter == 'e' ? unquote(&value) : strlen(value);

	/* a list of --pfm-events without events leaves the default events, as in perf */
	if (letter == 'e' || (letter == 'p' && value[strspn(value, ",{}")]))
		raw_options__take(raw, GIVEN_EVENT);
	if (letter == 'G')
		raw_options__take(raw, GIVEN_CGROUP);
	strbuf__addc(&raw->events, letter);
	strbuf__add(&raw->events, value, len);
	strbuf__addc(&raw->events, '\0');
	raw->nr_events++;
}

bool raw_options__take_value(struct raw_options *raw, const struct raw_value *values, size_t nr, int key,
			     const char *arg)
{
	for (size_t i = 0; i < nr; i++) {
		if (values[i].key != key)
			continue;
		if (values[i].given != GIVEN_NR)
			raw_options__take(raw, values[i].given);
		*values[i].value = arg;
		return true;
	}
	return false;
}

bool raw_options__take_flag(struct raw_options *raw, const struct raw_flag *flags, size_t nr, int key)
{
	for (size_t i = 0; i < nr; i++) {
		if (flags[i].key != key)
			continue;
		if (flags[i].given != GIVEN_NR)
			raw_options__take(raw, flags[i].given);
		if (flags[i].flag)
			*flags[i].flag = true;
		return true;
	}
	return false;
}

bool raw_options__drop_value(struct raw_options *raw, const struct raw_value *values, size_t nr, int key)
{
	if (!raw_options__take_value(raw, values, nr, key, NULL))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (values[i].key == key && values[i].given != GIVEN_NR)
			raw_options__drop(raw, values[i].given);
	return true;
}

bool raw_options__drop_flag(struct raw_options *raw, const struct raw_flag *flags, size_t nr, int key)
{
	for (size_t i = 0; i < nr; i++) {
		if (flags[i].key != key)
			continue;
		if (flags[i].given != GIVEN_NR)
			raw_options__drop(raw, flags[i].given);
		if (flags[i].flag)
			*flags[i].flag = false;
		return true;
	}
	return false;
}

void raw_options__take_command(struct raw_options *raw, struct argp_state *state)
{
	int first = state->next - 1;

	raw_options__take(raw, GIVEN_COMMAND);
	raw->to->count.argv = &state->argv[first];
	raw->to->argc = state->argc - first;
	raw->dashes = !strcmp(state->argv[first - 1], "--");
	state->next = state->argc;
}

void raw_options__free(struct raw_options *raw)
{
	strbuf__free(&raw->events);
	free(raw->pmu_filter);
	free(raw->bpf_events);
	free(raw->bpf_events_from);
	vendor__free(raw->vendor);
}
