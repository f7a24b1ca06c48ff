// SPDX-License-Identifier: GPL-2.0-only
/* Scopes in files that other processes run: deleted, replaced, in another mount namespace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope.h"

#define FUNCTION "scope_process_function"
int scope_process_function(int value);

int __attribute__((noinline)) scope_process_function(int value)
{
	return value + 1;
}

struct fixture {
	struct scope_list list;
	struct scope_env env;
	struct strbuf why;
	char dir[64], copy[96], spec[256];
	pid_t child;
};

/* Copies this program to @path. */
static void copy_self(const char *path)
{
	int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_WRONLY | O_CREAT, 0755);
	char block[65536];
	ssize_t n;

	assert_true(from >= 0 && to >= 0);
	while ((n = read(from, block, sizeof(block))) > 0)
		assert_int_equal(write(to, block, (size_t)n), n);
	close(from);
	close(to);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->why = (struct strbuf)STRBUF_INIT;
	f->env.roots = sysroots__host();
	strcpy(f->dir, "/tmp/pstat-scope-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->copy, sizeof(f->copy), "%s/copy", f->dir);
	snprintf(f->spec, sizeof(f->spec), "uprobe:%s:" FUNCTION, f->copy);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->child > 0) {
		kill(f->child, SIGKILL);
		waitpid(f->child, NULL, 0);
	}
	unlink(f->copy);
	rmdir(f->dir);
	scope_list__free(&f->list);
	strbuf__free(&f->why);
	free(f);
	return 0;
}

static int add(struct fixture *f)
{
	strbuf__reset(&f->why);
	return scope_list__add(&f->list, &f->env, f->spec, &f->why);
}

static ino_t inode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* Runs the copy, which then waits. Returns when the program has begun. */
static void run_copy(struct fixture *f)
{
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	f->child = fork();
	if (!f->child) {
		dup2(ready[1], 1);
		execl(f->copy, f->copy, "wait", NULL);
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
}

static void a_deleted_program_is_found_through_its_process(void **state)
{
	struct fixture *f = *state;
	char link[64];

	copy_self(f->copy);
	run_copy(f);
	unlink(f->copy);
	assert_int_equal(add(f), -ENOENT);
	f->env.pid = f->child;
	if (add(f) && strstr(f->why.text, "Operation not permitted"))
		skip(); /* reading map_files needs CAP_CHECKPOINT_RESTORE */
	assert_int_equal(f->list.nr, 1);
	snprintf(link, sizeof(link), "/proc/%d/exe", f->child);
	assert_int_equal(f->list.files[0].inode, inode_of(link));
}

static void a_replaced_program_is_the_one_that_the_process_runs(void **state)
{
	struct fixture *f = *state;
	char link[64];

	copy_self(f->copy);
	run_copy(f);
	unlink(f->copy);
	copy_self(f->copy);
	assert_int_equal(add(f), 0);
	assert_int_equal(f->list.files[0].inode, inode_of(f->copy));
	f->env.pid = f->child;
	if (add(f) && strstr(f->why.text, "Operation not permitted"))
		skip(); /* reading map_files needs CAP_CHECKPOINT_RESTORE */
	assert_int_equal(f->list.nr_files, 2);
	snprintf(link, sizeof(link), "/proc/%d/exe", f->child);
	assert_int_equal(f->list.files[1].inode, inode_of(link));
}

static void the_file_stays_open_after_it_was_replaced(void **state)
{
	struct fixture *f = *state;
	char path[64];
	ino_t before;

	copy_self(f->copy);
	before = inode_of(f->copy);
	assert_int_equal(add(f), 0);
	unlink(f->copy);
	copy_self(f->copy);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->list.files[0].fd);
	assert_int_equal(inode_of(path), before);
}

static void paths_are_those_of_the_mount_namespace_of_the_process(void **state)
{
	struct fixture *f = *state;
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	f->child = fork();
	if (!f->child) {
		char there[128];

		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("none", f->dir, "tmpfs", 0, NULL))
			_exit(1);
		/* a link inside the namespace */
		snprintf(there, sizeof(there), "%s/there", f->dir);
		copy_self(there);
		if (symlink(there, f->copy) || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		skip(); /* this needs CAP_SYS_ADMIN */
	close(ready[0]);
	assert_int_equal(add(f), -ENOENT);
	f->env.pid = f->child;
	if (add(f))
		fail_msg("%s", f->why.text);
	assert_int_equal(f->list.nr, 1);
	strcpy(f->spec, "uprobe:/nonexistent:f");
	assert_int_equal(add(f), -ENOENT);
	assert_non_null(strstr(f->why.text, "mount namespace"));
}

static void expect_library(struct fixture *f, const char *spec, int err, const char *part)
{
	strcpy(f->spec, spec);
	assert_int_equal(add(f), err);
	if (err)
		assert_non_null(strstr(f->why.text, part));
	else
		assert_string_equal(f->list.scopes[f->list.nr - 1].name, part);
}

static void libraries_are_found_in_the_directories_of_the_environment(void **state)
{
	static const char *const names[] = { "libpstat-x.so", "libpstat-x.so.1",
					     "libpstat-x.so.2" };
	struct fixture *f = *state;
	char paths[3][128];

	setenv("LD_LIBRARY_PATH", f->dir, 1);
	for (int i = 0; i < 3; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", f->dir, names[i]);
		copy_self(paths[i]);
		/* The file without a version in its name does not count as another version. */
		if (i < 2)
			expect_library(f, "uprobe:libpstat-x:" FUNCTION, 0,
				       "libpstat-x.so:" FUNCTION);
	}
	expect_library(f, "uprobe:libpstat-x:" FUNCTION, 0, "libpstat-x.so:" FUNCTION);
	unlink(paths[0]);
	expect_library(f, "uprobe:libpstat-x:" FUNCTION, -EINVAL,
		       "write libpstat-x.so.1 or libpstat-x.so.2");
	expect_library(f, "uprobe:libpstat-x.so.2:" FUNCTION, 0, "libpstat-x.so.2:" FUNCTION);
	unlink(paths[1]);
	unlink(paths[2]);
	unsetenv("LD_LIBRARY_PATH");
	expect_library(f, "uprobe:libpstat-x:" FUNCTION, -ENOENT, "no library");
}

static void return_probes_of_go_programs_are_refused(void **state)
{
	struct fixture *f = *state;
	char command[256];

	copy_self(f->copy);
	snprintf(command, sizeof(command),
		 "objcopy --add-section .go.buildinfo=/etc/hostname %s 2>/dev/null", f->copy);
	if (system(command))
		skip();
	assert_int_equal(add(f), -EOPNOTSUPP);
	assert_non_null(strstr(f->why.text, "Go program"));
	assert_non_null(strstr(f->why.text, FUNCTION ".." FUNCTION "%returns"));
	/* The specification that the message recommends works. */
	snprintf(f->spec, sizeof(f->spec), "uprobe:%s:" FUNCTION ".." FUNCTION "%%returns",
		 f->copy);
	assert_int_equal(add(f), 0);
	assert_true(f->list.scopes[0].nr_end >= 1);
	snprintf(f->spec, sizeof(f->spec), "uprobe:%s:" FUNCTION ".." FUNCTION "%%return", f->copy);
	assert_int_equal(add(f), -EOPNOTSUPP);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_deleted_program_is_found_through_its_process),
		TEST(a_replaced_program_is_the_one_that_the_process_runs),
		TEST(the_file_stays_open_after_it_was_replaced),
		TEST(paths_are_those_of_the_mount_namespace_of_the_process),
		TEST(libraries_are_found_in_the_directories_of_the_environment),
		TEST(return_probes_of_go_programs_are_refused),
	};

	if (argc > 1 && !strcmp(argv[1], "wait")) {
		if (write(1, "", 1) == 1)
			pause();
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
