// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/why/why-bpf.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "builtin/progs/prog-chosen.h"
#include "builtin/stat/stat-options.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/prog/prog-check.h"
#include "util/count/scope/scope-func-probes.h"
#include "util/count/share/gate-links.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/bpf/bpf-prog-links.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/report/column.h"

#define WHY_BPF(key, member, ...) COLUMN(IN_JSON, key, struct why_bpf_row, member, __VA_ARGS__)

const struct column why_bpf_columns[] = {
	WHY_BPF("what", what),
	WHY_BPF("works", works),
	WHY_BPF("cause", cause, .optional = true),
	WHY_BPF("remedy", remedy, .optional = true),
	{ 0 },
};

void why_bpf_row__add_text(const struct why_bpf_row *row, struct strbuf *sb)
{
	strbuf__addf(sb, "%s: %s\n", row->what,
		     row->works ? "can be counted" : "cannot be counted");
	if (row->cause)
		strbuf__addf(sb, "  %-12s %s\n", "cause", row->cause);
	if (row->remedy)
		strbuf__addf(sb, "  %-12s %s\n", "what to do", row->remedy);
}

/* ---- ways of counting ---- */

static const struct way {
	const struct counter_backend *backend;
	const char *what;
	bool by_id;	     /* the backend opens BPF programs by their ids */
	const char *instead; /* advice if this way does not work; may be NULL */
	/*
	 * Tests the scopes that the user selected, after the backend's probe() has succeeded.
	 * Returns 0, or -errno after storing the reason in @why (see split_reason()). NULL: there
	 * is no test.
	 */
	int (*test)(const struct stat_config *cfg, struct strbuf *why);
} ways[] = {
	{ .backend = &backend_prog,
	  .what = "runs of BPF programs (-b)",
	  .by_id = true,
	  .instead = "use -b only for the number and the time of runs, which the kernel's "
		     "statistics contain" },
	{ .backend = &backend_scope, .what = "scopes (--scope)", .test = scope_func_probes__test },
	{ .backend = &backend_bperf, .what = "counters in BPF (:b, --bpf-counters)" },
	{ .backend = &backend_cgroup, .what = "cgroups in BPF (--for-each-cgroup)" },
	{ .backend = &backend_profile, .what = "samples (pstat profile)" },
};

static bool is_needed(const struct stat_options *options, const struct way *way)
{
	const struct evsel *evsel;

	evlist__for_each(options->evlist, evsel)
		if (backend__for(evsel, &options->count) == way->backend)
			return true;
	return false;
}

/* Runs the test of @way, if there is one, and tests the points of --start and --stop. */
static int test_selected(const struct way *way, const struct stat_config *cfg, struct strbuf *why)
{
	int err = way->test ? way->test(cfg, why) : 0;

	return err ?: gate_links__test(cfg->points, why);
}

/*
 * Splits the reason @text. The first line is the cause; a prefix such as "--scope: " is left out.
 * The other lines, if any, are the remedy.
 */
static void split_reason(char *text, struct why_bpf_row *row)
{
	const char *option = strncmp(text, "--", 2) ? NULL : strstr(text, ": ");
	char *newline = strchr(text, '\n');

	if (newline) {
		*newline = '\0';
		row->remedy = newline + 1;
	}
	row->cause = option ? option + strlen(": ") : text;
}

/* Passes a row for @way to @fn. Returns whether this user can count in this way on this kernel. */
static bool test_way(const struct way *way, const struct stat_config *cfg, why_bpf_fn fn, void *ctx)
{
	struct strbuf cause = STRBUF_INIT, tested = STRBUF_INIT;
	int err = way->backend->probe ? way->backend->probe(&cause) : 0;
	struct why_bpf_row row = { .what = way->what };

	if (err)
		row.cause = reason__text(&cause, err);
	else if ((err = test_selected(way, cfg, &tested)) && tested.len)
		split_reason(tested.text, &row);
	row.works = !err;
	if ((err == -EPERM && geteuid()) || privileges__filter_refuses_bpf(err))
		row.remedy = privileges__bpf_advice(way->by_id);
	else if (err && !row.remedy)
		row.remedy = way->instead;
	fn(ctx, &row);
	strbuf__free(&cause);
	strbuf__free(&tested);
	return !err;
}

/* ---- programs ---- */

static void test_prog(struct bpf_prog *prog, const struct prog_links *links, why_bpf_fn fn,
		      void *ctx)
{
	struct strbuf what = STRBUF_INIT, cause = STRBUF_INIT, remedy = STRBUF_INIT;
	struct why_bpf_row row = { 0 };

	strbuf__addf(&what, "BPF program %u ", prog->id);
	strbuf__add_clean(&what, prog->name);
	row.works = !prog_check(prog, links, &cause, &remedy);
	row.what = what.text;
	row.cause = !row.works && cause.len ? cause.text : NULL;
	row.remedy = !row.works && remedy.len ? remedy.text : NULL;
	fn(ctx, &row);
	strbuf__free(&what);
	strbuf__free(&cause);
	strbuf__free(&remedy);
}

static int test_progs(const struct stat_options *options, why_bpf_fn fn, void *ctx,
		      struct strbuf *why)
{
	struct prog_links links = { 0 };
	uint32_t id = 0;
	int err = prog_links__read(&links) == -ENOMEM ? -ENOMEM : 0;

	while (!err && !(err = bpf_prog__next_id(id, &id))) {
		struct strbuf reason = STRBUF_INIT;
		struct bpf_prog *prog;
		int gone = bpf_prog__peek(id, &prog, &reason);

		if (!gone && prog_chosen(prog, options->progs) &&
		    !bpf_prog__read_func(prog, NULL, &reason))
			test_prog(prog, &links, fn, ctx);
		bpf_prog__close(prog);
		strbuf__free(&reason);
	}
	prog_links__free(&links);
	if (err == -EPERM)
		return reason__set(why, err, "BPF programs cannot be listed: %s\n%s",
				   privileges__bpf_reason(true), privileges__bpf_advice(true));
	return err == -ENOENT ? 0 : err;
}

int why_bpf__each(const struct stat_options *options, why_bpf_fn fn, void *ctx, struct strbuf *why)
{
	bool works = true;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (is_needed(options, &ways[i]))
			works &= test_way(&ways[i], &options->count, fn, ctx);
	/* if a way does not work, skip the programs: they would all fail for the same reason */
	return works && options->progs && !options->count.sampling ?
		       test_progs(options, fn, ctx, why) :
		       0;
}
