// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs at the points of --start and --stop, for -b. The programs that count runs
 * (prog_profiler.bpf.c) are in other objects, with which this object shares the map of the variable
 * `gate`.
 */
#include "gate_runs.bpf.h"

char LICENSE[] SEC("license") = "GPL";
