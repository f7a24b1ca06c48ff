// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/profile-progs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/prog/prog-list.h"
#include "util/machine/bpf/bpf-prog-code.h"
#include "util/machine/bpf/bpf-prog-type.h"
#include "util/machine/bpf/bpf-prog.h"

struct entry {
	const struct bpf_prog *prog; /* owned by profile_progs.list */
	struct bpf_code *code;
	int func; /* index of the selected function (ID:FUNCTION); -1: all functions */
};

/* A range of addresses, and the indexes of its program and function. */
struct owned_range {
	struct profile_range range;
	int prog, func;
};

struct profile_progs {
	struct prog_list list;
	int nr;
	struct entry *entries;
	uint32_t nr_ranges;
	struct owned_range *ranges; /* sorted by address */
};

/*
 * Returns whether samples in this program may be missing. While a program of a perf event,
 * tracepoint or kprobe runs, the kernel does not run the sampling program (bpf_prog_active,
 * kernel/trace/bpf_trace.c). Programs of uprobes can be sampled, but pstat cannot distinguish them
 * from programs of kprobes, which have the same type.
 */
static bool may_hide_samples(const struct bpf_prog *prog)
{
	return prog->type == BPF_PROG_TYPE_KPROBE || prog->type == BPF_PROG_TYPE_TRACEPOINT ||
	       prog->type == BPF_PROG_TYPE_PERF_EVENT;
}

static void warn_of_hidden(const struct bpf_prog *prog)
{
	struct strbuf type = STRBUF_INIT;

	bpf_prog_type__add_name(prog->type, &type);
	pr_warn("-b: program %u (%s) has no samples unless it is attached to a uprobe: while the "
		"kernel runs a program of type %s, it does not run the BPF program that takes the "
		"samples",
		prog->id, prog->name, type.text);
	strbuf__free(&type);
}

/*
 * Sets *@func to the index of the function that the user selected, or to -1 for the whole program.
 * The function is identified by its BTF id, because several static functions can have the same
 * name.
 */
static int find_func(const struct bpf_prog *prog, const struct bpf_code *code, int *func,
		     struct strbuf *why)
{
	*func = -1;
	if (!strchr(prog->name, ':'))
		return 0;
	for (uint32_t i = 0; i < code->nr_funcs; i++) {
		if (!code->funcs[i].btf_id || code->funcs[i].btf_id != prog->func_btf_id)
			continue;
		*func = (int)i;
		return 0;
	}
	return reason__set(why, -ENOENT,
			   "-b: program %u (%s): the kernel does not reveal where the code of this "
			   "function is\n"
			   "choose the whole program (-b %u)",
			   prog->id, prog->name, prog->id);
}

static int read_entry(struct entry *entry, const struct bpf_prog *prog, struct strbuf *why)
{
	struct strbuf no_code = STRBUF_INIT;
	int err = bpf_code__read(prog, &entry->code, &no_code);

	entry->prog = prog;
	entry->func = -1;
	reason__set(why, err, "-b: %s", no_code.text);
	if (!err && may_hide_samples(prog))
		warn_of_hidden(prog);
	strbuf__free(&no_code);
	return err ?: find_func(prog, entry->code, &entry->func, why);
}

static int read_all(struct profile_progs *progs)
{
	int err = 0;

	progs->entries = calloc((size_t)progs->list.nr + 1, sizeof(*progs->entries));
	if (!progs->entries)
		return -ENOMEM;
	for (int i = 0; !err && i < progs->list.nr; i++) {
		err = read_entry(&progs->entries[i], progs->list.entries[i].target.prog,
				 progs->list.why);
		progs->nr++;
		/* omit an interpreted program if only a pattern (prog-list.h) selects it */
		if (err == -ENOEXEC && progs->list.entries[i].by_pattern) {
			pr_warn("%s", reason__text(progs->list.why, err));
			strbuf__reset(progs->list.why);
			progs->nr--;
			prog_list__drop(&progs->list, i--);
			err = 0;
		}
	}
	return err;
}

/* ---- ranges ---- */

static int by_start(const void *left, const void *right)
{
	const struct owned_range *a = left, *b = right;

	return a->range.start < b->range.start ? -1 : a->range.start > b->range.start;
}

static uint32_t count_funcs(const struct profile_progs *progs)
{
	uint32_t nr = 0;

	for (int i = 0; i < progs->nr; i++)
		nr += progs->entries[i].code->nr_funcs;
	return nr;
}

static int make_ranges(struct profile_progs *progs)
{
	progs->ranges = calloc((size_t)count_funcs(progs) + 1, sizeof(*progs->ranges));
	if (!progs->ranges)
		return -ENOMEM;
	for (int i = 0; i < progs->nr; i++) {
		const struct entry *entry = &progs->entries[i];

		for (uint32_t func = 0; func < entry->code->nr_funcs; func++) {
			const struct bpf_code_func *at = &entry->code->funcs[func];

			if (entry->func >= 0 && entry->func != (int)func)
				continue;
			progs->ranges[progs->nr_ranges++] = (struct owned_range){
				.range = { .start = at->addr, .end = at->addr + at->len },
				.prog = i,
				.func = (int)func,
			};
		}
	}
	if (!progs->nr_ranges)
		return reason__set(
			progs->list.why, -ENOEXEC,
			"-b: none of these programs is compiled (JIT), so they cannot be sampled");
	qsort(progs->ranges, progs->nr_ranges, sizeof(*progs->ranges), by_start);
	return 0;
}

int profile_progs__find(const struct prog_selection *selection, struct profile_progs **out,
			struct strbuf *why)
{
	struct profile_progs *progs = calloc(1, sizeof(*progs));
	int err;

	*out = NULL;
	if (!progs)
		return -ENOMEM;
	progs->list.selection = selection;
	progs->list.why = why;
	progs->list.unchecked = true;
	err = prog_list__find(&progs->list, false);
	err = err ?: read_all(progs);
	err = err ?: make_ranges(progs);
	if (err)
		profile_progs__free(progs);
	else
		*out = progs;
	return err;
}

void profile_progs__free(struct profile_progs *progs)
{
	if (!progs)
		return;
	for (int i = 0; i < progs->nr; i++)
		bpf_code__free(progs->entries[i].code);
	free(progs->entries);
	free(progs->ranges);
	prog_list__free(&progs->list);
	free(progs);
}

int profile_progs__nr(const struct profile_progs *progs)
{
	return progs->nr;
}

struct profile_prog profile_progs__at(const struct profile_progs *progs, int prog)
{
	const struct entry *entry = &progs->entries[prog];

	return (struct profile_prog){
		.id = entry->prog->id,
		.name = entry->prog->name,
		.code = entry->code,
		.func = entry->func,
	};
}

uint32_t profile_progs__nr_ranges(const struct profile_progs *progs)
{
	return progs->nr_ranges;
}

struct profile_range profile_progs__range(const struct profile_progs *progs, uint32_t nr)
{
	return progs->ranges[nr].range;
}

static bool find_range(const struct profile_progs *progs, uint64_t ip, struct profile_place *place)
{
	uint32_t low = 0, high = progs->nr_ranges;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct owned_range *at = &progs->ranges[middle];

		if (ip < at->range.start) {
			high = middle;
		} else if (ip >= at->range.end) {
			low = middle + 1;
		} else {
			*place = (struct profile_place){
				.ip = ip,
				.prog = at->prog,
				.func = at->func,
				.line = bpf_code__line_at(progs->entries[at->prog].code, ip),
			};
			return true;
		}
	}
	return false;
}

/*
 * Returns whether the entries @a and @b of code->lines belong to the same source line. If @a or @b
 * is -1 (unknown), returns whether both are -1. A source line can have several entries, because its
 * machine code can be in several places.
 */
static bool is_same_line(const struct bpf_code *code, int a, int b)
{
	if (a < 0 || b < 0)
		return a == b;
	return code->lines[a].line == code->lines[b].line &&
	       !strcmp(code->lines[a].file, code->lines[b].file);
}

int profile_progs__locate(const struct profile_progs *progs, const struct profile_frames *frames,
			  struct profile_place places[PROFILE_MOST_FRAMES])
{
	int nr = 0;

	for (int i = 0; i < frames->nr && i < PROFILE_MOST_FRAMES; i++) {
		struct profile_place *place = &places[nr];

		if (!find_range(progs, frames->ips[i], place))
			continue;
		place->is_self = !i && !frames->in_callee;
		place->is_first_line = place->is_first_func = true;
		for (int inner = 0; inner < nr; inner++) {
			if (places[inner].prog != place->prog || places[inner].func != place->func)
				continue;
			place->is_first_func = false;
			if (is_same_line(progs->entries[place->prog].code, places[inner].line,
					 place->line))
				place->is_first_line = false;
		}
		nr++;
	}
	return nr;
}
