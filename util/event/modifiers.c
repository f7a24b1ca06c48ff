// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/modifiers.h"

#include <errno.h>
#include <string.h>

#include "util/event/evsel.h"
#include "util/event/lexer.h"
#include "util/event/parse-error.h"

#define PRECISE_MAX 3

static const struct {
	char letter;
	enum modifier bit;
	const char *name;
} letters[] = {
	{ 'u', MOD_USER, "user" },
	{ 'k', MOD_KERNEL, "kernel" },
	{ 'h', MOD_HV, "hypervisor" },
	{ 'I', MOD_NON_IDLE, "not when idle" },
	{ 'G', MOD_GUEST, "guest" },
	{ 'H', MOD_HOST, "host" },
	{ 'P', MOD_PRECISE_MAX, "most precise" },
	{ 'S', MOD_SAMPLE_READ, "read with samples" },
	{ 'D', MOD_PINNED, "pinned" },
	{ 'e', MOD_EXCLUSIVE, "exclusive" },
	{ 'W', MOD_WEAK, "weak group" },
	{ 'b', MOD_BPF, "BPF" },
	{ 'R', MOD_RETIRE_LAT, "retirement latency" },
};

#define NR_LETTERS (sizeof(letters) / sizeof(letters[0]))

static size_t find_letter(char c)
{
	size_t i = 0;

	while (i < NR_LETTERS && letters[i].letter != c)
		i++;
	return i;
}

bool modifiers__spelled(const struct span *word)
{
	for (size_t i = 0; i < word->len; i++)
		if (word->s[i] != 'p' && find_letter(word->s[i]) == NR_LETTERS)
			return false;
	return word->len > 0;
}

static int add_letter(struct modifiers *mod, char c, size_t column, struct parse_error *error)
{
	size_t i = find_letter(c);

	if (c == 'p') {
		if (mod->precise++ < PRECISE_MAX)
			return 0;
		return parse_error__set(error, column, "more than %d times p (precise)",
					PRECISE_MAX);
	}
	if (i == NR_LETTERS) {
		parse_error__set(error, column, "unknown modifier '%c'", c);
		if (!error->hint.len)
			strbuf__adds(&error->hint, "modifiers: u k h (user, kernel, hypervisor), G "
						   "H (guest, host), I (not when "
						   "idle), p (precise),\n"
						   "           D (pinned), e (exclusive), W (weak "
						   "group), b (BPF), P, S");
		return -EINVAL;
	}
	if (mod->bits & letters[i].bit)
		return parse_error__set(error, column, "duplicate modifier '%c' (%s)", c,
					letters[i].name);
	mod->bits |= letters[i].bit;
	return 0;
}

int modifiers__parse(const struct span *word, struct modifiers *mod, struct parse_error *error)
{
	*mod = (struct modifiers){ .column = word->column };
	for (size_t i = 0; i < word->len; i++) {
		int err = add_letter(mod, word->s[i], word->column + i, error);

		if (err)
			return err;
	}
	return 0;
}

/*
 * Applies u, k and h, which select privilege levels. If the event has any of these modifiers, the
 * levels that are not selected are excluded.
 */
static void apply_levels(const struct modifiers *mod, struct perf_event_attr *attr)
{
	if (!(mod->bits & (MOD_USER | MOD_KERNEL | MOD_HV)))
		return;
	if (!attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv)
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
	if (mod->bits & MOD_USER)
		attr->exclude_user = 0;
	if (mod->bits & MOD_KERNEL)
		attr->exclude_kernel = 0;
	if (mod->bits & MOD_HV)
		attr->exclude_hv = 0;
}

/*
 * Applies G and H in the same way as apply_levels() applies u, k and h. Unless @mod contains G,
 * guests are also excluded in two cases: @mod contains p; or @mod contains u, and neither G nor H
 * was applied to the event earlier.
 */
static void apply_guest_host(const struct modifiers *mod, struct evsel *evsel)
{
	struct perf_event_attr *attr = &evsel->attr.attr;

	if (mod->precise || ((mod->bits & MOD_USER) && !evsel->guest_host_given))
		attr->exclude_guest = 1;
	if (!(mod->bits & (MOD_GUEST | MOD_HOST)))
		return;
	if (!evsel->guest_host_given)
		attr->exclude_guest = attr->exclude_host = 1;
	evsel->guest_host_given = true;
	if (mod->bits & MOD_GUEST)
		attr->exclude_guest = 0;
	if (mod->bits & MOD_HOST)
		attr->exclude_host = 0;
}

static int apply(const struct modifiers *mod, struct evsel *evsel, bool leader,
		 struct parse_error *error)
{
	struct perf_event_attr *attr = &evsel->attr.attr;

	apply_levels(mod, attr);
	apply_guest_host(mod, evsel);
	if (attr->precise_ip + mod->precise > PRECISE_MAX)
		return parse_error__set(
			error, mod->column,
			"together with the group's, '%.*s' has more than %d times p (precise)",
			SPAN_SHOWN, evsel->name, PRECISE_MAX);
	attr->precise_ip = (attr->precise_ip + mod->precise) & PRECISE_MAX;
	if (mod->bits & (MOD_USER | MOD_KERNEL | MOD_HV))
		evsel->exclude_given = true;
	if (mod->bits & MOD_NON_IDLE)
		attr->exclude_idle = 1;
	if (leader && (mod->bits & MOD_PINNED))
		attr->pinned = 1;
	if (leader && (mod->bits & MOD_EXCLUSIVE))
		attr->exclusive = 1;
	if (mod->bits & MOD_WEAK)
		evsel->weak_group = true;
	if (mod->bits & MOD_BPF)
		evsel->bpf_counter = true;
	if (mod->bits & MOD_RETIRE_LAT)
		evsel->retire_lat = true;
	return 0;
}

int modifiers__apply(const struct modifiers *mod, struct evsel *evsel, struct parse_error *error)
{
	struct perf_event_attr *attr = &evsel->attr.attr;

	if (mod->bits & MOD_WEAK)
		return parse_error__set(error, mod->column,
					"modifier W (weak) is for groups: {...}:W");
	attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 0;
	attr->exclude_guest = attr->exclude_host = 0;
	return apply(mod, evsel, true, error);
}

int modifiers__apply_group(const struct modifiers *mod, struct evsel *evsel, bool leader,
			   struct parse_error *error)
{
	return apply(mod, evsel, leader, error);
}
