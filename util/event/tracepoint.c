// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resolves system:name to the number in events/SYSTEM/NAME/id of tracefs
 * (Documentation/trace/events.rst in the kernel's source).
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/event/ast.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/resolve.h"
#include "util/event/resolver.h"
#include "util/machine/pmu/pmu-dir.h"

static bool is_glob(const char *name)
{
	return strpbrk(name, "*?[");
}

/* Sets an error that says that tracefs is missing or unreadable. Returns -EINVAL. */
static int explain_tracefs(const struct resolver *r, const struct ast_event *event, int err)
{
	const char *tracefs = r->env->roots->tracefs;

	if (err == -EACCES || err == -EPERM)
		return parse_error__set(r->error, event->name.column,
					"no permission to read tracepoints in %s: run pstat as "
					"root, or allow this to all users (mount -o "
					"remount,mode=755 %s)",
					tracefs, tracefs);
	return parse_error__set(
		r->error, event->name.column,
		"tracepoints are not available in %s (%s): mount -t tracefs tracefs %s", tracefs,
		strerror(-err), tracefs);
}

static void offer(const struct resolver *r, const char *path, const char *wanted)
{
	struct dir_names dir;

	if (dir_names__read(&dir, r->env->roots->tracefs, path))
		return;
	for (int i = 0; i < dir.nr; i++)
		near_names__offer(&r->error->near, wanted, dir.names[i]);
	dir_names__free(&dir);
}

/*
 * Returns whether @system is a system that exists only after a probe has been created: a system of
 * perf probe, or the default system of kprobe_events or uprobe_events.
 */
static bool is_of_probes(const char *system)
{
	return !strncmp(system, "probe", 5) || !strcmp(system, "kprobes") ||
	       !strcmp(system, "uprobes");
}

/* Sets an error that says whether the system or the tracepoint is unknown. Returns -EINVAL. */
static int explain_missing(struct resolver *r, const struct ast_event *event, const char *system,
			   const char *name)
{
	char path[PATH_MAX];
	struct dir_names dir;
	int err = dir_names__read(&dir, r->env->roots->tracefs, "events");

	if (err)
		return explain_tracefs(r, event, err);
	dir_names__free(&dir);
	r->error->see_list = true;
	if (is_of_probes(system))
		strbuf__adds(
			&r->error->hint,
			"Create a probe before counting it: with perf probe, or in kprobe_events "
			"or uprobe_events of tracefs");
	snprintf(path, sizeof(path), "events/%s", system);
	if (!is_glob(system) && !dir_names__read(&dir, r->env->roots->tracefs, path)) {
		dir_names__free(&dir);
		parse_error__set(r->error, event->event.column,
				 "unknown tracepoint '%s' of system '%s'", name, system);
		offer(r, path, name);
	} else if (is_glob(system)) {
		parse_error__set(r->error, event->name.column, "no tracepoint matches '%s:%s'",
				 system, name);
	} else {
		parse_error__set(r->error, event->name.column, "unknown tracepoint system '%s'",
				 system);
		offer(r, "events", system);
		resolve_near__offer_names(r, &event->name, false);
	}
	return -EINVAL;
}

/*
 * Adds the tracepoint @system:@name. Returns 0; -ENOENT, without setting r->error, if there is no
 * such tracepoint; -EINVAL with r->error set; or -ENOMEM.
 */
static int add_one(struct resolver *r, const struct ast_event *event, const char *system,
		   const char *name)
{
	char path[2 * NAME_MAX + 16], full[2 * NAME_MAX + 4];
	struct evsel *evsel;
	uint64_t id;
	int err;

	snprintf(path, sizeof(path), "events/%s/%s/id", system, name);
	err = sysfs__read_u64(r->env->roots->tracefs, path, &id);
	if (err == -ENOENT || err == -ENOTDIR)
		return -ENOENT;
	if (err == -EACCES || err == -EPERM)
		return parse_error__set(r->error, event->event.column,
					"no permission to read %s/%s: run pstat as root, or allow "
					"this to all users (chmod a+r)",
					r->env->roots->tracefs, path);
	if (err)
		return parse_error__set(r->error, event->event.column, "%s/%s cannot be read (%s)",
					r->env->roots->tracefs, path, strerror(-err));
	evsel = resolver__new_evsel(PERF_TYPE_TRACEPOINT, id);
	if (!evsel)
		return -ENOMEM;
	snprintf(full, sizeof(full), "%s:%s", system, name);
	evsel->tracepoint = strdup(full);
	if (!evsel->tracepoint) {
		evsel__free(evsel);
		return -ENOMEM;
	}
	return resolver__add(r, event, evsel, &(struct span){ .s = full, .len = strlen(full) });
}

static int add_matching(struct resolver *r, const struct ast_event *event, const char *system,
			const char *pattern);

/*
 * Adds all tracepoints of @system whose names match @pattern. If @system is NULL, adds the
 * tracepoints that match @name, in all systems that match @pattern. Returns -ENOENT if no
 * tracepoint matches. Ignores entries of a system's directory, such as enable and filter, that
 * contain no file `id`, because they are not tracepoints.
 */
static int add_listed(struct resolver *r, const struct ast_event *event, const char *system,
		      const char *pattern, const char *name)
{
	char path[NAME_MAX + 16];
	struct dir_names dir;
	int err;

	snprintf(path, sizeof(path), "events%s%s", system ? "/" : "", system ?: "");
	err = dir_names__read(&dir, r->env->roots->tracefs, path);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	err = -ENOENT;
	for (int i = 0; i < dir.nr && (!err || err == -ENOENT); i++) {
		int one = -ENOENT;

		if (!fnmatch(pattern, dir.names[i], 0))
			one = system ? add_one(r, event, system, dir.names[i]) :
				       add_matching(r, event, dir.names[i], name);
		if (one != -ENOENT)
			err = one;
	}
	dir_names__free(&dir);
	return err;
}

static int add_matching(struct resolver *r, const struct ast_event *event, const char *system,
			const char *pattern)
{
	return is_glob(pattern) ? add_listed(r, event, system, pattern, NULL) :
				  add_one(r, event, system, pattern);
}

static int add_systems(struct resolver *r, const struct ast_event *event, const char *pattern,
		       const char *name)
{
	return is_glob(pattern) ? add_listed(r, event, NULL, pattern, name) :
				  add_matching(r, event, pattern, name);
}

/* Refuses a term as perf stat does, because terms of tracepoints affect only sampling. */
static int refuse_term(struct resolver *r, const struct ast_term *term)
{
	return parse_error__set(r->error, term->name.column,
				"'%.*s' is not usable: a tracepoint takes no terms in 'perf stat'",
				SPAN_ARG(&term->name));
}

int tracepoint__resolve(struct resolver *r, const struct ast_event *event)
{
	char system[NAME_MAX + 1], name[NAME_MAX + 1];
	int err;

	if (!span__copy(&event->name, system, sizeof(system)) ||
	    !span__copy(&event->event, name, sizeof(name)))
		return parse_error__set(r->error, event->name.column,
					"the name of the tracepoint is too long");
	if (name[0] == '.')
		return parse_error__set(r->error, event->event.column,
					"a tracepoint cannot begin with '.'");
	if (event->nr_terms)
		return refuse_term(r, &r->ast->terms[event->first_term]);
	err = add_systems(r, event, system, name);
	return err == -ENOENT ? explain_missing(r, event, system, name) : err;
}
