// SPDX-License-Identifier: GPL-2.0-only
/*
 * What older kernels cannot do with packets and task IDs. The tests use types like those of these
 * kernels.
 */
#include "tests/unit/one-tree.h"

#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/prog/prog-kernel.h"

static void write_types(struct btf *btf)
{
	__u32 size;
	const void *data = btf__raw_data(btf, &size);

	assert_non_null(data);
	fake_tree__write_bytes(&tree, data, size, "kernel/btf/vmlinux");
	btf__free(btf);
}

/*
 * Returns a kernel that has @helpers, an array that ends with NULL, and a member @len in struct
 * sk_buff.
 */
static struct prog_kernel kernel_with(const char *const *helpers, const char *len)
{
	struct sysroots roots = { .sysfs = tree.root };
	struct btf *btf = btf__new_empty();
	int u32_id = btf__add_int(btf, "u32", 4, 0), u64_id = btf__add_int(btf, "u64", 8, 0);
	struct prog_kernel kernel;

	btf__add_struct(btf, "sk_buff", 128);
	btf__add_field(btf, len, u32_id, 112 * 8, 0);
	btf__add_struct(btf, "xdp_buff", 24);
	btf__add_field(btf, "data", u64_id, 8 * 8, 0);
	btf__add_field(btf, "data_end", u64_id, 16 * 8, 0);
	btf__add_enum(btf, "bpf_func_id", 4);
	for (int i = 0; helpers[i]; i++)
		btf__add_enum_value(btf, helpers[i], i);
	write_types(btf);
	assert_int_equal(prog_kernel__look(&roots, &kernel, NULL), 0);
	return kernel;
}

#define OF_5_5 "BPF_FUNC_unspec", "BPF_FUNC_skb_output"
#define OF_5_7 OF_5_5, "BPF_FUNC_get_ns_current_pid_tgid", "BPF_FUNC_xdp_output"
#define OF_5_18 OF_5_7, "BPF_FUNC_xdp_get_buff_len"

static void a_kernel_with_all_helpers_is_asked_for_the_length_of_xdp_packets(void **state)
{
	struct prog_kernel kernel = kernel_with((const char *[]){ OF_5_18, NULL }, "len");

	(void)state;
	assert_true(kernel.has_skb && kernel.has_xdp && kernel.has_pid_ns);
	assert_int_equal(kernel.packets.skb_len, 112);
	assert_int_equal(kernel.packets.xdp_helper, 1);
}

static void without_the_helper_the_length_is_the_distance_of_the_ends(void **state)
{
	struct prog_kernel kernel = kernel_with((const char *[]){ OF_5_7, NULL }, "len");

	(void)state;
	assert_true(kernel.has_skb && kernel.has_xdp && kernel.has_pid_ns);
	assert_int_equal(kernel.packets.xdp_helper, 0);
	assert_int_equal(kernel.packets.xdp_data, 8);
	assert_int_equal(kernel.packets.xdp_data_end, 16);
}

static void the_first_kernels_with_trampolines_have_no_xdp_packets_and_no_namespaces(void **state)
{
	struct prog_kernel kernel = kernel_with((const char *[]){ OF_5_5, NULL }, "len");

	(void)state;
	assert_true(kernel.has_skb);
	assert_false(kernel.has_xdp || kernel.has_pid_ns);
}

static void a_struct_without_the_member_has_no_packets(void **state)
{
	struct prog_kernel kernel = kernel_with((const char *[]){ OF_5_18, NULL }, "length");

	(void)state;
	assert_false(kernel.has_skb);
	assert_true(kernel.has_xdp);
}

static void a_kernel_without_type_information_is_reported(void **state)
{
	struct sysroots roots = { .sysfs = "/nonexistent" };
	struct strbuf why = STRBUF_INIT;
	struct prog_kernel kernel;

	(void)state;
	assert_int_equal(prog_kernel__look(&roots, &kernel, &why), -ENOENT);
	assert_non_null(strstr(why.text, "/kernel/btf/vmlinux: No such file or directory"));
	strbuf__free(&why);
	assert_false(kernel.has_skb || kernel.has_xdp || kernel.has_pid_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_with_all_helpers_is_asked_for_the_length_of_xdp_packets),
		cmocka_unit_test(without_the_helper_the_length_is_the_distance_of_the_ends),
		cmocka_unit_test(
			the_first_kernels_with_trampolines_have_no_xdp_packets_and_no_namespaces),
		cmocka_unit_test(a_struct_without_the_member_has_no_packets),
		cmocka_unit_test(a_kernel_without_type_information_is_reported),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
