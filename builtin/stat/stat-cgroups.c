// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/fd-limit.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup/cgroup-dir.h"
#include "util/machine/cgroup/cgroup-list.h"
#include "util/machine/cgroup/cgroup.h"

/* Finds the cgroup @name. Opens the cgroup if it is not open yet. */
static int find_cgroup(struct stat_options *options, const char *name, struct cgroup **cgroup)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup **opened;
	int err;

	for (int i = 0; i < options->nr_cgroups; i++) {
		*cgroup = options->opened_cgroups[i];
		if (!strcmp((*cgroup)->name, name))
			return 0;
	}
	opened = realloc(options->opened_cgroups,
			 sizeof(*opened) * ((size_t)options->nr_cgroups + 1));
	if (!opened)
		return command__out_of_memory();
	options->opened_cgroups = opened;
	err = options->cgroup_mount.dir ?
		      0 :
		      cgroup_mount__find(sysroots__host(), &options->cgroup_mount, &why);
	err = err ?: cgroup__open(&options->cgroup_mount, name, cgroup, &why);
	if (err)
		pr_err("-G %s: %s", name, why.len ? why.text : strerror(-err));
	else
		opened[options->nr_cgroups++] = *cgroup;
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

void stat_cgroups__set(struct stat_options *options, int first, const struct cgroup *cgroup)
{
	for (int event = first; event < options->evlist->nr; event++)
		options->evlist->entries[event]->cgroup = cgroup;
}

static int give_cgroup(struct stat_options *options, const char *name, int event)
{
	struct cgroup *cgroup;
	int code;

	if (event >= options->evlist->nr) {
		pr_err("-G %s: there are more cgroups than events: the first cgroup is for "
		       "the first event, and so on",
		       name);
		return EXIT_USAGE;
	}
	code = find_cgroup(options, name, &cgroup);
	if (!code)
		options->evlist->entries[event]->cgroup = cgroup;
	return code;
}

/*
 * Gives the cgroups in @list to events. The names in all -G options form one sequence. The n-th
 * name applies to the n-th event. If the name is empty, the event has no cgroup. If the sequence
 * contains only one name, the name applies to all events before the -G option.
 */
int stat_cgroups__add(struct stat_options *options, const char *list, int *given)
{
	char *words = strdup(list), *rest = words, *word;
	int code = words ? 0 : command__out_of_memory();

	if (!code && !options->evlist->nr) {
		pr_err("-G %s: give the events (-e) before -G", log__value(list));
		code = EXIT_USAGE;
	}
	/* a second name follows, so the first name now applies only to the first event */
	if (!code && *given == 1)
		stat_cgroups__set(options, 1, NULL);
	while (!code && (word = strsep(&rest, ","))) {
		if (*word)
			code = give_cgroup(options, word, *given);
		++*given;
	}
	if (!code && *given == 1)
		stat_cgroups__set(options, 1, options->evlist->entries[0]->cgroup);
	free(words);
	return code;
}

/*
 * Returns whether pstat counts runs of programs (-b) or scopes (--scope). In this case, pstat's BPF
 * programs check whether the current task is in one of the cgroups in a map. pstat can add a cgroup
 * to this map only through an open file descriptor of the cgroup.
 */
static bool counts_runs(const struct stat_options *options)
{
	return options->count.progs || options->count.scopes;
}

/*
 * Returns whether pstat must keep the directory of each cgroup open. This is not necessary with
 * --bpf-counters if neither -b nor --scope is given, because pstat then identifies cgroups by their
 * IDs.
 */
static bool wants_fds(const struct raw_options *raw)
{
	return !raw->to->count.bpf_counters || counts_runs(raw->to);
}

/*
 * Raises the limit on open files, so that @nr cgroups can be open at the same time. Returns 0, or
 * EXIT_FAILED after reporting that the limit is too low.
 */
static int make_room(int nr)
{
	uint64_t needed, allowed;

	if (!fd_limit__make_room((uint64_t)nr, &needed, &allowed))
		return 0;
	pr_err("--for-each-cgroup: %d cgroups need %llu open files, but this process may open "
	       "only %llu\n"
	       "raise the limit (ulimit -n %llu), or use --bpf-counters, which needs no file "
	       "per cgroup",
	       nr, (unsigned long long)needed, (unsigned long long)allowed,
	       (unsigned long long)needed);
	return EXIT_FAILED;
}

static int list_cgroups(struct stat_options *options, const char *text, struct cgroup_list *list)
{
	struct strbuf why = STRBUF_INIT;
	int err = cgroup_mount__find(sysroots__host(), &options->cgroup_mount, &why);

	err = err ?: cgroup_list__parse(&options->cgroup_mount, text, list, &why);
	if (err)
		pr_err("--for-each-cgroup %s: %s", log__value(text),
		       why.len ? why.text : strerror(-err));
	else if (list->too_long)
		pr_warn("--for-each-cgroup: cgroups whose paths are longer than %d bytes (number: "
			"%d) are left out, and so are the cgroups below them",
			CGROUP_PATH_MOST, list->too_long);
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

/*
 * Opens a cgroup. If a pattern found the cgroup (@found), but the cgroup no longer exists, skips it
 * and returns 0.
 */
static int open_cgroup(struct stat_options *options, const char *name, bool found)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup *cgroup;
	int err = cgroup__open(&options->cgroup_mount, name, &cgroup, &why);

	if (!err)
		options->opened_cgroups[options->nr_cgroups++] = cgroup;
	else if (found && err == -ENOENT)
		err = 0;
	else
		pr_err("--for-each-cgroup %s: %s", name, why.len ? why.text : strerror(-err));
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

void stat_cgroups__close_unused(struct stat_options *options)
{
	const struct evsel *evsel;

	if (counts_runs(options))
		return;
	evlist__for_each(options->evlist, evsel)
		if (evsel->tool == TOOL_NONE && !evsel->bpf_counter && !options->count.bpf_counters)
			return;
	for (int i = 0; i < options->nr_cgroups; i++)
		cgroup__close_fd(options->opened_cgroups[i]);
}

/*
 * For --cgroup-follow: checks and stores the list of --for-each-cgroup. pstat finds the cgroups
 * later, while it counts.
 */
static int begin_to_follow(struct stat_options *options, const char *text)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup_patterns *patterns = NULL;
	int err = cgroup_mount__find(sysroots__host(), &options->cgroup_mount, &why);

	err = err ?: cgroup_patterns__new(text, &patterns, &why);
	cgroup_patterns__free(patterns);
	if (err)
		pr_err("--for-each-cgroup %s: %s", log__value(text),
		       why.len ? why.text : strerror(-err));
	strbuf__free(&why);
	options->count.cgroup_follow = text;
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

int stat_cgroups__for_each(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct cgroup_list list = CGROUP_LIST_INIT;
	int code;

	if (raw->cgroup_follow)
		return begin_to_follow(options, raw->for_each_cgroup);
	code = list_cgroups(options, raw->for_each_cgroup, &list);
	if (!code && wants_fds(raw))
		code = make_room(list.nr);
	if (!code) {
		options->opened_cgroups =
			calloc((size_t)list.nr + 1, sizeof(*options->opened_cgroups));
		code = options->opened_cgroups ? 0 : command__out_of_memory();
	}
	for (int i = 0; !code && i < list.nr; i++) {
		code = open_cgroup(options, list.names[i], list.by_pattern);
		if (!code && !wants_fds(raw) && options->nr_cgroups)
			cgroup__close_fd(options->opened_cgroups[options->nr_cgroups - 1]);
	}
	if (!code && !options->nr_cgroups) {
		pr_err("--for-each-cgroup %s: all matching cgroups were removed before the "
		       "count began",
		       raw->for_each_cgroup);
		code = EXIT_USAGE;
	}
	options->count.each_cgroup = options->opened_cgroups;
	options->count.nr_each_cgroup = options->nr_cgroups;
	cgroup_list__free(&list);
	return code;
}
