/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the cause of a refusal, and what the user can do about it. */
#ifndef PSTAT_COUNT_WHY_REMEDY_H
#define PSTAT_COUNT_WHY_REMEDY_H

#include <stdbool.h>

struct strbuf;
struct why_answer;
struct why_trial;

/* Returns the name of an errno, such as "EINVAL"; NULL if perf_event_open(2) never returns it. */
const char *why_remedy__errno_name(int err);

/*
 * Adds the cause of the refusal in @answer to @cause, and the advice to @remedy, both without a
 * full stop. @function is the kernel function that returned the error, or NULL if it is not known.
 * If the cause is not known, adds nothing.
 */
void why_remedy__add(const struct why_answer *answer, const struct why_trial *trial,
		     const char *function, struct strbuf *cause, struct strbuf *remedy);

/*
 * Returns whether why_remedy__add() knows the cause, or at least a change that helps, when
 * @function is NULL.
 */
bool why_remedy__explains(const struct why_answer *answer, const struct why_trial *trial);

#endif
