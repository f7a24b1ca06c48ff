// SPDX-License-Identifier: GPL-2.0-only
/* For --version -vv: finds out whether pstat can count scopes on this kernel. */
#include "util/count/scope/scope-probe.h"

#include <string.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"
#include "util/count/stat-config.h"
#include "util/machine/cpu/cpumap.h"

/* Adds the first line of @why to @why_not, but omits "--scope: " at the beginning of the line. */
static void store_reason(const struct strbuf *why, int err, struct strbuf *why_not)
{
	const char *text = reason__text(why, err), *option = "--scope: ";

	if (!strncmp(text, option, strlen(option)))
		text += strlen(option);
	strbuf__addf(why_not, "%.*s", (int)strcspn(text, "\n"), text);
}

int scope_probe(struct strbuf *why_not)
{
	const struct scope_shape shape = {
		.nr_cpus = 1, .nr_rows = 1, .nr_sets = 1, .hist_word = -1, .outlier_word = -1
	};
	const struct stat_config cfg = { .argv = NULL };
	struct strbuf why = STRBUF_INIT;
	struct cpumap no_cpus = { .nr = 0 };
	struct backend_group no_events = { .cpus = &no_cpus, .why = &why };
	struct scope_programs programs;
	int err;

	scope_programs__init(&programs);
	err = scope_programs__load(&programs, &shape, &no_events, NULL, &cfg);
	err = err ?: scope_programs__watch(&programs, &why);
	if (err)
		store_reason(&why, err, why_not);
	else
		strbuf__adds(why_not, programs.multi ? " (uprobe_multi: many points of a file are "
						       "attached at once)" :
						       " (no uprobe_multi: points are attached one "
						       "by one)");
	scope_programs__free(&programs);
	strbuf__free(&why);
	return err;
}
