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
#include "util/machine/symbols/dwarf-inline.h"
#include "util/machine/symbols/dwarf-lines.h"
#include "util/machine/symbols/libdw.h"
#include "util/machine/symbols/line-child.h"

/*
 * The maximum number of children. If another child is needed, pstat ends the child that was used
 * least recently. That child's reader starts a new child if necessary.
 */
#define MOST_CHILDREN 8
/*
 * The maximum real time to wait for the child. The child's limit on CPU time does not cover the
 * time during which the child waits for a disk.
 */
#define MOST_WAIT_NS (60 * NSEC_PER_SEC)
#define NOTHING (-1)

struct line_reader {
	char *name;
	int fd;
	struct build_id id;
	const char *debug_dirs; /* not owned */
	bool is_trusted;
	unsigned int what; /* enum source_flags */
	struct bounded_child child;
	uint64_t asked_ns; /* time of the most recent question to the child (clock__now(), ns) */
	/*
	 * the reader asks for no more frames: there is no debug information, or pstat has warned of
	 * an error or a limit
	 */
	bool failed;
	bool warned_of_cut; /* pstat has warned that inlined functions are missing */
	struct string_set *strings;
	/*
	 * The key of an answer (answers.h) is the address. The number of an answer is the index in
	 * `frames` of the first frame at the address, or NOTHING if there is no frame. The last
	 * frame at an address has the function NULL.
	 */
	struct answers answers;
	struct source_frame *frames;
	size_t nr_frames, room;
};

/* The readers whose child is running; NULL: an unused entry. */
static struct line_reader *running[MOST_CHILDREN];
/* The time in ns for which pstat has waited for children that read files of other users. */
static uint64_t waited_for_others;

/*
 * Returns a description of what the reader looks for, for warnings. If it looks for source lines
 * and inlined functions, the description mentions only the source lines.
 */
static const char *what_is_read(const struct line_reader *reader)
{
	return reader->what & SOURCE_LINES ? "source lines" : "inlined functions";
}

int line_reader__new(const struct line_file *file, unsigned int what, struct line_reader **result)
{
	struct line_reader *reader = calloc(1, sizeof(*reader));

	*result = NULL;
	if (!reader) {
		close(file->fd);
		return -ENOMEM;
	}
	*reader = (struct line_reader){
		.fd = file->fd,
		.id = *file->id,
		.debug_dirs = file->debug_dirs,
		.is_trusted = file->is_trusted,
		.what = what,
		.child = BOUNDED_CHILD_INIT,
	};
	reader->name = strdup(file->name);
	reader->strings = string_set__new();
	if (!reader->name || !reader->strings) {
		line_reader__free(reader);
		return -ENOMEM;
	}
	*result = reader;
	return 0;
}

/*
 * Ends the child if it is running. Returns the child's status from waitpid(2), or 0 if there was no
 * child.
 */
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
	string_set__free(reader->strings);
	answers__free(&reader->answers);
	free(reader->frames);
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
	struct line_child_job job = { .files = &files, .what = reader->what };
	int copy = fcntl(reader->fd, F_DUPFD_CLOEXEC, 0), err = -ENOENT;

	if (copy < 0)
		return -errno;
	dwarf_files__open(&files, copy, &reader->id, reader->debug_dirs);
	/* most installed programs have no line table; do not load libdw for them */
	if (dwarf_files__have_lines(&files) && libdw__load(what_is_read(reader))) {
		make_place(reader);
		err = bounded_child__start(&reader->child, line_child__run, &job);
	}
	dwarf_files__close(&files);
	if (err)
		end_child(reader);
	return err;
}

static void report_end(struct line_reader *reader, int status)
{
	const char *what = what_is_read(reader);

	reader->failed = true;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		pr_warn("%s: no %s: reading them takes more than %d s of CPU time", reader->name,
			what, LINE_READER_CPU_SECONDS);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == LINE_CHILD_NO_MEMORY)
		pr_warn("%s: no %s: reading them takes more than %llu MB of memory", reader->name,
			what, LINE_READER_MEMORY >> 20);
	else
		pr_warn("%s: no %s: its debug information is broken (the process that reads it "
			"ended: %s)",
			reader->name, what,
			WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it gave no answer");
}

static void warn_of_cut(struct line_reader *reader)
{
	if (!reader->warned_of_cut)
		pr_warn("%s: some inlined functions are missing: there are more than %d, or "
			"reading them takes more than %d s of CPU time",
			reader->name, DWARF_INLINE_MOST, DWARF_INLINE_CPU_SECONDS);
	reader->warned_of_cut = true;
}

static int receive(const struct line_reader *reader, void *to, size_t size)
{
	return bounded_child__receive(&reader->child, to, size, MOST_WAIT_NS);
}

/*
 * Returns the string at *@text, and moves *@text to the byte after its NUL. Returns NULL if there
 * is no NUL before @end.
 */
static const char *next_string(const char **text, const char *end)
{
	const char *begin = *text, *nul = memchr(begin, '\0', (size_t)(end - begin));

	*text = nul ? nul + 1 : end;
	return nul ? begin : NULL;
}

/*
 * Fills in @frame with copies of @function and @file, either of which may be NULL. Returns 0 or
 * -ENOMEM.
 */
static int keep_frame(struct line_reader *reader, const char *function, const char *file, int line,
		      struct source_frame *frame)
{
	*frame = (struct source_frame){ .function = NULL };
	if (function) {
		frame->function = string_set__get(reader->strings, function);
		if (!frame->function)
			return -ENOMEM;
	}
	if (!file || !*file || line <= 0)
		return 0;
	frame->file = string_set__get(reader->strings, file);
	frame->line = line;
	return frame->file ? 0 : -ENOMEM;
}

/* Appends the frames of a reply. Returns 0; -EPIPE if the reply is not valid; or -ENOMEM. */
static int add_frames(struct line_reader *reader, const struct line_reply *reply, const char *text)
{
	const char *end = text + reply->size;
	int err = 0;

	if (reader->nr_frames + reply->nr > reader->room) {
		size_t room = 2 * reader->room + SOURCE_MOST_FRAMES;
		struct source_frame *bigger = realloc(reader->frames, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		reader->frames = bigger;
		reader->room = room;
	}
	for (uint32_t i = 0; !err && i < reply->nr; i++) {
		const char *function = next_string(&text, end);
		const char *file = next_string(&text, end);

		if (!file)
			return -EPIPE;
		err = keep_frame(reader, i + 1 < reply->nr ? function : NULL, file, reply->lines[i],
				 &reader->frames[reader->nr_frames + i]);
	}
	if (!err)
		reader->nr_frames += reply->nr;
	return err;
}

/*
 * Receives the reply for one address, and appends the frames in it to reader->frames. The reply is
 * not trusted, because malicious DWARF data may have taken control of the child. Returns 0; -ENOENT
 * if there are no frames; or another -errno.
 */
static int receive_frames(struct line_reader *reader)
{
	static char text[LINE_TEXT_SIZE];
	struct line_reply reply;
	int err = receive(reader, &reply, sizeof(reply));

	if (!err && (reply.size > sizeof(text) || reply.nr > SOURCE_MOST_FRAMES))
		err = -EPIPE;
	err = err ?: receive(reader, text, reply.size);
	if (err)
		return err;
	if (reply.is_cut)
		warn_of_cut(reader);
	return reply.err || !reply.nr ? -ENOENT : add_frames(reader, &reply, text);
}

/*
 * Starts the child and receives its first reply, which contains no frames. Returns 0; -ENOENT if
 * there is no debug information; or another -errno.
 */
static int start(struct line_reader *reader)
{
	struct line_reply reply;
	int err = start_child(reader);

	err = err ?: receive(reader, &reply, sizeof(reply));
	err = err ?: reply.err ? -ENOENT : 0;
	if (err == -ENOENT)
		reader->failed = true;
	return err;
}

/*
 * Asks the child for the frames at @address. Returns 0; -ENOENT if there are none; or another
 * -errno if the child cannot answer.
 */
static int ask(struct line_reader *reader, uint64_t address)
{
	uint64_t begun = clock__now();
	int err = reader->child.pid ? 0 : start(reader);

	if (!err) {
		reader->asked_ns = begun;
		if (send(reader->child.socket, &address, sizeof(address), MSG_NOSIGNAL) ==
		    sizeof(address))
			err = receive_frames(reader);
		else
			err = -EPIPE;
	}
	if (!reader->is_trusted)
		waited_for_others += clock__now() - begun;
	return err;
}

static void give_up(struct line_reader *reader, int err)
{
	int status = end_child(reader);

	if (err == -EPIPE) {
		report_end(reader, status);
	} else if (err != -EINTR) {
		reader->failed = true;
		pr_warn("%s: no %s: %s", reader->name, what_is_read(reader), strerror(-err));
	}
}

/*
 * Returns whether LINE_READER_ANSWERS or, for a file of another user, LINE_READER_OTHERS_SECONDS is
 * exceeded. If so, warns and ends the child.
 */
static bool is_over(struct line_reader *reader)
{
	size_t bytes = string_set__bytes(reader->strings) + reader->room * sizeof(*reader->frames);

	if (bytes > LINE_READER_ANSWERS)
		pr_warn("%s: some %s are missing: they take more than %d MB of memory",
			reader->name, what_is_read(reader), LINE_READER_ANSWERS >> 20);
	else if (!reader->is_trusted &&
		 waited_for_others > LINE_READER_OTHERS_SECONDS * NSEC_PER_SEC)
		pr_warn("%s: some %s are missing: reading the files of other users has taken %d s",
			reader->name, what_is_read(reader), LINE_READER_OTHERS_SECONDS);
	else
		return false;
	reader->failed = true;
	end_child(reader);
	return true;
}

/*
 * Sets *@frames to the frames of @answer. Returns the number of frames, or -ENOENT if there are
 * none.
 */
static int frames_of(const struct line_reader *reader, const struct answer *answer,
		     const struct source_frame **frames)
{
	int nr = 1;

	if (answer->number == NOTHING)
		return -ENOENT;
	*frames = &reader->frames[answer->number];
	while ((*frames)[nr - 1].function)
		nr++;
	return nr;
}

int line_reader__find(struct line_reader *reader, uint64_t address,
		      const struct source_frame **frames)
{
	const struct answer *known = answers__find(&reader->answers, address);
	struct answer answer = { .key = address, .number = (int)reader->nr_frames };
	int err;

	if (known)
		return frames_of(reader, known, frames);
	if (reader->failed || interrupt__is_due() || is_over(reader))
		return -ENOENT;
	err = ask(reader, address);
	if (reader->failed)
		end_child(reader);
	else if (err && err != -ENOENT)
		give_up(reader, err);
	if (err && err != -ENOENT)
		return -ENOENT;
	if (err)
		answer.number = NOTHING;
	if (answers__add(&reader->answers, &answer))
		return -ENOENT;
	return frames_of(reader, &answer, frames);
}
