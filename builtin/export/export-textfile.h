/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the file of --textfile. A reader of the file sees either all previous metrics or all new
 * metrics. When pstat stops counting, it removes the file, so that no collector reads old metrics.
 */
#ifndef PSTAT_BUILTIN_EXPORT_TEXTFILE_H
#define PSTAT_BUILTIN_EXPORT_TEXTFILE_H

struct export_textfile;
struct strbuf;

/*
 * Checks that pstat can create files in the directory of @path. The string @path must outlive
 * *@file. Returns 0, or the exit code after reporting an error.
 */
int export_textfile__new(const char *path, struct export_textfile **file);
/*
 * Replaces the file. Returns 0, or -errno after reporting the reason. After the first successful
 * call, only warns about errors and returns 0.
 */
int export_textfile__write(struct export_textfile *file, const struct strbuf *text);
/* Removes the file if pstat has written it. @file may be NULL. */
void export_textfile__free(struct export_textfile *file);

#endif
