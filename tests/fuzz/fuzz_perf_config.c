// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as perf's configuration. The accepted settings are formatted and parsed again, and
 * the result must be the same.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/perf-config.h"
#include "util/base/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct taken {
	struct strbuf names, values; /* Each ends with a NUL. */
	struct strbuf again;	     /* the settings in the form of a file */
};

static void quote(struct strbuf *sb, const char *text)
{
	strbuf__addc(sb, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf__addc(sb, '\\');
		if (*text == '\n')
			strbuf__adds(sb, "\\n");
		else
			strbuf__addc(sb, *text);
	}
	strbuf__addc(sb, '"');
}

/* "a.B.c" is [a "B"] c, no matter how the file writes it; "a.c" is [a] c. */
static void write_setting(struct strbuf *sb, const char *name, const char *value)
{
	const char *first = strchr(name, '.'), *last = strrchr(name, '.');

	if (!first || !last[1])
		abort();
	strbuf__addf(sb, "[%.*s", (int)(first - name), name);
	if (last != first) {
		char *sub = strndup(first + 1, (size_t)(last - first - 1));

		if (!sub)
			abort();
		strbuf__addc(sb, ' ');
		quote(sb, sub);
		free(sub);
	}
	strbuf__addf(sb, "] %s = ", last + 1);
	quote(sb, value);
	strbuf__addc(sb, '\n');
}

static void take(void *data, const struct perf_config_item *item)
{
	struct taken *taken = data;
	bool is_true;

	/* a section that is never written, and that quotes cannot express */
	if (*item->name == '.')
		return;
	if (item->line < 1 || strcmp(item->file, "file") != 0)
		abort();
	strbuf__add(&taken->names, item->name, strlen(item->name) + 1);
	strbuf__add(&taken->values, item->value, strlen(item->value) + 1);
	write_setting(&taken->again, item->name, item->value);
	perf_config__bool(item->value, &is_true);
	perf_config__lists(item->value, item->name);
	if (*item->value && !perf_config__lists(item->value, item->value))
		abort();
}

static void free_taken(struct taken *taken)
{
	strbuf__free(&taken->names);
	strbuf__free(&taken->values);
	strbuf__free(&taken->again);
}

static bool same(const struct strbuf *a, const struct strbuf *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taken first = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT }, second = first;
	struct strbuf why = STRBUF_INIT;
	int err = perf_config__parse("file", (const char *)data, size, take, &first, &why);

	if (!err != !why.len || strncmp(why.text, "file:", err ? 5 : 0) != 0)
		abort();
	if (perf_config__parse("file", first.again.text, first.again.len, take, &second, &why))
		abort();
	if (!same(&first.names, &second.names) || !same(&first.values, &second.values))
		abort();
	free_taken(&first);
	free_taken(&second);
	strbuf__free(&why);
	return 0;
}
