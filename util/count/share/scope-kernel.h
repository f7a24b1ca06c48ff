/* SPDX-License-Identifier: GPL-2.0-only */
/* Attaches the programs of scopes at points in the kernel. */
#ifndef PSTAT_COUNT_SCOPE_KERNEL_H
#define PSTAT_COUNT_SCOPE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct scope_links;
struct strbuf;

/*
 * Can one link attach a program to many functions? This needs Linux 5.18 on x86-64, and 6.14 on
 * arm64.
 */
bool scope_kernel__have_multi(void);
/* Can probes be attached to functions? If not, stores the reason in @why. Returns 0 or -errno. */
int scope_kernel__check(bool multi, struct strbuf *why);

/* Functions of the kernel to which the same program is attached. */
struct scope_functions {
	bool at_return;
	int nr;
	const char **names;
	uint64_t *addresses; /* NULL: only the names are known */
	uint64_t *cookies;
};

/* Return 0, or -errno with the reason in @why. Attachments made before the error stay attached. */
int scope_kernel__add_functions(struct scope_links *links, int prog_fd, bool multi,
				const struct scope_functions *functions, struct strbuf *why);
/*
 * Attaches a program to a tracepoint. @id is the id of its perf event; @name is used in messages.
 */
int scope_kernel__add_tp(struct scope_links *links, int prog_fd, uint64_t id, uint64_t cookie,
			 const char *name, struct strbuf *why);
/* Attaches a program to a raw tracepoint. */
int scope_kernel__add_raw(struct scope_links *links, int prog_fd, const char *tracepoint,
			  struct strbuf *why);

#endif
