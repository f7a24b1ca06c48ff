// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/compare/hyperfine.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/base/json-writer.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/report/compare/baseline-file.h"
#include "util/report/compare/baseline.h"
#include "util/report/compare/bootstrap.h"
#include "util/report/stats.h"

#define DECIMALS 9

/* Adds the times of a baseline to the results. Returns false if memory ran out. */
static bool add_result(struct json_writer *results, const struct baseline *b)
{
	const struct baseline_times *times = &b->times;
	struct stats elapsed = { 0 }, user = { 0 }, system = { 0 };
	double *all = calloc((size_t)times->nr, sizeof(*all)), median;
	struct json_writer result;

	if (!all)
		return false;
	for (int i = 0; i < times->nr; i++) {
		const struct baseline_time *time = &times->list[i];

		all[i] = time->elapsed;
		stats__add(&elapsed, time->elapsed);
		if (!isnan(time->user))
			stats__add(&user, time->user);
		if (!isnan(time->system))
			stats__add(&system, time->system);
	}
	median = sample__median(&(struct sample){ all, times->nr });
	free(all);
	json__element_object(results, &result);
	json__string(&result, "command", b->target ?: "");
	json__fixed(&result, "mean", elapsed.mean, DECIMALS);
	if (elapsed.n > 1)
		json__fixed(&result, "stddev", sqrt(elapsed.m2 / (double)(elapsed.n - 1)),
			    DECIMALS);
	else
		json__raw(&result, "stddev", "null");
	json__fixed(&result, "median", median, DECIMALS);
	json__fixed(&result, "user", user.mean, DECIMALS);
	json__fixed(&result, "system", system.mean, DECIMALS);
	json__fixed(&result, "min", elapsed.min, DECIMALS);
	json__fixed(&result, "max", elapsed.max, DECIMALS);
	json__open_array(&result, "times");
	for (int i = 0; i < times->nr; i++)
		json__element_double(&result, times->list[i].elapsed);
	json__close_array(&result);
	baseline_file__add_codes(times, &result, "exit_codes");
	json__end(&result);
	return !isnan(median);
}

int hyperfine__save(const struct baseline *const *baselines, int nr, const char *path,
		    struct strbuf *why)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer w;
	int err = 0;

	json__begin(&w, &text);
	json__open_array(&w, "results");
	for (int i = 0; !err && i < nr; i++) {
		if (!baselines[i]->times.nr)
			err = reason__store(why, -EINVAL,
					    "%s: only intervals were counted, so there are no "
					    "times of repetitions",
					    i ? "the new file" : "the old file");
		else if (!add_result(&w, baselines[i]))
			err = -ENOMEM;
	}
	json__close_array(&w);
	json__end(&w);
	strbuf__addc(&text, '\n');
	err = err ?: baseline_file__write(path, &text, why);
	strbuf__free(&text);
	return err;
}
