// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/count-end.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "builtin/builtin.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/session.h"

int count_end__exec_failed(const char *name, int err)
{
	pr_err("%s: cannot be run: %s", log__value(name), strerror(-err));
	return err == -ENOENT ? 127 : 126;
}

int count_end__failed(const struct session_end *end)
{
	return end->no_target ? EXIT_USAGE : EXIT_FAILED;
}

void count_end__report_loss(const char *name, const struct exec_loss *loss, const char *advice,
			    enum log_level level)
{
	double used = (double)loss->cpu_ns / NSEC_PER_MSEC,
	       counted = (double)loss->counted_ns / NSEC_PER_MSEC;

	if (!loss->found)
		return;
	if (loss->change != EXEC_SAME)
		log__print(level,
			   "%s: not counted: the kernel removes the events of a process that "
			   "executes %s\n%s",
			   name, exec_change__name(loss->change), advice);
	else
		log__print(level,
			   "%s: used the CPU for %.2f ms, but only %.2f ms of this were counted: "
			   "the kernel removes the events of a process that executes a setuid, "
			   "setgid or unreadable program\n"
			   "%s",
			   name, used, counted, advice);
}

void count_end__report_missed(uint64_t intervals, enum log_level level)
{
	if (intervals)
		log__print(level,
			   "%" PRIu64 " intervals were missed, because pstat was late by more than "
			   "an interval: use longer intervals (-I)",
			   intervals);
}

int count_end__command_code(const char *name, const struct session_end *end, bool quiet)
{
	int status = end->command_status;

	if (!end->command_ended)
		return 0;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (!quiet) {
		struct strbuf clean = STRBUF_INIT;

		strbuf__add_clean(&clean, name);
		psignal(WTERMSIG(status), clean.text);
		strbuf__free(&clean);
	}
	/* 0 if pstat sent the signal (--timeout, or the command `stop` of --control) */
	if ((end->timed_out || end->stopped) && WTERMSIG(status) == SIGTERM)
		return 0;
	return 128 + WTERMSIG(status);
}

int count_end__fatal_signal(const struct session_end *end)
{
	int status = end->command_status;

	if (end->command_ended && !(WIFSIGNALED(status) && WTERMSIG(status) == end->signal))
		return 0;
	return end->signal;
}

void count_end__die_of(int sig)
{
	signal(sig, SIG_DFL);
	raise(sig);
}
