// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-smi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/base/trusted-path.h"

#define FREEZE_ON_SMI "bus/event_source/devices/cpu/freeze_on_smi"

int stat_smi__check(void)
{
	uint64_t value;

	if (!sysfs__read_u64(sysroots__host()->sysfs, FREEZE_ON_SMI, &value))
		return 0;
	log__plain_at(LOG_ERROR, "freeze_on_smi is not supported.\n");
	return EXIT_CONFLICT;
}

/* ---- the sessions that use the setting ---- */

/*
 * Of the sessions that use --smi-cost, the last one to end switches the setting off. To find out
 * which session is the last one, the sessions share the file /run/pstat-smi.lock:
 *
 *	content "1"	a session switched the setting on, so the last session switches it off
 *	byte 0		locked while a session begins or ends
 *	byte 1		locked (shared) by each session that counts
 *
 * If SIGKILL ends a session, the kernel releases its locks, and the content remains. So a later
 * session can still switch the setting off. If the file cannot be used, pstat warns, and each
 * session acts as if it were the only one.
 */

/* Only root can create files in this directory. */
#define LOCK_DIR "/run"
#define LOCK_NAME "pstat-smi.lock"

enum byte {
	BYTE_CHANGE,
	BYTE_USERS,
};

/*
 * The maximum time to wait for the lock on byte 0 is WAIT_ROUNDS pauses of WAIT_NS each. After this
 * time, pstat continues without the lock, because a session that was stopped (SIGSTOP) may hold it.
 */
#define WAIT_ROUNDS 100
#define WAIT_NS 10000000

/* The fd of the lock file; negative if the file is not open. Signal handlers use the fd, too. */
static int file = -1;

/*
 * Takes or releases a lock without waiting. If the session already has a lock on this byte, the new
 * lock replaces it. Returns 0 or -errno.
 */
static int lock(short type, enum byte byte)
{
	struct flock range = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

	return fcntl(file, F_OFD_SETLK, &range) ? -errno : 0;
}

static void wait_for_change(void)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };

	for (int i = 0; i < WAIT_ROUNDS && lock(F_WRLCK, BYTE_CHANGE); i++)
		nanosleep(&pause, NULL);
}

static int open_in(int directory, struct strbuf *why)
{
	int fd = openat(directory, LOCK_NAME,
			O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600),
	    err = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	err = err ?: trusted_path__check(&st, LOCK_DIR "/" LOCK_NAME, why);
	if (err)
		close(fd);
	return err ?: fd;
}

/*
 * Opens the file. Prints no warning if this user is not allowed to write to the file, because the
 * user is then not allowed to change the setting either.
 */
static void open_file(void)
{
	struct strbuf why = STRBUF_INIT;
	int directory = trusted_path__open_dir(LOCK_DIR, &why);

	file = directory < 0 ? directory : open_in(directory, &why);
	if (directory >= 0)
		close(directory);
	if (file < 0 && file != -EACCES && file != -EPERM)
		pr_warn("--smi-cost: " LOCK_DIR "/" LOCK_NAME " cannot be used: %s\n"
			"if several sessions use --smi-cost, the first one that ends switches "
			"freeze_on_smi off",
			why.len ? why.text : strerror(-file));
	strbuf__free(&why);
}

/*
 * Begins a change of the setting. Until end_change(), any other session with --smi-cost waits
 * before it begins or ends, but only for a limited time (WAIT_ROUNDS).
 */
static void begin_change(void)
{
	if (file < 0)
		open_file();
	if (file >= 0)
		wait_for_change();
}

/*
 * Adds this session to the sessions that use the setting, and returns true. Call this after
 * begin_change(). @is_on is true if the setting is already on. If the user switched the setting on,
 * it must stay on. In this case, returns false and does not add the session.
 */
static bool join_users(bool is_on)
{
	char mark = '0';

	if (file < 0)
		return !is_on;
	if (pread(file, &mark, 1, 0) < 0)
		mark = '0';
	if (is_on && mark != '1')
		return false;
	if (mark != '1' && pwrite(file, "1", 1, 0) < 0)
		pr_warn("--smi-cost: " LOCK_DIR "/" LOCK_NAME ": %s", strerror(errno));
	lock(F_RDLCK, BYTE_USERS);
	return true;
}

/*
 * Begins the change at the end of this session. Returns true if no other session uses the setting.
 * The caller then has to switch the setting off before end_change(). Signal handlers may call this
 * function.
 */
static bool leave_users(void)
{
	if (file < 0)
		return true;
	wait_for_change();
	return !lock(F_WRLCK, BYTE_USERS);
}

/*
 * Ends a change. @is_off is true if the change switched the setting off. Signal handlers may call
 * this function.
 */
static void end_change(bool is_off)
{
	if (file < 0)
		return;
	/*
	 * An error here does little harm: at worst, a later session switches the setting off
	 * although the user has switched it on.
	 */
	if (is_off && ftruncate(file, 0))
		pwrite(file, "0", 1, 0);
	if (is_off)
		lock(F_UNLCK, BYTE_USERS);
	lock(F_UNLCK, BYTE_CHANGE);
}

/* The path of the setting, which signal handlers need. */
static char setting[PATH_MAX];

/* Writes @value to the setting. Signal handlers may call this function. */
static int set(const char *value)
{
	int fd = open(setting, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, 1) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* ---- signals that end pstat ---- */

static const int fatal[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGPIPE, SIGALRM,
			     SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGIO,	  SIGPWR };

/*
 * Switches the setting off if no other session needs it. Returns 0 or -errno. Signal handlers may
 * call this function.
 */
static int thaw(void)
{
	bool is_last = leave_users();
	int err = is_last ? set("0") : 0;

	/*
	 * release the lock now: this session may need a long time to exit, and the last of the
	 * other sessions must not mistake this one for a session that still uses the setting
	 */
	if (file >= 0)
		lock(F_UNLCK, BYTE_USERS);
	end_change(is_last && !err);
	return err;
}

static void thaw_and_die(int sig)
{
	thaw();
	signal(sig, SIG_DFL);
	raise(sig);
}

/*
 * Installs @handler for those signals that end pstat and are not ignored. This includes signals
 * that a session receives through a signalfd. They are blocked only during the session, so they
 * could end pstat before or after it.
 */
static void handle_signals(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, before;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		if (!sigaction(fatal[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(fatal[i], &action, NULL);
}

/* ---- the setting ---- */

int stat_smi__freeze(bool *changed)
{
	uint64_t value;
	int err = 0;

	snprintf(setting, sizeof(setting), "%s/" FREEZE_ON_SMI, sysroots__host()->sysfs);
	begin_change();
	*changed = !sysfs__read_u64(sysroots__host()->sysfs, FREEZE_ON_SMI, &value) &&
		   join_users(value);
	if (*changed) {
		handle_signals(thaw_and_die);
		err = set("1");
	}
	end_change(false);
	if (!err)
		return 0;
	thaw();
	handle_signals(SIG_DFL);
	*changed = false;
	log__plain_at(LOG_ERROR, "Failed to set freeze_on_smi.\n");
	pr_err("--smi-cost: %s: %s", setting, strerror(-err));
	return EXIT_CONFLICT;
}

void stat_smi__thaw(void)
{
	int err = thaw();

	handle_signals(SIG_DFL);
	if (err)
		pr_warn("--smi-cost: cannot set %s back to 0: %s", setting, strerror(-err));
}
