/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches the BPF programs of --scope, --start and --stop at functions and tracepoints in the
 * kernel.
 */
#ifndef PSTAT_COUNT_SCOPE_KERNEL_H
#define PSTAT_COUNT_SCOPE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct scope_links;
struct strbuf;

/* in uapi linux/bpf.h since Linux 6.10; the headers of the build machine may be older */
#define SCOPE_TRACE_KPROBE_SESSION 56

/* How programs are attached at points, that is, at the entries and returns of functions. */
enum scope_func_links {
	FUNC_LINKS_EVENTS,  /* a perf event for each point */
	FUNC_LINKS_MULTI,   /* for each program, a link for entries and a link for returns */
	FUNC_LINKS_SESSION, /* one link for the entries and the returns of all functions */
	FUNC_LINKS_FENTRY,  /* a program and a link for each point */
};

/*
 * Returns whether the kernel supports @links. x86-64 has supported FUNC_LINKS_MULTI since Linux
 * 5.18, and FUNC_LINKS_SESSION since 6.10. arm64 has supported both since 6.14. @links must be
 * FUNC_LINKS_MULTI or FUNC_LINKS_SESSION.
 */
bool scope_kernel__have_links(enum scope_func_links links);
/*
 * If @links is FUNC_LINKS_EVENTS, checks that the kernel has kprobes. Otherwise, does nothing.
 * Returns 0, or -errno with the reason in @why. @option is the option that named the functions, for
 * messages.
 */
int scope_kernel__check(enum scope_func_links links, const char *option, struct strbuf *why);

/* Functions of the kernel to which one program is attached. */
struct scope_functions {
	const char *option; /* the option that named the functions; for messages */
	bool at_return;
	int nr;
	const char **names;
	/* addresses of the functions; NULL: pstat knows only their names */
	uint64_t *addresses;
	uint64_t *cookies;
};

/*
 * Attaches the program @prog_fd to all @functions. @how must not be FUNC_LINKS_FENTRY. After an
 * error, the program stays attached to the functions to which it was already attached, until
 * scope_links__free() is called. This function and the functions below return 0, or -errno with the
 * reason in @why.
 */
int scope_kernel__add_functions(struct scope_links *links, int prog_fd, enum scope_func_links how,
				const struct scope_functions *functions, struct strbuf *why);

struct scope_tracepoint {
	/* for messages: the option that named the tracepoint, and the tracepoint's name */
	const char *option, *name;
	/* the id of the tracepoint, which is also the config of the tracepoint's perf event */
	uint64_t id;
	uint64_t cookie;
};

int scope_kernel__add_tp(struct scope_links *links, int prog_fd,
			 const struct scope_tracepoint *tracepoint, struct strbuf *why);
/* Attaches the program @prog_fd of --scope to the raw tracepoint @tracepoint. */
int scope_kernel__add_raw(struct scope_links *links, int prog_fd, const char *tracepoint,
			  struct strbuf *why);

#endif
