/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event strings of --pfm-events. They consist of event names of libpfm4, separated by commas.
 * Braces enclose groups.
 */
#ifndef PSTAT_EVENT_PFM_EVENTS_H
#define PSTAT_EVENT_PFM_EVENTS_H

struct event_env;
struct evlist;
struct strbuf;

/*
 * Adds the events of @text to @evlist. Returns 0; -EINVAL if @text is malformed or libpfm4 refuses
 * an event; -ELIBACC if the library cannot be loaded; or -ENOMEM. After -EINVAL and -ELIBACC, @why
 * contains the reason. On error, @evlist is unchanged.
 */
int pfm_events__parse(struct evlist *evlist, const char *text, const struct event_env *env,
		      struct strbuf *why);

#endif
