// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbol-table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

/*
 * Names lie one after the other in one buffer, which moves as it grows: until the table is sorted, at its first search, `name` is an
 * offset in disguise.
 */
struct symbol_table {
	struct symbol *symbols;
	size_t nr, room;
	struct strbuf names;
	bool sorted;
};

struct symbol_table *symbol_table__new(void)
{
	struct symbol_table *table = calloc(1, sizeof(*table));

	if (table)
		table->names = (struct strbuf)STRBUF_INIT;
	return table;
}

void symbol_table__free(struct symbol_table *table)
{
	if (!table)
		return;
	strbuf__free(&table->names);
	free(table->symbols);
	free(table);
}

size_t symbol_table__nr(const struct symbol_table *table)
{
	return table->nr;
}

static int grow(struct symbol_table *table)
{
	size_t room = table->room ? 2 * table->room : 256;
	struct symbol *symbols;

	if (table->nr < table->room)
		return 0;
	symbols = realloc(table->symbols, room * sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	table->symbols = symbols;
	table->room = room;
	return 0;
}

/* Back to offsets, when something is added to a table that has been searched. */
static void unsort(struct symbol_table *table)
{
	for (size_t i = 0; table->sorted && i < table->nr; i++)
		table->symbols[i].name = (const char *)(table->symbols[i].name - table->names.text);
	table->sorted = false;
}

int symbol_table__add(struct symbol_table *table, const struct symbol *symbol)
{
	struct symbol added = *symbol;

	if (grow(table))
		return -ENOMEM;
	unsort(table);
	added.name = (const char *)table->names.len;
	strbuf__add(&table->names, symbol->name, strlen(symbol->name) + 1);
	if (strbuf__failed(&table->names))
		return -ENOMEM;
	table->symbols[table->nr++] = added;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return y->rank - x->rank;
	if (!x->size != !y->size)
		return x->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void sort(struct symbol_table *table)
{
	size_t nr = 0;

	for (size_t i = 0; i < table->nr; i++)
		table->symbols[i].name = table->names.text + (size_t)table->symbols[i].name;
	qsort(table->symbols, table->nr, sizeof(*table->symbols), by_address);
	for (size_t i = 0; i < table->nr; i++)
		if (!nr || table->symbols[i].address != table->symbols[nr - 1].address)
			table->symbols[nr++] = table->symbols[i];
	table->nr = nr;
	table->sorted = true;
}

const struct symbol *symbol_table__find(struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high;
	const struct symbol *found;

	if (!table->sorted && table->nr)
		sort(table);
	high = table->nr;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	found = &table->symbols[low - 1];
	return found->size && address - found->address >= found->size ? NULL : found;
}
