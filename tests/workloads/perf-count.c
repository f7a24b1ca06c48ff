// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-count EVENT COMMAND...: counts one event from the COMMAND's exec to its end, children included, by the kernel's
 * plain interface: one perf_event_open(2), one read(2). So it is a yardstick for what counts in other ways. Prints
 * `EVENT COUNT` on stderr and exits with the COMMAND's status.
 *
 * EVENT is a name of the table below, with :u or :k to count in one mode only.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

static const struct event {
	const char *name;
	__u32 type;
	__u64 config;
} events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
};

/* False if there is no such event. */
static bool parse_event(const char *text, struct perf_event_attr *attr)
{
	const char *modifier = strchrnul(text, ':');
	size_t i, len = modifier - text;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strlen(events[i].name) != len || strncmp(events[i].name, text, len))
			continue;
		attr->type = events[i].type;
		attr->config = events[i].config;
		attr->exclude_kernel = !strcmp(modifier, ":u");
		attr->exclude_user = !strcmp(modifier, ":k");
		return !*modifier || attr->exclude_kernel || attr->exclude_user;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1, .enable_on_exec = 1, .inherit = 1 };
	int fd, status;
	__u64 count;
	pid_t pid;

	if (argc < 3 || !parse_event(argv[1], &attr)) {
		fprintf(stderr, "Usage: perf-count EVENT[:u|:k] COMMAND...\n");
		return 2;
	}
	/* Inherited by the child, and the parent never execs: so it counts the child only. */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "perf-count: %s: %s\n", argv[1], strerror(errno));
		return 126;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "perf-count: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || read(fd, &count, sizeof(count)) != sizeof(count)) {
		fprintf(stderr, "perf-count: %s: %s\n", argv[2], strerror(errno));
		return 126;
	}
	fprintf(stderr, "%s %llu\n", argv[1], (unsigned long long)count);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
