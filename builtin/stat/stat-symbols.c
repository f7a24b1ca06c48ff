// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/count/stat-config.h"
#include "util/machine/elf-symbol.h"
#include "util/machine/threadmap.h"

static bool is_program(const char *file)
{
	struct stat st;

	return !stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK);
}

/* An empty element of PATH is the current folder. */
static bool find_program(const char *name, char *file, size_t size)
{
	const char *path = getenv("PATH") ?: "/bin:/usr/bin", *end;

	if (strchr(name, '/'))
		return (size_t)snprintf(file, size, "%s", name) < size && is_program(file);
	for (;; path = end + 1) {
		size_t len = strcspn(path, ":");

		end = path + len;
		if ((size_t)snprintf(file, size, "%.*s/%s", len ? (int)len : 1, len ? path : ".", name) < size &&
		    is_program(file))
			return true;
		if (!*end)
			return false;
	}
}

/* The process that the thread is of; the thread's own id when it is gone. */
static pid_t process_of(pid_t tid)
{
	pid_t pid = threadmap__process_of(sysroots__host(), tid);

	return pid > 0 ? pid : tid;
}

static void find_process(struct stat_symbols *symbols, const struct threadmap *threads)
{
	struct symbol_source *source = &symbols->source;
	pid_t pid = threads->nr ? process_of(threads->tids[0]) : 0;

	for (int i = 1; i < threads->nr; i++) {
		if (process_of(threads->tids[i]) != pid) {
			source->why_not = "there are several processes, each with its own: count one of them";
			return;
		}
	}
	snprintf(symbols->file, sizeof(symbols->file), "%s/%d/exe", sysroots__host()->procfs, pid);
	if (elf_symbol__load_bias(sysroots__host(), pid, symbols->file, &source->bias)) {
		source->why_not = "it is not to be seen where the process' program lies in memory";
		return;
	}
	source->file = symbols->file;
	source->running = true;
}

void stat_symbols__find(struct stat_symbols *symbols, const struct stat_config *cfg)
{
	struct symbol_source *source = &symbols->source;

	*source = (struct symbol_source){ .file = NULL };
	if (cfg->threads)
		find_process(symbols, cfg->threads);
	else if (!stat_config__counts_command(cfg))
		source->why_not =
			"there is no one program: its address means something else in each process that runs on a "
			"CPU. Count a command, or a process with -p";
	else if (find_program(cfg->argv[0], symbols->file, sizeof(symbols->file)))
		source->file = symbols->file;
	else
		source->why_not = "there is no program: the command was not found";
}
