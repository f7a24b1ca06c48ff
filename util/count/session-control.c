// SPDX-License-Identifier: GPL-2.0-only
/* The commands of --control: enable, disable, evlist, stop and ping. */
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/control.h"
#include "util/count/groups.h"
#include "util/count/session-priv.h"
#include "util/count/stat-config.h"
#include "util/count/wakeups.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

int session__open_control(struct session *s)
{
	struct strbuf why = STRBUF_INIT;
	int err;

	err = control__open(s->cfg->control, &s->control, &why);
	reason__set(&s->why, err, "--control: %s", reason__text(&why, err));
	strbuf__free(&why);
	return err;
}

/*
 * Enables or disables all events. With -I, also ends the current interval, because an interval must
 * not contain both enabled and disabled time. During the delay of -D, also cancels the delay, but
 * does not end an interval. Returns 0 or -errno.
 */
static int switch_events(struct session *s, bool on)
{
	bool intervals = s->cfg->interval_ns, delayed = s->cfg->delay_ns && !s->was_enabled;
	int err = 0;

	if (delayed) {
		wakeups__cancel_delay(s->wakeups);
		if (on)
			return session__end_delay(s);
		intervals = false;
	}
	if (on && intervals && session__has_counted(s))
		err = session__serve_interval(s);
	err = err ?: on ? session__enable(s) : groups__disable(s->groups);
	if (err)
		return err;
	log__plain(on ? "Events enabled\n" : "Events disabled\n");
	if (on || !intervals)
		return 0;
	session__note_stop(s);
	return session__serve_interval(s);
}

/*
 * Enables or disables all events if @name is NULL, or if all events have the name @name. If no
 * event has this name, or only some of the events have it, prints a message instead. (pstat cannot
 * enable or disable only some of the events.) Returns 0 or -errno.
 */
static int switch_named(struct session *s, const char *name, bool on)
{
	const struct evsel *evsel, *found = NULL;
	int named = 0;

	evlist__for_each(s->evlist, evsel) {
		if (!name || !evsel__has_name(evsel, name))
			continue;
		found = found ?: evsel;
		named++;
	}
	if (!name || (named && named == s->evlist->nr))
		return switch_events(s, on);
	if (named)
		pr_warn("--control: event %d: a single event cannot be enabled or disabled if "
			"pstat counts several events\nsend the command without a name",
			found->idx + 1);
	else
		log__plain("failed: can't find '%s' event\n", name);
	return 0;
}

int session__serve_control(struct session *s, struct session_end *end)
{
	enum control_command command;
	int err = 0;

	control__read(s->control);
	while (!err && !end->stopped && (command = control__next(s->control)) != CONTROL_NONE) {
		switch (command) {
		case CONTROL_ENABLE:
		case CONTROL_DISABLE:
			err = switch_named(s, control__argument(s->control),
					   command == CONTROL_ENABLE);
			break;
		case CONTROL_EVLIST:
			control_evlist__answer(s->evlist, s->cfg, control__argument(s->control));
			break;
		case CONTROL_STOP:
			end->stopped = true;
			break;
		case CONTROL_CLOSED:
			wakeups__watch_control(s->wakeups, -1);
			return 0;
		case CONTROL_PING:
		case CONTROL_NONE:
			break;
		}
		if (!err)
			control__ack(s->control);
	}
	return err;
}
