// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog-select.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/number.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/machine/bpf/bpf-prog-type.h"

static int parse_tag(struct prog_selector *selector, struct strbuf *why)
{
	const char *hex = selector->word;
	char byte[5] = "0x";

	if (strlen(hex) != 2 * sizeof(selector->tag) ||
	    hex[strspn(hex, "0123456789abcdefABCDEF")]) {
		strbuf__addf(why,
			     "'%s' is not the tag of a BPF program: a tag has %zu hexadecimal "
			     "digits\nsee `pstat progs`",
			     hex, 2 * sizeof(selector->tag));
		return -EINVAL;
	}
	for (size_t i = 0; i < sizeof(selector->tag); i++) {
		uint64_t value = 0;

		memcpy(byte + 2, hex + 2 * i, 2);
		number__parse_u64(byte, &value);
		selector->tag[i] = (uint8_t)value;
	}
	return 0;
}

static int parse_type(struct prog_selector *selector, struct strbuf *why)
{
	const char *known;

	selector->types = bpf_prog_type__parse(selector->word);
	if (selector->types)
		return 0;
	strbuf__addf(why, "'%s' is not a type of BPF programs\nthe types are:", selector->word);
	for (size_t nr = 0; (known = bpf_prog_type__known(nr)); nr++)
		strbuf__addf(why, " %s", known);
	return -EINVAL;
}

static int parse_text(struct prog_selector *selector, struct strbuf *why)
{
	if (*selector->word)
		return 0;
	return reason__set(why, -EINVAL, "'%s': %s is missing after the colon", selector->text,
			   selector->by == PROG_SELECT_PINNED ? "the path" : "a pattern of names");
}

static const struct {
	const char *prefix;
	enum prog_select by;
	int (*parse)(struct prog_selector *selector, struct strbuf *why);
} forms[] = {
	{ "name:", PROG_SELECT_NAME, parse_text },
	{ "tag:", PROG_SELECT_TAG, parse_tag },
	{ "pinned:", PROG_SELECT_PINNED, parse_text },
	{ "type:", PROG_SELECT_TYPE, parse_type },
};

static bool is_like_a_name(const char *text)
{
	return *text && (isalpha((unsigned char)*text) || strchr("_*?[", *text)) &&
	       !strpbrk(text, ":/- ");
}

static int not_an_id(const char *text, struct strbuf *why)
{
	strbuf__addf(why, "'%s' is not the id of a BPF program: ids are integers from 1 to %u\n",
		     text, UINT32_MAX);
	if (is_like_a_name(text))
		strbuf__addf(why, "write name:%s for programs of that name; see `pstat progs`",
			     text);
	else
		strbuf__adds(why, "see `pstat progs`");
	return -EINVAL;
}

static int parse_id(struct prog_selector *selector, struct strbuf *why)
{
	char *digits = strdup(selector->text), *colon = digits ? strchr(digits, ':') : NULL;
	uint64_t id = 0;
	int err = digits ? 0 : -ENOMEM;

	if (colon)
		*colon = '\0';
	if (!err && number__parse_uint(digits, 1, UINT32_MAX, &id))
		err = not_an_id(selector->text, why);
	if (!err && colon) {
		selector->word = strdup(colon + 1);
		err = selector->word ? 0 : -ENOMEM;
		if (!err && !*selector->word) {
			strbuf__addf(why, "'%s': the function's name is missing after the colon",
				     selector->text);
			err = -EINVAL;
		}
	}
	selector->id = (uint32_t)id;
	free(digits);
	return err;
}

static int parse_word(struct prog_selector *selector, struct strbuf *why)
{
	if (!strcmp(selector->text, "all")) {
		selector->by = PROG_SELECT_ALL;
		return 0;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t len = strlen(forms[i].prefix);

		if (strncmp(selector->text, forms[i].prefix, len) != 0)
			continue;
		selector->by = forms[i].by;
		selector->word = strdup(selector->text + len);
		return selector->word ? forms[i].parse(selector, why) : -ENOMEM;
	}
	return parse_id(selector, why);
}

static void selector__clear(struct prog_selector *selector)
{
	free(selector->text);
	free(selector->word);
}

static bool has(const struct prog_selection *selection, const char *text)
{
	for (int i = 0; i < selection->nr; i++)
		if (!strcmp(selection->selectors[i].text, text))
			return true;
	return false;
}

static int add_word(struct prog_selection *selection, const char *word, struct strbuf *why)
{
	struct prog_selector *bigger, selector = {};
	int err;

	if (has(selection, word))
		return 0;
	bigger = realloc(selection->selectors, sizeof(*bigger) * ((size_t)selection->nr + 1));
	if (!bigger)
		return -ENOMEM;
	selection->selectors = bigger;
	selector.text = strdup(word);
	err = selector.text ? parse_word(&selector, why) : -ENOMEM;
	if (err)
		selector__clear(&selector);
	else
		bigger[selection->nr++] = selector;
	return err;
}

/*
 * Copies the selector at @at to @word, but copies each "\," as a comma. Returns a pointer to the
 * comma or NUL after the selector.
 */
static const char *next_word(const char *at, struct strbuf *word)
{
	strbuf__reset(word);
	for (; *at && *at != ','; at++) {
		if (at[0] == '\\' && at[1] == ',')
			at++;
		strbuf__addc(word, *at);
	}
	return at;
}

int prog_selection__parse(const char *list, struct prog_selection **out, struct strbuf *why)
{
	struct prog_selection *selection = calloc(1, sizeof(*selection));
	struct strbuf word = STRBUF_INIT;
	int err = selection ? 0 : -ENOMEM;

	*out = NULL;
	for (;;) {
		list = next_word(list, &word);
		if (strbuf__failed(&word))
			err = -ENOMEM;
		err = err ?: add_word(selection, word.text, why);
		if (err || !*list++)
			break;
	}
	strbuf__free(&word);
	if (err)
		prog_selection__free(selection);
	else
		*out = selection;
	return err;
}

void prog_selection__free(struct prog_selection *selection)
{
	if (!selection)
		return;
	for (int i = 0; i < selection->nr; i++)
		selector__clear(&selection->selectors[i]);
	free(selection->selectors);
	free(selection);
}
