/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the types of BPF programs. */
#ifndef PSTAT_MACHINE_BPF_PROG_TYPE_H
#define PSTAT_MACHINE_BPF_PROG_TYPE_H

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * Adds the name of @type (enum bpf_prog_type), or, for example, "type 99" if the type has no known
 * name.
 */
void bpf_prog_type__add_name(uint32_t type, struct strbuf *sb);

/*
 * Returns the types called @name as a bit mask: bit N is type N of enum bpf_prog_type. Returns 0 if
 * no type has this name. Some names, such as "cgroup" and "tc", stand for several types.
 */
uint64_t bpf_prog_type__parse(const char *name);

/*
 * Returns the name at the index @nr in the list of names that bpf_prog_type__parse() accepts, or
 * NULL after the end of the list.
 */
const char *bpf_prog_type__known(size_t nr);

#endif
