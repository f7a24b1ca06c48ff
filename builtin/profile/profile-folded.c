// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/profile/profile-folded.h"

#include <inttypes.h>
#include <string.h>

#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-stacks.h"
#include "builtin/profile/profile-view.h"
#include "util/base/strbuf.h"
#include "util/machine/code-names.h"

/* A name may hold blanks: readers take the number after the last one. It is never empty. */
static void add_name(struct strbuf *sb, const char *name)
{
	if (!*name)
		strbuf__addc(sb, '?');
	while (*name) {
		size_t len = strcspn(name, ";");

		strbuf__add_clean_part(sb, name, len);
		name += len;
		if (*name) {
			strbuf__addc(sb, ':');
			name++;
		}
	}
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

static void add_stack(const struct stack_row *row, struct strbuf *sb)
{
	add_name(sb, row->comm);
	for (int i = 0; i < row->nr; i++) {
		strbuf__addc(sb, ';');
		folded__frame(&row->names[i], sb);
	}
}

/* Stacks of several processes of one name are one line: no process is told there. */
void folded__add(const struct profile_view *view, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT, next = STRBUF_INIT;
	uint64_t samples = 0;

	for (int i = 0; i <= view->stacks->nr_stacks; i++) {
		const struct stack_row *row = i < view->stacks->nr_stacks ? &view->stacks->stacks[i] : NULL;

		strbuf__reset(&next);
		if (row)
			add_stack(row, &next);
		if (samples && (!row || strcmp(text.text, next.text) != 0)) {
			strbuf__addf(sb, "%s %" PRIu64 "\n", text.text, samples);
			samples = 0;
		}
		if (!row)
			break;
		strbuf__reset(&text);
		strbuf__adds(&text, next.text);
		samples += row->sum.samples;
	}
	sb->failed |= strbuf__failed(&text) || strbuf__failed(&next);
	strbuf__free(&text);
	strbuf__free(&next);
}
