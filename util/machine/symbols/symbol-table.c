// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/symbol-table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/interrupt.h"

/*
 * Names are stored in blocks, which never move in memory. A block contains many names, or one text
 * whose parts are the names of many symbols.
 */
#define BLOCK_SIZE 65536

struct block {
	struct block *next;
	size_t used, room;
	char text[];
};

struct symbol_table {
	struct symbol *symbols;
	size_t nr, room, bytes;
	struct block *blocks;
	bool sorted;
};

struct symbol_table *symbol_table__new(void)
{
	return calloc(1, sizeof(struct symbol_table));
}

void symbol_table__free(struct symbol_table *table)
{
	struct block *next;

	if (!table)
		return;
	for (struct block *block = table->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	free(table->symbols);
	free(table);
}

size_t symbol_table__nr(const struct symbol_table *table)
{
	return table->nr;
}

size_t symbol_table__bytes(const struct symbol_table *table)
{
	return table->bytes + table->room * sizeof(*table->symbols);
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

const char *symbol_table__keep(struct symbol_table *table, const char *text, size_t len)
{
	struct block *block = table->blocks;
	char *to;

	if (!block || block->room - block->used < len + 1) {
		size_t room = len + 1 > BLOCK_SIZE ? len + 1 : BLOCK_SIZE;

		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		*block = (struct block){ .next = table->blocks, .room = room };
		table->blocks = block;
		table->bytes += sizeof(*block) + room;
	}
	to = block->text + block->used;
	memcpy(to, text, len);
	to[len] = '\0';
	block->used += len + 1;
	return to;
}

int symbol_table__add_kept(struct symbol_table *table, const struct symbol *symbol)
{
	if (grow(table))
		return -ENOMEM;
	table->sorted = false;
	table->symbols[table->nr++] = *symbol;
	return 0;
}

int symbol_table__add(struct symbol_table *table, const struct symbol *symbol)
{
	struct symbol added = *symbol;

	added.name = symbol_table__keep(table, symbol->name, strlen(symbol->name));
	return added.name ? symbol_table__add_kept(table, &added) : -ENOMEM;
}

/*
 * The maximum number of characters that a comparison of two names reads. Names that are equal up to
 * this length can be in any order. Names in another user's file can be as long as the file and
 * differ only near the end, so full comparisons could take too long.
 */
#define COMPARED 256

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return y->rank - x->rank;
	if ((x->size && !x->is_open) != (y->size && !y->is_open))
		return x->size && !x->is_open ? -1 : 1;
	return x->name == y->name ? 0 : strncmp(x->name, y->name, COMPARED);
}

/*
 * The number of symbols that are sorted between two checks for signals. Sorting a piece of this
 * size takes a few ms.
 */
#define PIECE 16384

/* Merges the sorted ranges [@from, @middle) and [@middle, @end) into @to. */
static void merge(const struct symbol *from, const struct symbol *middle, const struct symbol *end,
		  struct symbol *to)
{
	const struct symbol *left = from, *right = middle;

	while (left < middle && right < end)
		*to++ = by_address(right, left) < 0 ? *right++ : *left++;
	memcpy(to, left, sizeof(*to) * (size_t)(middle - left));
	to += middle - left;
	memcpy(to, right, sizeof(*to) * (size_t)(end - right));
}

/*
 * Sorts pieces of the table and merges them. @spare must have room for all symbols. It becomes the
 * table's array or is freed. Returns 0, or -EINTR if a signal asks pstat to end. After -EINTR, the
 * table still contains all symbols, in any order.
 */
static int sort_pieces(struct symbol_table *table, struct symbol *spare)
{
	struct symbol *from = table->symbols, *to = spare, *merged;
	size_t nr = table->nr;
	int err = 0;

	for (size_t at = 0; !err && at < nr; at += PIECE) {
		qsort(from + at, nr - at < PIECE ? nr - at : PIECE, sizeof(*from), by_address);
		err = interrupt__is_due() ? -EINTR : 0;
	}
	for (size_t width = PIECE; !err && width < nr; width *= 2) {
		for (size_t at = 0; !err && at < nr; at += 2 * width) {
			size_t middle = nr - at < width ? nr : at + width;
			size_t end = nr - middle < width ? nr : middle + width;

			merge(from + at, from + middle, from + end, to + at);
			err = interrupt__is_due() ? -EINTR : 0;
		}
		if (err)
			break;
		merged = to;
		to = from;
		from = merged;
	}
	table->symbols = from;
	free(to);
	return err;
}

/*
 * Sorts the symbols with by_address(), and keeps only the first symbol at each address. Returns 0,
 * or -EINTR if a signal asks pstat to end (util/base/interrupt.h).
 */
static int sort(struct symbol_table *table)
{
	struct symbol *spare = NULL;
	size_t nr = 0;

	if (interrupt__is_due())
		return -EINTR;
	if (table->nr > PIECE)
		spare = malloc(table->room * sizeof(*spare));
	if (!spare)
		qsort(table->symbols, table->nr, sizeof(*table->symbols), by_address);
	else if (sort_pieces(table, spare))
		return -EINTR;
	for (size_t i = 0; i < table->nr; i++)
		if (!nr || table->symbols[i].address != table->symbols[nr - 1].address)
			table->symbols[nr++] = table->symbols[i];
	table->nr = nr;
	table->sorted = true;
	return 0;
}

const struct symbol *symbol_table__find(struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high;
	const struct symbol *found;

	if (!table->sorted && table->nr && sort(table))
		return NULL;
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
