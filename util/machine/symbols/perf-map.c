// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/perf-map.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/interrupt.h"
#include "util/machine/symbols/symbol-table.h"

#define CHUNK (1 << 20)

/*
 * Reads at most PERF_MAP_MOST_BYTES of the file. Sets *@text to the bytes that were read, followed
 * by a NUL, and *@len to the number of these bytes. The caller frees *@text, even after an error.
 * Returns 0; -E2BIG if the file is longer; -EINTR if a signal asks pstat to end; or another -errno.
 */
static int read_text(int fd, char **text, size_t *len)
{
	size_t room = 0;
	ssize_t n = 1;

	*text = NULL;
	*len = 0;
	while (n > 0 && *len < PERF_MAP_MOST_BYTES) {
		if (interrupt__is_due())
			return -EINTR;
		if (room - *len < CHUNK) {
			char *bigger;

			room = room ? 2 * room : 2 * CHUNK;
			bigger = realloc(*text, room + 1);
			if (!bigger)
				return -ENOMEM;
			*text = bigger;
		}
		n = pread(fd, *text + *len, CHUNK, (off_t)*len);
		*len += n > 0 ? (size_t)n : 0;
		(*text)[*len] = '\0';
	}
	return n < 0 ? -errno : n > 0 ? -E2BIG : 0;
}

/*
 * Parses a hexadecimal number and the space after it. Returns the text after the space, or NULL if
 * @at does not begin with a number and a space.
 */
static char *read_number(char *at, uint64_t *number)
{
	char *end;

	if (!isxdigit((unsigned char)*at))
		return NULL;
	errno = 0;
	*number = strtoull(at, &end, 16);
	return !errno && *end == ' ' ? end + 1 : NULL;
}

static bool parse_line(char *line, struct symbol *symbol)
{
	char *at = read_number(line, &symbol->address);

	at = at ? read_number(at, &symbol->size) : NULL;
	symbol->name = at;
	return at && *at && symbol->size && symbol->address + symbol->size > symbol->address;
}

/*
 * Adds the functions in @text, which the table must own. Each line of @text ends with a NUL instead
 * of a newline. Returns 0; -E2BIG if there are more than PERF_MAP_MOST_FUNCTIONS; -ENOMEM; or
 * -EINTR.
 */
static int add_lines(struct symbol_table *table, char *text, size_t len)
{
	struct symbol symbol = { .rank = 0 };
	char *next;
	int nr = 0;

	for (char *line = text; line < text + len; line = next) {
		next = line + strlen(line) + 1;
		if (!parse_line(line, &symbol))
			continue;
		if (nr == PERF_MAP_MOST_FUNCTIONS)
			return -E2BIG;
		symbol.rank = nr++;
		if (symbol_table__add_kept(table, &symbol))
			return -ENOMEM;
		if (nr % 65536 == 0 && interrupt__is_due())
			return -EINTR;
	}
	return 0;
}

int perf_map__read(struct symbol_table *table, int fd)
{
	size_t len;
	char *text, *kept;
	int err = read_text(fd, &text, &len), added;

	if (err && err != -E2BIG) {
		free(text);
		return err;
	}
	for (char *end = text; (end = memchr(end, '\n', len - (size_t)(end - text)));)
		*end = '\0';
	kept = (char *)symbol_table__keep(table, text, len);
	free(text);
	added = kept ? add_lines(table, kept, len) : -ENOMEM;
	return added ?: err;
}
