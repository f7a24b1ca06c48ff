// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/compare/baseline-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/decimal.h"
#include "util/base/json-writer.h"
#include "util/base/reason.h"
#include "util/base/report-write.h"
#include "util/base/strbuf.h"
#include "util/report/compare/baseline.h"

static void add_member(struct json_writer *w, const char *key, const char *text)
{
	if (text)
		json__string(w, key, text);
}

/* Adds `"KEY" : [1, 2.5, null]`. Whole numbers have no decimals; NAN becomes null. */
static void add_numbers(struct json_writer *w, const char *key, const double *values, int nr)
{
	json__open_array(w, key);
	for (int i = 0; i < nr; i++)
		json__element_double(w, values[i]);
	json__close_array(w);
}

static void add_attr(struct json_writer *w, const struct baseline_series *s)
{
	struct json_writer attr;

	json__open_object(w, "attr", &attr);
	json__string(&attr, "type", s->type);
	for (int i = 0; i < ATTR_NR; i++) {
		char text[24];

		snprintf(text, sizeof(text), "0x%" PRIx64, s->attr[i]);
		if (s->attr[i])
			json__string(&attr, baseline_attr_names[i], text);
	}
	json__end(&attr);
}

static void add_series(struct json_writer *w, const struct baseline_series *s)
{
	struct json_writer object;

	json__element_object(w, &object);
	json__string(&object, "event", s->event);
	add_member(&object, "cgroup", s->cgroup);
	add_member(&object, "subject", s->subject);
	add_member(&object, "aggregate", s->aggregate);
	json__string(&object, "unit", s->unit);
	add_attr(&object, s);
	add_numbers(&object, "values", s->values, s->nr);
	add_numbers(&object, "counted", s->shares, s->nr);
	if (s->per_run)
		add_numbers(&object, "runs", s->runs, s->nr);
	json__end(&object);
}

void baseline_file__add_codes(const struct baseline_times *times, struct json_writer *w,
			      const char *key)
{
	json__open_array(w, key);
	for (int i = 0; i < times->nr; i++)
		json__element_double(w, times->list[i].code < 0 ? NAN : times->list[i].code);
	json__close_array(w);
}

static void add_times(struct json_writer *w, const struct baseline_times *times)
{
	struct json_writer seconds;

	json__open_object(w, "seconds", &seconds);
	json__open_array(&seconds, "elapsed");
	for (int i = 0; i < times->nr; i++)
		json__element_double(&seconds, times->list[i].elapsed);
	json__close_array(&seconds);
	json__open_array(&seconds, "user");
	for (int i = 0; i < times->nr; i++)
		json__element_double(&seconds, times->list[i].user);
	json__close_array(&seconds);
	json__open_array(&seconds, "system");
	for (int i = 0; i < times->nr; i++)
		json__element_double(&seconds, times->list[i].system);
	json__close_array(&seconds);
	json__end(&seconds);
	baseline_file__add_codes(times, w, "exit-codes");
}

void baseline__format(const struct baseline *b, struct strbuf *sb)
{
	struct json_writer w, machine;

	json__begin(&w, sb);
	json__string(&w, "schema", "pstat baseline");
	json__uint(&w, "version", BASELINE_VERSION);
	add_member(&w, "pstat", b->version);
	add_member(&w, "time", b->time);
	add_member(&w, "target", b->target);
	json__string(&w, "values-of", b->intervals ? "intervals" : "repetitions");
	json__uint(&w, "lost-runs", b->lost_runs);
	json__open_object(&w, "machine", &machine);
	for (int i = 0; i < FACT_NR; i++)
		add_member(&machine, baseline_fact_names[i], b->facts[i]);
	json__end(&machine);
	add_times(&w, &b->times);
	json__open_array(&w, "events");
	for (int i = 0; i < b->nr; i++) {
		strbuf__adds(sb, "\n");
		add_series(&w, &b->series[i]);
	}
	json__close_array(&w);
	json__end(&w);
	strbuf__addc(sb, '\n');
}

/* ---- files ---- */

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t done = write(fd, text, len);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			text += done;
			len -= (size_t)done;
		}
	}
	return 0;
}

/* Where and how to write a file. */
struct place {
	bool directly; /* true: write to the existing file; false: rename a new file to `path` */
	/*
	 * unless `directly` is set: the path of the file to replace, with symbolic links resolved
	 * if the file exists; owned
	 */
	char *path;
	mode_t mode; /* unless `directly` is set: permissions of the new file */
};

/*
 * Returns whether @path is a link to an open file, such as /dev/stdout. Assumes that every link
 * below /dev/ or /proc/ is one. pstat must not replace the open file, because other programs may
 * also write to it.
 */
static bool is_descriptor(const char *path)
{
	struct stat st;

	return (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6)) && !lstat(path, &st) &&
	       S_ISLNK(st.st_mode);
}

static mode_t mode_of_new_files(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int find_place(const char *path, struct place *place)
{
	struct stat st;
	bool exists = !stat(path, &st);

	*place = (struct place){ .directly = (exists && !S_ISREG(st.st_mode)) ||
					     is_descriptor(path) };
	if (place->directly)
		return exists && S_ISDIR(st.st_mode) ? -EISDIR : 0;
	place->mode = exists ? st.st_mode & 0777 : mode_of_new_files();
	place->path = exists ? realpath(path, NULL) : strdup(path);
	return place->path ? 0 : -errno;
}

/*
 * Makes a new file in the directory of the file to replace. Stores the name of the new file in
 * *@name, which the caller must free. Returns an fd of the new file or -errno.
 */
static int make_next_to(const struct place *place, char **name)
{
	int fd;

	if (asprintf(name, "%s.XXXXXX", place->path) < 0) {
		*name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd >= 0 && fchmod(fd, place->mode)) {
		int err = -errno;

		close(fd);
		unlink(*name);
		return err;
	}
	return fd < 0 ? -errno : fd;
}

static int replace(const struct place *place, const struct strbuf *text)
{
	char *name;
	int fd = make_next_to(place, &name), err = fd < 0 ? fd : 0;

	if (fd >= 0) {
		err = write_all(fd, text->text, text->len);
		if (!err && fsync(fd))
			err = -errno;
		if (close(fd) && !err)
			err = -errno;
		if (!err && rename(name, place->path))
			err = -errno;
		if (err)
			unlink(name);
	}
	free(name);
	return err;
}

static int write_directly(const char *path, const struct strbuf *text)
{
	/*
	 * O_APPEND: if @path is /dev/stdout, pstat must not overwrite what other programs write to
	 * the same file. O_NONBLOCK: pstat must not wait for a reader of a named pipe, because
	 * Ctrl-C cannot end the wait if signals are blocked.
	 */
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err;
	FILE *file = NULL;

	if (fd >= 0 && !fcntl(fd, F_SETFL, O_WRONLY | O_APPEND))
		file = fdopen(fd, "a");
	if (!file) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = report_write(file, text->text, text->len);
	return fclose(file) && !err ? -errno : err;
}

int baseline_file__write(const char *path, const struct strbuf *text, struct strbuf *why)
{
	struct place place = { 0 };
	int err = strbuf__failed(text) ? -ENOMEM : find_place(path, &place);

	if (!err)
		err = place.directly ? write_directly(path, text) : replace(&place, text);
	free(place.path);
	return reason__set(why, err, "%s: cannot be written: %s", path, strerror(-err));
}

/*
 * Returns true if @dir has the sticky bit, like /tmp, and this bit keeps pstat from replacing
 * @path: neither @dir nor @path belongs to the user, and the user is not root.
 */
static bool is_protected(const char *path, const char *dir)
{
	struct stat file, parent;
	uid_t uid = geteuid();

	return uid && !stat(dir, &parent) && parent.st_mode & S_ISVTX && parent.st_uid != uid &&
	       !stat(path, &file) && file.st_uid != uid;
}

static int check_replacing(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int err = 0;

	if (!dir)
		return -ENOMEM;
	if (access(dir, W_OK | X_OK) || (!access(path, F_OK) && access(path, W_OK)))
		err = -errno;
	else if (is_protected(path, dir))
		err = -EPERM;
	free(dir);
	return err;
}

int baseline_file__check(const char *path)
{
	struct place place;
	int err = find_place(path, &place);

	if (!err && place.directly)
		err = access(path, W_OK) ? -errno : 0;
	else if (!err)
		err = check_replacing(place.path);
	free(place.path);
	return err;
}

int baseline__save(const struct baseline *b, const char *path, struct strbuf *why)
{
	struct strbuf text = STRBUF_INIT;
	int err;

	baseline__format(b, &text);
	err = baseline_file__write(path, &text, why);
	strbuf__free(&text);
	return err;
}
