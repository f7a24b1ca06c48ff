/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads and writes baselines (see baseline.h) as JSON. Documentation/baseline.schema.json is the
 * schema. Reading needs libjansson, which is loaded at first use.
 */
#ifndef PSTAT_REPORT_COMPARE_BASELINE_FILE_H
#define PSTAT_REPORT_COMPARE_BASELINE_FILE_H

struct baseline;
struct baseline_times;
struct json_writer;
struct strbuf;

/* The version of the schema. Files of a later version are refused. */
#define BASELINE_VERSION 1

/* Adds the JSON text of @b to @sb. */
void baseline__format(const struct baseline *b, struct strbuf *sb);
/*
 * Adds the exit statuses of the repetitions as an array with the key @key. The element of a
 * repetition without an exit status is null.
 */
void baseline_file__add_codes(const struct baseline_times *times, struct json_writer *w,
			      const char *key);

/*
 * These functions write a text or a baseline to @path. They write a new file, and then replace
 * @path with the new file. So a reader never sees an incomplete file, and an error leaves @path
 * unchanged. If @path is a symbolic link to an existing file, this file is replaced, not the link.
 * If the new file replaces another file, it gets the permissions of that file. If @path exists but
 * is not a regular file, or if it is a link to an open file, such as /dev/stdout, the functions
 * instead write to @path directly. They return 0, or -errno with the reason in @why.
 */
int baseline_file__write(const char *path, const struct strbuf *text, struct strbuf *why);
int baseline__save(const struct baseline *b, const char *path, struct strbuf *why);

/* Returns 0 if the permissions allow writing to @path, otherwise -errno. Writes nothing. */
int baseline_file__check(const char *path);

/*
 * Reads a baseline from a file, or from standard input if @path is "-", and stores it in *@out.
 * Returns 0, or -errno with the reason in @why. If the file is invalid, the reason names the
 * invalid part.
 */
int baseline__load(const char *path, struct baseline **out, struct strbuf *why);

#endif
