/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A few facts of the running kernel's own types, from /sys/kernel/btf/vmlinux: ids of types, places of members. The file has a
 * hundred thousand types and more; libbpf indexes them all (9 ms), where one pass over them does for the handful that is asked for
 * (1 ms). The format is that of linux/btf.h.
 */
#ifndef PSTAT_MACHINE_KERNEL_BTF_H
#define PSTAT_MACHINE_KERNEL_BTF_H

#include <stdint.h>

struct kernel_btf;
struct sysroots;

/* A type to be found. */
struct kernel_btf_type {
	const char *name;
	uint32_t kind;	  /* BTF_KIND_* */
	uint32_t id;	  /* found; 0: there is none */
	const void *type; /* its struct btf_type, good as long as the kernel_btf is */
};

/* 0 and *@btf; -ENOENT when this kernel tells nothing of its types, -EINVAL when the file is none, or another -errno. */
int kernel_btf__open(const struct sysroots *roots, struct kernel_btf **btf);
void kernel_btf__close(struct kernel_btf *btf);

/* Fills id and type of each of @types; of several of one name and kind, the first is taken. 0 or -ENOMEM; none is found then. */
int kernel_btf__find(const struct kernel_btf *btf, struct kernel_btf_type *types, int nr);

/*
 * Offset in bytes of @member in a struct or union that was found, also when it stands in a nameless one in it; -ENOENT when there
 * is none of that name, -EINVAL when it is a bit field, or the file makes no sense.
 */
int kernel_btf__member(const struct kernel_btf *btf, const struct kernel_btf_type *type, const char *member);

/* The value of @name in an enum that was found; -ENOENT. */
int kernel_btf__enum_value(const struct kernel_btf *btf, const struct kernel_btf_type *type, const char *name);

#endif
