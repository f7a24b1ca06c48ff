// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/profile/profile-report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/strbuf.h"
#include "util/count/counts.h"
#include "util/count/gate.h"
#include "util/count/measurement.h"
#include "util/count/profile/profile.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/* ---- functions for all rows ---- */

struct sample_sum profile_report__at(const struct profile_report *report, uint32_t place)
{
	const struct sample_table *samples = report->measurement->profile->samples;

	return (report->is_interval ? sample_table__delta : sample_table__total)(samples, place);
}

struct row_event profile_report__event(const struct profile_report *report, int event)
{
	return (struct row_event){ .nr = event,
				   .name = report->measurement->events[event]->evsel->name };
}

int profile_sums__merge(void *rows, int nr, size_t size,
			int (*compare)(const void *left, const void *right))
{
	char *last = rows;

	if (nr < 2)
		return nr;
	qsort(rows, (size_t)nr, size, compare);
	for (char *row = last + size; row < (char *)rows + (size_t)nr * size; row += size) {
		struct profile_sums *to = (struct profile_sums *)(void *)last;
		const struct profile_sums *from = (const struct profile_sums *)(void *)row;

		if (!compare(to, from)) {
			sample_sum__add(&to->self, &from->self);
			sample_sum__add(&to->total, &from->total);
			continue;
		}
		last += size;
		if (last != row)
			memcpy(last, row, size);
	}
	return (int)((size_t)(last - (char *)rows) / size) + 1;
}

void profile_sums__share_out(void *rows, int nr, size_t size, const struct profile_totals *totals)
{
	for (int i = 0; i < nr; i++) {
		struct profile_sums *sums = (void *)((char *)rows + (size_t)i * size);
		uint64_t all = totals[sums->event.nr].kept_weight;

		sums->share = sample_sum__percent(&sums->self, all);
		sums->total_share = sample_sum__percent(&sums->total, all);
	}
}

static int larger_first(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

int profile_sums__compare(const struct profile_sums *a, const struct profile_sums *b,
			  bool self_first)
{
	int total = larger_first(a->total.weight, b->total.weight);
	int self = larger_first(a->self.weight, b->self.weight);

	return a->event.nr - b->event.nr ?: self_first ? self ?: total : total ?: self;
}

const char *profile_report__base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- totals ---- */

/*
 * Returns the sum of the readings of all CPUs and threads. With @delta, these are the readings of
 * the latest interval. Sets *@nr_fds to the number of readings whose enabled time is not 0. If
 * @open_ns is not NULL (--start or --stop), *@open_ns is the time for which the gate was open, and
 * the enabled and running times of each reading are limited to this time.
 */
static struct reading add_up(const struct counts *counts, bool delta, const uint64_t *open_ns,
			     int *nr_fds)
{
	struct reading sum = { 0 };

	*nr_fds = 0;
	for (int cpu = 0; cpu < counts->cpus->nr; cpu++) {
		for (int thread = 0; thread < counts->nr_columns; thread++) {
			struct reading one =
				(delta ? counts__delta : counts__total)(counts, cpu, thread);

			if (open_ns)
				gate__limit_times(*open_ns, &one.enabled, &one.running);
			sum.value += one.value;
			sum.enabled += one.enabled;
			sum.running += one.running;
			*nr_fds += one.enabled != 0;
		}
	}
	return sum;
}

/*
 * Returns the average period of the samples, or the requested period if there are no samples.
 * Returns 0 if the period is unknown.
 */
static uint64_t mean_period(const struct evsel *evsel, const struct sampling *sampling,
			    const struct profile_totals *totals)
{
	if (totals->samples)
		return totals->weight / totals->samples;
	if (sampling->period)
		return sampling->period;
	return evsel__is_clock(evsel) ? NSEC_PER_SEC / sampling->freq : 0;
}

/*
 * Returns the number of missed samples: (count - weight of the samples) / @period. Subtracts one
 * sample for each fd of the event, because the last period of an fd may be incomplete. Returns 0
 * for clocks with modifiers such as :u, because a clock's count includes the time that the
 * modifiers exclude.
 */
static uint64_t count_missed(const struct evsel *evsel, uint64_t period,
			     const struct profile_totals *totals, int nr_fds)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;
	uint64_t more;

	if (!period || totals->count <= totals->weight)
		return 0;
	if (evsel__is_clock(evsel) &&
	    (attr->exclude_user || attr->exclude_kernel || attr->exclude_idle))
		return 0;
	more = (totals->count - totals->weight) / period;
	return more > (uint64_t)nr_fds ? more - (uint64_t)nr_fds : 0;
}

static void fill_totals(const struct profile_event *event, const struct counts *counts,
			struct profile_totals *totals)
{
	const struct profile_report *report = totals->report;
	const struct measurement *m = report->measurement;
	const uint64_t *open_ns = !m->profile->gated  ? NULL :
				  report->is_interval ? &m->length_ns :
							&m->time_ns;
	int nr_fds;
	struct reading reading = add_up(counts, report->is_interval, open_ns, &nr_fds);
	const struct profile_fate *fate = &event->fate;
	/*
	 * whether the BPF program could read the enabled and running times at each sample; if not,
	 * use the times in the readings
	 */
	bool timed = event->times.enabled && !fate->no_times;
	uint64_t period;

	totals->no_room = fate->no_room;
	totals->busy = fate->busy;
	totals->elsewhere = fate->elsewhere;
	totals->no_stack = fate->no_stack;
	totals->samples =
		totals->kept + fate->elsewhere + fate->no_room + fate->busy + fate->no_stack;
	totals->weight = totals->kept_weight + fate->weight;
	totals->enabled = timed ? event->times.enabled : reading.enabled;
	totals->running = timed ? event->times.running : reading.running;
	/*
	 * with --start or --stop, the reading also contains what the event counted while the gate
	 * (gate.h) was closed, so use the weight of the samples instead
	 */
	totals->count = open_ns ? totals->weight : reading.value;
	totals->of_tasks = cpumap__is_any(counts->cpus);
	totals->collided = event->stacks.collided;
	totals->no_stack_room = event->stacks.no_room;
	totals->failed = event->stacks.failed;
	period = mean_period(counts->evsel, report->sampling, totals);
	totals->missed = count_missed(counts->evsel, period, totals, nr_fds);
}

/*
 * Adds the samples in the table to the totals of their events. The keys of the table begin with the
 * event's index.
 */
static void add_kept(struct profile_report *report)
{
	const struct sample_table *samples = report->measurement->profile->samples;

	for (uint32_t i = 0; i < sample_table__nr(samples); i++) {
		const void *key = sample_table__key(samples, i);
		const struct profile_frames *frames = report->sampling->progs ? key : NULL;
		struct sample_sum sum = profile_report__at(report, i);
		struct profile_totals *totals = &report->totals[*(const __u32 *)key];

		totals->kept += sum.samples;
		totals->kept_weight += sum.weight;
		totals->self += frames && !frames->in_callee ? sum.samples : 0;
	}
}

int profile_report__make_totals(struct profile_report *report)
{
	const struct profile *profile = report->measurement->profile;

	report->totals = calloc((size_t)profile->nr_events + 1, sizeof(*report->totals));
	if (!report->totals)
		return -ENOMEM;
	add_kept(report);
	for (int event = 0; event < profile->nr_events; event++) {
		struct profile_totals *totals = &report->totals[event];
		struct profile_event sum = report->is_interval ? profile__delta(profile, event) :
								 profile->total[event];

		totals->event = profile_report__event(report, event);
		totals->report = report;
		fill_totals(&sum, report->measurement->events[event], totals);
	}
	return 0;
}

/* ---- columns of totals ---- */

static void add_head(const void *row, struct strbuf *sb)
{
	const struct profile_totals *totals = row;
	const struct profile_report *report = totals->report;
	const struct sampling *sampling = report->sampling;
	uint64_t inside = totals->samples - totals->elsewhere - totals->no_stack;

	strbuf__addc(sb, '#');
	if (report->is_interval)
		strbuf__addf(sb, " %" PRIu64 ".%09" PRIu64 " s:",
			     (uint64_t)(report->measurement->time_ns / NSEC_PER_SEC),
			     (uint64_t)(report->measurement->time_ns % NSEC_PER_SEC));
	strbuf__addc(sb, ' ');
	strbuf__add_clean(sb, totals->event.name);
	if (sampling->period)
		strbuf__addf(sb, ", each %" PRIu64 ": ", sampling->period);
	else
		strbuf__addf(sb, ", %" PRIu64 " times a second: ", sampling->freq);
	if (sampling->progs)
		strbuf__addf(sb,
			     "%" PRIu64 " of %" PRIu64
			     " samples in the programs and what they call (%.2f%%), %" PRIu64
			     " in their own code\n",
			     inside, totals->samples,
			     totals->samples ? 100.0 * (double)inside / (double)totals->samples : 0,
			     totals->self);
	else
		strbuf__addf(sb, "%" PRIu64 " samples\n", totals->samples);
}

/* Returns a possible reason why the event has no samples although its count is not 0. */
static const char *why_none(const struct profile_totals *totals)
{
	const struct perf_event_attr *attr =
		&totals->report->measurement->events[totals->event.nr]->evsel->attr.attr;

	if (attr->exclude_user || attr->exclude_kernel)
		return totals->of_tasks ? "no thread reached the end of a period, or none did so "
					  "in code that the event's modifiers include" :
					  "no CPU reached the end of a period in code that the "
					  "event's modifiers include";
	return totals->of_tasks ? "no thread reached the end of a period" :
				  "no CPU reached the end of a period";
}

/*
 * If the whole profile has no samples of the event, adds the reason and, in some cases, advice.
 * Adds nothing for an interval.
 */
static void add_none(const void *row, struct strbuf *sb)
{
	const struct profile_totals *totals = row;

	if (totals->samples || totals->report->is_interval)
		return;
	if (totals->report->measurement->profile->gated) {
		strbuf__adds(sb, "# there are no samples between the points of --start and "
				 "--stop\n");
		return;
	}
	if (!totals->count) {
		strbuf__adds(sb, "# there are no samples, because the event counted nothing\n");
		return;
	}
	strbuf__addf(sb,
		     "# there are no samples, although the event counted %" PRIu64 ": %s\n"
		     "# to get samples, use a shorter period (-c, or a larger -F)%s\n",
		     totals->count, why_none(totals),
		     totals->of_tasks ? ", or sample all CPUs (-a): each thread begins its own "
					"period" :
					", or count for longer");
}

static void add_missed(const void *row, struct strbuf *sb)
{
	const struct profile_totals *totals = row;

	if (totals->missed && (totals->samples || !totals->of_tasks))
		strbuf__addf(sb,
			     "# about %" PRIu64
			     " sample%s not taken: throttling, a late timer, %sor BPF programs "
			     "that the kernel does not sample\n",
			     totals->missed, totals->missed == 1 ? " was" : "s were",
			     totals->of_tasks ? "threads that end within a period, " : "");
}

static void add_running(const void *row, struct strbuf *sb)
{
	const struct profile_totals *totals = row;

	if (totals->running < totals->enabled)
		strbuf__addf(sb, "# the event had a counter for %.2f%% of the time\n",
			     100.0 * (double)totals->running / (double)totals->enabled);
}

#define FIGURE(key, member) COLUMN(IN_DATA, key, struct profile_totals, member)
#define NOT_SHOWN(member, why) \
	COLUMN_REMARK_OF(struct profile_totals, member, "samples are not shown: " why)

const struct column profile_totals_columns[] = {
	PROFILE_KIND_COLUMNS("total"),
	FIGURE("samples", samples),
	FIGURE("weight", weight),
	FIGURE("kept", kept),
	FIGURE("elsewhere", elsewhere),
	FIGURE("no-room", no_room),
	FIGURE("busy", busy),
	FIGURE("missed", missed),
	FIGURE("enabled", enabled),
	FIGURE("running", running),
	FIGURE("count", count),
	FIGURE("self", self),
	FIGURE("no-stack", no_stack),
	COLUMN_REMARK_BY(add_head),
	COLUMN_REMARK_BY(add_none),
	NOT_SHOWN(no_room, "the map is full (--map-size)"),
	NOT_SHOWN(busy, "they came while the map was being changed"),
	NOT_SHOWN(no_stack, "the kernel could not walk their stacks"),
	COLUMN_REMARK_BY(add_missed),
	COLUMN_REMARK_BY(add_running),
	{ 0 },
};

void profile_report__free(struct profile_report *report)
{
	for (int i = 0; i < report->nr_stacks; i++)
		free(report->stacks[i].names);
	free(report->stacks);
	free(report->symbols);
	free(report->code);
	free(report->lines);
	free(report->totals);
}
