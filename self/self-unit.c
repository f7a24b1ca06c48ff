// SPDX-License-Identifier: GPL-2.0-only
#include "self/self.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "self/file-room.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bperf/attr-map.h"
#include "util/count/bperf/bperf-events.h"
#include "util/count/bperf/bperf-self.h"
#include "util/count/bperf/bperf-share.h"
#include "util/count/bperf/bperf-unit.h"
#include "util/count/counts.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

struct self_unit {
	struct self_unit *next;
	uint32_t link_id; /* id of the leader's BPF link */
	int users;
	struct bperf_self *self;
};

static struct self_unit *units;

/* The arguments of bperf_share__open() for a single event, and the results. */
struct opening {
	/*
	 * must be the first member, because follow() gets this struct by casting the group's
	 * address
	 */
	struct backend_group group;
	const struct evsel *evsel;
	struct counts *counts;
	struct bperf_group bperf;
	struct strbuf why;
	int unit_of;
	/* the results */
	struct self_unit *unit;
	int row;
};

/* ---- following ---- */

static struct self_unit *find_unit(uint32_t link_id)
{
	struct self_unit *unit = units;

	while (unit && unit->link_id != link_id)
		unit = unit->next;
	return unit;
}

/*
 * Follows @leader. Each thread of this process can then read its own counts of the leader's events.
 */
static int follow_leader(const struct bperf_leader *leader, const struct evsel *evsel,
			 struct bperf_self **self, struct strbuf *why)
{
	struct bperf_plan other = { .how = (__u8)bperf_events__how_of_other(evsel) };

	if (leader->of_pstat)
		return bperf_self__follow(leader, leader->info.plan, self, why);
	if (leader->events_fd >= 0 && leader->before_fd >= 0)
		return bperf_self__follow(leader, &other, self, why);
	return reason__set(
		why, -EPROTO,
		"%s: the leader of link %u lacks the maps of perf's leaders, which are needed "
		"to read what a thread has counted",
		evsel->name, leader->link_id);
}

static int add_unit(const struct bperf_leader *leader, const struct evsel *evsel,
		    struct self_unit **out, struct strbuf *why)
{
	struct self_unit *unit = calloc(1, sizeof(*unit));
	int err;

	*out = unit;
	if (!unit)
		return -ENOMEM;
	err = follow_leader(leader, evsel, &unit->self, why);
	if (err) {
		free(unit);
		*out = NULL;
		return err;
	}
	unit->link_id = leader->link_id;
	unit->next = units;
	units = unit;
	return 0;
}

/*
 * Called by bperf_share__open() for each leader that it has found or made. If the leader counts the
 * event, follows the leader, unless this process already follows it.
 */
static int follow(struct backend_group *group, struct bperf_unit *bperf_unit)
{
	struct opening *opening = (struct opening *)group;
	struct self_unit *unit = find_unit(bperf_unit->leader.link_id);
	int err = 0;

	if (!bperf_unit->nr)
		return 0;
	if (!unit)
		err = add_unit(&bperf_unit->leader, opening->evsel, &unit, group->why);
	if (err)
		return err;
	unit->users++;
	opening->unit = unit;
	opening->row = bperf_unit->rows[0];
	return 0;
}

/* ---- opening ---- */

static int opening__init(struct opening *opening, const struct evsel *evsel)
{
	struct bperf_group *bperf = &opening->bperf;
	int err;

	*opening = (struct opening){ .evsel = evsel, .why = STRBUF_INIT, .unit_of = -1, .row = -1 };
	bperf->unit_of = &opening->unit_of;
	bperf->why = &opening->why;
	bperf->follow = follow;
	err = cpumap__online(sysroots__host(), &bperf->online);
	err = err ?: cpumap__possible(sysroots__host(), &bperf->possible);
	if (err)
		return reason__set(&opening->why, err, "cannot read the list of CPUs: %s",
				   strerror(-err));
	bperf->nr_cpus = cpumap__last(bperf->possible) + 1;
	opening->counts = counts__new_on(evsel, bperf->online, evsel->pmu_cpus, 1);
	if (!opening->counts)
		return -ENOMEM;
	opening->group = (struct backend_group){
		.nr = 1,
		.evsels = &opening->evsel,
		.counts = &opening->counts,
		.cpus = bperf->online,
		.why = &opening->why,
		.priv = bperf,
	};
	return 0;
}

static void opening__free(struct opening *opening)
{
	bperf_group__drop_units(&opening->bperf, 1);
	counts__free(opening->counts);
	cpumap__free(opening->bperf.online);
	cpumap__free(opening->bperf.possible);
	strbuf__free(&opening->why);
}

/* Stores in opening->why the reason why the event could not be opened. Returns -errno. */
static int refuse_unsupported(struct opening *opening)
{
	const struct counts *counts = opening->counts;
	int err = counts->open_err;

	if (!err || err == -ENOENT || err == -ENXIO)
		err = -ENODEV;
	if (counts->why_not)
		return reason__set(&opening->why, err, "%s", counts->why_not);
	return reason__set(&opening->why, err, "%s: cannot be counted here%s%s",
			   opening->evsel->name, counts->open_err ? ": " : "",
			   counts->open_err ? strerror(-counts->open_err) : "");
}

/*
 * Checks that a leader counts the event as requested, and that threads can read the event's counts.
 * Returns 0, or -errno after storing the reason in opening->why.
 */
static int check_counter(struct opening *opening)
{
	if (!opening->unit)
		return refuse_unsupported(opening);
	if (opening->counts->left_out & LEFT_OUT_KERNEL)
		return reason__set(&opening->why, -EACCES,
				   "%s: counting the kernel needs CAP_PERFMON: use %s:u instead",
				   opening->evsel->name, opening->evsel->name);
	if (bperf_self__has(opening->unit->self, opening->row))
		return 0;
	return reason__set(&opening->why, -EPROTO,
			   "%s: a process can read only the first %d events of a leader, and the "
			   "leader of link %u has more",
			   opening->evsel->name, opening->unit->link_id, BPERF_MAX_SHARED);
}

static int open_shared(struct opening *opening, const char *path)
{
	uint64_t nr_cpus = (uint64_t)opening->bperf.online->nr;
	struct strbuf why = STRBUF_INIT;
	struct pinned_map map = PINNED_MAP_INIT(&attr_map_kind);
	struct file_room room;
	int err = bperf_share__probe(&why);

	reason__set(&opening->why, err, "%s: cannot be counted for single threads: %s%s",
		    opening->evsel->name, why.text,
		    err == -EPERM ? "\nrun this program as root" : "");
	if (!err) {
		err = pinned_map__open(&map, path, &why);
		reason__set(&opening->why, err, "%s: %s", opening->evsel->name, why.text);
	}
	if (!err) {
		/*
		 * Usually, one file per CPU is enough. However, if this process makes a leader that
		 * replaces an old one, the process also opens all events of the old leader, and
		 * keeps their files open until the BPF map of the new leader contains the events.
		 */
		file_room__take(&room, nr_cpus * (BPERF_MAX_SHARED + 1), nr_cpus);
		err = bperf_share__open(&opening->group, &map);
		file_room__give_back(&room);
		if (err == -EOPNOTSUPP)
			reason__set(&opening->why, err,
				    "%s: this kernel has no BPF trampolines on this architecture",
				    opening->evsel->name);
	}
	pinned_map__close(&map);
	strbuf__free(&why);
	return err ?: check_counter(opening);
}

int self_unit__get(const struct evsel *evsel, const char *path, struct self_unit **unit, int *row)
{
	struct opening opening;
	int err = opening__init(&opening, evsel);

	err = err ?: open_shared(&opening, path);
	if (err)
		pr_err("%s", reason__text(&opening.why, err));
	opening__free(&opening);
	if (err && opening.unit)
		self_unit__put(opening.unit);
	*unit = err ? NULL : opening.unit;
	*row = opening.row;
	return err;
}

void self_unit__put(struct self_unit *unit)
{
	struct self_unit **at = &units;

	if (--unit->users)
		return;
	while (*at && *at != unit)
		at = &(*at)->next;
	if (*at)
		*at = unit->next;
	bperf_self__close(unit->self);
	free(unit);
}

int self_unit__look(const struct self_unit *unit, int slot, int row, struct reading *to)
{
	return bperf_self__look(unit->self, slot, row, to);
}

void self_unit__drop_all(void)
{
	for (const struct self_unit *unit = units; unit; unit = unit->next)
		bperf_self__close_fds(unit->self);
	units = NULL;
}
