/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that only root and the user who runs pstat can have put a file where it is. Checking the
 * open file is not enough: another user who can write to a directory on the path could put another
 * file there later. So every directory from / down is checked.
 */
#ifndef PSTAT_BASE_TRUSTED_PATH_H
#define PSTAT_BASE_TRUSTED_PATH_H

struct stat;
struct strbuf;

/* Returned when another user could have created or changed a file or directory. */
#define TRUSTED_PATH_REFUSED (-EKEYREJECTED)

/*
 * Checks that the file described by @st belongs to root or to the effective user, and that nobody
 * else may write to it. @path names the file in messages. Returns 0, or TRUSTED_PATH_REFUSED with
 * the reason in @why.
 */
int trusted_path__check(const struct stat *st, const char *path, struct strbuf *why);

/*
 * Opens the directory @path (O_PATH). It and every directory above it must belong to root or to the
 * effective user, and nobody else may rename or remove what these two own there: other users may
 * write to a directory only if it has the sticky bit. They can then still create files in it.
 * Symbolic links in @path are resolved first. Returns an fd, TRUSTED_PATH_REFUSED with the reason
 * in @why, or another -errno without a reason.
 */
int trusted_path__open_dir(const char *path, struct strbuf *why);

#endif
