/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains why the kernel refused to open an event, and what the user can do about it. */
#ifndef PSTAT_COUNT_WHY_REMEDY_H
#define PSTAT_COUNT_WHY_REMEDY_H

#include <stdbool.h>

struct strbuf;
struct why_answer;
struct why_trial;

/* Returns the name of @err, such as "EINVAL", or NULL if perf_event_open(2) never returns @err. */
const char *why_remedy__errno_name(int err);

/*
 * @answer describes why the kernel refused @trial. Adds the cause to @cause, and advice for the
 * user, if there is any, to @remedy. Neither text ends with a full stop. @function is the kernel
 * function that returned the error, or NULL if it is unknown. Adds nothing if the cause is unknown.
 */
void why_remedy__add(const struct why_answer *answer, const struct why_trial *trial,
		     const char *function, struct strbuf *cause, struct strbuf *remedy);

/*
 * Returns whether @answer contains changes that make the kernel accept the event, or
 * why_remedy__add() can find the cause even if its @function is NULL.
 */
bool why_remedy__explains(const struct why_answer *answer, const struct why_trial *trial);

#endif
