// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/pfm-events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/event/resolver.h"
#include "util/machine/pmu/libpfm.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

/*
 * Room for the struct perf_event_attr of a newer libpfm4. That struct may be larger than pstat's.
 */
union large_attr {
	union perf_attr attr;
	char room[512];
};

struct pfm_parser {
	struct resolver resolver;
	const struct libpfm *libpfm;
	const char *text; /* the whole argument, for messages */
	struct strbuf *why;
	bool in_group;
	struct evsel *leader; /* leader of the open group; NULL if the group is empty */
};

/* Encodes the event @name, which must not contain braces or commas. */
static int encode(struct pfm_parser *p, const char *name, union perf_attr *attr)
{
	union large_attr large = { .attr.attr.exclude_guest = 1 };
	int err = p->libpfm->encode(name, LIBPFM_KERNEL_AND_USER, &large.attr.attr, NULL, NULL);

	if (err) {
		strbuf__addf(p->why, "failed to parse event %s : %s", p->text,
			     p->libpfm->strerror(err));
		return -EINVAL;
	}
	*attr = large.attr;
	attr->attr.size = PERF_ATTR_SIZE;
	return 0;
}

/*
 * Sets the event's PMU to the PMU with the event's type. If the type is in enum perf_type_id and is
 * not PERF_TYPE_RAW, does nothing, because the kernel chooses the PMU.
 */
static int set_pmu(struct pfm_parser *p, struct evsel *evsel)
{
	uint32_t type = evsel->attr.attr.type;
	struct pmus *pmus = resolver__pmus(&p->resolver);
	struct pmu *pmu;

	if (!pmus)
		return -ENOMEM;
	if (type < PERF_TYPE_MAX && type != PERF_TYPE_RAW)
		return 0;
	for (int i = 0; (pmu = pmus__get(pmus, i)); i++)
		if (!pmu__load(pmu) && pmu__type(pmu) == type)
			return resolver__set_pmu(&p->resolver, evsel, pmu);
	return 0;
}

static void join_group(struct pfm_parser *p, struct evsel *evsel)
{
	if (!p->in_group)
		return;
	if (!p->leader) {
		p->leader = evsel;
		return;
	}
	evsel->leader = p->leader;
	evsel->nr_members = 0;
	p->leader->nr_members++;
}

static int add_event(struct pfm_parser *p, const char *name)
{
	struct evsel *evsel = evsel__new();
	int err = evsel ? encode(p, name, &evsel->attr) : -ENOMEM;

	if (!err) {
		evsel->name = strdup(name);
		err = evsel->name ? set_pmu(p, evsel) : -ENOMEM;
	}
	if (err) {
		evsel__free(evsel);
		return err;
	}
	err = evlist__add(p->resolver.evlist, evsel);
	if (!err)
		join_group(p, evsel);
	return err;
}

static int open_group(struct pfm_parser *p)
{
	if (p->in_group) {
		strbuf__adds(p->why, "nested event groups not supported");
		return -EINVAL;
	}
	p->in_group = true;
	p->leader = NULL;
	return 0;
}

static int close_group(struct pfm_parser *p)
{
	if (!p->in_group) {
		strbuf__adds(p->why, "cannot close a non-existing event group");
		return -EINVAL;
	}
	p->in_group = false;
	return 0;
}

/* Splits the text at commas and braces, and adds an event for each part that is not empty. */
static int parse(struct pfm_parser *p, char *copy)
{
	int err = 0;

	for (char *at = copy; !err && *at;) {
		size_t len = strcspn(at, ",{}");
		char end = at[len];

		at[len] = '\0';
		if (len)
			err = add_event(p, at);
		if (!err && end == '{')
			err = open_group(p);
		if (!err && end == '}')
			err = close_group(p);
		at += len + (end != '\0');
	}
	return err;
}

int pfm_events__parse(struct evlist *evlist, const char *text, const struct event_env *env,
		      struct strbuf *why)
{
	struct pfm_parser p = {
		.resolver = { .env = env, .evlist = evlist },
		.libpfm = libpfm__load(why),
		.text = text,
		.why = why,
	};
	int before = evlist->nr, err = p.libpfm ? 0 : -ELIBACC;
	char *copy;

	if (err)
		return err;
	copy = strdup(text);
	err = copy ? parse(&p, copy) : -ENOMEM;
	if (err)
		evlist__truncate(evlist, before);
	free(copy);
	pmus__free(p.resolver.pmus);
	return err;
}
