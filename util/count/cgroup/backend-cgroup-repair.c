// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens events on CPUs that come online while cgroups are counted. When a CPU goes offline, the
 * kernel removes the CPU's perf events from their context, so they never count again. Before the
 * kernel does so, the BPF program on_move (cgroup_counter.bpf.c) marks the events as stale, and
 * flushes the CPU: it reads the CPU's counters, and adds what they have counted to the CPU's rows.
 * Several sessions can share the BPF programs of cgroup_counter.bpf.c. The first session that
 * notices that the CPU is online again opens all events that the programs read on the CPU.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/cgroup/backend-cgroup-group.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/count/counts.h"
#include "util/count/fd/one-cpu-events.h"
#include "util/count/share/share-lock.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

#define MAX_HOLDS 100

/* ---- which events to open ---- */

/*
 * The events that the BPF program on_switch reads. If sessions can share the program, this session
 * makes an evsel from the attr of each event, and `others` owns these evsels. Otherwise, `others`
 * is NULL.
 */
struct readings {
	struct one_cpu_event *events;
	int nr;
	struct evlist *others;
};

static void readings__free(struct readings *readings)
{
	free(readings->events);
	evlist__free(readings->others);
}

/* Lists the events of a program that is not shared. */
static int list_own(const struct cgroup_group *priv, struct readings *readings)
{
	readings->events = calloc((size_t)priv->nr_events + 1, sizeof(*readings->events));
	for (int event = 0; readings->events && event < priv->nr_events; event++) {
		const struct cgroup_counter *counter = &priv->plan->counters[event];
		int fd_event = priv->fd_events[event];

		if (counter->read < 0 || fd_event < 0)
			continue;
		readings->events[readings->nr++] = (struct one_cpu_event){
			.evsel = priv->fd_group.evsels[fd_event],
			.row = counter->read + (counter->timed ? (int)priv->plan->nr_plain : 0),
			.left_out = priv->fd_group.counts[fd_event]->left_out,
		};
	}
	return readings->events ? 0 : -ENOMEM;
}

static int add_other(struct readings *readings, const struct cgroup_event *event, int row)
{
	struct evsel *evsel = evsel__new();

	if (!evsel)
		return -ENOMEM;
	memcpy(&evsel->attr, event->attr, sizeof(event->attr));
	evsel->name = strdup("an event of the leader");
	if (!evsel->name || evlist__add(readings->others, evsel))
		return -ENOMEM;
	readings->events[readings->nr++] = (struct one_cpu_event){ .evsel = evsel, .row = row };
	return 0;
}

/*
 * Lists the events of a shared program, including events of other sessions. Reads the list from the
 * map `info`.
 */
static int list_shared(const struct cgroup_group *priv, struct readings *readings)
{
	struct cgroup_info info;
	__u32 zero = 0;
	int err;

	if (bpf_map_lookup_elem(priv->object.maps.info, &zero, &info))
		return -errno;
	if (!cgroup_plan__is_sound(&info))
		return -EPROTO;
	readings->events = calloc((size_t)info.nr_events + 1, sizeof(*readings->events));
	readings->others = evlist__new();
	err = readings->events && readings->others ? 0 : -ENOMEM;
	for (uint32_t i = 0; !err && i < info.nr_events; i++) {
		const struct cgroup_event *event = &info.events[i];

		err = add_other(readings, event,
				(int)(event->read + (event->timed ? info.nr_plain : 0)));
	}
	return err;
}

/* ---- opening the events ---- */

/*
 * Makes the BPF programs stop reading events on the CPU until resume_counting() is called. Returns
 * 0 or -errno.
 */
static int hold(struct cgroup_group *priv, int cpu_id)
{
	struct cgroup_cpu *cpu = cgroup_object__cpu(&priv->object, cpu_id);
	int err = cgroup_object__flush(&priv->object, cpu_id);

	__atomic_store_n(&cpu->skip, CGROUP_SKIP_HELD, __ATOMIC_SEQ_CST);
	/*
	 * A flush is a test run of on_move on the CPU. When this run returns, all earlier runs of
	 * the BPF programs on this CPU have ended, unless the test run has interrupted one of them.
	 * In that case, `busy` is still set.
	 */
	for (int n = 0; !err && (n == 0 || cpu->busy) && n < MAX_HOLDS; n++)
		err = cgroup_object__flush(&priv->object, cpu_id);
	return err ?: cpu->busy ? -EBUSY : 0;
}

/*
 * In the CPU's latest reading, sets the values and times of all perf events to zero, because new
 * events start at zero.
 */
static void zero_last(const struct cgroup_group *priv, int cpu_id)
{
	const struct cgroup_sizes *sizes = &priv->object.sizes;
	uint64_t *last = cgroup_object__last(&priv->object, cpu_id);

	for (uint32_t cell = CGROUP_CELL_PLAIN; cell < sizes->nr_cells; cell++)
		last[cell] = 0;
}

static void resume_counting(struct cgroup_group *priv, int cpu_id)
{
	struct cgroup_cpu *cpu = cgroup_object__cpu(&priv->object, cpu_id);

	cpu->stale = 0;
	__atomic_store_n(&cpu->skip, CGROUP_SKIP_NOT, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&priv->object.control->epoch, 1, __ATOMIC_SEQ_CST);
}

static int reopen(struct cgroup_group *priv, int cpu_id, const struct readings *readings,
		  struct strbuf *why)
{
	struct one_cpu_events *one;
	uint64_t put;
	int err = one_cpu_events__open(cpu_id, readings->events, readings->nr, &one, why);

	if (err)
		return err;
	err = hold(priv, cpu_id);
	if (!err)
		err = one_cpu_events__put(one, priv->object.events_fd,
					  (int)priv->object.sizes.nr_cpus, &put);
	if (!err) {
		zero_last(priv, cpu_id);
		resume_counting(priv, cpu_id);
		err = one_cpu_events__enable(one);
	}
	err = err ?: cgroup_object__flush(&priv->object, cpu_id);
	one_cpu_events__close(one);
	return reason__set(why, err, "%s", strerror(-err));
}

static bool needs_repair(const struct cgroup_group *priv, int cpu_id)
{
	const volatile struct cgroup_cpu *cpu = cgroup_object__cpu(&priv->object, cpu_id);

	if (cpu->skip == CGROUP_SKIP_UNWANTED)
		return false;
	return cpu->stale || cpu->skip != CGROUP_SKIP_NOT;
}

/* Returns the first CPU of @online for which needs_repair() is true, or -1. */
static int find_stale(const struct cgroup_group *priv, const struct cpumap *online)
{
	for (int i = 0; i < online->nr; i++)
		if ((uint32_t)online->ids[i] < priv->object.sizes.nr_cpus &&
		    needs_repair(priv, online->ids[i]))
			return online->ids[i];
	return -1;
}

static int repair_all(struct cgroup_group *priv, const struct cpumap *online, int *failed,
		      struct strbuf *why)
{
	struct readings readings = { 0 };
	int err = priv->object.sizes.shared ? list_shared(priv, &readings) :
					      list_own(priv, &readings);

	for (int i = 0; !err && i < online->nr; i++) {
		int cpu_id = online->ids[i];

		if ((uint32_t)cpu_id >= priv->object.sizes.nr_cpus || !needs_repair(priv, cpu_id))
			continue;
		*failed = cpu_id;
		err = reopen(priv, cpu_id, &readings, why);
		if (!err)
			pr_info("--for-each-cgroup: CPU %d came online: its events were opened",
				cpu_id);
	}
	readings__free(&readings);
	return reason__set(why, err, "%s", strerror(-err));
}

int cgroup_group__repair(struct cgroup_group *priv, const struct cpumap *online, struct strbuf *why)
{
	int failed = find_stale(priv, online), err;

	if (failed < 0)
		return 0;
	err = repair_all(priv, online, &failed, why);
	if (err) {
		struct strbuf text = STRBUF_INIT;

		strbuf__addf(&text, "CPU %d has not been counted since it came online: %s", failed,
			     why->text);
		strbuf__free(why);
		*why = text;
	}
	return err;
}

/*
 * Marks the events of offline CPUs as stale. Usually, the BPF program has already done this, but
 * not for a CPU that went offline before any session had called cgroup_group__watch_cpus().
 */
static void mark_stale(const struct cgroup_group *priv, const struct cpumap *online)
{
	for (int i = 0; i < priv->possible->nr; i++)
		if (cpumap__index(online, priv->possible->ids[i]) < 0)
			cgroup_object__cpu(&priv->object, priv->possible->ids[i])->stale = 1;
}

int cgroup_group__cpus_changed(struct backend_group *group, const struct cpumap *online)
{
	struct cgroup_group *priv = group->priv;
	struct strbuf why = STRBUF_INIT;
	struct share_lock lock;
	int err;

	mark_stale(priv, online);
	if (find_stale(priv, online) < 0)
		return 0;
	share_lock__take(&lock);
	err = cgroup_group__repair(priv, online, &why);
	share_lock__release(&lock);
	if (err && err != -ENOMEM && err != -ENODEV && err != -ENXIO)
		pr_warn("--for-each-cgroup: %s", why.text);
	strbuf__free(&why);
	return err == -ENOMEM ? err : 0;
}
