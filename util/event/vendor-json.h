/* SPDX-License-Identifier: GPL-2.0-only */
/* One event of a vendor's JSON file. */
#ifndef PSTAT_EVENT_VENDOR_JSON_H
#define PSTAT_EVENT_VENDOR_JSON_H

struct json_t;
struct vendor_event;

/*
 * Fills @event (empty) from @object, what is not there from @standard, the architecture's event that it refers to, if that is not NULL.
 * 0; -ENOENT when it is no event (a metric); -EINVAL when a number in it is none; -ENOMEM. The caller frees what is in @event in any case.
 */
int vendor_json__event(const struct json_t *object, const struct json_t *standard, const char *topic,
		       struct vendor_event *event);
void vendor_json__free(struct vendor_event *event);

#endif
