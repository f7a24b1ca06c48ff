// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/backend.h"

#include "util/count/stat-config.h"
#include "util/event/evsel.h"

/*
 * Does pstat read @evsel from procfs: the user or system time of CPUs or of running tasks? For a
 * command and its children, wait4(2) gives more exact times.
 */
static bool is_read_from_procfs(const struct evsel *evsel, const struct stat_config *cfg)
{
	if (evsel->tool != TOOL_USER_TIME && evsel->tool != TOOL_SYSTEM_TIME)
		return false;
	if (cfg->progs || cfg->scopes || cfg->points || stat_config__counts_command(cfg) ||
	    stat_config__for_each_cgroup(cfg))
		return false;
	return !evsel->cgroup;
}

bool backend__wants_bpf(const struct evsel *evsel, const struct stat_config *cfg)
{
	/* the points of --start and --stop are in BPF */
	return cfg->bpf_counters || evsel->bpf_counter || cfg->points;
}

const struct counter_backend *backend__for(const struct evsel *evsel, const struct stat_config *cfg)
{
	if (evsel->tool == TOOL_SCOPE_TIME)
		return &backend_scope;
	if (evsel->tool == TOOL_RUN_CNT)
		return cfg->scopes ? &backend_scope : &backend_prog;
	if (evsel->tool != TOOL_NONE)
		return is_read_from_procfs(evsel, cfg) ? &backend_cputime : &backend_tool;
	if (cfg->sampling)
		return &backend_profile;
	if (cfg->scopes)
		return &backend_scope;
	if (cfg->progs)
		return &backend_prog;
	if (!backend__wants_bpf(evsel, cfg))
		return &backend_fd;
	if (stat_config__for_each_cgroup(cfg))
		return &backend_cgroup;
	/*
	 * an uncore event belongs to no task, so BPF has no reason to read it at context switches
	 */
	return evsel->is_uncore && !cfg->points ? &backend_fd : &backend_bperf;
}
