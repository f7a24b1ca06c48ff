// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/line-reader.h"

#include <errno.h>
#include <fcntl.h>
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
#include "util/machine/symbols/answers.h"
#include "util/machine/symbols/bounded-child.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/dwarf-lines.h"
#include "util/machine/symbols/libdw.h"
#include "util/machine/symbols/line-child.h"

/*
 * The maximum number of children. If another one is needed, the child that was used least recently
 * is ended. It is started again when it is needed.
 */
#define MOST_CHILDREN 8
/* The limit in real time, because a child that waits for a disk uses no CPU time. */
#define MOST_WAIT_NS (60 * NSEC_PER_SEC)

struct line_reader {
	char *name;
	int fd;
	struct build_id id;
	const char *debug_dirs; /* not owned */
	struct bounded_child child;
	uint64_t asked_ns; /* time of the last question to the child (clock__now(), ns) */
	/* there are no lines; or they cannot be read, and pstat has reported the reason */
	bool failed;
	struct string_set *files;
	struct answers answers; /* the lines of the addresses that were looked up */
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
			.fd = fd, .id = *id, .debug_dirs = debug_dirs, .child = BOUNDED_CHILD_INIT
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
	for (int i = 0; i < MOST_CHILDREN; i++)
		if (running[i] == reader)
			running[i] = NULL;
	return bounded_child__end(&reader->child);
}

void line_reader__free(struct line_reader *reader)
{
	if (!reader)
		return;
	end_child(reader);
	if (reader->fd >= 0)
		close(reader->fd);
	string_set__free(reader->files);
	answers__free(&reader->answers);
	free(reader->name);
	free(reader);
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
	int copy = fcntl(reader->fd, F_DUPFD_CLOEXEC, 0), err = -ENOENT;

	if (copy < 0)
		return -errno;
	dwarf_files__open(&files, copy, &reader->id, reader->debug_dirs);
	if (dwarf_files__have_lines(&files)) {
		make_place(reader);
		err = bounded_child__start(&reader->child, line_child__run, &files);
	}
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

static int receive(const struct line_reader *reader, void *to, size_t size)
{
	return bounded_child__receive(&reader->child, to, size, MOST_WAIT_NS);
}

/*
 * Receives the answer for one address. It is not trusted, because the DWARF data may have taken
 * control of the child.
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

	if (!reader->child.pid) {
		err = start_child(reader);
		err = err ?: receive_line(reader, path, line);
		/* the file has no line table, or the first reply says that there are no lines */
		if (err == -ENOENT)
			reader->failed = true;
		if (err)
			return err;
	}
	reader->asked_ns = clock__now();
	if (send(reader->child.socket, &address, sizeof(address), MSG_NOSIGNAL) != sizeof(address))
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
	const struct answer *known = answers__find(&reader->answers, address);
	struct answer answer = { .key = address };
	char path[LINE_PATH_SIZE];
	int err;

	*line = (struct source_line){ .file = NULL };
	if (!known) {
		if (reader->failed || interrupt__is_due() || !libdw__load())
			return -ENOENT;
		err = ask(reader, address, path, &answer.number);
		if (reader->failed)
			end_child(reader);
		else if (err && err != -ENOENT)
			give_up(reader, err);
		if (err && err != -ENOENT)
			return -ENOENT;
		answer.text = err ? NULL : string_set__get(reader->files, path);
		if (answers__add(&reader->answers, &answer))
			return -ENOENT;
		known = &answer;
	}
	if (!known->text)
		return -ENOENT;
	*line = (struct source_line){ .file = known->text, .line = known->number };
	return 0;
}
