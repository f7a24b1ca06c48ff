// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/csv-field.h"

#include <stdbool.h>
#include <string.h>

#include "util/base/strbuf.h"

static void add_field(struct strbuf *sb, const char *field, const char *sep)
{
	if (!strpbrk(field, "\"\n") && (!*sep || !strstr(field, sep))) {
		strbuf__adds(sb, field);
		return;
	}
	strbuf__addc(sb, '"');
	for (; *field; field++) {
		if (*field == '"')
			strbuf__addc(sb, '"');
		strbuf__addc(sb, *field);
	}
	strbuf__addc(sb, '"');
}

static bool is_ascii(const char *field)
{
	while (*field >= 0x20 && *field < 0x7f)
		field++;
	return !*field;
}

void csv_field__add(struct strbuf *sb, const char *field, const char *sep)
{
	struct strbuf clean = STRBUF_INIT;

	if (is_ascii(field)) { /* true for nearly all fields */
		add_field(sb, field, sep);
		return;
	}
	strbuf__add_clean_lines(&clean, field);
	add_field(sb, clean.text, sep);
	sb->failed |= strbuf__failed(&clean);
	strbuf__free(&clean);
}
