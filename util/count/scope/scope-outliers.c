// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-outliers.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/outliers.h"
#include "util/count/scope/scope-class.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"
#include "util/count/scope/scope-totals.h"
#include "util/count/share/outlier-stream.h"
#include "util/event/evsel.h"
#include "util/machine/scope/scope.h"

/*
 * The number of runs for which the buffer has room, unless the buffer would then exceed the maximum
 * size that outlier_stream__buffer_size() allows.
 */
#define RUNS_HELD 4096
#define RECORD_OVERHEAD 16 /* an upper limit for the kernel's own part of a record */

/*
 * The maximum number of rows for which one call of scope_outliers__adapt() computes a percentile.
 */
#define ROWS_AT_ONCE 256

struct scope_outliers {
	const struct backend_group *group;
	const struct scope_shape *shape;
	const struct scope_programs *programs;
	struct scope_totals_table *totals;
	const struct scope_list *list;
	struct ring_buffer *ring;
	int next_row; /* the row at which the next call of scope_outliers__adapt() starts */
	struct outlier_stream stream;
};

_Static_assert(sizeof(struct scope_outlier_sums) == sizeof(struct outlier_tally),
	       "the numbers that outlier_stream__finish() reads");

int scope_outliers__set_sizes(const struct scope_programs *programs,
			      const struct scope_shape *shape)
{
	struct scope_bpf *skel = programs->skel;
	size_t record = scope_shape__outlier_size(shape);
	__u32 rows = ((__u32)shape->nr_rows + 2) * (__u32)shape->nr_sets;
	int err;

	if (shape->outlier_word < 0)
		return bpf_map__set_max_entries(skel->maps.outlier_ring,
						(__u32)sysconf(_SC_PAGESIZE));
	skel->rodata->outlier_size = (__u32)record;
	/* the wall time is the last word of a reading (struct scope_words) */
	skel->rodata->wall_word = shape->words.words - 1;
	skel->rodata->outlier_rate = shape->outliers->rate;
	err = bpf_map__set_max_entries(
		skel->maps.outlier_ring,
		(__u32)outlier_stream__buffer_size(RUNS_HELD, record + RECORD_OVERHEAD));
	/* the last two rows are for scope_calibrate(); their runs are never reported */
	return err ?: bpf_map__set_max_entries(skel->maps.thresholds, rows);
}

/* ---- reading the buffer ---- */

static struct reading reading_of(const struct scope_outliers *o, const struct scope_outlier *record,
				 int word)
{
	const struct scope_words *of = &o->shape->words;
	const uint64_t *words = (const uint64_t *)(record + 1) + word;
	bool timed = (uint32_t)word >= of->plain && (uint32_t)word < of->plain + 3 * of->timed;
	struct reading reading = {
		.value = words[0],
		.enabled = timed ? words[1] : 0,
		.running = timed ? words[2] : 0,
	};

	scope_shape__subtract(o->shape, word, 1, record->inner, record->nested, &reading);
	return reading;
}

static int pass_on(struct scope_outliers *o, const struct scope_outlier *record)
{
	struct outlier_stream *stream = &o->stream;
	char comm[sizeof(record->comm) + 1] = "";
	struct outlier run = {
		.time_ns = outlier_stream__time(stream, record->end),
		.begin_ns = outlier_stream__time(stream, record->begin),
		.cpu = (int)record->cpu,
		.pid = (pid_t)record->pid,
		.tid = (pid_t)record->tid,
		.comm = comm,
		.scope = o->list->scopes[record->scope].name,
	};

	memcpy(comm, record->comm, sizeof(record->comm));
	for (int i = 0; i < stream->nr_counts; i++)
		stream->counts[i].reading = reading_of(o, record, stream->words[i]);
	return outlier_stream__pass(
		stream, &run,
		(const void *)((const char *)record + scope_shape__branches_at(o->shape)));
}

/* libbpf calls this function for each record in the buffer. */
static int take_record(void *ctx, void *data, size_t size)
{
	struct scope_outliers *o = ctx;
	const struct scope_outlier *record = data;

	if (size == scope_shape__outlier_size(o->shape) && record->scope < (__u32)o->list->nr)
		return pass_on(o, record);
	o->stream.dropped++;
	return 0;
}

int scope_outliers__drain(struct scope_outliers *o)
{
	int nr = o ? ring_buffer__consume(o->ring) : 0;

	return nr >= 0 ? 0 : outlier_stream__read_error(&o->stream, nr);
}

int scope_outliers__wake_fd(const struct scope_outliers *o)
{
	return o ? ring_buffer__epoll_fd(o->ring) : -1;
}

/* ---- thresholds ---- */

static int set_threshold(const struct scope_outliers *o, int row, uint64_t above)
{
	__u32 key = (__u32)row * (__u32)o->shape->nr_sets;
	__u64 value = above == UINT64_MAX ? above : above + 1;

	if (!bpf_map_update_elem(bpf_map__fd(o->programs->skel->maps.thresholds), &key, &value,
				 BPF_ANY))
		return 0;
	return reason__set(o->group->why, -errno, "--outliers: cannot set the threshold: %s",
			   strerror(errno));
}

int scope_outliers__set_thresholds(struct scope_outliers *o)
{
	int err = 0;

	if (!o || o->shape->outliers->by_percentile)
		return 0;
	for (int row = 0; !err && row < o->shape->nr_rows; row++)
		err = set_threshold(o, row, o->shape->outliers->above);
	return err;
}

static int adapt_row(struct scope_outliers *o, int row, struct hist_counts *hist)
{
	int err = scope_totals__read_hist(o->totals, row, hist), bucket;

	if (err)
		return err;
	bucket = hist__bucket_at(hist->total, o->shape->outliers->share, OUTLIER_LEAST_RUNS);
	return bucket < 0 ? 0 : set_threshold(o, row, hist__high(bucket));
}

int scope_outliers__adapt(struct scope_outliers *o)
{
	struct hist_counts *hist;
	int err = 0, nr;

	if (!o || !o->shape->outliers->by_percentile)
		return 0;
	hist = malloc(sizeof(*hist));
	if (!hist)
		return -ENOMEM;
	nr = o->shape->nr_rows < ROWS_AT_ONCE ? o->shape->nr_rows : ROWS_AT_ONCE;
	for (int i = 0; !err && i < nr; i++) {
		err = adapt_row(o, o->next_row, hist);
		o->next_row = (o->next_row + 1) % o->shape->nr_rows;
	}
	free(hist);
	return err;
}

static int drain(void *ctx)
{
	return scope_outliers__drain(ctx);
}

int scope_outliers__finish(struct scope_outliers *o)
{
	return o ? outlier_stream__finish(&o->stream,
					  bpf_map__fd(o->programs->skel->maps.outlier_sums),
					  sizeof(struct scope_outlier_sums), drain, o) :
		   0;
}

/* ---- open and close ---- */

/* Makes the stream pass the count of each open event, and the wall time of the run, to the sink. */
static void add_counts(struct scope_outliers *o)
{
	for (int i = 0; i < o->group->nr; i++) {
		const struct scope_event *event = &o->shape->events[i];

		if (event->kind != SCOPE_NONE)
			outlier_stream__add_count(&o->stream, o->group->evsels[i], event->word,
						  event->kind == SCOPE_WALL ||
							  event->kind == SCOPE_CLOCK);
	}
	outlier_stream__add_count(&o->stream, NULL, (int)o->shape->words.words - 1, true);
}

static int open_buffer(struct scope_outliers *o)
{
	int err;

	o->ring = ring_buffer__new(bpf_map__fd(o->programs->skel->maps.outlier_ring), take_record,
				   o, NULL);
	if (o->ring)
		return 0;
	err = -errno;
	return reason__set(o->group->why, err, "--outliers: cannot open the buffer: %s",
			   strerror(-err));
}

/*
 * Returns which branches are recorded, as a bit mask of PERF_SAMPLE_BRANCH_USER (branches in user
 * code) and PERF_SAMPLE_BRANCH_KERNEL (branches in the kernel). If all scopes are in user code,
 * branches in the kernel are not recorded, because the CPU keeps only the latest branches, and the
 * branches of the probe would replace the branches of the run.
 */
static uint64_t code_of_branches(const struct scope_list *list)
{
	unsigned int classes = scope_class__all(list), user = SCOPE_CLASSES_USER;
	uint64_t code = 0;

	if (classes & user)
		code |= PERF_SAMPLE_BRANCH_USER;
	if (classes & ~user)
		code |= PERF_SAMPLE_BRANCH_KERNEL;
	return code;
}

int scope_outliers__add_cpu(struct scope_outliers *o, int cpu)
{
	return o ? outlier_stream__add_cpu(&o->stream, cpu) : 0;
}

int scope_outliers__new(const struct backend_group *group, const struct scope_shape *shape,
			const struct scope_programs *programs, struct scope_totals_table *totals,
			const struct scope_list *list, struct scope_outliers **out)
{
	struct scope_outliers *o = shape->outlier_word >= 0 ? calloc(1, sizeof(*o)) : NULL;
	int err;

	*out = NULL;
	if (shape->outlier_word < 0)
		return 0;
	if (!o)
		return -ENOMEM;
	o->group = group;
	o->shape = shape;
	o->programs = programs;
	o->totals = totals;
	o->list = list;
	err = outlier_stream__begin(&o->stream, group,
				    shape->branches ? code_of_branches(list) : 0);
	err = err ?: open_buffer(o);
	if (err)
		scope_outliers__free(o);
	else
		add_counts(o);
	*out = err ? NULL : o;
	return err;
}

void scope_outliers__free(struct scope_outliers *o)
{
	if (!o)
		return;
	ring_buffer__free(o->ring);
	outlier_stream__end(&o->stream);
	free(o);
}
