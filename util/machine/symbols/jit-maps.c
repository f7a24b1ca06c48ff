// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/jit-maps.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/machine/symbols/far-file.h"
#include "util/machine/symbols/memory-shares.h"
#include "util/machine/symbols/perf-map.h"
#include "util/machine/symbols/symbol-table.h"
#include "util/machine/task/threadmap.h"

/* The minimum time between two checks of a file for changes. */
#define AGAIN_NS NSEC_PER_SEC
/* The maximum number of processes that are recorded. */
#define MOST_PROCESSES 65536
/*
 * The maximum number of processes that jit_maps__find() searches: @pid, the parent from which @pid
 * has inherited code, that parent's parent, and so on.
 */
#define MOST_PARENTS 8

struct jit_process {
	pid_t pid, own_pid; /* own_pid: the id in the PID namespace of the process */
	pid_t parent;	    /* the parent from which it has inherited code; 0: none */
	bool ended;
	bool is_known; /* `own_pid`, `uid` and `is_here` were read from /proc */
	uid_t uid;     /* the user who owns files that the process creates */
	bool is_here;  /* it has pstat's mount namespace and root directory */
	/* the time at which it started (CLOCK_REALTIME); 0: unknown */
	time_t started;
	char path[32];			/* "/tmp/perf-PID.map"; PID is `own_pid` */
	struct symbol_table *functions; /* NULL: no functions were read */
	/* the value of clock__now() at the last check of the file; 0: not checked yet */
	uint64_t read_ns;
	off_t size; /* size of the file when it was read */
};

struct jit_maps {
	const struct sysroots *roots;
	struct memory_shares *shares;
	struct jit_process **processes; /* sorted by pid */
	size_t nr, room;
	bool warned_of_owner, warned_of_age, warned_of_size, warned_of_number;
};

struct jit_maps *jit_maps__new(const struct sysroots *roots, struct memory_shares *shares)
{
	struct jit_maps *maps = calloc(1, sizeof(*maps));

	if (maps)
		*maps = (struct jit_maps){ .roots = roots, .shares = shares };
	return maps;
}

static void jit_process__free(struct jit_process *process)
{
	if (!process)
		return;
	symbol_table__free(process->functions);
	free(process);
}

void jit_maps__free(struct jit_maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->nr; i++)
		jit_process__free(maps->processes[i]);
	free(maps->processes);
	free(maps);
}

/* ---- processes ---- */

/* Returns the index of the process @pid, or the index at which to insert it. */
static size_t place_of(const struct jit_maps *maps, pid_t pid)
{
	size_t low = 0, high = maps->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->processes[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct jit_process *process_of(const struct jit_maps *maps, pid_t pid)
{
	size_t place = place_of(maps, pid);

	return place < maps->nr && maps->processes[place]->pid == pid ? maps->processes[place] :
									NULL;
}

/*
 * Returns whether the link /proc/PID/@name has the same target for @pid and for pstat. Also returns
 * true if @pid has no such link because it has ended or is a zombie.
 */
static bool same_link(const struct jit_maps *maps, pid_t pid, const char *name)
{
	char path[PATH_MAX], theirs[PATH_MAX], own[PATH_MAX];
	ssize_t len, own_len;

	snprintf(path, sizeof(path), "%s/self/%s", maps->roots->procfs, name);
	own_len = readlink(path, own, sizeof(own));
	snprintf(path, sizeof(path), "%s/%d/%s", sysroots__tasks(maps->roots), pid, name);
	len = readlink(path, theirs, sizeof(theirs));
	if (len < 0)
		return errno == ENOENT || errno == ESRCH;
	return len == own_len && !memcmp(theirs, own, (size_t)len);
}

/*
 * Returns the time at which the process started (CLOCK_REALTIME), or 0 if it is unknown. The result
 * can be up to three seconds too early.
 */
static time_t start_of(const struct jit_maps *maps, pid_t pid)
{
	char path[32], stat[1024], *at;
	unsigned long long ticks;
	struct timespec real, boot;

	snprintf(path, sizeof(path), "%d/stat", pid);
	if (sysfs__read(sysroots__tasks(maps->roots), path, stat, sizeof(stat)) < 0)
		return 0;
	/* the process name can contain any character; it ends before the last parenthesis */
	at = strrchr(stat, ')');
	/* the start time is field 22, and field 3 follows the parenthesis */
	for (int field = 3; at && field <= 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%llu", &ticks) != 1 || clock_gettime(CLOCK_REALTIME, &real) ||
	    clock_gettime(CLOCK_BOOTTIME, &boot))
		return 0;
	return real.tv_sec - boot.tv_sec + (time_t)(ticks / (uint64_t)sysconf(_SC_CLK_TCK)) - 1;
}

/*
 * Fills in the members of @process that come from /proc. If the process has ended, assumes that it
 * had pstat's user and namespaces.
 */
static void look_at(const struct jit_maps *maps, struct jit_process *process)
{
	unsigned int real, effective, saved, files;
	char uids[128], pids[512];
	const char *last;

	process->uid = geteuid();
	process->own_pid = process->pid;
	process->is_here = true;
	if (threadmap__status(maps->roots, process->pid, "Uid", uids, sizeof(uids)) ||
	    sscanf(uids, "%u %u %u %u", &real, &effective, &saved, &files) != 4)
		return;
	process->uid = files;
	/*
	 * NSpid lists the id of the process in each of its PID namespaces, the innermost last;
	 * kernels without PID namespaces do not print this line
	 */
	if (!threadmap__status(maps->roots, process->pid, "NSpid", pids, sizeof(pids))) {
		last = strrchr(pids, '\t');
		process->own_pid = (pid_t)strtol(last ? last + 1 : pids, NULL, 10);
	}
	process->is_here = same_link(maps, process->pid, "ns/mnt") &&
			   same_link(maps, process->pid, "root");
	process->started = start_of(maps, process->pid);
	process->is_known = true;
}

static struct jit_process *add_process(struct jit_maps *maps, pid_t pid)
{
	struct jit_process *process = process_of(maps, pid);
	size_t place = place_of(maps, pid);

	if (process && process->ended) {
		/* another process has the id now */
		symbol_table__free(process->functions);
		*process = (struct jit_process){ .pid = pid };
	}
	if (process)
		return process;
	if (maps->nr == maps->room) {
		size_t room = maps->room ? 2 * maps->room : 16;
		struct jit_process **bigger =
			realloc(maps->processes, room * sizeof(struct jit_process *));

		if (!bigger)
			return NULL;
		maps->processes = bigger;
		maps->room = room;
	}
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	memmove(&maps->processes[place + 1], &maps->processes[place],
		(maps->nr++ - place) * sizeof(struct jit_process *));
	maps->processes[place] = process;
	return process;
}

/* Returns whether there is room for the new process @pid. If not, warns once. */
static bool has_room(struct jit_maps *maps, pid_t pid)
{
	if (maps->nr < MOST_PROCESSES)
		return true;
	if (!maps->warned_of_number)
		pr_warn("functions that processes compile at run time are unknown for process %d "
			"and later processes: pstat looks for such functions in at most %d "
			"processes",
			pid, MOST_PROCESSES);
	maps->warned_of_number = true;
	return false;
}

int jit_maps__note(struct jit_maps *maps, pid_t pid)
{
	struct jit_process *process = process_of(maps, pid);

	if ((process && process->is_known && !process->ended) || (!process && !has_room(maps, pid)))
		return 0;
	process = add_process(maps, pid);
	if (!process)
		return -ENOMEM;
	look_at(maps, process);
	snprintf(process->path, sizeof(process->path), "/tmp/perf-%d.map", process->own_pid);
	return 0;
}

int jit_maps__fork(struct jit_maps *maps, pid_t parent, pid_t child)
{
	struct jit_process *process;
	int err;

	if (parent == child || !process_of(maps, parent))
		return 0;
	err = jit_maps__note(maps, child);
	process = process_of(maps, child);
	if (process)
		process->parent = parent;
	return err;
}

void jit_maps__end(struct jit_maps *maps, pid_t pid)
{
	struct jit_process *process = process_of(maps, pid);

	if (process)
		process->ended = true;
}

/* ---- files ---- */

/* Opens /tmp/perf-PID.map and fills in @st. Returns a descriptor or -errno. */
static int open_map(const struct jit_maps *maps, const struct jit_process *process, struct stat *st)
{
	struct far_request request = { .path = process->path,
				       .links = FILE_NO_LINKS,
				       .source = 1ULL << 63 | (uint64_t)process->pid << 32,
				       .is_read = true };
	struct far_file file;
	int err;

	if (!process->is_here)
		snprintf(request.root, sizeof(request.root), "%s/%d/root",
			 sysroots__tasks(maps->roots), process->pid);
	err = far_file__open(&request, &file);
	*st = file.st;
	return err ?: file.fd;
}

/*
 * Returns whether the file with the status @st belongs to the process. The owner must be the user
 * of the process. A file that is older than the process belongs to an earlier process with the same
 * id. In containers, ids are small and soon reused.
 */
static bool is_of_process(struct jit_maps *maps, const struct jit_process *process,
			  const struct stat *st)
{
	bool is_owners = st->st_uid == process->uid;
	bool is_newer = !process->started || st->st_mtim.tv_sec >= process->started;

	if (!is_owners && !maps->warned_of_owner)
		pr_warn("%s: not used, because it does not belong to the user of process %d",
			process->path, process->pid);
	if (is_owners && !is_newer && !maps->warned_of_age)
		pr_warn("%s: not used, because it is older than process %d", process->path,
			process->pid);
	maps->warned_of_owner |= !is_owners;
	maps->warned_of_age |= is_owners && !is_newer;
	return is_owners && is_newer;
}

static void report_size(struct jit_maps *maps, const struct jit_process *process)
{
	if (!maps->warned_of_size)
		pr_warn("%s: the file is too large, so only some of its functions are known",
			process->path);
	maps->warned_of_size = true;
}

/*
 * Reads the functions in the file @fd, which replace the functions that were read before. If the
 * file cannot be read, or if its owner's share of memory is too small, keeps the old functions.
 */
static void read_functions(struct jit_maps *maps, struct jit_process *process, int fd,
			   const struct stat *st)
{
	struct symbol_table *table = symbol_table__new();
	int err = table ? perf_map__read(table, fd) : -ENOMEM;
	size_t before = process->functions ? symbol_table__bytes(process->functions) : 0;

	if (err == -E2BIG) {
		report_size(maps, process);
		err = 0;
	}
	if (!err && symbol_table__bytes(table) > before &&
	    memory_shares__take(maps->shares, st->st_uid, symbol_table__bytes(table) - before)) {
		report_size(maps, process);
		err = -EDQUOT;
	}
	if (err) {
		symbol_table__free(table);
		return;
	}
	symbol_table__free(process->functions);
	process->functions = table;
	process->size = st->st_size;
}

/*
 * Reads the file if it has not been read yet, or if its size has changed since it was last read.
 * Does nothing if the last check was less than AGAIN_NS ago, or if a signal asks pstat to end.
 */
static void update(struct jit_maps *maps, struct jit_process *process)
{
	struct stat st;
	int fd;

	if (interrupt__is_due() || (process->read_ns && clock__now() - process->read_ns < AGAIN_NS))
		return;
	fd = open_map(maps, process, &st);
	if (fd < 0)
		goto out;
	if (is_of_process(maps, process, &st) &&
	    (!process->functions || st.st_size != process->size))
		read_functions(maps, process, fd, &st);
	close(fd);
out:
	process->read_ns = clock__now();
}

/* ---- searches ---- */

static const char *find_in(struct jit_process *process, uint64_t address)
{
	const struct symbol *symbol =
		process->functions ? symbol_table__find(process->functions, address) : NULL;

	return symbol ? symbol->name : NULL;
}

const char *jit_maps__find(struct jit_maps *maps, pid_t pid, uint64_t address, const char **file)
{
	const char *name = NULL;

	for (int i = 0; !name && pid && i < MOST_PARENTS; i++) {
		struct jit_process *process = process_of(maps, pid);

		if (!process)
			return NULL;
		name = find_in(process, address);
		if (!name) {
			update(maps, process);
			name = find_in(process, address);
		}
		*file = process->path;
		pid = process->parent;
	}
	return name;
}
