/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads /tmp/perf-PID.map, in which a just-in-time compiler (of java, node or python, for example)
 * lists the functions that it has compiled. Each line is `START SIZE NAME`, where START and SIZE
 * are hexadecimal. tools/perf/Documentation/jit-interface.txt of Linux describes the format.
 */
#ifndef PSTAT_MACHINE_PERF_MAP_H
#define PSTAT_MACHINE_PERF_MAP_H

struct symbol_table;

/*
 * The maximum size of a file in bytes, and its maximum number of functions. If a file exceeds a
 * limit, pstat ignores the rest of the file.
 */
#define PERF_MAP_MOST_BYTES (128 << 20)
#define PERF_MAP_MOST_FUNCTIONS (1 << 20)

/*
 * Adds the functions in the file @fd, which stays open. If several lines have the same start, the
 * last one is used. Skips lines in other formats. Returns 0; -E2BIG if the file exceeds a limit;
 * -EINTR if a signal asks pstat to end; -ENOMEM; or another -errno if the file cannot be read.
 */
int perf_map__read(struct symbol_table *table, int fd);

#endif
