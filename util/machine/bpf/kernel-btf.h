/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads ids of types, offsets of members, values of enums and names of functions from the running
 * kernel's BTF, /sys/kernel/btf/vmlinux (format: linux/btf.h). The file contains more than 100,000
 * types, and libbpf needs 9 ms to index all of them. kernel_btf__find() needs only 1 ms, because it
 * makes a single pass over the file, and finds only the needed types.
 */
#ifndef PSTAT_MACHINE_KERNEL_BTF_H
#define PSTAT_MACHINE_KERNEL_BTF_H

#include <stdint.h>

struct kernel_btf;
struct sysroots;

/* A type to find. */
struct kernel_btf_type {
	const char *name;
	uint32_t kind;	  /* BTF_KIND_* */
	uint32_t id;	  /* result; 0: not found */
	const void *type; /* result: the struct btf_type, valid until kernel_btf__close() */
};

/*
 * Opens the kernel's BTF. Returns 0 and sets *@btf; -ENOENT if this kernel provides no BTF; -EINVAL
 * if the file is not BTF; or another -errno.
 */
int kernel_btf__open(const struct sysroots *roots, struct kernel_btf **btf);
void kernel_btf__close(struct kernel_btf *btf);

/*
 * For each of the @nr elements of @types, finds the first type with the element's name and kind,
 * and sets `id` and `type`. Returns 0, or -ENOMEM without finding any type.
 */
int kernel_btf__find(const struct kernel_btf *btf, struct kernel_btf_type *types, int nr);

/* Calls @fn for the name of each function. The names are valid until @btf is closed. */
void kernel_btf__each_function(const struct kernel_btf *btf,
			       void (*fn)(void *ctx, const char *name), void *ctx);

/*
 * Returns the offset in bytes of @member in the struct or union @type. Also searches the anonymous
 * structs and unions in @type. Returns -ENOENT if kernel_btf__find() has not found @type, or if
 * there is no such member. Returns -EINVAL if the member is a bit field or the file is malformed.
 */
int kernel_btf__member(const struct kernel_btf *btf, const struct kernel_btf_type *type,
		       const char *member);

/*
 * Returns the value of the constant @name of the enum @type. Returns -ENOENT if kernel_btf__find()
 * has not found @type, or if @type has no such constant.
 */
int kernel_btf__enum_value(const struct kernel_btf *btf, const struct kernel_btf_type *type,
			   const char *name);

#endif
