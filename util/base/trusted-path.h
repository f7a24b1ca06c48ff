/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that only root and the user who runs pstat could have created or changed a file. It is not
 * enough to check the owner and the mode of the file: another user who can write to a directory in
 * its path could replace the file, for example with a hard link to another file that root owns. So
 * all directories in the path are checked, beginning with /.
 */
#ifndef PSTAT_BASE_TRUSTED_PATH_H
#define PSTAT_BASE_TRUSTED_PATH_H

struct stat;
struct strbuf;

/* Returned if another user could have created or changed the file or a directory in its path. */
#define TRUSTED_PATH_REFUSED (-EKEYREJECTED)

/*
 * Checks that the file with the status @st belongs to root or to the effective user, and that no
 * other user may write to it. @path names the file in messages. Returns 0, or TRUSTED_PATH_REFUSED
 * with the reason in @why.
 */
int trusted_path__check(const struct stat *st, const char *path, struct strbuf *why);

/*
 * Opens the directory @path (O_PATH) after resolving symbolic links. This directory and all
 * directories above it must belong to root or to the effective user. Other users may write to a
 * directory only if it has the sticky bit, which prevents them from renaming or removing files that
 * belong to root or to the effective user. Returns an fd, or TRUSTED_PATH_REFUSED with the reason
 * in @why. After any other error, returns -errno and does not store a reason.
 */
int trusted_path__open_dir(const char *path, struct strbuf *why);

#endif
