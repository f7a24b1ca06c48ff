// SPDX-License-Identifier: GPL-2.0-only
/* Resolves --scope: finds the points between which pstat counts. */
#include <errno.h>
#include <stdlib.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope.h"
#include "util/machine/task/threadmap.h"

int resolve_scopes(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	const struct threadmap *threads = options->count.threads;
	/* paths are those that a single process sees, which can be in another mount namespace */
	const struct scope_env env = {
		.roots = sysroots__host(),
		.pid = threads && threads->nr == 1 ? threads->tids[0] : 0,
	};
	struct strbuf why = STRBUF_INIT;
	int err = 0;

	for (int i = 0; !err && i < raw->nr_words; i++) {
		if (raw->words[i].kind != WORD_SCOPE)
			continue;
		strbuf__addf(&options->scope_text, "%s%s", options->scope_text.len ? " " : "",
			     raw->words[i].text);
		err = scope_list__add(&options->scopes, &env, raw->words[i].text, &why);
	}
	if (err)
		pr_err("--scope %s", reason__text(&why, err));
	strbuf__free(&why);
	if (options->scopes.nr)
		options->count.scopes = &options->scopes;
	return err == -EINVAL || err == -E2BIG ? EXIT_USAGE : err ? EXIT_FAILED : 0;
}
