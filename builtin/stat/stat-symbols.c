// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/count/stat-config.h"
#include "util/machine/symbols/elf-symbol.h"
#include "util/machine/symbols/far-file.h"
#include "util/machine/task/threadmap.h"

/* Returns the process of the thread, or @tid if the thread has ended. */
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
			source->why_not = "the symbol can have a different address in each "
					  "process: count only one process";
			return;
		}
	}
	snprintf(symbols->file, sizeof(symbols->file), "%s/%d/exe",
		 sysroots__tasks(sysroots__host()), pid);
	if (elf_symbol__load_bias(sysroots__host(), pid, symbols->file, &source->bias)) {
		source->why_not = "pstat cannot see where the program of the process is in memory";
		return;
	}
	source->file = symbols->file;
	source->running = true;
}

void stat_symbols__find(struct stat_symbols *symbols, const struct stat_config *cfg)
{
	struct symbol_source *source = &symbols->source;
	enum exec_change change;

	*source = (struct symbol_source){ .file = NULL };
	if (cfg->threads)
		find_process(symbols, cfg->threads);
	else if (!stat_config__counts_command(cfg))
		source->why_not = "each process that runs on a CPU has its own symbols: count a "
				  "command, or a process with -p";
	else if (!far_file__find_command(cfg->argv[0], symbols->file, sizeof(symbols->file),
					 &change))
		source->file = symbols->file;
	else
		source->why_not = "there is no program: the command was not found";
}
