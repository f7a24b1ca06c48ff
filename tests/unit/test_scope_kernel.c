// SPDX-License-Identifier: GPL-2.0-only
/* Scopes in the kernel: its functions, tracepoints and system calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tests/unit/scope-fixture.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope.h"

static void system_calls_are_found_by_name(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "syscall:write,read,write"), 0);
	assert_int_equal(f->list.nr, 2);
	assert_string_equal(f->list.scopes[0].name, "write");
	assert_int_equal(f->list.scopes[0].begin->syscall, SYS_write);
	assert_true(f->list.scopes[0].end->at_return);
	assert_int_equal(add(f, "syscall"), 0);
	assert_true(f->list.nr > 300);
	expect_error(f, "syscall:read,wriet", -ENOENT, 14, "similar names: 'write'");
}

static void tracepoints_have_ids(void **state)
{
	struct fixture *f = *state;
	const struct scope *scope;

	f->roots.tracefs = f->tree.root;
	fake_tree__write(&f->tree, "7", "events/block/issue/id");
	fake_tree__write(&f->tree, "8", "events/block/complete/id");
	fake_tree__write(&f->tree, "0", "events/block/enable");
	assert_int_equal(add(f, "tp:block:issue..complete"), 0);
	scope = &f->list.scopes[0];
	assert_string_equal(scope->name, "block:issue..complete");
	assert_int_equal(scope->begin->tp_id, 7);
	assert_int_equal(scope->end->tp_id, 8);
	assert_int_equal(add(f, "tp:b*:*..block:complete"), 0);
	assert_int_equal(f->list.scopes[1].nr_begin, 2);
	expect_error(f, "tp:block:isseu..complete", -ENOENT, 10, "similar names: 'issue'");
	expect_error(f, "tp:blokc:issue..complete", -ENOENT, 4, "similar names: 'block'");
	expect_error(f, "tp:block:enable..complete", -ENOENT, 10, "no tracepoint 'enable'");
}

static void functions_of_the_kernel_are_those_that_ftrace_lists(void **state)
{
	struct fixture *f = *state;

	f->roots.tracefs = f->roots.procfs = f->tree.root;
	fake_tree__write(&f->tree,
			 "vfs_read\ninit\ninit\nrun [kvm]\nrun\n"
			 "show\nshow\nshow [kvm]\n__ftrace_invalid_address___7",
			 "available_filter_functions");
	fake_tree__write(&f->tree,
			 "ffffffff81000014 vfs_read\nffffffff81000020 init\n"
			 "ffffffff81000030 init\nffffffffa0000044 run [kvm]\n"
			 "ffffffff81000084 run",
			 "available_filter_functions_addrs");
	fake_tree__write(&f->tree,
			 "ffffffff81000000 T __pfx_vfs_read\nffffffff81000010 T vfs_read\n"
			 "ffffffff81000050 t secret\nffffffff8100002c t init\n"
			 "ffffffff81000060 T __x64_sys_getpid\nffffffff81000010 t alias_of_read\n"
			 "ffffffff81000080 t run\nffffffff81000100 t show\n"
			 "ffffffff81000200 t show\nffffffffa0000040 t run\t[kvm]\n"
			 "ffffffffa0000080 t show\t[kvm]",
			 "kallsyms");
	assert_int_equal(add(f, "func:vfs_read"), 0);
	assert_string_equal(f->list.scopes[0].begin->func, "vfs_read");
	/* the name suffices */
	assert_int_equal(f->list.scopes[0].begin->address, 0);
	assert_int_equal(add(f, "func:init"), 0);
	assert_int_equal(f->list.nr, 3);
	/*
	 * kallsyms lists only the second `init`; the address of the first one is from the ftrace
	 * list.
	 */
	assert_int_equal(f->list.scopes[1].begin->address, 0xffffffff81000020);
	assert_int_equal(f->list.scopes[2].begin->address, 0xffffffff8100002c);
	assert_int_equal(add(f, "func:kvm:*"), 0);
	assert_int_equal(f->list.nr, 5);
	assert_string_equal(f->list.scopes[3].begin->module, "kvm");
	assert_int_equal(f->list.scopes[3].begin->address, 0xffffffffa0000040);
	assert_int_equal(add(f, "func:[sv]*"), 0);
	assert_int_equal(f->list.nr, 9);
	assert_int_equal(f->list.scopes[6].begin->address, 0xffffffff81000200);
	assert_int_equal(f->list.scopes[7].begin->address, 0xffffffffa0000080);
	assert_string_equal(f->list.scopes[7].begin->module, "kvm");
	assert_int_equal(f->list.scopes[8].begin->address, 0);
	expect_error(f, "func:secret", -EOPNOTSUPP, 6, "does not permit probes");
	expect_error(f, "func:__x64_sys_getpid", -EOPNOTSUPP, 6, "syscall:getpid");
	expect_error(f, "func:alias_of_read", -EOPNOTSUPP, 6, "other name: func:vfs_read");
	expect_error(f, "func:vfs_raed", -ENOENT, 6, "similar names: 'vfs_read'");
	expect_error(f, "func:x*", -ENOENT, 6, "matches 'x*'");
}

static void without_a_list_of_ftrace_the_names_of_all_functions_are_used(void **state)
{
	struct fixture *f = *state;

	f->roots.tracefs = f->roots.procfs = f->tree.root;
	expect_error(f, "func:vfs_read", -ENOENT, 6, "cannot be read");
	fake_tree__write(&f->tree,
			 "0000000000000000 T vfs_read\n0000000000000000 t vfs_read\n"
			 "0000000000000000 D vfs_data\n0000000000000000 t run\t[kvm]",
			 "kallsyms");
	assert_int_equal(add(f, "func:vfs_*"), 0);
	assert_int_equal(f->list.nr, 1);
	assert_int_equal(add(f, "func:kvm:run"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(system_calls_are_found_by_name),
		TEST(tracepoints_have_ids),
		TEST(functions_of_the_kernel_are_those_that_ftrace_lists),
		TEST(without_a_list_of_ftrace_the_names_of_all_functions_are_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
