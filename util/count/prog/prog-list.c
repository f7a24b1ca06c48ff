// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/count/fd-limit.h"
#include "util/count/prog/prog-check.h"
#include "util/machine/bpf/bpf-prog-facts.h"
#include "util/machine/bpf/bpf-prog-select.h"
#include "util/machine/bpf/bpf-prog.h"

/*
 * An upper bound for the number of open files per counted program: the program itself, the pair of
 * programs that count it, and the maps and links of this pair.
 */
#define FILES_PER_PROG 24
/* make_room() tries to make room for this number of additional programs at once */
#define ROOM_STEP 32

/* Returns whether an entry of the list has the same program and the same function as @prog. */
static bool has(const struct prog_list *list, const struct bpf_prog *prog)
{
	for (int i = 0; i < list->nr; i++) {
		const struct bpf_prog *other = list->entries[i].target.prog;

		if (other->id == prog->id && other->func_btf_id == prog->func_btf_id)
			return true;
	}
	return false;
}

static int nr_not_loaded(const struct prog_list *list)
{
	int nr = 0;

	for (int i = 0; i < list->nr; i++)
		nr += !list->entries[i].target.skel && !list->entries[i].target.stats;
	return nr;
}

/*
 * If necessary, raises the limit on open files, so that it is high enough for at least one more
 * program and for the entries whose files are not open yet. Returns 0, or -errno with the reason in
 * list->why.
 */
static int make_room(struct prog_list *list)
{
	uint64_t needed = 0, allowed = 0;
	uint64_t waiting = (uint64_t)nr_not_loaded(list);
	int step = ROOM_STEP, err;

	if (list->nr < list->room)
		return 0;
	err = fd_limit__make_room((waiting + ROOM_STEP) * FILES_PER_PROG, &needed, &allowed);
	if (err) {
		step = 1;
		err = fd_limit__make_room((waiting + 1) * FILES_PER_PROG, &needed, &allowed);
	}
	if (!err)
		list->room = list->nr + step;
	return reason__set(list->why, err,
			   "-b: %d programs need %" PRIu64
			   " open files, but this process may open only %" PRIu64
			   "\nraise the limit (ulimit -n %" PRIu64 "), or choose fewer programs",
			   list->nr + 1, needed, allowed, needed);
}

static int grow(struct prog_list *list)
{
	struct prog_entry *bigger =
		realloc(list->entries, sizeof(*bigger) * ((size_t)list->nr + 1));

	if (!bigger)
		return -ENOMEM;
	list->entries = bigger;
	return 0;
}

/*
 * Adds a program, unless the list already has it. Takes ownership of @prog and @stats, even on
 * error.
 */
static int add(struct prog_list *list, struct bpf_prog *prog, struct prog_stats *stats,
	       bool by_pattern)
{
	struct prog_target target = { .prog = prog, .stats = stats };
	bool there = has(list, prog);
	int err = there ? 0 : make_room(list);

	err = err ?: grow(list);
	if (there || err)
		prog_target__close(&target);
	else
		list->entries[list->nr++] = (struct prog_entry){ .target = target,
								 .by_pattern = by_pattern,
								 .row = -1 };
	return err;
}

void prog_list__drop(struct prog_list *list, int place)
{
	prog_target__close(&list->entries[place].target);
	list->nr--;
	memmove(&list->entries[place], &list->entries[place + 1],
		sizeof(list->entries[0]) * (size_t)(list->nr - place));
}

void prog_list__free(struct prog_list *list)
{
	while (list->nr)
		prog_list__drop(list, list->nr - 1);
	free(list->entries);
	free(list->left_out_why);
	prog_pending__free(&list->pending);
	prog_stats_keeper__free(list->keeper);
	list->keeper = NULL;
	list->entries = NULL;
	list->left_out_why = NULL;
}

/* ---- programs that the user named ---- */

static int open_named(const struct prog_selector *selector, struct bpf_prog **prog,
		      struct strbuf *why)
{
	if (selector->by == PROG_SELECT_PINNED)
		return bpf_prog__peek_pinned(selector->word, prog, why);
	return bpf_prog__peek(selector->id, prog, why);
}

/*
 * Call this after prog_check() has refused @prog with @err and the reason @why. Returns a struct
 * prog_stats for @prog. Returns NULL if the kernel's statistics cannot count @prog, must not be
 * used, or cannot be enabled, or if memory ran out.
 */
static struct prog_stats *stats_of(struct prog_list *list, const struct bpf_prog *prog, int err,
				   const char *why)
{
	if (list->stats == PROG_STATS_NEVER || !prog_stats__can(prog, err) ||
	    prog_stats_keeper__start(&list->keeper))
		return NULL;
	return prog_stats__new(why);
}

/*
 * Checks whether @prog can be counted. Sets *@stats to a struct prog_stats if only the kernel's
 * statistics can count @prog, otherwise to NULL.
 */
static int check(struct prog_list *list, const struct bpf_prog *prog, struct prog_stats **stats,
		 struct strbuf *why, struct strbuf *advice)
{
	int err = list->unchecked ?
			  0 :
			  prog_check(prog, prog_pending__links(&list->pending), why, advice);

	*stats = err ? stats_of(list, prog, err, why->text) : NULL;
	if (err && !*stats && list->why_no_stats && prog_stats__can(prog, err))
		strbuf__addf(advice, "; the kernel's statistics cannot be used instead: %s",
			     list->why_no_stats);
	return *stats ? 0 : err;
}

static int add_named(struct prog_list *list, const struct prog_selector *selector)
{
	const char *func = selector->by == PROG_SELECT_ID ? selector->word : NULL;
	struct strbuf why = STRBUF_INIT, advice = STRBUF_INIT;
	struct prog_stats *stats = NULL;
	struct bpf_prog *prog;
	int err = open_named(selector, &prog, &why);

	err = err ?: bpf_prog__read_func(prog, func, &why);
	if (err == -ENOENT || (err == -EINVAL && selector->by == PROG_SELECT_PINNED))
		err = -ESTALE;
	reason__set(list->why, err, "-b %s: %s", selector->text,
		    why.len ? why.text : strerror(-err));
	if (!err) {
		err = check(list, prog, &stats, &why, &advice);
		reason__set(list->why, err, "-b %s (%s): %s\n%s", selector->text, prog->name,
			    why.text, advice.text);
	}
	if (err)
		bpf_prog__close(prog);
	else
		err = add(list, prog, stats, false);
	strbuf__free(&advice);
	strbuf__free(&why);
	return err;
}

/* ---- programs that match a pattern ---- */

/*
 * Returns whether patterns must skip @prog, because it is an fentry or fexit program for another
 * BPF program, or because its name has the prefix of the programs that pstat loads for checks.
 */
static bool is_watcher(const struct bpf_prog *prog)
{
	struct bpf_prog_facts facts;
	bool found = !strncmp(prog->cut_name, OWN_PROG_PREFIX, strlen(OWN_PROG_PREFIX));

	if (!found && !bpf_prog_facts__read(prog, &facts)) {
		found = facts.traces_a_prog;
		bpf_prog_facts__free(&facts);
	}
	return found;
}

/*
 * Returns whether any pattern matches @prog. If @means is not NULL, increments @means[i] for each
 * pattern that matches, where i is the index of the pattern in selection->selectors.
 */
static bool is_meant(const struct prog_selection *selection, struct bpf_prog *prog, int *means)
{
	bool meant = false;

	for (int i = 0; i < selection->nr && (means || !meant); i++) {
		const struct prog_selector *selector = &selection->selectors[i];

		if (!prog_selector__is_pattern(selector) || !bpf_prog__matches(prog, selector))
			continue;
		meant = true;
		if (means)
			means[i]++;
	}
	return meant;
}

/*
 * Reports that @prog is omitted. Keeps @why if @prog is the first omitted program. Counts replaced
 * programs separately: a replaced program does not run, so omitting it loses no counts.
 */
static void leave_out(struct prog_list *list, const struct bpf_prog *prog, const char *why,
		      bool is_replaced)
{
	pr_info("-b: program %u (%s) is left out: %s", prog->id, prog->name ?: prog->cut_name, why);
	if (!list->left_out_why)
		list->left_out_why = strdup(why);
	if (is_replaced)
		list->replaced++;
	else
		list->left_out++;
}

/*
 * If @prog must not be touched yet (prog-pending.h), puts it aside. If @prog cannot be counted,
 * omits it. Otherwise, adds it to the list. Takes ownership of @prog.
 */
static int add_found(struct prog_list *list, struct bpf_prog *prog)
{
	struct strbuf why = STRBUF_INIT, advice = STRBUF_INIT;
	struct prog_stats *stats = NULL;
	int err = bpf_prog__read_func(prog, NULL, &why);
	int aside = err || list->unchecked || has(list, prog) ?
			    0 :
			    prog_pending__put_aside(&list->pending, prog);

	err = err ?: aside ? 0 : check(list, prog, &stats, &why, &advice);
	if (aside) {
		bpf_prog__close(prog);
		err = aside < 0 ? aside : 0;
	} else if (err) {
		leave_out(list, prog, why.text, err == -EBUSY);
		bpf_prog__close(prog);
		err = err == -ENOMEM ? err : 0;
	} else {
		err = add(list, prog, stats, true);
	}
	strbuf__free(&advice);
	strbuf__free(&why);
	return err;
}

/*
 * Calls add_found() for the program @id if a pattern matches it and is_watcher() does not exclude
 * it. Does nothing if the program has been unloaded.
 */
static int look_at(struct prog_list *list, uint32_t id, int *means)
{
	struct strbuf why = STRBUF_INIT;
	struct bpf_prog *prog;
	int err = bpf_prog__peek(id, &prog, &why);

	if (!err && !is_watcher(prog) && is_meant(list->selection, prog, means))
		err = add_found(list, prog);
	else
		bpf_prog__close(prog);
	if (err != -ENOENT && why.len)
		reason__set(list->why, err, "-b: %s", why.text);
	strbuf__free(&why);
	return err == -ENOENT ? 0 : err;
}

/*
 * Calls look_at() for the programs in list->pending. After an error, the program that caused the
 * error and all later programs stay in list->pending.
 */
static int look_at_pending(struct prog_list *list)
{
	uint32_t *ids;
	int nr = prog_pending__take(&list->pending, &ids), err = 0;

	for (int i = 0; i < nr; i++) {
		err = err ?: look_at(list, ids[i], NULL);
		if (err && prog_pending__keep(&list->pending, ids[i]))
			err = -ENOMEM;
	}
	free(ids);
	return err;
}

static int look_at_all(struct prog_list *list, int *means)
{
	uint32_t id = list->last_id;
	int err = look_at_pending(list);

	while (!err) {
		err = bpf_prog__next_id(id, &id);
		if (err)
			break;
		list->last_id = id;
		err = look_at(list, id, means);
	}
	if (err == -EPERM)
		reason__set(list->why, err, "-b: BPF programs cannot be listed: %s\n%s",
			    privileges__bpf_reason(true), privileges__bpf_advice(true));
	return err == -ENOENT ? 0 : err;
}

/*
 * Returns 0 if every pattern matches a program. Otherwise, returns -ESTALE with the reason in
 * list->why: a pattern without a match may be misspelled.
 */
static int expect_some(const struct prog_list *list, const int *means)
{
	for (int i = 0; i < list->selection->nr; i++) {
		const struct prog_selector *selector = &list->selection->selectors[i];

		if (!prog_selector__is_pattern(selector) || means[i])
			continue;
		return reason__set(
			list->why, -ESTALE,
			"-b %s: no such BPF program is loaded\n"
			"see `pstat progs`%s",
			selector->text,
			list->unchecked ?
				"" :
				"; with --follow, pstat counts programs that are loaded later");
	}
	return 0;
}

/*
 * Waits until pstat may touch the programs in list->pending, so that they are counted from the
 * beginning. Then looks at these programs, and also at programs that were loaded during the wait,
 * because a loader may have unloaded an older program and loaded a new one in its place. A new
 * program that must not be touched yet is counted only with --follow.
 */
static int wait_for_pending(struct prog_list *list, int *means)
{
	int err;

	if (!list->pending.nr)
		return 0;
	err = prog_pending__wait(&list->pending);
	prog_pending__end_round(&list->pending);
	return err ?: look_at_all(list, means);
}

static int find_by_patterns(struct prog_list *list, bool may_be_none)
{
	int *means = calloc((size_t)list->selection->nr + 1, sizeof(*means));
	int err = means ? look_at_all(list, means) : -ENOMEM;

	err = err ?: wait_for_pending(list, means);
	if (!err && !may_be_none)
		err = expect_some(list, means);
	free(means);
	err = err ?: prog_list__check_stats(list);
	if (err)
		return err;
	if (!list->nr && !may_be_none)
		return reason__set(list->why, -EOPNOTSUPP,
				   "-b: none of these programs can be counted (%d): %s\n`pstat "
				   "progs` shows the reason for each",
				   list->left_out + list->replaced,
				   list->left_out_why ?: "they were unloaded");
	if (list->left_out)
		pr_warn("-b: programs that cannot be counted and are left out: %d; `pstat progs` "
			"prints the reasons",
			list->left_out);
	return 0;
}

int prog_list__find(struct prog_list *list, bool may_be_none)
{
	const struct prog_selection *selection = list->selection;
	bool patterns = false;
	int err = 0;

	for (int i = 0; !err && i < selection->nr; i++) {
		if (prog_selector__is_pattern(&selection->selectors[i]))
			patterns = true;
		else
			err = add_named(list, &selection->selectors[i]);
	}
	if (!err && patterns)
		err = find_by_patterns(list, may_be_none);
	else if (!err)
		err = prog_list__check_stats(list);
	prog_pending__end_round(&list->pending);
	return err;
}

int prog_list__find_new(struct prog_list *list)
{
	bool was_full = list->is_full;
	int err;

	if (was_full && list->nr >= list->room)
		return 0;
	err = look_at_all(list, NULL);
	prog_pending__end_round(&list->pending);
	list->is_full = err == -EMFILE;
	if (!list->is_full)
		return err;
	/* the next call looks again at the program for which there was no room */
	list->last_id--;
	if (!was_full) {
		pr_warn("%s", reason__text(list->why, err));
		pr_warn("--follow: programs that are loaded from now on are not counted until "
			"others are unloaded");
	}
	strbuf__reset(list->why);
	return 0;
}
