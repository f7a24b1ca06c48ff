/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF links of the system. Links show which programs are attached, and which functions of
 * programs are replaced by other programs (freplace).
 */
#ifndef PSTAT_MACHINE_BPF_PROG_LINKS_H
#define PSTAT_MACHINE_BPF_PROG_LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct prog_link {
	uint32_t prog; /* id of the attached program */
	/* id of the program whose function is replaced (freplace); 0 for other types of links */
	uint32_t replaced_prog;
	uint32_t replaced_func; /* id of the replaced function, in the BTF of `replaced_prog` */
};

/* A zeroed struct is empty. */
struct prog_links {
	int nr;
	struct prog_link *links;
};

/*
 * Reads all links that exist now. Returns 0; -EPERM without CAP_SYS_ADMIN; or another -errno. On
 * error, @links is empty.
 */
int prog_links__read(struct prog_links *links);
void prog_links__free(struct prog_links *links);

/*
 * Returns whether a link attaches the program with the id @prog. Attachments without a link, for
 * example by netlink or ioctl, are not visible.
 */
bool prog_links__attach(const struct prog_links *links, uint32_t prog);

/*
 * Returns the id of the freplace program that replaces the function with the BTF id @func in the
 * program @prog, or 0.
 */
uint32_t prog_links__replacer(const struct prog_links *links, uint32_t prog, uint32_t func);

#endif
