// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list-fold.h"

#include <stddef.h>
#include <string.h>

#include "util/base/strbuf.h"

#define WIDTH 79
#define SPACES " \n\t\r"

void list_fold__add(struct strbuf *sb, const char *text)
{
	size_t column = LIST_INDENT + 1, len;

	if (!*text)
		return;
	strbuf__addf(sb, "%*s[", LIST_INDENT, "");
	for (text += strspn(text, SPACES); *text; text += len + strspn(text + len, SPACES)) {
		len = strcspn(text, SPACES);
		if (column > LIST_INDENT + 1 && column + 1 + len > WIDTH) {
			strbuf__addf(sb, "\n%*s", LIST_INDENT + 1, "");
			column = LIST_INDENT + 1;
		} else if (column > LIST_INDENT + 1) {
			strbuf__addc(sb, ' ');
			column++;
		}
		strbuf__add_clean_part(sb, text, len);
		column += len;
	}
	strbuf__adds(sb, "]\n");
}
