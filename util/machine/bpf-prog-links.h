/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF links of the system: which programs are attached by one, and which functions of programs are replaced (freplace). */
#ifndef PSTAT_MACHINE_BPF_PROG_LINKS_H
#define PSTAT_MACHINE_BPF_PROG_LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct prog_link {
	uint32_t prog;		/* id of the program that is attached */
	uint32_t replaced_prog; /* id of the program of which it replaces a function; 0 for links of other types */
	uint32_t replaced_func; /* BTF id of that function in the BTF of its program */
};

/* Zeroed is empty. */
struct prog_links {
	int nr;
	struct prog_link *links;
};

/* Reads all links that exist now. 0; -EPERM without CAP_SYS_ADMIN, or another -errno, and @links is empty. */
int prog_links__read(struct prog_links *links);
void prog_links__free(struct prog_links *links);

/* Is the program attached by a link? Attachments without a link, as by netlink or by ioctl, are not known. */
bool prog_links__attach(const struct prog_links *links, uint32_t prog);

/* The id of the freplace program that runs in place of the function with BTF id @func of @prog; 0 when there is none. */
uint32_t prog_links__replacer(const struct prog_links *links, uint32_t prog, uint32_t func);

#endif
