// SPDX-License-Identifier: GPL-2.0-only
#include "self/self.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "include/pstat-self.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"

static __thread struct {
	int read_err;
	size_t len;
	char text[1024];
} words;

/* Appends a message on its own line. Drops text that does not fit. */
static void add(enum log_level level, const char *text)
{
	struct strbuf clean = STRBUF_INIT;
	int len;

	strbuf__add_clean_lines(&clean, text);
	len = snprintf(words.text + words.len, sizeof(words.text) - words.len, "%s%s%s",
		       words.len ? "\n" : "", level == LOG_WARNING ? "warning: " : "", clean.text);
	strbuf__free(&clean);
	words.len += len > 0 ? (size_t)len : 0;
	if (words.len >= sizeof(words.text))
		words.len = sizeof(words.text) - 1;
}

void self_words__begin(void)
{
	words.read_err = 0;
	words.len = 0;
	words.text[0] = '\0';
	log__set_sink(add);
	bpf_util__enter();
}

void self_words__end(void)
{
	bpf_util__leave();
	log__set_sink(NULL);
}

void self_words__set_read(int err)
{
	words.read_err = err;
}

static const char *words_of_read(int err)
{
	switch (err) {
	case -ESTALE:
		return "the counter was opened before a fork and belongs to the parent: open it "
		       "again in the child";
	case -ENODATA:
		return "the event cannot be read on this CPU, which may have come online after "
		       "its counters were opened\n"
		       "the next pstat_self_open() for this event also counts on this CPU";
	case -EPERM:
		return "this process may not call bpf(): a seccomp filter refuses it, or, before "
		       "Linux 5.19, kernel.unprivileged_bpf_disabled is not 0\n"
		       "keep CAP_BPF, or allow bpf() in the filter";
	case -EAGAIN:
		return "too many threads of this process read their counts: there are no free "
		       "slots";
	case -EBUSY:
		return "other readings on this CPU disturbed every attempt: read again";
	default:
		return NULL;
	}
}

const char *self_words__get(void)
{
	const char *text;

	if (!words.read_err)
		return words.text;
	text = words_of_read(words.read_err);
	if (text)
		return text;
	snprintf(words.text, sizeof(words.text), "the count cannot be read: %s",
		 strerror(-words.read_err));
	words.len = strlen(words.text);
	words.read_err = 0;
	return words.text;
}
