// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/backend.h"

#include "util/count/stat-config.h"
#include "util/event/evsel.h"

const struct counter_backend *backend__for(const struct evsel *evsel, const struct stat_config *cfg)
{
	if (evsel->tool == TOOL_RUN_CNT)
		return &backend_prog;
	if (evsel->tool != TOOL_NONE)
		return &backend_tool;
	if (cfg->sampling)
		return &backend_profile;
	if (cfg->progs)
		return &backend_prog;
	if (!cfg->bpf_counters && !evsel->bpf_counter)
		return &backend_fd;
	return cfg->nr_for_each ? &backend_cgroup : &backend_bperf;
}
