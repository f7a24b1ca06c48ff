// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/profile/profile-fields.h"

#include <inttypes.h>

#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-view.h"
#include "util/base/clock.h"
#include "util/base/csv-field.h"
#include "util/base/decimal.h"
#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/count/profile/sample-table.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

static const char *event_name(const struct profile_view *view, int event)
{
	return view->options->stat.evlist->entries[event]->name;
}

void profile_fields__text(const struct profile_view *view, const char *field, struct strbuf *sb)
{
	const char *sep = view->options->stat.csv_separator;

	strbuf__adds(sb, sep);
	csv_field__add(sb, field, sep);
}

void profile_fields__number(const struct profile_view *view, uint64_t number, struct strbuf *sb)
{
	strbuf__addf(sb, "%s%" PRIu64, view->options->stat.csv_separator, number);
}

void profile_fields__decimal(const struct profile_view *view, double value, struct strbuf *sb)
{
	strbuf__adds(sb, view->options->stat.csv_separator);
	decimal__add(sb, value, 2);
}

void profile_fields__begin(const struct profile_view *view, const char *kind, int event, struct strbuf *sb)
{
	if (view->is_interval)
		strbuf__addf(sb, "%" PRIu64 ".%09" PRIu64 "%s", (uint64_t)(view->time_ns / NSEC_PER_SEC),
			     (uint64_t)(view->time_ns % NSEC_PER_SEC), view->options->stat.csv_separator);
	strbuf__adds(sb, kind);
	profile_fields__text(view, event_name(view, event), sb);
}

void profile_fields__begin_json(const struct profile_view *view, const char *kind, int event, struct json_writer *w,
				struct strbuf *sb)
{
	json__begin(w, sb);
	if (view->is_interval)
		json__time(w, "interval", view->time_ns / NSEC_PER_SEC, (uint32_t)(view->time_ns % NSEC_PER_SEC));
	json__string(w, "kind", kind);
	json__string(w, "event", event_name(view, event));
}

void profile_fields__sum(const struct profile_view *view, double share, const struct sample_sum *sum, struct strbuf *sb)
{
	profile_fields__decimal(view, share, sb);
	profile_fields__number(view, sum->samples, sb);
	profile_fields__number(view, sum->weight, sb);
}

void profile_fields__json_self(struct json_writer *w, double share, const struct sample_sum *sum)
{
	json__fixed(w, "share", share, 2);
	json__uint(w, "samples", sum->samples);
	json__uint(w, "weight", sum->weight);
}

void profile_fields__json_total(struct json_writer *w, double share, const struct sample_sum *sum)
{
	json__fixed(w, "total-share", share, 2);
	json__uint(w, "total-samples", sum->samples);
	json__uint(w, "total-weight", sum->weight);
}

void profile_fields__figures(const struct profile_view *view, const char *kind, int event,
			     const struct profile_figure *figures, int nr, struct strbuf *sb)
{
	struct json_writer w;

	if (view->options->stat.json)
		profile_fields__begin_json(view, kind, event, &w, sb);
	else
		profile_fields__begin(view, kind, event, sb);
	for (int i = 0; i < nr; i++) {
		if (view->options->stat.json)
			json__uint(&w, figures[i].name, figures[i].value);
		else
			profile_fields__number(view, figures[i].value, sb);
	}
	if (view->options->stat.json)
		json__end(&w);
	strbuf__addc(sb, '\n');
}
