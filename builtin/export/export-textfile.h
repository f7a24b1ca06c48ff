/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of --textfile. A reader sees either all previous metrics or all new ones. When the count
 * ends, the file is removed, so that no collector reads old metrics.
 */
#ifndef PSTAT_BUILTIN_EXPORT_TEXTFILE_H
#define PSTAT_BUILTIN_EXPORT_TEXTFILE_H

struct export_textfile;
struct strbuf;

/*
 * Checks that files can be made in the directory of @path, which must outlive the result. Returns
 * 0, or the exit code after reporting an error.
 */
int export_textfile__new(const char *path, struct export_textfile **file);
/* Replaces the file. Returns 0, or -errno after reporting the reason. */
int export_textfile__write(struct export_textfile *file, const struct strbuf *text);
/* Removes the file if it was written. @file may be NULL. */
void export_textfile__free(struct export_textfile *file);

#endif
