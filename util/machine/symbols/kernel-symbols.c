// SPDX-License-Identifier: GPL-2.0-only
/*
 * kallsyms has 100,000 to 200,000 lines of the form `ADDRESS TYPE NAME[\t[MODULE]]`. It contains no
 * sizes, so pstat assumes that a function ends at the next symbol of any type. This is wrong for
 * BPF programs, because unloaded programs leave gaps. So pstat takes the end of a BPF program from
 * struct kernel_code (kernel-code.h). The struct does not contain trampolines that were loaded
 * before pstat began to record. pstat assumes that such a trampoline ends at the end of its page.
 */
#include "util/machine/symbols/kernel-symbols.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/interrupt.h"
#include "util/base/sysfs.h"
#include "util/machine/symbols/kernel-code.h"
#include "util/machine/symbols/symbol-table.h"

/*
 * The maximum length of a function. If an address is further than this from the symbol before it,
 * the address is in a gap, for example between two modules.
 */
#define LONGEST_FUNCTION (1 << 20)

/*
 * Names in the table have the format of kallsyms, `NAME` or `NAME\t[MODULE]`. Symbols that are not
 * code have the name NO_CODE.
 */
#define NO_CODE ""

#define BPF "bpf"

struct kernel_symbols {
	const struct kernel_code *code; /* not owned; may be NULL */
	struct symbol_table *table;
	char name[1024], object[128];
};

/*
 * Returns a lower rank for names such as _text, so that a search finds the function at the same
 * address instead.
 */
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
	/* 0: the kernel hides the address, or the symbol is a per-CPU variable at offset 0 */
	return symbol.address ? symbol_table__add(symbols->table, &symbol) : 0;
}

static int read_lines(struct kernel_symbols *symbols, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	for (unsigned int nr = 0; !err && getline(&line, &size, file) > 0; nr++)
		err = nr % 1024 || !interrupt__is_due() ? add_line(symbols, line) : -EINTR;
	free(line);
	return err;
}

int kernel_symbols__read(const struct sysroots *roots, const struct kernel_code *code,
			 struct kernel_symbols **result)
{
	struct kernel_symbols *symbols = calloc(1, sizeof(*symbols));
	char path[PATH_MAX];
	FILE *file = NULL;
	int err = 0;

	*result = NULL;
	if (symbols) {
		symbols->code = code;
		symbols->table = symbol_table__new();
	}
	if (!symbols || !symbols->table) {
		err = -ENOMEM;
		goto out;
	}
	snprintf(path, sizeof(path), "%s/kallsyms", roots->procfs);
	file = fopen(path, "re");
	if (!file) {
		err = errno != ENOENT || sysroots__procfs_tasks(roots) != PROCFS_MISSING ? -errno :
											   -ENODEV;
		goto out;
	}
	err = read_lines(symbols, file);
	if (!err && !symbol_table__nr(symbols->table))
		err = ftell(file) > 0 ? -EACCES : -ENODATA; /* -EACCES: all addresses are 0 */
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
		return "the kernel shows no addresses (kernel.kptr_restrict, or CAP_SYSLOG is "
		       "missing): run pstat as root or with CAP_SYSLOG, and with "
		       "kernel.kptr_restrict below 2";
	case -ENODEV:
		return procfs_tasks__why_not(PROCFS_MISSING);
	case -ENODATA:
	case -ENOENT:
		return "this kernel does not provide its symbols (CONFIG_KALLSYMS)";
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

/* Returns whether @address is in the BPF program or trampoline that begins at @start. */
static bool is_in_bpf(const struct kernel_symbols *symbols, uint64_t start, uint64_t address)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct kernel_code_range *range =
		symbols->code ? kernel_code__find(symbols->code, start) : NULL;

	if (range && range->start == start)
		return address < range->end;
	/*
	 * If pstat does not know the lengths of all programs, it assumes that this code, like other
	 * functions, ends at the next symbol. Otherwise, the code is not a program but a
	 * trampoline, which is assumed to end at the end of its page.
	 */
	return !symbols->code || !kernel_code__is_complete(symbols->code) ||
	       start / page == address / page;
}

/* Finds the function at @address in kallsyms. Returns 0, or -ENOENT if none is known. */
static int find_listed(struct kernel_symbols *symbols, uint64_t address,
		       struct kernel_symbol *found)
{
	const struct symbol *symbol = symbol_table__find(symbols->table, address);
	const char *module;

	if (!symbol || !*symbol->name || address - symbol->address > LONGEST_FUNCTION)
		return -ENOENT;
	module = strchr(symbol->name, '\t');
	snprintf(symbols->name, sizeof(symbols->name), "%.*s", (int)strcspn(symbol->name, "\t"),
		 symbol->name);
	snprintf(symbols->object, sizeof(symbols->object), "kernel");
	if (module && module[1] == '[')
		snprintf(symbols->object, sizeof(symbols->object), "%.*s",
			 (int)strcspn(module + 2, "]"), module + 2);
	if (!strcmp(symbols->object, BPF) && !is_in_bpf(symbols, symbol->address, address))
		return -ENOENT;
	*found =
		(struct kernel_symbol){ symbols->name, symbols->object, address - symbol->address };
	return 0;
}

int kernel_symbols__find(struct kernel_symbols *symbols, uint64_t address,
			 struct kernel_symbol *found)
{
	const struct kernel_code_range *range =
		symbols->code ? kernel_code__find(symbols->code, address) : NULL;

	if (!range || !range->name)
		return find_listed(symbols, address, found);
	*found = (struct kernel_symbol){ range->name, BPF, address - range->start };
	return 0;
}
