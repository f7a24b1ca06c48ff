// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/csv-field.h"

#include <string.h>

#include "util/base/strbuf.h"

void csv_field__add(struct strbuf *sb, const char *field, const char *sep)
{
	if (!strpbrk(field, "\"\r\n") && (!*sep || !strstr(field, sep))) {
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
