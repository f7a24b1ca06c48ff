// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/bounded-child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/close-others.h"
#include "util/base/interrupt.h"

#define NOBODY 65534
/* Interval at which the waiting parent checks for signals. */
#define POLL_MSEC 10

int bounded_child__start(struct bounded_child *child, void (*run)(int socket, void *arg), void *arg)
{
	int sockets[2], err = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	fflush(NULL); /* otherwise the child could write buffered output a second time */
	child->pid = fork();
	if (!child->pid)
		run(sockets[1], arg);
	if (child->pid < 0) {
		err = -errno;
		child->pid = 0;
	}
	child->socket = sockets[0];
	close(sockets[1]);
	if (err)
		bounded_child__end(child);
	return err;
}

int bounded_child__end(struct bounded_child *child)
{
	int status = 0;

	if (child->socket >= 0)
		close(child->socket);
	if (child->pid > 0) {
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	*child = (struct bounded_child)BOUNDED_CHILD_INIT;
	return status;
}

int bounded_child__receive(const struct bounded_child *child, void *to, size_t size,
			   uint64_t wait_ns)
{
	uint64_t begun = clock__now();
	size_t got = 0;

	while (got < size) {
		struct pollfd ready = { .fd = child->socket, .events = POLLIN };
		ssize_t n;

		if (interrupt__is_due())
			return -EINTR;
		/*
		 * check the time even if data arrives, because the child could send one byte at a
		 * time
		 */
		if (clock__now() - begun > wait_ns)
			return -ETIMEDOUT;
		if (poll(&ready, 1, POLL_MSEC) <= 0)
			continue;
		n = read(child->socket, (char *)to + got, size - got);
		if (n <= 0 && (n == 0 || errno != EINTR))
			return -EPIPE;
		got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* ---- in the child ---- */

static void set_limit(__rlimit_resource_t what, rlim_t limit)
{
	struct rlimit now;

	if (getrlimit(what, &now))
		return;
	if (now.rlim_max == RLIM_INFINITY || now.rlim_max > limit)
		setrlimit(what, &(struct rlimit){ limit, limit });
}

/*
 * Limits the CPU time. At the soft limit, SIGXCPU ends the child, and the parent can see the reason
 * in the child's status. At the hard limit, the kernel sends SIGKILL, which does not show the
 * reason, so the hard limit is one second higher.
 */
static void set_cpu_limit(rlim_t seconds)
{
	struct rlimit now;
	sigset_t set;

	set_limit(RLIMIT_CPU, seconds + 1);
	if (!getrlimit(RLIMIT_CPU, &now) && now.rlim_cur > seconds)
		setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, now.rlim_max });
	signal(SIGXCPU, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGXCPU);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static rlim_t address_space_now(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (file) {
		if (fscanf(file, "%llu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/*
 * Connects standard input, output and error to /dev/null. Closes all other inherited descriptors,
 * such as the parent's counters and maps, except the @nr descriptors in @kept.
 */
static void keep_only(const int *kept, int nr)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	close_others(3, kept, nr);
}

/*
 * Sets the limits and gives up all privileges. Afterwards, the child cannot open files, because
 * RLIMIT_NOFILE is 0.
 */
static void give_up_privileges(rlim_t address_space, rlim_t cpu_seconds)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	set_limit(RLIMIT_AS, address_space);
	set_cpu_limit(cpu_seconds);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_NOFILE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/*
	 * without CAP_SETUID, or in a user namespace that does not map the ids of nobody, the child
	 * keeps its user id, but still loses its capabilities
	 */
	if (!geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY) && setresgid(0, 0, 0))
		_exit(0); /* do not continue as root with the group nobody */
	syscall(SYS_capset, &header, none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

void bounded_child__confine(const int *kept, int nr, const struct bounded_limits *limits)
{
	rlim_t address_space = address_space_now() + limits->memory;

	keep_only(kept, nr);
	give_up_privileges(address_space, limits->cpu_seconds);
}

void bounded_child__send(int socket, const void *data, size_t size)
{
	for (size_t sent = 0; sent < size;) {
		ssize_t n = write(socket, (const char *)data + sent, size - sent);

		if (n <= 0)
			_exit(0);
		sent += (size_t)n;
	}
}
