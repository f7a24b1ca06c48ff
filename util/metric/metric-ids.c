// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-ids.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/metric/metric-steps.h"

/* ---- a set ---- */

#define BITS_MIN 2

#define NO_PROG (-1)

struct metric_id {
	struct metric_id *next; /* next element in the same bucket */
	const char *name;
	/* index of the metric's program in metric_expr.progs; NO_PROG: this is an event */
	int prog;
};

/* A hash table with 1 << bits buckets. Before the first name is added, `buckets` is NULL. */
struct metric_ids {
	struct metric_id **buckets;
	int bits;
	int nr;
};

struct metric_ids *metric_ids__new(void)
{
	return calloc(1, sizeof(struct metric_ids));
}

static size_t nr_buckets(const struct metric_ids *ids)
{
	return ids->buckets ? (size_t)1 << ids->bits : 0;
}

void metric_ids__free(struct metric_ids *ids)
{
	if (!ids)
		return;
	for (size_t i = 0; i < nr_buckets(ids); i++) {
		struct metric_id *id = ids->buckets[i], *next;

		for (; id; id = next) {
			next = id->next;
			free(id);
		}
	}
	free(ids->buckets);
	free(ids);
}

/*
 * Returns the index of the bucket for @name in a table with 1 << @bits buckets. The hash function
 * is the same as in perf. The large constant is 2^64 divided by the golden ratio.
 */
static size_t bucket_of(const char *name, int bits)
{
	uint64_t hash = 0;

	for (; *name; name++)
		hash = hash * 31 + (uint64_t)*name;
	return (size_t)((hash * 11400714819323198485u) >> (64 - bits));
}

static void push(struct metric_id **bucket, struct metric_id *id)
{
	id->next = *bucket;
	*bucket = id;
}

static int grow(struct metric_ids *ids)
{
	int bits = ids->buckets ? ids->bits + 1 : BITS_MIN;
	struct metric_id **buckets = calloc((size_t)1 << bits, sizeof(struct metric_id *));

	if (!buckets)
		return -ENOMEM;
	for (size_t i = 0; i < nr_buckets(ids); i++) {
		struct metric_id *id = ids->buckets[i], *next;

		for (; id; id = next) {
			next = id->next;
			push(&buckets[bucket_of(id->name, bits)], id);
		}
	}
	free(ids->buckets);
	ids->buckets = buckets;
	ids->bits = bits;
	return 0;
}

/*
 * Returns the address of the pointer to the element @name, or NULL if the set does not contain it.
 */
static struct metric_id **find(const struct metric_ids *ids, const char *name)
{
	struct metric_id **at;

	if (!ids->buckets)
		return NULL;
	for (at = &ids->buckets[bucket_of(name, ids->bits)]; *at; at = &(*at)->next)
		if (!strcmp((*at)->name, name))
			return at;
	return NULL;
}

static int add(struct metric_ids *ids, const char *name, int prog)
{
	struct metric_id *id;

	if (find(ids, name))
		return 0;
	/* grow if the table would become more than three quarters full (rounded as in perf) */
	if ((size_t)(ids->nr + 1) * 4 / 3 > nr_buckets(ids) && grow(ids))
		return -ENOMEM;
	id = malloc(sizeof(*id));
	if (!id)
		return -ENOMEM;
	*id = (struct metric_id){ .name = name, .prog = prog };
	push(&ids->buckets[bucket_of(name, ids->bits)], id);
	ids->nr++;
	return 0;
}

int metric_ids__add(struct metric_ids *ids, const char *name)
{
	return add(ids, name, NO_PROG);
}

static void drop(struct metric_ids *ids, const char *name)
{
	struct metric_id **at = find(ids, name), *id = at ? *at : NULL;

	if (!id)
		return;
	*at = id->next;
	free(id);
	ids->nr--;
}

int metric_ids__nr(const struct metric_ids *ids)
{
	return ids->nr;
}

/* Copies all elements to @list. */
static void list_ids(const struct metric_ids *ids, struct metric_id *list)
{
	for (size_t i = 0; i < nr_buckets(ids); i++)
		for (const struct metric_id *id = ids->buckets[i]; id; id = id->next)
			*list++ = *id;
}

void metric_ids__list(const struct metric_ids *ids, const char **names)
{
	for (size_t i = 0; i < nr_buckets(ids); i++)
		for (const struct metric_id *id = ids->buckets[i]; id; id = id->next)
			*names++ = id->name;
}

/*
 * Stores the union of *@first and @second in *@first. NULL is an empty set. Adds the smaller set to
 * the larger one, and frees the smaller one. If both have the same size, adds @second to *@first.
 * Returns 0 or -ENOMEM.
 */
static int unite(struct metric_ids **first, struct metric_ids *second)
{
	struct metric_ids *to = *first, *from = second;
	int err = 0;

	if (!to || !from) {
		*first = to ? to : from;
		return 0;
	}
	if (to->nr < from->nr) {
		to = second;
		from = *first;
	}
	for (size_t i = 0; i < nr_buckets(from); i++)
		for (const struct metric_id *id = from->buckets[i]; !err && id; id = id->next)
			err = add(to, id->name, id->prog);
	metric_ids__free(from);
	*first = to;
	return err;
}

/* ---- the set of a program ---- */

static int make_one(const char *name, int prog, struct metric_ids **ids)
{
	*ids = metric_ids__new();
	return *ids ? add(*ids, name, prog) : -ENOMEM;
}

/*
 * Executes a step (struct metric_step) on a stack that contains sets instead of values. *@top
 * points to the top element of this stack.
 */
static int run_step(const struct metric_expr *expr, const struct metric_step *step,
		    struct metric_ids ***top)
{
	int err;

	switch (step->op) {
	case MOP_NUMBER:
		*++*top = NULL;
		return 0;
	case MOP_EVENT:
	case MOP_SOURCES:
		return make_one(expr->events[step->index], NO_PROG, ++*top);
	case MOP_METRIC:
		return make_one(expr->progs[step->index].name, step->index, ++*top);
	case MOP_NEGATE:
		return 0;
	case MOP_SELECT:
		--*top;
		err = unite(*top, (*top)[1]);
		if (err)
			return err;
		/* fall through */
	default:
		--*top;
		return unite(*top, (*top)[1]);
	}
}

/*
 * Sets *@ids to the set of the events and metrics to which the program @prog refers, or to NULL if
 * there are none. The set does not include the events of these metrics.
 */
static int ids_of_prog(const struct metric_expr *expr, int prog, struct metric_ids **ids)
{
	const struct metric_prog *p = &expr->progs[prog];
	struct metric_ids **stack = calloc((size_t)p->nr_steps + 1, sizeof(struct metric_ids *));
	struct metric_ids **top = stack;
	int err = stack ? 0 : -ENOMEM;

	*ids = NULL;
	for (int i = 0; !err && i < p->nr_steps; i++)
		err = run_step(expr, &p->steps[i], &top);
	if (!err)
		*ids = stack[1];
	/* after an error, free all sets on the stack */
	for (int i = 1; err && stack && &stack[i] <= top; i++)
		metric_ids__free(stack[i]);
	free(stack);
	return err;
}

/* ---- the set of a metric and of the metrics that it refers to ---- */

static int add_prog(const struct metric_expr *expr, int prog, bool *seen, struct metric_ids **all);

/*
 * Replaces the metrics in *@all with their events. As in perf, first removes all metrics, and then
 * adds their events. @seen[i] is true if the events of program i have already been added.
 */
static int resolve(const struct metric_expr *expr, bool *seen, struct metric_ids **all)
{
	int nr = (*all)->nr, err = 0;
	struct metric_id *list = calloc((size_t)nr + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	list_ids(*all, list);
	for (int i = 0; i < nr; i++)
		if (list[i].prog != NO_PROG)
			drop(*all, list[i].name);
	for (int i = 0; !err && i < nr; i++) {
		if (list[i].prog == NO_PROG || seen[list[i].prog])
			continue;
		seen[list[i].prog] = true;
		err = add_prog(expr, list[i].prog, seen, all);
	}
	free(list);
	return err;
}

static int add_prog(const struct metric_expr *expr, int prog, bool *seen, struct metric_ids **all)
{
	struct metric_ids *own;
	int err = ids_of_prog(expr, prog, &own);

	if (err)
		return err;
	/*
	 * the order of the names depends on the order of the arguments: if both sets have the same
	 * size, unite() adds the second to the first
	 */
	err = unite(&own, *all);
	*all = own;
	return err ?: resolve(expr, seen, all);
}

int metric_ids__of_expr(const struct metric_expr *expr, struct metric_ids **ids)
{
	bool *seen = calloc((size_t)expr->nr_progs, sizeof(*seen));
	int err = -ENOMEM;

	*ids = metric_ids__new();
	if (seen && *ids)
		err = add_prog(expr, 0, seen, ids);
	free(seen);
	if (err) {
		metric_ids__free(*ids);
		*ids = NULL;
	}
	return err;
}
