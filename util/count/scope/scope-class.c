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

unsigned int scope_class__all(const struct scope_list *list)
{
	unsigned int classes = 0;

	for (int i = 0; i < list->nr; i++)
		classes |= 1U << scope_class__of(list->scopes[i].begin) |
			   1U << scope_class__of(list->scopes[i].end);
	return classes;
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
