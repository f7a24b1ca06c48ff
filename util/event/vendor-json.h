/* SPDX-License-Identifier: GPL-2.0-only */
/* One event of a vendor's JSON file. */
#ifndef PSTAT_EVENT_VENDOR_JSON_H
#define PSTAT_EVENT_VENDOR_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct json_t;
struct vendor_event;

/*
 * Fills @event, which is empty, from @object. Values that @object does not have come from
 * @standard: the architecture's event that it refers to, or NULL. @topic is NULL if the object has
 * a "Topic". Returns 0; -ENOENT if the object is a metric and not an event; -EINVAL if a number in
 * it is malformed; -ENOMEM. In every case the caller calls vendor_json__free().
 */
int vendor_json__event(const struct json_t *object, const struct json_t *standard, const char *topic,
		       struct vendor_event *event);
/* Copies @text in lower case, whatever the locale. Returns false if @buf is too short. */
bool vendor_json__lower(const char *text, char *buf, size_t size);
void vendor_json__free(struct vendor_event *event);

#endif
