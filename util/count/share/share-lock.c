// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/share-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/base/trusted-path.h"
#include "util/count/wakeups.h"

/* Only root can create files in this directory, so no other user can make the lock file. */
#define LOCK_DIR "/run"
#define LOCK_NAME "pstat.lock"
#define LOCK_FILE LOCK_DIR "/" LOCK_NAME
/* How long to wait if the holder of the lock is stopped or in an unknown state. */
#define LOCK_WAIT_NS (800 * NSEC_PER_MSEC)
/*
 * How long to wait for one holder that is running. A holder that makes shared counters needs about
 * 10 ms on an idle machine, and up to a hundred times as long on a busy machine.
 */
#define LOCK_WAIT_HOLDER_NS (60 * NSEC_PER_SEC)
/* How long to wait in total if several sessions hold the lock one after the other. */
#define LOCK_WAIT_ALL_NS (300 * NSEC_PER_SEC)
/* After this time, pstat prints why it is waiting. */
#define LOCK_QUIET_NS (5 * NSEC_PER_SEC)
#define LOCK_RETRY_US 2000
/*
 * The longest pause between two attempts. The pauses become longer, because frequent attempts by
 * many sessions slow down the holder.
 */
#define LOCK_RETRY_MAX_US 50000

static bool may_retry(int err)
{
	return err == -EWOULDBLOCK || err == -EACCES || err == -EINTR;
}

int share_lock__flock_within(int fd, uint64_t wait_ns)
{
	uint64_t end = clock__now() + wait_ns;
	int err;

	while ((err = flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0) && may_retry(err) &&
	       clock__now() < end)
		usleep(LOCK_RETRY_US);
	return err;
}

/*
 * Tries to take the lock. The lock is a record lock (fcntl(2)), because the kernel reports the
 * holder of a record lock.
 */
static int try_lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_SETLK, &whole) ? -errno : 0;
}

/*
 * Returns the id of the process that holds the lock, or 0 if no process holds the lock or the
 * holder has no id in pstat's PID namespace.
 */
static pid_t find_holder(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_GETLK, &whole) || whole.l_type == F_UNLCK)
		return 0;
	return whole.l_pid;
}

/* Returns whether the process is alive and not stopped. */
static bool is_at_work(pid_t pid)
{
	char path[32], text[1024] = "", *state;

	if (pid <= 0)
		return false;
	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	if (sysfs__read(sysroots__host()->procfs, path, text, sizeof(text)) < 0)
		return false;
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] && !strchr("TtZX", state[2]);
}

/* The state of a wait for the lock. */
struct turn {
	uint64_t start, end;
	uint64_t holder_since; /* when `holder` was first seen */
	pid_t holder;
	bool reported;
};

/*
 * Finds out who holds the lock, and extends the wait if the holder is running. Warns once if the
 * wait is long.
 */
static void watch_holder(struct turn *turn, int fd, uint64_t now)
{
	pid_t holder = find_holder(fd);

	if (holder != turn->holder) {
		turn->holder = holder;
		turn->holder_since = now;
	}
	if (is_at_work(holder) && now < turn->holder_since + LOCK_WAIT_HOLDER_NS)
		turn->end = now + LOCK_WAIT_NS;
	if (!turn->reported && holder && now > turn->start + LOCK_QUIET_NS) {
		turn->reported = true;
		pr_warn(LOCK_FILE
			": waiting for process %d, which looks for shared counters or makes them",
			(int)holder);
	}
}

/*
 * Waits for the lock. Waits only briefly for a holder that is stopped, because such a holder may
 * never release the lock. Waits longer for running holders, because many sessions may begin at the
 * same time and take the lock one after the other.
 */
static int take_turn(int fd, struct turn *turn)
{
	uint64_t now = clock__now();
	useconds_t retry = LOCK_RETRY_US;
	int err;

	*turn = (struct turn){ .start = now, .end = now + LOCK_WAIT_NS };
	while ((err = try_lock(fd)) && may_retry(err) && !wakeups__is_asked_to_end() &&
	       now < turn->end && now < turn->start + LOCK_WAIT_ALL_NS) {
		usleep(retry);
		retry = retry * 2 > LOCK_RETRY_MAX_US ? LOCK_RETRY_MAX_US : retry * 2;
		now = clock__now();
		watch_holder(turn, fd, now);
	}
	return err;
}

/* Refuses a lock file that other users can open, because these users could take the lock. */
static int check_lock(int fd, struct strbuf *why)
{
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	err = trusted_path__check(&st, LOCK_FILE, why);
	if (err || (S_ISREG(st.st_mode) && !(st.st_mode & (S_IRWXG | S_IRWXO))))
		return err;
	return reason__set(why, TRUSTED_PATH_REFUSED,
			   "%s is not a regular file that only its owner can open (mode %04o)",
			   LOCK_FILE, (unsigned int)(st.st_mode & 07777));
}

static int open_lock(struct strbuf *why)
{
	int directory = trusted_path__open_dir(LOCK_DIR, why), fd, err;

	if (directory < 0)
		return directory;
	fd = openat(directory, LOCK_NAME,
		    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	err = fd < 0 ? -errno : check_lock(fd, why);
	close(directory);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

static void report_no_turn(const struct turn *turn, int err)
{
	char who[64] = "a process of another pid namespace";

	if (wakeups__is_asked_to_end())
		return;
	if (turn->holder)
		snprintf(who, sizeof(who), "process %d", (int)turn->holder);
	if (may_retry(err))
		pr_warn(LOCK_FILE
			": %s has the lock, and is stopped or does not release it: this session "
			"continues without the lock, and may not share counters\n"
			"continue or end that process",
			who);
	else
		pr_warn(LOCK_FILE ": cannot lock the file: %s: this session continues without the "
				  "lock, and may not share counters",
			strerror(-err));
}

void share_lock__take(struct share_lock *lock)
{
	struct strbuf why = STRBUF_INIT;
	struct turn turn;
	int err;

	*lock = SHARE_LOCK_NONE;
	lock->fd = open_lock(&why);
	if (lock->fd == TRUSTED_PATH_REFUSED)
		pr_warn("%s: the lock " LOCK_FILE
			" is not used, and sessions that start at the same time may not share "
			"counters\nremove the file, and keep other users out of " LOCK_DIR,
			why.text);
	else if (lock->fd < 0)
		pr_info("%s: %s: continuing without this lock", LOCK_FILE, strerror(-lock->fd));
	strbuf__free(&why);
	err = lock->fd < 0 ? 0 : take_turn(lock->fd, &turn);
	if (err)
		report_no_turn(&turn, err);
}

void share_lock__release(struct share_lock *lock)
{
	if (lock->fd >= 0)
		close(lock->fd);
	*lock = SHARE_LOCK_NONE;
}
