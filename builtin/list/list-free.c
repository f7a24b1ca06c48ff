// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/list/list-leaders.h"
#include "builtin/list/list-options.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/why/free-counters.h"
#include "util/event/parse-events.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"
#include "util/machine/task/threadmap.h"
#include "util/output/row-writer.h"
#include "util/report/column.h"

#define COMM_SIZE 64

struct counters_row {
	const char *pmu;
	const char *event; /* the event that was opened to find the number of free counters */
	int cpu, counters, free;
	const char *why; /* the reason if no event could be opened on this CPU; otherwise NULL */
};

static bool is_known(const void *row)
{
	return !((const struct counters_row *)row)->why;
}

#define COUNTERS(outputs, key, member, ...) \
	COLUMN(outputs, key, struct counters_row, member, __VA_ARGS__)

static const struct column counters_columns[] = {
	COUNTERS(IN_JSON | IN_TABLE, "pmu", pmu),
	COUNTERS(IN_JSON | IN_TABLE, "cpu", cpu, .right = true),
	COUNTERS(IN_JSON | IN_TABLE, "counters", counters, .right = true, .has = is_known),
	COUNTERS(IN_JSON | IN_TABLE, "free", free, .right = true, .has = is_known),
	COUNTERS(IN_JSON | IN_TABLE, "event", event),
	COUNTERS(IN_JSON | IN_TABLE, "error", why, .optional = true),
	{ 0 },
};

struct holder_row {
	int pid, events;
	char command[COMM_SIZE];
};

#define HOLDER(key, member, ...) \
	COLUMN(IN_JSON | IN_TABLE, key, struct holder_row, member, __VA_ARGS__)

static const struct column holder_columns[] = {
	HOLDER("pid", pid, .right = true),
	HOLDER("events", events, .right = true),
	{ .in = IN_JSON | IN_TABLE,
	  .name = "command",
	  .kind = COLUMN_CHARS,
	  COLUMN_AT(struct holder_row, command) },
	{ 0 },
};

struct lister {
	const struct list_options *options;
	const struct sysroots *roots;
	struct event_env env;
	struct cpumap *online;
	struct leader_rows leaders;
	struct strbuf text;
	struct row_writer writer;
	int nr_pmus; /* the number of PMUs whose counters are listed */
	/*
	 * `nr_refused`: number of PMUs whose events cannot be opened because the user lacks
	 * permission or a limit on open files is reached; `refused`: the -errno for the last of
	 * these PMUs
	 */
	int nr_refused, refused;
};

/*
 * Lists the counters of a PMU on each online CPU on which events of the PMU can be counted. Some
 * PMUs can count on only one CPU per package.
 */
static int list_pmu(struct lister *lister, struct pmu *pmu, const char *event)
{
	const struct cpumap *own = pmu__cpus(pmu) ?: lister->online;

	for (int i = 0; i < own->nr; i++) {
		struct counters_row row = { .pmu = pmu__name(pmu),
					    .event = event,
					    .cpu = own->ids[i] };
		struct free_counters found;

		if (cpumap__index(lister->online, own->ids[i]) < 0)
			continue;
		if (free_counters__on_cpu(event, &lister->env, own->ids[i], &found))
			return -ENOMEM;
		row.counters = found.all;
		row.free = found.free;
		row.why = !found.err	    ? NULL :
			  found.cannot_move ? "pstat may not run on this CPU" :
					      strerror(-found.err);
		row_writer__row(&lister->writer, counters_columns, &row);
	}
	return 0;
}

/*
 * Lists the counters of each PMU whose events can be opened. Skips PMUs of software events, which
 * have no counters. Also finds the leaders of shared counters.
 */
static int list_pmus(struct lister *lister)
{
	struct pmus *pmus = pmus__new(lister->roots);
	struct pmu *pmu;
	int err = pmus ? 0 : -ENOMEM;

	lister->env.pmus = pmus;
	for (int i = 0; !err && (pmu = pmus__get(pmus, i)); i++) {
		struct strbuf event = STRBUF_INIT;

		if (!pmu__load(pmu) && !pmu__is_software(pmu) && !pmu__is_placeholder(pmu))
			err = free_counters__event(pmu, &lister->env, &event);
		if (!err && event.len) {
			lister->nr_pmus++;
			err = list_pmu(lister, pmu, event.text);
		}
		strbuf__free(&event);
		if (err && err != -ENOENT && err != -ENOMEM) {
			lister->nr_refused++;
			lister->refused = err;
		}
		err = err == -ENOMEM ? err : 0;
	}
	err = err ?: leader_rows__find(&lister->leaders, &lister->env);
	lister->env.pmus = NULL;
	pmus__free(pmus);
	return err;
}

/*
 * Returns whether the NMI watchdog is on. It can occupy a counter on each CPU. From Linux 6.5 on,
 * it can also work without counters, and procfs does not show whether it uses counters.
 */
static bool has_watchdog(const struct sysroots *roots)
{
	char text[16];

	return sysfs__read(roots->procfs, "sys/kernel/nmi_watchdog", text, sizeof(text)) > 0 &&
	       !strcmp(text, "1");
}

static int list_holders(struct lister *lister)
{
	struct event_holders holders;
	int err = event_holders__find(&holders);

	if (err && err != -ENOMEM) {
		pr_warn("the processes that hold perf events cannot be listed: %s",
			procfs_tasks__why_not(sysroots__procfs_tasks(lister->roots)));
		return 0;
	}
	for (int i = 0; !err && i < holders.nr; i++) {
		const struct event_holder *holder = &holders.list[i];
		struct holder_row row = { .pid = holder->pid, .events = holder->nr };

		threadmap__comm(lister->roots, holder->pid, row.command, sizeof(row.command));
		row_writer__row(&lister->writer, holder_columns, &row);
	}
	if (!err && holders.nr_hidden)
		pr_warn("this user cannot see the open files of %d processes, which may also hold "
			"perf events\nrun pstat as root to list them",
			holders.nr_hidden);
	if (!err && has_watchdog(lister->roots))
		pr_warn("the kernel's watchdog is enabled, and may hold a counter on each CPU\n"
			"`sysctl kernel.nmi_watchdog=0` releases it");
	event_holders__free(&holders);
	return err;
}

static void list_leaders(struct lister *lister)
{
	if (lister->leaders.nr && !lister->options->style.json) {
		row_writer__end(&lister->writer);
		strbuf__addc(&lister->text, '\n');
		row_writer__begin(&lister->writer, leader_columns);
	}
	for (int i = 0; i < lister->leaders.nr; i++)
		row_writer__row(&lister->writer, leader_columns, &lister->leaders.list[i]);
}

static int list_both(struct lister *lister)
{
	bool json = lister->options->style.json;
	int err;

	row_writer__begin(&lister->writer, counters_columns);
	err = list_pmus(lister);
	if (!json)
		row_writer__end(&lister->writer);
	if (!err && lister->nr_refused)
		pr_warn("the counters of %d PMUs are not listed, because their events cannot be "
			"opened: %s\n`pstat why` prints the reason for an event",
			lister->nr_refused, strerror(-lister->refused));
	else if (!err && !lister->nr_pmus)
		pr_warn("no PMU of this machine has counters");
	if (!json && !lister->nr_pmus)
		strbuf__reset(&lister->text);
	if (!json) {
		if (lister->nr_pmus)
			strbuf__addc(&lister->text, '\n');
		row_writer__begin(&lister->writer, holder_columns);
	}
	err = err ?: list_holders(lister);
	if (!err)
		list_leaders(lister);
	row_writer__end(&lister->writer);
	return err;
}

int list_free(const struct list_options *options, FILE *file)
{
	struct lister lister = {
		.options = options,
		.roots = sysroots__host(),
		.env = { .roots = sysroots__host(), .probing = true },
		.text = STRBUF_INIT,
		.writer = {
			.format = options->style.json ? &row_json : &row_table,
			.text = &lister.text,
			.is_array = true,
			.lines = STRBUF_INIT,
		},
	};
	int err = cpumap__online(lister.roots, &lister.online), code = 0;

	if (err)
		pr_err("the online CPUs cannot be listed: %s", strerror(-err));
	else
		err = list_both(&lister);
	if (err == -ENOMEM || strbuf__failed(&lister.text))
		code = command__out_of_memory();
	else if (err)
		code = EXIT_FAILED;
	else
		fputs(lister.text.text, file); /* the caller checks ferror(3) */
	leader_rows__free(&lister.leaders);
	cpumap__free(lister.online);
	strbuf__free(&lister.text);
	return code;
}
