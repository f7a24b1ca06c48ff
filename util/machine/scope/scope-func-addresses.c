// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the addresses of kernel functions. If pstat passes only a name to the kernel, the kernel
 * attaches the probe to the first function with this name. So if several functions have the same
 * name, or if the user named a module, pstat passes the address of the function instead.
 *
 * kallsyms lists the addresses at which functions begin. ftrace lists the addresses at which
 * functions call ftrace. On arm64, and on x86-64 with CONFIG_X86_KERNEL_IBT, the call is a few
 * bytes after the beginning. pstat passes the address of the beginning. If pstat passed the address
 * of the call, the kernel would not find the cookie, which is the number that pstat passes to its
 * BPF program (kernel/trace/bpf_trace.c, bpf_kprobe_multi_cookie). If only some of the functions
 * with the same name can be probed, pstat also reads ftrace's list, which contains only functions
 * that can be probed.
 */
#include "util/machine/scope/scope-func-addresses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/scope/scope-kernel-lists.h"
#include "util/machine/scope/scope-search.h"

/* The beginning of a function that has the name and module of a point. */
struct beginning {
	int same; /* index in addresses.points of the first point with this name and module */
	uint64_t address;
};

struct addresses {
	struct scope_point **points; /* points that need an address, sorted by name and module */
	int nr;
	struct beginning *beginnings;
	int nr_beginnings;
	/*
	 * if points[i] is the first point with its name and module, found[i] is the number of
	 * beginnings with this name and module
	 */
	int *found;
};

static int compare_names(const struct scope_point *point, const char *name, const char *module)
{
	return strcmp(point->func, name) ?: strcmp(point->module ?: "", module ?: "");
}

int scope_func_addresses__compare(const void *a, const void *b)
{
	const struct scope_point *x = a, *y = b;

	return compare_names(x, y->func, y->module) ?:
		       (x->address > y->address) - (x->address < y->address);
}

/* Returns the index of the first point with the name and module of @symbol, or -1. */
static int find_first(const struct addresses *a, const struct kernel_list_line *symbol)
{
	int low = 0, high = a->nr;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (compare_names(a->points[middle], symbol->name, symbol->module) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->nr && !compare_names(a->points[low], symbol->name, symbol->module) ? low :
											     -1;
}

/* Returns the number of points with the name and module of a->points[@first]. */
static int nr_same(const struct addresses *a, int first)
{
	int nr = 1;

	while (first + nr < a->nr && !compare_names(a->points[first + nr], a->points[first]->func,
						    a->points[first]->module))
		nr++;
	return nr;
}

static int add_beginning(const struct kernel_list_line *symbol, void *arg)
{
	struct addresses *a = arg;
	struct beginning *more;
	int same;

	if ((symbol->type != 't' && symbol->type != 'T') || !symbol->address)
		return 0;
	same = find_first(a, symbol);
	if (same < 0)
		return 0;
	more = reallocarray(a->beginnings, (size_t)a->nr_beginnings + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	a->beginnings = more;
	more[a->nr_beginnings++] = (struct beginning){ .same = same, .address = symbol->address };
	a->found[same]++;
	return 0;
}

/*
 * Stores @address in the first point that has the name and module of a->points[@same], and that has
 * no address yet.
 */
static void set_next(const struct addresses *a, int same, uint64_t address)
{
	int end = same + nr_same(a, same);

	for (int i = same; i < end; i++)
		if (!a->points[i]->address) {
			a->points[i]->address = address;
			return;
		}
}

/*
 * Each point is a function that can be probed. So if a name and module have as many points as
 * beginnings, all functions with this name and module can be probed. In this case, stores the
 * addresses of the beginnings in the points. Returns whether all points of @a have addresses.
 */
static bool set_all(const struct addresses *a)
{
	bool all = true;

	for (int i = 0; i < a->nr_beginnings; i++) {
		int same = a->beginnings[i].same;

		if (a->found[same] == nr_same(a, same))
			set_next(a, same, a->beginnings[i].address);
	}
	for (int i = 0; i < a->nr; i++)
		all = all && a->points[i]->address;
	return all;
}

/*
 * @call is a call to ftrace. Finds the function that contains the call, and stores the function's
 * address in a point with the function's name. If this address is unknown, stores the address of
 * the call. Does nothing if set_all() has already stored the addresses of all functions with this
 * name.
 */
static int set_by_call(const struct kernel_list_line *call, void *arg)
{
	const struct addresses *a = arg;
	uint64_t address = call->address;
	int same = find_first(a, call);

	if (same < 0 || a->found[same] == nr_same(a, same))
		return 0;
	for (int i = 0; i < a->nr_beginnings; i++)
		if (a->beginnings[i].same == same &&
		    call->address - a->beginnings[i].address <= CALL_OFFSET_MOST)
			address = a->beginnings[i].address;
	set_next(a, same, address);
	return 0;
}

static int find(const struct scope_search *search, struct addresses *a)
{
	int err = scope_kernel_lists__each(search, KERNEL_SYMBOLS, add_beginning, a);

	if (err == -EINTR || err == -ENOMEM || set_all(a))
		return err;
	err = scope_kernel_lists__each(search, KERNEL_CALLS, set_by_call, a);
	return err == -EINTR || err == -ENOMEM ? err : 0;
}

static bool is_unique(const struct scope_points *points, int first, int i)
{
	const struct scope_point *all = points->points;

	return (i == first || strcmp(all[i].func, all[i - 1].func) != 0) &&
	       (i + 1 == points->nr || strcmp(all[i].func, all[i + 1].func) != 0);
}

int scope_func_addresses__find(const struct scope_search *search, struct scope_points *points,
			       int first, bool all)
{
	size_t most = (size_t)(points->nr - first) + 1;
	struct addresses a = { .points = calloc(most, sizeof(*a.points)),
			       .found = calloc(most, sizeof(int)) };
	int err = a.points && a.found ? 0 : -ENOMEM;

	for (int i = first; !err && i < points->nr; i++)
		if (!points->points[i].address && (all || !is_unique(points, first, i)))
			a.points[a.nr++] = &points->points[i];
	if (!err && a.nr)
		err = find(search, &a);
	free(a.points);
	free(a.found);
	free(a.beginnings);
	return err;
}
