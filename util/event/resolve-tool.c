// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resolves events whose PMUs do not exist in the kernel. pstat itself reads or measures the values
 * of these events.
 *
 *	tool/num_cpus/, num_cpus		facts (machine-view.h), times (names.h)
 *	hwmon_coretemp/temp1/, temp_core_0	sensors (hwmon.h)
 *	drm_i915/drm-engine-render/		use of graphics devices (drm-clients.h)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/event/ast.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/names.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/resolve.h"
#include "util/event/resolver.h"
#include "util/event/terms.h"
#include "util/machine/pmu/drm-clients.h"
#include "util/machine/pmu/hwmon.h"
#include "util/machine/machine-view.h"

#define NAME_SIZE 256

/* Properties of a value that pstat itself reads or measures. add() stores them in the evsel. */
struct figure {
	enum tool_event tool;
	int fact; /* if `tool` is TOOL_FACT: the index of the fact (machine-view.h) */
	const char *pmu;
	const char *source; /* for evsel->source; or NULL */
	const char *unit;
	double scale;
	const char *name; /* NULL: use the name that the user wrote */
};

static int set_text(char **to, const char *text)
{
	free(*to);
	*to = text ? strdup(text) : NULL;
	return text && !*to ? -ENOMEM : 0;
}

static int set_figure(struct evsel *evsel, const struct figure *figure)
{
	int err = 0;

	evsel->tool = figure->tool;
	evsel->scale = figure->scale;
	evsel->snapshot = !tool_event__is_time(figure->tool);
	err = set_text(&evsel->unit, figure->unit) ?: set_text(&evsel->pmu_name, figure->pmu);
	err = err ?: set_text(&evsel->source, figure->source);
	return err ?: set_text(&evsel->name, figure->name);
}

static int add(struct resolver *r, const struct ast_event *event, const struct figure *figure)
{
	struct evsel *evsel = resolver__new_evsel(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int err = evsel ? set_figure(evsel, figure) : -ENOMEM;

	for (int i = 0; !err && i < event->nr_terms; i++) {
		const struct ast_term *term = &r->ast->terms[event->first_term + i];
		size_t column = term->kind == TERM_PLAIN ? term->name.column : term->value.column;

		if (terms__is_generic(term))
			err = terms__apply(r, term, column, evsel);
	}
	if (err) {
		evsel__free(evsel);
		return err;
	}
	/* set this last, because a term config1= must not select another fact */
	evsel->attr.attr.config1 = figure->tool == TOOL_FACT ? (uint64_t)figure->fact : 0;
	return resolver__add(r, event, evsel, &event->text);
}

/* ---- one event of a PMU ---- */

static int add_tool(struct resolver *r, const struct ast_event *event, const struct span *name)
{
	const struct event_name *row = event_name__find(name);
	struct figure figure = { .tool = TOOL_FACT, .pmu = "tool", .unit = "", .scale = 1.0 };

	if (row && tool_event__is_time(row->tool)) {
		figure.tool = row->tool;
		figure.unit = "ns";
		return add(r, event, &figure);
	}
	figure.fact = machine_view__find_fact(name->s, name->len);
	if (figure.fact < 0 || !machine_view__fact_is_event(figure.fact))
		return -ENOENT;
	return add(r, event, &figure);
}

#define SOURCE_SIZE 128

static struct figure figure_of_sensor(const struct hwmon_event *sensor, char source[SOURCE_SIZE])
{
	snprintf(source, SOURCE_SIZE, "class/hwmon/%s/%s_input", sensor->directory, sensor->name);
	return (struct figure){
		.tool = TOOL_HWMON,
		.pmu = sensor->pmu,
		.source = source,
		.unit = sensor->unit,
		.scale = sensor->scale,
	};
}

static struct figure figure_of_client(const struct drm_event *client)
{
	return (struct figure){
		.tool = TOOL_DRM,
		.pmu = client->pmu,
		.source = client->name,
		.unit = client->unit,
		.scale = 1.0,
	};
}

static int add_of_hwmon(struct resolver *r, const struct ast_event *event, const char *pmu,
			const char *name)
{
	struct hwmon_event sensor;
	struct figure figure;
	char source[SOURCE_SIZE];
	int err = hwmon__find(r->env->roots, pmu, name, &sensor);

	if (err)
		return err;
	figure = figure_of_sensor(&sensor, source);
	return add(r, event, &figure);
}

/* Adds the event @name of @pmu, the PMU of a graphics device (NULL: of any such PMU). */
static int add_of_drm(struct resolver *r, const struct ast_event *event, const char *pmu,
		      const char *name)
{
	struct drm_event client;
	struct figure figure;
	int err = drm_clients__find(r->env->roots, pmu, name, &client);

	if (err)
		return err;
	figure = figure_of_client(&client);
	return add(r, event, &figure);
}

/*
 * The argument of the callbacks below. They offer the names of `pmu`'s events to `near`, which
 * keeps the names that are similar to `name`.
 */
struct offer {
	struct near_names *near;
	const char *pmu, *name;
};

static int offer_sensor(const struct hwmon_event *sensor, void *arg)
{
	struct offer *offer = arg;

	if (strcmp(sensor->pmu, offer->pmu) && strcmp(sensor->directory, offer->pmu))
		return 0;
	near_names__offer(offer->near, offer->name, sensor->name);
	if (*sensor->label_name)
		near_names__offer(offer->near, offer->name, sensor->label_name);
	return 0;
}

static int offer_client(const struct drm_event *client, void *arg)
{
	struct offer *offer = arg;

	if (!strcmp(client->pmu, offer->pmu))
		near_names__offer(offer->near, offer->name, client->name);
	return 0;
}

static void offer_names(struct resolver *r, const char *pmu, const struct span *name)
{
	char text[NAME_SIZE];
	struct offer offer = { &r->error->near, pmu, text };

	if (!span__copy(name, text, sizeof(text)))
		return;
	for (int fact = 0; !strcmp(pmu, "tool") && machine_view__fact_name(fact); fact++)
		if (machine_view__fact_is_event(fact))
			near_names__offer(offer.near, text, machine_view__fact_name(fact));
	if (!strncmp(pmu, "hwmon", 5))
		hwmon__for_each(r->env->roots, offer_sensor, &offer);
	if (!strncmp(pmu, "drm_", 4))
		drm_clients__for_each(r->env->roots, offer_client, &offer);
}

static bool is_pmu(const struct resolver *r, const char *name)
{
	if (!strcmp(name, "tool"))
		return true;
	if (!strncmp(name, "drm_", 4))
		return drm_clients__has_pmu(r->env->roots, name);
	return !strncmp(name, "hwmon", 5) && hwmon__has_pmu(r->env->roots, name);
}

/* ---- names without a PMU ---- */

struct bare_name {
	struct resolver *r;
	const struct ast_event *event; /* NULL: add no events, only set `nr` */
	const char *text;
	int nr; /* number of sensors with the name `text` */
};

/*
 * If @sensor has the name bare->text, adds an event for the sensor or, if bare->event is NULL, adds
 * 1 to bare->nr. If several sensors have this name, the event's name includes the PMU.
 */
static int take_sensor(const struct hwmon_event *sensor, void *arg)
{
	char name[2 * HWMON_NAME_SIZE], source[SOURCE_SIZE];
	struct bare_name *bare = arg;
	struct figure figure;

	if (strcasecmp(sensor->name, bare->text) && strcasecmp(sensor->label_name, bare->text))
		return 0;
	if (!bare->event) {
		bare->nr++;
		return 0;
	}
	figure = figure_of_sensor(sensor, source);
	snprintf(name, sizeof(name), "%s/%s/", sensor->pmu, bare->text);
	figure.name = bare->nr > 1 ? name : NULL;
	return add(bare->r, bare->event, &figure);
}

static int add_sensors(struct resolver *r, const struct ast_event *event, const char *text)
{
	struct bare_name bare = { .r = r, .text = text };
	int err = hwmon__for_each(r->env->roots, take_sensor, &bare);

	if (err || !bare.nr)
		return err ?: -ENOENT;
	bare.event = event;
	return hwmon__for_each(r->env->roots, take_sensor, &bare);
}

int resolve_tool__name(struct resolver *r, const struct ast_event *event)
{
	char text[NAME_SIZE];
	int err;

	if (!span__copy(&event->name, text, sizeof(text)))
		return -ENOENT;
	err = add_tool(r, event, &event->name);
	if (err == -ENOENT && hwmon__is_event_name(text))
		err = add_sensors(r, event, text);
	if (err == -ENOENT && drm_clients__is_event_name(text))
		err = add_of_drm(r, event, NULL, text);
	return err;
}

/*
 * Resolves NAME/TERMS/ as the event NAME. NAME must not be a PMU (is_pmu()). If a term is not
 * generic, returns -ENOENT.
 */
static int add_name_with_terms(struct resolver *r, const struct ast_event *event)
{
	for (int i = 0; i < event->nr_terms; i++)
		if (!terms__is_generic(&r->ast->terms[event->first_term + i]))
			return -ENOENT;
	return resolve_tool__name(r, event);
}

static int add_of_pmu(struct resolver *r, const struct ast_event *event, const char *pmu,
		      const struct span *name)
{
	char text[NAME_SIZE];

	if (!span__copy(name, text, sizeof(text)))
		return -ENOENT;
	if (!strcmp(pmu, "tool"))
		return add_tool(r, event, name);
	if (!strncmp(pmu, "drm_", 4))
		return add_of_drm(r, event, pmu, text);
	return add_of_hwmon(r, event, pmu, text);
}

/*
 * Returns the only term of @event that is not generic. This term should name one of @pmu's events,
 * but this function does not check that. If there is no such term or more than one, or if the term
 * has a value, sets r->error and returns NULL.
 */
static const struct ast_term *find_event_term(struct resolver *r, const struct ast_event *event,
					      const char *pmu)
{
	const struct ast_term *found = NULL;

	for (int i = 0; i < event->nr_terms; i++) {
		const struct ast_term *term = &r->ast->terms[event->first_term + i];

		if (terms__is_generic(term))
			continue;
		if (found || term->kind != TERM_PLAIN) {
			parse_error__set(
				r->error, term->name.column,
				"PMU '%s' accepts only the name of one event and name=TEXT, not "
				"'%.*s'",
				pmu, SPAN_ARG(&term->name));
			return NULL;
		}
		found = term;
	}
	if (!found)
		parse_error__set(r->error, event->name.column,
				 "PMU '%s' needs the name of an event: %s/EVENT/", pmu, pmu);
	return found;
}

int resolve_tool__event(struct resolver *r, const struct ast_event *event)
{
	const struct ast_term *term;
	char pmu[NAME_SIZE];
	int err;

	if (!span__copy(&event->name, pmu, sizeof(pmu)) || !is_pmu(r, pmu))
		return add_name_with_terms(r, event);
	term = find_event_term(r, event, pmu);
	if (!term)
		return -EINVAL;
	err = add_of_pmu(r, event, pmu, &term->name);
	if (err != -ENOENT)
		return err;
	parse_error__set(r->error, term->name.column, "PMU '%s' has no event '%.*s'", pmu,
			 SPAN_ARG(&term->name));
	offer_names(r, pmu, &term->name);
	return -EINVAL;
}
