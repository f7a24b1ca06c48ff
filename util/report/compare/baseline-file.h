/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Baselines as JSON files, whose schema is Documentation/baseline.schema.json. Reading needs
 * libjansson, which is loaded at first use.
 */
#ifndef PSTAT_REPORT_COMPARE_BASELINE_FILE_H
#define PSTAT_REPORT_COMPARE_BASELINE_FILE_H

struct baseline;
struct baseline_times;
struct json_writer;
struct strbuf;

/* The version of the schema. Files of a later version are refused. */
#define BASELINE_VERSION 1

/* Adds the text of the file. Fails only as @sb does. */
void baseline__format(const struct baseline *b, struct strbuf *sb);
/* Adds the exit statuses as an array; null: the command has none. */
void baseline_file__add_codes(const struct baseline_times *times, struct json_writer *w,
			      const char *key);

/*
 * The first function writes @text, and the second one writes a baseline. A new file gets
 * the text and then replaces @path, so a reader never sees a part of it, and a failure leaves @path
 * as it was. If @path is a symbolic link, the file to which it points is replaced, and keeps its
 * permissions. A path that is not a regular file, or is a link to an open file, for example
 * /dev/stdout, is written to directly. They return 0, or -errno with the reason in @why.
 */
int baseline_file__write(const char *path, const struct strbuf *text, struct strbuf *why);
int baseline__save(const struct baseline *b, const char *path, struct strbuf *why);

/* Returns 0 if @path can probably be written, otherwise -errno. Writes nothing. */
int baseline_file__check(const char *path);

/*
 * Reads a file, or standard input if @path is "-". Returns 0; or -errno with the reason in @why,
 * which names the invalid part of the file.
 */
int baseline__load(const char *path, struct baseline **out, struct strbuf *why);

#endif
