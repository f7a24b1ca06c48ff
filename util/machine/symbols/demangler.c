// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/demangler.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "util/base/clock.h"
#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/base/string-set.h"
#include "util/machine/symbols/answers.h"
#include "util/machine/symbols/bounded-child.h"
#include "util/machine/symbols/demangle-child.h"

/*
 * The maximum real time to wait for the child. The child's limit on CPU time does not cover the
 * time during which the child waits for a CPU.
 */
#define MOST_WAIT_NS (10 * NSEC_PER_SEC)
#define STUB "@plt"

struct demangler {
	struct bounded_child child;
	int nr_failed[2]; /* indexed by is_trusted: the number of names that exceeded a limit */
	struct string_set *strings;
	/*
	 * The key of an answer (answers.h) is the address of the mangled name in `strings`. The
	 * text of the answer is the demangled name, or NULL if the name cannot be demangled.
	 */
	struct answers answers;
};

struct demangler *demangler__new(void)
{
	struct demangler *demangler = calloc(1, sizeof(*demangler));

	if (!demangler)
		return NULL;
	demangler->child = (struct bounded_child)BOUNDED_CHILD_INIT;
	demangler->strings = string_set__new();
	if (demangler->strings)
		return demangler;
	free(demangler);
	return NULL;
}

void demangler__free(struct demangler *demangler)
{
	if (!demangler)
		return;
	bounded_child__end(&demangler->child);
	answers__free(&demangler->answers);
	string_set__free(demangler->strings);
	free(demangler);
}

/* Returns whether @name begins like a mangled name. Few names of C functions do. */
static bool may_be_mangled(const char *name)
{
	return name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R' || !strncmp(name, "_GLOBAL_", 8));
}

/* Returns the length of @name without STUB at its end. */
static size_t length_of(const char *name)
{
	size_t len = strlen(name), stub = strlen(STUB);

	return len > stub && !strcmp(name + len - stub, STUB) ? len - stub : len;
}

static int send_name(const struct demangler *demangler, const char *name, size_t len)
{
	struct demangle_text asked = { .len = (uint32_t)len };
	struct iovec parts[] = { { &asked, sizeof(asked) }, { (void *)name, len } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	return sendmsg(demangler->child.socket, &message, MSG_NOSIGNAL) ==
			       (ssize_t)(sizeof(asked) + len) ?
		       0 :
		       -EPIPE;
}

/*
 * Receives a demangled name. Returns 0; -ENOENT if the name cannot be demangled; or another -errno
 * if the child sent no valid answer. The answer is not trusted, because a malicious name may have
 * taken control of the child.
 */
static int receive_text(const struct demangler *demangler, char text[static DEMANGLE_MOST_OUT + 1])
{
	struct demangle_text said;
	int err = bounded_child__receive(&demangler->child, &said, sizeof(said), MOST_WAIT_NS);

	if (!err && said.len > DEMANGLE_MOST_OUT)
		err = -EPIPE;
	err = err ?: bounded_child__receive(&demangler->child, text, said.len, MOST_WAIT_NS);
	text[err ? 0 : said.len] = '\0';
	return err ?: *text ? 0 : -ENOENT;
}

/*
 * Asks the child to demangle the first @len bytes of @name. Returns 0; -ENOENT if the name cannot
 * be demangled; -EINTR if a signal asks pstat to end; or another -errno if the child cannot answer.
 */
static int ask(struct demangler *demangler, const char *name, size_t len,
	       char text[static DEMANGLE_MOST_OUT + 1])
{
	int err = 0;

	if (!demangler->child.pid)
		err = bounded_child__start(&demangler->child, demangle_child__run, NULL);
	err = err ?: send_name(demangler, name, len);
	err = err ?: receive_text(demangler, text);
	if (err && err != -ENOENT)
		bounded_child__end(&demangler->child);
	return err;
}

static void note_failure(struct demangler *demangler, const char *name, bool is_trusted)
{
	int nr = ++demangler->nr_failed[is_trusted];

	pr_debug("%.100s: demangling the name takes more than %d ms or %llu MB", name,
		 DEMANGLER_CPU_MSEC, DEMANGLER_MEMORY >> 20);
	if (nr == DEMANGLER_MOST_FAILED)
		pr_warn("no more names%s are demangled, because %d names took too much time or "
			"memory",
			is_trusted ? "" : " in files of other users", nr);
}

/* Returns the demangled name. If there is none, returns NULL and sets *@err to the reason. */
static const char *convert(struct demangler *demangler, const char *name, bool is_trusted, int *err)
{
	char text[DEMANGLE_MOST_OUT + 1 + sizeof(STUB)];
	size_t len = length_of(name);
	const char *kept;

	*err = ask(demangler, name, len, text);
	if (*err && *err != -ENOENT && *err != -EINTR)
		note_failure(demangler, name, is_trusted);
	if (*err)
		return NULL;
	strcat(text, name + len);
	kept = string_set__get(demangler->strings, text);
	*err = kept ? 0 : -ENOMEM;
	return kept;
}

const char *demangler__name(struct demangler *demangler, const char *name, bool is_trusted)
{
	const struct answer *known;
	struct answer answer = { .text = NULL };
	int err;

	if (!may_be_mangled(name) || strnlen(name, DEMANGLE_MOST_IN + 1) > DEMANGLE_MOST_IN)
		return name;
	name = string_set__get(demangler->strings, name);
	if (!name)
		return NULL;
	answer.key = (uintptr_t)name;
	known = answers__find(&demangler->answers, answer.key);
	if (known)
		return known->text ?: name;
	if (demangler->nr_failed[is_trusted] >= DEMANGLER_MOST_FAILED || interrupt__is_due())
		return name;
	answer.text = convert(demangler, name, is_trusted, &err);
	if (err == -EINTR)
		return name;
	if (err == -ENOMEM || answers__add(&demangler->answers, &answer))
		return NULL;
	return answer.text ?: name;
}
