// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads any string as a list of BPF programs. If the parser accepts the list, the result must be
 * complete. Otherwise, there must be a reason.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/machine/bpf/bpf-prog-select.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct prog_selector *selector)
{
	bool by_id = selector->by == PROG_SELECT_ID;

	if (!selector->text || (by_id && !selector->id) ||
	    (selector->by == PROG_SELECT_TYPE && !selector->types))
		abort();
	if (!by_id && selector->by != PROG_SELECT_ALL && (!selector->word || !*selector->word))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct strbuf why = STRBUF_INIT;
	struct prog_selection *selection;
	int err;

	if (!text)
		abort();
	err = prog_selection__parse(text, &selection, &why);
	if (err && (err != -EINVAL || selection || !why.len))
		abort();
	if (!err && (why.len || selection->nr < 1))
		abort();
	for (int i = 0; !err && i < selection->nr; i++)
		check(&selection->selectors[i]);
	prog_selection__free(selection);
	strbuf__free(&why);
	free(text);
	return 0;
}
