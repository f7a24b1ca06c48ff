// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/prog-row.h"

#include <inttypes.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/bpf-prog-facts.h"
#include "util/machine/bpf/bpf-prog-type.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/task/threadmap.h"
#include "util/report/column.h"

#define COMM_SIZE 64

static const struct prog_row *as_prog(const void *row)
{
	return row;
}

/* ---- numbers and names ---- */

static bool has_runs(const void *row)
{
	return as_prog(row)->runs_are_kept || as_prog(row)->run_cnt;
}

static void add_type(const void *row, struct strbuf *sb)
{
	bpf_prog_type__add_name(as_prog(row)->prog->type, sb);
}

static void add_tag(const void *row, struct strbuf *sb)
{
	const struct bpf_prog *prog = as_prog(row)->prog;

	for (size_t i = 0; i < sizeof(prog->tag); i++)
		strbuf__addf(sb, "%02x", prog->tag[i]);
}

static void add_mean(const void *row, struct strbuf *sb)
{
	const struct prog_row *prog = row;

	if (prog->run_cnt)
		strbuf__addf(sb, "%" PRIu64, prog->run_time_ns / prog->run_cnt);
}

/* ---- lists ---- */

static const void *nth_map(const void *row, int nr)
{
	const struct bpf_prog_facts *facts = as_prog(row)->facts;

	return nr < (int)facts->nr_maps ? &facts->map_ids[nr] : NULL;
}

static const struct prog_holder *nth_holder(const struct prog_holders *holders, const void *row,
					    int nr)
{
	int all;
	const struct prog_holder *first = prog_holders__of(holders, as_prog(row)->id, &all);

	return nr < all ? first + nr : NULL;
}

static const void *nth_process(const void *row, int nr)
{
	return nth_holder(as_prog(row)->processes, row, nr);
}

static const void *nth_array(const void *row, int nr)
{
	return nth_holder(as_prog(row)->arrays, row, nr);
}

static void add_comm(const void *holder, struct strbuf *sb)
{
	char comm[COMM_SIZE];

	threadmap__comm(sysroots__host(), (pid_t)((const struct prog_holder *)holder)->holder, comm,
			sizeof(comm));
	strbuf__adds(sb, comm);
}

static void add_maps(const void *row, struct strbuf *sb)
{
	const uint32_t *id;

	for (int i = 0; (id = nth_map(row, i)); i++)
		strbuf__addf(sb, "%s%" PRIu32, i ? "," : "", *id);
}

static void add_processes(const void *row, struct strbuf *sb)
{
	const struct prog_holder *process;

	for (int i = 0; (process = nth_process(row, i)); i++) {
		strbuf__adds(sb, i ? "," : "");
		add_comm(process, sb);
		strbuf__addf(sb, "-%" PRIu32, process->holder);
	}
}

/* ---- whether a program can be counted ---- */

static void add_verdict(const void *row, struct strbuf *sb)
{
	const struct prog_row *prog = row;
	const struct prog_holder *array = nth_array(row, 0);
	const char *lead = nth_array(row, 1) ? "; in prog arrays " : "; in prog array ";

	if (prog->why_not)
		strbuf__addf(sb, "%s%s",
			     prog->has_stats ? "run count and time only: " : "no: ", prog->why_not);
	else
		strbuf__adds(sb, array ? "yes, except runs that begin with a tail call" : "yes");
	for (int i = 0; (array = nth_array(row, i)); i++)
		strbuf__addf(sb, "%s%" PRIu32, i ? "," : lead, array->holder);
}

/* ---- columns ---- */

static const struct column map_columns[] = {
	{ .kind = COLUMN_COUNT, .in = IN_JSON, .size = sizeof(uint32_t) },
	{ 0 },
};
static const struct column array_columns[] = {
	COLUMN(IN_JSON, NULL, struct prog_holder, holder),
	{ 0 },
};
static const struct column process_columns[] = {
	COLUMN(IN_JSON, "pid", struct prog_holder, holder),
	COLUMN_BY(IN_JSON, "comm", COLUMN_MADE, .add = add_comm),
	{ 0 },
};

#define PROG(outputs, key, member, ...) COLUMN(outputs, key, struct prog_row, member, __VA_ARGS__)
#define MADE(outputs, key, function, ...) \
	COLUMN_BY(outputs, key, COLUMN_MADE, .add = (function), __VA_ARGS__)
#define LIST(key, function, element) \
	COLUMN_BY(IN_JSON, key, COLUMN_LIST, .item = (function), .items = (element))

const struct column prog_row_columns[] = {
	PROG(IN_JSON | IN_TABLE, "id", id, .right = true),
	MADE(IN_JSON | IN_TABLE, "type", add_type),
	PROG(IN_JSON, "name", name),
	PROG(IN_TABLE, "name", name, .optional = true),
	MADE(IN_JSON | IN_TABLE, "tag", add_tag),
	PROG(IN_JSON, "uid", uid),
	PROG(IN_JSON, "run_time_ns", run_time_ns, .has = has_runs),
	PROG(IN_JSON, "run_cnt", run_cnt, .has = has_runs),
	PROG(IN_TABLE, "runs", run_cnt, .has = has_runs, .right = true),
	MADE(IN_TABLE, "ns/run", add_mean, .optional = true, .right = true),
	PROG(IN_JSON, "recursion_misses", misses, .optional = true),
	LIST("map_ids", nth_map, map_columns),
	MADE(IN_TABLE, "maps", add_maps, .optional = true),
	LIST("pids", nth_process, process_columns),
	MADE(IN_TABLE, "held by", add_processes, .optional = true),
	LIST("prog_array_ids", nth_array, array_columns),
	PROG(IN_JSON, "countable", is_countable),
	PROG(IN_JSON, "why_not", why_not, .optional = true),
	PROG(IN_JSON, "replaced_by", replaced_by, .optional = true),
	PROG(IN_JSON, "run_count_and_time", has_stats),
	MADE(IN_TABLE, "can be counted", add_verdict),
	{ 0 },
};
