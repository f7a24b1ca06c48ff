// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/progs-print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf-prog-facts.h"
#include "util/machine/bpf-prog-type.h"
#include "util/machine/bpf-prog.h"
#include "util/machine/threadmap.h"

#define COMM_SIZE 64
#define TABLE "%6s %-15s %-28s %-16s %12s %10s  %-10s %-22s %s\n"

void progs_print__heading(struct strbuf *sb)
{
	strbuf__addf(sb, TABLE, "id", "type", "name", "tag", "runs", "ns/run", "maps", "held by", "can be counted");
}

static void add_tag(const struct bpf_prog *prog, struct strbuf *sb)
{
	for (size_t i = 0; i < sizeof(prog->tag); i++)
		strbuf__addf(sb, "%02x", prog->tag[i]);
}

/* Names come from whoever made the program or the process: nothing in them moves the cursor. */
static void add_plain(const char *text, struct strbuf *sb)
{
	for (; *text; text++)
		strbuf__addc(sb, (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
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
		add_plain(comm, sb);
		strbuf__addf(sb, "-%u", holder[i].holder);
	}
}

static void add_verdict(const struct prog_line *line, struct strbuf *sb)
{
	int nr;
	const struct prog_holder *array = prog_holders__of(line->arrays, line->prog->id, &nr);

	if (line->why_not) {
		strbuf__adds(sb, "no: ");
		add_plain(line->why_not, sb);
	} else {
		strbuf__adds(sb, nr ? "yes, but no runs that a tail call enters" : "yes");
	}
	for (int i = 0; i < nr; i++)
		strbuf__addf(sb, "%s%u", i ? "," : nr > 1 ? "; in prog arrays " : "; in prog array ", array[i].holder);
}

void progs_print__text(const struct prog_line *line, struct strbuf *sb)
{
	struct strbuf columns[7] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT,
				     STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	char id[16], runs[32] = "-", ns[32] = "-";
	const struct bpf_prog_facts *facts = line->facts;

	snprintf(id, sizeof(id), "%u", line->prog->id);
	if (has_runs(line))
		snprintf(runs, sizeof(runs), "%" PRIu64, facts->run_cnt);
	if (facts->run_cnt)
		snprintf(ns, sizeof(ns), "%" PRIu64, facts->run_time_ns / facts->run_cnt);
	bpf_prog_type__add_name(line->prog->type, &columns[0]);
	add_plain(*line->prog->name ? line->prog->name : "-", &columns[1]);
	add_tag(line->prog, &columns[2]);
	add_maps(facts, &columns[3]);
	add_processes(line, &columns[4]);
	add_verdict(line, &columns[5]);
	strbuf__addf(sb, TABLE, id, columns[0].text, columns[1].text, columns[2].text, runs, ns, columns[3].text,
		     columns[4].text, columns[5].text);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (strbuf__failed(&columns[i]))
			sb->failed = true;
		strbuf__free(&columns[i]);
	}
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
	json__end(&w);
	if (strbuf__failed(&text))
		sb->failed = true;
	strbuf__free(&text);
}
