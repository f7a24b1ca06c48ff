// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-count EVENT[,EVENT]... COMMAND...: counts events from the exec of COMMAND to its end,
 * including its children. It uses only one perf_event_open(2) and one read(2) for each event, and
 * tests compare other counts with its counts. Prints a line `EVENT COUNT` for each event on
 * standard error, and exits with the status of COMMAND.
 *
 * EVENT is a name in event-name.h, or `write`. `write` is a breakpoint on a variable that
 * perf-count never writes. :u or :k limits the event to user space or to the kernel.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "tests/workloads/event-name.h"

#define MAX_COUNTERS 8

static int watched;

/*
 * Fills @attr with the event whose name is the first @len characters of @text. Returns false if
 * there is no such event.
 */
static bool find_event(struct perf_event_attr *attr, const char *text, size_t len)
{
	const struct event_name *event = event_name__find(text, len);

	if (len == strlen("write") && !strncmp(text, "write", len)) {
		attr->type = PERF_TYPE_BREAKPOINT;
		attr->bp_type = HW_BREAKPOINT_W;
		attr->bp_addr = (unsigned long)&watched;
		attr->bp_len = HW_BREAKPOINT_LEN_4;
		return true;
	}
	if (event) {
		attr->type = event->type;
		attr->config = event->config;
	}
	return event;
}

static int open_event(const char *text)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .disabled = 1, .enable_on_exec = 1, .inherit = 1
	};
	const char *modifier = strchrnul(text, ':');
	bool found = find_event(&attr, text, modifier - text);
	int fd;

	attr.exclude_kernel = !strcmp(modifier, ":u");
	attr.exclude_user = !strcmp(modifier, ":k");
	if (!found || (*modifier && !attr.exclude_kernel && !attr.exclude_user)) {
		fprintf(stderr, "perf-count: no such event: %s\n", text);
		exit(2);
	}
	/*
	 * The event counts only in the child: the child inherits the event, and its exec enables
	 * it. The parent never calls exec.
	 */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "perf-count: %s: %s\n", text, strerror(errno));
		exit(126);
	}
	return fd;
}

static int run_command(char **command)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(command[0], command);
		fprintf(stderr, "perf-count: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		fprintf(stderr, "perf-count: %s: %s\n", command[0], strerror(errno));
		exit(126);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const char *names[MAX_COUNTERS];
	int fds[MAX_COUNTERS], nr = 0, i, status;
	char *name;

	if (argc < 3) {
		fprintf(stderr, "Usage: perf-count EVENT[:u|:k][,EVENT]... COMMAND...\n");
		return 2;
	}
	for (name = strtok(argv[1], ","); name && nr < MAX_COUNTERS; name = strtok(NULL, ",")) {
		names[nr] = name;
		fds[nr++] = open_event(name);
	}
	status = run_command(argv + 2);
	for (i = 0; i < nr; i++) {
		__u64 count;

		if (read(fds[i], &count, sizeof(count)) != sizeof(count)) {
			fprintf(stderr, "perf-count: %s: cannot read: %s\n", names[i],
				strerror(errno));
			return 126;
		}
		fprintf(stderr, "%s %llu\n", names[i], (unsigned long long)count);
	}
	return status;
}
