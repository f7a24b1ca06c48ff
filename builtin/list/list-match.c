// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list-match.h"

#include <fnmatch.h>
#include <string.h>

#include "util/base/strbuf.h"

bool list_match__name(const char *glob, const char *name)
{
	return !fnmatch(glob, name, FNM_CASEFOLD) || strcasestr(name, glob);
}

bool list_match__part(const char *glob, const char *names, size_t len, struct strbuf *errors)
{
	struct strbuf name = STRBUF_INIT;
	bool found;

	strbuf__add(&name, names, len);
	found = !strbuf__failed(&name) && list_match__name(glob, name.text);
	errors->failed |= strbuf__failed(&name);
	strbuf__free(&name);
	return found;
}
