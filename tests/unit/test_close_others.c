// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/close-others.h"

#define FIRST 10
#define LAST 20

/* Makes close_range(2) fail in this process, as some containers do. */
static bool refuse_close_range(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
	       syscall(SYS_close_range, LAST, LAST, 0) < 0;
}

/* Returns the first descriptor that is wrongly open or closed, or 0. */
static int wrong_one(void)
{
	const int kept[] = { 17, -1, FIRST, 12 };
	int null = open("/dev/null", O_RDONLY);

	for (int fd = FIRST - 1; fd <= LAST; fd++)
		dup2(null, fd);
	close_others(FIRST, kept, sizeof(kept) / sizeof(kept[0]));
	for (int fd = FIRST - 1; fd <= LAST; fd++) {
		bool is_kept = fd < FIRST || fd == FIRST || fd == 12 || fd == 17;

		if (is_kept != (fcntl(fd, F_GETFD) >= 0))
			return fd;
	}
	return 0;
}

static void expect_none_wrong(bool refused)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(refused && !refuse_close_range() ? 1 : wrong_one());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void only_the_other_descriptors_are_closed(void **state)
{
	(void)state;
	expect_none_wrong(false);
}

static void the_other_descriptors_are_closed_without_close_range(void **state)
{
	(void)state;
	expect_none_wrong(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_other_descriptors_are_closed),
		cmocka_unit_test(the_other_descriptors_are_closed_without_close_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
