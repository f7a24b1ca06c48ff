// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/why/why-search.h"

#include <errno.h>
#include <string.h>

static bool is_out_of_files(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

/* ---- the changes that help ---- */

static int try_changes(const struct why_trial *trial, struct why_answer *answer,
		       const struct why_fix *fix)
{
	const struct why_change *first = &answer->changes.list[fix->first],
				*second = fix->second < 0 ? NULL :
							    &answer->changes.list[fix->second];
	struct why_trial changed = *trial;

	first->apply(&changed, first);
	if (second)
		second->apply(&changed, second);
	answer->nr_tries++;
	return why_trial__try(&changed);
}

static void keep_if_it_helps(const struct why_trial *trial, struct why_answer *answer, int first,
			     int second)
{
	const struct why_fix fix = { first, second };

	if (answer->nr_fixes < WHY_FIXES_MAX && !try_changes(trial, answer, &fix))
		answer->fixes[answer->nr_fixes++] = fix;
}

static void find_fixes(const struct why_trial *trial, struct why_answer *answer)
{
	int nr = answer->changes.nr;

	for (int i = 0; i < nr; i++)
		keep_if_it_helps(trial, answer, i, -1);
	if (answer->nr_fixes)
		return;
	for (int i = 0; i < nr; i++)
		for (int j = i + 1; j < nr; j++)
			keep_if_it_helps(trial, answer, i, j);
}

/* ---- the extent of the refusal ---- */

/*
 * Returns an attempt that the kernel accepts from every user who may open any event at all: a dummy
 * event for pstat's own process.
 */
static struct why_trial for_itself(void)
{
	struct why_trial trial = { .at = { .cpu = -1, .group_fd = -1 } };

	trial.attr.attr.type = PERF_TYPE_SOFTWARE;
	trial.attr.attr.size = PERF_ATTR_SIZE;
	trial.attr.attr.config = PERF_COUNT_SW_DUMMY;
	trial.attr.attr.disabled = 1;
	trial.attr.attr.exclude_kernel = trial.attr.attr.exclude_hv = 1;
	return trial;
}

static bool opens(const struct why_trial *trial, struct why_answer *answer)
{
	answer->nr_tries++;
	return !why_trial__try(trial);
}

static bool is_of_the_cpu(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

/* Returns whether another event of the same PMU can be opened at the same place. */
static bool has_other_event(const struct why_trial *trial, struct why_answer *answer)
{
	/* numbers of generic events; codes of cycles and instructions on Arm and Intel CPUs */
	static const uint64_t configs[] = { 0, 1, 2, 3, 0x11, 0x08, 0x3c, 0xc0 };
	struct why_trial other = { .at = trial->at };

	other.at.group_fd = -1;
	other.attr.attr.type = trial->attr.attr.type;
	other.attr.attr.size = PERF_ATTR_SIZE;
	other.attr.attr.disabled = 1;
	other.attr.attr.exclude_kernel = trial->attr.attr.exclude_kernel;
	other.attr.attr.exclude_hv = trial->attr.attr.exclude_hv;
	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		if (configs[i] == trial->attr.attr.config)
			continue;
		other.attr.attr.config = configs[i];
		if (opens(&other, answer))
			return true;
	}
	/* hardware events have three types, and the PMU may not support all of them */
	if (is_of_the_cpu(other.attr.attr.type) && other.attr.attr.type != PERF_TYPE_HARDWARE) {
		other.attr.attr.type = PERF_TYPE_HARDWARE;
		other.attr.attr.config = PERF_COUNT_HW_CPU_CYCLES;
		return opens(&other, answer);
	}
	return false;
}

static enum why_scope find_scope(const struct why_trial *trial, struct why_answer *answer)
{
	struct why_trial dummy = for_itself(), there = dummy;

	if (!opens(&dummy, answer))
		return WHY_EVERYTHING;
	if (has_other_event(trial, answer))
		return WHY_THIS_EVENT;
	there.at = trial->at;
	there.at.group_fd = -1;
	return opens(&there, answer) ? WHY_THIS_PMU : WHY_THIS_PLACE;
}

int why_search(const struct why_trial *trial, struct pmu *pmu, int cpu, struct why_answer *answer)
{
	int err;

	*answer = (struct why_answer){ .nr_tries = 1 };
	answer->err = why_trial__try(trial);
	if (!answer->err || is_out_of_files(answer->err)) {
		answer->scope = answer->err ? WHY_TOO_MANY_OPEN : WHY_NOT_REFUSED;
		return 0;
	}
	err = why_changes__list(&answer->changes, trial, pmu, cpu);
	if (err)
		return err;
	find_fixes(trial, answer);
	answer->scope = answer->nr_fixes ? WHY_CHANGES : find_scope(trial, answer);
	return 0;
}

void why_answer__free(struct why_answer *answer)
{
	why_changes__free(&answer->changes);
}
