/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures the cost of counting: the amount that counting itself adds to the counts of a run. A run
 * is one passage of a thread through a scope (scope.h).
 */
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
 * Measures the cost of each class of probes (enum scope_class) that the scopes in @list need.
 * Stores these costs in @shape and in the BPF programs. Call this before scope_attach(). If a cost
 * cannot be measured, the function warns, and uses 0 for this cost.
 */
void scope_calibrate(struct scope_shape *shape, struct scope_programs *programs,
		     struct scope_totals_table *totals, const struct backend_group *group,
		     const struct scope_list *list);

/* ---- what scope-calibrate.c and scope-calibrate-kernel.c share ---- */

/*
 * The two scopes that are measured. For probes in programs, ALONE is an empty function, and OUTER
 * is a function that calls the empty function. For probes in the kernel, see the comment at the top
 * of scope-calibrate-kernel.c. The last two rows of the map `totals` are for the scopes ALONE and
 * OUTER.
 */
enum target { ALONE, OUTER, NR_TARGETS };
/*
 * The steps of a calibration. Each step measures runs in one situation. The comment at the top of
 * scope-calibrate.c describes the situations `alone`, `plain` and `nested`.
 */
enum step {
	STEP_ALONE,
	STEP_PLAIN,
	STEP_OUTER, /* the outer run of `nested` */
	STEP_INNER, /* the inner run of `nested` */
	STEP_ONE,   /* for tracepoints: `plain` with one empty program at the tracepoint */
	STEP_TWO,   /* for tracepoints: `plain` with two empty programs at the tracepoint */
	/*
	 * in the next two steps, the point is the entry of the empty kernel function
	 * (SCOPE_CLASS_FUNC_ENTRY) or its return (SCOPE_CLASS_FUNC_RETURN)
	 */
	STEP_FROM, /* a run from this point to the end of the outer run */
	STEP_TO,   /* a run from the beginning of the outer run to this point */
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
	/* arrays; a word is one of the values in a reading (struct scope_words) */
	uint64_t *before, *after; /* [word]: sums before and after a batch */
	uint64_t *batches;	  /* [word * BATCHES + batch]: mean count of a run in the batch */
	uint64_t *medians;	  /* [step * words + word]: median of the batches */
	/*
	 * The cost of counting a run is begins[class][word] for the class of the run's first point,
	 * plus ends[class][word] for the class of its second point. The costs in `begins` and
	 * `ends` can be negative (as numbers modulo 2^64).
	 */
	struct scope_cost begins[SCOPE_NR_CLASSES][SCOPE_MAX_WORDS];
	struct scope_cost ends[SCOPE_NR_CLASSES][SCOPE_MAX_WORDS];
};

/* Returns the cookie (SCOPE_COOKIE()) that the BPF programs get at the points of @target. */
uint64_t scope_calibration__cookie(const struct scope_calibration *c, enum target target,
				   bool at_return, enum scope_class class);
/*
 * Calls @run many times. @read says which of the two scopes is read. For each word, stores the
 * median of this scope's count per run as the result of @step. Returns 0, or -ENODATA with the
 * reason in @c->why if the number of counted runs was wrong in too many batches.
 */
int scope_calibration__measure(struct scope_calibration *c, void (*run)(void), enum target read,
			       enum step step);
/*
 * Performs all steps of the calibration that probes of the class @class need. @class must be a
 * class of probes in the kernel. Returns 0, or -errno with the reason in @c->why.
 */
int scope_calibration__measure_kernel(struct scope_calibration *c, enum scope_class class);

#endif
