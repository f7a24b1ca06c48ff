// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/progs/progs-print.h"

#include <inttypes.h>
#include <string.h>

#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/base/table.h"
#include "util/machine/bpf-prog-facts.h"
#include "util/machine/bpf-prog-type.h"
#include "util/machine/bpf-prog.h"
#include "util/machine/threadmap.h"

#define COMM_SIZE 64

static const struct {
	const char *heading;
	bool right; /* numbers stand at the right */
} columns[] = {
	{ "id", true },	   { "type", false },	 { "name", false },
	{ "tag", false },  { "runs", true },	 { "ns/run", true },
	{ "maps", false }, { "held by", false }, { "can be counted", false },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

void progs_print__heading(struct strbuf *sb)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		strbuf__addf(sb, "%s%c", columns[i].heading, i + 1 < NR_COLUMNS ? '\t' : '\n');
}

void progs_print__align(const char *lines, struct strbuf *sb)
{
	unsigned int right = 0;

	for (size_t i = 0; i < NR_COLUMNS; i++)
		right |= (unsigned int)columns[i].right << i;
	table__align(sb, lines, right);
}

static void add_tag(const struct bpf_prog *prog, struct strbuf *sb)
{
	for (size_t i = 0; i < sizeof(prog->tag); i++)
		strbuf__addf(sb, "%02x", prog->tag[i]);
}

static bool has_runs(const struct prog_line *line)
{
	return line->runs_are_kept || line->facts->run_cnt;
}

static void add_maps(const struct bpf_prog_facts *facts, struct strbuf *sb)
{
	for (uint32_t i = 0; i < facts->nr_maps; i++)
		strbuf__addf(sb, "%s%u", i ? "," : "", facts->map_ids[i]);
	if (!facts->nr_maps)
		strbuf__addc(sb, '-');
}

static void add_processes(const struct prog_line *line, struct strbuf *sb)
{
	int nr;
	const struct prog_holder *holder = prog_holders__of(line->processes, line->prog->id, &nr);
	char comm[COMM_SIZE];

	if (!nr)
		strbuf__addc(sb, '-');
	for (int i = 0; i < nr; i++) {
		threadmap__comm(sysroots__host(), (pid_t)holder[i].holder, comm, sizeof(comm));
		strbuf__adds(sb, i ? "," : "");
		strbuf__add_clean(sb, comm);
		strbuf__addf(sb, "-%u", holder[i].holder);
	}
}

static void add_verdict(const struct prog_line *line, struct strbuf *sb)
{
	int nr;
	const struct prog_holder *array = prog_holders__of(line->arrays, line->prog->id, &nr);

	if (line->why_not) {
		strbuf__adds(sb, line->has_stats ? "run count and time only: " : "no: ");
		strbuf__add_clean(sb, line->why_not);
	} else {
		strbuf__adds(sb, nr ? "yes, but no runs that a tail call enters" : "yes");
	}
	for (int i = 0; i < nr; i++)
		strbuf__addf(sb, "%s%u", i ? "," : nr > 1 ? "; in prog arrays " : "; in prog array ", array[i].holder);
}

void progs_print__text(const struct prog_line *line, struct strbuf *sb)
{
	const struct bpf_prog_facts *facts = line->facts;

	strbuf__addf(sb, "%" PRIu32 "\t", line->prog->id);
	bpf_prog_type__add_name(line->prog->type, sb);
	strbuf__addc(sb, '\t');
	strbuf__add_clean(sb, *line->prog->name ? line->prog->name : "-");
	strbuf__addc(sb, '\t');
	add_tag(line->prog, sb);
	if (has_runs(line))
		strbuf__addf(sb, "\t%" PRIu64 "\t", facts->run_cnt);
	else
		strbuf__adds(sb, "\t-\t");
	if (facts->run_cnt)
		strbuf__addf(sb, "%" PRIu64 "\t", facts->run_time_ns / facts->run_cnt);
	else
		strbuf__adds(sb, "-\t");
	add_maps(facts, sb);
	strbuf__addc(sb, '\t');
	add_processes(line, sb);
	strbuf__addc(sb, '\t');
	add_verdict(line, sb);
	strbuf__addc(sb, '\n');
}

static void add_pids(const struct prog_line *line, struct json_writer *w)
{
	int nr;
	const struct prog_holder *holder = prog_holders__of(line->processes, line->prog->id, &nr);
	char comm[COMM_SIZE];

	json__open_array(w, "pids");
	for (int i = 0; i < nr; i++) {
		struct json_writer inner;

		threadmap__comm(sysroots__host(), (pid_t)holder[i].holder, comm, sizeof(comm));
		json__element_object(w, &inner);
		json__uint(&inner, "pid", holder[i].holder);
		json__string(&inner, "comm", comm);
		json__end(&inner);
	}
	json__close_array(w);
}

static void add_arrays(const struct prog_line *line, struct json_writer *w)
{
	int nr;
	const struct prog_holder *array = prog_holders__of(line->arrays, line->prog->id, &nr);

	json__open_array(w, "prog_array_ids");
	for (int i = 0; i < nr; i++)
		json__element_uint(w, array[i].holder);
	json__close_array(w);
}

void progs_print__json(const struct prog_line *line, struct strbuf *sb)
{
	const struct bpf_prog_facts *facts = line->facts;
	struct strbuf text = STRBUF_INIT;
	struct json_writer w;

	json__begin(&w, sb);
	json__uint(&w, "id", line->prog->id);
	bpf_prog_type__add_name(line->prog->type, &text);
	json__string(&w, "type", text.text);
	json__string(&w, "name", line->prog->name);
	strbuf__reset(&text);
	add_tag(line->prog, &text);
	json__string(&w, "tag", text.text);
	json__uint(&w, "uid", facts->uid);
	if (has_runs(line)) {
		json__uint(&w, "run_time_ns", facts->run_time_ns);
		json__uint(&w, "run_cnt", facts->run_cnt);
	}
	if (facts->misses)
		json__uint(&w, "recursion_misses", facts->misses);
	json__open_array(&w, "map_ids");
	for (uint32_t i = 0; i < facts->nr_maps; i++)
		json__element_uint(&w, facts->map_ids[i]);
	json__close_array(&w);
	add_pids(line, &w);
	add_arrays(line, &w);
	json__bool(&w, "countable", !line->why_not);
	if (line->why_not)
		json__string(&w, "why_not", line->why_not);
	if (line->replaced_by)
		json__uint(&w, "replaced_by", line->replaced_by);
	json__bool(&w, "run_count_and_time", !line->why_not || line->has_stats);
	json__end(&w);
	if (strbuf__failed(&text))
		sb->failed = true;
	strbuf__free(&text);
}
