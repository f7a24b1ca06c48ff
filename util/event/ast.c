// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/ast.h"

#include <stdlib.h>
#include <string.h>

void ast__free(struct ast *ast)
{
	free(ast->events);
	free(ast->terms);
	free(ast->groups);
	*ast = (struct ast){ 0 };
}

/*
 * Adds one element of @size bytes to an array that doubles when it is full. The parser limits the
 * number of elements far below INT_MAX.
 */
static void *add(void **array, int *nr, int *room, size_t size)
{
	if (*nr == *room) {
		int more = *room ? *room * 2 : 8;
		void *grown = realloc(*array, size * (size_t)more);

		if (!grown)
			return NULL;
		*array = grown;
		*room = more;
	}
	return memset((char *)*array + size * (size_t)(*nr)++, 0, size);
}

struct ast_event *ast__add_event(struct ast *ast)
{
	return add((void **)&ast->events, &ast->nr_events, &ast->events_room, sizeof(*ast->events));
}

struct ast_term *ast__add_term(struct ast *ast)
{
	return add((void **)&ast->terms, &ast->nr_terms, &ast->terms_room, sizeof(*ast->terms));
}

struct ast_group *ast__add_group(struct ast *ast)
{
	return add((void **)&ast->groups, &ast->nr_groups, &ast->groups_room, sizeof(*ast->groups));
}
