// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/compare/baseline-file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/number.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/report/compare/baseline.h"

/* in bytes; a file of this size has about ten million values */
#define FILE_MAX (256 << 20)

struct loading {
	const char *path;
	struct baseline *b;
	struct strbuf *why;
	int err;
};

/* Stores -EINVAL and its reason, unless an error is already stored. */
static void __attribute__((format(printf, 2, 3))) wrong(struct loading *l, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!l->err)
		l->err = reason__set(l->why, -EINVAL, "%s: %s", l->path, text);
}

/*
 * Returns a copy of the string @key in @object, or NULL. @event is the index of the event that the
 * object describes, or -1 if it does not describe an event. Stores an error in @l if the value is
 * not a string, or if it is missing and @is_needed is set.
 */
static char *text_of(struct loading *l, const json_t *object, const char *key, bool is_needed,
		     int event)
{
	const json_t *value = json_object_get(object, key);
	char *copy = NULL;

	if (json_is_string(value)) {
		copy = strdup(json_string_value(value));
		if (!copy && !l->err)
			l->err = -ENOMEM;
	} else if (value || is_needed) {
		if (event < 0)
			wrong(l, "\"%s\" is not a string", key);
		else
			wrong(l, "\"%s\" of event %d is not a string", key, event + 1);
	}
	return copy;
}

/*
 * Returns whether the value of @key is an array of @nr elements that are null or numbers. Negative
 * numbers are accepted only if @can_be_negative is set. If the result is false, stores an error in
 * @l.
 */
static bool has_numbers(struct loading *l, const json_t *object, const char *key, size_t nr,
			bool can_be_negative, int event)
{
	const json_t *array = json_object_get(object, key);

	if (!json_is_array(array) || json_array_size(array) != nr) {
		wrong(l, "\"%s\" of event %d is not an array of as many numbers as \"values\"", key,
		      event + 1);
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		const json_t *value = json_array_get(array, i);
		double number = json_is_null(value) ? 0 : json_number_value(value);
		bool is_number = json_is_number(value) || json_is_null(value);

		if (!is_number || (number < 0 && !can_be_negative)) {
			wrong(l, "\"%s\" of event %d contains something other than %s and null",
			      key, event + 1, can_be_negative ? "numbers" : "numbers from 0 on");
			return false;
		}
	}
	return true;
}

static double number_at(const json_t *array, size_t i)
{
	const json_t *value = json_array_get(array, i);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static void load_values(struct loading *l, const json_t *object, int event,
			struct baseline_series *s)
{
	const json_t *values = json_object_get(object, "values");
	const json_t *shares = json_object_get(object, "counted");
	const json_t *runs = json_object_get(object, "runs");
	size_t nr = json_array_size(values);

	s->per_run = runs;
	if (!has_numbers(l, object, "values", nr, true, event) ||
	    !has_numbers(l, object, "counted", nr, false, event) ||
	    (runs && !has_numbers(l, object, "runs", nr, false, event)))
		return;
	for (size_t i = 0; !l->err && i < nr; i++)
		l->err = baseline_series__add(s, number_at(values, i), number_at(shares, i),
					      runs ? number_at(runs, i) : 0);
}

static void load_attr(struct loading *l, const json_t *attr, int event, struct baseline_series *s)
{
	if (!json_is_object(attr)) {
		wrong(l, "\"attr\" of event %d is not an object", event + 1);
		return;
	}
	s->type = text_of(l, attr, "type", true, event);
	for (int i = 0; i < ATTR_NR; i++) {
		const char *text = json_string_value(json_object_get(attr, baseline_attr_names[i]));

		if (text && number__parse_u64(text, &s->attr[i]))
			wrong(l, "\"%s\" of event %d is not a number", baseline_attr_names[i],
			      event + 1);
	}
}

static void load_series(struct loading *l, const json_t *object, int event)
{
	struct baseline_series *s;

	if (!json_is_object(object)) {
		wrong(l, "event %d is not an object", event + 1);
		return;
	}
	s = baseline__add_series(l->b);
	if (!s) {
		l->err = -ENOMEM;
		return;
	}
	s->event = text_of(l, object, "event", true, event);
	s->cgroup = text_of(l, object, "cgroup", false, event);
	s->subject = text_of(l, object, "subject", false, event);
	s->aggregate = text_of(l, object, "aggregate", false, event);
	s->unit = text_of(l, object, "unit", true, event);
	load_attr(l, json_object_get(object, "attr"), event, s);
	if (!l->err)
		load_values(l, object, event, s);
}

/* Compares series to sort them by name. Series with the same name keep their order in the file. */
static int by_name(const void *a, const void *b)
{
	const struct baseline_series *const *x = a, *const *y = b;

	return baseline_series__compare(*x, *y) ?: (*x > *y) - (*x < *y);
}

/*
 * Stores an error in @l if two series have the same name, because a comparison pairs the series of
 * two files by name. A file can have millions of series. Sorting their names finds duplicates
 * faster than comparing all pairs.
 */
static void refuse_duplicates(struct loading *l)
{
	const struct baseline *b = l->b;
	const struct baseline_series **sorted = malloc(sizeof(*sorted) * ((size_t)b->nr + 1));

	if (!sorted)
		l->err = l->err ?: -ENOMEM;
	for (int i = 0; sorted && i < b->nr; i++)
		sorted[i] = &b->series[i];
	if (sorted)
		qsort(sorted, (size_t)b->nr, sizeof(*sorted), by_name);
	for (int i = 1; !l->err && i < b->nr; i++)
		if (baseline_series__match(sorted[i - 1], sorted[i]))
			wrong(l, "events %d and %d have the same name: %s",
			      (int)(sorted[i - 1] - b->series) + 1,
			      (int)(sorted[i] - b->series) + 1, sorted[i]->event);
	free(sorted);
}

/*
 * Returns whether the file is a baseline of a version that this pstat can read. If not, stores an
 * error in @l.
 */
static bool is_known(struct loading *l, const json_t *root)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));
	const json_t *version = json_object_get(root, "version");

	if (!schema || strcmp(schema, "pstat baseline"))
		wrong(l, "this is not a file of --save");
	else if (!json_is_integer(version) || json_integer_value(version) < 1)
		wrong(l, "\"version\" is not a positive integer");
	else if (json_integer_value(version) > BASELINE_VERSION)
		wrong(l,
		      "its version is %lld, and this pstat reads versions up to %d: use a newer "
		      "pstat",
		      (long long)json_integer_value(version), BASELINE_VERSION);
	return !l->err;
}

static void load_times(struct loading *l, const json_t *root)
{
	const json_t *seconds = json_object_get(root, "seconds");
	const json_t *elapsed = json_object_get(seconds, "elapsed");
	const json_t *user = json_object_get(seconds, "user");
	const json_t *system = json_object_get(seconds, "system");
	const json_t *codes = json_object_get(root, "exit-codes");

	for (size_t i = 0; !l->err && i < json_array_size(elapsed); i++) {
		const json_t *code = json_array_get(codes, i);
		struct baseline_time time = {
			.elapsed = number_at(elapsed, i),
			.user = number_at(user, i),
			.system = number_at(system, i),
			.code = json_is_integer(code) ? (int)json_integer_value(code) : -1,
		};

		if (isnan(time.elapsed) || time.elapsed < 0)
			wrong(l, "\"elapsed\" of repetition %zu is not a number >= 0", i + 1);
		else
			l->err = baseline_times__add(&l->b->times, &time);
	}
}

static void load_root(struct loading *l, const json_t *root)
{
	const json_t *events = json_object_get(root, "events");
	const json_t *machine = json_object_get(root, "machine");
	const json_t *lost = json_object_get(root, "lost-runs");
	const char *values_of = json_string_value(json_object_get(root, "values-of"));
	struct baseline *b = l->b;

	if (!is_known(l, root))
		return;
	b->version = text_of(l, root, "pstat", false, -1);
	b->time = text_of(l, root, "time", false, -1);
	b->target = text_of(l, root, "target", false, -1);
	b->intervals = values_of && !strcmp(values_of, "intervals");
	b->lost_runs = json_is_integer(lost) ? (uint64_t)json_integer_value(lost) : 0;
	for (int i = 0; i < FACT_NR; i++)
		b->facts[i] = text_of(l, machine, baseline_fact_names[i], false, -1);
	load_times(l, root);
	if (!json_is_array(events))
		wrong(l, "\"events\" is not an array");
	for (size_t i = 0; !l->err && i < json_array_size(events); i++)
		load_series(l, json_array_get(events, i), (int)i);
	refuse_duplicates(l);
}

static int read_all(const char *path, struct strbuf *text)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	int err = fd < 0 ? -errno : 0;
	char buf[16384];

	while (!err) {
		ssize_t len = read(fd, buf, sizeof(buf));

		if (!len)
			break;
		if (len < 0 && errno != EINTR)
			err = -errno;
		else if (len > 0 && text->len + (size_t)len > FILE_MAX)
			err = -EFBIG;
		else if (len > 0)
			strbuf__add(text, buf, (size_t)len);
	}
	if (fd > STDIN_FILENO)
		close(fd);
	return err ?: strbuf__failed(text) ? -ENOMEM : 0;
}

int baseline__load(const char *path, struct baseline **out, struct strbuf *why)
{
	struct loading l = { .path = path, .why = why, .b = baseline__new() };
	struct strbuf text = STRBUF_INIT;
	json_error_t error;
	json_t *root = NULL;

	*out = NULL;
	l.err = l.b ? read_all(path, &text) : -ENOMEM;
	if (l.err)
		reason__store(why, l.err, "%s: cannot be read: %s", path, strerror(-l.err));
	else
		root = json_loadb(text.text, text.len, 0, &error);
	if (!l.err && !root)
		wrong(&l, "line %d: %s", error.line, error.text);
	if (!l.err)
		load_root(&l, root);
	if (root)
		json_decref(root);
	strbuf__free(&text);
	if (l.err)
		baseline__free(l.b);
	else
		*out = l.b;
	return l.err;
}
