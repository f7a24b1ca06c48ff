/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes functions of the kernel, in the cheapest way that works (see scope-func-probes.c). */
#ifndef PSTAT_COUNT_SCOPE_FUNC_PROBES_H
#define PSTAT_COUNT_SCOPE_FUNC_PROBES_H

#include <stdbool.h>
#include <stdint.h>

struct scope_functions;
struct scope_links;
struct scope_programs;
struct stat_config;
struct strbuf;

/*
 * The kernel function at which the cost of probes at kernel functions is measured. It consists of
 * only two or three instructions.
 */
#define SCOPE_FUNC_EMPTY "noop_llseek"

/*
 * Tests whether the kernel functions in cfg->scopes can be probed. Returns 0, or -errno with the
 * reason in @why.
 */
int scope_func_probes__test(const struct stat_config *cfg, struct strbuf *why);
/*
 * Finds the cheapest working way to probe the kernel functions in cfg->scopes, and stores it in
 * programs->func_links. Also chooses which of the programs for kernel functions will be loaded.
 * programs->skel must be open, but not loaded yet. Returns 0, or -errno with the reason in @why.
 */
int scope_func_probes__choose(struct scope_programs *programs, const struct stat_config *cfg,
			      struct strbuf *why);
/*
 * Attaches one of the counting programs to @functions: the one for the end of a run if @at_end is
 * set, otherwise the one for its beginning. With FUNC_LINKS_SESSION, the program for the beginning
 * also runs at the end, so a call with @at_end set does nothing. Returns 0, or -errno with the
 * reason in @why. After an error, the program may still be attached to some of the functions.
 */
int scope_func_probes__attach(const struct scope_programs *programs, struct scope_links *links,
			      bool at_end, const struct scope_functions *functions,
			      struct strbuf *why);
/*
 * Detaches the empty programs that scope_func_probes__choose() attached when it tried fentry. Call
 * this after the counting programs have been attached.
 */
void scope_func_probes__end_trial(struct scope_programs *programs);

#endif
