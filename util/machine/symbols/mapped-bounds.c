// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/mapped-bounds.h"

#include <stdlib.h>

#include "util/base/log.h"
#include "util/machine/symbols/process-maps.h"

#define MOST_FILES 65536
#define MOST_FILES_OF_PROCESS 4096
#define MOST_PATH_BYTES (64 << 20)
#define MOST_KEPT 256
#define MOST_KEPT_OF_PROCESS 64
#define NR_TALLIES 4096

struct mapped_bounds {
	unsigned int files, kept;
	size_t path_bytes;
	bool warned_of_files, warned_of_kept, warned_of_ranges;
	/*
	 * An entry contains the number of files of one process, and how many of them pstat keeps
	 * open. The index of the entry is `pid % NR_TALLIES`. Another process with the same index
	 * replaces the entry.
	 */
	struct tally {
		pid_t pid;
		unsigned int files, kept;
	} tallies[NR_TALLIES];
};

struct mapped_bounds *mapped_bounds__new(void)
{
	return calloc(1, sizeof(struct mapped_bounds));
}

void mapped_bounds__free(struct mapped_bounds *bounds)
{
	free(bounds);
}

static struct tally *tally_of(struct mapped_bounds *bounds, pid_t pid)
{
	struct tally *tally = &bounds->tallies[(unsigned int)pid % NR_TALLIES];

	if (tally->pid != pid)
		*tally = (struct tally){ .pid = pid };
	return tally;
}

static void warn_once(bool *warned, pid_t pid, const char *what, unsigned int of_process,
		      unsigned int of_all)
{
	if (!*warned)
		pr_warn("process %d, and perhaps others: %s (the limits are %u for one process and "
			"%u for all)\n"
			"functions beyond these limits have no names",
			pid, what, of_process, of_all);
	*warned = true;
}

bool mapped_bounds__may_add(struct mapped_bounds *bounds, pid_t pid, size_t len)
{
	struct tally *tally = tally_of(bounds, pid);

	if (bounds->files >= MOST_FILES || bounds->path_bytes + len > MOST_PATH_BYTES ||
	    tally->files >= MOST_FILES_OF_PROCESS) {
		warn_once(&bounds->warned_of_files, pid, "too many files are mapped as code",
			  MOST_FILES_OF_PROCESS, MOST_FILES);
		return false;
	}
	bounds->files++;
	tally->files++;
	bounds->path_bytes += len;
	return true;
}

bool mapped_bounds__may_keep(struct mapped_bounds *bounds, pid_t pid)
{
	struct tally *tally = tally_of(bounds, pid);

	if (bounds->kept >= MOST_KEPT || tally->kept >= MOST_KEPT_OF_PROCESS) {
		warn_once(&bounds->warned_of_kept, pid,
			  "too many deleted files are mapped as code to keep all of them open",
			  MOST_KEPT_OF_PROCESS, MOST_KEPT);
		return false;
	}
	bounds->kept++;
	tally->kept++;
	return true;
}

void mapped_bounds__too_many_ranges(struct mapped_bounds *bounds, pid_t pid)
{
	warn_once(&bounds->warned_of_ranges, pid, "too many address ranges are mapped as code",
		  MOST_RANGES, MOST_RANGES_OF_ALL);
}
