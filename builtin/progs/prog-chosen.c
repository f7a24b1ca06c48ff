// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/progs/prog-chosen.h"

#include "util/base/strbuf.h"
#include "util/machine/bpf/bpf-prog-select.h"
#include "util/machine/bpf/bpf-prog.h"

/* Returns whether @prog is pinned at @path. */
static bool is_pinned_at(const struct bpf_prog *prog, const char *path)
{
	struct strbuf why = STRBUF_INIT;
	struct bpf_prog *pinned;
	bool found = !bpf_prog__peek_pinned(path, &pinned, &why) && pinned->id == prog->id;

	bpf_prog__close(pinned);
	strbuf__free(&why);
	return found;
}

static bool is_meant(struct bpf_prog *prog, const struct prog_selector *selector)
{
	switch (selector->by) {
	case PROG_SELECT_ID:
		return prog->id == selector->id;
	case PROG_SELECT_PINNED:
		return is_pinned_at(prog, selector->word);
	default:
		return bpf_prog__matches(prog, selector);
	}
}

bool prog_chosen(struct bpf_prog *prog, const struct prog_selection *selection)
{
	for (int i = 0; i < selection->nr; i++)
		if (is_meant(prog, &selection->selectors[i]))
			return true;
	return false;
}
