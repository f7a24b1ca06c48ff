// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/output/http-accept.h"

#define TEXT FORMAT_PROMETHEUS_TEXT
#define OPENMETRICS FORMAT_OPENMETRICS

struct example {
	const char *accept;
	enum metric_format format;
};

static void check(const struct example *examples, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (http_accept__format(examples[i].accept) != examples[i].format)
			fail_msg("Accept: %s", examples[i].accept ?: "(none)");
}

static void the_formats_that_prometheus_asks_for(void **state)
{
	static const struct example examples[] = {
		/* Prometheus 2.42 */
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		  "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  OPENMETRICS },
		/* Prometheus 3.0, with and without protocol buffers */
		{ "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
		  "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;"
		  "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		  OPENMETRICS },
		{ "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
		  "encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,"
		  "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		  OPENMETRICS },
		/* if the configuration of Prometheus asks for text */
		{ "text/plain;version=0.0.4;q=0.6,*/*;q=0.5", TEXT },
		{ "text/plain;version=0.0.4,*/*;q=0.1", TEXT },
		/* a version of Prometheus that is older than the standard */
		{ "application/openmetrics-text;version=0.0.1,text/plain;version=0.0.4;q=0.5,*/"
		  "*;q=0.1",
		  TEXT },
	};

	(void)state;
	check(examples, sizeof(examples) / sizeof(examples[0]));
}

static void the_larger_weight_and_the_more_exact_range_decide(void **state)
{
	static const struct example examples[] = {
		{ NULL, TEXT },
		{ "", TEXT },
		{ "*/*", TEXT },
		{ "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT },
		{ "application/openmetrics-text", OPENMETRICS },
		{ "Application/OpenMetrics-Text ; Version=\"1.0.0\"", OPENMETRICS },
		{ "application/*", OPENMETRICS },
		{ "application/*;q=0.1, text/*;q=0.2", TEXT },
		{ "application/*;q=0.2, text/*;q=0.1", OPENMETRICS },
		{ "*/*, text/plain;q=0.5", OPENMETRICS },
		{ "*/*;q=0.5, application/openmetrics-text;q=0", TEXT },
		{ "*/*, application/openmetrics-text;q=0.999", TEXT },
		{ "text/plain;q=0.001, application/openmetrics-text;q=0.002", OPENMETRICS },
		/* none is acceptable */
		{ "application/json", TEXT },
		{ "application/openmetrics-text;version=2.0.0", TEXT },
	};

	(void)state;
	check(examples, sizeof(examples) / sizeof(examples[0]));
}

static void malformed_values_are_ignored(void **state)
{
	static const struct example examples[] = {
		{ ",,;;==,", TEXT },
		{ ";q=1", TEXT },
		{ "application/openmetrics-text;q=", TEXT },
		{ "application/openmetrics-text;q=x", TEXT },
		{ "application/openmetrics-text;q=1x", TEXT },
		{ "application/openmetrics-text;q=-1", TEXT },
		{ "application/openmetrics-text;q=1.00000000000000000000", OPENMETRICS },
		{ "application/openmetrics-text;version", TEXT },
		{ "application/openmetrics-text;version=\"", TEXT },
		{ " \t, application/openmetrics-text ,", OPENMETRICS },
	};

	(void)state;
	check(examples, sizeof(examples) / sizeof(examples[0]));
}

static void gzip_is_used_only_if_it_is_allowed(void **state)
{
	(void)state;
	assert_true(http_accept__gzip("gzip"));
	assert_true(http_accept__gzip("deflate, GZIP;q=0.5"));
	assert_true(http_accept__gzip("*"));
	assert_true(http_accept__gzip("br;q=1.0, *;q=0.1"));
	assert_false(http_accept__gzip(NULL));
	assert_false(http_accept__gzip(""));
	assert_false(http_accept__gzip("br, identity"));
	assert_false(http_accept__gzip("*, gzip;q=0"));
	assert_false(http_accept__gzip("gzip;q=0.000, *"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_formats_that_prometheus_asks_for),
		cmocka_unit_test(the_larger_weight_and_the_more_exact_range_decide),
		cmocka_unit_test(malformed_values_are_ignored),
		cmocka_unit_test(gzip_is_used_only_if_it_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
