// SPDX-License-Identifier: GPL-2.0-only
/*
 * run-cost [--times N] COMMAND...: runs COMMAND N times (default: 1), and prints a line `ns T busy
 * B kib M` for each run:
 *
 *	T	time in ns from the fork to the end of the command
 *	B	time in ns for which all CPUs together ran tasks of any process
 *	M	peak memory use in KiB of the command, or of one of the processes for which it
 *		waited
 *
 * The output of the command is discarded. If its exit status is not 0, run-cost prints the
 * command's standard error and exits with this status.
 *
 * On a machine with one CPU, T minus B is the time spent waiting, for example for a disk or for the
 * kernel's grace periods. run-cost needs little memory, because M includes the memory of the child
 * process before its exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "run-cost: %s: %s\n", what, strerror(errno));
	exit(126);
}

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/*
 * Returns the time in ns for which the CPUs have run tasks: the sum of the 7th numbers in the lines
 * of CPUs in /proc/schedstat (see the kernel's Documentation/scheduler/sched-stats.rst). The kernel
 * adds a task's time when the task stops running, so this function sleeps first. Returns 0 if the
 * kernel does not report it.
 */
static unsigned long long busy_ns(void)
{
	const struct timespec moment = { .tv_nsec = 1 };
	unsigned long long ns, sum = 0;
	char line[512];
	FILE *file;

	nanosleep(&moment, NULL);
	file = fopen("/proc/schedstat", "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu%*d %*u %*u %*u %*u %*u %*u %llu", &ns) == 1)
			sum += ns;
	if (file)
		fclose(file);
	return sum;
}

static void run_command(char **command, int out, int err)
{
	if (dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	execvp(command[0], command);
	fprintf(stderr, "run-cost: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

static void show_file(int fd)
{
	char text[4096];
	ssize_t len;

	lseek(fd, 0, SEEK_SET);
	while ((len = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)len, stderr);
}

/* Runs the command once and prints its cost. Returns the exit status. */
static int measure(char **command, int out, FILE *err)
{
	unsigned long long busy, start, ns;
	struct rusage usage;
	int status = 0;
	pid_t pid;

	if (ftruncate(fileno(err), 0) || lseek(fileno(err), 0, SEEK_SET))
		die("cannot empty the file for stderr");
	busy = busy_ns();
	start = now_ns();
	pid = fork();
	if (pid == 0)
		run_command(command, out, fileno(err));
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		die(command[0]);
	ns = now_ns() - start;
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (status)
		show_file(fileno(err));
	else
		printf("ns %llu busy %llu kib %ld\n", ns, busy_ns() - busy, usage.ru_maxrss);
	return status;
}

int main(int argc, char **argv)
{
	long times = 1;
	int out, status = 0;
	FILE *err;

	if (argc > 3 && !strcmp(argv[1], "--times")) {
		times = strtol(argv[2], NULL, 10);
		argv += 2;
	}
	if (!argv[1] || times < 1) {
		fprintf(stderr, "Usage: run-cost [--times N] COMMAND...\n");
		return 2;
	}
	out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	err = tmpfile();
	if (out < 0 || !err)
		die("cannot open /dev/null or a file for stderr");
	while (!status && times--)
		status = measure(argv + 1, out, err);
	return status;
}
