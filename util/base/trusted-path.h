/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that only root and the user who runs pstat can have created a file at its path. Checking
 * the open file is not enough: another user who can write to a directory of the path could replace
 * the file later. So every directory of the path is checked, from / down.
 */
#ifndef PSTAT_BASE_TRUSTED_PATH_H
#define PSTAT_BASE_TRUSTED_PATH_H

struct stat;
struct strbuf;

/* Returned if another user could have created or changed a file or directory. */
#define TRUSTED_PATH_REFUSED (-EKEYREJECTED)

/*
 * Checks that the file with the status @st belongs to root or to the effective user, and that no
 * other user may write to it. @path names the file in messages. Returns 0, or TRUSTED_PATH_REFUSED
 * with the reason in @why.
 */
int trusted_path__check(const struct stat *st, const char *path, struct strbuf *why);

/*
 * Opens the directory @path (O_PATH). This directory and all directories above it must belong to
 * root or to the effective user, and other users must not be able to rename or remove what these
 * two users own there. So other users may write to such a directory only if it has the sticky bit.
 * They can then create files in it. Symbolic links in @path are resolved first. Returns an fd,
 * TRUSTED_PATH_REFUSED with the reason in @why, or another -errno without a reason.
 */
int trusted_path__open_dir(const char *path, struct strbuf *why);

#endif
