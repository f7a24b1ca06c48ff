// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/decimal.h"
#include "util/base/number.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/report/compare/baseline.h"

/* ---- --fail-over ---- */

static int parse_limit(struct compare_spec *spec, const char *text, size_t len, struct strbuf *why)
{
	const char *colon = memrchr(text, ':', len);
	size_t digits = colon ? len - (size_t)(colon + 1 - text) : 0;
	struct compare_limit *limits;
	double percent;

	if (digits && colon[digits] == '%')
		digits--;
	percent = colon && digits ? decimal__parse(colon + 1, digits) : NAN;
	if (!colon || colon == text || !(percent >= 0 && percent <= 1000))
		return reason__store(
			why, -EINVAL,
			"%.*s: EVENT:PERCENT%% is needed, with a number from 0 to 1000", (int)len,
			text);
	limits = reallocarray(spec->limits, (size_t)spec->nr_limits + 1, sizeof(*limits));
	if (!limits)
		return -ENOMEM;
	spec->limits = limits;
	limits += spec->nr_limits;
	limits->event = strndup(text, (size_t)(colon - text));
	limits->tolerance = percent / 100;
	spec->nr_limits += limits->event != NULL;
	return limits->event ? 0 : -ENOMEM;
}

int compare_spec__parse(struct compare_spec *spec, const char *text, struct strbuf *why)
{
	int err = 0, depth = 0;
	const char *begin = text;

	for (const char *at = text;; at++) {
		/* a comma between slashes belongs to the event: cpu/event=1,umask=2/ */
		depth ^= *at == '/';
		if (*at && (*at != ',' || depth))
			continue;
		err = err ?: parse_limit(spec, begin, (size_t)(at - begin), why);
		if (!*at || err)
			return err;
		begin = at + 1;
	}
}

void compare_spec__free(struct compare_spec *spec)
{
	for (int i = 0; i < spec->nr_limits; i++)
		free(spec->limits[i].event);
	free(spec->limits);
	spec->limits = NULL;
	spec->nr_limits = 0;
}

static const struct compare_limit *limit_of(const struct compare_spec *spec, const char *event)
{
	/* if an event is given twice, its last limit is used */
	for (int i = spec->nr_limits - 1; i >= 0; i--)
		if (!strcmp(spec->limits[i].event, event))
			return &spec->limits[i];
	return NULL;
}

/* ---- pairs ---- */

static const struct baseline_series *find(const struct baseline *b, const struct baseline_series *s)
{
	for (int i = 0; i < b->nr; i++)
		if (baseline_series__match(&b->series[i], s))
			return &b->series[i];
	return NULL;
}

/*
 * Copies the values of @s (NULL: none) to @to, except those that are NAN. Returns a struct sample
 * that points to the copies.
 */
static struct sample sample_of(const struct baseline_series *s, double *to)
{
	struct sample sample = { .values = to };

	for (int i = 0; s && i < s->nr; i++)
		if (!isnan(s->values[i]))
			to[sample.nr++] = s->values[i];
	return sample;
}

static int count_values(const struct baseline *b)
{
	int nr = 0;

	for (int i = 0; i < b->nr; i++)
		nr += b->series[i].nr;
	return nr;
}

/*
 * Returns -EINVAL if @old and @new, which have the same name, differ in their type, attributes,
 * unit or `per_run`. Otherwise, returns 0.
 */
static int check_attrs(const struct baseline_series *old, const struct baseline_series *new,
		       struct strbuf *why)
{
	if (strcmp(old->type, new->type))
		return reason__store(why, -EINVAL,
				     "%s: the events differ: the type of the event was %s in the "
				     "old runs, and is %s in the new runs",
				     old->event, old->type, new->type);
	for (int i = 0; i < ATTR_NR; i++)
		if (old->attr[i] != new->attr[i])
			return reason__store(why, -EINVAL,
					     "%s: the events differ: %s was 0x%llx in the old "
					     "runs, and is 0x%llx in the new runs",
					     old->event, baseline_attr_names[i],
					     (unsigned long long)old->attr[i],
					     (unsigned long long)new->attr[i]);
	if (strcmp(old->unit, new->unit) || old->per_run != new->per_run)
		return reason__store(why, -EINVAL,
				     "%s: the values differ: only one side is per run of BPF "
				     "programs or scopes, or has the unit %s",
				     old->event, *old->unit ? old->unit : new->unit);
	return 0;
}

struct pairing {
	struct compare *c;
	const struct compare_spec *spec;
	double *values; /* the address to which the next values are copied */
	struct strbuf *why;
};

/*
 * Returns -EINVAL if one baseline contains intervals and the other repetitions, unless the values
 * of @s are per run of BPF programs or scopes. Otherwise, returns 0.
 */
static int check_periods(const struct pairing *p, const struct baseline_series *s)
{
	bool intervals = p->c->old->intervals;

	if (s->per_run || intervals == p->c->new->intervals)
		return 0;
	return reason__store(p->why, -EINVAL,
			     "%s: the values differ: the %s runs counted intervals, and the %s "
			     "runs counted whole repetitions: use -I for both or for neither",
			     s->event, intervals ? "old" : "new", intervals ? "new" : "old");
}

static int add_row(struct pairing *p, const struct baseline_series *old,
		   const struct baseline_series *new)
{
	const struct baseline_series *any = old ? old : new;
	const struct compare_limit *limit = limit_of(p->spec, any->event);
	bool both = old && new;
	struct compare_row *row = &p->c->rows[p->c->nr];
	struct strbuf name = STRBUF_INIT;
	int err = both ? check_attrs(old, new, p->why) : 0;

	if (both && !err)
		err = check_periods(p, old);
	if (err)
		return err;
	*row = (struct compare_row){
		.event = any->event,
		.cgroup = any->cgroup,
		.subject = any->subject,
		.aggregate = any->aggregate,
		.unit = any->unit,
		.decides = limit,
	};
	baseline_series__add_name(any, &name);
	snprintf(row->name, sizeof(row->name), "%s", name.text);
	strbuf__free(&name);
	row->result.tolerance = limit ? limit->tolerance : COMPARE_TOLERANCE;
	row->result.old = sample_of(old, p->values);
	p->values += row->result.old.nr;
	row->result.new = sample_of(new, p->values);
	p->values += row->result.new.nr;
	p->c->nr++;
	return 0;
}

static int pair(struct pairing *p)
{
	const struct baseline *old = p->c->old, *new = p->c->new;
	int err = 0;

	for (int i = 0; !err && i < old->nr; i++)
		err = add_row(p, &old->series[i], find(new, &old->series[i]));
	for (int i = 0; !err && i < new->nr; i++)
		if (!find(old, &new->series[i]))
			err = add_row(p, NULL, &new->series[i]);
	return err;
}

static int check_limits(const struct compare *c, const struct compare_spec *spec,
			struct strbuf *why)
{
	for (int i = 0; i < spec->nr_limits; i++) {
		int row = 0;

		while (row < c->nr && strcmp(c->rows[row].event, spec->limits[i].event))
			row++;
		if (row == c->nr)
			return reason__store(why, -EINVAL,
					     "--fail-over: neither side has an event named %s\nthe "
					     "first event is named %s",
					     spec->limits[i].event,
					     c->nr ? c->rows[0].event : "(none)");
	}
	return 0;
}

/* ---- missing and multiplexed counts ---- */

struct gaps {
	int missing, nr; /* of `nr` values, `missing` were not counted */
	double least;	 /* the smallest of baseline_series.shares */
};

static void add_gaps(struct gaps *gaps, const struct baseline_series *s)
{
	for (int i = 0; s && i < s->nr; i++) {
		/* without runs, there is no value to measure, so nothing is missing */
		if (s->per_run && s->runs[i] == 0)
			continue;
		gaps->nr++;
		if (isnan(s->values[i]))
			gaps->missing++;
		else if (s->shares[i] < gaps->least)
			gaps->least = s->shares[i];
	}
}

static void __attribute__((format(printf, 2, 3)))
append(struct compare_row *row, const char *fmt, ...)
{
	size_t len = strlen(row->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(row->text + len, sizeof(row->text) - len, fmt, args);
	va_end(args);
}

/* Describes the verdict in words. @old or @new is NULL if that baseline lacks the event. */
static void describe_verdict(struct compare_row *row, const struct baseline_series *old,
			     const struct baseline_series *new)
{
	static const char *const words[] = {
		[VERDICT_CANNOT_TELL] = "cannot tell",
		[VERDICT_WITHIN] = "within",
		[VERDICT_BETTER] = "better",
		[VERDICT_WORSE] = "worse",
	};
	const struct comparison *r = &row->result;

	row->verdict = words[r->verdict];
	append(row, "%s", row->verdict);
	if (r->verdict == VERDICT_WITHIN)
		append(row, " %.4g %%", row->tolerance);
	else if (!old || !new)
		append(row, ": only the %s runs have this event", old ? "old" : "new");
	else if (r->gap == GAP_OLD_MISSING)
		append(row, ": not counted in the old runs");
	else if (r->gap == GAP_NEW_MISSING)
		append(row, ": not counted in the new runs");
	else if (r->gap == GAP_NEGATIVE)
		append(row, ": some values are negative");
	else if (r->gap == GAP_FEW)
		append(row, " (too few runs: at least %d are needed)",
		       (r->old.nr < r->new.nr ? r->old.nr : r->new.nr) + r->more_runs);
	else if (r->more_runs == VERDICT_MANY_RUNS)
		append(row, " (many more runs needed)");
	else if (r->more_runs)
		append(row, " (about %d more run%s needed)", r->more_runs,
		       r->more_runs == 1 ? "" : "s");
}

static void describe_gaps(struct compare *c, struct compare_row *row,
			  const struct baseline_series *old, const struct baseline_series *new)
{
	struct gaps gaps = { .least = 1 };

	add_gaps(&gaps, old);
	add_gaps(&gaps, new);
	if (gaps.missing && row->result.old.nr && row->result.new.nr)
		append(row, "; not counted in %d of %d runs", gaps.missing, gaps.nr);
	/* two decimals, as in rows of counts, but never 100.00 */
	if (gaps.least < 1)
		append(row, "; counted %.2f %% of the time", number__min(gaps.least * 100, 99.99));
	c->has_gaps |= row->decides && (gaps.missing || gaps.least < 1 || !row->result.old.nr ||
					!row->result.new.nr);
}

static void finish_row(struct compare *c, struct compare_row *row)
{
	const struct comparison *r = &row->result;
	struct baseline_series key = { .event = (char *)row->event,
				       .cgroup = (char *)row->cgroup,
				       .subject = (char *)row->subject,
				       .aggregate = (char *)row->aggregate };
	const struct baseline_series *old, *new;

	row->old = r->old.nr ? r->old_median : NAN;
	row->new = r->new.nr ? r->new_median : NAN;
	row->old_runs = r->old.nr;
	row->new_runs = r->new.nr;
	row->ratio = r->old.nr && r->new.nr ? r->ratio : NAN;
	row->low = r->low;
	row->high = r->high;
	row->more_runs = r->more_runs;
	row->tolerance = r->tolerance * 100;
	old = find(c->old, &key);
	new = find(c->new, &key);
	describe_verdict(row, old, new);
	describe_gaps(c, row, old, new);
	c->is_worse |= row->decides && r->verdict == VERDICT_WORSE;
	c->cannot_tell |= row->decides && r->verdict == VERDICT_CANNOT_TELL;
}

static int find_verdicts(struct compare *c)
{
	struct comparison *all = calloc((size_t)c->nr + 1, sizeof(*all));
	/*
	 * the smallest p that can result from the bootstrap, 2 / (rounds + 1), must be below the
	 * strictest limit of Holm's method, 5 % / nr (see weigh() and correct() in verdict.c)
	 */
	int rounds = c->nr > BOOTSTRAP_ROUNDS / 50 ? c->nr * 50 : BOOTSTRAP_ROUNDS;
	int err = all ? 0 : -ENOMEM;

	for (int i = 0; !err && i < c->nr; i++)
		all[i] = c->rows[i].result;
	err = err ?: verdicts__find(all, c->nr, c->seed, rounds);
	for (int i = 0; !err && i < c->nr; i++) {
		c->rows[i].result = all[i];
		finish_row(c, &c->rows[i]);
	}
	free(all);
	return err;
}

int compare__run(struct compare *c, const struct baseline *old, const struct baseline *new,
		 const struct compare_spec *spec, struct strbuf *why)
{
	size_t nr = (size_t)count_values(old) + (size_t)count_values(new) + 1;
	struct pairing pairing = { .c = c, .spec = spec, .why = why };
	int err;

	*c = (struct compare){
		.old = old,
		.new = new,
		.seed = spec->seed,
		.rows = calloc((size_t)old->nr + (size_t) new->nr + 1, sizeof(*c->rows)),
		.values = calloc(nr, sizeof(*c->values)),
	};
	pairing.values = c->values;
	err = c->rows && c->values ? pair(&pairing) : -ENOMEM;
	err = err ?: check_limits(c, spec, why);
	err = err ?: find_verdicts(c);
	c->has_gaps |= (old->lost_runs || new->lost_runs) && spec->nr_limits;
	if (err)
		compare__free(c);
	return err;
}

void compare__free(struct compare *c)
{
	free(c->rows);
	free(c->values);
	c->rows = NULL;
	c->values = NULL;
}

void compare__add_differences(const struct compare *c, struct strbuf *sb)
{
	for (int i = 0; i < FACT_NR; i++) {
		const char *old = c->old->facts[i] ?: "unknown";
		const char *new = c->new->facts[i] ?: "unknown";

		if (strcmp(old, new))
			strbuf__addf(sb, "%s%s: %s in the old runs, %s in the new ones",
				     sb->len ? "\n" : "", baseline_fact_names[i], old, new);
	}
}
