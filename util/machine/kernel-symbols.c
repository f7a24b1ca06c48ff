// SPDX-License-Identifier: GPL-2.0-only
/*
 * A line of kallsyms is `ADDRESS TYPE NAME[\t[MODULE]]`, and there are 100 000 to 200 000 of them. No sizes are told: a function goes up to
 * the next symbol, whatever that is.
 */
#include "util/machine/kernel-symbols.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/machine/symbol-table.h"

/* Between the modules, and behind the last program, nothing is: no function is as long as that. */
#define LONGEST_FUNCTION (1 << 20)

/* In the table a module's function is `NAME\t[MODULE]`, as it is in the file; what is no code is NO_CODE. */
#define NO_CODE ""

struct kernel_symbols {
	struct symbol_table *table;
	char name[1024], object[128];
};

/* _text and _stext stand where the first function does: who looks for it does not mean them. */
static int rank_of(const char *name)
{
	return *name != '_' && *name != '.' && *name != '$';
}

static int add_line(struct kernel_symbols *symbols, char *line)
{
	struct symbol symbol = { .address = 0 };
	char *end, type;

	line[strcspn(line, "\n")] = '\0';
	symbol.address = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return 0;
	type = end[1];
	symbol.name = strchr("tTwW", type) ? end + 3 : NO_CODE;
	symbol.rank = symbol.name == end + 3 ? rank_of(end + 3) : -1;
	/* per-CPU variables have small numbers for addresses */
	return symbol.address ? symbol_table__add(symbols->table, &symbol) : 0;
}

static int read_lines(struct kernel_symbols *symbols, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (!err && getline(&line, &size, file) > 0)
		err = add_line(symbols, line);
	free(line);
	return err;
}

int kernel_symbols__read(const struct sysroots *roots, struct kernel_symbols **result)
{
	struct kernel_symbols *symbols = calloc(1, sizeof(*symbols));
	char path[PATH_MAX];
	FILE *file = NULL;
	int err = 0;

	*result = NULL;
	if (symbols)
		symbols->table = symbol_table__new();
	if (!symbols || !symbols->table) {
		err = -ENOMEM;
		goto out;
	}
	snprintf(path, sizeof(path), "%s/kallsyms", roots->procfs);
	file = fopen(path, "re");
	if (!file) {
		err = -errno;
		goto out;
	}
	err = read_lines(symbols, file);
	if (!err && !symbol_table__nr(symbols->table))
		err = ftell(file) > 0 ? -EACCES : -ENODATA; /* all of them are shown as 0 */
out:
	if (file)
		fclose(file);
	if (err)
		kernel_symbols__free(symbols);
	else
		*result = symbols;
	return err;
}

const char *kernel_symbols__strerror(int err)
{
	switch (err) {
	case -EACCES:
		return "the kernel shows no addresses (kernel.kptr_restrict, or CAP_SYSLOG is missing): `sysctl "
		       "kernel.kptr_restrict=1` lets root see them";
	case -ENODATA:
	case -ENOENT:
		return "this kernel does not tell its symbols (CONFIG_KALLSYMS)";
	default:
		return strerror(-err);
	}
}

void kernel_symbols__free(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	symbol_table__free(symbols->table);
	free(symbols);
}

int kernel_symbols__find(struct kernel_symbols *symbols, uint64_t address, struct kernel_symbol *found)
{
	const struct symbol *symbol = symbol_table__find(symbols->table, address);
	const char *module;

	if (!symbol || !*symbol->name || address - symbol->address > LONGEST_FUNCTION)
		return -ENOENT;
	module = strchr(symbol->name, '\t');
	snprintf(symbols->name, sizeof(symbols->name), "%.*s", (int)strcspn(symbol->name, "\t"), symbol->name);
	snprintf(symbols->object, sizeof(symbols->object), "kernel");
	if (module && module[1] == '[')
		snprintf(symbols->object, sizeof(symbols->object), "%.*s", (int)strcspn(module + 2, "]"), module + 2);
	*found = (struct kernel_symbol){ symbols->name, symbols->object, address - symbol->address };
	return 0;
}
