// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/cgroup-follow.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_skel/cgroup_counter.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/cgroup/backend-cgroup-load.h"
#include "util/count/cgroup/cgroup-slots.h"
#include "util/count/stat-config.h"
#include "util/count/subjects.h"
#include "util/machine/cgroup/cgroup-list.h"
#include "util/machine/cgroup/cgroup.h"

/*
 * The name of the last place, to which the counts of cgroups that have lost their places are added
 * (see cgroup-follow.h).
 */
#define GIVEN_UP "(gone)"

struct cgroup_follow {
	const struct stat_config *cfg;
	struct subjects *subjects; /* place i is subject i */
	/* maximum number of places, including the last place (see GIVEN_UP) */
	int nr;
	struct cgroup_slots *slots;
	struct cgroup_object *object;
	struct cgroup_patterns *patterns;
	cgroup_reused_fn reused;
	void *ctx;
	uint64_t *gone_at; /* for each place, the value of nr_gone when its cgroup was removed */
	uint64_t nr_gone;  /* number of cgroups that have been removed */
	uint64_t turned_away;
	/*
	 * for each place, whether its slot is reserved for a new cgroup, or still used by a cgroup
	 * that the user did not select
	 */
	bool *reserved;
	/*
	 * `nr_reserved` is the number of places whose slots are reserved for new cgroups; `reserve`
	 * is the intended number
	 */
	int nr_reserved, reserve;
	/*
	 * `unwanted` contains `nr_unwanted` places of cgroups that the user did not select; the
	 * next cgroup_follow__after_flush() frees these places
	 */
	int nr_unwanted;
	int *unwanted;
	/*
	 * corrections to add to the counts from the BPF maps, indexed by [CPU id][slot][cell]; NULL
	 * until vacate() is first called
	 */
	uint64_t *adjust;
};

int cgroup_follow__new(const struct stat_config *cfg, struct subjects *subjects,
		       struct cgroup_slots *slots, struct cgroup_object *object,
		       cgroup_reused_fn reused, void *ctx, struct cgroup_follow **out,
		       struct strbuf *why)
{
	struct cgroup_follow *f = calloc(1, sizeof(*f));
	struct strbuf bad_pattern = STRBUF_INIT;
	int err = f ? 0 : -ENOMEM;

	*out = NULL;
	if (f) {
		*f = (struct cgroup_follow){ .cfg = cfg,
					     .subjects = subjects,
					     .nr = slots->nr_listed,
					     .slots = slots,
					     .object = object,
					     .reused = reused,
					     .ctx = ctx };
		f->reserve = f->nr / 8 < CGROUP_RESERVE ? f->nr / 8 : CGROUP_RESERVE;
		f->gone_at = calloc((size_t)f->nr + 1, sizeof(*f->gone_at));
		f->reserved = calloc((size_t)f->nr + 1, sizeof(*f->reserved));
		f->unwanted = calloc((size_t)f->nr + 1, sizeof(*f->unwanted));
		err = f->gone_at && f->reserved && f->unwanted ?
			      cgroup_patterns__new(cfg->cgroup_follow, &f->patterns, &bad_pattern) :
			      -ENOMEM;
	}
	reason__set(why, err, "--for-each-cgroup %s: %s", cfg->cgroup_follow,
		    reason__text(&bad_pattern, err));
	strbuf__free(&bad_pattern);
	if (err)
		cgroup_follow__free(f);
	else
		*out = f;
	return err;
}

void cgroup_follow__free(struct cgroup_follow *f)
{
	if (!f)
		return;
	cgroup_patterns__free(f->patterns);
	free(f->gone_at);
	free(f->reserved);
	free(f->unwanted);
	free(f->adjust);
	free(f);
}

/* ---- giving up places ---- */

static uint64_t *adjust_of(const struct cgroup_follow *f, uint32_t cpu, uint32_t slot)
{
	const struct cgroup_sizes *sizes = &f->object->sizes;

	return f->adjust + ((size_t)cpu * sizes->nr_slots + slot) * sizes->nr_cells;
}

static void add_cells(uint64_t *to, const uint64_t *from, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		to[i] += from[i];
}

/*
 * Adds the counts of slot @from on @cpu to the parent slot of @from, and to the slot @rest unless
 * @rest is 0. Then makes the counts of @from start at zero again.
 */
static void hand_over(struct cgroup_follow *f, uint32_t cpu, uint32_t from, uint32_t rest)
{
	const volatile uint64_t *row = cgroup_object__row(f->object, (int)cpu, from);
	uint64_t *own = adjust_of(f, cpu, from);
	uint32_t nr_cells = f->object->sizes.nr_cells, above = f->slots->parent[from];

	for (uint32_t cell = 0; cell < nr_cells; cell++)
		own[cell] += row[cell];
	if (above)
		add_cells(adjust_of(f, cpu, above), own, nr_cells);
	if (rest)
		add_cells(adjust_of(f, cpu, rest), own, nr_cells);
	for (uint32_t cell = 0; cell < nr_cells; cell++)
		own[cell] = 0 - row[cell];
}

/*
 * Moves the counts of @place's slot on each CPU to other slots (hand_over()), and frees @place.
 * @rest is as in hand_over(). Returns 0 or -ENOMEM.
 */
static int vacate(struct cgroup_follow *f, int place, uint32_t rest)
{
	const struct cgroup_sizes *sizes = &f->object->sizes;

	if (!f->adjust)
		f->adjust = calloc((size_t)sizes->nr_cpus * sizes->nr_slots * sizes->nr_cells,
				   sizeof(*f->adjust));
	if (!f->adjust)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < sizes->nr_cpus; cpu++)
		hand_over(f, cpu, (uint32_t)place + 1, rest);
	/* the slots directly below the freed slot are now below its parent */
	for (uint32_t slot = 1; slot < f->slots->nr; slot++)
		if (f->slots->parent[slot] == (uint32_t)place + 1)
			f->slots->parent[slot] = f->slots->parent[place + 1];
	f->subjects->list[place].state = SUBJECT_NONE;
	f->reserved[place] = false;
	f->reused(f->ctx, place);
	return 0;
}

/* Adds a subject for the next place. Returns 0 or -ENOMEM. */
static int add_place(struct cgroup_follow *f, const char *name, enum subject_state state)
{
	int place = subjects__add(f->subjects, name, 0, NULL);

	if (place < 0)
		return place;
	f->subjects->list[place].state = state;
	cgroup_slots__use(f->slots, place);
	return 0;
}

/*
 * Frees the place of a removed cgroup, and adds the cgroup's counts to the last place. Returns 0 or
 * -ENOMEM.
 */
static int give_up(struct cgroup_follow *f, int place)
{
	int err = f->subjects->nr < f->nr ? add_place(f, GIVEN_UP, SUBJECT_GONE_OLD) : 0;

	return err ?: vacate(f, place, (uint32_t)f->nr);
}

static bool has_gone(const struct subject *subject)
{
	return subject->state == SUBJECT_GONE || subject->state == SUBJECT_GONE_OLD;
}

/* Returns the number of places that have been added, not counting the last place (GIVEN_UP). */
static int nr_used(const struct cgroup_follow *f)
{
	return f->subjects->nr < f->nr ? f->subjects->nr : f->nr - 1;
}

/*
 * Finds a free place. If there is none, adds a place. If no place can be added, frees the place of
 * the cgroup that was removed first. Returns 0 and sets *@place; -ENOSPC if all places belong to
 * live cgroups or are reserved; or -ENOMEM.
 */
static int find_place(struct cgroup_follow *f, int *place)
{
	int oldest = -1;

	for (*place = 0; *place < nr_used(f); ++*place) {
		const struct subject *subject = &f->subjects->list[*place];

		if (subject->state == SUBJECT_NONE && !f->reserved[*place])
			return 0;
		if (has_gone(subject) && (oldest < 0 || f->gone_at[*place] < f->gone_at[oldest]))
			oldest = *place;
	}
	if (*place < f->nr - 1)
		return add_place(f, NULL, SUBJECT_NONE);
	if (oldest < 0)
		return -ENOSPC;
	*place = oldest;
	return give_up(f, oldest);
}

/* ---- cgroups are created and removed ---- */

static int find_live(const struct cgroup_follow *f, uint64_t id)
{
	for (int i = 0; i < nr_used(f); i++)
		if (f->subjects->list[i].state == SUBJECT_LIVE && f->subjects->list[i].id == id)
			return i;
	return -1;
}

/*
 * Stores the cgroup's @name and @id in the subject at the index @place, and marks this subject as
 * live. Returns 0 or -ENOMEM.
 */
static int make_live(struct cgroup_follow *f, int place, const char *name, uint64_t id)
{
	struct subject *subject = &f->subjects->list[place];
	char *copy = strdup(name);

	if (!copy)
		return -ENOMEM;
	free(subject->name);
	subject->name = copy;
	subject->id = id;
	subject->state = SUBJECT_LIVE;
	f->reserved[place] = false;
	return 0;
}

/*
 * Adds a cgroup that got no reserved slot, because it existed before pstat attached its programs,
 * or because no reserved slot was left when it was created. If there is no place for the cgroup,
 * warns the first time, and returns 0. Otherwise, returns 0 or -errno.
 */
static int take_up(struct cgroup_follow *f, const char *name, uint64_t id)
{
	int place, err = find_place(f, &place);

	if (err == -ENOSPC) {
		if (!f->turned_away++)
			pr_warn("--cgroup-follow: all %d slots are in use, so %s and later cgroups "
				"are counted only as part of the cgroups above them",
				f->nr - 1, name);
		return 0;
	}
	err = err ?: cgroup_slots__place(f->slots, place, name, id);
	err = err ?: make_live(f, place, name, id);
	err = err ?: cgroup_object__set_slot(f->object, id, (uint32_t)place + 1);
	cgroup_object__forget_slots(f->object);
	return err;
}

static int remove_cgroup(struct cgroup_follow *f, int place)
{
	f->subjects->list[place].state = SUBJECT_GONE;
	f->gone_at[place] = ++f->nr_gone;
	cgroup_slots__leave(f->slots, place);
	return cgroup_object__set_slot(f->object, f->subjects->list[place].id, 0);
}

/*
 * Handles a cgroup that got a reserved slot when it was created. If the user did not select the
 * cgroup, removes its slot, so that its tasks are counted for the nearest cgroup above it that has
 * a slot.
 */
static int serve_reserved(struct cgroup_follow *f, int place, const char *name, uint64_t id)
{
	bool wanted = cgroup_patterns__match(f->patterns, name);
	int err;

	f->nr_reserved--;
	err = cgroup_slots__place(f->slots, place, name, id);
	if (err || wanted)
		return err ?: make_live(f, place, name, id);
	cgroup_slots__leave(f->slots, place);
	f->unwanted[f->nr_unwanted++] = place;
	/*
	 * remove the slot before clearing the caches of the CPUs; otherwise, a CPU could cache the
	 * slot again
	 */
	err = cgroup_object__set_slot(f->object, id, 0);
	cgroup_object__forget_slots(f->object);
	return err;
}

/*
 * Returns the cgroup's name: its path relative to the mounted cgroup. The path in the message is
 * relative to the root of the hierarchy.
 */
static const char *name_of(const struct cgroup_message *message)
{
	const char *name = message->path + strlen(message->path);

	for (int levels = message->levels; levels && name > message->path;)
		levels -= *--name == '/';
	return *name == '/' && name[1] ? name + 1 : name;
}

static int serve_message(struct cgroup_follow *f, const struct cgroup_message *message)
{
	const char *name = name_of(message);
	int place = find_live(f, message->id);

	if (message->removed)
		return place < 0 ? 0 : remove_cgroup(f, place);
	if (message->slot)
		return serve_reserved(f, (int)message->slot - 1, name, message->id);
	return place < 0 && cgroup_patterns__match(f->patterns, name) ?
		       take_up(f, name, message->id) :
		       0;
}

/* The cgroup_message_fn of f->object. */
static void take_message(void *ctx, const struct cgroup_message *message)
{
	struct cgroup_follow *f = ctx;
	int err = serve_message(f, message);

	if (err)
		pr_warn("--cgroup-follow: %s: %s: this cgroup is counted only as part of the "
			"cgroups above it",
			message->path, strerror(-err));
}

static int scan_one(struct cgroup_follow *f, const char *name)
{
	uint64_t id;

	if (!cgroup_patterns__match(f->patterns, name) ||
	    cgroup__find_id(f->cfg->cgroup_mount, name, &id))
		return 0;
	return take_up(f, name, id);
}

int cgroup_follow__scan(struct cgroup_follow *f, struct strbuf *why)
{
	struct cgroup_list all;
	int err = cgroup_list__all(f->cfg->cgroup_mount, &all);

	f->object->take_message = take_message;
	f->object->message_ctx = f;
	for (int i = 0; !err && i < all.nr; i++)
		err = scan_one(f, all.names[i]);
	cgroup_list__free(&all);
	err = err ?: cgroup_follow__after_flush(f);
	return reason__set(why, err, "--cgroup-follow: cannot add the existing cgroups: %s",
			   strerror(-err));
}

int cgroup_follow__after_flush(struct cgroup_follow *f)
{
	int place, err = 0;

	while (!err && f->nr_unwanted)
		err = vacate(f, f->unwanted[--f->nr_unwanted], 0);
	while (!err && f->nr_reserved < f->reserve) {
		err = find_place(f, &place);
		if (err)
			break;
		err = cgroup_object__reserve_slot(f->object, (uint32_t)place + 1);
		if (err)
			break;
		f->reserved[place] = true;
		f->nr_reserved++;
	}
	return err == -ENOSPC || err == -E2BIG ? 0 : err;
}

void cgroup_follow__adjust(const struct cgroup_follow *f, int cpu_id, uint64_t *cells)
{
	const struct cgroup_sizes *sizes = &f->object->sizes;

	if (f->adjust)
		add_cells(cells, adjust_of(f, (uint32_t)cpu_id, 0),
			  sizes->nr_slots * sizes->nr_cells);
}

uint64_t cgroup_follow__turned_away(const struct cgroup_follow *f)
{
	return f->turned_away;
}
