/* SPDX-License-Identifier: GPL-2.0-only */
/* How functions of the kernel are probed: in the cheapest way that works. */
#ifndef PSTAT_COUNT_SCOPE_FUNC_PROBES_H
#define PSTAT_COUNT_SCOPE_FUNC_PROBES_H

#include <stdbool.h>
#include <stdint.h>

struct scope_functions;
struct scope_links;
struct scope_programs;
struct stat_config;
struct strbuf;

/* The function whose probes are measured. It has two or three instructions. */
#define SCOPE_FUNC_EMPTY "noop_llseek"

/*
 * Finds out by trying how the functions of cfg->scopes can be probed, sets programs->func_links,
 * and sets which programs of the opened skeleton are loaded. Returns 0, or -errno with the reason
 * in @why.
 */
int scope_func_probes__choose(struct scope_programs *programs, const struct stat_config *cfg,
			      struct strbuf *why);
/*
 * Attaches the program that begins runs or, if @at_end is set, the program that ends runs. Returns
 * 0, or -errno with the reason in @why; earlier functions then stay attached.
 */
int scope_func_probes__attach(const struct scope_programs *programs, struct scope_links *links,
			      bool at_end, const struct scope_functions *functions,
			      struct strbuf *why);
/*
 * Detaches the programs that scope_func_probes__choose() tried. Call this after the programs that
 * count have been attached.
 */
void scope_func_probes__end_trial(struct scope_programs *programs);

#endif
