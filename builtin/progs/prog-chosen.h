/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether a list of selectors (bpf-prog-select.h) matches a loaded BPF program. */
#ifndef PSTAT_BUILTIN_PROG_CHOSEN_H
#define PSTAT_BUILTIN_PROG_CHOSEN_H

#include <stdbool.h>

struct bpf_prog;
struct prog_selection;

bool prog_chosen(struct bpf_prog *prog, const struct prog_selection *selection);

#endif
