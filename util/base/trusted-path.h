/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that only root and the user who runs pstat can have put where they are. A check through a descriptor alone would not be enough:
 * another user who can write to a folder on the way could put another file there later. So every folder from / on is checked.
 */
#ifndef PSTAT_BASE_TRUSTED_PATH_H
#define PSTAT_BASE_TRUSTED_PATH_H

struct stat;
struct strbuf;

/* What these functions return when another user could have had a hand in a file or folder. */
#define TRUSTED_PATH_REFUSED (-EKEYREJECTED)

/*
 * Checks that @st, a file that is called @path in messages, belongs to root or to the effective user, and that nobody else may write to it.
 * Returns 0, or TRUSTED_PATH_REFUSED with the reason in @why.
 */
int trusted_path__check(const struct stat *st, const char *path, struct strbuf *why);

/*
 * Opens the folder @path (O_PATH) if it and all folders above it belong to root or to the effective user, and nobody else may rename or
 * remove what these two own there: others may write to a folder only if it has the sticky bit. They may then still create files in it.
 * Symbolic links on the way are resolved first. Returns an fd, TRUSTED_PATH_REFUSED with the reason in @why, or another -errno without one.
 */
int trusted_path__open_dir(const char *path, struct strbuf *why);

#endif
