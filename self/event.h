/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program asks for, as an event of pstat's. */
#ifndef PSTAT_SELF_EVENT_H
#define PSTAT_SELF_EVENT_H

struct evlist;
struct pstat_self_config;

/* The one event of @config, in an evlist that the caller frees. 0 or -errno, told. */
int self_event__parse(const struct pstat_self_config *config, struct evlist **evlist);

#endif
