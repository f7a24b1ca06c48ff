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

/* False when it is in none of the programs. */
static bool find_place(const struct profile *profile, const struct profile_ip_key *key, struct profile_row *row)
{
	struct profile_place at;
	struct profile_prog prog;

	if (profile_progs__locate(profile->progs, key->ip, &at))
		return false;
	row->file = row->text = "";
	prog = profile_progs__at(profile->progs, at.prog);
	row->prog = at.prog;
	row->prog_id = prog.id;
	row->prog_name = prog.name;
	row->func = prog.code->funcs[at.func].name;
	if (at.line >= 0) {
		row->file = prog.code->lines[at.line].file;
		row->text = prog.code->lines[at.line].text;
		row->line = prog.code->lines[at.line].line;
	}
	return true;
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
	if (a->sum.weight != b->sum.weight)
		return a->sum.weight < b->sum.weight ? 1 : -1;
	return compare_places(a, b);
}

static void merge(struct profile_rows *rows)
{
	int kept = 0;

	for (int i = 0; i < rows->nr; i++) {
		struct profile_row *last = kept ? &rows->rows[kept - 1] : NULL;

		if (last && !compare_places(last, &rows->rows[i])) {
			last->sum.samples += rows->rows[i].sum.samples;
			last->sum.weight += rows->rows[i].sum.weight;
		} else {
			rows->rows[kept++] = rows->rows[i];
		}
	}
	rows->nr = kept;
}

/* Fills what the rows tell of an event as a whole, and with that their shares. */
static void share_out(struct profile_rows *rows)
{
	for (int i = 0; i < rows->nr; i++) {
		struct profile_totals *totals = &rows->totals[rows->rows[i].event];

		totals->kept += rows->rows[i].sum.samples;
		totals->kept_weight += rows->rows[i].sum.weight;
	}
	for (int i = 0; i < rows->nr; i++) {
		struct profile_row *row = &rows->rows[i];
		uint64_t all = rows->totals[row->event].kept_weight;

		row->share = all ? 100.0 * (double)row->sum.weight / (double)all : 0;
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

static int make_rows(const struct profile *profile, bool delta, struct profile_rows *rows)
{
	uint32_t nr = sample_table__nr(profile->samples);

	rows->rows = calloc((size_t)nr + 1, sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		const struct profile_ip_key *key = sample_table__key(profile->samples, i);
		struct profile_row row = {
			.event = (int)key->event,
			.sum = (delta ? sample_table__delta : sample_table__total)(profile->samples, i),
		};

		if (row.sum.samples && find_place(profile, key, &row))
			rows->rows[rows->nr++] = row;
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
	totals->samples = totals->kept + fate->elsewhere + fate->no_room + fate->busy;
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
