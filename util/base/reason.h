/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stores the reason for an error. Most functions in util/ print no errors: they return a negative
 * errno, and store the reason as text in the caller's buffer. If several functions store a reason,
 * the first reason remains, because it is from the function closest to the cause. -ENOMEM needs no
 * reason.
 */
#ifndef PSTAT_BASE_REASON_H
#define PSTAT_BASE_REASON_H

struct strbuf;

/*
 * Stores the reason for @err. Stores nothing if @why is NULL or already contains a reason, or if
 * @err is 0. Returns @err.
 */
int reason__store(struct strbuf *why, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Like reason__store(), but evaluates the arguments after @err only if @err is not 0. For example,
 * strerror(), whose first call searches for translations, is not called after success.
 */
#define reason__set(why, err, ...)                                              \
	({                                                                      \
		int reason_err = (err);                                         \
                                                                                \
		reason_err ? reason__store((why), reason_err, __VA_ARGS__) : 0; \
	})

/*
 * Like reason__store(), but stores "WHAT: CALL: meaning of @err". WHAT is the text of @fmt, and
 * CALL is @call, the name of the system call. If a seccomp filter probably refused the call, stores
 * this cause and a remedy after WHAT instead. Returns @err.
 */
int reason__store_call(struct strbuf *why, int err, const char *call, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Returns the reason in @why. If @why is empty, returns "out of memory" for -ENOMEM, and the text
 * of strerror(3) for any other @err.
 */
const char *reason__text(const struct strbuf *why, int err);

#endif
