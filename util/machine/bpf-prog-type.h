/* SPDX-License-Identifier: GPL-2.0-only */
/* The types of BPF programs by name. */
#ifndef PSTAT_MACHINE_BPF_PROG_TYPE_H
#define PSTAT_MACHINE_BPF_PROG_TYPE_H

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* Adds the name of @type (enum bpf_prog_type); "type 99" for one that is newer than this table. */
void bpf_prog_type__add_name(uint32_t type, struct strbuf *sb);

/* The types that @name stands for, bit 1 << type for each; 0 when it is none. "cgroup" and "tc" are several. */
uint64_t bpf_prog_type__parse(const char *name);

/* The @nr-th name that parse knows, or NULL behind the last. */
const char *bpf_prog_type__known(size_t nr);

#endif
