// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/pin.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/wakeups.h"

#define BPFFS "/sys/fs/bpf"
/* Beside root nobody can have it, so nobody but root can hold it. */
#define LOCK_FILE "/run/pstat.lock"
#define LOCK_WAIT_NS (800 * NSEC_PER_MSEC)
/* … and as long as who holds it is at work, when many begin at once */
#define LOCK_WAIT_ALL_NS (20 * NSEC_PER_SEC)
#define LOCK_RETRY_US 2000
/* many that ask often would take the CPU from the one that has it */
#define LOCK_RETRY_MAX_US 50000

/* ---- where to pin ---- */

/* 1: yes, 0: no, or -errno. */
static int is_bpffs(const char *directory)
{
	struct statfs fs;

	return statfs(directory, &fs) ? -errno : (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

int pin__check_dir(const char *path, struct strbuf *why)
{
	char copy[PATH_MAX];
	const char *directory;
	int err, found;

	snprintf(copy, sizeof(copy), "%s", path);
	directory = dirname(copy);
	found = is_bpffs(directory);
	if (found > 0)
		return 0;
	/* not to be mounted over: what is pinned there would be hidden */
	if (found < 0) {
		err = found;
		strbuf__addf(why, "%s: %s", directory, strerror(-err));
		return err;
	}
	if (strcmp(directory, BPFFS) != 0) {
		strbuf__addf(why,
			     "%s is on no BPF file system, and only there maps can be pinned\nname a path below " BPFFS,
			     directory);
		return -EINVAL;
	}
	if (!mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=700")) {
		pr_info("mounted a BPF file system at " BPFFS);
		return 0;
	}
	err = -errno;
	strbuf__addf(why,
		     "no BPF file system is mounted at " BPFFS ", and it cannot be (%s)\nrun: mount -t bpf bpf " BPFFS,
		     strerror(-err));
	return err;
}

/* ---- one at a time ---- */

static int try_flock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
}

static bool may_retry(int err)
{
	return err == -EWOULDBLOCK || err == -EINTR;
}

int pin_lock__flock_within(int fd, uint64_t wait_ns)
{
	uint64_t end = clock__now() + wait_ns;
	int err;

	while ((err = try_flock(fd)) && may_retry(err) && clock__now() < end)
		usleep(LOCK_RETRY_US);
	return err;
}

/*
 * The lock file has the id of the session that holds it; 0 when nobody does, or somebody else. A program that counts itself (libpstat-self)
 * is not to be ended by SIGXFSZ where RLIMIT_FSIZE forbids the write.
 */
static void note_holder(int fd, pid_t pid)
{
	struct timespec at_once = { 0 };
	sigset_t file_size, old;
	int err;

	sigemptyset(&file_size);
	sigaddset(&file_size, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &file_size, &old);
	err = pwrite(fd, &pid, sizeof(pid), 0) == (ssize_t)sizeof(pid) ? 0 : -errno;
	if (err == -EFBIG)
		sigtimedwait(&file_size, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		pr_debug(LOCK_FILE ": %s", strerror(-err));
}

/* Does the session that holds the lock go on? One that was stopped does not, nor is one that is gone of any use. */
static bool holder_works(int fd)
{
	char path[32], text[1024] = "", *state;
	pid_t pid = 0;

	if (pread(fd, &pid, sizeof(pid), 0) != (ssize_t)sizeof(pid) || pid <= 0)
		return false;
	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	if (sysfs__read(sysroots__host()->procfs, path, text, sizeof(text)) < 0)
		return false;
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] && !strchr("TtZX", state[2]);
}

/* Many sessions may begin at once, on few CPUs: each has its turn. Whoever stands still with the lock is not waited for. */
static int take_turn(int fd)
{
	uint64_t now = clock__now(), last = now + LOCK_WAIT_ALL_NS, end = now + LOCK_WAIT_NS;
	useconds_t retry = LOCK_RETRY_US;
	int err;

	while ((err = try_flock(fd)) && may_retry(err) && !wakeups__is_asked_to_end() && now < last && now < end) {
		usleep(retry);
		retry = retry * 2 > LOCK_RETRY_MAX_US ? LOCK_RETRY_MAX_US : retry * 2;
		now = clock__now();
		if (holder_works(fd))
			end = now + LOCK_WAIT_NS;
	}
	if (!err)
		note_holder(fd, getpid());
	return err;
}

void pin_lock__take(struct pin_lock *lock)
{
	*lock = PIN_LOCK_NONE;
	lock->fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock->fd < 0)
		pr_info("%s: %s: going on without this lock", LOCK_FILE, strerror(errno));
	else if (!take_turn(lock->fd))
		lock->has_turn = true;
	else
		pr_info("%s: held by another pstat: going on without this lock", LOCK_FILE);
}

void pin_lock__release(struct pin_lock *lock)
{
	if (lock->has_turn)
		note_holder(lock->fd, 0);
	if (lock->fd >= 0)
		close(lock->fd);
	*lock = PIN_LOCK_NONE;
}
