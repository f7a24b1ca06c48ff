// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/far-file.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/far-child.h"
#include "util/machine/symbols/far-patience.h"

/* A child that does not answer within this time is abandoned (far-patience.h). */
#define PATIENCE_NS (2 * NSEC_PER_SEC)
/*
 * After PATIENT_FOR questions without an answer, this shorter time limit applies. It limits the
 * delay that a user can cause with many file systems that do not answer.
 */
#define LESS_PATIENCE_NS (NSEC_PER_SEC / 10)
#define PATIENT_FOR 4
/* The interval at which the waiting parent checks for signals and for the end of its patience. */
#define POLL_MS 10
/* After this number of questions without an answer, pstat opens no more files. */
#define MOST_DEAD 64

/* The child process. It serves one request at a time. */
static struct {
	pid_t pid; /* 0: there is no child */
	int socket;
	bool failed; /* a system call failed, and pstat has warned */
	int nr_dead;
	/*
	 * the groups (far_request.source) of the requests that got no answer from this child or an
	 * earlier one; 0: no group
	 */
	uint64_t dead[MOST_DEAD];
} child;

/* Warns once that files cannot be opened because @call failed. Returns -errno. */
static int call_failed(const char *call)
{
	struct strbuf why = STRBUF_INIT;
	int err = reason__store_call(&why, -errno, call, "no files of programs can be opened");

	if (!child.failed)
		pr_warn("%s", reason__text(&why, err));
	child.failed = true;
	strbuf__free(&why);
	return err;
}

static int start_child(void)
{
	int sockets[2], err = 0;

	if (child.pid)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return call_failed("socketpair");
	child.pid = fork();
	if (!child.pid)
		far_child__run(sockets[1]);
	if (child.pid < 0) {
		err = call_failed("clone");
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

/*
 * Abandons the child. If the child is blocked in such a way that SIGKILL cannot end it
 * (far-file.h), it ends when the file system responds or is unmounted.
 */
static void leave_child(void)
{
	close(child.socket);
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, WNOHANG);
	child.pid = 0;
}

static int send_question(struct far_question *question, const char *path, const char *dirs)
{
	size_t path_len = strlen(path), dirs_len = strlen(dirs);
	size_t size = path_len + dirs_len + 2;

	if (path_len >= PATH_MAX || size > sizeof(question->texts))
		return -ENAMETOOLONG;
	memcpy(question->texts, path, path_len + 1);
	memcpy(question->texts + path_len + 1, dirs, dirs_len + 1);
	size += offsetof(struct far_question, texts);
	if (send(child.socket, question, size, MSG_NOSIGNAL) >= 0)
		return 0;
	return errno == EPIPE ? -EPIPE : call_failed("sendto");
}

static uint64_t patience_ns(void)
{
	return child.nr_dead < PATIENT_FOR ? PATIENCE_NS : LESS_PATIENCE_NS;
}

/*
 * Returns 0 if an answer has arrived; -EINTR if a signal asks pstat to end; -ETIMEDOUT if the
 * patience is over; or another -errno after a warning.
 */
static int wait_for_answer(void)
{
	struct pollfd readable = { .fd = child.socket, .events = POLLIN };
	struct far_patience patience = { .length = patience_ns(), .begun = clock__now() };
	int n;

	while ((n = poll(&readable, 1, POLL_MS)) <= 0) {
		if (n < 0 && errno != EINTR)
			return call_failed("poll");
		if (interrupt__is_due())
			return -EINTR;
		if (far_patience__is_over(&patience, sysroots__host(), child.pid, clock__now()))
			return -ETIMEDOUT;
	}
	return 0;
}

static int take_answer(struct far_answer *answer, int *fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec data = { .iov_base = answer, .iov_len = sizeof(*answer) };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = control.room,
				  .msg_controllen = sizeof(control.room) };
	ssize_t n = recvmsg(child.socket, &message, MSG_CMSG_CLOEXEC);

	if (n < 0)
		return call_failed("recvmsg");
	if (n <= (ssize_t)offsetof(struct far_answer, file)) {
		errno = ECHILD;
		return call_failed("the process that opens them");
	}
	if (message.msg_controllen && control.header.cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(&control.header), sizeof(*fd));
	return answer->err;
}

static bool is_dead(uint64_t source)
{
	for (int i = 0; source && i < child.nr_dead; i++)
		if (child.dead[i] == source)
			return true;
	return child.nr_dead == MOST_DEAD;
}

static void note_dead(enum far_kind kind, const char *path, uint64_t source)
{
	double seconds = (double)patience_ns() / NSEC_PER_SEC;

	child.dead[child.nr_dead++] = source;
	pr_warn("%s: skipped, because %s has not answered for %g seconds%s", path,
		kind == FAR_PROC ? "the kernel" : "its file system", seconds,
		child.nr_dead == MOST_DEAD ? "; no more files are opened" : "");
}

/*
 * Sends @question to the child and receives @answer. Sets *@fd to the descriptor in the answer, or
 * to -1. Returns answer->err, or -errno if there is no answer. In the latter case, -ETIMEDOUT means
 * that the time limit was reached for this question or for an earlier one with the same @source
 * (far_request.source), or that MOST_DEAD questions got no answer.
 */
static int ask(struct far_question *question, const char *path, const char *dirs, uint64_t source,
	       struct far_answer *answer, int *fd)
{
	int err = is_dead(source) ? -ETIMEDOUT : start_child();

	*fd = -1;
	if (err)
		return err;
	err = send_question(question, path, dirs);
	do {
		err = err == -EINPROGRESS ? 0 : err;
		err = err ?: wait_for_answer();
		/*
		 * a child whose answer is outstanding cannot be used again; after -ENAMETOOLONG, no
		 * answer is outstanding, because the question was not sent
		 */
		if (err && err != -ENAMETOOLONG)
			leave_child();
		if (err == -ETIMEDOUT)
			note_dead(question->kind, path, source);
		err = err ?: take_answer(answer, fd);
	} while (err == -EINPROGRESS);
	/* the child has ended without an answer */
	if (err == -ECHILD)
		leave_child();
	return err;
}

int far_file__open(const struct far_request *request, struct far_file *file)
{
	struct far_question question = { .kind = FAR_FILE,
					 .links = request->links,
					 .inode = request->inode,
					 .is_read = request->is_read };
	struct far_answer answer;
	int err;

	*file = (struct far_file){ .fd = -1 };
	memcpy(question.root, request->root, sizeof(question.root));
	err = ask(&question, request->path, request->dirs ?: "", request->source, &answer,
		  &file->fd);
	if (err)
		return err;
	file->st = answer.st;
	file->id = answer.id;
	return 0;
}

/* Returns the value of far_request.source for the files below the directory @dir. */
static uint64_t source_of(const char *dir, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)dir[i]) * 0x100000001b3;
	return hash | 1ULL << 63;
}

int far_file__open_debug(const struct build_id *id, const char *dirs, char *path, size_t size)
{
	struct far_request request = { .path = path, .links = FILE_FOLLOW, .is_read = true };
	struct far_file file;
	const char *end;
	int err;

	for (; *dirs; dirs = *end ? end + 1 : end) {
		size_t len = strcspn(dirs, ":");

		end = dirs + len;
		if (build_id__debug_path(id, dirs, len, path, size))
			continue;
		request.source = source_of(dirs, len);
		err = far_file__open(&request, &file);
		if (!err)
			return file.fd;
		if (err == -EINTR)
			return err;
	}
	return -ENOENT;
}

int far_file__open_debug_elf(const struct build_id *id, const char *dirs, struct elf_file *elf)
{
	char path[PATH_MAX];
	int fd = far_file__open_debug(id, dirs, path, sizeof(path));

	return fd < 0 ? fd : elf_file__open_fd(elf, fd);
}

int far_file__open_elf(const char *path, struct elf_file *elf)
{
	const struct far_request request = { .path = path, .links = FILE_FOLLOW, .is_read = true };
	struct far_file file;
	int err = far_file__open(&request, &file);

	return err ?: elf_file__open_fd(elf, file.fd);
}

int far_file__check_dir(const char *path)
{
	struct far_question question = { .kind = FAR_DIR };
	struct far_answer answer;
	int fd;

	return ask(&question, path, "", source_of(path, strlen(path)), &answer, &fd);
}

int far_file__copy_proc(const char *path)
{
	struct far_question question = { .kind = FAR_PROC };
	struct far_answer answer;
	int fd, err = ask(&question, path, "", 0, &answer, &fd);

	return err ?: fd;
}

int far_file__find_command(const char *name, char *file, size_t size, enum exec_change *change)
{
	struct far_question question = { .kind = FAR_COMMAND };
	struct far_answer answer;
	int fd, err = ask(&question, name, "", 0, &answer, &fd);

	if (!err && (size_t)snprintf(file, size, "%s", answer.file) >= size)
		err = -ENAMETOOLONG;
	*change = err ? EXEC_SAME : answer.change;
	return err;
}
