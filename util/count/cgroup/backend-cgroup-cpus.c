// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flushes CPUs: makes the BPF programs add the counts since a CPU's previous reading to the CPU's
 * rows. Also tells the programs which CPUs to skip, and adds up the faults of all CPUs (struct
 * cgroup_faults). The state of each CPU is a struct cgroup_cpu.
 */
#include <errno.h>
#include <string.h>

#include "util/base/reason.h"
#include "util/count/cgroup/backend-cgroup-group.h"
#include "util/machine/cpu/cpumap.h"

static int flush_cpu(const struct cgroup_group *priv, int cpu_id)
{
	int err = cgroup_object__flush(&priv->object, cpu_id);

	if (err == -ENXIO)
		return 0;
	return reason__set(priv->why, err,
			   "--for-each-cgroup: the counting program cannot be run on CPU %d: %s",
			   cpu_id, strerror(-err));
}

int cgroup_group__flush(const struct backend_group *group)
{
	int err = 0;

	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++)
		err = flush_cpu(group->priv, group->cpus->ids[cpu]);
	return err;
}

int cgroup_group__flush_leader(const struct cgroup_group *priv)
{
	int err = 0;

	for (int i = 0; !err && i < priv->possible->nr; i++) {
		int id = priv->possible->ids[i];

		if (cgroup_object__cpu(&priv->object, id)->skip == CGROUP_SKIP_NOT)
			err = flush_cpu(priv, id);
	}
	return err;
}

void cgroup_group__skip_others(const struct backend_group *group, const struct cgroup_group *priv,
			       bool chosen)
{
	for (int i = 0; i < priv->possible->nr; i++) {
		int id = priv->possible->ids[i];

		if (cpumap__index(group->cpus, id) < 0)
			cgroup_object__cpu(&priv->object, id)->skip =
				chosen ? CGROUP_SKIP_UNWANTED : CGROUP_SKIP_NO_EVENTS;
		else if (cpumap__index(group->online, id) < 0)
			cgroup_object__cpu(&priv->object, id)->skip = CGROUP_SKIP_NO_EVENTS;
	}
}

bool cgroup_group__has_cpus(const struct backend_group *group, const struct cgroup_object *object)
{
	const struct cgroup_group *priv = group->priv;

	if ((int64_t)object->sizes.nr_cpus <= cpumap__last(priv->possible))
		return false;
	for (int i = 0; i < group->cpus->nr; i++)
		if (cgroup_object__cpu(object, group->cpus->ids[i])->skip == CGROUP_SKIP_UNWANTED)
			return false;
	return true;
}

int cgroup_group__watch_cpus(struct cgroup_group *priv, struct strbuf *why)
{
	int err = cgroup_object__watch_cpus(&priv->object);

	return reason__set(why, err,
			   "cannot attach the counting program to the tracepoint cpuhp_enter, "
			   "which reports CPUs that go offline and come online: %s",
			   strerror(-err));
}

void cgroup_group__find_faults(const struct cgroup_group *priv, struct cgroup_faults *f)
{
	*f = (struct cgroup_faults){};
	for (int i = 0; i < priv->possible->nr; i++) {
		const struct cgroup_cpu *cpu =
			cgroup_object__cpu(&priv->object, priv->possible->ids[i]);

		f->switches += cpu->switches;
		f->unseen += cpu->unseen;
		f->guessed += cpu->guessed;
		f->read_errors += cpu->read_errors;
		f->elsewhere += cpu->elsewhere;
		f->nested += cpu->nested;
	}
}
