// SPDX-License-Identifier: GPL-2.0-only
/* Resolves --scope: finds the points between which pstat counts. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope.h"
#include "util/machine/task/threadmap.h"

/* Returns whether the two threads have the same @file (a link in /proc/TID), as far as is known. */
static bool have_same(pid_t one, pid_t other, const char *file)
{
	const char *tasks = sysroots__tasks(sysroots__host());
	struct stat of_one, of_other;
	char path[128];

	snprintf(path, sizeof(path), "%s/%d/%s", tasks, one, file);
	if (stat(path, &of_one))
		return false;
	snprintf(path, sizeof(path), "%s/%d/%s", tasks, other, file);
	return !stat(path, &of_other) && of_one.st_dev == of_other.st_dev &&
	       of_one.st_ino == of_other.st_ino;
}

pid_t process_of_paths(const struct threadmap *threads)
{
	pid_t process;

	if (!threads || !threads->nr)
		return 0;
	for (int i = 1; i < threads->nr; i++)
		if (!have_same(threads->tids[0], threads->tids[i], "ns/mnt") ||
		    !have_same(threads->tids[0], threads->tids[i], "root"))
			return 0;
	process = threadmap__process_of(sysroots__host(), threads->tids[0]);
	return process > 0 ? process : threads->tids[0];
}

int resolve_scopes(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct scope_env env = { .roots = sysroots__host() };
	struct strbuf why = STRBUF_INIT;
	int err = 0;

	for (int i = 0; !err && i < raw->nr_words; i++) {
		if (raw->words[i].kind != WORD_SCOPE)
			continue;
		if (!options->scopes.nr)
			env.pid = process_of_paths(options->count.threads);
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
