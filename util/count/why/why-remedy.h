/* SPDX-License-Identifier: GPL-2.0-only */
/* What a refusal means, and what the user can do about it. */
#ifndef PSTAT_COUNT_WHY_REMEDY_H
#define PSTAT_COUNT_WHY_REMEDY_H

struct strbuf;
struct why_answer;
struct why_trial;

/* The name of an errno, such as "EINVAL", or NULL for one that perf_event_open(2) never returns. */
const char *why_errno__name(int err);

/*
 * Adds the cause of the refusal in @answer to @cause, and the advice to @remedy, both without a
 * full stop. @function is the kernel function that returned the error, or NULL if this is not
 * known. Adds nothing if the cause is not known.
 */
void why_remedy__add(const struct why_answer *answer, const struct why_trial *trial,
		     const char *function, struct strbuf *cause, struct strbuf *remedy);

#endif
