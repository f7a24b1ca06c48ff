/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the times of commands in the format of `hyperfine --export-json` (hyperfine 1.15 to 1.18).
 * Hyperfine's plotting scripts can read the file.
 */
#ifndef PSTAT_REPORT_COMPARE_HYPERFINE_H
#define PSTAT_REPORT_COMPARE_HYPERFINE_H

struct baseline;
struct strbuf;

/*
 * Writes a result for each of the @nr baselines (baseline.h) to @path. Returns 0, or -errno with
 * the reason in @why. Returns -EINVAL if a baseline contains intervals instead of repetitions.
 */
int hyperfine__save(const struct baseline *const *baselines, int nr, const char *path,
		    struct strbuf *why);

#endif
