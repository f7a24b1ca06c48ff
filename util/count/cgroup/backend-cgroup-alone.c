// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads and attaches the BPF programs of the cgroup backend, and prepares counting in sessions that
 * do not share their programs with other sessions.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/cgroup/backend-cgroup-group.h"
#include "util/count/cgroup/cgroup-follow.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/count/cgroup/cgroup-slots.h"
#include "util/count/counts.h"
#include "util/count/stat-config.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"

/*
 * If a session loads programs that other sessions can share, it provides twice as many slots as it
 * needs itself, plus this number. Sessions that join later use the free slots for their cgroups.
 */
#define SLOTS_FOR_OTHERS 64

int cgroup_group__make_plan(const struct backend_group *group, struct cgroup_group *priv)
{
	priv->plan = cgroup_plan__new(group->evsels, priv->is_open, priv->nr_events);
	return priv->plan ? 0 : -ENOMEM;
}

int cgroup_group__open_for_plan(struct backend_group *group, struct cgroup_group *priv)
{
	int err = cgroup_group__open_events(group, priv, NULL);

	return err ?: cgroup_group__make_plan(group, priv);
}

int cgroup_group__load(struct cgroup_group *priv, const struct stat_config *cfg, bool shared,
		       struct strbuf *why)
{
	struct cgroup_sizes sizes = {
		.nr_plain = priv->plan->nr_plain,
		.nr_timed = priv->plan->nr_timed,
		.nr_cells = priv->plan->nr_cells,
		.nr_cpus = (uint32_t)cpumap__last(priv->possible) + 1,
		.nr_slots = shared ? 2 * priv->slots->nr + SLOTS_FOR_OTHERS :
				     (uint32_t)priv->slots->nr_listed + 1,
		.v1 = priv->v1,
		.follow = cfg->cgroup_follow,
		.shared = shared,
		.points = cfg->points,
	};
	int err = cfg->cgroup_follow ? cgroup__find_id(cfg->cgroup_mount, "", &sizes.root_id) : 0;

	if (err)
		strbuf__addf(why, "%s: %s", cfg->cgroup_mount->dir, strerror(-err));
	return err ?: cgroup_object__load(&priv->object, &sizes, why);
}

int cgroup_group__attach(struct cgroup_group *priv)
{
	struct strbuf why = STRBUF_INIT;
	int err = cgroup_group__watch_cpus(priv, &why);

	err = err ?: cgroup_object__attach(&priv->object, &why);
	reason__set(priv->why, err, "--for-each-cgroup through BPF: %s", why.text);
	strbuf__free(&why);
	return err;
}

int cgroup_group__fill(const struct backend_group *group, const struct cgroup_group *priv,
		       const struct stat_config *cfg)
{
	int err = cgroup_group__fill_events(group, priv);

	if (!err)
		cgroup_group__skip_others(group, priv, cfg->cpus != NULL);
	return err;
}

static int fill_slots(const struct cgroup_group *priv)
{
	for (uint32_t slot = 1; slot < priv->slots->nr; slot++) {
		int err = bpf_map_update_elem(priv->object.maps.slots, &priv->slots->ids[slot],
					      &slot, BPF_ANY) ?
				  -errno :
				  0;

		if (err)
			return reason__set(
				priv->why, err,
				"--for-each-cgroup: cannot pass %u cgroups to the kernel: %s",
				priv->slots->nr - 1, strerror(-err));
	}
	return 0;
}

/*
 * A cgroup_reused_fn. Sets all counts in the column of @subject to zero, because another cgroup
 * will use this column.
 */
static void reset_subject(void *ctx, int subject)
{
	struct backend_group *group = ctx;

	for (int event = 0; event < group->nr; event++)
		if (subject < group->counts[event]->nr_columns)
			counts__zero_column(group->counts[event], subject);
}

static int start_following(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	int err = cgroup_follow__new(cfg, group->subjects, priv->slots, &priv->object,
				     reset_subject, group, &priv->follow, group->why);

	return err ?: cgroup_follow__scan(priv->follow, group->why);
}

static int start_alone(struct backend_group *group, struct cgroup_group *priv,
		       const struct stat_config *cfg)
{
	int err = cfg->cgroup_follow ? 0 : fill_slots(priv);

	err = err ?: cgroup_group__attach(priv);
	if (!err && cfg->cgroup_follow)
		err = start_following(group, cfg);
	return err;
}

static int load_alone(struct cgroup_group *priv, const struct stat_config *cfg)
{
	struct strbuf why = STRBUF_INIT;
	int err = cgroup_group__load(priv, cfg, false, &why);

	reason__set(priv->why, err,
		    "--for-each-cgroup through BPF: %s\nleave out --bpf-counters and :b to count "
		    "natively",
		    why.text);
	strbuf__free(&why);
	return err;
}

int cgroup_group__finish_alone(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	int err = load_alone(priv, cfg);

	err = err ?: cgroup_group__fill(group, priv, cfg);
	return err ?: start_alone(group, priv, cfg);
}

int cgroup_group__make_alone(struct backend_group *group, const struct stat_config *cfg)
{
	int err = cgroup_group__open_for_plan(group, group->priv);

	return err ?: cgroup_group__finish_alone(group, cfg);
}
