/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the fields that a tracepoint records, according to the tracepoint's `format` file in
 * tracefs.
 */
#ifndef PSTAT_EVENT_TP_FORMAT_H
#define PSTAT_EVENT_TP_FORMAT_H

#include <stdbool.h>

struct strbuf;
struct sysroots;
struct tp_format;

/*
 * Reads the fields of the tracepoint @system:@name. Returns 0; -ENOENT if there is no such
 * tracepoint; -EINVAL if the tracepoint's file is malformed; -ENOMEM; or another -errno if the file
 * cannot be read.
 */
int tp_format__new(const struct sysroots *roots, const char *system, const char *name,
		   struct tp_format **format);
void tp_format__free(struct tp_format *format);

/*
 * Returns the name of field @i, or NULL after the last field. The tracepoint's own fields come
 * first, followed by the fields that all tracepoints have (common_pid, ...).
 */
const char *tp_format__field(const struct tp_format *format, int i);

/*
 * Adds the names of the tracepoint's own fields to @sb: "prev_comm, prev_pid, …". Omits the fields
 * that all tracepoints have. Adds nothing if the file cannot be used.
 */
void tp_format__describe(const struct sysroots *roots, const char *system, const char *name,
			 struct strbuf *sb);

#endif
