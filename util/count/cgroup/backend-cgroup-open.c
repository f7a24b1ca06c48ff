// SPDX-License-Identifier: GPL-2.0-only
/* How counting by control group begins: with the leader of another session, with one that others can join, or with one of its own. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/cgroup/backend-cgroup-group.h"
#include "util/count/cgroup/backend-cgroup-join.h"
#include "util/count/cgroup/backend-cgroup-share.h"
#include "util/count/cgroup/cgroup-follow.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/count/cgroup/cgroup-session.h"
#include "util/count/cgroup/cgroup-slots.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup.h"
#include "util/machine/cpumap.h"

/* Room in a new leader for groups of sessions to come, besides as much again as its own. */
#define SLOTS_FOR_OTHERS 64

static int find_blocks(const struct backend_group *group, struct cgroup_group *priv, const struct stat_config *cfg)
{
	struct cgroup **listed = calloc((size_t)cfg->nr_for_each + 1, sizeof(*listed));

	priv->places = listed;
	priv->nr_blocks = cfg->nr_for_each;
	priv->nr_events = group->nr / priv->nr_blocks;
	for (int block = 0; listed && block < priv->nr_blocks; block++)
		listed[block] = cfg->cgroups[group->evsels[block * priv->nr_events]->idx];
	if (listed) {
		priv->v1 = listed[0]->v1;
		priv->slots = cfg->cgroup_follow ? cgroup_slots__new_places(priv->nr_blocks) :
						   cgroup_slots__new(listed, priv->nr_blocks);
	}
	return priv->slots ? 0 : -ENOMEM;
}

/* 0 or -errno, the reason in @why. */
static int load(struct cgroup_group *priv, const struct stat_config *cfg, bool shared, struct strbuf *why)
{
	struct cgroup_sizes sizes = {
		.nr_plain = priv->plan->nr_plain,
		.nr_timed = priv->plan->nr_timed,
		.nr_cells = priv->plan->nr_cells,
		.nr_cpus = (uint32_t)cpumap__last(priv->possible) + 1,
		.nr_slots = shared ? 2 * priv->slots->nr + SLOTS_FOR_OTHERS : priv->slots->nr,
		.v1 = priv->v1,
		.follow = cfg->cgroup_follow,
		.shared = shared,
	};
	int err = cfg->cgroup_follow ? cgroup__find_id(cfg->cgroup_mount, "", &sizes.root_id) : 0;

	if (err)
		strbuf__addf(why, "%s: %s", cfg->cgroup_mount->dir, strerror(-err));
	return err ?: cgroup_object__load(&priv->object, &sizes, why);
}

static int fill_slots(const struct cgroup_group *priv)
{
	for (uint32_t slot = 1; slot < priv->slots->nr; slot++) {
		if (bpf_map_update_elem(priv->object.maps.slots, &priv->slots->ids[slot], &slot, BPF_ANY)) {
			int err = -errno;

			pr_err("--for-each-cgroup: cannot tell the kernel of %u control groups: %s",
			       priv->slots->nr - 1, strerror(-err));
			return err;
		}
	}
	return 0;
}

/* CPUs that are not to be counted are left alone, and switches on those that come online later are told of. */
static void skip_other_cpus(const struct backend_group *group, const struct cgroup_group *priv, bool chosen)
{
	for (int i = 0; i < priv->possible->nr; i++) {
		int id = priv->possible->ids[i];

		if (cpumap__index(group->cpus, id) < 0)
			cgroup_object__cpu(&priv->object, id)->skip = chosen ? CGROUP_SKIP_UNWANTED :
									       CGROUP_SKIP_NO_EVENTS;
	}
}

static int attach(struct cgroup_group *priv)
{
	struct strbuf why = STRBUF_INIT;
	int err = cgroup_object__attach(&priv->object, &why);

	if (err)
		pr_err("--for-each-cgroup through BPF: %s", why.text);
	strbuf__free(&why);
	return err;
}

static int make_plan(const struct backend_group *group, struct cgroup_group *priv)
{
	priv->plan = cgroup_plan__new(group->evsels, priv->is_open, priv->nr_events);
	return priv->plan ? 0 : -ENOMEM;
}

static int alloc_sums(struct cgroup_group *priv)
{
	size_t nr = (size_t)priv->object.sizes.nr_slots * priv->plan->nr_cells;

	priv->own = calloc(nr, sizeof(*priv->own));
	priv->sums = calloc(nr, sizeof(*priv->sums));
	return priv->own && priv->sums ? 0 : -ENOMEM;
}

/* cgroup_reused_fn: the block counts another group from now on, from zero. */
static void reset_block(void *ctx, int block)
{
	struct backend_group *group = ctx;
	const struct cgroup_group *priv = group->priv;

	for (int event = 0; event < priv->nr_events; event++) {
		struct counts *counts = group->counts[block * priv->nr_events + event];

		counts__reset(counts);
		counts__set_unsupported(counts, group->counts[event]->open_err, group->counts[event]->why_not);
	}
}

static int start_following(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	int err = cgroup_follow__new(cfg, priv->places, priv->slots, &priv->object, reset_block, group, &priv->follow);

	return err ?: cgroup_follow__scan(priv->follow);
}

/* ---- a leader of many sessions ---- */

/* What makes an event what it is stands in its attr. -EINVAL when it does not. */
static bool can_be_shared(const struct backend_group *group, const struct cgroup_group *priv)
{
	for (int event = 0; event < priv->nr_events; event++) {
		const struct evsel *evsel = group->evsels[event];

		if (evsel->leader->nr_members > 1 || evsel->filter || evsel->symbol_file)
			return false;
	}
	return priv->nr_events <= CGROUP_INFO_MAX_EVENTS;
}

static bool is_same_event(const struct evsel *evsel, const struct cgroup_event *event)
{
	return !memcmp(&evsel->attr, event->attr, sizeof(event->attr));
}

/* Which of the leader's events each of the session's is; -1: none. */
static void find_reads(const struct backend_group *group, const struct cgroup_group *priv,
		       const struct cgroup_info *info, int *reads)
{
	for (int event = 0; event < priv->nr_events; event++) {
		reads[event] = -1;
		for (uint32_t i = 0; i < info->nr_events && cgroup_plan__needs_fd(group->evsels[event]); i++)
			if (is_same_event(group->evsels[event], &info->events[i]))
				reads[event] = (int)info->events[i].read;
	}
}

static bool has_cpus(const struct backend_group *group, const struct cgroup_object *object)
{
	for (int i = 0; i < group->cpus->nr; i++)
		if (group->cpus->ids[i] >= (int)object->sizes.nr_cpus ||
		    cgroup_object__cpu(object, group->cpus->ids[i])->skip != CGROUP_SKIP_NOT)
			return false;
	return true;
}

/* What the leader does not count cannot be counted by anybody? Then it has all that there is. */
static int check_others(struct backend_group *group, struct cgroup_group *priv, const int *reads)
{
	int err = cgroup_group__open_events(group, priv, reads), nr_open = 0;

	for (int event = 0; !err && event < priv->nr_events; event++)
		nr_open += priv->fd_events[event] >= 0 && priv->is_open[event];
	cgroup_group__close_events(priv);
	return err ?: nr_open ? -ENODEV : 0;
}

/* -ENODEV when it is another's kind of leader, and -E2BIG when it has no room. */
static int join_this(struct backend_group *group, struct cgroup_group *priv, const struct cgroup_info *info,
		     const struct stat_config *cfg)
{
	int reads[CGROUP_INFO_MAX_EVENTS], err;

	if (priv->object.sizes.v1 != priv->v1 || !has_cpus(group, &priv->object))
		return -ENODEV;
	find_reads(group, priv, info, reads);
	err = check_others(group, priv, reads);
	err = err ?: make_plan(group, priv);
	err = err ?: cgroup_plan__adopt(priv->plan, reads, info);
	if (err)
		return err;
	priv->session = cgroup_session__new(priv->slots->nr, info->nr_cells, info->nr_slots, group->cpus->nr);
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

/* 0, or -ENOENT when there is none to join; -ENOMEM. */
static int join_leader(struct backend_group *group, struct cgroup_group *priv, const struct cgroup_share *share,
		       const struct stat_config *cfg)
{
	struct cgroup_links links;
	struct cgroup_info info;
	uint32_t at = 0;

	while (!cgroup_share__next(share, &at, &links)) {
		struct strbuf why = STRBUF_INIT;
		int err = cgroup_object__join(&priv->object, &links, &info, &why);

		if (why.len)
			pr_info("--for-each-cgroup: %s", why.text);
		strbuf__free(&why);
		err = err ?: join_this(group, priv, &info, cfg);
		if (!err)
			pr_info("--for-each-cgroup: counted by the leader of link %u, which another session made",
				links.on_switch);
		if (!err || err == -ENOMEM)
			return err;
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

/* One that others can join, as it is before it runs. 0, or -errno with the reason in @why. */
static int load_shared(const struct backend_group *group, struct cgroup_group *priv, const struct stat_config *cfg,
		       struct strbuf *why)
{
	int err = load(priv, cfg, true, why);

	if (err)
		return err;
	priv->session = cgroup_session__new(priv->slots->nr, priv->plan->nr_cells, priv->object.sizes.nr_slots,
					    group->cpus->nr);
	err = priv->session ? describe(group, priv) : -ENOMEM;
	err = err   ?:
		      cgroup_share__add_groups(&priv->object, cfg->cgroup_mount, priv->slots, priv->places,
					       priv->session->place);
	/* there is room for its own groups */
	if (err == -E2BIG)
		strbuf__adds(why, "a control group is too deep");
	else if (err)
		strbuf__addf(why, "the leader cannot be told of its events and groups: %s", strerror(-err));
	return err;
}

/* It counts from here on, for whoever is there. */
static int start_leader(struct cgroup_group *priv, const struct cgroup_share *share)
{
	struct cgroup_links links;
	int err = attach(priv);

	cgroup_object__enable(&priv->object, true);
	err = err ?: cgroup_group__settle_leader(priv);
	if (err)
		return err;
	links = cgroup_object__links(&priv->object);
	err = cgroup_share__publish(share, &links);
	if (err)
		pr_info("--for-each-cgroup: counted, but not shared: %s", strerror(-err));
	else
		pr_info("--for-each-cgroup: made the leader of link %u", links.on_switch);
	return 0;
}

/* ---- one for itself ---- */

static int start_alone(struct backend_group *group, struct cgroup_group *priv, const struct stat_config *cfg)
{
	int err = cfg->cgroup_follow ? 0 : fill_slots(priv);

	err = err ?: attach(priv);
	if (!err && cfg->cgroup_follow)
		err = start_following(group, cfg);
	return err;
}

static int load_alone(struct cgroup_group *priv, const struct stat_config *cfg)
{
	struct strbuf why = STRBUF_INIT;
	int err = load(priv, cfg, false, &why);

	if (err)
		pr_err("--for-each-cgroup through BPF: %s\nleave out --bpf-counters and :b to count the native way",
		       why.text);
	strbuf__free(&why);
	return err;
}

/* ---- either, with events of its own ---- */

static int open_events(struct backend_group *group, struct cgroup_group *priv)
{
	int err = cgroup_group__open_events(group, priv, NULL);

	return err ?: make_plan(group, priv);
}

static int fill_events(const struct backend_group *group, const struct cgroup_group *priv,
		       const struct stat_config *cfg)
{
	int err = cgroup_group__fill_events(group, priv);

	if (!err)
		skip_other_cpus(group, priv, cfg->cpus != NULL);
	return err;
}

/* With events that are open. */
static int finish_alone(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	int err = load_alone(priv, cfg);

	err = err ?: fill_events(group, priv, cfg);
	return err ?: start_alone(group, priv, cfg);
}

static int make_alone(struct backend_group *group, const struct stat_config *cfg)
{
	int err = open_events(group, group->priv);

	return err ?: finish_alone(group, cfg);
}

/* What only sharing needs may fail (room for others' groups, names for those above): then it counts alone. */
static int make_leader(struct backend_group *group, const struct cgroup_share *share, const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	struct strbuf why = STRBUF_INIT;
	int err = open_events(group, priv), not_shared;

	if (err)
		return err;
	not_shared = load_shared(group, priv, cfg, &why);
	if (not_shared) {
		pr_info("--for-each-cgroup: not shared: %s", why.text);
		forget_object(priv);
		err = finish_alone(group, cfg);
	} else {
		err = fill_events(group, priv, cfg);
		err = err ?: start_leader(priv, share);
	}
	strbuf__free(&why);
	return err;
}

static int open_shared(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	struct strbuf why = STRBUF_INIT;
	struct cgroup_share share;
	int err;

	/* a member has all groups above it: those above the mount have no names here */
	if (!cgroup_mount__is_whole(cfg->cgroup_mount))
		strbuf__addf(&why, "%s is not the root of the control groups", cfg->cgroup_mount->dir);
	if (why.len || cgroup_share__begin(&share, &why)) {
		pr_info("--for-each-cgroup: not shared: %s", why.text);
		strbuf__free(&why);
		return make_alone(group, cfg);
	}
	strbuf__free(&why);
	err = join_leader(group, priv, &share, cfg);
	if (err == -ENOENT)
		err = make_leader(group, &share, cfg);
	cgroup_share__end(&share);
	if (!err && priv->session)
		cgroup_group__find_faults(priv, &priv->before);
	return err;
}

void cgroup_group__leave(void)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup_share share;

	if (!cgroup_share__begin(&share, &why))
		cgroup_share__end(&share);
	else if (!access(CGROUP_SHARE_PATH, F_OK))
		pr_warn("--for-each-cgroup: the map of sessions is left behind: %s\nthe end of the next session takes "
			"it away",
			why.text);
	strbuf__free(&why);
}

int cgroup_group__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = calloc(1, sizeof(*priv));
	int err = priv ? cpumap__possible(sysroots__host(), &priv->possible) : -ENOMEM;

	group->priv = priv;
	if (priv) {
		priv->object = (struct cgroup_object)CGROUP_OBJECT_INIT;
		if (err)
			pr_err("cannot read the list of possible CPUs: %s", strerror(-err));
	}
	err = err ?: find_blocks(group, priv, cfg);
	err = err ?: cgroup_group__alloc_events(priv);
	if (!err && !cfg->cgroup_follow && can_be_shared(group, priv) && cgroup_share__may())
		err = open_shared(group, cfg);
	else if (!err)
		err = make_alone(group, cfg);
	err = err ?: alloc_sums(priv);
	if (err == -ENOMEM)
		pr_err("out of memory for %d control groups", cfg->nr_for_each);
	return err;
}
