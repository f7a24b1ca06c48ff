/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the event of a struct pstat_self_config. */
#ifndef PSTAT_SELF_EVENT_H
#define PSTAT_SELF_EVENT_H

struct evlist;
struct pstat_self_config;

/*
 * Parses the event of @config. The caller frees *@evlist. Returns 0, or -errno after logging the
 * reason.
 */
int self_event__parse(const struct pstat_self_config *config, struct evlist **evlist);

#endif
