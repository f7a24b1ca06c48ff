// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/profile/profile-rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/count/counts.h"
#include "util/count/profile/profile-progs.h"
#include "util/count/profile/profile.h"
#include "util/event/evsel.h"
#include "util/machine/bpf-prog-code.h"
#include "util/machine/cpumap.h"

/* ---- rows ---- */

static struct profile_row make_row(const struct profile *profile, int event, const struct profile_place *at,
				   struct sample_sum sum)
{
	static const struct sample_sum none;
	struct profile_prog prog = profile_progs__at(profile->progs, at->prog);
	struct profile_row row = {
		.event = event,
		.self = at->is_self ? sum : none,
		.total = sum,
		.prog = at->prog,
		.prog_id = prog.id,
		.prog_name = prog.name,
		.func = prog.code->funcs[at->func].name,
		.file = "",
		.text = "",
	};

	if (at->line >= 0) {
		row.file = prog.code->lines[at->line].file;
		row.text = prog.code->lines[at->line].text;
		row.line = prog.code->lines[at->line].line;
	}
	return row;
}

/* Rows that are one stand side by side: of one line, whichever addresses it has. */
static int compare_places(const void *left, const void *right)
{
	const struct profile_row *a = left, *b = right;
	int order;

	if (a->event != b->event || a->prog != b->prog)
		return a->event != b->event ? a->event - b->event : a->prog - b->prog;
	order = strcmp(a->func, b->func) ?: strcmp(a->file, b->file);
	return order ?: a->line < b->line ? -1 : a->line > b->line;
}

static int compare_weights(const void *left, const void *right)
{
	const struct profile_row *a = left, *b = right;

	if (a->event != b->event)
		return a->event - b->event;
	if (a->total.weight != b->total.weight)
		return a->total.weight < b->total.weight ? 1 : -1;
	if (a->self.weight != b->self.weight)
		return a->self.weight < b->self.weight ? 1 : -1;
	return compare_places(a, b);
}

static void merge(struct profile_rows *rows)
{
	int kept = 0;

	for (int i = 0; i < rows->nr; i++) {
		struct profile_row *last = kept ? &rows->rows[kept - 1] : NULL;

		if (last && !compare_places(last, &rows->rows[i])) {
			sample_sum__add(&last->self, &rows->rows[i].self);
			sample_sum__add(&last->total, &rows->rows[i].total);
		} else {
			rows->rows[kept++] = rows->rows[i];
		}
	}
	rows->nr = kept;
}

static void share_out(struct profile_rows *rows)
{
	for (int i = 0; i < rows->nr; i++) {
		struct profile_row *row = &rows->rows[i];
		uint64_t all = rows->totals[row->event].kept_weight;

		row->share = sample_sum__percent(&row->self, all);
		row->total_share = sample_sum__percent(&row->total, all);
	}
}

/* What was kept with stacks, whose rows are of another kind (profile-stacks.h). */
static void add_stacks(const struct profile *profile, bool delta, struct profile_rows *rows)
{
	for (uint32_t i = 0; i < sample_table__nr(profile->samples); i++) {
		const struct profile_stack_key *key = sample_table__key(profile->samples, i);
		struct sample_sum sum = (delta ? sample_table__delta : sample_table__total)(profile->samples, i);

		rows->totals[key->event].kept += sum.samples;
		rows->totals[key->event].kept_weight += sum.weight;
	}
}

/* A row for each line that the samples are in or below; rows of the same line are not merged yet. */
static void add_frames(const struct profile *profile, const struct profile_frames *frames, struct sample_sum sum,
		       struct profile_rows *rows)
{
	struct profile_totals *totals = &rows->totals[frames->event];
	struct profile_place places[PROFILE_MOST_FRAMES];
	int nr = profile_progs__locate(profile->progs, frames, places);

	totals->kept += sum.samples;
	totals->kept_weight += sum.weight;
	totals->self += frames->in_callee ? 0 : sum.samples;
	for (int i = 0; i < nr; i++)
		if (places[i].is_first_line)
			rows->rows[rows->nr++] = make_row(profile, (int)frames->event, &places[i], sum);
}

static int make_rows(const struct profile *profile, bool delta, struct profile_rows *rows)
{
	uint32_t nr = sample_table__nr(profile->samples);

	rows->rows = calloc((size_t)nr * PROFILE_MOST_FRAMES + 1, sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		struct sample_sum sum = (delta ? sample_table__delta : sample_table__total)(profile->samples, i);

		if (sum.samples)
			add_frames(profile, sample_table__key(profile->samples, i), sum, rows);
	}
	qsort(rows->rows, (size_t)rows->nr, sizeof(*rows->rows), compare_places);
	merge(rows);
	share_out(rows);
	qsort(rows->rows, (size_t)rows->nr, sizeof(*rows->rows), compare_weights);
	return 0;
}

/* ---- totals ---- */

static struct reading add_up(const struct counts *counts, bool delta, int *nr_fds)
{
	struct reading sum = { 0 };

	*nr_fds = 0;
	for (int cpu = 0; cpu < counts->cpus->nr; cpu++) {
		for (int thread = 0; thread < counts->nr_threads; thread++) {
			struct reading one = (delta ? counts__delta : counts__total)(counts, cpu, thread);

			sum.value += one.value;
			sum.enabled += one.enabled;
			sum.running += one.running;
			*nr_fds += one.enabled != 0;
		}
	}
	return sum;
}

/* What a sample stands for on the average; 0: not known, as there was none. */
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
 * Samples that were not taken: what the event counted beyond the periods of those that were. Of each fd one period may be on its
 * way. Clocks count all time, also that which their modifiers leave out.
 */
static uint64_t count_missed(const struct evsel *evsel, uint64_t period, const struct profile_totals *totals,
			     int nr_fds)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;
	uint64_t more;

	if (!period || totals->count <= totals->weight)
		return 0;
	if (evsel__is_clock(evsel) && (attr->exclude_user || attr->exclude_kernel || attr->exclude_idle))
		return 0;
	more = (totals->count - totals->weight) / period;
	return more > (uint64_t)nr_fds ? more - (uint64_t)nr_fds : 0;
}

static void fill_totals(const struct profile_event *event, const struct sampling *sampling, const struct counts *counts,
			bool delta, struct profile_totals *totals)
{
	int nr_fds;
	struct reading reading = add_up(counts, delta, &nr_fds);
	const struct profile_fate *fate = &event->fate;
	/* as of the samples themselves, where the kernel tells the BPF program */
	bool timed = event->times.enabled && !fate->no_times;

	totals->no_room = fate->no_room;
	totals->busy = fate->busy;
	totals->elsewhere = fate->elsewhere;
	totals->no_stack = fate->no_stack;
	totals->samples = totals->kept + fate->elsewhere + fate->no_room + fate->busy + fate->no_stack;
	totals->weight = totals->kept_weight + fate->weight;
	totals->enabled = timed ? event->times.enabled : reading.enabled;
	totals->running = timed ? event->times.running : reading.running;
	totals->count = reading.value;
	totals->missed = count_missed(counts->evsel, mean_period(counts->evsel, sampling, totals), totals, nr_fds);
}

int profile_rows__make(const struct sampling *sampling, const struct counts_set *counts, bool delta,
		       struct profile_rows *rows)
{
	const struct profile *profile = sampling->profile;

	*rows = (struct profile_rows){ .nr_events = profile->nr_events };
	rows->totals = calloc((size_t)profile->nr_events + 1, sizeof(*rows->totals));
	if (!rows->totals || (profile->progs && make_rows(profile, delta, rows))) {
		profile_rows__free(rows);
		return -ENOMEM;
	}
	if (!profile->progs)
		add_stacks(profile, delta, rows);
	for (int event = 0; event < profile->nr_events; event++) {
		struct profile_event sum = delta ? profile__delta(profile, event) : profile->total[event];

		fill_totals(&sum, sampling, counts->events[event], delta, &rows->totals[event]);
	}
	return 0;
}

void profile_rows__free(struct profile_rows *rows)
{
	free(rows->rows);
	free(rows->totals);
	*rows = (struct profile_rows){ 0 };
}
