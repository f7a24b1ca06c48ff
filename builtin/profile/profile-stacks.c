// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/profile/profile-stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/count/profile/profile-stacks.h"
#include "util/count/profile/profile.h"
#include "util/machine/kernel-symbols.h"

/* ---- names ---- */

struct stack_namer {
	struct profile_stacks *stacks;
	struct kernel_symbols *kernel; /* NULL: not known */
	bool read_kernel;	       /* pstat has tried to read the kernel's symbols */
	struct code_names *names;
};

struct stack_namer *stack_namer__new(const struct profile *profile, bool lines)
{
	struct stack_namer *namer = calloc(1, sizeof(*namer));

	if (!namer)
		return NULL;
	namer->stacks = profile->stacks;
	namer->names = code_names__new(profile_stacks__objects(profile->stacks), lines);
	/* mappings that were reported after the samples were read */
	if (namer->names && !profile_stacks__serve(profile->stacks))
		return namer;
	stack_namer__free(namer);
	return NULL;
}

void stack_namer__free(struct stack_namer *namer)
{
	if (!namer)
		return;
	code_names__free(namer->names);
	kernel_symbols__free(namer->kernel);
	free(namer);
}

/* Reading the kernel's symbols takes tens of ms, so pstat reads them only if a stack has a frame of the kernel. */
static void read_kernel(struct stack_namer *namer)
{
	int err = profile_stacks__read_kernel(namer->stacks, &namer->kernel);

	namer->read_kernel = true;
	code_names__set_kernel(namer->names, namer->kernel);
	/* the caller warns once for all names that a signal left unknown */
	if (err && err != -EINTR)
		pr_warn("functions of the kernel are not known: %s", kernel_symbols__strerror(err));
}

static int find_name(struct stack_namer *namer, pid_t pid, const struct code_frame *frame, bool is_caller,
		     struct code_name *name)
{
	if (frame->kind == CODE_KERNEL && !namer->read_kernel)
		read_kernel(namer);
	return code_names__find(namer->names, pid, frame, is_caller, name);
}

/* ---- one stack ---- */

/* Adds the names of @stack behind those of @row, the innermost first. What follows the first frame are addresses that calls return to. */
static int add_names(struct stack_namer *namer, const struct profile_stack *stack, struct stack_row *row)
{
	int err = 0;

	for (int i = 0; !err && i < stack->nr; i++)
		err = find_name(namer, (pid_t)row->pid, &stack->frames[i], i > 0, &row->names[row->nr++]);
	return err;
}

/* All that is known of a stack that was lost is its innermost frame, if @ip is that one. */
static int add_lost(struct stack_namer *namer, enum code_frame_kind kind, uint64_t ip, struct stack_row *row)
{
	struct code_frame frame = { .kind = kind, .at = ip };
	int err = 0;

	if (ip)
		err = find_name(namer, (pid_t)row->pid, &frame, false, &row->names[row->nr++]);
	row->names[row->nr++] = (struct code_name){ .function = STACK_LOST, .object = STACK_LOST };
	return err;
}

static void turn_round(struct stack_row *row)
{
	for (int i = 0, j = row->nr - 1; i < j; i++, j--) {
		struct code_name name = row->names[i];

		row->names[i] = row->names[j];
		row->names[j] = name;
	}
}

/* The kernel's frames are inside the user's, which called it. */
static int make_stack(const struct profile *profile, struct stack_namer *namer, const struct profile_stack_key *key,
		      struct stack_row *row, bool *is_cut)
{
	struct profile_stack kernel = profile_stacks__kernel(profile->stacks, key->kernel);
	struct profile_stack user = profile_stacks__user(profile->stacks, key->user);
	bool kernel_first = key->kernel != PROFILE_NO_STACK;
	int err = 0;

	row->event = (int)key->event;
	row->pid = key->pid;
	memcpy(row->comm, key->comm, sizeof(row->comm));
	row->comm[sizeof(row->comm) - 1] = '\0';
	row->names = calloc((size_t)(kernel.nr + user.nr + 4), sizeof(*row->names));
	if (!row->names)
		return -ENOMEM;
	*is_cut = kernel.is_cut || user.is_cut;
	if (key->kernel == PROFILE_STACK_LOST)
		err = add_lost(namer, CODE_KERNEL, key->ip, row);
	err = err ?: add_names(namer, &kernel, row);
	if (!err && key->user == PROFILE_STACK_LOST)
		err = add_lost(namer, CODE_ADDRESS, kernel_first ? 0 : key->ip, row);
	err = err ?: add_names(namer, &user, row);
	turn_round(row);
	return err;
}

/* ---- functions ---- */

static int compare_strings(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int compare_names(const struct code_name *a, const struct code_name *b)
{
	int order = compare_strings(a->object, b->object) ?: compare_strings(a->function, b->function);

	return order ?: compare_strings(a->file, b->file) ?: a->line - b->line;
}

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol_row *a = left, *b = right;

	return a->event != b->event ? a->event - b->event : compare_names(&a->name, &b->name);
}

static int compare_weights(const void *left, const void *right)
{
	const struct symbol_row *a = left, *b = right;

	if (a->event != b->event)
		return a->event - b->event;
	if (a->self.weight != b->self.weight)
		return a->self.weight < b->self.weight ? 1 : -1;
	if (a->total.weight != b->total.weight)
		return a->total.weight < b->total.weight ? 1 : -1;
	return compare_names(&a->name, &b->name);
}

static void add_sum(struct sample_sum *to, const struct sample_sum *sum)
{
	to->samples += sum->samples;
	to->weight += sum->weight;
}

/* A row for the stack's frame @place; not for one of a function that called itself, which has the sample already. */
static void add_symbol(struct stack_rows *rows, const struct stack_row *stack, int place)
{
	const struct code_name *name = &stack->names[place];
	bool is_self = place == stack->nr - 1;
	struct symbol_row *row;

	for (int i = place + 1; i < stack->nr; i++)
		if (!compare_names(&stack->names[i], name))
			return;
	row = &rows->symbols[rows->nr_symbols++];
	*row = (struct symbol_row){ .event = stack->event, .name = *name, .total = stack->sum };
	if (is_self)
		row->self = stack->sum;
}

static void merge_symbols(struct stack_rows *rows)
{
	int kept = 0;

	qsort(rows->symbols, (size_t)rows->nr_symbols, sizeof(*rows->symbols), compare_symbols);
	for (int i = 0; i < rows->nr_symbols; i++) {
		struct symbol_row *last = kept ? &rows->symbols[kept - 1] : NULL;

		if (last && !compare_symbols(last, &rows->symbols[i])) {
			add_sum(&last->self, &rows->symbols[i].self);
			add_sum(&last->total, &rows->symbols[i].total);
		} else {
			rows->symbols[kept++] = rows->symbols[i];
		}
	}
	rows->nr_symbols = kept;
}

static void share_out(struct stack_rows *rows, const uint64_t *weights)
{
	for (int i = 0; i < rows->nr_symbols; i++) {
		struct symbol_row *row = &rows->symbols[i];

		if (!weights[row->event])
			continue;
		row->share = sample_sum__percent(&row->self, weights[row->event]);
		row->total_share = sample_sum__percent(&row->total, weights[row->event]);
	}
}

static int make_symbols(struct stack_rows *rows)
{
	uint64_t *weights = calloc((size_t)rows->nr_events + 1, sizeof(*weights));
	size_t nr = 0;

	for (int i = 0; i < rows->nr_stacks; i++)
		nr += (size_t)rows->stacks[i].nr;
	rows->symbols = calloc(nr + 1, sizeof(*rows->symbols));
	if (!weights || !rows->symbols) {
		free(weights);
		return -ENOMEM;
	}
	for (int i = 0; i < rows->nr_stacks; i++) {
		const struct stack_row *stack = &rows->stacks[i];

		weights[stack->event] += stack->sum.weight;
		for (int place = 0; place < stack->nr; place++)
			add_symbol(rows, stack, place);
	}
	merge_symbols(rows);
	share_out(rows, weights);
	qsort(rows->symbols, (size_t)rows->nr_symbols, sizeof(*rows->symbols), compare_weights);
	free(weights);
	return 0;
}

/* ---- stacks ---- */

static int compare_stacks(const void *left, const void *right)
{
	const struct stack_row *a = left, *b = right;
	int order = a->event - b->event ?: strcmp(a->comm, b->comm);

	for (int i = 0; !order && i < a->nr && i < b->nr; i++)
		order = compare_names(&a->names[i], &b->names[i]);
	return order ?: a->nr - b->nr ?: a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Stacks that differ in addresses only are one. */
static void merge_stacks(struct stack_rows *rows)
{
	int kept = 0;

	qsort(rows->stacks, (size_t)rows->nr_stacks, sizeof(*rows->stacks), compare_stacks);
	for (int i = 0; i < rows->nr_stacks; i++) {
		struct stack_row *last = kept ? &rows->stacks[kept - 1] : NULL;

		if (last && !compare_stacks(last, &rows->stacks[i])) {
			add_sum(&last->sum, &rows->stacks[i].sum);
			free(rows->stacks[i].names);
		} else {
			rows->stacks[kept++] = rows->stacks[i];
		}
	}
	rows->nr_stacks = kept;
}

static int make_stacks(const struct profile *profile, struct stack_namer *namer, bool delta, struct stack_rows *rows)
{
	uint32_t nr = sample_table__nr(profile->samples);
	int err = 0;

	rows->stacks = calloc((size_t)nr + 1, sizeof(*rows->stacks));
	rows->losses = calloc((size_t)rows->nr_events + 1, sizeof(*rows->losses));
	if (!rows->stacks || !rows->losses)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < nr; i++) {
		const struct profile_stack_key *key = sample_table__key(profile->samples, i);
		struct stack_row *row = &rows->stacks[rows->nr_stacks];
		struct stack_losses *losses = &rows->losses[key->event];
		bool is_cut = false;

		row->sum = (delta ? sample_table__delta : sample_table__total)(profile->samples, i);
		if (!row->sum.samples)
			continue;
		rows->nr_stacks++;
		err = make_stack(profile, namer, key, row, &is_cut);
		losses->cut += is_cut ? row->sum.samples : 0;
		if (!err && row->nr && !row->names[row->nr - 1].function)
			losses->unnamed += row->sum.samples;
	}
	return err;
}

int stack_rows__make(const struct profile *profile, struct stack_namer *namer, bool delta, struct stack_rows *rows)
{
	int err;

	*rows = (struct stack_rows){ .nr_events = profile->nr_events };
	err = make_stacks(profile, namer, delta, rows);
	if (!err)
		merge_stacks(rows);
	err = err ?: make_symbols(rows);
	if (err)
		stack_rows__free(rows);
	return err;
}

void stack_rows__free(struct stack_rows *rows)
{
	for (int i = 0; i < rows->nr_stacks; i++)
		free(rows->stacks[i].names);
	free(rows->stacks);
	free(rows->symbols);
	free(rows->losses);
	*rows = (struct stack_rows){ 0 };
}
