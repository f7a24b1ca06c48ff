// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of counting a run (struct prog_cost). For this purpose, pstat loads small BPF
 * programs and runs them itself:
 *
 * alone:   begin ──────────── end    the count is only the cost of counting itself: `own`
 * plain:   begin ─ call ───── end    the program calls a function that is not counted
 * nested:  begin ─ begin end ─ end   the called function is counted, too
 *
 * In "nested", two runs are counted. The sum of their counts, minus the count of "plain", is the
 * cost of counting the called function: `own` plus `inner`. "plain" and "nested" both contain the
 * instructions of the call and the `own` of the outer run, so these cancel out. Each count is the
 * median over many short batches of runs, so that a timer tick during one batch does not matter.
 */
#include "util/count/prog/backend-prog-group.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_skel/prog_calibrate.skel.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/prog/prog-fds.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/prog/prog-target.h"
#include "util/event/evsel.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/cpu/cpumap.h"

#define BATCHES 33
#define RUNS 16 /* runs in a batch */

#define CLOCK_WORD 0 /* the index of the clock's word, if the clock is read */

enum { ALONE, OUTER, INNER, NR_TARGETS };

/*
 * The measurements, in the order in which they are made. STEP_OUTER and STEP_INNER measure the two
 * runs of "nested".
 */
enum step { STEP_ALONE, STEP_PLAIN, STEP_OUTER, STEP_INNER, NR_STEPS };

static const struct {
	/*
	 * indexes in `targets` of struct calibration: the program of target `run` is run, and the
	 * counts of target `read` are read
	 */
	int run, read;
} steps[NR_STEPS] = {
	[STEP_ALONE] = { ALONE, ALONE },
	[STEP_PLAIN] = { OUTER, OUTER },
	[STEP_OUTER] = { OUTER, OUTER },
	[STEP_INNER] = { OUTER, INNER },
};

static const char *const functions[NR_TARGETS] = { "pstat_alone", "pstat_outer", "pstat_inner" };

/* In the comments on the members, `word` is an index in a row of words (struct prog_words). */
struct calibration {
	/*
	 * a copy of the session's shape, changed so that all runs are counted, in one set of sums
	 * (struct prog_set); `costs` points to the session's array
	 */
	struct prog_shape shape;
	const struct backend_group *group;
	const struct prog_fds *fds;
	const struct cpumap *possible;
	struct prog_calibrate_bpf *skel;
	struct prog_target targets[NR_TARGETS];
	char *totals;	   /* the totals of a target, as in its map `totals` */
	uint64_t *before;  /* [word]: the sum before the batch */
	uint64_t *batches; /* [word * BATCHES + batch]: average count per run in the batch */
	uint64_t *medians; /* [word * NR_STEPS + step]: median of the batches */
	bool *known;	   /* [word]: the cost is known */
};

static int alloc(struct calibration *c)
{
	size_t words = c->shape.words.words + 1;

	c->totals = calloc((size_t)c->possible->nr, prog_shape__totals_size(&c->shape));
	c->before = calloc(words, sizeof(*c->before));
	c->batches = calloc(words * BATCHES, sizeof(*c->batches));
	c->medians = calloc(words * NR_STEPS, sizeof(*c->medians));
	c->known = calloc(words, sizeof(*c->known));
	return c->totals && c->before && c->batches && c->medians && c->known ? 0 : -ENOMEM;
}

static int find_target(struct prog_target *target, const struct bpf_program *prog,
		       const char *function)
{
	struct strbuf why = STRBUF_INIT;
	struct bpf_prog_info info = {};
	int err = bpf_prog__read_info(bpf_program__fd(prog), &info);

	err = err ?: bpf_prog__peek(info.id, &target->prog, &why);
	err = err ?: bpf_prog__read_func(target->prog, function, &why);
	strbuf__free(&why);
	return err;
}

/*
 * Loads the small programs and, for each of their three functions, the pair of programs that counts
 * the function (struct prog_target). Attaches all pairs except the pair for INNER, which
 * measure_steps() attaches later.
 */
static int load_all(struct calibration *c)
{
	int err;

	c->skel = prog_calibrate_bpf__open();
	if (!c->skel)
		return -errno;
	err = bpf_map__set_autocreate(c->skel->maps.never_made, false);
	err = err ?: prog_calibrate_bpf__load(c->skel);
	if (err)
		return err;
	for (int i = 0; i < NR_TARGETS; i++) {
		err = find_target(&c->targets[i],
				  i == ALONE ? c->skel->progs.pstat_alone :
					       c->skel->progs.pstat_outer,
				  functions[i]);
		err = err ?: prog_target__load(&c->targets[i], &c->shape);
		if (!err && i != INNER)
			err = prog_target__attach(&c->targets[i], c->shape.why);
		if (err)
			return err;
		prog_target__set_gate(&c->targets[i], 1);
	}
	return 0;
}

static int run_batch(const struct prog_target *target)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = RUNS);

	return bpf_prog_test_run_opts(target->prog->fd, &opts) ? -errno : 0;
}

/*
 * Returns the sums of @target on @cpu, and sets *@runs to the number of runs. On error, returns
 * NULL and sets *@err to -errno.
 */
static const uint64_t *read_words(struct calibration *c, const struct prog_target *target, int cpu,
				  uint64_t *runs, int *err)
{
	size_t at = prog_shape__totals_size(&c->shape) * (size_t)cpumap__index(c->possible, cpu);
	const struct prog_set *set;

	*err = prog_target__read(target, c->totals, c->shape.why);
	if (*err)
		return NULL;
	set = prog_shape__set(&c->shape, (const struct prog_totals *)(c->totals + at), 0);
	*runs = set->runs;
	return (const uint64_t *)(set + 1);
}

static int take_batch(struct calibration *c, enum step step, int cpu, int batch)
{
	const struct prog_target *target = &c->targets[steps[step].read];
	size_t words = c->shape.words.words;
	uint64_t runs_before, runs;
	const uint64_t *now;
	int err;

	now = read_words(c, target, cpu, &runs_before, &err);
	if (!now)
		return err;
	memcpy(c->before, now, sizeof(*now) * words);
	err = run_batch(&c->targets[steps[step].run]);
	now = err ? NULL : read_words(c, target, cpu, &runs, &err);
	if (!now)
		return err;
	if (runs - runs_before != RUNS)
		return -EAGAIN;
	for (size_t word = 0; word < words; word++)
		c->batches[word * BATCHES + (size_t)batch] = (now[word] - c->before[word]) / RUNS;
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int take_batches(struct calibration *c, enum step step, int cpu)
{
	int err = 0;

	for (int batch = 0; !err && batch < BATCHES; batch++)
		err = take_batch(c, step, cpu, batch);
	return err;
}

static uint64_t median(struct calibration *c, int word)
{
	uint64_t *batches = c->batches + (size_t)word * BATCHES;

	qsort(batches, BATCHES, sizeof(*batches), compare);
	return batches[BATCHES / 2];
}

/*
 * While an event waits for a counter, it counts nothing. For each batch in which the event had to
 * wait, uses the count of a batch in which the event did not have to wait. If the event had to wait
 * in all batches, uses 0.
 */
static void drop_starved(struct calibration *c, const struct prog_event *event)
{
	uint64_t *count = c->batches + (size_t)event->word * BATCHES, *enabled = count + BATCHES,
		 *running = enabled + BATCHES;
	uint64_t whole = 0;

	for (int i = 0; i < BATCHES; i++)
		if (running[i] == enabled[i] && running[i])
			whole = count[i];
	for (int i = 0; i < BATCHES; i++)
		if (running[i] != enabled[i])
			count[i] = whole;
}

static bool is_open_at(const struct calibration *c, int event, int cpu)
{
	enum prog_kind kind = c->shape.events[event].kind;

	return kind == PROG_CLOCK ||
	       (kind != PROG_NONE &&
		prog_fds__get(c->fds, event, cpumap__index(c->group->cpus, cpu)) >= 0);
}

/*
 * Returns whether a cost that can be measured on @cpu is still unknown. The cost of an event can be
 * measured only where the event is open. The cost of the clock can be measured on any CPU.
 */
static bool is_needed(const struct calibration *c, int cpu)
{
	if (c->shape.words.clock && !c->known[CLOCK_WORD])
		return true;
	for (int event = 0; event < c->group->nr; event++)
		if (is_open_at(c, event, cpu) && !c->known[c->shape.events[event].word])
			return true;
	return false;
}

static void keep_word(struct calibration *c, enum step step, int word)
{
	struct prog_cost *cost = &c->shape.costs[word];
	uint64_t *medians = c->medians + (size_t)word * NR_STEPS, added, less;

	medians[step] = median(c, word);
	if (step != NR_STEPS - 1)
		return;
	added = medians[STEP_OUTER] + medians[STEP_INNER];
	less = medians[STEP_PLAIN] + medians[STEP_ALONE];
	cost->own = medians[STEP_ALONE];
	cost->inner = added > less ? added - less : 0;
}

static void keep(struct calibration *c, enum step step, int cpu)
{
	if (c->shape.words.clock && !c->known[CLOCK_WORD])
		keep_word(c, step, CLOCK_WORD);
	for (int i = 0; i < c->group->nr; i++) {
		const struct prog_event *event = &c->shape.events[i];

		/*
		 * an event that is listed again for another cgroup shares the word of its first
		 * occurrence, which this loop has already handled
		 */
		if (prog_fds__first_of(c->fds, i) < i || !is_open_at(c, i, cpu) ||
		    c->known[event->word])
			continue;
		if (event->kind == PROG_TIMED)
			drop_starved(c, event);
		keep_word(c, step, event->word);
	}
}

static void note_known(struct calibration *c, int cpu)
{
	if (c->shape.words.clock)
		c->known[CLOCK_WORD] = true;
	for (int i = 0; i < c->group->nr; i++)
		c->known[c->shape.events[i].word] |= is_open_at(c, i, cpu);
}

/*
 * Performs all steps on @cpu, to which the caller has moved this process. Attaches the pair for the
 * target INNER only for the last two steps, in which this target is counted.
 */
static int measure_steps(struct calibration *c, int cpu)
{
	int err = 0;

	for (int step = 0; !err && step < NR_STEPS; step++) {
		if (step == STEP_OUTER)
			err = prog_target__attach(&c->targets[INNER], c->shape.why);
		err = err ?: take_batches(c, (enum step)step, cpu);
		if (!err)
			keep(c, (enum step)step, cpu);
	}
	prog_target__detach(&c->targets[INNER]);
	if (!err)
		note_known(c, cpu);
	return err;
}

/*
 * Moves this process to @cpu, and makes all measurements there. Returns 0, -EINVAL if this process
 * is not allowed to run on @cpu, or another -errno.
 */
static int measure_on(struct calibration *c, int cpu)
{
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	int err;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	err = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return err ?: measure_steps(c, cpu);
}

/*
 * Measures on one CPU after another until all costs are known. Returns 0, -EINVAL if costs remain
 * unknown because this process is not allowed to run on some CPUs, or another -errno.
 */
static int measure_where_allowed(struct calibration *c)
{
	const struct cpumap *cpus = c->group->cpus;
	int err = 0;

	for (int i = 0; !err && i < cpus->nr; i++) {
		if (is_needed(c, cpus->ids[i]))
			err = measure_on(c, cpus->ids[i]);
		if (err == -EINVAL)
			err = 0;
	}
	for (int i = 0; !err && i < cpus->nr; i++)
		if (is_needed(c, cpus->ids[i]))
			err = -EINVAL;
	return err;
}

/*
 * Measures the costs, and then restores the CPU affinity of pstat. The affinity mask has room for
 * more CPUs than any kernel supports.
 */
static int measure(struct calibration *c)
{
	size_t size = CPU_ALLOC_SIZE(65536);
	cpu_set_t *old = CPU_ALLOC(65536);
	int err = old ? 0 : -ENOMEM;

	if (!err && sched_getaffinity(0, size, old))
		err = -errno;
	if (!err) {
		err = measure_where_allowed(c);
		if (sched_setaffinity(0, size, old))
			pr_warn("-b: pstat cannot leave the CPU on which it measured the cost of "
				"counting: %s",
				strerror(errno));
	}
	CPU_FREE(old);
	return err;
}

static void report_costs(const struct calibration *c)
{
	for (int i = 0; i < c->group->nr; i++) {
		const struct prog_event *event = &c->shape.events[i];

		if (event->kind != PROG_NONE)
			pr_info("-b: %s: counting itself adds %" PRIu64 " to a run, and %" PRIu64
				" for each run inside it; pstat subtracts this",
				c->group->evsels[i]->name, c->shape.costs[event->word].own,
				c->shape.costs[event->word].inner);
	}
}

int prog_calibrate(struct prog_shape *shape, const struct backend_group *group,
		   const struct prog_fds *fds, const struct cpumap *possible)
{
	struct calibration c = {
		.shape = *shape, .group = group, .fds = fds, .possible = possible
	};
	struct strbuf why = STRBUF_INIT;
	int err;

	if (!shape->words.words)
		return 0;
	c.shape.why = &why;
	c.shape.filter = PROG_FILTER_NONE;
	c.shape.nr_cgroups = 0;
	c.shape.nr_sets = 1;
	c.shape.hist_word = -1;
	c.shape.outlier_word = -1;
	err = alloc(&c);
	err = err ?: load_all(&c);
	err = err ?: measure(&c);
	if (err) {
		memset(shape->costs, 0, sizeof(*shape->costs) * shape->words.words);
		pr_warn("-b: the cost of counting could not be measured, and is not subtracted: %s",
			reason__text(&why, err));
	} else {
		report_costs(&c);
	}
	for (int i = 0; i < NR_TARGETS; i++)
		prog_target__close(&c.targets[i]);
	prog_calibrate_bpf__destroy(c.skel);
	strbuf__free(&why);
	free(c.totals);
	free(c.before);
	free(c.batches);
	free(c.medians);
	free(c.known);
	return err;
}
