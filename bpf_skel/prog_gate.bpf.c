// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs at the points of --start and --stop, with -b. The programs that count the targets
 * (prog_profiler.bpf.c) are in other objects, which share the map `gate`.
 */
#include "gate_runs.bpf.h"

char LICENSE[] SEC("license") = "GPL";
