// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-smi-users.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/trusted-path.h"

/* Only root can create files in this directory. */
#define LOCK_DIR "/run"
#define LOCK_NAME "pstat-smi.lock"

enum byte {
	BYTE_CHANGE,
	BYTE_USERS,
};

/* How long to wait for the lock. A session that was stopped during a change still holds it. */
#define WAIT_ROUNDS 100
#define WAIT_NS 10000000

/* The open file; -1 if it cannot be used. Signal handlers need it, too. */
static int file = -1;

/*
 * Takes or releases a lock. Locks belong to the open file, so this replaces a lock that the session
 * holds. Returns 0 or -errno.
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
 * Opens the file. A user who may not write to it may not change the setting either, so there is no
 * warning.
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

void stat_smi_users__lock(void)
{
	if (file < 0)
		open_file();
	if (file >= 0)
		wait_for_change();
}

bool stat_smi_users__join(bool is_on)
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

bool stat_smi_users__leave(void)
{
	if (file < 0)
		return true;
	wait_for_change();
	return !lock(F_WRLCK, BYTE_USERS);
}

void stat_smi_users__done(bool is_off)
{
	if (file < 0)
		return;
	/*
	 * if this fails, the worst that can happen is that a later session switches off a setting
	 * that the user has switched on
	 */
	if (is_off && ftruncate(file, 0))
		pwrite(file, "0", 1, 0);
	if (is_off)
		lock(F_UNLCK, BYTE_USERS);
	lock(F_UNLCK, BYTE_CHANGE);
}
