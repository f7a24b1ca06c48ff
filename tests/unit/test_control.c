// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/control.h"

static int write_end;

static struct control *make_control(int *read_end)
{
	struct control_spec spec = { .ack_fd = -1 };
	struct strbuf why = STRBUF_INIT;
	struct control *control;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	spec.fd = *read_end = ends[0];
	write_end = ends[1];
	assert_int_equal(control__open(&spec, &control, &why), 0);
	return control;
}

static void send(struct control *control, const char *text)
{
	assert_int_equal(write(write_end, text, strlen(text)), strlen(text));
	control__read(control);
}

static void expect(struct control *control, enum control_command command)
{
	assert_int_equal(control__next(control), command);
}

static void the_rest_of_a_line_that_is_too_long_is_ignored(void **state)
{
	struct control *control;
	char line[512];
	int read_end;

	(void)state;
	log__set_level(LOG_ERROR);
	control = make_control(&read_end);
	memset(line, 'x', 255);
	strcpy(line + 255, "stop\n");
	send(control, line);
	expect(control, CONTROL_NONE);
	control__read(control);
	expect(control, CONTROL_NONE);
	send(control, "ping\nenable");
	expect(control, CONTROL_PING);
	expect(control, CONTROL_ENABLE);
	expect(control, CONTROL_NONE);
	close(write_end);
	control__read(control);
	expect(control, CONTROL_CLOSED);
	control__close(control);
	close(read_end);
}

static void the_rest_of_a_long_line_may_arrive_in_pieces(void **state)
{
	struct control *control;
	char line[256];
	int read_end;

	(void)state;
	log__set_level(LOG_ERROR);
	control = make_control(&read_end);
	memset(line, 'x', 255);
	line[255] = '\0';
	send(control, line);
	expect(control, CONTROL_NONE);
	send(control, "disable");
	expect(control, CONTROL_NONE);
	send(control, "stop");
	expect(control, CONTROL_NONE);
	send(control, "\nping\n");
	expect(control, CONTROL_PING);
	expect(control, CONTROL_NONE);
	close(write_end);
	control__close(control);
	close(read_end);
}

static void an_argument_follows_a_space_in_a_whole_line(void **state)
{
	struct control *control;
	int read_end;

	(void)state;
	log__set_level(LOG_ERROR);
	control = make_control(&read_end);
	send(control, "enable a b\nevlist -v\nping x\nstop now\ndisable \nenable\nevlist -");
	expect(control, CONTROL_ENABLE);
	assert_string_equal(control__argument(control), "a b");
	expect(control, CONTROL_EVLIST);
	assert_string_equal(control__argument(control), "-v");
	expect(control, CONTROL_DISABLE);
	assert_string_equal(control__argument(control), "");
	expect(control, CONTROL_ENABLE);
	assert_null(control__argument(control));
	expect(control, CONTROL_NONE);
	send(control, "g\n");
	expect(control, CONTROL_EVLIST);
	assert_string_equal(control__argument(control), "-g");
	close(write_end);
	control__close(control);
	close(read_end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_argument_follows_a_space_in_a_whole_line),
		cmocka_unit_test(the_rest_of_a_line_that_is_too_long_is_ignored),
		cmocka_unit_test(the_rest_of_a_long_line_may_arrive_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
