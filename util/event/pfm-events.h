/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event strings of --pfm-events: names as libpfm knows them, separated by commas, in groups with
 * braces.
 */
#ifndef PSTAT_EVENT_PFM_EVENTS_H
#define PSTAT_EVENT_PFM_EVENTS_H

struct event_env;
struct evlist;
struct strbuf;

/*
 * Adds the events of @text to @evlist. Returns 0; -EINVAL if it cannot be taken and -ELIBACC if
 * there is no library, with the reason in @why; -ENOMEM. On failure @evlist is as it was.
 */
int parse_pfm_events(struct evlist *evlist, const char *text, const struct event_env *env, struct strbuf *why);

#endif
