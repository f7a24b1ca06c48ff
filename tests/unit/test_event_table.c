// SPDX-License-Identifier: GPL-2.0-only
/* Parses the rows of tests/data/events.txt with the whole event layer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <time.h>

#include "tests/unit/machine-files.h"
#include "tests/unit/show-events.h"
#include "util/base/log.h"
#include "util/event/parse-events.h"

#define TABLE "tests/data/events.txt"
#define ROWS_MIN 300

struct table {
	struct fake_roots machine;
	struct event_env env;
	bool loaded;
	int nr_rows, nr_wrong, line;
	char *text, *expected; /* the current row */
};

/* The possible sources of a row. The head of the table explains them. */
static bool is_source(const char *word)
{
	static const char *const words[] = { "perf",	"uapi", "files", "src",
					     "refused", "own",	"newer" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static void wrong(struct table *table, const char *what, const char *got)
{
	table->nr_wrong++;
	print_error("%s:%d: '%s'\n", TABLE, table->line, table->text);
	print_error("\texpected\t%s\n\t%s\t%s\n", table->expected, what, got);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* The fake machine's directory has a different name in each run. */
static void hide_root(struct strbuf *text, const char *dir)
{
	char *whole = strdup(text->text), *at;

	assert_non_null(whole);
	at = strstr(whole, dir);
	strbuf__reset(text);
	if (at)
		strbuf__addf(text, "%.*sROOT%s", (int)(at - whole), whole, at + strlen(dir));
	else
		strbuf__adds(text, whole);
	free(whole);
}

static void check_row(struct table *table)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf got = STRBUF_INIT, message = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	uint64_t start = now_ms();
	int err = parse_events(evlist, table->text, &table->env, &error);

	if (now_ms() - start > 1000)
		wrong(table, "took", "over a second");
	if (err) {
		assert_int_equal(err, -EINVAL);
		assert_int_equal(evlist->nr, 0);
		assert_true(error.column <= strlen(table->text));
		strbuf__addf(&got, "%zu: %s", error.column, error.reason.text);
		parse_error__format(&error, &message);
	} else {
		assert_false(parse_error__is_set(&error));
		show_events(&got, evlist);
	}
	hide_root(&got, table->machine.dir);
	if (strcmp(got.text, table->expected))
		wrong(table, "got     ", got.text);
	table->nr_rows++;
	strbuf__free(&message);
	strbuf__free(&got);
	parse_error__free(&error);
	evlist__free(evlist);
}

static void set_machine(struct table *table, const char *name)
{
	bool bpf_prog = strstr(name, " -b");
	char machine[64];

	snprintf(machine, sizeof(machine), "%.*s", (int)strcspn(name, " "), name);
	if (table->loaded)
		fake_roots__remove(&table->machine);
	fake_roots__load(&table->machine, machine);
	table->loaded = true;
	table->env = (struct event_env){ .roots = &table->machine.roots,
					 .bpf_prog = bpf_prog,
					 .quiet_regroup = true };
}

/* "STRING  -> EXPECTED  # SOURCE"; a string in double quotes may begin and end with white space. */
static void read_row(struct table *table, char *row)
{
	char *arrow = strstr(row, " -> "), *source = strrchr(row, '#');

	if (!arrow || !source || !is_source(source + 2)) {
		print_error("%s:%d: no row: %s\n", TABLE, table->line, row);
		fail();
	}
	while (source[-1] == ' ')
		source--;
	*source = '\0';
	table->expected = arrow + 4;
	while (arrow > row && arrow[-1] == ' ')
		arrow--;
	*arrow = '\0';
	table->text = row;
	if (*row == '"') {
		arrow[-1] = '\0';
		table->text = row + 1;
	}
	check_row(table);
}

static void test_every_row_of_the_table_holds(void **state)
{
	struct strbuf row = STRBUF_INIT;
	struct table table = { 0 };
	FILE *file = fopen(TABLE, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	(void)state;
	assert_non_null(file);
	while ((len = getline(&line, &room, file)) > 0) {
		table.line++;
		line[len - 1] = '\0';
		if (!row.len && (!*line || *line == '#'))
			continue;
		if (!strncmp(line, "machine ", 8)) {
			set_machine(&table, line + 8);
			continue;
		}
		/* A line that begins with a tab continues the previous row, up to the source. */
		strbuf__adds(&row, row.len ? " " : "");
		strbuf__adds(&row, *line == '\t' ? line + 1 : line);
		if (!strstr(row.text, "  # "))
			continue;
		read_row(&table, row.text);
		strbuf__reset(&row);
	}
	assert_int_equal(row.len, 0);
	free(line);
	strbuf__free(&row);
	fclose(file);
	if (table.loaded)
		fake_roots__remove(&table.machine);
	print_message("%d rows\n", table.nr_rows);
	assert_int_equal(table.nr_wrong, 0);
	assert_true(table.nr_rows >= ROWS_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_of_the_table_holds),
	};

	log__set_level(LOG_ERROR); /* some rows set bits that are in no format */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
