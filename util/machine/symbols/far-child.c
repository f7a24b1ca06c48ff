// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/far-child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/base/close-others.h"
#include "util/base/sysfs.h"
#include "util/machine/symbols/elf-file.h"

#define COPY_CHUNK (1 << 20)
/*
 * COPY_MAX is the maximum size in bytes of a file that is copied. COPIES_MAX is the maximum total
 * size in bytes of the files that one child copies.
 */
#define COPY_MAX (256LL << 20)
#define COPIES_MAX (1LL << 30)

/* Values of f_type (statfs(2)) that linux/magic.h does not define. */
#define XFS_MAGIC 0x58465342
#define EXFAT_MAGIC 0x2011bab0
#define ZFS_MAGIC 0x2fc12fc1
#define BCACHEFS_MAGIC 0xca451a4e
#define NTFS3_MAGIC 0x7366746e

/* Sends @answer, and @fd if it is not negative. */
static void send_answer(int socket, const struct far_answer *answer, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec data = { .iov_base = (void *)answer,
			      .iov_len = offsetof(struct far_answer, file) + strlen(answer->file) +
					 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
		control.header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						   .cmsg_level = SOL_SOCKET,
						   .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
		_exit(0);
}

/* ---- copies ---- */

/*
 * Returns whether the file is on a known local file system. Any other file system may depend on
 * another machine or on a process, which might not answer.
 */
static bool is_local(int fd)
{
	static const unsigned int local[] = {
		EXT4_SUPER_MAGIC,  XFS_MAGIC,
		BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
		RAMFS_MAGIC,	   OVERLAYFS_SUPER_MAGIC,
		SQUASHFS_MAGIC,	   EROFS_SUPER_MAGIC_V1,
		F2FS_SUPER_MAGIC,  ISOFS_SUPER_MAGIC,
		UDF_SUPER_MAGIC,   MSDOS_SUPER_MAGIC,
		EXFAT_MAGIC,	   ZFS_MAGIC,
		BCACHEFS_MAGIC,	   NTFS3_MAGIC,
		HUGETLBFS_MAGIC,
	};
	struct statfs system;

	if (fstatfs(fd, &system))
		return false;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if ((unsigned int)system.f_type == local[i])
			return true;
	return false;
}

/*
 * Copies the next part of the file. Returns the number of bytes copied, 0 at the end of the file,
 * or -errno.
 */
static ssize_t copy_part(int copy, int fd)
{
	static char buffer[1 << 16];
	ssize_t n = sendfile(copy, fd, NULL, COPY_CHUNK);

	if (n >= 0)
		return n;
	/* some file systems, such as procfs, support read(2), but not sendfile(2) */
	n = errno == EINVAL ? read(fd, buffer, sizeof(buffer)) : -1;
	if (n > 0 && write(copy, buffer, (size_t)n) != n)
		return -ENOSPC;
	return n < 0 ? -errno : n;
}

/*
 * Copies the file @fd into memory. Reports progress to the parent by sending answers with the error
 * -EINPROGRESS. @expected is the file size according to fstat(2), but the file may be longer.
 * Returns a descriptor of the copy; -EFBIG if the file is larger than COPY_MAX, or if the child
 * would copy more than COPIES_MAX bytes in total; or another -errno.
 */
static int copy_file(int socket, int fd, long long expected)
{
	static long long copied; /* number of bytes that this child has copied */
	const struct far_answer alive = { .err = -EINPROGRESS };
	long long most = COPIES_MAX - copied < COPY_MAX ? COPIES_MAX - copied : COPY_MAX;
	long long size = 0, reported = 0;
	int copy = expected > most ? -1 : memfd_create("pstat-file", MFD_CLOEXEC);
	ssize_t n = 1;

	if (copy < 0)
		return expected > most ? -EFBIG : -errno;
	while (n > 0 && size <= most) {
		n = copy_part(copy, fd);
		size += n > 0 ? n : 0;
		if (size - reported >= COPY_CHUNK) {
			reported = size;
			send_answer(socket, &alive, -1);
		}
	}
	copied += size;
	if (n >= 0 && size <= most && lseek(copy, 0, SEEK_SET) == 0)
		return copy;
	close(copy);
	return n < 0 ? (int)n : -EFBIG;
}

/* ---- requests ---- */

static void read_build_id(int fd, struct build_id *id)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct elf_file elf;

	if (copy < 0 || elf_file__open_fd(&elf, copy))
		return;
	elf_file__build_id(&elf, id);
	elf_file__close(&elf);
}

/*
 * Returns whether @path is below one of the directories @dirs. @path must not contain symbolic
 * links.
 */
static bool is_below(const char *path, const char *dirs)
{
	char dir[PATH_MAX], real[PATH_MAX];
	const char *end;

	for (; *dirs; dirs = *end ? end + 1 : end) {
		size_t len;

		end = dirs + strcspn(dirs, ":");
		if (end == dirs ||
		    (size_t)snprintf(dir, sizeof(dir), "%.*s", (int)(end - dirs), dirs) >=
			    sizeof(dir) ||
		    !realpath(dir, real))
			continue;
		/* "/" is the only real path that ends in a slash */
		len = strcmp(real, "/") != 0 ? strlen(real) : 0;
		if (!strncmp(path, real, len) && path[len] == '/')
			return true;
	}
	return false;
}

/*
 * Opens @path with O_PATH and fills in @st. Returns the descriptor; -EXDEV if the file is not below
 * any of the directories @dirs; or another -errno.
 */
static int name_below(const char *path, const char *dirs, struct stat *st)
{
	char real[PATH_MAX];

	if (!realpath(path, real))
		return -errno;
	return is_below(real, dirs) ? regular_file__name(AT_FDCWD, real, FILE_NO_LINKS, st) :
				      -EXDEV;
}

static int name_file(const struct far_question *question, struct stat *st)
{
	const char *path = question->texts, *dirs = path + strlen(path) + 1;
	int dir = AT_FDCWD, named;

	if (*dirs)
		return name_below(path, dirs, st);
	if (*question->root)
		dir = open(question->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir == -1)
		return -errno;
	named = regular_file__name(dir, path, question->links, st);
	if (dir >= 0)
		close(dir);
	return named;
}

/*
 * Opens the file of the O_PATH descriptor @named for reading, and reads its build id. If the file
 * is local, sets *@fd to a descriptor of the file itself. Otherwise, sets *@fd to a descriptor of a
 * copy, or to -1 if the content was not requested. Returns 0 or -errno.
 */
static int open_named(int socket, const struct far_question *question, int named,
		      struct far_answer *answer, int *fd)
{
	int file, copy;

	*fd = -1;
	if (question->inode && answer->st.st_ino != question->inode)
		return -ESTALE;
	file = regular_file__read_from(named);
	if (file < 0)
		return file;
	read_build_id(file, &answer->id);
	if (is_local(file)) {
		*fd = file;
		return 0;
	}
	copy = question->is_read ? copy_file(socket, file, answer->st.st_size) : 0;
	close(file);
	if (question->is_read && copy >= 0)
		*fd = copy;
	return copy < 0 ? copy : 0;
}

static int serve_file(int socket, const struct far_question *question, struct far_answer *answer)
{
	int named = name_file(question, &answer->st), fd = -1;

	answer->err = named < 0 ? named : 0;
	if (!answer->err)
		answer->err = open_named(socket, question, named, answer, &fd);
	if (named >= 0)
		close(named);
	return fd;
}

static int serve_proc(int socket, const struct far_question *question, struct far_answer *answer)
{
	int fd = open(question->texts, O_RDONLY | O_CLOEXEC | O_NOCTTY), copy;

	if (fd < 0) {
		answer->err = -errno;
		return -1;
	}
	copy = copy_file(socket, fd, 0);
	/* if a seccomp filter refuses memfd_create(2), the parent reads the original file */
	if (copy == -EPERM || copy == -ENOSYS)
		return fd;
	answer->err = copy < 0 ? copy : 0;
	close(fd);
	return copy;
}

static void serve_dir(const struct far_question *question, struct far_answer *answer)
{
	DIR *dir = opendir(question->texts);

	answer->err = dir ? 0 : -errno;
	if (dir)
		closedir(dir);
}

static void serve_command(const struct far_question *question, struct far_answer *answer)
{
	if (exec_file__find(question->texts, answer->file, sizeof(answer->file)))
		answer->change = exec_file__change(sysroots__host(), answer->file);
	else
		answer->err = -ENOENT;
}

static void serve_one(int socket, const struct far_question *question)
{
	struct far_answer answer = { 0 };
	int fd = -1;

	if (question->kind == FAR_FILE)
		fd = serve_file(socket, question, &answer);
	else if (question->kind == FAR_PROC)
		fd = serve_proc(socket, question, &answer);
	else if (question->kind == FAR_DIR)
		serve_dir(question, &answer);
	else
		serve_command(question, &answer);
	send_answer(socket, &answer, fd);
	if (fd >= 0)
		close(fd);
}

/*
 * Closes all inherited descriptors except @socket before answering questions. Otherwise, a child
 * that the parent has abandoned could keep counters and output files open.
 */
_Noreturn void far_child__run(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct far_question question;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	close_others(3, &socket, 1);
	while (recv(socket, &question, sizeof(question), 0) > 0)
		serve_one(socket, &question);
	_exit(0);
}
