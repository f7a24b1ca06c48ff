// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/cgroup-session.h"

#include <stdlib.h>

#include "bpf_skel/cgroup_counter.h"
#include "util/count/cgroup/cgroup-members.h"

struct cgroup_session *cgroup_session__new(uint32_t nr, uint32_t nr_cells, uint32_t nr_leader,
					   int nr_cpus)
{
	struct cgroup_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->nr = nr;
	session->nr_cells = nr_cells;
	session->place = calloc(nr, sizeof(*session->place));
	session->cells = calloc((size_t)nr_cpus * nr * nr_cells, sizeof(*session->cells));
	session->tree.parent = calloc(nr_leader, sizeof(*session->tree.parent));
	if (session->place && session->cells && session->tree.parent)
		return session;
	cgroup_session__free(session);
	return NULL;
}

void cgroup_session__free(struct cgroup_session *session)
{
	if (!session)
		return;
	free(session->place);
	free(session->cells);
	free(session->tree.parent);
	free(session);
}

int cgroup_session__refresh(struct cgroup_session *session, const struct cgroup_control *control,
			    const struct cgroup_member *members, uint32_t nr_leader)
{
	/*
	 * read the generation first: other sessions change it after they have changed `nr_used` and
	 * the members. So if they change these values after this load, the next call finds a new
	 * generation, and reads the values again
	 */
	uint64_t generation = __atomic_load_n(&control->generation, __ATOMIC_ACQUIRE);
	uint32_t nr = control->nr_used; /* read only once, because other sessions write to it */
	int err;

	if (generation == session->generation)
		return 0;
	if (nr > nr_leader)
		nr = nr_leader;
	err = cgroup_members__find_parents(members, nr, session->tree.parent);
	if (!err) {
		session->tree.nr = nr;
		session->generation = generation;
	}
	return err;
}

bool cgroup_session__is_current(const struct cgroup_session *session,
				const struct cgroup_control *control)
{
	/* the caller has read the counts; the fence keeps the next load after these reads */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&control->generation, __ATOMIC_RELAXED) == session->generation;
}

static uint64_t *cells_of(const struct cgroup_session *session, int cpu)
{
	return session->cells + (size_t)cpu * session->nr * session->nr_cells;
}

void cgroup_session__count(const struct cgroup_session *session, int cpu, const uint64_t *sums,
			   int on, uint64_t *counts)
{
	const uint64_t *cells = cells_of(session, cpu);

	for (uint32_t slot = 0; slot < session->nr; slot++) {
		const uint64_t *sum = sums + (size_t)session->place[slot] * session->nr_cells;

		for (uint32_t cell = 0; cell < session->nr_cells; cell++, cells++)
			*counts++ = on ? sum[cell] - *cells : *cells;
	}
}

void cgroup_session__toggle(struct cgroup_session *session, int cpu, const uint64_t *sums)
{
	cgroup_session__count(session, cpu, sums, 1, cells_of(session, cpu));
}
