/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How errors leave the functions below builtin/: they return 0 or a negative errno, and store the
 * reason, in words, in the buffer that the caller passed or that one of its objects names. They
 * print nothing. The first reason stays, because the function closest to the cause knows most about
 * it. -ENOMEM needs no reason.
 */
#ifndef PSTAT_BASE_REASON_H
#define PSTAT_BASE_REASON_H

struct strbuf;

/* Stores the reason of @err, unless @why is NULL or has a reason, or @err is 0. Returns @err. */
int reason__store(struct strbuf *why, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * The same, but without an error, the arguments after @err are not evaluated: the first strerror()
 * of a process looks for translations.
 */
#define reason__set(why, err, ...)                                              \
	({                                                                      \
		int reason_err = (err);                                         \
                                                                                \
		reason_err ? reason__store((why), reason_err, __VA_ARGS__) : 0; \
	})

/*
 * Stores "WHAT: CALL: what @err means", where WHAT is @fmt and CALL is the system call that failed.
 * If a seccomp filter probably refuses the call, the reason says so, and what to do about it. Many
 * containers and services have such a filter. Returns @err.
 */
int reason__store_call(struct strbuf *why, int err, const char *call, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Returns the reason. If there is none, returns "out of memory" or what @err means in general. */
const char *reason__text(const struct strbuf *why, int err);

#endif
