// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/number.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/bpf-prog-select.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

static int resolve_progs(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct strbuf why = STRBUF_INIT;
	int err;

	if (!raw->to->prog_text)
		return 0;
	err = prog_selection__parse(raw->to->prog_text, &options->progs, &why);
	if (err)
		pr_err("-b %s: %s", log__value(raw->to->prog_text),
		       why.len ? why.text : strerror(-err));
	options->count.progs = options->progs;
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

/* --follow needs a pattern, because an ID always selects the same program. */
static int resolve_follow(const struct raw_options *raw)
{
	const struct prog_selection *progs = raw->to->progs;

	if (!raw->to->count.follow_progs)
		return 0;
	for (int i = 0; i < progs->nr; i++)
		if (prog_selector__is_pattern(&progs->selectors[i]))
			return 0;
	pr_err("--follow and -b %s cannot be combined: no later program can have this ID: give "
	       "name:, tag:, type: or all",
	       raw->to->prog_text);
	return EXIT_CONFLICT;
}

static int resolve_cpus(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct cpumap *online = NULL;
	int err, code = 0;

	if (!raw->to->cpu_text)
		return 0;
	err = cpumap__parse(raw->to->cpu_text, &options->count.cpus);
	if (err == -ENOMEM)
		return command__out_of_memory();
	if (err) {
		struct strbuf why = STRBUF_INIT;

		cpumap__why_not(raw->to->cpu_text, &why);
		pr_err("-C %s: %s", log__value(raw->to->cpu_text), why.text);
		strbuf__free(&why);
		return EXIT_USAGE;
	}
	err = cpumap__online(sysroots__host(), &online);
	if (err) {
		pr_err("cannot read /sys/devices/system/cpu/online: %s%s", strerror(-err),
		       err == -ENOENT ? "\nmount sysfs (mount -t sysfs sysfs /sys)" : "");
		return EXIT_FAILED;
	}
	for (int i = 0; !code && i < options->count.cpus->nr; i++) {
		if (cpumap__index(online, options->count.cpus->ids[i]) < 0) {
			struct strbuf list = STRBUF_INIT;

			cpumap__format(online, &list);
			pr_err("-C %s: CPU %d is not online: the online CPUs are %s",
			       raw->to->cpu_text, options->count.cpus->ids[i], list.text);
			strbuf__free(&list);
			code = EXIT_USAGE;
		}
	}
	cpumap__free(online);
	return code;
}

static int resolve_tasks(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	const char *option = raw->to->pid_text ? "-p" : "-t",
		   *list = raw->to->pid_text ?: raw->to->tid_text;
	struct strbuf why = STRBUF_INIT;
	int err;

	if (!list)
		return 0;
	options->count.whole_processes = raw->to->pid_text != NULL;
	err = (raw->to->pid_text ? threadmap__of_pids : threadmap__of_tids)(
		sysroots__host(), list, &options->count.threads, &why);
	if (err)
		pr_err("%s %s: %s", option, log__value(list), why.len ? why.text : strerror(-err));
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

static void warn_of_no_names(void)
{
	enum procfs_tasks tasks = sysroots__procfs_tasks(sysroots__host());

	if (tasks != PROCFS_OWN)
		pr_warn("--per-thread: the names of the threads are unknown: %s",
			procfs_tasks__why_not(tasks));
}

/*
 * With --per-thread, counts all threads of the system, unless the target is threads (-p or -t) or a
 * command without -a. With -p or -t, warns if the names of the threads are unknown.
 */
static int resolve_all_threads(struct raw_options *raw)
{
	struct stat_config *cfg = &raw->to->count;
	int err;

	if (cfg->aggr_mode == AGGR_THREAD && cfg->threads)
		warn_of_no_names();
	if (cfg->aggr_mode != AGGR_THREAD || cfg->threads || (cfg->argv && !raw->to->all_cpus))
		return 0;
	err = threadmap__all(sysroots__host(), &cfg->threads);
	if (err) {
		enum procfs_tasks tasks = sysroots__procfs_tasks(sysroots__host());

		pr_err("--per-thread: cannot read the list of threads: %s",
		       tasks == PROCFS_OWN ? strerror(-err) : procfs_tasks__why_not(tasks));
		return EXIT_FAILED;
	}
	cfg->all_threads = true;
	return 0;
}

int stat_targets__resolve(struct raw_options *raw)
{
	struct stat_config *cfg = &raw->to->count;
	int code = resolve_progs(raw);

	code = code ?: resolve_follow(raw);
	code = code ?: resolve_cpus(raw);
	code = code ?: resolve_tasks(raw);
	if (raw->to->has_points)
		code = code ?: stat_points__resolve(raw);
	code = code ?: resolve_all_threads(raw);
	/* -n without events counts nothing, so programs and scopes are not needed */
	if (raw->to->null_run && !raw->has_events && !raw->to->metrics.given) {
		cfg->progs = NULL;
		cfg->scopes = NULL;
	}
	if (!cfg->all_threads)
		cfg->system_wide = raw->to->all_cpus || raw->to->cpu_text ||
				   (!cfg->argv && !cfg->threads && !cfg->progs && !cfg->scopes);
	return code;
}

/* ---- options that work only when CPUs are counted, or only when tasks are counted ---- */

static int refuse_pair(const char *one, const char *other, const char *why)
{
	pr_err("%s and %s cannot be combined: %s", one, other, why);
	return EXIT_CONFLICT;
}

/* Returns the option that requests rows by CPU, core, socket and so on, or NULL. */
static const struct option_row *cpu_mode(const struct raw_options *raw)
{
	if (!aggr_mode__is_by_cpu(raw->to->count.aggr_mode))
		return NULL;
	for_each_option_row(row)
		if (row->value.kind == OPTION_MODE && raw_options__given(raw, row))
			return row;
	return NULL;
}

/*
 * Refuses rows by CPU for tasks unless BPF counts all events, because only BPF can read the counts
 * of a task separately for each CPU.
 */
static int resolve_cpu_modes(const struct raw_options *raw)
{
	const struct option_row *mode = cpu_mode(raw);
	char name[OPTION_NAME_MAX];

	if (!mode || !stat_config__per_task(&raw->to->count) || raw->all_bpf)
		return 0;
	if (raw->to->pid_text || raw->to->tid_text)
		return refuse_pair(raw->to->pid_text ? "-p" : "-t", option_row__format(mode, name),
				   "the kernel does not keep the counts of a task for each CPU: "
				   "count all events through BPF (--bpf-counters)");
	return refuse_pair(option_row__format(mode, name), "COMMAND by itself",
			   "give -a or -C too, or count all events through BPF (--bpf-counters)");
}

int stat_targets__check(struct raw_options *raw)
{
	struct stat_config *cfg = &raw->to->count;
	const char *cgroups = raw_options__has_word(raw, WORD_CGROUP) ? "-G" :
			      raw->for_each_cgroup		      ? "--for-each-cgroup" :
									NULL;
	int code = resolve_cpu_modes(raw);

	if (code)
		return code;
	/*
	 * As in perf, an unsupported leader of an event group ends pstat only if there is a single
	 * repetition and --bpf-counters was not given. If there are more repetitions, perf prints
	 * the error in the first one, and counts the other events in all of them.
	 */
	cfg->needs_leaders = !cfg->bpf_counters && raw->to->runs == 1;
	if (cgroups && stat_config__per_task(cfg))
		return refuse_pair(cgroups, "COMMAND by itself", "give -a or -C too");
	/* with --scope, a command without -p, -t or -a does not select any threads */
	if (cfg->aggr_mode == AGGR_THREAD && !cfg->threads &&
	    (stat_config__counts_command(cfg) || cfg->scopes))
		return refuse_pair("--per-thread", "COMMAND by itself",
				   "the rows are for threads that exist at the start: give -p, "
				   "-t or -a too");
	return 0;
}
