// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the kernel's lists of functions. The kernel generates the two lists of ftrace slowly,
 * because it starts from the first function again for each 4 KiB that pstat reads. So pstat reads
 * the shorter list (KERNEL_TRACED) only once, and reads the longer list (KERNEL_CALLS) only if it
 * needs addresses.
 */
#include "util/machine/scope/scope-kernel-lists.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/interrupt.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope-search.h"

#define FIRST_ROOM (1 << 20)
#define LEAST_ROOM 65536

/*
 * Reads the rest of @fd into *@text, which the caller frees even after an error. Returns 0, -EINTR
 * if a signal asks pstat to end, or another -errno.
 */
static int read_rest(int fd, char **text)
{
	size_t room = 0, len = 0;
	ssize_t got;

	*text = NULL;
	do {
		if (room - len < LEAST_ROOM) {
			char *more = realloc(*text, room = room ? 2 * room : FIRST_ROOM);

			if (!more)
				return -ENOMEM;
			*text = more;
		}
		if (interrupt__is_due())
			return -EINTR;
		got = read(fd, *text + len, room - len - 1);
		if (got < 0)
			return -errno;
		len += (size_t)got;
	} while (got);
	(*text)[len] = '\0';
	return 0;
}

static int read_list(const struct sysroots *roots, enum kernel_list which, char **text)
{
	static const char *const names[] = {
		[KERNEL_TRACED] = "available_filter_functions",
		[KERNEL_CALLS] = "available_filter_functions_addrs",
		[KERNEL_SYMBOLS] = "kallsyms",
	};
	char path[PATH_MAX];
	int fd, err;

	*text = NULL;
	snprintf(path, sizeof(path), "%s/%s",
		 which == KERNEL_SYMBOLS ? roots->procfs : roots->tracefs, names[which]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_rest(fd, text);
	close(fd);
	return err;
}

/*
 * Parses "ADDRESS TYPE NAME [MODULE]" (KERNEL_SYMBOLS), "ADDRESS NAME [MODULE]" (KERNEL_CALLS) or
 * "NAME [MODULE]" (KERNEL_TRACED). Functions of the kernel itself have no "[MODULE]". Modifies
 * @text. The strings in @symbol point into @text. Returns false if the line has no name.
 */
static bool parse_line(char *text, enum kernel_list which, struct kernel_list_line *symbol)
{
	char *module;

	*symbol = (struct kernel_list_line){ .type = 't' };
	if (which != KERNEL_TRACED) {
		symbol->address = strtoull(text, &text, 16);
		text += strspn(text, " ");
	}
	if (which == KERNEL_SYMBOLS) {
		symbol->type = *text;
		text += *text ? 1 : 0;
		text += strspn(text, " ");
	}
	symbol->name = text;
	text += strcspn(text, " \t");
	module = strchr(text, '[');
	if (module) {
		symbol->module = module + 1;
		module[strcspn(module, "]")] = '\0';
	}
	*text = '\0';
	return *symbol->name;
}

/*
 * Lines of this length or longer are skipped. The kernel writes no such lines, because names of
 * symbols are at most 512 bytes long.
 */
#define LINE_MOST 1024

static int each_line(const char *text, enum kernel_list which,
		     int (*each)(const struct kernel_list_line *symbol, void *arg), void *arg)
{
	struct kernel_list_line symbol;
	char line[LINE_MOST];
	size_t nr = 0;
	int err = 0;

	for (const char *end; !err && *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if (!(++nr % 4096) && interrupt__is_due())
			return -EINTR;
		if ((size_t)(end - text) >= sizeof(line))
			continue;
		memcpy(line, text, (size_t)(end - text));
		line[end - text] = '\0';
		if (parse_line(line, which, &symbol))
			err = each(&symbol, arg);
	}
	return err;
}

int scope_kernel_lists__each(const struct scope_search *search, enum kernel_list which,
			     int (*each)(const struct kernel_list_line *symbol, void *arg),
			     void *arg)
{
	char **kept = which == KERNEL_TRACED ? &search->list->kernel_functions : NULL;
	char *text = kept ? *kept : NULL;
	int err = text ? 0 : read_list(search->env->roots, which, &text);

	if (!err && kept)
		*kept = text;
	err = err ?: each_line(text, which, each, arg);
	if (!kept || text != *kept)
		free(text);
	return err;
}

/* ---- global functions ---- */

struct name_count {
	const char *name;
	int globals, others;
};

struct name_counts {
	struct name_count *list;
	int nr;
};

static int count_name(const struct kernel_list_line *symbol, void *arg)
{
	const struct name_counts *counts = arg;

	for (int i = 0; !symbol->module && i < counts->nr; i++) {
		if (strcmp(counts->list[i].name, symbol->name) != 0)
			continue;
		counts->list[i].globals += symbol->type == 'T';
		counts->list[i].others += symbol->type != 'T';
	}
	return 0;
}

bool scope_kernel_lists__are_global(const struct sysroots *roots, const char *const *names, int nr)
{
	struct name_counts counts = { calloc((size_t)nr + 1, sizeof(*counts.list)), nr };
	char *text = NULL;
	bool are = counts.list;

	for (int i = 0; are && i < nr; i++)
		counts.list[i].name = names[i];
	are = are && !read_list(roots, KERNEL_SYMBOLS, &text) &&
	      !each_line(text, KERNEL_SYMBOLS, count_name, &counts);
	for (int i = 0; are && i < nr; i++)
		are = counts.list[i].globals == 1 && !counts.list[i].others;
	free(text);
	free(counts.list);
	return are;
}
