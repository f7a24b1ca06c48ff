// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"

/* The text written to standard error between begin() and taken(). */
static FILE *taken_file;
static int stderr_fd;
static char text[65536];

static void begin(void)
{
	fflush(stderr);
	taken_file = tmpfile();
	assert_non_null(taken_file);
	stderr_fd = dup(STDERR_FILENO);
	dup2(fileno(taken_file), STDERR_FILENO);
}

static const char *taken(void)
{
	size_t len;

	fflush(stderr);
	dup2(stderr_fd, STDERR_FILENO);
	close(stderr_fd);
	rewind(taken_file);
	len = fread(text, 1, sizeof(text) - 1, taken_file);
	text[len] = '\0';
	fclose(taken_file);
	return text;
}

static int at_the_start_level(void **state)
{
	(void)state;
	log__set_level(LOG_WARNING);
	return 0;
}

static void plain_messages_have_a_level_but_no_prefix(void **state)
{
	(void)state;
	begin();
	log__plain_at(LOG_INFO, "cs: %d\n", 1);
	log__set_level(LOG_INFO);
	log__plain_at(LOG_INFO, "cs: %d\n", 2);
	log__plain_at(LOG_DEBUG, "cs: %d\n", 3);
	assert_string_equal(taken(), "cs: 2\n");
}

static void names_in_a_message_do_not_move_the_cursor(void **state)
{
	(void)state;
	begin();
	pr_err("a\033[2Jb\rc: why\n\td\302\233\ttry\n\te\t");
	assert_string_equal(taken(), "pstat: a?[2Jb?c: why\n       \td?\ttry\n       \te\t\n");
}

static char sunk[64];

static void sink(enum log_level level, const char *said)
{
	assert_int_equal(level, LOG_WARNING);
	snprintf(sunk, sizeof(sunk), "%s", said);
}

static int without_a_sink(void **state)
{
	log__set_sink(NULL);
	return at_the_start_level(state);
}

static void all_messages_go_to_the_sink(void **state)
{
	(void)state;
	log__set_level(LOG_INFO);
	log__set_sink(sink);
	begin();
	pr_warn("a warning");
	log__plain("Events enabled\n");
	log__plain_at(LOG_INFO, "cs: 1\n");
	assert_string_equal(taken(), "");
	assert_string_equal(sunk, "a warning");
}

/* Runs first, before any test sets a level. */
static void warnings_are_printed_by_default_and_lower_levels_are_not(void **state)
{
	(void)state;
	begin();
	pr_err("error");
	pr_warn("warning");
	pr_info("info");
	pr_debug("debug");
	assert_string_equal(taken(), "pstat: error\npstat: warning\n");
	assert_true(log__enabled(LOG_ERROR) && log__enabled(LOG_WARNING));
	assert_false(log__enabled(LOG_INFO) || log__enabled(LOG_DEBUG));
}

static void each_level_adds_one_kind_of_message(void **state)
{
	static const char *const said[] = {
		[LOG_ERROR] = "pstat: e\n",
		[LOG_WARNING] = "pstat: e\npstat: w\n",
		[LOG_INFO] = "pstat: e\npstat: w\npstat: i\n",
		[LOG_DEBUG] = "pstat: e\npstat: w\npstat: i\npstat: d\n",
	};

	(void)state;
	for (int level = LOG_ERROR; level <= LOG_DEBUG; level++) {
		log__set_level((enum log_level)level);
		begin();
		pr_err("e");
		pr_warn("w");
		pr_info("i");
		pr_debug("d");
		assert_string_equal(taken(), said[level]);
	}
}

static void values_are_inserted_into_messages(void **state)
{
	(void)state;
	begin();
	pr_err("%s on CPU %d: %s", "cycles", 3, "100%");
	assert_string_equal(taken(), "pstat: cycles on CPU 3: 100%\n");
}

static void further_lines_are_indented_below_the_first(void **state)
{
	(void)state;
	begin();
	pr_err("one\ntwo\nthree");
	assert_string_equal(taken(), "pstat: one\n"
				     "       two\n"
				     "       three\n");
}

static void a_newline_at_the_end_does_not_add_a_line(void **state)
{
	(void)state;
	begin();
	pr_err("one\n");
	pr_err("one\ntwo\n");
	assert_string_equal(taken(), "pstat: one\npstat: one\n       two\n");
}

static void a_long_message_is_printed_completely(void **state)
{
	char *word = malloc(20001);

	(void)state;
	assert_non_null(word);
	memset(word, 'x', 20000);
	word[20000] = '\0';
	begin();
	pr_err("%s", word);
	taken();
	assert_int_equal(strlen(text), strlen("pstat: \n") + 20000);
	assert_memory_equal(text + strlen("pstat: "), word, 20000);
	free(word);
}

static void a_message_that_may_be_printed_once_is_printed_once(void **state)
{
	(void)state;
	begin();
	/* a message that is not printed at this level is not remembered */
	log__print_once(LOG_INFO, "CPU %d", 1);
	for (int i = 0; i < 3; i++) {
		pr_warn_once("CPU %d", 1);
		pr_warn_once("CPU %d", 2);
		pr_warn("again");
	}
	assert_string_equal(taken(), "pstat: CPU 1\npstat: CPU 2\npstat: again\npstat: again\n"
				     "pstat: again\n");
	/* If there are too many messages to remember, some may be repeated, but none is missing. */
	begin();
	for (int i = 0; i < 100; i++)
		pr_warn_once("event %d", i);
	assert_non_null(strstr(taken(), "pstat: event 99\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warnings_are_printed_by_default_and_lower_levels_are_not),
		cmocka_unit_test_teardown(each_level_adds_one_kind_of_message, at_the_start_level),
		cmocka_unit_test(values_are_inserted_into_messages),
		cmocka_unit_test(further_lines_are_indented_below_the_first),
		cmocka_unit_test(a_newline_at_the_end_does_not_add_a_line),
		cmocka_unit_test(names_in_a_message_do_not_move_the_cursor),
		cmocka_unit_test(a_long_message_is_printed_completely),
		cmocka_unit_test(a_message_that_may_be_printed_once_is_printed_once),
		cmocka_unit_test_teardown(all_messages_go_to_the_sink, without_a_sink),
		cmocka_unit_test_teardown(plain_messages_have_a_level_but_no_prefix,
					  at_the_start_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
