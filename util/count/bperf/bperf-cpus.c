// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-cpus.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_skel/bperf.h"
#include "bpf_skel/bperf_cpus.skel.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/fd/one-cpu-events.h"

#define ROWS_A_LOOK 32
/*
 * The maximum number of times that bperf_cpus__find_dead() checks whether the enabled times of all
 * events have advanced. One check is not enough, because the enabled time of an event with a coarse
 * clock may not have advanced yet.
 */
#define MAX_LOOKS 4
#define MAX_HOLDS 100

struct bperf_cpus {
	struct bperf_reader reader;
	struct bperf_cpus_bpf *looker; /* only the program `look` of this skeleton is loaded */
	struct bperf_cpus_bpf *skel;   /* the other programs; NULL until one is needed */
	int hotplug_fd;		       /* link of the program on_hotplug; -1: not attached */
};

/* ---- loading ---- */

void bperf_cpus__free(struct bperf_cpus *repair)
{
	if (!repair)
		return;
	if (repair->hotplug_fd >= 0)
		close(repair->hotplug_fd);
	bperf_cpus_bpf__destroy(repair->looker);
	bperf_cpus_bpf__destroy(repair->skel);
	free(repair);
}

static int choose_programs(struct bperf_cpus_bpf *skel, bool looks)
{
	struct bpf_program *others[] = { skel->progs.hold, skel->progs.begin,
					 skel->progs.on_hotplug };
	int err = bpf_program__set_autoload(skel->progs.look, looks);

	for (size_t i = 0; !err && i < sizeof(others) / sizeof(others[0]); i++)
		err = bpf_program__set_autoload(others[i], !looks);
	err = err ?: bpf_map__set_autocreate(skel->maps.looked, looks);
	return err ?: looks ? bpf_map__set_autocreate(skel->maps.away, false) : 0;
}

static int set_reader(struct bperf_cpus_bpf *skel, const struct bperf_reader *reader, bool looks)
{
	int err = bpf_map__reuse_fd(skel->maps.state, reader->state_fd);

	skel->rodata->nr_events = reader->nr_events;
	skel->rodata->nr_cpus = reader->nr_cpus;
	memcpy((void *)skel->rodata->plan, reader->plan, sizeof(*reader->plan) * reader->nr_events);
	err = err ?: bpf_map__reuse_fd(skel->maps.events, reader->events_fd);
	return err ?: looks ? 0 : bpf_map__set_max_entries(skel->maps.away, reader->nr_cpus);
}

static int load(const struct bperf_reader *reader, bool looks, struct bperf_cpus_bpf **out,
		struct strbuf *why)
{
	struct bperf_cpus_bpf *skel = bperf_cpus_bpf__open();
	int err = skel ? choose_programs(skel, looks) : -errno;

	err = err ?: set_reader(skel, reader, looks);
	err = err ?: bperf_cpus_bpf__load(skel);
	if (!err) {
		*out = skel;
		return 0;
	}
	bperf_cpus_bpf__destroy(skel);
	return reason__set(
		why, err,
		"cannot load the BPF programs that check and replace the counters of CPUs: %s",
		strerror(-err));
}

int bperf_cpus__new(const struct bperf_reader *reader, struct bperf_cpus **out, struct strbuf *why)
{
	struct bperf_cpus *repair = malloc(sizeof(*repair));
	int err;

	*out = NULL;
	if (!repair)
		return reason__set(why, -ENOMEM, "out of memory");
	*repair = (struct bperf_cpus){ .reader = *reader, .hotplug_fd = -1 };
	err = load(reader, true, &repair->looker, why);
	if (err)
		bperf_cpus__free(repair);
	else
		*out = repair;
	return err;
}

static int load_others(struct bperf_cpus *repair, struct strbuf *why)
{
	return repair->skel ? 0 : load(&repair->reader, false, &repair->skel, why);
}

static int run_on(const struct bpf_program *prog, int cpu_id, uint64_t arg, uint32_t *retval)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)cpu_id,
		    .ctx_in = &arg, .ctx_size_in = sizeof(arg));
	int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) ? -errno : 0;

	*retval = opts.retval;
	return err;
}

/* ---- which events count ---- */

/*
 * Returns a bit mask of the rows (indexes of events in the program) whose counts the program reads
 * from perf events.
 */
static uint64_t find_read_rows(const struct bperf_reader *reader)
{
	uint64_t rows = 0;

	for (uint32_t row = 0; row < reader->nr_events; row++)
		if (reader->plan[row].how >= BPERF_VALUE)
			rows |= 1ULL << row;
	return rows;
}

/*
 * Reads the perf events of all rows on CPU @cpu_id. Sets *@stopped to a bit mask of the rows in
 * which the event's enabled time has not advanced since the previous call for this CPU. (The result
 * of the first call means nothing.) Returns 0 or -errno.
 */
static int look(const struct bperf_cpus *repair, int cpu_id, uint64_t *stopped)
{
	int err = 0;

	*stopped = 0;
	for (uint32_t first = 0; !err && first < repair->reader.nr_events; first += ROWS_A_LOOK) {
		uint32_t rows;

		err = run_on(repair->looker->progs.look, cpu_id, first, &rows);
		*stopped |= (uint64_t)rows << first;
	}
	return err;
}

int bperf_cpus__find_dead(struct bperf_cpus *repair, int cpu_id, uint64_t *dead)
{
	uint64_t stopped;
	int err;

	*dead = find_read_rows(&repair->reader);
	if (!*dead)
		return 0;
	err = look(repair, cpu_id, &stopped);
	for (int n = 0; !err && *dead && n < MAX_LOOKS; n++) {
		err = look(repair, cpu_id, &stopped);
		*dead &= stopped;
	}
	return err;
}

/* ---- replacing events ---- */

/*
 * Keeps repair->reader from taking readings on CPU @cpu_id until the BPF program `begin` runs
 * there. Returns 0 or -errno.
 */
static int hold(const struct bperf_cpus *repair, int cpu_id)
{
	uint32_t busy = 1;
	int err = 0;

	for (int n = 0; !err && busy && n < MAX_HOLDS; n++)
		err = run_on(repair->skel->progs.hold, cpu_id, 0, &busy);
	return err ?: busy ? -EBUSY : 0;
}

int bperf_cpus__reopen(struct bperf_cpus *repair, int cpu_id, const struct one_cpu_event *events,
		       int nr, struct strbuf *why)
{
	const struct bperf_reader *reader = &repair->reader;
	struct one_cpu_events *one = NULL;
	uint64_t replaced;
	uint32_t retval;
	int err = load_others(repair, why), begun;

	err = err ?: one_cpu_events__open(cpu_id, events, nr, &one, why);
	err = err ?: hold(repair, cpu_id);
	if (!err) {
		err = one_cpu_events__put(one, reader->events_fd, (int)reader->nr_cpus, &replaced);
		one_cpu_events__hold(one, reader->held);
		begun = run_on(repair->skel->progs.begin, cpu_id, replaced, &retval);
		err = err ?: begun;
	}
	err = err ?: one_cpu_events__enable(one);
	if (err && !why->len)
		strbuf__adds(why, strerror(-err));
	one_cpu_events__close(one);
	return err;
}

/* ---- clocks ---- */

int bperf_cpus__set_away(struct bperf_cpus *repair, int cpu_id, bool away, struct strbuf *why)
{
	__u32 key = (__u32)cpu_id, value = away;
	int err;

	/* if `skel` is NULL, the map `away` does not exist yet, so no CPU is marked in it */
	if (!away && !repair->skel)
		return 0;
	err = load_others(repair, why);
	if (err)
		return err;
	if (bpf_map_update_elem(bpf_map__fd(repair->skel->maps.away), &key, &value, BPF_ANY))
		return reason__set(why, -errno, "cannot mark CPU %d in a BPF map: %s", cpu_id,
				   strerror(errno));
	if (away && repair->hotplug_fd < 0) {
		repair->hotplug_fd = bpf_raw_tracepoint_open(
			"cpuhp_enter", bpf_program__fd(repair->skel->progs.on_hotplug));
		err = repair->hotplug_fd < 0 ? -errno : 0;
	}
	return reason__set(why, err,
			   "cannot attach a BPF program to the tracepoint cpuhp_enter, which "
			   "reports CPUs that come online: %s",
			   strerror(-err));
}
