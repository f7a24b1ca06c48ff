// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/count/control.h"
#include "util/count/gate.h"
#include "util/count/groups.h"
#include "util/count/last-close.h"
#include "util/count/measurement.h"
#include "util/count/session-command.h"
#include "util/count/session-priv.h"
#include "util/count/stat-config.h"
#include "util/count/wakeups.h"

/* The time between two calls to groups__tend(). */
#define ROUND_NS (100 * NSEC_PER_MSEC)

/*
 * Prints why a function of session.h fails with @err, and perf's text if there is one. Omits the
 * reason if the sink has printed one, or if the error was caused by a signal that will end pstat.
 */
static void print_reason(struct session *s, int err)
{
	bool printed = s->sink_failed || (err == -EINTR && wakeups__is_asked_to_end());

	if (s->perf_words.len)
		log__plain_at(LOG_ERROR, "Error:\n%s\n", s->perf_words.text);
	if (!printed)
		pr_err("%s", reason__text(&s->why, err));
	strbuf__reset(&s->perf_words);
	strbuf__reset(&s->why);
}

int session__new(const struct evlist *evlist, const struct stat_config *cfg,
		 struct session **session)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	*session = NULL;
	if (!s)
		return log__out_of_memory();
	s->evlist = evlist;
	s->cfg = cfg;
	s->why = s->perf_words = (struct strbuf)STRBUF_INIT;
	err = wakeups__new(&s->why, &s->wakeups);
	if (cfg->control)
		err = err ?: session__open_control(s);
	err = err ?: groups__new(evlist, cfg, &s->why, &s->perf_words, &s->groups);
	if (err) {
		print_reason(s, err);
		session__free(s);
		return err;
	}
	s->measurement = groups__measurement(s->groups);
	s->command = (struct session_command){ .cfg = cfg,
					       .argv = cfg->argv,
					       .evlist = evlist,
					       .groups = s->groups,
					       .wakeups = s->wakeups,
					       .why = &s->why };
	*session = s;
	return 0;
}

const struct measurement *session__measurement(const struct session *s)
{
	return s->measurement;
}

const sigset_t *session__signal_mask(const struct session *s)
{
	return wakeups__old_mask(s->wakeups);
}

int session__pending_signal(struct session *s)
{
	return wakeups__pending_signal(s->wakeups);
}

/* ---- a repetition begins ---- */

static int watch(struct session *s)
{
	int err = 0;

	wakeups__reset(s->wakeups);
	if (s->control)
		wakeups__watch_control(s->wakeups, control__fd(s->control));
	if (s->cfg->threads && !s->cfg->all_threads && !s->command.workload)
		err = wakeups__watch_threads(s->wakeups, s->cfg->threads);
	return reason__set(&s->why, err, "cannot wait for the end of the threads: %s",
			   strerror(-err));
}

int session__enable(struct session *s)
{
	s->was_enabled = true;
	return groups__enable(s->groups);
}

/*
 * Starts the timers for the time limit and for the intervals. With --start or --stop,
 * session__follow_gate() starts the interval timer instead. As in perf, the time limit starts now
 * and not at start_ns. The exec of a command comes after start_ns, and its events count only from
 * the exec on. Returns 0 or -errno.
 */
static int start_timers(struct session *s)
{
	uint64_t interval_ns = s->cfg->points ? 0 : s->cfg->interval_ns;
	int err = wakeups__start_timers(s->wakeups, s->measurement->start_ns, interval_ns, 0);

	return err ?: wakeups__start_timers(s->wakeups, clock__now(), 0, s->cfg->timeout_ns);
}

/*
 * Enables the events. Starts measuring the time only afterwards, as perf does, because enabling
 * hundreds of events takes many ms. Returns 0 or -errno.
 */
static int begin_count(struct session *s)
{
	int err = session__enable(s);

	s->measurement->start_ns = clock__now();
	return err;
}

int session__end_delay(struct session *s)
{
	int err;

	wakeups__cancel_delay(s->wakeups);
	err = begin_count(s);
	if (err)
		return err;
	log__plain("Events enabled\n");
	return start_timers(s);
}

static int start_delay(struct session *s)
{
	return wakeups__start_delay(s->wakeups, s->measurement->start_ns + s->cfg->delay_ns);
}

static int start_rounds(struct session *s)
{
	return groups__need_tending(s->groups) ? wakeups__start_rounds(s->wakeups, ROUND_NS) : 0;
}

/* Returns whether a signal has arrived. If so, cancels the command. */
static bool is_cancelled(struct session *s, struct session_end *end)
{
	end->signal = wakeups__pending_signal(s->wakeups);
	s->ended_by_signal = s->was_signalled = end->signal;
	/*
	 * end the command's process now: it has copies of fds that the previous repetition kept
	 * open, so the events would otherwise stay open after pstat has closed its fds
	 */
	if (end->signal)
		session_command__cancel(&s->command);
	return end->signal;
}

/*
 * Enables all events, unless they are enabled later (-D, --control), and starts the command and the
 * timers. If the command cannot be executed, sets @end->exec_err. Returns 0 or -errno.
 */
static int session__start(struct session *s, struct session_end *end)
{
	bool later = s->cfg->delay_ns || s->cfg->start_disabled;
	int err = 0;

	s->was_enabled = s->complete = s->ended_by_signal = s->was_signalled = false;
	s->intervals = s->measurement->time_ns = s->measurement->lost_runs = 0;
	s->stops = 0;
	s->ticks = false;
	s->measurement->start_ns = clock__now();
	if (later)
		log__plain("Events disabled\n");
	else
		err = begin_count(s);
	err = err ?: start_rounds(s);
	if (err)
		return err;
	/* if a signal arrived while the events were being opened, do not start the command */
	if (is_cancelled(s, end))
		return 0;
	err = session_command__start(&s->command, &end->exec_err);
	/* if a signal interrupted the exec, the repetition ends without an error */
	if (end->exec_err == -EINTR && is_cancelled(s, end)) {
		end->exec_err = 0;
		return 0;
	}
	if (err || end->exec_err)
		return err;
	return s->cfg->delay_ns ? start_delay(s) : start_timers(s);
}

/* ---- while pstat counts ---- */

/*
 * Returns whether @sig ends the repetition. @earlier is the previous signal, or 0. On Ctrl-C, the
 * terminal sends SIGINT to the command too, and pstat should count until the command exits. So, as
 * in perf, the first SIGINT does not end the repetition if there is a command and -I is not set.
 */
static bool signal_ends(const struct session *s, int sig, int earlier)
{
	return sig != SIGINT || earlier || !s->command.workload || s->cfg->interval_ns;
}

static bool serve_signal(struct session *s, struct session_end *end)
{
	int sig = wakeups__signal(s->wakeups);
	bool ends = signal_ends(s, sig, end->signal);

	end->signal = sig;
	s->was_signalled = true;
	s->ended_by_signal = ends;
	return ends;
}

/*
 * Reports an interval. If the time limit or --interval-count is reached, sets s->complete, because
 * this interval is the last one. Returns 0 or -errno.
 */
static int serve_tick(struct session *s, struct session_end *end)
{
	int err = session__serve_interval(s);

	end->timed_out = s->cfg->timeout_ns && s->measurement->time_ns >= s->cfg->timeout_ns;
	s->complete = ++s->intervals == s->cfg->interval_count || end->timed_out;
	return err;
}

/*
 * Lets the backends do their pending work. With -I, reports an interval if a point of --stop has
 * closed the gate. Returns 0 or -errno.
 */
static int serve_backend(struct session *s, struct session_end *end)
{
	bool ended = false;
	int err = groups__serve(s->groups);

	err = err ?: session__follow_gate(s, &ended);
	return err || !ended ? err : serve_tick(s, end);
}

/*
 * Handles the wakeups in @found, except those that session__loop() handles itself. Returns 0 or
 * -errno.
 */
static int serve(struct session *s, int found, struct session_end *end)
{
	int err = 0;

	if (found & WAKEUP_CPUS)
		err = groups__follow_cpus(s->groups);
	if (!err && (found & WAKEUP_BACKEND))
		err = serve_backend(s, end);
	if (!err && (found & WAKEUP_ROUND))
		err = groups__tend(s->groups);
	if (!err && (found & WAKEUP_DELAY))
		err = session__end_delay(s);
	if (!err && !s->complete && (found & WAKEUP_INTERVAL) && session__has_counted(s))
		err = serve_tick(s, end);
	if (!err && !s->complete && (found & WAKEUP_SINK))
		err = session__serve_sink(s);
	if (!err && !s->complete && (found & WAKEUP_CONTROL))
		err = session__serve_control(s, end);
	return err;
}

/* Handles wakeups until one of them ends the repetition. Updates @end. Returns 0 or -errno. */
static int session__loop(struct session *s, struct session_end *end)
{
	for (;;) {
		int found = wakeups__wait(s->wakeups), err;

		if (found < 0)
			return found;
		end->command_ended = found & WAKEUP_COMMAND;
		/*
		 * handle a signal even if the command has ended: the signal may also have ended the
		 * command, and pstat must not start another repetition after a signal
		 */
		if (((found & WAKEUP_SIGNAL) && serve_signal(s, end)) || end->command_ended)
			return 0;
		err = serve(s, found, end);
		end->timed_out |= found & WAKEUP_TIMEOUT;
		if (err || s->complete || end->stopped ||
		    (found & (WAKEUP_TIMEOUT | WAKEUP_TARGETS)))
			return err;
	}
}

/* ---- a repetition ends ---- */

/*
 * Waits for the end of the command. Does not wait if a signal ended the repetition and the command
 * is still running. Returns 0 or -errno.
 */
static int end_command(struct session *s, struct session_end *end)
{
	return s->ended_by_signal && !end->command_ended ? 0 :
							   session_command__end(&s->command, end);
}

/*
 * Closes the events, or suspends the groups if another repetition follows immediately. Called
 * before pstat waits for the end of the command, because the command may still run for a long time.
 */
static void close_groups(struct session *s, const struct session_end *end)
{
	bool waits = s->command.workload && !end->command_ended;

	if (s->more_runs && !waits && !end->signal)
		groups__suspend(s->groups);
	else
		groups__close(s->groups);
}

/*
 * Reads the counts one last time, disables the events, reports the last interval, closes the
 * events, and waits for the command. Returns 0 or -errno.
 */
static int session__finish(struct session *s, struct session_end *end)
{
	const struct gate *gate;
	int err = 0;

	/* reap the command before reading the counts, which include the command's CPU time */
	if (end->command_ended)
		err = end_command(s, end);
	/* discard a second signal, which would interrupt the code that reads samples and symbols */
	if (end->signal && s->cfg->sampling)
		session__pending_signal(s);
	err = err ?: session__take_reading(s);
	gate = groups__gate(s->groups);
	end->never_started = !err && gate && !gate->opened;
	end->total = err ? NULL : s->measurement;
	err = err ?: groups__stop(s->groups);
	if (!err && s->cfg->interval_ns && !s->complete && session__has_open_interval(s))
		err = session__hand_over(s);
	end->missed_intervals = wakeups__missed(s->wakeups);
	wakeups__watch_backend(s->wakeups, -1);
	wakeups__watch_cpus(s->wakeups, -1);
	wakeups__watch_sink(s->wakeups, -1);
	/* read no more commands of --control */
	wakeups__watch_control(s->wakeups, -1);
	if (!err)
		close_groups(s, end);
	if (!err && !end->command_ended)
		err = end_command(s, end);
	end->never_enabled = !s->was_enabled;
	end->loss = s->command.loss;
	return err;
}

/*
 * @err is the result of groups__open(). Returns whether `pstat why` can explain the error better
 * than the error message does. If the user lacks privileges, the message is already complete.
 */
static bool is_refusal(int err)
{
	if ((err == -EACCES || err == -EPERM) && !privileges__allow_events())
		return false;
	return err && err != -ESTALE && err != -ENOMEM && err != -EMFILE && err != -ENFILE;
}

int session__run(struct session *s, const struct session_sink *sink, struct session_end *end)
{
	int err;

	*end = (struct session_end){};
	s->sink = sink;
	s->runs = (struct session_sink){ .ctx = s, .run = session__hand_over_run };
	s->sink_failed = false;
	err = session_command__make(&s->command);
	err = err ?: watch(s);
	if (!err) {
		err = groups__open(s->groups, s->command.thread ?: s->cfg->threads, &s->runs);
		end->no_target = err == -ESTALE;
		end->is_refused = is_refusal(err);
	}
	/* a CPU may have gone offline or come online while the events were being opened */
	err = err ?: groups__follow_cpus(s->groups);
	if (!err) {
		wakeups__watch_backend(s->wakeups, groups__wake_fd(s->groups));
		wakeups__watch_cpus(s->wakeups, groups__cpus_fd(s->groups));
		if (sink->wake_fd)
			wakeups__watch_sink(s->wakeups, sink->wake_fd(sink->ctx));
	}
	err = err ?: session__start(s, end);
	if (!err && !end->exec_err) {
		if (!end->signal)
			err = session__loop(s, end);
		err = err ?: session__finish(s, end);
	}
	if (err)
		print_reason(s, err);
	/* if there was no error, session__finish() has already closed or suspended the groups */
	if (err || end->exec_err)
		groups__close(s->groups);
	session_command__drop(&s->command, err, end->signal);
	return err;
}

void session__set_command(struct session *s, char *const *argv)
{
	s->command.argv = argv;
}

void session__set_more_runs(struct session *s, bool more_runs)
{
	s->more_runs = more_runs;
}

int session__end(struct session *s, enum log_level level)
{
	groups__close(s->groups);
	/* write out the buffered counts before pstat waits, and before a signal ends pstat */
	fflush(NULL);
	if (!last_close__nr())
		return 0;
	/* after a signal, do not wait, because the sender of the signal expects pstat to end */
	return session_close(s->wakeups, !s->was_signalled, level);
}

void session__free(struct session *s)
{
	if (!s)
		return;
	groups__free(s->groups);
	session_command__drop(&s->command, false, 0);
	if (s->control)
		control__close(s->control);
	wakeups__free(s->wakeups);
	strbuf__free(&s->perf_words);
	strbuf__free(&s->why);
	free(s);
}
