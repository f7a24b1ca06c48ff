// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-outliers.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/fd-limit.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/outliers.h"
#include "util/count/prog/prog-batch.h"
#include "util/count/prog/prog-fds.h"
#include "util/count/prog/prog-list.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/prog/prog-sums.h"
#include "util/count/prog/prog-totals.h"
#include "util/count/share/outlier-stream.h"
#include "util/event/evsel.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/cpu/cpumap.h"

/*
 * The buffer of each CPU has room for this number of runs, unless such a buffer would exceed the
 * maximum size that outlier_stream__buffer_size() allows.
 */
#define RUNS_HELD 1024
#define RECORD_OVERHEAD 32 /* an upper limit for the kernel's own part of a record */

struct prog_outliers {
	const struct backend_group *group;
	const struct prog_shape *shape;
	const struct prog_list *list;
	const struct cpumap *possible;
	struct perf_buffer *buffer; /* for the CPUs that were online at the start */
	struct perf_buffer **more;  /* one buffer for each time that a CPU came online later */
	int nr_more;
	struct prog_batch batch; /* records read from the buffers, but not yet passed to the sink */
	struct outlier_stream stream;
};

/*
 * outlier_stream__finish() reads the members that precede `record` in struct prog_outlier_cpu as a
 * struct outlier_tally.
 */
_Static_assert(offsetof(struct prog_outlier_cpu, record) == sizeof(struct outlier_tally),
	       "the numbers that outlier_stream__finish() reads");

/* ---- before anything is loaded ---- */

static size_t values_size(const struct prog_shape *shape)
{
	/* this size is a multiple of 8 bytes, so the kernel does not round it up */
	return sizeof(struct prog_outlier_cpu) - sizeof(struct prog_outlier) +
	       prog_shape__outlier_size(shape);
}

int prog_outliers__make_maps(struct prog_shape *shape)
{
	int err = prog_shape__make_map(shape, "--outliers", BPF_MAP_TYPE_PERCPU_ARRAY, "outliers",
				       values_size(shape), 1, &shape->outliers_map);

	if (!err)
		err = prog_shape__make_map(shape, "--outliers", BPF_MAP_TYPE_ARRAY,
					   "outlier_second", sizeof(__u64), 1, &shape->second_map);
	return err   ?:
		       prog_shape__make_map(shape, "--outliers", BPF_MAP_TYPE_PERF_EVENT_ARRAY,
					    "outlier_buffers", sizeof(__u32), shape->nr_cpus,
					    &shape->buffers_map);
}

/* ---- reading the buffers ---- */

/*
 * Called for each record: by libbpf for the records in `buffer`, and by keep_event() for all
 * others. Adds the record to `batch`. prog_outliers__drain() passes the runs in the batch to the
 * sink after it has emptied the buffers of all CPUs.
 */
static void keep_record(void *ctx, int cpu, void *data, __u32 size)
{
	struct prog_outliers *o = ctx;
	size_t least = prog_shape__outlier_size(o->shape);

	(void)cpu;
	if (size < least || size < least + ((const struct prog_outlier *)data)->packet) {
		pr_debug("--outliers: a record of %u bytes is not valid", size);
		o->stream.dropped++;
		return;
	}
	prog_batch__add(&o->batch, data, size);
}

/*
 * Called by libbpf for each perf record in the buffers that prog_outliers__add_cpu() made. If the
 * perf record is a sample (PERF_RECORD_SAMPLE), passes its contents (a struct prog_outlier and the
 * data after it) to keep_record(). Ignores all other perf records.
 */
static enum bpf_perf_event_ret keep_event(void *ctx, int cpu, struct perf_event_header *event)
{
	struct {
		struct perf_event_header header;
		__u32 size;
		char data[];
	} *sample = (void *)event;

	if (event->type == PERF_RECORD_SAMPLE)
		keep_record(ctx, cpu, sample->data, sample->size);
	return LIBBPF_PERF_EVENT_CONT;
}

static const struct bpf_prog *prog_of(const struct prog_outliers *o,
				      const struct prog_outlier *record)
{
	for (int i = 0; i < o->list->nr; i++)
		if ((uint64_t)(uintptr_t)o->list->entries[i].target.prog == record->target)
			return o->list->entries[i].target.prog;
	return NULL;
}

static struct reading reading_of(const struct prog_outliers *o, const struct prog_outlier *record,
				 int word)
{
	const uint64_t *words = (const uint64_t *)(record + 1) + word;
	const struct prog_cost *cost = &o->shape->costs[word];
	bool timed = (uint32_t)word >= o->shape->words.clock + o->shape->words.plain;
	struct reading reading = {
		.value = words[0],
		.enabled = timed ? words[1] : 0,
		.running = timed ? words[2] : 0,
	};

	prog_sums__subtract(&reading, cost->own + record->inner * cost->inner);
	return reading;
}

static int pass_record(struct prog_outliers *o, const struct prog_outlier *record)
{
	const struct bpf_prog *prog = prog_of(o, record);
	struct outlier_stream *stream = &o->stream;
	char comm[PROG_COMM_SIZE + 1] = "";
	struct outlier run = {
		.time_ns = outlier_stream__time(stream, record->time),
		.cpu = (int)record->cpu,
		.pid = (pid_t)record->pid,
		.tid = (pid_t)record->tid,
		.comm = comm,
		.prog_id = prog ? prog->id : 0,
		.prog = prog ? prog->name : "?",
		.packet = (const uint8_t *)record + prog_shape__outlier_size(o->shape),
		.packet_bytes = record->packet,
		.packet_len = record->packet_len,
	};

	memcpy(comm, record->comm, sizeof(record->comm));
	for (int i = 0; i < stream->nr_counts; i++)
		stream->counts[i].reading = reading_of(o, record, stream->words[i]);
	return outlier_stream__pass(
		stream, &run,
		(const void *)((const char *)record + prog_shape__branches_at(o->shape)));
}

int prog_outliers__drain(struct prog_outliers *o)
{
	int err;

	if (!o)
		return 0;
	err = perf_buffer__consume(o->buffer);
	for (int i = 0; !err && i < o->nr_more; i++)
		err = perf_buffer__consume(o->more[i]);
	err = err ?: prog_batch__sort(&o->batch);
	outlier_stream__read_error(&o->stream, err);
	for (size_t i = 0; !err && i < o->batch.nr; i++)
		err = pass_record(o, prog_batch__get(&o->batch, i));
	prog_batch__reset(&o->batch);
	return err;
}

/* ---- thresholds ---- */

int prog_outliers__adapt(struct prog_outliers *o, struct prog_snapshot *snapshot)
{
	struct hist_counts *hist;
	int err = 0;

	if (!o || !o->shape->outliers->by_percentile)
		return 0;
	hist = malloc(sizeof(*hist));
	if (!hist)
		return -ENOMEM;
	for (int i = 0; !err && i < o->list->nr; i++) {
		const struct prog_target *target = &o->list->entries[i].target;
		int bucket;

		memset(hist, 0, sizeof(*hist));
		err = prog_snapshot__take(snapshot, target);
		if (err)
			break;
		prog_snapshot__add_hist(snapshot, o->group, hist);
		bucket =
			hist__bucket_at(hist->total, o->shape->outliers->share, OUTLIER_LEAST_RUNS);
		if (bucket >= 0)
			prog_target__set_above(target, o->shape, hist__high(bucket));
	}
	free(hist);
	return err;
}

static int drain(void *ctx)
{
	return prog_outliers__drain(ctx);
}

int prog_outliers__finish(struct prog_outliers *o)
{
	return o ? outlier_stream__finish(&o->stream, o->shape->outliers_map, values_size(o->shape),
					  drain, o) :
		   0;
}

/* ---- beginning and end ---- */

/*
 * Chooses the counts that the stream passes to the sink for each run: the count of each open event,
 * and the time of the run if the clock is read. An event that is listed for several cgroups has
 * only one count.
 */
static void add_counts(struct prog_outliers *o, const struct prog_fds *fds)
{
	bool clock = o->shape->words.clock;

	for (int i = 0; i < o->group->nr; i++) {
		int word = o->shape->events[i].word;

		if (o->shape->events[i].kind != PROG_NONE && prog_fds__first_of(fds, i) == i)
			outlier_stream__add_count(&o->stream, o->group->evsels[i], word,
						  clock && !word);
	}
	if (clock)
		outlier_stream__add_count(&o->stream, NULL, 0, true);
}

static size_t nr_pages(const struct prog_shape *shape)
{
	size_t record = prog_shape__outlier_size(shape) + shape->outliers->packet;
	size_t bytes = outlier_stream__buffer_size(RUNS_HELD, record + RECORD_OVERHEAD);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return bytes > page ? bytes / page : 1;
}

static int open_buffer(struct prog_outliers *o)
{
	uint64_t needed, allowed;
	int err = fd_limit__make_room((uint64_t)o->possible->nr + 1, &needed, &allowed);

	if (err)
		return reason__set(o->group->why, err,
				   "--outliers: the buffers of all CPUs need %" PRIu64
				   " open files, but this process may open only %" PRIu64
				   "\nraise the limit (ulimit -n)",
				   needed, allowed);
	o->buffer = perf_buffer__new(o->shape->buffers_map, nr_pages(o->shape), keep_record, NULL,
				     o, NULL);
	if (o->buffer)
		return 0;
	err = -errno;
	return reason__set(
		o->group->why, err,
		"--outliers: cannot make buffers of %zu pages for each CPU: %s%s",
		nr_pages(o->shape), strerror(-err),
		err == -EPERM ?
			"\nwithout CAP_IPC_LOCK, /proc/sys/kernel/perf_event_mlock_kb limits them" :
			"");
}

/*
 * Makes a new buffer even if the CPU already had one before it went offline. The old buffer is
 * kept, because it may still contain records. For a buffer of a single CPU, libbpf requires a
 * perf_event_attr from the caller.
 */
int prog_outliers__add_cpu(struct prog_outliers *o, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.wakeup_events = 1,
	};
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpu_cnt = 1, .cpus = &cpu, .map_keys = &cpu);
	struct epoll_event watched = { .events = EPOLLIN };
	struct perf_buffer **more, *buffer;

	if (!o)
		return 0;
	if (outlier_stream__add_cpu(&o->stream, cpu))
		return -ENOMEM;
	more = realloc(o->more, sizeof(*more) * ((size_t)o->nr_more + 1));
	if (!more)
		return -ENOMEM;
	o->more = more;
	buffer = perf_buffer__new_raw(o->shape->buffers_map, nr_pages(o->shape), &attr, keep_event,
				      o, &opts);
	if (!buffer) {
		pr_warn("--outliers: cannot make a buffer for CPU %d, which came online: %s\n"
			"runs there are counted as lost",
			cpu, strerror(errno));
		return 0;
	}
	more[o->nr_more++] = buffer;
	/* make the fd of prog_outliers__wake_fd() also readable when the new buffer has records */
	if (epoll_ctl(perf_buffer__epoll_fd(o->buffer), EPOLL_CTL_ADD,
		      perf_buffer__epoll_fd(buffer), &watched))
		pr_info("--outliers: runs on CPU %d are printed late: %s", cpu, strerror(errno));
	return 0;
}

int prog_outliers__new(const struct backend_group *group, const struct prog_shape *shape,
		       const struct prog_fds *fds, const struct prog_list *list,
		       const struct cpumap *possible, struct prog_outliers **out)
{
	struct prog_outliers *o = shape->outlier_word >= 0 ? calloc(1, sizeof(*o)) : NULL;
	int err;

	*out = NULL;
	if (shape->outlier_word < 0)
		return 0;
	if (!o)
		return -ENOMEM;
	o->group = group;
	o->shape = shape;
	o->list = list;
	o->possible = possible;
	o->batch = (struct prog_batch)PROG_BATCH_INIT;
	err = outlier_stream__begin(&o->stream, group,
				    shape->branches ? PERF_SAMPLE_BRANCH_KERNEL : 0);
	err = err ?: open_buffer(o);
	if (err)
		prog_outliers__free(o);
	else
		add_counts(o, fds);
	*out = err ? NULL : o;
	return err;
}

void prog_outliers__free(struct prog_outliers *o)
{
	if (!o)
		return;
	for (int i = 0; i < o->nr_more; i++)
		perf_buffer__free(o->more[i]);
	perf_buffer__free(o->buffer);
	outlier_stream__end(&o->stream);
	free(o->more);
	prog_batch__free(&o->batch);
	free(o);
}

int prog_outliers__wake_fd(const struct prog_outliers *o)
{
	return o ? perf_buffer__epoll_fd(o->buffer) : -1;
}
