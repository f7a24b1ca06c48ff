// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as /sys/kernel/btf/vmlinux. The file must be refused, or the types, members and
 * values must be those that libbpf finds, if libbpf also accepts the file.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "util/base/log.h"
#include "util/count/bpf-util.h"
#include "util/machine/bpf/kernel-btf.h"

#define NR_TYPES 6
#define BITS_MAX (1 << 24)

static char path[128];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	bpf_util__init();
	machine__init();
	fake_roots__file(&machine, "sys/kernel/btf/vmlinux", "");
	snprintf(path, sizeof(path), "%s/kernel/btf/vmlinux", machine.sysfs);
	return 0;
}

static void write_file(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
}

static const char *name_of(const struct btf *btf, uint32_t offset)
{
	return btf__name_by_offset(btf, offset) ?: "";
}

/* Returns the offset in bytes of a direct member of the type, or -1 if there is none. */
static int own_member(const struct btf *btf, const struct btf_type *type, const char *name)
{
	const struct btf_member *members = btf_members(type);

	for (int i = 0; i < btf_vlen(type); i++) {
		uint32_t bits = btf_member_bit_offset(type, (uint32_t)i);

		if (!members[i].name_off)
			return -1; /* a member of this nameless struct may have the name */
		if (!strcmp(name_of(btf, members[i].name_off), name))
			return btf_member_bitfield_size(type, (uint32_t)i) || bits % 8 ||
					       bits > BITS_MAX ?
				       -1 :
				       (int)bits / 8;
	}
	return -1;
}

/*
 * Returns whether @name occurs exactly once in the table of strings, and as a whole string, as the
 * names of types in the kernel do.
 */
static bool is_like_kernels(const struct btf *btf, const char *name)
{
	uint32_t size, seen = 0;
	const char *raw = btf__raw_data(btf, &size);
	const struct btf_header *head = (const void *)raw;
	const char *strings, *end;

	if (!raw)
		return false;
	strings = raw + head->hdr_len + head->str_off;
	end = strings + head->str_len;
	for (const char *at = strings + 1; at + strlen(name) < end; at++)
		if (!memcmp(at, name, strlen(name) + 1))
			seen += at[-1] ? 2 : 1;
	return seen == 1;
}

static void compare(const struct kernel_btf *kernel, const struct btf *btf,
		    const struct kernel_btf_type *found)
{
	int id = btf__find_by_name_kind(btf, found->name, found->kind), own;
	const struct btf_type *type;

	if (found->id) {
		type = btf__type_by_id(btf, found->id);
		if (!type || btf_kind(type) != found->kind ||
		    strcmp(name_of(btf, type->name_off), found->name) != 0)
			abort();
		own = found->kind == BTF_KIND_STRUCT ? own_member(btf, type, "member") : -1;
		if (own >= 0 && kernel_btf__member(kernel, found, "member") != own)
			abort();
	}
	if (is_like_kernels(btf, found->name) && (uint32_t)(id < 0 ? 0 : id) != found->id)
		abort();
}

static void find(const struct kernel_btf *kernel, const struct btf *btf)
{
	struct kernel_btf_type types[NR_TYPES] = { { .name = "subject", .kind = BTF_KIND_STRUCT },
						   { .name = "ids", .kind = BTF_KIND_ENUM },
						   { .name = "u32", .kind = BTF_KIND_INT },
						   { .name = "function", .kind = BTF_KIND_FUNC },
						   { .name = "bits", .kind = BTF_KIND_UNION },
						   { .name = "", .kind = BTF_KIND_STRUCT } };
	static const char *const members[] = { "member", "inner", "flag", "none" };

	if (kernel_btf__find(kernel, types, NR_TYPES))
		abort();
	for (int i = 0; i < NR_TYPES; i++) {
		if (!types[i].id != !types[i].type)
			abort();
		for (size_t m = 0; m < sizeof(members) / sizeof(members[0]); m++)
			if (kernel_btf__member(kernel, &types[i], members[m]) > BITS_MAX)
				abort();
		kernel_btf__enum_value(kernel, &types[i], "NINTH");
		if (btf && *types[i].name)
			compare(kernel, btf, &types[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_btf *kernel;
	struct btf *btf;
	int err;

	write_file(data, size);
	err = kernel_btf__open(&machine.roots, &kernel);
	if (err ? kernel || err != -EINVAL : !kernel)
		abort();
	if (err)
		return 0;
	btf = btf__new(data, (uint32_t)size);
	find(kernel, btf);
	btf__free(btf);
	kernel_btf__close(kernel);
	return 0;
}
