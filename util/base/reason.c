// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/reason.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "util/base/privileges.h"
#include "util/base/strbuf.h"

int reason__store(struct strbuf *why, int err, const char *fmt, ...)
{
	va_list ap;

	if (!err || !why || why->len)
		return err;
	va_start(ap, fmt);
	strbuf__vaddf(why, fmt, ap);
	va_end(ap);
	return err;
}

int reason__store_call(struct strbuf *why, int err, const char *call, const char *fmt, ...)
{
	va_list ap;

	if (!err || !why || why->len)
		return err;
	va_start(ap, fmt);
	strbuf__vaddf(why, fmt, ap);
	va_end(ap);
	if ((err == -EPERM || err == -ENOSYS) && privileges__are_filtered())
		strbuf__addf(why,
			     ": %s: a seccomp filter probably refuses %s()\n"
			     "allow %s() in the seccomp profile of the container or service",
			     err == -EPERM ? "EPERM" : "ENOSYS", call, call);
	else
		strbuf__addf(why, ": %s: %s", call, strerror(-err));
	return err;
}

const char *reason__text(const struct strbuf *why, int err)
{
	if (why->len)
		return why->text;
	return err == -ENOMEM ? "out of memory" : strerror(-err);
}
