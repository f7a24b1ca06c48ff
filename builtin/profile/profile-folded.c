// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/profile/profile-folded.h"

#include <string.h>

#include "builtin/profile/profile-stacks.h"
#include "util/base/strbuf.h"
#include "util/machine/code-names.h"

/* A name may hold blanks: readers take the number after the last one. It is never empty. */
static void add_name(struct strbuf *sb, const char *name)
{
	if (!*name)
		strbuf__addc(sb, '?');
	for (; *name; name++)
		strbuf__addc(sb, *name == ';' ? ':' : (unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name);
}

void folded__frame(const struct code_name *name, struct strbuf *sb)
{
	const char *object = code_name__short_object(name), *slash;

	if (name->function)
		add_name(sb, name->function);
	else if (*object == '[')
		add_name(sb, object); /* [vdso], [unknown] */
	else {
		strbuf__addc(sb, '[');
		add_name(sb, object);
		strbuf__addc(sb, ']');
	}
	if (!name->file)
		return;
	slash = strrchr(name->file, '/');
	strbuf__addc(sb, ' ');
	add_name(sb, slash ? slash + 1 : name->file);
	strbuf__addf(sb, ":%d", name->line);
}

void folded__stack(const struct stack_row *row, struct strbuf *sb)
{
	add_name(sb, row->comm);
	for (int i = 0; i < row->nr; i++) {
		strbuf__addc(sb, ';');
		folded__frame(&row->names[i], sb);
	}
}
