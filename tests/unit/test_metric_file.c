// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/stat-fixture.h"

#include <errno.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/metric/metric-file.h"
#include "util/metric/metric-table.h"

#define EXAMPLE "tests/data/metrics/example.json"

static char path[64];

static const char *write_file(const char *text)
{
	int fd;

	strcpy(path, "/tmp/pstat-metrics-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

static struct metric_table *load(const char *text)
{
	struct metric_table *table = metric_table__new();
	struct strbuf why = STRBUF_INIT;

	if (metric_file__load(write_file(text), table, &why))
		print_error("%s\n", why.text);
	assert_int_equal(why.len, 0);
	unlink(path);
	strbuf__free(&why);
	return table;
}

static void all_members_of_a_metric_are_read(void **state)
{
	struct metric_table *table =
		load("[{\"EventName\": \"x\"},\n {\"MetricName\": \"Abc\", \"MetricExpr\": "
		     "\"a\\\\-b / c\", \"MetricGroup\": \"G;H\",\n"
		     "\"ScaleUnit\": \"100%\", \"MetricThreshold\": \"Abc > 1\", "
		     "\"BriefDescription\": \"short\", \"PublicDescription\":"
		     " \"long\", \"MetricgroupNoGroup\": \"H\", \"MetricConstraint\": "
		     "\"NO_GROUP_EVENTS_SMT\", \"Unit\": \"cpu_core\",\n"
		     "\"Unknown\": 3}]");
	const struct metric_def *def = metric_table__find(table, "aBC", NULL);

	(void)state;
	assert_non_null(def);
	assert_string_equal(def->name, "Abc");
	assert_string_equal(def->expr, "a\\-b / c");
	assert_string_equal(def->groups, "G;H");
	assert_string_equal(def->scale, "100%");
	assert_string_equal(def->threshold, "Abc > 1");
	assert_string_equal(def->desc, "short");
	assert_string_equal(def->long_desc, "long");
	assert_string_equal(def->no_group_for, "H");
	assert_string_equal(def->pmu, "cpu_core");
	assert_int_equal(def->grouping, METRIC_NO_GROUP_SMT);
	assert_int_equal(def->line, 2);
	metric_table__free(table);
}

static void metrics_of_two_kinds_of_core_exist_next_to_each_other(void **state)
{
	struct metric_table *table =
		load("[{\"MetricName\": \"m\", \"MetricExpr\": \"a\", \"Unit\": \"cpu_core\"},"
		     "{\"MetricName\": \"m\", \"MetricExpr\": \"b\", \"Unit\": \"cpu_atom\"},"
		     "{\"MetricName\": \"ipc\", \"MetricExpr\": \"c\"}]");

	(void)state;
	assert_string_equal(metric_table__find(table, "m", "cpu_core")->expr, "a");
	assert_string_equal(metric_table__find(table, "m", "cpu_atom")->expr, "b");
	assert_non_null(metric_table__find(table, "m", NULL));
	assert_non_null(metric_table__find(table, "m", "cpu_other"));
	assert_null(metric_table__find(table, "n", "cpu_core"));
	/* The metric of the file replaces pstat's own. */
	assert_string_equal(metric_table__find(table, "ipc", NULL)->expr, "c");
	assert_string_equal(metric_table__find(table, "ipc", "cpu_core")->expr, "c");
	metric_table__free(table);
}

static void an_array_may_be_the_value_of_a_key(void **state)
{
	struct metric_table *table = load(
		"{\"Header\": {}, \"Metrics\": [{\"MetricName\": \"m\", \"MetricExpr\": \"a\"}]}");

	(void)state;
	assert_non_null(metric_table__find(table, "m", NULL));
	metric_table__free(table);
}

/* Objects as in the kernel's source. */
static void names_and_objects_that_vendors_publish_are_accepted(void **state)
{
	struct metric_table *table =
		load("[{\"ArchStdEvent\": \"x\", \"MetricExpr\": \"a\"},"
		     "{\"MetricName\": \"Miss_Ratio;l1d\", \"MetricExpr\": \"b\"},"
		     "{\"MetricName\": \"info _%_cycles\", \"MetricExpr\": \"c\"}]");

	(void)state;
	assert_string_equal(metric_table__find(table, "Miss_Ratio;l1d", NULL)->expr, "b");
	assert_string_equal(metric_table__find(table, "info _%_cycles", NULL)->expr, "c");
	metric_table__free(table);
}

static void a_bad_file_is_refused_with_the_line_and_the_metric(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", ":1: not JSON: " },
		{ "[\n{\"MetricName\": }]", ":2: not JSON: " },
		{ "[{\"MetricName\": \"a\", \"MetricName\": \"b\"}]", ":1: not JSON: duplicate" },
		{ "3", ":1: not JSON: " },
		{ "{}", ": not an array of objects" },
		{ "{\"Metrics\": 3}", ": not an array of objects" },
		{ "[3]", ": object 1: this is not an object" },
		{ "[{\"MetricName\": 3, \"MetricExpr\": \"a\"}]",
		  ": object 1: not a string: MetricName" },
		{ "[\n\n{\"MetricName\": \"m\"}]", ":3: metric m: it has no MetricExpr" },
		{ "[\n{\"MetricName\" : \"m\", \"MetricExpr\": \"\"}]",
		  ":2: metric m: it has no MetricExpr" },
		{ "[\n{\"MetricName\":\n\"m\", \"MetricExpr\": \"a\", \"ScaleUnit\": []}]",
		  ":3: metric m: not a string: ScaleUnit" },
		{ "[{\"MetricName\": \"m\", \"MetricExpr\": \"a\", \"MetricConstraint\": \"NO\"}]",
		  ":1: metric m: unknown MetricConstraint NO" },
		{ "[{\"MetricName\": \"k\", \"MetricExpr\": \"a\"},\n{\"MetricName\": \"m\", "
		  "\"MetricExpr\": \"a +\"}]",
		  ":2: metric m: expected a value, but the expression ends\na +\n   ^" },
		{ "[{\"MetricName\": \"k\", \"MetricExpr\": \"m + 1\"},\n{\"MetricName\": \"m\", "
		  "\"MetricExpr\": "
		  "\"(a\"}]",
		  ":2: metric m: expected ')', but the expression ends\n(a\n  ^" },
		{ "[{\"MetricName\": \"m\", \"MetricExpr\": \"a\", \"MetricThreshold\": \"m > \"}]",
		  ":1: MetricThreshold of metric m: expected a value, but the expression ends" },
		{ "[{\"MetricName\": \"k\", \"MetricExpr\": \"m\"},\n{\"MetricName\": \"m\", "
		  "\"MetricExpr\": \"2 * "
		  "k\"}]",
		  ":2: metric m: the metric 'k' refers to itself\n2 * k\n    ^" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct metric_table *table = metric_table__new();
		struct strbuf why = STRBUF_INIT, wanted = STRBUF_INIT;

		assert_int_equal(metric_file__load(write_file(rows[i].text), table, &why), -EINVAL);
		strbuf__addf(&wanted, "%s%s", path, rows[i].why);
		if (strncmp(why.text, wanted.text, wanted.len))
			print_error("%s: %s\n", rows[i].text, why.text);
		assert_int_equal(strncmp(why.text, wanted.text, wanted.len), 0);
		unlink(path);
		strbuf__free(&why);
		strbuf__free(&wanted);
		metric_table__free(table);
	}
}

static void an_invalid_metric_of_the_vendor_does_not_make_a_file_invalid(void **state)
{
	const struct metric_def vendors = { .name = "vendors", .expr = "a +" };
	struct metric_table *table = metric_table__new();
	struct strbuf why = STRBUF_INIT;

	(void)state;
	assert_int_equal(metric_table__add(table, &vendors), 0);
	assert_int_equal(metric_file__load(write_file("[{\"MetricName\": \"m\", \"MetricExpr\": "
						      "\"b\"}]"),
					   table, &why),
			 0);
	unlink(path);
	assert_int_equal(metric_file__load(write_file("[{\"MetricName\": \"n\", \"MetricExpr\": "
						      "\"vendors\"}]"),
					   table, &why),
			 -EINVAL);
	assert_non_null(strstr(why.text, "metric vendors: expected a value"));
	unlink(path);
	strbuf__free(&why);
	metric_table__free(table);
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
	struct metric_table *table = metric_table__new();
	struct strbuf why = STRBUF_INIT;

	(void)state;
	assert_int_equal(metric_file__load("/nonexistent/x.json", table, &why), -ENOENT);
	assert_string_equal(why.text,
			    "/nonexistent/x.json: cannot be read: No such file or directory");
	strbuf__reset(&why);
	assert_int_equal(metric_file__load("/", table, &why), -EISDIR);
	strbuf__free(&why);
	metric_table__free(table);
}

static void the_example_file_is_accepted(void **state)
{
	struct metric_table *table = metric_table__new();
	int own = metric_table__nr(table);
	struct strbuf why = STRBUF_INIT;

	(void)state;
	assert_int_equal(metric_file__load(EXAMPLE, table, &why), 0);
	assert_int_equal(metric_table__nr(table), own + 56);
	for (int i = 1; i < metric_table__nr(table); i++)
		assert_true(strcasecmp(metric_table__get(table, i - 1)->name,
				       metric_table__get(table, i)->name) < 0);
	strbuf__free(&why);
	metric_table__free(table);
}

static void names_are_found_in_lists(void **state)
{
	static const struct {
		const char *list, *name;
		bool found;
	} rows[] = {
		{ "a", "a", true },	  { "a", "A", true },	  { "a;b", "b", true },
		{ "a; b ;c", "b", true }, { "a;b", "ab", false }, { "ab", "a", false },
		{ "a", "ab", false },	  { "", "a", false },	  { NULL, "a", false },
		{ ";;a;", "a", true },	  { "a;b", "", false },	  { "a b;c", "a b", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(metric_table__list_has(rows[i].list, rows[i].name), rows[i].found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_members_of_a_metric_are_read),
		cmocka_unit_test(metrics_of_two_kinds_of_core_exist_next_to_each_other),
		cmocka_unit_test(an_array_may_be_the_value_of_a_key),
		cmocka_unit_test(names_and_objects_that_vendors_publish_are_accepted),
		cmocka_unit_test(a_bad_file_is_refused_with_the_line_and_the_metric),
		cmocka_unit_test(an_invalid_metric_of_the_vendor_does_not_make_a_file_invalid),
		cmocka_unit_test(a_file_that_cannot_be_read_is_named),
		cmocka_unit_test(the_example_file_is_accepted),
		cmocka_unit_test(names_are_found_in_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
