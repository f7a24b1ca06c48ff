// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/line-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/base/string-set.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/dwarf-lines.h"
#include "util/machine/symbols/libdw.h"
#include "util/machine/symbols/line-child.h"

/*
 * The maximum number of children. Beyond it, the child that was asked least recently is ended. It
 * is started again when needed.
 */
#define MOST_CHILDREN 8
/* The limit in real time, because a child that waits for a disk uses no CPU time. */
#define MOST_WAIT_NS (60 * NSEC_PER_SEC)
#define POLL_MSEC 10

struct line_reader {
	char *name;
	int fd;
	struct build_id id;
	const char *debug_dirs; /* not owned */
	pid_t child;		/* 0: not running */
	int socket;
	uint64_t asked_ns; /* time of the last question to the child (clock__now(), ns) */
	bool failed;	   /* there are no lines, or pstat has reported why they cannot be read */
	struct string_set *files;

	/* the known answers: a hash table that is at most half full */
	struct answer {
		uint64_t address; /* 0: this entry is empty */
		const char *file; /* NULL: the line is unknown */
		int line;
	} * answers;
	size_t nr, room;
};

/* The readers whose child is running. */
static struct line_reader *running[MOST_CHILDREN];

int line_reader__new(const char *name, int fd, const struct build_id *id, const char *debug_dirs,
		     struct line_reader **result)
{
	struct line_reader *reader = calloc(1, sizeof(*reader));

	*result = reader;
	if (reader) {
		*reader = (struct line_reader){
			.fd = fd, .id = *id, .debug_dirs = debug_dirs, .socket = -1
		};
		reader->name = strdup(name);
		reader->files = string_set__new();
		if (reader->name && reader->files)
			return 0;
		line_reader__free(reader);
		*result = NULL;
		return -ENOMEM;
	}
	close(fd);
	return -ENOMEM;
}

/* Ends the child. Returns its wait status. */
static int end_child(struct line_reader *reader)
{
	int status = 0;

	for (int i = 0; i < MOST_CHILDREN; i++)
		if (running[i] == reader)
			running[i] = NULL;
	if (reader->socket >= 0)
		close(reader->socket);
	reader->socket = -1;
	if (reader->child > 0) {
		kill(reader->child, SIGKILL);
		while (waitpid(reader->child, &status, 0) < 0 && errno == EINTR)
			;
	}
	reader->child = 0;
	return status;
}

void line_reader__free(struct line_reader *reader)
{
	if (!reader)
		return;
	end_child(reader);
	if (reader->fd >= 0)
		close(reader->fd);
	string_set__free(reader->files);
	free(reader->answers);
	free(reader->name);
	free(reader);
}

/* ---- answers ---- */

static struct answer *answer_of(struct answer *answers, size_t room, uint64_t address)
{
	size_t at = (size_t)((address * 0x9e3779b97f4a7c15) >> 20) & (room - 1);

	while (answers[at].address && answers[at].address != address)
		at = (at + 1) & (room - 1);
	return &answers[at];
}

static int make_room(struct line_reader *reader)
{
	size_t room = reader->room ? 2 * reader->room : 64;
	struct answer *answers;

	if (2 * (reader->nr + 1) <= reader->room)
		return 0;
	answers = calloc(room, sizeof(*answers));
	if (!answers)
		return -ENOMEM;
	for (size_t i = 0; i < reader->room; i++)
		if (reader->answers[i].address)
			*answer_of(answers, room, reader->answers[i].address) = reader->answers[i];
	free(reader->answers);
	reader->answers = answers;
	reader->room = room;
	return 0;
}

/* ---- the child ---- */

static void make_place(struct line_reader *reader)
{
	int place = 0;

	for (int i = 0; i < MOST_CHILDREN; i++)
		if (running[place] &&
		    (!running[i] || running[i]->asked_ns < running[place]->asked_ns))
			place = i;
	if (running[place])
		end_child(running[place]);
	running[place] = reader;
}

static int start_child(struct line_reader *reader)
{
	struct dwarf_files files;
	int sockets[2], copy = fcntl(reader->fd, F_DUPFD_CLOEXEC, 0), err = 0;

	if (copy < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		err = -errno;
		if (copy >= 0)
			close(copy);
		return err;
	}
	dwarf_files__open(&files, copy, &reader->id, reader->debug_dirs);
	if (!dwarf_files__have_lines(&files)) {
		dwarf_files__close(&files);
		close(sockets[0]);
		close(sockets[1]);
		return -ENOENT;
	}
	make_place(reader);
	fflush(NULL); /* otherwise the child could write buffered output a second time */
	reader->child = fork();
	if (!reader->child)
		line_child__run(&files, sockets[1]);
	if (reader->child < 0) {
		err = -errno;
		reader->child = 0;
	}
	reader->socket = sockets[0];
	close(sockets[1]);
	dwarf_files__close(&files);
	if (err)
		end_child(reader);
	return err;
}

static void report_end(struct line_reader *reader, int status)
{
	reader->failed = true;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		pr_warn("%s: no source lines: reading them takes more than %d s of CPU time",
			reader->name, LINE_READER_CPU_SECONDS);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == LINE_CHILD_NO_MEMORY)
		pr_warn("%s: no source lines: reading them takes more than %llu MB of memory",
			reader->name, LINE_READER_MEMORY >> 20);
	else
		pr_warn("%s: no source lines: its debug information is broken (the process that "
			"reads it ended: %s)",
			reader->name,
			WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it gave no answer");
}

/*
 * Reads exactly @size bytes. Returns 0; -EINTR if a signal asks pstat to end; -EPIPE if the child
 * has ended; or -ETIMEDOUT.
 */
static int receive(const struct line_reader *reader, void *to, size_t size)
{
	uint64_t begun = clock__now();
	size_t got = 0;

	while (got < size) {
		struct pollfd ready = { .fd = reader->socket, .events = POLLIN };
		ssize_t n;

		if (poll(&ready, 1, POLL_MSEC) <= 0) {
			if (interrupt__is_due())
				return -EINTR;
			if (clock__now() - begun > MOST_WAIT_NS)
				return -ETIMEDOUT;
			continue;
		}
		n = read(reader->socket, (char *)to + got, size - got);
		if (n <= 0 && (n == 0 || errno != EINTR))
			return -EPIPE;
		got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/*
 * Receives the answer to one address. Nothing in it is trusted, because the DWARF data may have
 * taken control of the child.
 */
static int receive_line(struct line_reader *reader, char path[static LINE_PATH_SIZE], int *line)
{
	struct line_reply reply;
	int err = receive(reader, &reply, sizeof(reply));

	path[0] = '\0';
	if (!err && reply.len >= LINE_PATH_SIZE)
		err = -EPIPE;
	err = err ?: receive(reader, path, reply.len);
	if (err)
		return err;
	path[reply.len] = '\0';
	*line = reply.line;
	return reply.err || reply.line <= 0 || !*path ? -ENOENT : 0;
}

/*
 * Asks the child for the line of @address. Returns 0, -ENOENT, or another error if the child cannot
 * answer.
 */
static int ask(struct line_reader *reader, uint64_t address, char path[static LINE_PATH_SIZE],
	       int *line)
{
	int err = 0;

	if (!reader->child) {
		err = start_child(reader);
		err = err ?: receive_line(reader, path, line);
		/* the file has no line table, or the first reply says that there are no lines */
		if (err == -ENOENT)
			reader->failed = true;
		if (err)
			return err;
	}
	reader->asked_ns = clock__now();
	if (send(reader->socket, &address, sizeof(address), MSG_NOSIGNAL) != sizeof(address))
		return -EPIPE;
	return receive_line(reader, path, line);
}

static void give_up(struct line_reader *reader, int err)
{
	int status = end_child(reader);

	if (err == -EPIPE) {
		report_end(reader, status);
	} else if (err != -EINTR) {
		reader->failed = true;
		pr_warn("%s: no source lines: %s", reader->name, strerror(-err));
	}
}

int line_reader__find(struct line_reader *reader, uint64_t address, struct source_line *line)
{
	struct answer *answer;
	char path[LINE_PATH_SIZE];
	int number = 0, err;

	*line = (struct source_line){ .file = NULL };
	if (make_room(reader))
		return -ENOENT;
	answer = answer_of(reader->answers, reader->room, address);
	if (!answer->address) {
		if (reader->failed || interrupt__is_due() || !libdw__load())
			return -ENOENT;
		err = ask(reader, address, path, &number);
		if (reader->failed)
			end_child(reader);
		else if (err && err != -ENOENT)
			give_up(reader, err);
		if (err && err != -ENOENT)
			return -ENOENT;
		*answer =
			(struct answer){ .address = address,
					 .file = err ? NULL : string_set__get(reader->files, path),
					 .line = number };
		reader->nr++;
	}
	*line = (struct source_line){ .file = answer->file,
				      .line = answer->file ? answer->line : 0 };
	return answer->file ? 0 : -ENOENT;
}
