// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/resolver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/ast.h"
#include "util/event/cpu-term.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

struct pmus *resolver__pmus(struct resolver *r)
{
	if (!r->pmus)
		r->pmus = pmus__new(r->env->roots);
	return r->pmus;
}

struct evsel *resolver__new_evsel(uint32_t type, uint64_t config)
{
	struct evsel *evsel = evsel__new();

	if (!evsel)
		return NULL;
	evsel->attr.attr.type = type;
	evsel->attr.attr.config = config;
	evsel->attr.attr.exclude_guest = 1;
	return evsel;
}

bool resolver__skips(const struct resolver *r, struct pmu *pmu)
{
	if (r->env->pmu_filter && !pmu__matches(pmu, r->env->pmu_filter))
		return true;
	return r->env->cputype_pmu && strcmp(r->env->cputype_pmu, pmu__name(pmu));
}

uint64_t resolver__config_on(struct resolver *r, const struct pmu *pmu, uint64_t config)
{
	return pmus__take_types(r->pmus) ? config | (uint64_t)pmu__type(pmu) << PMU_TYPE_SHIFT :
					   config;
}

int resolver__add(struct resolver *r, const struct ast_event *event, struct evsel *evsel,
		  const struct span *name)
{
	if (r->evlist->nr >= AST_EVENTS_MAX) {
		evsel__free(evsel);
		return parse_error__set(r->error, event->text.column, "more than %d events",
					AST_EVENTS_MAX);
	}
	if (!evsel->name)
		evsel->name = strndup(name->s, name->len);
	if (!evsel->name) {
		evsel__free(evsel);
		return -ENOMEM;
	}
	return evlist__add(r->evlist, evsel);
}

/* Adds the numbers of the bits, with ranges: "0-3,7". */
static void add_bit_list(struct strbuf *sb, uint64_t bits)
{
	const char *comma = "";

	for (int bit = 0; bit < 64; bit++) {
		int last = bit;

		if (!(bits >> bit & 1))
			continue;
		while (last < 63 && (bits >> (last + 1) & 1))
			last++;
		strbuf__addf(sb, last > bit ? "%s%d-%d" : "%s%d", comma, bit, last);
		comma = ",";
		bit = last;
	}
}

/*
 * Warns, in perf's words, if the user's numbers contain bits that are in no format of the PMU. The
 * kernel ignores or refuses such bits. Only PERF_TYPE_RAW and the types of PMUs have formats: the
 * config of a generic event is a number that the kernel defines.
 */
static void warn_of_unknown_bits(const struct evsel *evsel, struct pmu *pmu)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;
	uint64_t config3 = evsel->attr.v8.config3;
	const uint64_t words[4] = { attr->config, attr->config1, attr->config2, config3 };
	static const char *const names[4] = { "config", "config1", "config2", "config3" };
	uint64_t known[4];

	if (attr->type != PERF_TYPE_RAW && attr->type < PERF_TYPE_MAX)
		return;
	if (!(words[0] | words[1] | words[2] | words[3]) || !pmu__format_bits(pmu, known))
		return;
	for (int i = 0; i < 4; i++) {
		struct strbuf bits = STRBUF_INIT;

		if (!(words[i] & ~known[i]))
			continue;
		add_bit_list(&bits, words[i] & ~known[i]);
		log__plain("WARNING: event '%s' not valid "
			   "(bits %s of %s '%llx' not supported by kernel)!\n",
			   evsel->name ?: "N/A", bits.text, names[i], (unsigned long long)words[i]);
		strbuf__free(&bits);
	}
}

int resolver__set_pmu(struct resolver *r, struct evsel *evsel, struct pmu *pmu)
{
	const struct cpumap *cpus = pmu__cpus(pmu);

	if (!r->env->probing)
		warn_of_unknown_bits(evsel, pmu);
	evsel->pmu_name = strdup(pmu__name(pmu));
	if (cpus && !evsel->cpus_given)
		evsel->pmu_cpus = cpumap__copy(cpus);
	evsel->is_uncore = pmu__is_uncore(pmu);
	evsel->is_core_pmu = pmu__is_core(pmu) && pmus__nr_core(r->pmus) > 1;
	if (!evsel->pmu_name || (cpus && !evsel->pmu_cpus))
		return -ENOMEM;
	/*
	 * drivers of uncore PMUs move events to their own CPUs, but core PMUs count only on theirs
	 */
	return evsel->cpus_given && evsel->is_core_pmu && cpus ? cpu_term__restrict(evsel, cpus) :
								 0;
}
