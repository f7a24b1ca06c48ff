/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts events in vendors' JSON files to struct vendor_event. */
#ifndef PSTAT_EVENT_VENDOR_JSON_H
#define PSTAT_EVENT_VENDOR_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct json_t;
struct vendor_event;

/*
 * Fills the empty @event from @object. @standard is the standard event (vendor-folder.h) to which
 * @object refers, or NULL. If @standard is not NULL, all terms come from it, and so do other values
 * that are missing from @object, except "Unit" and "Topic". If @topic is NULL, the event's topic is
 * the value of "Topic" in @object. Returns 0; -ENOENT if the object has no event name (it is a
 * metric); -EINVAL if @object is not a JSON object or a number is malformed; or -ENOMEM. The caller
 * must call vendor_json__free() even after an error.
 */
int vendor_json__event(const struct json_t *object, const struct json_t *standard,
		       const char *topic, struct vendor_event *event);
/*
 * Copies @text to @buf in lower case, independently of the locale. Returns false if @buf is too
 * short.
 */
bool vendor_json__lower(const char *text, char *buf, size_t size);
void vendor_json__free(struct vendor_event *event);

#endif
