// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/demangle-child.h"

#include <libiberty/demangle.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/machine/symbols/bounded-child.h"
#include "util/machine/symbols/demangler.h"

/*
 * The limit on CPU time for all names together. The limit for one name (allow_time()) is not
 * sufficient, because a malicious name that has taken control of the child could turn off that
 * limit.
 */
#define CPU_SECONDS 60

/* Limits the CPU time for the next name: when it is used up, SIGPROF ends the process. */
static void allow_time(void)
{
	const struct itimerval limit = { .it_value.tv_usec = DEMANGLER_CPU_MSEC * 1000 };

	setitimer(ITIMER_PROF, &limit, NULL);
}

static bool receive(int socket, void *to, size_t size)
{
	return recv(socket, to, size, MSG_WAITALL) == (ssize_t)size;
}

/* Limits @len to DEMANGLE_MOST_OUT, without splitting a UTF-8 character. Returns the new length. */
static uint32_t cut(const char *text, size_t len)
{
	if (len <= DEMANGLE_MOST_OUT)
		return (uint32_t)len;
	len = DEMANGLE_MOST_OUT;
	while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return (uint32_t)len;
}

/*
 * Demangles @name and sends the result. With DMGL_PARAMS and DMGL_ANSI, the result for a C++ name
 * is the text that __cxa_demangle() returns, and that perf prints. DMGL_NO_RECURSE_LIMIT allows
 * names longer than 1024 bytes. libiberty refuses them by default, because they may need too much
 * stack. Here, a name that needs too much stack can at worst end this process.
 */
static void answer(int socket, const char *name)
{
	char *text = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT);
	struct demangle_text said = { .len = text ? cut(text, strlen(text)) : 0 };

	bounded_child__send(socket, &said, sizeof(said));
	bounded_child__send(socket, text, said.len);
	free(text);
}

void demangle_child__run(int socket, void *unused)
{
	const struct bounded_limits limits = { .memory = DEMANGLER_MEMORY,
					       .cpu_seconds = CPU_SECONDS };
	static char name[DEMANGLE_MOST_IN + 1];
	struct demangle_text asked;
	sigset_t prof;

	(void)unused;
	signal(SIGPROF, SIG_DFL);
	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	sigprocmask(SIG_UNBLOCK, &prof, NULL);
	bounded_child__confine(&socket, 1, &limits);
	while (receive(socket, &asked, sizeof(asked)) && asked.len <= DEMANGLE_MOST_IN &&
	       receive(socket, name, asked.len)) {
		name[asked.len] = '\0';
		allow_time();
		answer(socket, name);
	}
	_exit(0);
}
