/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How functions below builtin/ report errors: they return 0 or a negative errno, and store the
 * reason in words, in a buffer that the caller passed or that one of its objects refers to. They
 * print nothing. If several functions store a reason, the first one is kept, because the function
 * closest to the cause knows most about it. -ENOMEM needs no reason.
 */
#ifndef PSTAT_BASE_REASON_H
#define PSTAT_BASE_REASON_H

struct strbuf;

/*
 * Stores the reason for @err. Does nothing if @why is NULL or has a reason already, or if @err is
 * 0. Returns @err.
 */
int reason__store(struct strbuf *why, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Like reason__store(), but evaluates the arguments after @err only if there is an error: the first
 * strerror() of a process searches for translations.
 */
#define reason__set(why, err, ...)                                              \
	({                                                                      \
		int reason_err = (err);                                         \
                                                                                \
		reason_err ? reason__store((why), reason_err, __VA_ARGS__) : 0; \
	})

/*
 * Stores "WHAT: CALL: meaning of @err", where WHAT is @fmt and CALL is the system call that failed.
 * If a seccomp filter, which many containers and services have, probably refuses the call, adds
 * this and what to do. Returns @err.
 */
int reason__store_call(struct strbuf *why, int err, const char *call, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Returns the reason. If there is none, returns "out of memory" or the general meaning of @err. */
const char *reason__text(const struct strbuf *why, int err);

#endif
