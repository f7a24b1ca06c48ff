// SPDX-License-Identifier: GPL-2.0-only
/* Output that cannot be written. */
#include "tests/unit/stat-fixture.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* /dev/full accepts no data. */
static void a_full_disk_is_an_error_from_the_first_write_on(void **state)
{
	struct output_config config = { .format = &output_std, .file = fopen("/dev/full", "w") };
	struct output_head head = { .kind = TARGET_SYSTEM };
	struct output *output;

	(void)state;
	assert_non_null(config.file);
	assert_int_equal(output__new(&config, &output), 0);
	assert_int_equal(output__begin(output, &head), -ENOSPC);
	assert_int_equal(output__end(output, &(struct output_foot){ 0 }), -ENOSPC);
	output__free(output);
	fclose(config.file);
}

/* A pipe without a reader. */
static void a_closed_pipe_is_an_error(void **state)
{
	struct output_config config = { .format = &output_std };
	struct output_head head = { .kind = TARGET_SYSTEM };
	struct output *output;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	config.file = fdopen(fds[1], "w");
	assert_non_null(config.file);
	close(fds[0]);
	assert_int_equal(output__new(&config, &output), 0);
	assert_int_equal(output__begin(output, &head), -EPIPE);
	output__free(output);
	fclose(config.file);
	signal(SIGPIPE, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_disk_is_an_error_from_the_first_write_on),
		cmocka_unit_test(a_closed_pipe_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
