// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat progs: lists the loaded BPF programs, and shows whether -b can count them
 * (util/count/prog/prog-check.h). util/report/prog-row.h defines the rows.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/progs/prog-chosen.h"
#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/bpf-util.h"
#include "util/count/prog/prog-check.h"
#include "util/count/prog/prog-stats.h"
#include "util/machine/bpf/bpf-prog-facts.h"
#include "util/machine/bpf/bpf-prog-links.h"
#include "util/machine/bpf/bpf-prog-select.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/output/row-writer.h"
#include "util/report/prog-row.h"

static const struct argp_option options_table[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 },
};

struct progs_options {
	bool json;
	struct strbuf list; /* the arguments as a list in the syntax of -b; empty: all programs */
};

/*
 * Adds a word to the list of selectors. The word is a pattern for names if it contains no colon,
 * does not begin with a digit, and is not `all`.
 */
static void take_word(void *to, char *word, struct argp_state *state)
{
	bool is_name = !strchr(word, ':') && !isdigit((unsigned char)*word) &&
		       strcmp(word, "all") != 0;
	struct progs_options *options = to;

	(void)state;
	if (options->list.len)
		strbuf__addc(&options->list, ',');
	strbuf__addf(&options->list, "%s%s", is_name ? "name:" : "", word);
}

static bool take_option(void *to, int key, char *arg)
{
	struct progs_options *options = to;

	(void)arg;
	options->json |= key == 'j';
	return key == 'j';
}

static const struct command_words command_line = {
	.options = options_table,
	.take_option = take_option,
	.take_word = take_word,
	.args_doc = "[GLOB|ID|name:GLOB|tag:HEX|type:NAME|pinned:PATH...]",
	.doc = "List the loaded BPF programs, and show whether `pstat -b` can count them.\v"
	       "GLOB is a pattern for names. Example:\n\n"
	       "  pstat progs 'xdp_*'\n",
};

struct progs {
	const struct prog_selection *selection;
	struct prog_holders processes, arrays;
	struct prog_links links;
	bool runs_are_kept;
	struct strbuf text;
	struct row_writer writer;
};

static int show(struct progs *progs, const struct bpf_prog *prog)
{
	struct strbuf why = STRBUF_INIT, advice = STRBUF_INIT;
	struct bpf_prog_facts facts;
	int err = bpf_prog_facts__read(prog, &facts);
	struct prog_row row = {
		.prog = prog,
		.facts = &facts,
		.processes = &progs->processes,
		.arrays = &progs->arrays,
		.id = prog->id,
		.uid = facts.uid,
		.name = prog->name,
		.run_cnt = facts.run_cnt,
		.run_time_ns = facts.run_time_ns,
		.misses = facts.misses,
		.runs_are_kept = progs->runs_are_kept,
		.replaced_by = prog_links__replacer(&progs->links, prog->id, prog->func_btf_id),
	};

	if (!err) {
		int refused = prog_check(prog, &progs->links, &why, &advice);

		row.is_countable = !refused;
		row.why_not = refused ? why.text : NULL;
		row.has_stats = !refused || prog_stats__can(prog, refused);
		row_writer__row(&progs->writer, prog_row_columns, &row);
	}
	bpf_prog_facts__free(&facts);
	strbuf__free(&why);
	strbuf__free(&advice);
	return err;
}

/*
 * Adds a row for the program @id if the user selected it. Skips a program that has been unloaded
 * since the kernel listed it.
 */
static int look_at(struct progs *progs, uint32_t id)
{
	struct strbuf why = STRBUF_INIT;
	struct bpf_prog *prog;
	int err = bpf_prog__peek(id, &prog, &why);

	if (!err && prog_chosen(prog, progs->selection))
		err = bpf_prog__read_func(prog, NULL, &why) ?: show(progs, prog);
	if (err && err != -ENOENT)
		pr_err("%s", why.len ? why.text : strerror(-err));
	bpf_prog__close(prog);
	strbuf__free(&why);
	return err == -ENOENT ? 0 : err;
}

static int for_each_prog(struct progs *progs)
{
	uint32_t id = 0;
	int err;

	while (!(err = bpf_prog__next_id(id, &id))) {
		err = look_at(progs, id);
		if (err)
			return err;
	}
	if (err == -EPERM)
		pr_err("BPF programs cannot be listed: %s\n%s", privileges__bpf_reason(true),
		       privileges__bpf_advice(true));
	else if (err != -ENOENT)
		pr_err("BPF programs cannot be listed: %s", strerror(-err));
	return err == -ENOENT ? 0 : err;
}

/*
 * Finds the processes and prog arrays that hold BPF programs, and the links of programs, as far as
 * this user may see them. Then adds the rows.
 */
static int list_progs(struct progs *progs)
{
	int err = prog_holders__processes(sysroots__host(), &progs->processes);

	if (!err && prog_holders__prog_arrays(&progs->arrays) == -ENOMEM)
		err = -ENOMEM;
	if (!err && prog_links__read(&progs->links) == -ENOMEM)
		err = -ENOMEM;
	if (err)
		pr_err("out of memory");
	progs->runs_are_kept = bpf_prog_facts__are_kept(sysroots__host());
	return err ?: for_each_prog(progs);
}

static int print(const struct progs *progs)
{
	if (strbuf__failed(&progs->text))
		return log__out_of_memory();
	if (fputs(progs->text.text, stdout) >= 0 && !fflush(stdout))
		return 0;
	pr_err("cannot write the list: %s", strerror(errno));
	return -EIO;
}

static int run(const struct progs_options *options, const struct prog_selection *selection)
{
	struct progs progs = {
		.selection = selection,
		.text = STRBUF_INIT,
		.writer = {
			.format = options->json ? &row_json : &row_table,
			.text = &progs.text,
			.is_array = true,
			.lines = STRBUF_INIT,
		},
	};
	int err;

	bpf_util__init();
	row_writer__begin(&progs.writer, prog_row_columns);
	err = list_progs(&progs);
	row_writer__end(&progs.writer);
	if (!err && (options->json || progs.writer.nr))
		err = print(&progs);
	if (!err && !progs.writer.nr && options->list.len)
		pr_warn("%s: no such BPF program is loaded", options->list.text);
	prog_holders__free(&progs.processes);
	prog_holders__free(&progs.arrays);
	prog_links__free(&progs.links);
	strbuf__free(&progs.text);
	return err ? EXIT_FAILED : 0;
}

int command__progs(int argc, char **argv)
{
	struct progs_options options = { .list = STRBUF_INIT };
	struct prog_selection *selection = NULL;
	struct strbuf why = STRBUF_INIT;
	int code = command__parse(&command_line, "pstat progs", argc, argv, &options), err;

	if (!code && strbuf__failed(&options.list)) {
		pr_err("out of memory");
		code = EXIT_FAILED;
	}
	err = code ? 0 :
		     prog_selection__parse(options.list.len ? options.list.text : "all", &selection,
					   &why);
	if (err) {
		pr_err("%s", why.len ? why.text : strerror(-err));
		code = err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
	}
	code = code ?: run(&options, selection);
	prog_selection__free(selection);
	strbuf__free(&options.list);
	strbuf__free(&why);
	return code;
}
