/* SPDX-License-Identifier: GPL-2.0-only */
/* An exporter with the counts of a fixture. Included by one file per program. */
#ifndef PSTAT_TESTS_UNIT_EXPORT_FIXTURE_H
#define PSTAT_TESTS_UNIT_EXPORT_FIXTURE_H

#include "tests/unit/stat-fixture.h"

#include "util/base/strbuf.h"
#include "util/count/hist-counts.h"
#include "util/output/openmetrics.h"
#include "util/report/export/export-report.h"
#include "util/report/export/metric-page.h"

struct exporter {
	struct fixture f;
	struct export_config config;
	struct export_report *er;
	struct metric_page page;
	struct strbuf text;
};

static inline void find_prog(uint32_t id, struct export_prog *prog)
{
	snprintf(prog->type, sizeof(prog->type), "xdp");
	snprintf(prog->tag, sizeof(prog->tag), "%016x", id);
}

/* Call this when the fixture is ready. Fills in what is the same in all tests. */
static inline void exporter__make(struct exporter *e, struct export_config config)
{
	e->config = config;
	e->config.evlist = e->f.evlist;
	e->config.report = e->f.report;
	e->config.version = "1.0";
	e->config.cpu_model = "model";
	e->config.find_prog = find_prog;
	e->er = export_report__new(&e->config);
	assert_non_null(e->er);
	e->page = (struct metric_page){ 0 };
	e->text = (struct strbuf)STRBUF_INIT;
}

/* Call this when the fixture has its events. */
static inline void exporter__ready(struct exporter *e, enum aggr_mode mode, int top)
{
	fixture__ready(&e->f, mode);
	exporter__make(e, (struct export_config){ .top = top });
}

static inline const char *exporter__text(struct exporter *e, enum metric_format format)
{
	static const struct export_own own = { .readings = 1, .reading_ns = 1500 };

	e->f.measurement.run_cnt = e->f.run_cnt;
	assert_int_equal(export_report__build(e->er, &e->f.measurement, &own, &e->page), 0);
	strbuf__reset(&e->text);
	openmetrics__add(&e->page, format, &e->text);
	assert_false(strbuf__failed(&e->text));
	return e->text.text;
}

static inline void exporter__free(struct exporter *e)
{
	export_report__free(e->er);
	metric_page__free(&e->page);
	strbuf__free(&e->text);
	fixture__free(&e->f);
}

/* Checks that @text has exactly one line @line. */
static inline void expect_line(const char *text, const char *line)
{
	struct strbuf found = STRBUF_INIT;
	const char *at;

	strbuf__addf(&found, "\n%s\n", line);
	at = strstr(text, found.text);
	if (!at || strstr(at + 1, found.text))
		fail_msg("%s times: %s, in:\n%s", at ? "several" : "no", line, text);
	strbuf__free(&found);
}

static inline void expect_none(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("%s, in:\n%s", part, text);
}

#endif
