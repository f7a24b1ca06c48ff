// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/pmu-event.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evsel.h"
#include "util/event/names.h"
#include "util/event/parse-error.h"
#include "util/event/resolver.h"
#include "util/event/terms.h"
#include "util/machine/pmu/pmu-format.h"
#include "util/machine/pmu/pmu.h"

/* Parses rNNN or r0xNNN between slashes, with one to sixteen hexadecimal digits. */
static bool is_raw(const struct ast_term *term, uint64_t *config)
{
	char text[20];
	const char *digits = text + 1;
	size_t len;

	if (term->kind != TERM_PLAIN || !span__copy(&term->name, text, sizeof(text)) ||
	    text[0] != 'r')
		return false;
	digits += strncmp(digits, "0x", 2) ? 0 : 2;
	len = strlen(digits);
	if (!len || len > 16 || strspn(digits, "0123456789abcdefABCDEF") != len)
		return false;
	*config = strtoull(digits, NULL, 16);
	return true;
}

/*
 * If pe->pmu is the PMU "software", and @row (may be NULL) describes a software event of the
 * kernel, sets the config and returns true. perf has accepted names such as
 * software/context-switches/ since Linux 6.18, and its default metrics use them.
 */
static bool set_software(struct pmu_event *pe, const struct event_name *row)
{
	if (!row || row->type != PERF_TYPE_SOFTWARE || row->tool != TOOL_NONE)
		return false;
	if (pmu__type(pe->pmu) != PERF_TYPE_SOFTWARE)
		return false;
	pe->evsel->attr.attr.config = row->config;
	pe->software_name = true;
	return true;
}

/*
 * If pe->pmu is the PMU "software" and @term names a software event, sets the config and returns
 * true. If pe->pmu is a core PMU and @term names a generic event (cpu/cycles/,
 * cpu/L1-dcache-loads/), sets the type and the config, and returns true.
 */
static bool set_generic(struct pmu_event *pe, const struct ast_term *term)
{
	struct perf_event_attr *attr = &pe->evsel->attr.attr;
	const struct event_name *row = event_name__find(&term->name);
	const char *why;
	uint64_t config;

	if (term->kind != TERM_PLAIN)
		return false;
	if (set_software(pe, row))
		return true;
	if (!pmu__is_core(pe->pmu))
		return false;
	if (row && row->type == PERF_TYPE_HARDWARE) {
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = row->config;
	} else if (!event_name__decode_cache(&term->name, &config, &why)) {
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = config;
	} else {
		return false;
	}
	attr->config = resolver__config_on(pe->r, pe->pmu, attr->config);
	return true;
}

/*
 * Applies generic terms (terms.h), raw codes, and names of generic and software events, and marks
 * them as used.
 */
static int apply_words(struct pmu_event *pe)
{
	for (int i = 0; i < pe->nr_flat; i++) {
		struct flat_term *flat = &pe->flat[i];
		uint64_t config;
		int err = 0;

		flat->used = true;
		if (terms__is_generic(&flat->term))
			err = terms__apply(pe->r, &flat->term, flat->value_column, pe->evsel);
		else if (is_raw(&flat->term, &config))
			pe->evsel->attr.attr.config = config;
		else if (!set_generic(pe, &flat->term))
			flat->used = false;
		if (err)
			return err;
	}
	return 0;
}

/*
 * Adds the names of the PMU's formats to @sb ("event,umask"), for messages. The caller frees @sb.
 */
static void list_formats(struct pmu *pmu, struct strbuf *sb)
{
	const char *name;

	for (int i = 0; (name = pmu__format_name(pmu, i)); i++)
		strbuf__addf(sb, "%s%s", i ? "," : "", name);
}

static int unknown_term(struct pmu_event *pe, const struct flat_term *flat)
{
	struct parse_error *error = pe->r->error;
	struct strbuf formats = STRBUF_INIT;
	char wanted[NAME_MAX + 1];
	const char *name;

	list_formats(pe->pmu, &formats);
	terms__unknown(&flat->term, flat->column, pmu__name(pe->pmu), formats.text, error);
	strbuf__free(&formats);
	if (flat->event)
		strbuf__addf(&error->reason, " in the %s event '%s'",
			     flat->by_vendor ? "vendor's" : "sysfs", flat->event);
	if (!span__copy(&flat->term.name, wanted, sizeof(wanted)))
		return -EINVAL;
	for (int i = 0;
	     !flat->event && flat->term.kind == TERM_PLAIN && (name = pmu__alias_name(pe->pmu, i));
	     i++)
		near_names__offer(&error->near, wanted, name);
	for (int i = 0; (name = pmu__format_name(pe->pmu, i)); i++)
		near_names__offer(&error->near, wanted, name);
	return -EINVAL;
}

/*
 * Finds the value of a term whose value in sysfs is "?". The user must give the value in another
 * term with the same name.
 */
static int find_parameter(struct pmu_event *pe, const struct flat_term *flat, uint64_t *value)
{
	for (int i = 0; i < pe->nr_flat; i++) {
		struct flat_term *other = &pe->flat[i];

		if (other->term.kind == TERM_NUMBER &&
		    other->term.name.len == flat->term.name.len &&
		    !memcmp(other->term.name.s, flat->term.name.s, flat->term.name.len)) {
			other->used = true;
			*value = other->term.number;
			return 0;
		}
	}
	return parse_error__set(pe->r->error, flat->column, "this event needs a term %.*s=NUMBER",
				SPAN_ARG(&flat->term.name));
}

static int term_value(struct pmu_event *pe, const struct flat_term *flat,
		      const struct pmu_format *format, uint64_t *value)
{
	const struct ast_term *term = &flat->term;

	*value = term->number;
	if (term->kind == TERM_PLAIN) {
		if (format->width > 1)
			return parse_error__set(pe->r->error, flat->column,
						"no value given for term '%.*s'",
						SPAN_ARG(&term->name));
		*value = 1;
	} else if (term->kind == TERM_TEXT) {
		if (!span__is(&term->value, "?"))
			return parse_error__set(pe->r->error, flat->value_column,
						"term '%.*s' needs a number, not '%.*s'",
						SPAN_ARG(&term->name), SPAN_ARG(&term->value));
		if (find_parameter(pe, flat, value))
			return -EINVAL;
	}
	if (*value > pmu_format__max(format))
		return parse_error__set(pe->r->error, flat->value_column,
					"value too big for format (%.*s), maximum is %llu",
					SPAN_ARG(&term->name),
					(unsigned long long)pmu_format__max(format));
	return 0;
}

static int apply_format(struct pmu_event *pe, struct flat_term *flat, uint64_t config[4])
{
	struct pmu_format format;
	uint64_t value;
	int err = pmu_event__find_format(pe, &flat->term.name, &format);

	if (err == -ENOENT)
		return unknown_term(pe, flat);
	if (err)
		return parse_error__set(
			pe->r->error, flat->column,
			"term '%.*s' of PMU '%s': its file in sysfs cannot be used (%s)",
			SPAN_ARG(&flat->term.name), pmu__name(pe->pmu), strerror(-err));
	err = term_value(pe, flat, &format, &value);
	if (!err)
		pmu_format__set(&format, value, config);
	return err;
}

static int apply_formats(struct pmu_event *pe)
{
	union perf_attr *attr = &pe->evsel->attr;
	uint64_t config[4] = { attr->attr.config, attr->attr.config1, attr->attr.config2,
			       attr->v8.config3 };

	/*
	 * apply terms with "?" first: this sets `used` in the terms that contain the actual values,
	 * so these terms are not applied again
	 */
	for (int open = 1; open >= 0; open--) {
		for (int i = 0; i < pe->nr_flat; i++) {
			struct flat_term *flat = &pe->flat[i];
			bool is_open = flat->term.kind == TERM_TEXT &&
				       span__is(&flat->term.value, "?");
			int err = flat->used || is_open != open ? 0 :
								  apply_format(pe, flat, config);

			if (err)
				return err;
		}
	}
	attr->attr.config = config[0];
	attr->attr.config1 = config[1];
	attr->attr.config2 = config[2];
	attr->v8.config3 = config[3];
	return 0;
}

int pmu_event__apply(struct pmu_event *pe)
{
	return apply_words(pe) ?: apply_formats(pe);
}
