// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/task/exec-file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/base/sysfs.h"

/*
 * BINPRM_BUF_SIZE of linux/binfmts.h: the kernel reads this number of bytes to find the interpreter
 * of a script.
 */
#define SCRIPT_HEAD 256
/* The kernel's maximum number of nested interpreters (exec_binprm() in fs/exec.c). */
#define MAX_SCRIPTS 5

static bool is_program(const char *file)
{
	struct stat st;

	return !stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK);
}

/* Like execvp(3), treats an empty element of PATH as the current directory. */
bool exec_file__find(const char *name, char *file, size_t size)
{
	const char *path = getenv("PATH") ?: "/bin:/usr/bin", *end;

	if (strchr(name, '/'))
		return (size_t)snprintf(file, size, "%s", name) < size && is_program(file);
	for (;; path = end + 1) {
		size_t len = strcspn(path, ":");

		end = path + len;
		if ((size_t)snprintf(file, size, "%.*s/%s", len ? (int)len : 1, len ? path : ".",
				     name) < size &&
		    is_program(file))
			return true;
		if (!*end)
			return false;
	}
}

/*
 * Copies the path of the interpreter from the first line of the script @file to @interpreter.
 * Returns false if @file is not a script or cannot be read, or if the path does not fit.
 */
static bool find_interpreter(const char *file, char *interpreter, size_t size)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char head[SCRIPT_HEAD + 1];
	ssize_t n = fd < 0 ? -1 : read(fd, head, SCRIPT_HEAD);
	char *word;
	size_t len;

	if (fd >= 0)
		close(fd);
	if (n < 2 || head[0] != '#' || head[1] != '!')
		return false;
	head[n] = '\0';
	word = head + 2 + strspn(head + 2, " \t");
	len = strcspn(word, " \t\n");
	if (!len || len >= size)
		return false;
	memcpy(interpreter, word, len);
	interpreter[len] = '\0';
	return true;
}

static uint64_t both_halves(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static bool own_capabilities(uint64_t *permitted, uint64_t *effective)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return false;
	*permitted = both_halves(data[0].permitted, data[1].permitted);
	*effective = both_halves(data[0].effective, data[1].effective);
	return true;
}

/* Returns whether the file has capabilities that this process does not have. */
static bool has_more_capabilities(const char *file)
{
	struct vfs_ns_cap_data data = { 0 };
	uint64_t permitted, effective, files;
	ssize_t n = getxattr(file, "security.capability", &data, sizeof(data));

	if (n < (ssize_t)XATTR_CAPS_SZ_2 || !own_capabilities(&permitted, &effective))
		return false;
	files = both_halves(le32toh(data.data[0].permitted), le32toh(data.data[1].permitted));
	return files & ~permitted;
}

static bool files_give_privileges(const char *file)
{
	struct statvfs fs;

	return !(statvfs(file, &fs) == 0 && (fs.f_flag & ST_NOSUID)) &&
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

static enum exec_change program_change(const char *file)
{
	struct stat st;

	if (stat(file, &st))
		return EXEC_SAME;
	if (files_give_privileges(file)) {
		if ((st.st_mode & S_ISUID) && st.st_uid != geteuid())
			return EXEC_SETUID;
		if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid())
			return EXEC_SETGID;
		if (has_more_capabilities(file))
			return EXEC_CAPABILITIES;
	}
	return faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) && errno == EACCES ? EXEC_UNREADABLE :
										EXEC_SAME;
}

/*
 * Returns whether fs.suid_dumpable is 1. If it is 1, every program may dump core, so the kernel
 * never removes events because of an exec.
 */
static bool all_dump_core(const struct sysroots *roots)
{
	char text[16];

	return sysfs__read(roots->procfs, "sys/fs/suid_dumpable", text, sizeof(text)) > 0 &&
	       atoi(text) == 1;
}

enum exec_change exec_file__change(const struct sysroots *roots, const char *file)
{
	char path[PATH_MAX], next[SCRIPT_HEAD];
	enum exec_change change;

	snprintf(path, sizeof(path), "%s", file);
	for (int i = 0; i < MAX_SCRIPTS && find_interpreter(path, next, sizeof(next)); i++)
		snprintf(path, sizeof(path), "%s", next);
	change = program_change(path);
	return change != EXEC_SAME && all_dump_core(roots) ? EXEC_SAME : change;
}

const char *exec_change__name(enum exec_change change)
{
	static const char *const names[] = {
		[EXEC_SAME] = "a program",
		[EXEC_SETUID] = "a setuid program",
		[EXEC_SETGID] = "a setgid program",
		[EXEC_CAPABILITIES] = "a program with file capabilities",
		[EXEC_UNREADABLE] = "a program that this user may not read",
	};

	return names[change];
}

bool exec_change__needs_untraced(enum exec_change change)
{
	uint64_t permitted, effective;

	if (change != EXEC_SETUID && change != EXEC_SETGID && change != EXEC_CAPABILITIES)
		return false;
	return !own_capabilities(&permitted, &effective) || !(effective & (1ULL << CAP_SYS_PTRACE));
}
