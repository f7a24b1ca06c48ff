// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list-print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/event/event-list.h"

#define NAME_WIDTH 50

/* ---- descriptions ---- */

#define WIDTH 79
#define SPACES " \n\t\r"

void list_print__add_description(struct strbuf *sb, const char *text)
{
	size_t column = LIST_INDENT + 1, len;

	if (!*text)
		return;
	strbuf__addf(sb, "%*s[", LIST_INDENT, "");
	for (text += strspn(text, SPACES); *text; text += len + strspn(text + len, SPACES)) {
		len = strcspn(text, SPACES);
		if (column > LIST_INDENT + 1 && column + 1 + len > WIDTH) {
			strbuf__addf(sb, "\n%*s", LIST_INDENT + 1, "");
			column = LIST_INDENT + 1;
		} else if (column > LIST_INDENT + 1) {
			strbuf__addc(sb, ' ');
			column++;
		}
		strbuf__add_clean_part(sb, text, len);
		column += len;
	}
	strbuf__adds(sb, "]\n");
}

/* ---- events ---- */

struct list_printer {
	const struct list_style *style;
	struct list_out *out;
	struct strbuf line;
	int nr, nr_open, nr_open_on_cpus;
};

int list_printer__new(const struct list_style *style, struct list_out *out,
		      struct list_printer **printer)
{
	*printer = calloc(1, sizeof(**printer));
	if (!*printer)
		return -ENOMEM;
	(*printer)->style = style;
	(*printer)->out = out;
	(*printer)->line = (struct strbuf)STRBUF_INIT;
	return 0;
}

static int flush(struct list_printer *p)
{
	int err = strbuf__failed(&p->line) ? -ENOMEM : 0;

	if (!err && fputs(p->line.text, p->out->file) < 0)
		err = errno ? -errno : -EIO;
	strbuf__reset(&p->line);
	return err;
}

/* The values of the JSON key "Opens". */
static const char *const verdict_words[] = {
	[OPENS] = "yes",
	[OPENS_IN_USER_SPACE] = "in user space",
	[OPENS_ON_CPUS] = "on CPUs",
	[OPENS_NOT] = "no",
};

static const char *verdict_text(enum open_verdict verdict)
{
	switch (verdict) {
	case OPENS:
		return "can be opened";
	case OPENS_IN_USER_SPACE:
		return "can be opened in user space (:u)";
	case OPENS_ON_CPUS:
		return "can be opened with -a or -C";
	case OPENS_NOT:
		return "cannot be opened";
	}
	return "";
}

static void add_unit(struct strbuf *sb, const struct listed_event *event)
{
	if (event->scale > 0 && event->scale != 1.0)
		strbuf__addf(sb, "%g", event->scale);
	strbuf__add_clean(sb, event->unit);
}

static void add_text(struct list_printer *p, const struct listed_event *event,
		     const enum open_verdict *verdict, const char *why)
{
	struct strbuf *sb = &p->line;
	size_t start;

	strbuf__adds(sb, "  ");
	start = sb->len;
	strbuf__add_clean(sb, event->name);
	if (event->alias) {
		strbuf__adds(sb, " OR ");
		strbuf__add_clean(sb, event->alias);
	}
	strbuf__addf(sb, "%*s [%s]",
		     sb->len - start < NAME_WIDTH ? (int)(NAME_WIDTH - (sb->len - start)) : 0, "",
		     event_kind__name(event->kind));
	if (verdict)
		strbuf__addf(sb, " %s", verdict_text(*verdict));
	strbuf__addc(sb, '\n');
	if (*why)
		list_print__add_description(sb, why);
	if (p->style->names_only)
		return;
	list_print__add_description(sb,
				    p->style->details && *event->more ? event->more : event->brief);
	if (*event->unit || event->scale > 0) {
		struct strbuf unit = STRBUF_INIT;

		strbuf__addf(&unit, "Unit: %s", event->unit);
		if (event->scale > 0 && event->scale != 1.0)
			strbuf__addf(&unit, "%sa count is %g", *event->unit ? ", " : "",
				     event->scale);
		list_print__add_description(sb, unit.text);
		strbuf__free(&unit);
	}
	if (p->style->encodings)
		list_print__add_description(sb, event->encoding);
}

/*
 * Adds the name that perf prints with --raw-dump. If an event has two names, such as "cpu-cycles OR
 * cycles", adds the second name.
 */
static void add_raw(struct list_printer *p, const struct listed_event *event)
{
	strbuf__add_clean(&p->line, event->alias ?: event->name);
	strbuf__addc(&p->line, ' ');
}

static void json_text(struct json_writer *w, const char *key, const char *value)
{
	if (value && *value)
		json__string(w, key, value);
}

static int add_json(struct list_printer *p, const struct listed_event *event,
		    const enum open_verdict *verdict, const char *why)
{
	struct strbuf unit = STRBUF_INIT;
	struct json_writer w;
	int err;

	strbuf__adds(&p->line, p->out->begun ? ",\n" : "\n");
	p->out->begun = true;
	json__begin(&w, &p->line);
	json_text(&w, "Unit", event->pmu);
	json_text(&w, "Topic", event->topic);
	json__string(&w, "EventName", event->name);
	json_text(&w, "EventAlias", event->alias);
	if (*event->unit || event->scale > 0)
		add_unit(&unit, event);
	json_text(&w, "ScaleUnit", unit.text);
	json__string(&w, "EventType", event_kind__name(event->kind));
	if (event->deprecated)
		json__string(&w, "Deprecated", "1");
	json_text(&w, "BriefDescription", event->brief);
	json_text(&w, "PublicDescription", event->more);
	json_text(&w, "Encoding", event->encoding);
	if (verdict) {
		json__string(&w, "Opens", verdict_words[*verdict]);
		json_text(&w, "WhyNot", why);
	}
	json__end(&w);
	err = strbuf__failed(&unit) ? -ENOMEM : 0;
	strbuf__free(&unit);
	return err;
}

int list_printer__event(struct list_printer *p, const struct listed_event *event,
			const enum open_verdict *verdict, const char *why)
{
	int err = 0;

	if (p->style->json)
		err = add_json(p, event, verdict, why);
	else if (p->style->raw_dump)
		add_raw(p, event);
	else
		add_text(p, event, verdict, why);
	if (verdict) {
		p->nr++;
		p->nr_open += *verdict == OPENS || *verdict == OPENS_IN_USER_SPACE;
		p->nr_open_on_cpus += *verdict == OPENS_ON_CPUS;
	}
	return err ?: flush(p);
}

int list_printer__end(struct list_printer *p)
{
	if (p->style->check && !p->style->json && !p->style->raw_dump)
		strbuf__addf(&p->line,
			     "\nevents: %d; can be opened: %d; only with -a or -C: %d; cannot be "
			     "opened: %d\n",
			     p->nr, p->nr_open, p->nr_open_on_cpus,
			     p->nr - p->nr_open - p->nr_open_on_cpus);
	return flush(p);
}

void list_printer__free(struct list_printer *p)
{
	if (!p)
		return;
	strbuf__free(&p->line);
	free(p);
}
