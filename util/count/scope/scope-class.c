// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-class.h"

#include "util/machine/scope/scope.h"

enum scope_class scope_class__of(const struct scope_point *point)
{
	switch (point->kind) {
	case POINT_FUNC:
		return SCOPE_CLASS_FUNC;
	case POINT_TP:
		return SCOPE_CLASS_TP;
	case POINT_SYSCALL:
		return SCOPE_CLASS_SYSCALL;
	case POINT_UPROBE:
	case POINT_USDT:
		break;
	}
	return SCOPE_CLASS_USER;
}

static enum scope_class as_one_of_two(const struct scope_point *point, enum scope_class class)
{
	if (class != SCOPE_CLASS_FUNC)
		return class;
	return point->at_return ? SCOPE_CLASS_FUNC_RETURN : SCOPE_CLASS_FUNC_ENTRY;
}

/*
 * In programs, a return probe and a probe at an instruction have different costs. The difference
 * depends on the kernel: for example, Linux 6.11 and later use a system call for return probes on
 * x86-64. So a point in a program has SCOPE_CLASS_POINT if its probe is not a return probe. The
 * exception is the first point of a run that ends at the return of a function in a program: it has
 * SCOPE_CLASS_USER, like this return. In the kernel, SCOPE_CLASS_FUNC is the class of both points
 * if a run lasts from the entry of a function to its return. In any other run with a point at a
 * kernel function, a different part of the cost of the probe is inside the run, so this point has
 * another class.
 */
unsigned int scope_class__kind(const struct scope *scope)
{
	enum scope_class begin = scope_class__of(scope->begin), end = scope_class__of(scope->end);
	bool returns = end == SCOPE_CLASS_USER && scope->end->at_return;

	if (begin == SCOPE_CLASS_USER && !scope->begin->at_return && !returns)
		begin = SCOPE_CLASS_POINT;
	if (end == SCOPE_CLASS_USER && !returns)
		end = SCOPE_CLASS_POINT;
	if (!scope__is_function(scope)) {
		begin = as_one_of_two(scope->begin, begin);
		end = as_one_of_two(scope->end, end);
	}
	return SCOPE_KIND(begin, end);
}

unsigned int scope_class__all(const struct scope_list *list)
{
	unsigned int classes = 0;

	for (int i = 0; i < list->nr; i++) {
		unsigned int kind = scope_class__kind(&list->scopes[i]);

		classes |= 1U << SCOPE_KIND_BEGIN(kind) | 1U << SCOPE_KIND_END(kind);
	}
	return classes;
}

bool scope_class__have_several_kinds(const struct scope_list *list)
{
	for (int i = 1; i < list->nr; i++)
		if (scope_class__kind(&list->scopes[i]) != scope_class__kind(list->scopes))
			return true;
	return false;
}

bool scope_class__have_syscall_points(const struct scope_list *list)
{
	for (int i = 0; i < list->nr; i++)
		if (list->scopes[i].begin->kind == POINT_SYSCALL ||
		    list->scopes[i].end->kind == POINT_SYSCALL)
			if (!scope__is_function(&list->scopes[i]))
				return true;
	return false;
}
