/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the cost that counting itself adds to the counts. */
#ifndef PSTAT_COUNT_SCOPE_CALIBRATE_H
#define PSTAT_COUNT_SCOPE_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"
#include "util/base/strbuf.h"
#include "util/count/scope/scope-empty.h"

struct backend_group;
struct scope_list;
struct scope_programs;
struct scope_shape;
struct scope_totals_table;

/*
 * Sets the costs in @shape and in the BPF programs, for the classes of probes in @list. Call this
 * before other programs are attached at points. A cost that cannot be measured is 0, and pstat
 * warns.
 */
void scope_calibrate(struct scope_shape *shape, struct scope_programs *programs,
		     struct scope_totals_table *totals, const struct backend_group *group,
		     const struct scope_list *list);

/* ---- what scope-calibrate.c and scope-calibrate-kernel.c share ---- */

/*
 * The numbers of the two scopes that are measured. The session's own scopes are attached later. The
 * last two rows of the totals are for the two scopes.
 */
enum target { ALONE, OUTER, NR_TARGETS };
/*
 * What a measurement counts; see scope-calibrate.c. STEP_OUTER and STEP_INNER: the two runs of
 * `nested`.
 */
enum step {
	STEP_ALONE,
	STEP_PLAIN,
	STEP_OUTER,
	STEP_INNER,
	STEP_ONE,  /* for tracepoints: with one empty program */
	STEP_TWO,  /* for tracepoints: with two empty programs */
	STEP_FROM, /* for one of two points: a run from the point to the end of the outer run */
	STEP_TO,   /* for one of two points: a run from the outer run's beginning to the point */
	NR_STEPS,
};

struct scope_calibration {
	struct scope_shape *shape;
	struct scope_programs *programs;
	struct scope_totals_table *totals;
	const struct backend_group *group;
	const struct scope_list *list;
	struct scope_empty empty;
	struct strbuf why;
	uint64_t *before, *after; /* [word] */
	uint64_t *batches;	  /* [word * BATCHES + batch]: mean count of a run */
	uint64_t *medians;	  /* [step * words + word] */
	/*
	 * The costs of a run are the sums of two parts: begins[class][word] for the class of its
	 * first point, and ends[class][word] for the class of its second point. A part can be
	 * negative (as a number modulo 2^64).
	 */
	struct scope_cost begins[SCOPE_NR_CLASSES][SCOPE_MAX_WORDS];
	struct scope_cost ends[SCOPE_NR_CLASSES][SCOPE_MAX_WORDS];
};

uint64_t scope_calibration__cookie(const struct scope_calibration *c, enum target target,
				   bool at_return, enum scope_class class);
/*
 * Calls @run many times, and stores the median counts of a run of the scope @read as the result of
 * @step. Returns 0, or -ENODATA with the reason in @c->why.
 */
int scope_calibration__measure(struct scope_calibration *c, void (*run)(void), enum target read,
			       enum step step);
/* Measures all steps for probes in the kernel. Returns 0, or -errno with the reason in @c->why. */
int scope_calibration__measure_kernel(struct scope_calibration *c, enum scope_class class);

#endif
