// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of counting a run (struct scope_cost). A measured run is a call of a function
 * of pstat itself, or a passage between two points in such a function. Runs are measured in three
 * situations:
 *
 * alone:   begin ─────────────── end   only an empty function is counted
 * plain:   begin ─ call ──────── end   an outer function is counted; it calls the empty function
 * nested:  begin ─ begin end ─── end   both functions are counted
 *
 * The cost `own` is the count of the empty function in `alone`. The cost `inner` is the count of
 * the outer function in `nested`, minus its count in `plain`. The cost `nested` is the count of the
 * empty function in the situation `nested`, minus its count in `alone`.
 *
 * Each count is the median of many short batches, so that a timer tick during one batch does not
 * matter. scope-calibrate-kernel.c measures the cost of probes in the kernel in the same way.
 *
 * The kernel inserts a probe into all processes that execute the probed file. If two pstat
 * processes measured at the same time, each process could count the calls of both processes, and
 * its counts would contain the cost of the probes of both. So pstat processes that run as root take
 * a lock, and measure one after the other.
 */
#include "util/count/scope/scope-calibrate.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/scope/scope-class.h"
#include "util/count/scope/scope-cost.h"
#include "util/count/scope/scope-empty.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"
#include "util/count/scope/scope-totals.h"
#include "util/count/share/scope-links.h"
#include "util/count/share/share-lock.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

#define BATCHES 17
#define RUNS 8 /* runs in a batch */
/*
 * The maximum number of times that a batch is tried. If a run is lost, the batch is tried again.
 * Runs can be lost because some kernels do not report every context switch.
 */
#define TRIES 8

/* ---- attaching ---- */

struct search {
	uintptr_t address;
	uint64_t offset; /* result: the offset of the function in the file; 0: not found */
};

/*
 * dl_iterate_phdr() calls this function for the first object of the process, which is pstat itself.
 * Returns 1, so that dl_iterate_phdr() does not continue with the next object.
 */
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

static int attach_at(struct scope_calibration *c, const struct bpf_program *prog,
		     void (*address)(void), bool at_return, uint64_t cookie,
		     struct scope_links *links)
{
	struct search search = { .address = (uintptr_t)address };
	uint64_t no_semaphore = 0;
	struct scope_uprobes uprobes = {
		.option = "--scope",
		.path = "/proc/self/exe",
		.at_return = at_return,
		.nr = 1,
		.offsets = &search.offset,
		.ref_ctr_offsets = &no_semaphore,
		.cookies = &cookie,
	};

	dl_iterate_phdr(look_for_offset, &search);
	if (!search.offset)
		return reason__set(&c->why, -ENOENT, "pstat cannot find its own functions");
	return scope_links__add_uprobes(links, bpf_program__fd(prog), c->programs->multi, &uprobes,
					"pstat", &c->why);
}

static int attach(struct scope_calibration *c, enum target target, enum scope_class kind,
		  struct scope_links *links)
{
	void (*begin)(void) = target == ALONE ? c->empty.alone : c->empty.outer;
	void (*end)(void) = target == ALONE ? c->empty.alone_end : c->empty.outer_end;
	uint64_t cookie = scope_calibration__cookie(c, target, !end, kind);
	const struct scope_bpf *skel = c->programs->skel;
	int err = attach_at(c, skel->progs.pstat_end, end ?: begin, !end, cookie, links);

	return err ?: attach_at(c, skel->progs.pstat_begin, begin, false, cookie, links);
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;

	return one < two ? -1 : one > two;
}

uint64_t scope_calibration__cookie(const struct scope_calibration *c, enum target target,
				   bool at_return, enum scope_class kind)
{
	return SCOPE_COOKIE(target, c->shape->nr_rows + (int)target, at_return ? 1 : 0,
			    SCOPE_KIND(kind, kind));
}

/*
 * Calls @run RUNS times. @read says which of the two scopes is read. For each word of the readings
 * (struct scope_words), stores the mean of this scope's count per run as the result of @batch.
 * Returns 0, or -ENODATA if the number of counted runs is wrong even after TRIES attempts.
 */
static int run_batch(struct scope_calibration *c, void (*run)(void), enum target read, int batch)
{
	int row = c->shape->nr_rows + (int)read;
	int64_t before, runs;
	int tries = 0;

	do {
		before = scope_totals__sum_row(c->totals, row, c->before);
		for (int i = 0; i < RUNS; i++)
			run();
		runs = scope_totals__sum_row(c->totals, row, c->after);
	} while (runs - before != RUNS && before >= 0 && runs >= 0 && ++tries < TRIES);
	if (before < 0 || runs - before != RUNS)
		return -ENODATA;
	for (uint32_t word = 0; word < c->shape->words.words; word++)
		c->batches[word * BATCHES + (uint32_t)batch] =
			(c->after[word] - c->before[word]) / RUNS;
	return 0;
}

/*
 * Kernels before Linux 6.13 allocate a small object at each call of a function that has a return
 * probe, and free it at the return. If the page with these objects has only one free object, the
 * allocation for a run inside another run executes additional instructions. If the number of free
 * objects were the same in all batches, all of them could contain these instructions. So pstat
 * makes an eventfd before each batch of `nested`: the kernel then allocates an object of the same
 * size, which changes this number. All these eventfds stay open until the last batch has ended.
 * Returns the eventfd, or -1 if none was made.
 */
static int keep_object(enum step step)
{
	return step == STEP_OUTER || step == STEP_INNER ? eventfd(0, EFD_CLOEXEC) : -1;
}

static int measure_batches(struct scope_calibration *c, void (*run)(void), enum target read,
			   enum step step, int kept[BATCHES])
{
	int failed = 0;

	/*
	 * a batch can fail because other processes pass the probed point in the kernel, so repeat
	 * it; give up when BATCHES batches have failed
	 */
	for (int batch = 0; batch < BATCHES; batch++) {
		if (kept[batch] < 0)
			kept[batch] = keep_object(step);
		if (!run_batch(c, run, read, batch))
			continue;
		if (++failed == BATCHES)
			return reason__set(&c->why, -ENODATA, "not all calls were seen");
		batch--;
	}
	return 0;
}

int scope_calibration__measure(struct scope_calibration *c, void (*run)(void), enum target read,
			       enum step step)
{
	uint32_t words = c->shape->words.words;
	int kept[BATCHES], err;

	memset(kept, -1, sizeof(kept));
	err = measure_batches(c, run, read, step, kept);
	for (int batch = 0; batch < BATCHES; batch++)
		if (kept[batch] >= 0)
			close(kept[batch]);
	for (uint32_t word = 0; !err && word < words; word++) {
		uint64_t *values = &c->batches[word * BATCHES];

		qsort(values, BATCHES, sizeof(*values), compare);
		c->medians[(uint32_t)step * words + word] = values[BATCHES / 2];
	}
	return err;
}

static int measure_user(struct scope_calibration *c, enum scope_class kind)
{
	struct scope_links alone = { .nr = 0 }, outer = { .nr = 0 };
	void (*empty)(void), (*calls)(void);
	int err;

	c->empty = scope_empty__for(c->list, kind);
	empty = c->empty.alone;
	calls = c->empty.outer;
	err = empty ? attach(c, ALONE, kind, &alone) : -EOPNOTSUPP;
	err = err ?: scope_calibration__measure(c, empty, ALONE, STEP_ALONE);
	err = err ?: attach(c, OUTER, kind, &outer);
	err = err ?: scope_calibration__measure(c, calls, OUTER, STEP_OUTER);
	err = err ?: scope_calibration__measure(c, calls, ALONE, STEP_INNER);
	scope_links__free(&alone);
	err = err ?: scope_calibration__measure(c, calls, OUTER, STEP_PLAIN);
	scope_links__free(&outer);
	return err;
}

static int alloc(struct scope_calibration *c)
{
	size_t words = c->shape->words.words + 1;

	c->before = calloc(words, sizeof(*c->before));
	c->after = calloc(words, sizeof(*c->after));
	c->batches = calloc(words * BATCHES, sizeof(*c->batches));
	c->medians = calloc(words * NR_STEPS, sizeof(*c->medians));
	return c->before && c->after && c->batches && c->medians ? 0 : -ENOMEM;
}

/*
 * Measures the cost of one class of probes. On error, only warns, because the counts are useful
 * even if this cost is not subtracted.
 */
static void calibrate(struct scope_calibration *c, enum scope_class kind)
{
	int err;

	strbuf__reset(&c->why);
	scope_programs__set_gate(c->programs, SCOPE_GATE_CALIBRATION);
	err = 1U << kind & SCOPE_CLASSES_USER ? measure_user(c, kind) :
						scope_calibration__measure_kernel(c, kind);
	scope_programs__set_gate(c->programs, 0);
	if (err) {
		pr_warn("--scope: the cost of counting %s is not subtracted, because it cannot be "
			"measured: %s",
			scope_cost__name(kind), reason__text(&c->why, err));
		return;
	}
	scope_cost__set(c, kind);
}

/* ---- the CPUs of -C ---- */

#define SET_CPUS 65536 /* more CPUs than any kernel supports */

/*
 * Moves the calling thread to @cpus, the CPUs of -C, because runs are counted only on these CPUs.
 * Sets *@before to the previous CPU affinity of the thread. Does nothing if @cpus is NULL (no -C).
 * Returns 0 or -errno.
 */
static int move_to_cpus(const struct cpumap *cpus, cpu_set_t **before)
{
	size_t size = CPU_ALLOC_SIZE(SET_CPUS);
	cpu_set_t *set = cpus ? CPU_ALLOC(SET_CPUS) : NULL;
	int err = 0;

	if (!cpus)
		return 0;
	*before = CPU_ALLOC(SET_CPUS);
	if (!set || !*before) {
		err = -ENOMEM;
		goto out;
	}
	CPU_ZERO_S(size, set);
	for (int i = 0; i < cpus->nr; i++)
		CPU_SET_S((size_t)cpus->ids[i], size, set);
	if (sched_getaffinity(0, size, *before) || sched_setaffinity(0, size, set))
		err = -errno;
out:
	CPU_FREE(set);
	if (err) {
		CPU_FREE(*before);
		*before = NULL;
	}
	return err;
}

static void move_back(cpu_set_t *before)
{
	if (before && sched_setaffinity(0, CPU_ALLOC_SIZE(SET_CPUS), before))
		pr_warn("--scope: pstat cannot leave the CPUs on which it measured the cost of "
			"counting: %s",
			strerror(errno));
	CPU_FREE(before);
}

void scope_calibrate(struct scope_shape *shape, struct scope_programs *programs,
		     struct scope_totals_table *totals, const struct backend_group *group,
		     const struct scope_list *list)
{
	struct scope_calibration c = { .shape = shape,
				       .programs = programs,
				       .totals = totals,
				       .group = group,
				       .list = list,
				       .why = STRBUF_INIT };
	unsigned int classes = scope_class__all(list);
	struct share_lock lock = SHARE_LOCK_NONE;
	cpu_set_t *before = NULL;
	int err = alloc(&c);

	/* only root may open the lock file */
	if (!err && !geteuid())
		share_lock__take(&lock);
	err = err ?: move_to_cpus(shape->some_cpus, &before);
	err = err ?: scope_programs__count_self(programs, true);
	for (int kind = 0; !err && kind < SCOPE_NR_CLASSES; kind++)
		if (classes & 1U << kind)
			calibrate(&c, (enum scope_class)kind);
	scope_programs__count_self(programs, false);
	move_back(before);
	share_lock__release(&lock);
	if (err) {
		pr_warn("--scope: the cost of counting is not subtracted, because it cannot be "
			"measured: %s",
			strerror(-err));
	} else {
		scope_cost__log(&c);
		scope_cost__store(&c);
	}
	free(c.before);
	free(c.after);
	free(c.batches);
	free(c.medians);
	strbuf__free(&c.why);
}
