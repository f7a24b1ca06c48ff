// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/cpu-term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/event/ast.h"
#include "util/event/evsel.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/resolver.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

#define LIST_SIZE 256

/*
 * Copies the CPUs of @pmu to *@cpus, which stays NULL if the PMU counts on all CPUs. Returns 0 or
 * -errno.
 */
static int cpus_of(struct pmu *pmu, struct cpumap **cpus)
{
	int err = pmu__load(pmu);

	if (err || !pmu__cpus(pmu))
		return err;
	*cpus = cpumap__copy(pmu__cpus(pmu));
	return *cpus ? 0 : -ENOMEM;
}

/*
 * Finds the CPUs that @text selects. Returns 0; -ENOENT if @text is neither a list of CPUs nor the
 * name of a PMU; or another -errno.
 */
static int find_cpus(struct resolver *r, const char *text, struct cpumap **cpus)
{
	struct pmus *pmus = resolver__pmus(r);
	struct pmu *pmu;
	int err;

	if (!pmus)
		return -ENOMEM;
	pmu = pmus__find(pmus, text);
	if (pmu)
		return cpus_of(pmu, cpus);
	err = cpumap__parse(text, cpus);
	return err == -ENOMEM ? err : err ? -ENOENT : 0;
}

/* Returns the first of @cpus that is not in @of, or -1. */
static int first_missing(const struct cpumap *cpus, const struct cpumap *of)
{
	for (int i = 0; i < cpus->nr; i++)
		if (cpumap__index(of, cpus->ids[i]) < 0)
			return cpus->ids[i];
	return -1;
}

static int check_cpus(struct resolver *r, const struct cpumap *cpus, size_t column)
{
	struct cpumap *possible;
	int missing, err = cpumap__possible(r->env->roots, &possible);

	/*
	 * If the machine does not list its CPUs, any number is accepted. Opening the event shows
	 * whether the CPU exists.
	 */
	if (err)
		return err == -ENOMEM ? err : 0;
	missing = first_missing(cpus, possible);
	cpumap__free(possible);
	return missing < 0 ?
		       0 :
		       parse_error__set(r->error, column, "this machine has no CPU %d", missing);
}

static int set_cpus(struct evsel *evsel, struct cpumap *cpus)
{
	if (!cpus)
		return -ENOMEM;
	cpumap__free(evsel->pmu_cpus);
	evsel->pmu_cpus = cpus;
	evsel->cpus_given = true;
	return 0;
}

int cpu_term__apply(struct resolver *r, const struct ast_term *term, size_t column,
		    struct evsel *evsel)
{
	char text[LIST_SIZE] = "1"; /* `cpu` without a value means cpu=1 */
	struct cpumap *cpus = NULL;
	int err;

	if (term->kind == TERM_NUMBER)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)term->number);
	if (term->kind == TERM_TEXT && !span__copy(&term->value, text, sizeof(text)))
		return parse_error__set(r->error, column, "term 'cpu': the list is too long");
	err = find_cpus(r, text, &cpus);
	if (err == -ENOENT)
		return parse_error__set(r->error, column,
					"'%.*s' is not a CPU, a list of CPUs or a PMU",
					SPAN_ARG(&term->value));
	if (err && err != -ENOMEM)
		return parse_error__set(r->error, column, "term 'cpu': '%s' cannot be read: %s",
					text, strerror(-err));
	/* a PMU that counts on all CPUs does not limit the event */
	if (!err && !cpus)
		return 0;
	if (!err)
		err = check_cpus(r, cpus, column);
	if (!err && evsel->cpus_given) {
		err = set_cpus(evsel, cpumap__union(cpus, evsel->pmu_cpus));
	} else if (!err) {
		err = set_cpus(evsel, cpus);
		cpus = NULL;
	}
	cpumap__free(cpus);
	return err;
}

int cpu_term__restrict(struct evsel *evsel, const struct cpumap *of_pmu)
{
	int err = set_cpus(evsel, cpumap__intersect(evsel->pmu_cpus, of_pmu));

	return err ?: evsel->pmu_cpus->nr ? 0 : -ENXIO;
}
