// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/far-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/close-others.h"
#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/machine/elf-file.h"

/* A child that does not answer for this time is abandoned. */
#define PATIENCE_S 2
/* Interval at which the waiting parent checks for signals. */
#define POLL_MS 10
#define COPY_CHUNK (1 << 20)
/* The limits in bytes for one copy, and for all copies by one child. */
#define COPY_MAX (256LL << 20)
#define COPIES_MAX (1LL << 30)
/* The limit of file systems that did not respond. Once it is reached, no more files are opened. */
#define MOST_DEAD 4

/* linux/magic.h lacks these. */
#define XFS_MAGIC 0x58465342
#define EXFAT_MAGIC 0x2011bab0
#define ZFS_MAGIC 0x2fc12fc1
#define BCACHEFS_MAGIC 0xca451a4e
#define NTFS3_MAGIC 0x7366746e

/* The message that is sent to the child. */
struct question {
	enum regular_file_links links;
	uint64_t inode;
	bool is_read;
	char root[64];
	char path[PATH_MAX];
};

struct answer {
	int err; /* -EINPROGRESS: the child is still copying and will send another answer */
	struct stat st;
	struct build_id id;
};

/* ---- in the child ---- */

/* Sends @answer, and @fd if it is not negative. */
static void send_answer(int socket, const struct answer *answer, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec data = { .iov_base = (void *)answer, .iov_len = sizeof(*answer) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
		control.header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						   .cmsg_level = SOL_SOCKET,
						   .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	if (sendmsg(socket, &message, MSG_NOSIGNAL) != sizeof(*answer))
		_exit(0);
}

/*
 * Returns whether the file is on a file system that neither another machine nor a process serves.
 */
static bool is_local(int fd)
{
	static const unsigned int local[] = {
		EXT4_SUPER_MAGIC,      XFS_MAGIC,	  BTRFS_SUPER_MAGIC,	TMPFS_MAGIC,	  RAMFS_MAGIC,
		OVERLAYFS_SUPER_MAGIC, SQUASHFS_MAGIC,	  EROFS_SUPER_MAGIC_V1, F2FS_SUPER_MAGIC, ISOFS_SUPER_MAGIC,
		UDF_SUPER_MAGIC,       MSDOS_SUPER_MAGIC, EXFAT_MAGIC,		ZFS_MAGIC,	  BCACHEFS_MAGIC,
		NTFS3_MAGIC,	       HUGETLBFS_MAGIC,
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
 * Returns a descriptor of a copy in memory, or -errno. A file may be longer than its status says.
 */
static int copy_file(int socket, int fd, const struct stat *st)
{
	static long long copied; /* bytes copied by this child */
	const struct answer alive = { .err = -EINPROGRESS };
	long long most = COPIES_MAX - copied < COPY_MAX ? COPIES_MAX - copied : COPY_MAX, size = 0;
	int copy = st->st_size > most ? -1 : memfd_create("pstat-file", MFD_CLOEXEC), err = 0;
	ssize_t n = 1;

	if (copy < 0)
		return st->st_size > most ? -EFBIG : -errno;
	for (; n > 0 && size <= most; size += n > 0 ? n : 0) {
		n = sendfile(copy, fd, NULL, COPY_CHUNK);
		err = n < 0 ? -errno : 0;
		send_answer(socket, &alive, -1);
	}
	copied += size;
	err = err ?: size > most ? -EFBIG : 0;
	if (!err)
		return copy;
	close(copy);
	return err;
}

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
 * Opens the file @named, and copies it if necessary. Returns a descriptor, -1 if none is needed, or
 * another -errno.
 */
static int open_named(int socket, const struct question *question, int named, struct answer *answer)
{
	int fd, copy;

	if (question->inode && answer->st.st_ino != question->inode)
		return -ESTALE;
	fd = regular_file__read_from(named);
	if (fd < 0)
		return fd;
	read_build_id(fd, &answer->id);
	if (is_local(fd))
		return fd;
	copy = question->is_read ? copy_file(socket, fd, &answer->st) : -1;
	close(fd);
	return copy;
}

static void serve_one(int socket, const struct question *question)
{
	struct answer answer = { 0 };
	int dir = AT_FDCWD, named, fd = -1;

	if (*question->root)
		dir = open(question->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	named = dir == -1 ? -errno : regular_file__name(dir, question->path, question->links, &answer.st);
	answer.err = named < 0 ? named : 0;
	if (!answer.err)
		fd = open_named(socket, question, named, &answer);
	if (fd < -1)
		answer.err = fd;
	send_answer(socket, &answer, fd);
	if (fd >= 0)
		close(fd);
	if (named >= 0)
		close(named);
	if (dir >= 0)
		close(dir);
}

/*
 * The child may be abandoned, so it closes all counters and outputs. It ends when the parent closes
 * the socket.
 */
static _Noreturn void run_child(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct question question;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	close_others(3, &socket, 1);
	while (recv(socket, &question, sizeof(question), 0) == sizeof(question))
		serve_one(socket, &question);
	_exit(0);
}

/* ---- in the parent ---- */

/* The child serves one request at a time. */
static struct {
	pid_t pid; /* 0: not running */
	int socket;
	int nr_dead;
	dev_t dead[MOST_DEAD]; /* devices of file systems that did not respond; 0: unknown */
} child;

static int start_child(void)
{
	int sockets[2], err = 0;

	if (child.pid)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	child.pid = fork();
	if (!child.pid)
		run_child(sockets[1]);
	if (child.pid < 0) {
		err = -errno;
		child.pid = 0;
		close(sockets[0]);
	}
	close(sockets[1]);
	child.socket = sockets[0];
	return err;
}

void far_file__end(void)
{
	if (!child.pid)
		return;
	close(child.socket);
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, 0);
	child.pid = 0;
}

/* A child that is blocked in the kernel ends when its file system responds or is unmounted. */
static void leave_child(void)
{
	close(child.socket);
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, WNOHANG);
	child.pid = 0;
}

static int ask(const struct far_request *request)
{
	struct question question = { .links = request->links, .inode = request->inode, .is_read = request->is_read };

	if (strlen(request->path) >= sizeof(question.path))
		return -ENAMETOOLONG;
	memcpy(question.root, request->root, sizeof(question.root));
	strcpy(question.path, request->path);
	return send(child.socket, &question, sizeof(question), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Returns 0, -EINTR or -ETIMEDOUT. */
static int wait_for_answer(void)
{
	struct pollfd readable = { .fd = child.socket, .events = POLLIN };
	uint64_t end = clock__now() + PATIENCE_S * NSEC_PER_SEC;

	while (poll(&readable, 1, POLL_MS) <= 0) {
		if (interrupt__is_due())
			return -EINTR;
		if (clock__now() > end)
			return -ETIMEDOUT;
	}
	return 0;
}

static int take_answer(struct answer *answer, int *fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec data = { .iov_base = answer, .iov_len = sizeof(*answer) };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof(control.room)
	};
	ssize_t n = recvmsg(child.socket, &message, MSG_CMSG_CLOEXEC);

	if (n != sizeof(*answer))
		return n < 0 ? -errno : -ECHILD;
	if (message.msg_controllen && control.header.cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(&control.header), sizeof(*fd));
	return answer->err;
}

static bool is_dead(dev_t device)
{
	for (int i = 0; device && i < child.nr_dead; i++)
		if (child.dead[i] == device)
			return true;
	return child.nr_dead == MOST_DEAD;
}

static void note_dead(const struct far_request *request)
{
	child.dead[child.nr_dead++] = request->device;
	pr_warn("%s: skipped, because its file system has not answered for %d seconds%s", request->path, PATIENCE_S,
		child.nr_dead == MOST_DEAD ? "; no more files are opened" : "");
}

int far_file__open(const struct far_request *request, struct far_file *file)
{
	struct answer answer;
	int err = is_dead(request->device) ? -ETIMEDOUT : start_child();

	*file = (struct far_file){ .fd = -1 };
	if (err)
		return err;
	err = ask(request);
	do {
		err = err == -EINPROGRESS ? 0 : err;
		err = err ?: wait_for_answer();
		if (err == -EINTR || err == -ETIMEDOUT || err == -EPIPE)
			leave_child();
		if (err == -ETIMEDOUT)
			note_dead(request);
		err = err ?: take_answer(&answer, &file->fd);
	} while (err == -EINPROGRESS);
	if (err)
		return err;
	file->st = answer.st;
	file->id = answer.id;
	return 0;
}
