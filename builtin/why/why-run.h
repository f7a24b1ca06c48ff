/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out for a whole command line what the kernel refuses. */
#ifndef PSTAT_BUILTIN_WHY_RUN_H
#define PSTAT_BUILTIN_WHY_RUN_H

#include <stdbool.h>

struct stat_options;
struct strbuf;

/*
 * Adds a paragraph to @text for each event of @options, and for each way of counting through BPF,
 * or a JSON array with an object for each of them. Sets *@refused to whether the kernel refused one
 * of them. Returns 0, or -errno after printing the reason.
 */
int why_run(const struct stat_options *options, bool json, struct strbuf *text, bool *refused);

#endif
