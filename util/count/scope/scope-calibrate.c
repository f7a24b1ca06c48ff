// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of counting a run, at functions of pstat itself:
 *
 * alone:   begin ─────────────── end   an empty function: only the counting is counted: `own`
 * plain:   begin ─ call ──────── end   it calls the empty function, which is not counted
 * nested:  begin ─ begin end ─── end   the empty function is counted, too. The outer function then
 *                                      counts what a run adds to the run around it: `inner`. The
 *                                      empty function counts more than alone: `nested`
 *
 * Each figure is the median of many short batches, so a timer tick in one of them does not matter.
 *
 * The probes of another session that measures at the same time are also in this process, because it
 * runs the same file: they would add their cost here, and count the calls of both. So sessions of
 * root measure one after the other.
 */
#include "util/count/scope/scope-calibrate.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"
#include "util/count/scope/scope-totals.h"
#include "util/count/share/scope-links.h"
#include "util/count/share/share-lock.h"
#include "util/event/evsel.h"

#define BATCHES 17
#define RUNS 8 /* runs in a batch */
/* Some kernels do not report every context switch, so a run can be lost. */
#define TRIES 8

/* Numbers of the scopes; those of the session are attached later. Their rows are the last two. */
enum target { ALONE, OUTER, NR_TARGETS };
enum step { STEP_ALONE, STEP_PLAIN, STEP_OUTER, STEP_INNER, NR_STEPS };

/*
 * They begin like most functions: on x86-64 with a push, which the kernel emulates, and on arm64
 * with an instruction that it executes out of line.
 */
#if defined(__x86_64__)
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type pstat_scope_alone, @function\n"
    "pstat_scope_alone: push %rbp; pop %rbp; ret\n"
    ".size pstat_scope_alone, . - pstat_scope_alone\n"
    ".balign 16\n"
    ".type pstat_scope_outer, @function\n"
    "pstat_scope_outer: push %rbp; call pstat_scope_alone; pop %rbp; ret\n"
    ".size pstat_scope_outer, . - pstat_scope_outer\n"
    ".popsection\n");
#define KNOWS_FUNCTIONS true
#elif defined(__aarch64__)
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type pstat_scope_alone, %function\n"
    "pstat_scope_alone: mov x9, x30; ret\n"
    ".size pstat_scope_alone, . - pstat_scope_alone\n"
    ".balign 16\n"
    ".type pstat_scope_outer, %function\n"
    "pstat_scope_outer: stp x29, x30, [sp, #-16]!; bl pstat_scope_alone\n"
    "ldp x29, x30, [sp], #16; ret\n"
    ".size pstat_scope_outer, . - pstat_scope_outer\n"
    ".popsection\n");
#define KNOWS_FUNCTIONS true
#endif

#ifdef KNOWS_FUNCTIONS
void pstat_scope_alone(void);
void pstat_scope_outer(void);
static void (*const functions[NR_TARGETS])(void) = { pstat_scope_alone, pstat_scope_outer };
#else
static void (*const functions[NR_TARGETS])(void);
#endif

struct calibration {
	struct scope_shape *shape;
	struct scope_programs *programs;
	struct scope_totals_table *totals;
	struct strbuf why;
	uint64_t *before, *after; /* [word] */
	uint64_t *batches;	  /* [word * BATCHES + batch]: counts of a run */
	uint64_t *medians;	  /* [step * words + word] */
};

/* ---- attaching ---- */

struct search {
	uintptr_t address;
	uint64_t offset; /* result: in the file; 0: not found */
};

/* The first object is the program itself. */
static int look_for_offset(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct search *search = ctx;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && search->address >= start &&
		    search->address - start < part->p_filesz)
			search->offset = search->address - start + part->p_offset;
	}
	return 1;
}

static int attach(struct calibration *c, enum target target, struct scope_links *links)
{
	struct search search = { .address = (uintptr_t)functions[target] };
	uint64_t cookie = SCOPE_COOKIE(target, c->shape->nr_rows + (int)target, 1),
		 no_semaphore = 0;
	struct scope_uprobes uprobes = {
		.option = "--scope",
		.path = "/proc/self/exe",
		.at_return = true,
		.nr = 1,
		.offsets = &search.offset,
		.ref_ctr_offsets = &no_semaphore,
		.cookies = &cookie,
	};
	const struct scope_bpf *skel = c->programs->skel;
	int err;

	dl_iterate_phdr(look_for_offset, &search);
	if (!search.offset)
		return reason__set(&c->why, -ENOENT, "pstat cannot find its own functions");
	err = scope_links__add_uprobes(links, bpf_program__fd(skel->progs.pstat_end),
				       c->programs->multi, &uprobes, "pstat", &c->why);
	uprobes.at_return = false;
	return err   ?:
		       scope_links__add_uprobes(links, bpf_program__fd(skel->progs.pstat_begin),
						c->programs->multi, &uprobes, "pstat", &c->why);
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;

	return one < two ? -1 : one > two;
}

/* Calls the function @run, and stores what the function @read counts. */
static int run_batch(struct calibration *c, enum target run, enum target read, int batch)
{
	int row = c->shape->nr_rows + (int)read;
	int64_t before, runs;
	int tries = 0;

	do {
		before = scope_totals__sum_row(c->totals, row, c->before);
		for (int i = 0; i < RUNS; i++)
			functions[run]();
		runs = scope_totals__sum_row(c->totals, row, c->after);
	} while (runs - before != RUNS && before >= 0 && runs >= 0 && ++tries < TRIES);
	if (before < 0 || runs - before != RUNS)
		return reason__set(&c->why, -ENODATA, "not all calls were seen");
	for (uint32_t word = 0; word < c->shape->words.words; word++)
		c->batches[word * BATCHES + (uint32_t)batch] =
			(c->after[word] - c->before[word]) / RUNS;
	return 0;
}

static int measure(struct calibration *c, enum target run, enum target read, enum step step)
{
	uint32_t words = c->shape->words.words;
	int err = 0;

	for (int batch = 0; !err && batch < BATCHES; batch++)
		err = run_batch(c, run, read, batch);
	for (uint32_t word = 0; !err && word < words; word++) {
		uint64_t *values = &c->batches[word * BATCHES];

		qsort(values, BATCHES, sizeof(*values), compare);
		c->medians[(uint32_t)step * words + word] = values[BATCHES / 2];
	}
	return err;
}

static int measure_all(struct calibration *c)
{
	struct scope_links alone = { .nr = 0 }, outer = { .nr = 0 };
	int err = attach(c, ALONE, &alone);

	err = err ?: measure(c, ALONE, ALONE, STEP_ALONE);
	err = err ?: attach(c, OUTER, &outer);
	err = err ?: measure(c, OUTER, OUTER, STEP_OUTER);
	err = err ?: measure(c, OUTER, ALONE, STEP_INNER);
	scope_links__free(&alone);
	err = err ?: measure(c, OUTER, OUTER, STEP_PLAIN);
	scope_links__free(&outer);
	return err;
}

static void store_costs(struct calibration *c)
{
	uint32_t words = c->shape->words.words;
	struct scope_bpf__bss *bss = c->programs->skel->bss;

	for (uint32_t word = 0; word < words; word++) {
		const uint64_t *median = c->medians + word;
		uint64_t plain = median[STEP_PLAIN * words], outer = median[STEP_OUTER * words];
		uint64_t inner = median[STEP_INNER * words];
		struct scope_cost *cost = &c->shape->costs[word];

		cost->own = median[STEP_ALONE * words];
		cost->inner = outer > plain ? outer - plain : 0;
		cost->nested = inner > cost->own ? inner - cost->own : 0;
	}
	if (c->shape->hist_word >= 0)
		memcpy(&bss->hist_cost, &c->shape->costs[c->shape->hist_word],
		       sizeof(bss->hist_cost));
	if (c->shape->outlier_word >= 0)
		memcpy(&bss->outlier_cost, &c->shape->costs[c->shape->outlier_word],
		       sizeof(bss->outlier_cost));
}

static void log_costs(const struct scope_shape *shape, const struct backend_group *group)
{
	for (int i = 0; i < group->nr; i++) {
		const struct scope_event *event = &shape->events[i];
		const struct scope_cost *cost = &shape->costs[event->word];

		if (event->kind != SCOPE_NONE)
			pr_info("--scope: counting itself adds %" PRIu64 " %s%s to a run, and "
				"%" PRIu64 " for each run inside it, and %" PRIu64 " to a run "
				"inside another run: this is subtracted",
				(uint64_t)cost->own, event->kind <= SCOPE_CLOCK ? "ns of " : "",
				group->evsels[i]->name, (uint64_t)cost->inner,
				(uint64_t)cost->nested);
	}
}

static int alloc(struct calibration *c)
{
	size_t words = c->shape->words.words + 1;

	c->before = calloc(words, sizeof(*c->before));
	c->after = calloc(words, sizeof(*c->after));
	c->batches = calloc(words * BATCHES, sizeof(*c->batches));
	c->medians = calloc(words * NR_STEPS, sizeof(*c->medians));
	return c->before && c->after && c->batches && c->medians ? 0 : -ENOMEM;
}

void scope_calibrate(struct scope_shape *shape, struct scope_programs *programs,
		     struct scope_totals_table *totals, const struct backend_group *group)
{
	struct calibration c = {
		.shape = shape, .programs = programs, .totals = totals, .why = STRBUF_INIT
	};
	struct share_lock lock = SHARE_LOCK_NONE;
	int err = functions[ALONE] ? alloc(&c) : -EOPNOTSUPP;

	/* other users may not open the lock file */
	if (!err && !geteuid())
		share_lock__take(&lock);
	err = err ?: scope_programs__count_self(programs, true);
	scope_programs__set_gate(programs, SCOPE_GATE_CALIBRATION);
	err = err ?: measure_all(&c);
	scope_programs__set_gate(programs, 0);
	scope_programs__count_self(programs, false);
	share_lock__release(&lock);
	if (!err) {
		store_costs(&c);
		log_costs(shape, group);
	} else {
		pr_warn("--scope: the cost of counting is not subtracted, because it cannot be "
			"measured: %s",
			reason__text(&c.why, err));
	}
	free(c.before);
	free(c.after);
	free(c.batches);
	free(c.medians);
	strbuf__free(&c.why);
}
