// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/kernel-btf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/sysfs.h"

/* The maximum depth of nested anonymous structs and unions in a search for a member. */
#define NESTING_MAX 8
/* The maximum number of anonymous structs and unions that such a search examines. */
#define NAMELESS_MAX 256
/*
 * The maximum offset of a member, in bits. The kernel's largest structs are about 2,000,000 bits
 * long.
 */
#define OFFSET_MAX (1 << 24)

struct kernel_btf {
	char *data;
	size_t size;
	bool mapped;
	const char *strings;
	size_t strings_len;
	const char *types, *types_end;
};

/*
 * Reads the whole file into memory, because kernels before Linux 6.16 do not allow mapping the
 * file.
 */
static int read_all(struct kernel_btf *btf, int fd)
{
	size_t len = 0;

	btf->data = malloc(btf->size);
	if (!btf->data)
		return -ENOMEM;
	while (len < btf->size) {
		ssize_t n = read(fd, btf->data + len, btf->size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EINVAL;
		len += (size_t)n;
	}
	return 0;
}

static int load(struct kernel_btf *btf, int fd)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st))
		return -errno;
	btf->size = (size_t)st.st_size;
	if (btf->size < sizeof(struct btf_header))
		return -EINVAL;
	map = mmap(NULL, btf->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return read_all(btf, fd);
	btf->data = map;
	btf->mapped = true;
	return 0;
}

/* Returns whether the @len bytes from @start are within the file. */
static bool is_inside(const struct kernel_btf *btf, uint64_t start, uint64_t len)
{
	return start <= btf->size && len <= btf->size - start;
}

static int find_sections(struct kernel_btf *btf)
{
	const struct btf_header *head = (const struct btf_header *)btf->data;
	uint64_t strings = (uint64_t)head->hdr_len + head->str_off,
		 types = (uint64_t)head->hdr_len + head->type_off;

	if (head->magic != BTF_MAGIC || !is_inside(btf, strings, head->str_len) ||
	    !is_inside(btf, types, head->type_len) || types % sizeof(uint32_t))
		return -EINVAL;
	if (!head->str_len || btf->data[strings + head->str_len - 1])
		return -EINVAL;
	btf->strings = btf->data + strings;
	btf->strings_len = head->str_len;
	btf->types = btf->data + types;
	btf->types_end = btf->types + head->type_len;
	return 0;
}

int kernel_btf__open(const struct sysroots *roots, struct kernel_btf **out)
{
	struct kernel_btf *btf = calloc(1, sizeof(*btf));
	char path[PATH_MAX];
	int fd, err;

	*out = NULL;
	if (!btf)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/kernel/btf/vmlinux", roots->sysfs);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : load(btf, fd);
	err = err ?: find_sections(btf);
	if (fd >= 0)
		close(fd);
	if (err)
		kernel_btf__close(btf);
	else
		*out = btf;
	return err;
}

void kernel_btf__close(struct kernel_btf *btf)
{
	if (!btf)
		return;
	if (btf->mapped)
		munmap(btf->data, btf->size);
	else
		free(btf->data);
	free(btf);
}

static const char *string_at(const struct kernel_btf *btf, uint32_t offset)
{
	return offset < btf->strings_len ? btf->strings + offset : "";
}

/*
 * Returns the number of bytes that follow a struct btf_type and belong to it, or -1 if its kind is
 * unknown.
 */
static long extra_bytes(const struct btf_type *type)
{
	long vlen = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
		return sizeof(uint32_t);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * (long)sizeof(struct btf_member);
	case BTF_KIND_DATASEC:
		return vlen * (long)sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return vlen * (long)sizeof(struct btf_enum64);
	case BTF_KIND_ENUM:
		return vlen * (long)sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return vlen * (long)sizeof(struct btf_param);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

/*
 * Returns the type after @type, or the first type if @type is NULL. Returns NULL after the last
 * type, or if the file is malformed.
 */
static const struct btf_type *next_type(const struct kernel_btf *btf, const struct btf_type *type)
{
	const char *next = btf->types;
	long extra;

	if (type) {
		extra = extra_bytes(type);
		if (extra < 0)
			return NULL;
		next = (const char *)(type + 1) + extra;
	}
	if ((size_t)(btf->types_end - next) < sizeof(*type) || next > btf->types_end)
		return NULL;
	type = (const struct btf_type *)next;
	extra = extra_bytes(type);
	return extra >= 0 && extra <= btf->types_end - (const char *)(type + 1) ? type : NULL;
}

/*
 * Returns the offset of the string @name, or 0 if there is no such string. The file contains each
 * string only once, so all types with this name refer to the same offset.
 */
static uint32_t find_string(const struct kernel_btf *btf, const char *name)
{
	size_t len = strlen(name) + 1;
	const char *from = btf->strings, *end = btf->strings + btf->strings_len;

	while ((from = memmem(from, (size_t)(end - from), name, len)) && from > btf->strings &&
	       from[-1])
		from++;
	return from ? (uint32_t)(from - btf->strings) : 0;
}

int kernel_btf__find(const struct kernel_btf *btf, struct kernel_btf_type *types, int nr)
{
	uint32_t *names = calloc((size_t)nr + 1, sizeof(*names));
	const struct btf_type *type = NULL;
	int left = 0;

	for (int i = 0; i < nr; i++) {
		types[i].id = 0;
		types[i].type = NULL;
	}
	if (!names)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		names[i] = find_string(btf, types[i].name);
		left += names[i] != 0;
	}
	for (uint32_t id = 1; left && (type = next_type(btf, type)); id++) {
		for (int i = 0; i < nr; i++) {
			if (type->name_off != names[i] || !names[i] || types[i].id ||
			    BTF_INFO_KIND(type->info) != types[i].kind)
				continue;
			types[i].id = id;
			types[i].type = type;
			left--;
		}
	}
	free(names);
	return 0;
}

void kernel_btf__each_function(const struct kernel_btf *btf,
			       void (*fn)(void *ctx, const char *name), void *ctx)
{
	const struct btf_type *type = NULL;

	while ((type = next_type(btf, type)))
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC)
			fn(ctx, string_at(btf, type->name_off));
}

static const struct btf_type *type_of_id(const struct kernel_btf *btf, uint32_t wanted)
{
	const struct btf_type *type = NULL;

	for (uint32_t id = 1; (type = next_type(btf, type)) && id < wanted; id++)
		;
	return type;
}

/*
 * Returns the offset in bits of the member @name of @type, or -ENOENT or -EINVAL for the same
 * reasons as kernel_btf__member(). @depth is the number of structs and unions around @type. *@left
 * is the number of anonymous structs and unions that may still be searched.
 */
static int member_offset(const struct kernel_btf *btf, const struct btf_type *type,
			 const char *name, int depth, int *left)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1);
	bool has_fields = BTF_INFO_KFLAG(type->info);
	uint32_t kind = BTF_INFO_KIND(type->info);

	if ((kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION) || depth > NESTING_MAX)
		return -ENOENT;
	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const struct btf_member *member = &members[i];
		uint32_t at = has_fields ? BTF_MEMBER_BIT_OFFSET(member->offset) : member->offset;
		const struct btf_type *nameless;
		int inside;

		if (!strcmp(string_at(btf, member->name_off), name))
			return at > OFFSET_MAX || (has_fields &&
						   BTF_MEMBER_BITFIELD_SIZE(member->offset)) ?
				       -EINVAL :
				       (int)at;
		if (member->name_off)
			continue;
		if (!(*left)--)
			return -EINVAL;
		nameless = type_of_id(btf, member->type);
		inside = nameless ? member_offset(btf, nameless, name, depth + 1, left) : -ENOENT;
		if (inside != -ENOENT)
			return inside < 0			  ? inside :
			       at > OFFSET_MAX - (uint32_t)inside ? -EINVAL :
								    (int)at + inside;
	}
	return -ENOENT;
}

int kernel_btf__member(const struct kernel_btf *btf, const struct kernel_btf_type *type,
		       const char *name)
{
	int left = NAMELESS_MAX;
	int bits = type->type ? member_offset(btf, type->type, name, 0, &left) : -ENOENT;

	return bits < 0 ? bits : bits % 8 ? -EINVAL : bits / 8;
}

int kernel_btf__enum_value(const struct kernel_btf *btf, const struct kernel_btf_type *found,
			   const char *name)
{
	const struct btf_type *type = found->type;
	const struct btf_enum *values;

	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_ENUM)
		return -ENOENT;
	values = (const struct btf_enum *)(type + 1);
	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++)
		if (!strcmp(string_at(btf, values[i].name_off), name))
			return values[i].val;
	return -ENOENT;
}
