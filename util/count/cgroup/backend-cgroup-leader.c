// SPDX-License-Identifier: GPL-2.0-only
/*
 * Joins the leader of another session, or makes a leader that other sessions can join. If neither
 * is possible, the session counts without sharing. A leader is a set of loaded BPF programs and
 * their maps.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/trusted-path.h"
#include "util/count/bpf-util.h"
#include "util/count/cgroup/backend-cgroup-group.h"
#include "util/count/cgroup/backend-cgroup-join.h"
#include "util/count/cgroup/backend-cgroup-share.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/count/cgroup/cgroup-session.h"
#include "util/count/cgroup/cgroup-slots.h"
#include "util/count/counts.h"
#include "util/count/share/shared-link.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"

/*
 * Sessions recognize the events of a leader by the attrs (perf_event_attr) of the events. So the
 * attr of a shared event must describe the event completely.
 */
const char *cgroup_group__why_alone(const struct backend_group *group,
				    const struct stat_config *cfg)
{
	const struct cgroup_group *priv = group->priv;

	for (int event = 0; event < priv->nr_events; event++) {
		const char *why = shared_link__why_not(group->evsels[event]);

		if (why)
			return why;
	}
	if (cfg->points)
		return "--start and --stop need counters of their own";
	if (cfg->cgroup_follow)
		return "--cgroup-follow";
	if (priv->nr_events > CGROUP_INFO_MAX_EVENTS)
		return "there are too many events";
	if (!bpf_util__may_use_ids())
		return "this user may not open BPF objects by their ids (CAP_SYS_ADMIN is needed)";
	return NULL;
}

static void set_sharing(const struct backend_group *group, enum counts_sharing sharing,
			const char *why)
{
	for (int event = 0; event < group->nr; event++)
		counts__set_sharing(group->counts[event], sharing, why);
}

int cgroup_group__open_alone(struct backend_group *group, const struct stat_config *cfg,
			     const char *why)
{
	set_sharing(group, SHARING_FAILED, why);
	return cgroup_group__make_alone(group, cfg);
}

static bool is_same_event(const struct evsel *evsel, const struct cgroup_event *event)
{
	return !memcmp(&evsel->attr, event->attr, sizeof(event->attr));
}

/*
 * Stores in @reads[event] the event's index among the leader's plain or timed events
 * (cgroup-plan.h), or -1 if the leader does not read the event.
 */
static void find_reads(const struct backend_group *group, const struct cgroup_group *priv,
		       const struct cgroup_info *info, int *reads)
{
	for (int event = 0; event < priv->nr_events; event++) {
		reads[event] = -1;
		for (uint32_t i = 0;
		     i < info->nr_events && cgroup_plan__needs_fd(group->evsels[event]); i++)
			if (is_same_event(group->evsels[event], &info->events[i]))
				reads[event] = (int)info->events[i].read;
	}
}

/*
 * Opens, and then closes, the session's events that the leader does not read. Returns -ENODEV if
 * any of them could be opened: the leader would not count these events, so the session cannot use
 * the leader. Otherwise, returns 0 or another -errno.
 */
static int check_others(struct backend_group *group, struct cgroup_group *priv, const int *reads)
{
	int err = cgroup_group__open_events(group, priv, reads), nr_open = 0;

	for (int event = 0; !err && event < priv->nr_events; event++)
		nr_open += priv->fd_events[event] >= 0 && priv->is_open[event];
	cgroup_group__close_events(priv);
	return err ?: nr_open ? -ENODEV : 0;
}

/*
 * Starts watching the CPUs (cgroup_group__watch_cpus()), and opens the events of the leader that
 * are missing or stale, so that the leader counts on all online CPUs of the session. Returns 0;
 * -ENODEV if the leader cannot count on all CPUs of the session; or another -errno.
 */
static int check_cpus(const struct backend_group *group, struct cgroup_group *priv,
		      struct strbuf *why)
{
	int err;

	if (!cgroup_group__has_cpus(group, &priv->object))
		return -ENODEV;
	err = cgroup_group__watch_cpus(priv, why);
	return err ?: cgroup_group__repair(priv, group->online, why);
}

/*
 * Joins the leader that cgroup_join__open() has opened. Returns 0; -ENODEV if this session cannot
 * use the leader; -E2BIG if the leader has no room for the session's cgroups, or one of them is
 * nested too deeply; or another -errno. May store the reason for an error in @why.
 */
static int join_this(struct backend_group *group, struct cgroup_group *priv,
		     const struct cgroup_info *info, const struct stat_config *cfg,
		     struct strbuf *why)
{
	int reads[CGROUP_INFO_MAX_EVENTS], err;

	if (priv->object.sizes.v1 != priv->v1)
		return -ENODEV;
	err = check_cpus(group, priv, why);
	find_reads(group, priv, info, reads);
	err = err ?: check_others(group, priv, reads);
	err = err ?: cgroup_group__make_plan(group, priv);
	err = err ?: cgroup_plan__adopt(priv->plan, reads, info);
	if (err)
		return err;
	priv->session = cgroup_session__new(priv->slots->nr, info->nr_cells, info->nr_slots,
					    group->cpus->nr);
	if (!priv->session)
		return -ENOMEM;
	return cgroup_share__add_groups(&priv->object, cfg->cgroup_mount, priv->slots, priv->places,
					priv->session->place);
}

static void forget_object(struct cgroup_group *priv)
{
	cgroup_object__close(&priv->object);
	cgroup_session__free(priv->session);
	priv->session = NULL;
}

static void forget_leader(struct cgroup_group *priv)
{
	forget_object(priv);
	cgroup_plan__free(priv->plan);
	priv->plan = NULL;
}

/*
 * Joins one of the leaders that the pinned map @map lists. Returns 0; -ENOENT if the session can
 * join none of these leaders; or -ENOMEM.
 */
static int join_leader(struct backend_group *group, struct cgroup_group *priv,
		       const struct pinned_map *map, const struct stat_config *cfg)
{
	struct cgroup_links links;
	struct cgroup_info info;
	struct pinned_walk walk = { .nr = 0 };

	while (!cgroup_share__next(map, &walk, &links)) {
		struct strbuf why = STRBUF_INIT;
		int err = cgroup_join__open(&priv->object, &links, &info, &why);

		err = err ?: join_this(group, priv, &info, cfg, &why);
		if (why.len)
			log__print(err == TRUSTED_PATH_REFUSED ? LOG_WARNING : LOG_INFO,
				   "--for-each-cgroup: %s", why.text);
		strbuf__free(&why);
		if (!err) {
			set_sharing(group, SHARING_JOINED, NULL);
			pr_info("--for-each-cgroup: counted by the leader of link %u, which "
				"another session made",
				links.on_switch);
		}
		if (!err || err == -ENOMEM)
			return err;
		/* try the next leader; if there is none, the caller makes a leader */
		strbuf__reset(priv->why);
		forget_leader(priv);
	}
	return -ENOENT;
}

static int describe(const struct backend_group *group, const struct cgroup_group *priv)
{
	const struct cgroup_sizes *sizes = &priv->object.sizes;
	struct cgroup_info info = { .version = CGROUP_INFO_VERSION,
				    .nr_plain = sizes->nr_plain,
				    .nr_timed = sizes->nr_timed,
				    .nr_cells = sizes->nr_cells,
				    .nr_cpus = sizes->nr_cpus,
				    .nr_slots = sizes->nr_slots,
				    .v1 = sizes->v1 };
	__u32 zero = 0;

	for (int i = 0; i < priv->nr_events; i++) {
		const struct cgroup_counter *counter = &priv->plan->counters[i];
		struct cgroup_event *event = &info.events[info.nr_events];

		if (counter->read < 0)
			continue;
		memcpy(event->attr, &group->evsels[i]->attr, sizeof(event->attr));
		event->timed = counter->timed;
		event->read = (__u32)counter->read;
		info.nr_events++;
	}
	return bpf_map_update_elem(priv->object.maps.info, &zero, &info, BPF_ANY) ? -errno : 0;
}

/*
 * Loads a leader that other sessions can join. Does not attach it. Returns 0, or -errno with the
 * reason in @why.
 */
static int load_shared(const struct backend_group *group, struct cgroup_group *priv,
		       const struct stat_config *cfg, struct strbuf *why)
{
	int err = cgroup_group__load(priv, cfg, true, why);

	if (err)
		return err;
	priv->session = cgroup_session__new(priv->slots->nr, priv->plan->nr_cells,
					    priv->object.sizes.nr_slots, group->cpus->nr);
	err = priv->session ? describe(group, priv) : -ENOMEM;
	if (!err)
		err = cgroup_share__add_groups(&priv->object, cfg->cgroup_mount, priv->slots,
					       priv->places, priv->session->place);
	/*
	 * a new leader has enough slots, so the reason is that a cgroup has too many cgroups above
	 * it
	 */
	if (err == -E2BIG)
		strbuf__adds(why, "a cgroup is nested too deeply");
	else if (err)
		strbuf__addf(why, "cannot write the leader's events and cgroups: %s",
			     strerror(-err));
	return err;
}

/*
 * Attaches and enables the leader, and adds it to the pinned map @map. If the leader cannot be
 * added, no other session can join it.
 */
static int start_leader(const struct backend_group *group, const struct pinned_map *map)
{
	struct cgroup_group *priv = group->priv;
	struct cgroup_links links;
	int err = cgroup_group__attach(priv);

	cgroup_object__enable(&priv->object, true);
	err = err ?: cgroup_group__flush_leader(priv);
	if (err)
		return err;
	links = cgroup_join__links(&priv->object);
	err = cgroup_share__publish(map, &links);
	set_sharing(group, err ? SHARING_FAILED : SHARING_MADE, err ? strerror(-err) : NULL);
	if (err)
		pr_info("--for-each-cgroup: counted, but not shared: %s", strerror(-err));
	else
		pr_info("--for-each-cgroup: made the leader of link %u", links.on_switch);
	return 0;
}

/*
 * Makes a leader that other sessions can join. If it cannot be loaded, loads programs that are not
 * shared.
 */
static int make_leader(struct backend_group *group, const struct pinned_map *map,
		       const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	struct strbuf why = STRBUF_INIT;
	int err = cgroup_group__open_for_plan(group, priv), not_shared;

	if (err)
		return err;
	not_shared = load_shared(group, priv, cfg, &why);
	if (not_shared) {
		pr_info("--for-each-cgroup: not shared: %s", why.text);
		set_sharing(group, SHARING_FAILED, why.text);
		forget_object(priv);
		err = cgroup_group__finish_alone(group, cfg);
	} else {
		err = cgroup_group__fill(group, priv, cfg);
		err = err ?: start_leader(group, map);
	}
	strbuf__free(&why);
	return err;
}

int cgroup_group__open_shared(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	struct strbuf why = STRBUF_INIT;
	struct pinned_map map;
	int err = 0;

	/*
	 * a shared leader needs the ids of all cgroups above a counted cgroup; if the mounted
	 * cgroup is not the root, pstat cannot find the ids of the cgroups above the mounted cgroup
	 */
	if (!cgroup_mount__is_whole(cfg->cgroup_mount))
		strbuf__addf(&why, "%s is not the root of the cgroup hierarchy",
			     cfg->cgroup_mount->dir);
	else
		err = cgroup_share__begin(&map, &why);
	if (why.len || err) {
		log__print(err == TRUSTED_PATH_REFUSED ? LOG_WARNING : LOG_INFO,
			   "--for-each-cgroup: not shared: %s", why.text);
		err = cgroup_group__open_alone(group, cfg, why.len ? why.text : strerror(-err));
		strbuf__free(&why);
		return err;
	}
	strbuf__free(&why);
	err = join_leader(group, priv, &map, cfg);
	if (err == -ENOENT)
		err = make_leader(group, &map, cfg);
	cgroup_share__end(&map);
	if (!err && priv->session)
		cgroup_group__find_faults(priv, &priv->before);
	return err;
}

void cgroup_group__leave(void)
{
	struct strbuf why = STRBUF_INIT;
	struct pinned_map map;

	if (!cgroup_share__begin(&map, &why))
		cgroup_share__end(&map);
	else if (!access(CGROUP_SHARE_PATH, F_OK))
		pr_warn("--for-each-cgroup: the map of sessions cannot be removed: %s\nthe next "
			"session that ends removes the map",
			why.text);
	strbuf__free(&why);
}
