// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/profile/profile-report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/count/measurement.h"
#include "util/count/profile/profile-stacks.h"
#include "util/count/profile/profile.h"
#include "util/machine/symbols/kernel-symbols.h"

/* Printed instead of the names of lost frames. */
#define STACK_LOST "[stack lost]"

/*
 * The maximum number of inlined functions that pstat adds to a stack. The debug information of
 * another user's file can claim that many functions are inlined at each address. For each frame,
 * code_names__find() returns up to CODE_MOST_NAMES - 1 of these functions. Without a limit for the
 * whole stack, stacks could need gigabytes of memory, and comparing the names of a stack in
 * add_symbol() could take hours.
 */
#define MOST_INLINED 512

/* ---- names ---- */

struct stack_namer {
	const struct profile_stacks *stacks;
	struct code_names *names;
	int nr_inlined;	    /* number of inlined functions in the current stack */
	bool warned_of_cut; /* pstat has warned about a stack with too many inlined functions */
};

struct stack_namer *stack_namer__new(const struct profile *profile, unsigned int flags)
{
	struct stack_namer *namer = calloc(1, sizeof(*namer));

	if (!namer)
		return NULL;
	namer->stacks = profile->stacks;
	namer->names = code_names__new(profile_stacks__objects(profile->stacks), flags);
	if (namer->names)
		return namer;
	stack_namer__free(namer);
	return NULL;
}

void stack_namer__free(struct stack_namer *namer)
{
	if (!namer)
		return;
	code_names__free(namer->names);
	free(namer);
}

const char *stack_namer__kernel_error(const struct stack_namer *namer)
{
	int err;

	profile_stacks__kernel_symbols(namer->stacks, &err);
	/*
	 * -EINTR: a signal interrupted the reading of the symbols; the caller warns about the
	 * signal
	 */
	return err && err != -EINTR ? kernel_symbols__strerror(err) : NULL;
}

/* ---- one stack ---- */

/* Makes room for @nr more names. Returns 0 or -ENOMEM. */
static int make_room(struct stack_row *row, int nr)
{
	struct code_name *bigger;
	int room = row->room;

	while (room < row->nr + nr)
		room = room ? 2 * room : 16;
	if (room == row->room)
		return 0;
	bigger = realloc(row->names, (size_t)room * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	row->names = bigger;
	row->room = room;
	return 0;
}

/*
 * Returns whether the stack can have @nr more inlined functions without exceeding MOST_INLINED. If
 * so, counts them. Otherwise, warns, but only once.
 */
static bool has_room(struct stack_namer *namer, int nr)
{
	if (namer->nr_inlined + nr <= MOST_INLINED) {
		namer->nr_inlined += nr;
		return true;
	}
	if (!namer->warned_of_cut)
		pr_warn("some inlined functions are missing: a stack has more than %d",
			MOST_INLINED);
	namer->warned_of_cut = true;
	return false;
}

/*
 * Appends the names of @frame: first the inlined functions at its address (unless the stack would
 * have too many of them), then the function that contains them.
 */
static int add_frame(struct stack_namer *namer, const struct code_frame *frame, bool is_caller,
		     struct stack_row *row)
{
	struct code_name found[CODE_MOST_NAMES];
	int nr = code_names__find(namer->names, (pid_t)row->pid, frame, is_caller, found);
	const struct code_name *first = found;

	if (nr > 1 && !has_room(namer, nr - 1)) {
		first = &found[nr - 1];
		nr = 1;
	}
	if (nr < 0 || make_room(row, nr))
		return -ENOMEM;
	memcpy(row->names + row->nr, first, (size_t)nr * sizeof(*first));
	row->nr += nr;
	return 0;
}

/*
 * Appends the names of @stack to @row, the innermost frame first. All addresses except the first
 * are return addresses.
 */
static int add_names(struct stack_namer *namer, const struct profile_stack *stack,
		     struct stack_row *row)
{
	int err = 0;

	for (int i = 0; !err && i < stack->nr; i++)
		err = add_frame(namer, &stack->frames[i], i > 0, row);
	return err;
}

/*
 * Appends STACK_LOST in place of the frames of a lost stack. If @ip is not 0, first appends the
 * names of the frame at this address, the only frame that is known.
 */
static int add_lost(struct stack_namer *namer, enum code_frame_kind kind, uint64_t ip,
		    struct stack_row *row)
{
	struct code_frame frame = { .kind = kind, .at = ip };
	int err = ip ? add_frame(namer, &frame, false, row) : 0;

	err = err ?: make_room(row, 1);
	if (!err)
		row->names[row->nr++] =
			(struct code_name){ .function = STACK_LOST, .object = STACK_LOST };
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

/*
 * Fills @row with the names of a stack, the outermost frame first. The names are appended in the
 * opposite order: first the kernel's frames, which are the innermost frames, then the frames of the
 * user code that entered the kernel. turn_round() reverses this order. Sets *@is_cut if outer
 * frames may be missing.
 */
static int make_stack(const struct profile *profile, struct stack_namer *namer,
		      const struct profile_stack_key *key, struct stack_row *row, bool *is_cut)
{
	struct profile_stack kernel = profile_stacks__kernel(profile->stacks, key->kernel);
	struct profile_stack user = profile_stacks__user(profile->stacks, key->user);
	bool kernel_first = key->kernel != PROFILE_NO_STACK;
	int err;

	namer->nr_inlined = 0;
	row->pid = key->pid;
	memcpy(row->comm, key->comm, sizeof(row->comm));
	row->comm[sizeof(row->comm) - 1] = '\0';
	/* 4 more, for the names that add_lost() appends; so even an empty stack has an array */
	err = make_room(row, kernel.nr + user.nr + 4);
	if (err)
		return err;
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
	int order = compare_strings(a->object, b->object);

	order = order ?: compare_strings(a->function, b->function) ?: a->is_inlined - b->is_inlined;
	order = order ?: compare_strings(a->file, b->file) ?: a->line - b->line;
	return order ?: a->address < b->address ? -1 : a->address > b->address;
}

static int by_name(const void *left, const void *right)
{
	const struct symbol_row *a = left, *b = right;
	int order = a->sums.event.nr - b->sums.event.nr;

	return order ?: compare_names(&a->name, &b->name);
}

static int by_weight(const void *left, const void *right)
{
	const struct symbol_row *a = left, *b = right;

	return profile_sums__compare(&a->sums, &b->sums, true) ?: compare_names(&a->name, &b->name);
}

/*
 * Adds a row for frame @place of the stack. Skips the frame if an inner frame has the same name,
 * because a recursive function must get the samples only once.
 */
static void add_symbol(struct profile_report *report, const struct stack_row *stack, int place)
{
	const struct code_name *name = &stack->names[place];
	struct symbol_row *row;

	for (int i = place + 1; i < stack->nr; i++)
		if (!compare_names(&stack->names[i], name))
			return;
	row = &report->symbols[report->nr_symbols++];
	*row = (struct symbol_row){
		.sums = { .event = stack->event, .total = stack->sum },
		.name = *name,
	};
	if (place == stack->nr - 1)
		row->sums.self = stack->sum;
}

static int make_symbols(struct profile_report *report)
{
	size_t nr = 0, size = sizeof(*report->symbols);

	for (int i = 0; i < report->nr_stacks; i++)
		nr += (size_t)report->stacks[i].nr;
	report->symbols = calloc(nr + 1, size);
	if (!report->symbols)
		return -ENOMEM;
	for (int i = 0; i < report->nr_stacks; i++)
		for (int place = 0; place < report->stacks[i].nr; place++)
			add_symbol(report, &report->stacks[i], place);
	report->nr_symbols =
		profile_sums__merge(report->symbols, report->nr_symbols, size, by_name);
	profile_sums__share_out(report->symbols, report->nr_symbols, size, report->totals);
	qsort(report->symbols, (size_t)report->nr_symbols, size, by_weight);
	return 0;
}

/* ---- stacks ---- */

static int compare_stacks(const void *left, const void *right)
{
	const struct stack_row *a = left, *b = right;
	int order = a->event.nr - b->event.nr ?: strcmp(a->comm, b->comm);

	for (int i = 0; !order && i < a->nr && i < b->nr; i++)
		order = compare_names(&a->names[i], &b->names[i]);
	return order ?: a->nr - b->nr ?: a->pid < b->pid ? -1 : a->pid > b->pid;
}

/*
 * Merges stacks that have the same event, process, thread name and names of frames. The stacks can
 * contain different addresses in the same function.
 */
static void merge_stacks(struct profile_report *report)
{
	int kept = 0;

	qsort(report->stacks, (size_t)report->nr_stacks, sizeof(*report->stacks), compare_stacks);
	for (int i = 0; i < report->nr_stacks; i++) {
		struct stack_row *last = kept ? &report->stacks[kept - 1] : NULL;

		if (last && !compare_stacks(last, &report->stacks[i])) {
			sample_sum__add(&last->sum, &report->stacks[i].sum);
			free(report->stacks[i].names);
		} else {
			report->stacks[kept++] = report->stacks[i];
		}
	}
	report->nr_stacks = kept;
}

static int make_stacks(struct profile_report *report)
{
	const struct profile *profile = report->measurement->profile;
	uint32_t nr = sample_table__nr(profile->samples);
	int err = 0;

	report->stacks = calloc((size_t)nr + 1, sizeof(*report->stacks));
	if (!report->stacks)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < nr; i++) {
		const struct profile_stack_key *key = sample_table__key(profile->samples, i);
		struct stack_row *row = &report->stacks[report->nr_stacks];
		struct profile_totals *totals = &report->totals[key->event];
		bool is_cut = false;

		row->sum = profile_report__at(report, i);
		if (!row->sum.samples)
			continue;
		report->nr_stacks++;
		row->event = totals->event;
		err = make_stack(profile, report->namer, key, row, &is_cut);
		totals->cut += is_cut ? row->sum.samples : 0;
		if (!err && row->nr && !row->names[row->nr - 1].function)
			totals->unnamed += row->sum.samples;
	}
	return err;
}

int profile_report__make_stacks(struct profile_report *report)
{
	const struct profile *profile = report->measurement->profile;
	int err;

	/* the kernel's symbols may have been read after the namer was made */
	code_names__set_kernel(report->namer->names,
			       profile_stacks__kernel_symbols(profile->stacks, &err));
	err = make_stacks(report);
	if (err)
		return err;
	merge_stacks(report);
	for (int event = 0; event < profile->nr_events; event++)
		report->totals[event].lost_mappings =
			profile_stacks__lost_mappings(profile->stacks, report->is_interval);
	return make_symbols(report);
}
