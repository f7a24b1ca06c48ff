/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes JSON objects into a strbuf in the form `{"key" : value, "key" : [value, value]}`. The
 * output is valid JSON in UTF-8 for any input: strings are escaped, bytes that are not valid UTF-8
 * become U+FFFD, and numbers that are not finite become 0, or null in an array.
 */
#ifndef PSTAT_BASE_JSON_WRITER_H
#define PSTAT_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

struct json_writer {
	struct strbuf *sb; /* not owned */
	bool first;	   /* the object or array is empty, so the next element needs no comma */
};

void json__begin(struct json_writer *w, struct strbuf *sb);
void json__end(struct json_writer *w);

void json__string(struct json_writer *w, const char *key, const char *value);
/* Writes @value unchanged. @value must be valid JSON. */
void json__raw(struct json_writer *w, const char *key, const char *value);
void json__uint(struct json_writer *w, const char *key, uint64_t value);
void json__fixed(struct json_writer *w, const char *key, double value, int decimals);
/* Writes @value with @decimals decimal places as a string: "key" : "1.500000". */
void json__fixed_string(struct json_writer *w, const char *key, double value, int decimals);
/* Writes seconds and nanoseconds as one number with nine decimal places. */
void json__time(struct json_writer *w, const char *key, uint64_t sec, uint32_t nsec);

/*
 * Begins a member that is an object. Write the object with @inner, and end it with
 * json__end(inner).
 */
void json__open_object(struct json_writer *w, const char *key, struct json_writer *inner);

/*
 * To write an array, call json__open_array(), then one of the functions json__element_*() for each
 * element, then json__close_array(). If an element is an object, write the object with @inner, and
 * end it with json__end(inner).
 */
void json__open_array(struct json_writer *w, const char *key);
void json__element_uint(struct json_writer *w, uint64_t value);
/*
 * Writes a number with as many decimals as it needs, but at most 12. Writes null for a number that
 * is not finite.
 */
void json__element_double(struct json_writer *w, double value);
void json__element_string(struct json_writer *w, const char *value);
void json__element_object(struct json_writer *w, struct json_writer *inner);
void json__close_array(struct json_writer *w);

#endif
