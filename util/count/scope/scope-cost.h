/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost that counting itself adds to the counts of a run. */
#ifndef PSTAT_COUNT_SCOPE_COST_H
#define PSTAT_COUNT_SCOPE_COST_H

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct scope_calibration;

/* Computes the costs of @class from the results of all steps, and stores them in @c. */
void scope_cost__set(struct scope_calibration *c, enum scope_class class);
/* Prints the costs of each kind of runs in c->list, for -v. */
void scope_cost__log(const struct scope_calibration *c);
/* Stores the costs of all kinds of runs in c->shape and in the variables of the BPF programs. */
void scope_cost__store(struct scope_calibration *c);
/* Returns where the probes of @class are, for messages: "in programs". */
const char *scope_cost__name(enum scope_class class);

#endif
