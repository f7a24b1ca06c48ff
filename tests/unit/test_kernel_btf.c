// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's types, in a file that libbpf writes, so that the test does not depend on pstat's
 * idea of the format.
 */
#include "tests/unit/one-tree.h"

#include <bpf/btf.h>
#include <errno.h>

#include "util/base/sysfs.h"
#include "util/machine/bpf/kernel-btf.h"

static void write_bytes(const void *data, size_t size)
{
	fake_tree__write_bytes(&tree, data, size, "kernel/btf/vmlinux");
}

/*
 * One type of each kind, so that the test shows that each is skipped correctly, and then the types
 * that pstat looks up.
 */
static struct btf *make_types(void)
{
	struct btf *btf = btf__new_empty();
	int u32_id = btf__add_int(btf, "u32", 4, 0), proto, nameless;

	btf__add_ptr(btf, u32_id);
	btf__add_array(btf, u32_id, u32_id, 7);
	btf__add_fwd(btf, "forward", BTF_FWD_STRUCT);
	btf__add_volatile(btf, u32_id);
	btf__add_const(btf, u32_id);
	btf__add_restrict(btf, 2);
	btf__add_float(btf, "double", 8);
	btf__add_var(btf, "variable", BTF_VAR_STATIC, u32_id);
	btf__add_datasec(btf, ".data", 4);
	btf__add_datasec_var_info(btf, 9, 0, 4);
	btf__add_decl_tag(btf, "tag", 1, -1);
	btf__add_type_tag(btf, "rcu", u32_id);
	btf__add_enum64(btf, "big", 8, false);
	btf__add_enum64_value(btf, "HUGE", 1ULL << 40);
	proto = btf__add_func_proto(btf, u32_id);
	btf__add_func_param(btf, "a", u32_id);
	btf__add_func_param(btf, "b", u32_id);
	btf__add_func(btf, "function", BTF_FUNC_GLOBAL, proto);
	btf__add_enum(btf, "ids", 4);
	btf__add_enum_value(btf, "FIRST", 0);
	btf__add_enum_value(btf, "NINTH", 9);
	nameless = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "inner", u32_id, 0, 0);
	btf__add_field(btf, "other", u32_id, 32, 0);
	btf__add_struct(btf, "subject", 32);
	btf__add_field(btf, "first", u32_id, 0, 0);
	btf__add_field(btf, NULL, nameless, 64, 0);
	btf__add_field(btf, "last", u32_id, 192, 0);
	btf__add_struct(btf, "bits", 4);
	btf__add_field(btf, "flag", u32_id, 3, 1);
	btf__add_typedef(btf, "subject", u32_id);
	return btf;
}

static struct kernel_btf *open_made(struct btf *btf)
{
	struct sysroots roots = { .sysfs = tree.root };
	struct kernel_btf *kernel;
	const void *data;
	__u32 size;

	data = btf__raw_data(btf, &size);
	assert_non_null(data);
	write_bytes(data, size);
	assert_int_equal(kernel_btf__open(&roots, &kernel), 0);
	return kernel;
}

static void types_have_the_ids_that_libbpf_gives_them(void **state)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} wanted[] = { { "u32", BTF_KIND_INT },
		       { "ids", BTF_KIND_ENUM },
		       { "subject", BTF_KIND_STRUCT },
		       { "subject", BTF_KIND_TYPEDEF },
		       { "function", BTF_KIND_FUNC } };
	struct kernel_btf_type types[6] = { [5] = { .name = "none", .kind = BTF_KIND_STRUCT } };
	struct btf *btf = make_types();
	struct kernel_btf *kernel = open_made(btf);

	(void)state;
	for (int i = 0; i < 5; i++)
		types[i] =
			(struct kernel_btf_type){ .name = wanted[i].name, .kind = wanted[i].kind };
	assert_int_equal(kernel_btf__find(kernel, types, 6), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(types[i].id,
				 btf__find_by_name_kind(btf, wanted[i].name, wanted[i].kind));
	assert_int_equal(types[5].id, 0);
	kernel_btf__close(kernel);
	btf__free(btf);
}

static void members_are_found_at_their_offsets(void **state)
{
	struct kernel_btf_type types[] = { { .name = "subject", .kind = BTF_KIND_STRUCT },
					   { .name = "bits", .kind = BTF_KIND_STRUCT },
					   { .name = "ids", .kind = BTF_KIND_ENUM },
					   { .name = "none", .kind = BTF_KIND_ENUM } };
	struct btf *btf = make_types();
	struct kernel_btf *kernel = open_made(btf);

	(void)state;
	assert_int_equal(kernel_btf__find(kernel, types, 4), 0);
	assert_int_equal(kernel_btf__member(kernel, &types[0], "first"), 0);
	assert_int_equal(kernel_btf__member(kernel, &types[0], "inner"), 8);
	assert_int_equal(kernel_btf__member(kernel, &types[0], "other"), 12);
	assert_int_equal(kernel_btf__member(kernel, &types[0], "last"), 24);
	assert_int_equal(kernel_btf__member(kernel, &types[0], "none"), -ENOENT);
	assert_int_equal(kernel_btf__member(kernel, &types[1], "flag"), -EINVAL);
	assert_int_equal(kernel_btf__member(kernel, &types[2], "NINTH"), -ENOENT);
	assert_int_equal(kernel_btf__enum_value(kernel, &types[2], "NINTH"), 9);
	assert_int_equal(kernel_btf__enum_value(kernel, &types[2], "TENTH"), -ENOENT);
	assert_int_equal(kernel_btf__enum_value(kernel, &types[3], "NINTH"), -ENOENT);
	kernel_btf__close(kernel);
	btf__free(btf);
}

static void a_struct_that_is_its_own_member_is_searched_quickly(void **state)
{
	struct kernel_btf_type types[] = { { .name = "circle", .kind = BTF_KIND_STRUCT } };
	struct btf *btf = btf__new_empty();
	struct kernel_btf *kernel;
	int id = btf__add_struct(btf, "circle", 8);

	(void)state;
	for (int i = 0; i < 50; i++)
		btf__add_field(btf, NULL, id, 0, 0);
	btf__add_field(btf, "last", id, 0, 0);
	kernel = open_made(btf);
	assert_int_equal(kernel_btf__find(kernel, types, 1), 0);
	assert_int_equal(kernel_btf__member(kernel, types, "last"), 0);
	assert_int_equal(kernel_btf__member(kernel, types, "none"), -EINVAL);
	kernel_btf__close(kernel);
	btf__free(btf);
}

static void a_truncated_or_missing_file_is_refused(void **state)
{
	struct sysroots roots = { .sysfs = tree.root };
	struct btf *btf = make_types();
	struct kernel_btf *kernel;
	const void *data;
	__u32 size;

	(void)state;
	data = btf__raw_data(btf, &size);
	for (__u32 len = 1; len < size; len += 13) {
		write_bytes(data, len);
		assert_int_equal(kernel_btf__open(&roots, &kernel), -EINVAL);
		assert_null(kernel);
	}
	write_bytes("a text of more than a header's length, and no types", 50);
	assert_int_equal(kernel_btf__open(&roots, &kernel), -EINVAL);
	roots.sysfs = "/nonexistent";
	assert_int_equal(kernel_btf__open(&roots, &kernel), -ENOENT);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_have_the_ids_that_libbpf_gives_them),
		cmocka_unit_test(members_are_found_at_their_offsets),
		cmocka_unit_test(a_struct_that_is_its_own_member_is_searched_quickly),
		cmocka_unit_test(a_truncated_or_missing_file_is_refused),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
