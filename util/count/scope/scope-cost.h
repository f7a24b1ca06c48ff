/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes the costs of counting from the medians that a calibration measured, and stores them. */
#ifndef PSTAT_COUNT_SCOPE_COST_H
#define PSTAT_COUNT_SCOPE_COST_H

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct scope_calibration;

/* Computes the costs of @class from c->medians, and stores them in c->begins and c->ends. */
void scope_cost__set(struct scope_calibration *c, enum scope_class class);
/* With -v, prints the costs for each kind (SCOPE_KIND()) of the scopes in c->list. */
void scope_cost__log(const struct scope_calibration *c);
/*
 * Stores the costs of the first scope's kind in c->shape and, for --hist and --outliers, in
 * variables of the BPF programs. Other variables get the differences between the costs of each kind
 * and these costs.
 */
void scope_cost__store(struct scope_calibration *c);
/* Returns text for messages: where probes of @class are, for example "in programs". */
const char *scope_cost__name(enum scope_class class);

#endif
