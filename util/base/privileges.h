/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the privileges of this process, and whether a seccomp filter probably refused a system
 * call. A filter can make calls fail with EPERM even for root.
 */
#ifndef PSTAT_BASE_PRIVILEGES_H
#define PSTAT_BASE_PRIVILEGES_H

#include <stdbool.h>

/* Returns whether this process has a seccomp filter, as in many containers and services. */
bool privileges__are_filtered(void);

/* Returns whether this process has CAP_SYS_ADMIN. */
bool privileges__allow_all(void);
/* Returns whether this process has every privilege that the kernel requires for opening events. */
bool privileges__allow_events(void);
/* Returns whether this process has every privilege that loading BPF programs requires. */
bool privileges__allow_bpf(void);

/* Returns whether @err, a negative errno from libbpf, was probably caused by a seccomp filter. */
bool privileges__filter_refuses_bpf(int err);
/*
 * Call this only if privileges__filter_refuses_bpf() returned true. Returns the name of the call
 * that the seccomp filter seems to refuse: "memfd_create" or "bpf". libbpf 1.4 and later call
 * memfd_create(2) for each map.
 */
const char *privileges__refused_bpf_call(void);

/*
 * privileges__bpf_reason() returns the reason why a libbpf call failed with EPERM, and
 * privileges__bpf_advice() returns what the user can do about it. Both texts are clauses without a
 * full stop. @by_id is true if the call tried to open a program by its id, which needs
 * CAP_SYS_ADMIN. It is false if the call tried to load a program.
 */
const char *privileges__bpf_reason(bool by_id);
const char *privileges__bpf_advice(bool by_id);

#endif
