/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out which events of a command line the kernel refuses, and which ways of counting through
 * BPF do not work.
 */
#ifndef PSTAT_BUILTIN_WHY_RUN_H
#define PSTAT_BUILTIN_WHY_RUN_H

#include <stdbool.h>

struct stat_options;
struct strbuf;

/*
 * Adds to @text a paragraph for each event of @options, and for each row of why_bpf__each(). With
 * @json, adds a JSON array of objects instead of paragraphs. Sets *@refused to true if an event
 * cannot be opened, or if `works` is false in a row of why_bpf__each(); otherwise, to false.
 * Returns 0, or -errno after printing the reason.
 */
int why_run(const struct stat_options *options, bool json, struct strbuf *text, bool *refused);

#endif
