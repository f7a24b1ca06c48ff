// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-cost.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/log.h"
#include "util/count/backend.h"
#include "util/count/scope/scope-calibrate.h"
#include "util/count/scope/scope-class.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"
#include "util/event/evsel.h"
#include "util/machine/scope/scope.h"

static uint64_t result(const struct scope_calibration *c, enum step step, uint32_t word)
{
	return c->medians[(uint32_t)step * c->shape->words.words + word];
}

/*
 * Returns @value, or 0 if @value is negative as a signed number. A measured cost that is close to 0
 * can be negative, because clocks are not exact.
 */
static uint64_t not_negative(uint64_t value)
{
	return (int64_t)value < 0 ? 0 : value;
}

/*
 * Stores the costs of a run whose two points both have the class @class. Assigns half of each cost
 * to each point.
 */
static void set_halves(struct scope_calibration *c, enum scope_class class, uint32_t word)
{
	uint64_t plain = result(c, STEP_PLAIN, word), outer = result(c, STEP_OUTER, word);
	uint64_t own = result(c, STEP_ALONE, word), nested = result(c, STEP_INNER, word);
	struct scope_cost cost = { .own = own,
				   .inner = not_negative(outer - plain),
				   .nested = not_negative(nested - own) };
	struct scope_cost *begin = &c->begins[class][word], *end = &c->ends[class][word];

	*begin = (struct scope_cost){ cost.own / 2, cost.inner / 2, cost.nested / 2 };
	*end = (struct scope_cost){ cost.own - begin->own, cost.inner - begin->inner,
				    cost.nested - begin->nested };
}

/*
 * Stores the costs of a point of the class @class: the entry or the return of a kernel function, in
 * a scope that is not the whole function. Computes `own` from the counts of three measured runs:
 *
 * plain:   begin ──────────── end   the outer run; the point is between its beginning and end
 * from:           begin ───── end
 * to:      begin ──── end
 *
 * `from` contains the cost of beginning a run at the point, and of ending the outer run. `to`
 * contains the cost of beginning the outer run, and of ending a run at the point. `plain` contains
 * only the cost of beginning and ending the outer run. Now consider a run that begins and ends at
 * the point: `from` + `to` - `plain` is the part of the cost that is counted in this run itself. To
 * split this sum between the beginning and the end of the run, half of `plain` is subtracted from
 * `from`, and half from `to`. The rest of the cost of the probes is counted in the run around this
 * run, and is stored as `inner`. With --inclusive, `inner` is the whole cost.
 */
static void set_parts(struct scope_calibration *c, enum scope_class class, uint32_t word)
{
	uint64_t plain = result(c, STEP_PLAIN, word), outer = result(c, STEP_OUTER, word);
	uint64_t in_run = c->shape->inclusive ? 0 : result(c, STEP_INNER, word);
	uint64_t all = not_negative(outer - plain + in_run);
	struct scope_cost *begin = &c->begins[class][word], *end = &c->ends[class][word];

	set_halves(c, class, word);
	begin->own = result(c, STEP_FROM, word) - plain / 2;
	end->own = result(c, STEP_TO, word) - (plain - plain / 2);
	begin->inner = all / 2;
	end->inner = all - begin->inner;
	if (!c->shape->inclusive) {
		begin->inner -= begin->own;
		end->inner -= end->own;
	}
}

void scope_cost__set(struct scope_calibration *c, enum scope_class class)
{
	bool one_of_two = class == SCOPE_CLASS_FUNC_ENTRY || class == SCOPE_CLASS_FUNC_RETURN;

	for (uint32_t word = 0; word < c->shape->words.words; word++)
		if (one_of_two)
			set_parts(c, class, word);
		else
			set_halves(c, class, word);
}

static struct scope_cost cost_of(const struct scope_calibration *c, unsigned int kind,
				 uint32_t word)
{
	const struct scope_cost *begin = &c->begins[SCOPE_KIND_BEGIN(kind)][word];
	const struct scope_cost *end = &c->ends[SCOPE_KIND_END(kind)][word];

	return (struct scope_cost){ .own = not_negative(begin->own + end->own),
				    .inner = not_negative(begin->inner + end->inner),
				    .nested = begin->nested + end->nested };
}

static const char *const class_names[SCOPE_NR_CLASSES] = {
	[SCOPE_CLASS_USER] = "in programs",
	[SCOPE_CLASS_TP] = "at tracepoints",
	[SCOPE_CLASS_SYSCALL] = "at system calls",
	[SCOPE_CLASS_FUNC] = "at functions of the kernel",
	[SCOPE_CLASS_POINT] = "between points in programs",
	[SCOPE_CLASS_FUNC_ENTRY] = "at entries of kernel functions",
	[SCOPE_CLASS_FUNC_RETURN] = "at returns of kernel functions",
};

const char *scope_cost__name(enum scope_class class)
{
	return class_names[class];
}

static void log_kind(const struct scope_calibration *c, unsigned int kind)
{
	const struct scope_shape *shape = c->shape;
	enum scope_class begin = SCOPE_KIND_BEGIN(kind), end = SCOPE_KIND_END(kind);

	for (int i = 0; i < c->group->nr; i++) {
		const struct scope_event *event = &shape->events[i];
		struct scope_cost cost;

		if (event->kind == SCOPE_NONE)
			continue;
		cost = cost_of(c, kind, (uint32_t)event->word);
		pr_info("--scope: counting itself adds %" PRIu64
			" %s%s to a run %s%s%s, and %" PRIu64
			" for each run inside it, and %" PRIu64
			" to a run inside another run: pstat subtracts this",
			(uint64_t)cost.own, event->kind <= SCOPE_CLOCK ? "ns of " : "",
			c->group->evsels[i]->name, class_names[begin], begin == end ? "" : " and ",
			begin == end ? "" : class_names[end], (uint64_t)cost.inner,
			(uint64_t)cost.nested);
	}
}

void scope_cost__log(const struct scope_calibration *c)
{
	bool logged[SCOPE_NR_KINDS] = { false };

	for (int i = 0; i < c->list->nr; i++) {
		unsigned int kind = scope_class__kind(&c->list->scopes[i]);

		if (!logged[kind])
			log_kind(c, kind);
		logged[kind] = true;
	}
}

/*
 * User space subtracts the costs of the first scope's kind (SCOPE_KIND()) from all runs. If a run
 * has another kind, the BPF programs also subtract the differences between the costs of the two
 * kinds: more_own from this run and, without --inclusive, more_inner from the run around it.
 */
void scope_cost__store(struct scope_calibration *c)
{
	struct scope_bpf__bss *bss = c->programs->skel->bss;
	unsigned int first = scope_class__kind(&c->list->scopes[0]);

	for (int i = 0; i < c->group->nr; i++) {
		uint32_t word = (uint32_t)c->shape->events[i].word;
		struct scope_cost base;

		if (c->shape->events[i].kind == SCOPE_NONE)
			continue;
		base = c->shape->costs[word] = cost_of(c, first, word);
		for (unsigned int kind = 0; kind < SCOPE_NR_CLASSES * SCOPE_NR_CLASSES; kind++) {
			struct scope_cost cost = cost_of(c, kind, word);

			bss->more_own[kind][word] = cost.own - base.own;
			bss->more_inner[kind][word] = cost.inner - base.inner;
		}
	}
	if (c->shape->hist_word >= 0)
		memcpy(&bss->hist_cost, &c->shape->costs[c->shape->hist_word],
		       sizeof(bss->hist_cost));
	if (c->shape->outlier_word >= 0)
		memcpy(&bss->outlier_cost, &c->shape->costs[c->shape->outlier_word],
		       sizeof(bss->outlier_cost));
}
