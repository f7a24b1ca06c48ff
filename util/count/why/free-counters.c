// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel refuses to open a perf group that needs more counters than the PMU has
 * (validate_group() in the drivers of PMUs). So the number of events in the largest group that can
 * be opened is the number of counters. An open group counts only if there is a free counter for
 * each of its events. So the number of events in the largest group that counts is the number of
 * free counters.
 *
 * On a CPU, the kernel assigns counters in this order: pinned events of the CPU, pinned events of
 * the running task, flexible (not pinned) events of the CPU, flexible events of the task
 * (ctx_sched_in() in kernel/events/core.c). pstat opens a flexible group for its own thread, so
 * this group gets its counters last. While pstat's thread runs on the CPU, events of other tasks
 * need no counters. Uncore events cannot be opened for a task, so pstat opens them for the CPU.
 */
#include "util/count/why/free-counters.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"

/* The size of the largest group that pstat tries to open. No PMU has this many counters. */
#define GROUP_MAX 64
/* All CPU ids in a cpumap are below this number. A plain cpu_set_t has room for only 1024 CPUs. */
#define SET_CPUS 65536
/*
 * The maximum number of attempts to get counters for a group. An attempt can fail because the
 * kernel rotates events at a timer tick.
 */
#define MOST_TRIES 3

/* Names of events that any counter of a PMU can count. */
static const char *const general[] = {
	"branch-misses",       "cache-misses", "br_mis_pred", "br_mis_pred_retired",
	"branch-instructions", "br_retired",   "mem_access",  "inst_retired",
};
/* Names of events for which some PMUs have a dedicated counter. */
static const char *const of_their_own[] = {
	"cpu-cycles", "cpu_cycles", "cycles", "instructions", "ref-cycles", "bus-cycles", "slots",
};

static bool is_one_of(const char *name, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof((names)[0]))

/* ---- the event ---- */

/* Parses @event. Returns NULL unless @event is exactly one event. */
static struct evlist *parse(const char *event, const struct event_env *env)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();

	if (evlist && (parse_events(evlist, event, env, &error) || evlist->nr != 1)) {
		evlist__free(evlist);
		evlist = NULL;
	}
	parse_error__free(&error);
	return evlist;
}

static int open_member(const struct evsel *evsel, int cpu, int group_fd)
{
	union perf_attr attr = evsel->attr;
	bool of_cpu = evsel->is_uncore;
	int fd;

	attr.attr.size = PERF_ATTR_SIZE;
	attr.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.attr.disabled = group_fd < 0;
	/*
	 * Without enable_on_exec, the arm64 PMU drivers ignore the disabled leader when they check
	 * whether the group fits (validate_event() in drivers/perf/arm_pmu.c).
	 */
	attr.attr.enable_on_exec = group_fd < 0 && !of_cpu;
	fd = perf_sys__open(&attr, of_cpu ? -1 : 0, cpu, group_fd, 0);
	if (fd == -EACCES && !of_cpu) { /* try user space only */
		attr.attr.exclude_kernel = attr.attr.exclude_hv = 1;
		fd = perf_sys__open(&attr, 0, cpu, group_fd, 0);
	}
	return fd;
}

/* Tries to open the event, and closes it again. Returns 0 or -errno. */
static int try(const char *event, const struct event_env *env)
{
	struct evlist *evlist = parse(event, env);
	int cpu, fd = -ENOENT;

	if (evlist) {
		const struct cpumap *own = evlist->entries[0]->pmu_cpus;

		cpu = own && own->nr ? own->ids[0] : 0;
		fd = open_member(evlist->entries[0], cpu, -1);
	}
	if (fd >= 0)
		close(fd);
	evlist__free(evlist);
	return fd < 0 ? fd : 0;
}

/*
 * Stores the name of the PMU's event @alias in @event, and returns whether the event can be opened.
 * If the user is not allowed to open the event, or a limit on open files is reached, sets *@refused
 * to -errno.
 */
static bool take_if_it_opens(struct pmu *pmu, const char *alias, const struct event_env *env,
			     struct strbuf *event, int *refused)
{
	int err;

	strbuf__reset(event);
	strbuf__addf(event, "%s/%s/", pmu__name(pmu), alias);
	err = try(event->text, env);
	if (err == -EACCES || err == -EPERM || err == -EMFILE || err == -ENFILE)
		*refused = err;
	return !err;
}

int free_counters__event(struct pmu *pmu, const struct event_env *env, struct strbuf *event)
{
	int refused = -ENOENT;
	const char *alias;
	struct pmu_alias found;

	for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++)
		if (!pmu__find_alias(pmu, general[i], &found) &&
		    take_if_it_opens(pmu, general[i], env, event, &refused))
			return 0;
	for (int i = 0; (alias = pmu__alias_name(pmu, i)); i++)
		if (!IS_ONE_OF(alias, of_their_own) &&
		    take_if_it_opens(pmu, alias, env, event, &refused))
			return 0;
	strbuf__reset(event);
	return strbuf__failed(event) ? -ENOMEM : refused;
}

/* ---- groups ---- */

static void close_all(const int *fds, int nr)
{
	while (nr--)
		close(fds[nr]);
}

/*
 * Opens the largest group of copies of @evsel that the kernel allows. Returns the size of the
 * group, or -errno if no event can be opened or the limit on open files is too low.
 */
static int open_largest(const struct evsel *evsel, int cpu, int fds[GROUP_MAX])
{
	int nr = 0;

	while (nr < GROUP_MAX) {
		fds[nr] = open_member(evsel, cpu, nr ? fds[0] : -1);
		if (fds[nr] < 0)
			break;
		nr++;
	}
	/* if the limit on open files ended the loop, nr is not the number of counters */
	if (nr && nr < GROUP_MAX && (fds[nr] == -EMFILE || fds[nr] == -ENFILE)) {
		int err = fds[nr];

		close_all(fds, nr);
		return err;
	}
	return nr ? nr : fds[0];
}

/* Returns whether the group gets its counters when it is enabled. */
static bool is_counted(int leader)
{
	uint64_t values[3]; /* count, time enabled, time running */

	for (int i = 0; i < MOST_TRIES; i++) {
		bool counted;

		if (perf_sys__enable(leader))
			return false;
		counted = read(leader, values, sizeof(values)) == sizeof(values) && values[2];
		perf_sys__disable(leader);
		if (counted)
			return true;
	}
	return false;
}

static void find_free(const struct evsel *evsel, int cpu, struct free_counters *found)
{
	int fds[GROUP_MAX], nr = open_largest(evsel, cpu, fds);

	if (nr <= 0) {
		found->err = nr;
		return;
	}
	found->all = nr;
	/* remove members until the group gets its counters */
	while (nr && !is_counted(fds[0]))
		close(fds[--nr]);
	found->free = nr;
	close_all(fds, nr);
}

/*
 * Moves the calling thread to the CPU, and stores in @before the CPUs on which the thread was
 * allowed to run. Uses @one as a buffer. Returns 0 or -errno.
 */
static int move_to(int cpu, cpu_set_t *before, cpu_set_t *one)
{
	size_t size = CPU_ALLOC_SIZE(SET_CPUS);

	CPU_ZERO_S(size, one);
	CPU_SET_S(cpu, size, one);
	return sched_getaffinity(0, size, before) || sched_setaffinity(0, size, one) ? -errno : 0;
}

int free_counters__on_cpu(const char *event, const struct event_env *env, int cpu,
			  struct free_counters *found)
{
	cpu_set_t *before = CPU_ALLOC(SET_CPUS), *one = CPU_ALLOC(SET_CPUS);
	struct evlist *evlist = before && one ? parse(event, env) : NULL;

	*found = (struct free_counters){ 0 };
	if (evlist) {
		found->err = move_to(cpu, before, one);
		found->cannot_move = found->err != 0;
	}
	if (evlist && !found->err) {
		find_free(evlist->entries[0], cpu, found);
		sched_setaffinity(0, CPU_ALLOC_SIZE(SET_CPUS), before);
	}
	CPU_FREE(before);
	CPU_FREE(one);
	evlist__free(evlist);
	return evlist ? 0 : -ENOMEM;
}

/* ---- processes that hold perf events ---- */

/* Returns the number of perf events among the open files of @pid, or -errno. */
static int nr_events(int procfs, const char *pid)
{
	int dir_fd = openat(procfs, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, nr = 0;
	const struct dirent *entry;
	char target[64];
	DIR *dir;

	if (dir_fd < 0)
		return -errno;
	fd = openat(dir_fd, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(dir_fd);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int err = -errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((entry = readdir(dir))) {
		ssize_t len = readlinkat(fd, entry->d_name, target, sizeof(target) - 1);

		target[len < 0 ? 0 : len] = '\0';
		nr += !strcmp(target, "anon_inode:[perf_event]");
	}
	closedir(dir);
	return nr;
}

static int add(struct event_holders *holders, pid_t pid, int nr)
{
	struct event_holder *list =
		reallocarray(holders->list, (size_t)holders->nr + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	holders->list = list;
	list[holders->nr++] = (struct event_holder){ pid, nr };
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct event_holder *a = left, *b = right;

	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

int event_holders__find(struct event_holders *holders)
{
	const struct dirent *entry;
	DIR *dir = opendir(sysroots__tasks(sysroots__host()));
	int err = dir ? 0 : -errno;

	*holders = (struct event_holders){ 0 };
	while (dir && !err && (entry = readdir(dir))) {
		pid_t pid = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;
		int nr = pid && pid != getpid() ? nr_events(dirfd(dir), entry->d_name) : 0;

		holders->nr_hidden += nr == -EACCES || nr == -EPERM;
		if (nr > 0)
			err = add(holders, pid, nr);
	}
	if (dir)
		closedir(dir);
	if (err)
		event_holders__free(holders);
	else if (holders->nr)
		qsort(holders->list, (size_t)holders->nr, sizeof(*holders->list), compare);
	return err;
}

void event_holders__free(struct event_holders *holders)
{
	free(holders->list);
	*holders = (struct event_holders){ 0 };
}
