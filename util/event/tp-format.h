/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields that a tracepoint records, out of its `format` file in tracefs (read by libtraceevent). */
#ifndef PSTAT_EVENT_TP_FORMAT_H
#define PSTAT_EVENT_TP_FORMAT_H

#include <stdbool.h>

struct strbuf;
struct sysroots;
struct tp_format;

/* 0; -errno when its file cannot be read (-ENOENT: no such tracepoint), -EINVAL when it makes no sense; -ENOMEM. */
int tp_format__new(const struct sysroots *roots, const char *system, const char *name, struct tp_format **format);
void tp_format__free(struct tp_format *format);

/* Names of the fields, in order, until NULL: those of this tracepoint, then those that all have (common_pid …). */
const char *tp_format__field(const struct tp_format *format, int i);

/* Adds "prev_comm, prev_pid, …", the fields of this tracepoint; nothing when the file is of no use. */
void tp_format__describe(const struct sysroots *roots, const char *system, const char *name, struct strbuf *sb);

#endif
