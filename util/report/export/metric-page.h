/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page for Prometheus contains the values of all metrics at one moment. A family is a metric and
 * its samples. A sample is a value with labels. The samples of a family differ in their labels or,
 * in a histogram, in `part` or `le`. util/output/openmetrics.h formats pages.
 */
#ifndef PSTAT_REPORT_EXPORT_METRIC_PAGE_H
#define PSTAT_REPORT_EXPORT_METRIC_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum metric_type {
	METRIC_COUNTER,	  /* a running total that never decreases */
	METRIC_GAUGE,	  /* a current value */
	METRIC_INFO,	  /* always 1; the labels contain facts */
	METRIC_HISTOGRAM, /* buckets, and the sum and number of the values */
};

/*
 * The form in which the values of a family are stored (in struct metric_sample) and written. In a
 * histogram, only PART_SUM has this form: the other parts are written like VALUE_COUNT.
 */
enum metric_value {
	VALUE_COUNT,  /* `count` */
	VALUE_NS,     /* `count` in ns, written in seconds */
	VALUE_NUMBER, /* `number` */
};

/* The part of a histogram that a sample contains. */
enum metric_part {
	PART_VALUE, /* the family is not a histogram */
	PART_BUCKET,
	PART_SUM,
	PART_COUNT,
};

struct metric_sample {
	const char *labels; /* NAME="VALUE",... escaped (see metric_labels__add); "": none */
	enum metric_part part;
	union {
		uint64_t count;
		double number;
	};
	/*
	 * PART_BUCKET: the upper bound of the bucket (VALUE_NS: in seconds); infinity for the last
	 * bucket
	 */
	double le;
};

struct metric_family {
	const char *name; /* without a suffix such as _total */
	const char *help; /* one sentence without a full stop */
	const char *unit; /* also the end of `name`; "": none */
	enum metric_type type;
	enum metric_value value;
	/* the family has `nr` samples; `first` is the index of the first one in the page */
	int first, nr;
};

/*
 * A zeroed struct is empty. The page does not own the strings, which must be valid as long as the
 * page is used.
 */
struct metric_page {
	int nr_families, families_room;
	struct metric_family *families;
	int nr_samples, samples_room;
	struct metric_sample *samples;
	bool failed; /* memory ran out, so parts are missing */
};

/* Empties the page, but keeps its memory. */
void metric_page__reset(struct metric_page *page);
void metric_page__free(struct metric_page *page);

/* Begins a family. All samples that are added until the next call belong to this family. */
void metric_page__begin(struct metric_page *page, const struct metric_family *family);
/*
 * Adds a sample with the value 0 to the family that was begun last. Returns the sample, or NULL if
 * memory ran out. The pointer is valid until the next sample is added.
 */
struct metric_sample *metric_page__add(struct metric_page *page, const char *labels);
void metric_page__add_count(struct metric_page *page, const char *labels, uint64_t count);
void metric_page__add_number(struct metric_page *page, const char *labels, double number);

/* ---- metric-labels.c ---- */

/*
 * Adds NAME="VALUE" to @labels, after a comma if @labels is not empty. The escaped value is valid
 * UTF-8 without control characters. A backslash, a double quote and a newline become \\, \" and \n.
 * Each byte that is not valid UTF-8, or belongs to a control character other than newline, becomes
 * U+FFFD and two hexadecimal digits. U+FFFD itself gets the digits 00, so different values always
 * have different texts.
 */
void metric_labels__add(struct strbuf *labels, const char *name, const char *value);
/* Adds @text with the escapes of metric_labels__add(). */
void metric_labels__escape(struct strbuf *to, const char *text);

#endif
