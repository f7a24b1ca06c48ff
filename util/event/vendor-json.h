/* SPDX-License-Identifier: GPL-2.0-only */
/* One event of a vendor's JSON file. */
#ifndef PSTAT_EVENT_VENDOR_JSON_H
#define PSTAT_EVENT_VENDOR_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct json_t;
struct vendor_event;

/*
 * Fills @event, which is empty, from @object. What @object does not have comes from @standard, the
 * architecture's event that it refers to, or NULL. @topic is NULL if the object says it ("Topic").
 * 0; -ENOENT if it is no event, but a metric; -EINVAL if a number in it is malformed; -ENOMEM. The
 * caller frees what is in @event in any case.
 */
int vendor_json__event(const struct json_t *object, const struct json_t *standard, const char *topic,
		       struct vendor_event *event);
/* Copies @text in lower case, for which the locale does not matter. False if @buf is too short. */
bool vendor_json__lower(const char *text, char *buf, size_t size);
void vendor_json__free(struct vendor_event *event);

#endif
