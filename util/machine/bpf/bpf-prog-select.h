/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selectors of BPF programs (the argument of -b), separated by commas:
 *
 *	42		the program with this id
 *	42:FUNCTION	a function of this program
 *	name:GLOB	programs whose name matches, in full or as truncated by the kernel
 *	tag:HEX		programs with this tag (16 hexadecimal digits)
 *	pinned:PATH	the program pinned at this path
 *	type:NAME	programs of this type
 *	all		all loaded programs
 *
 * A comma inside a selector is written "\,". The functions below only parse selectors, and do not
 * search for programs.
 */
#ifndef PSTAT_MACHINE_BPF_PROG_SELECT_H
#define PSTAT_MACHINE_BPF_PROG_SELECT_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

#define BPF_PROG_TAG_SIZE 8

enum prog_select {
	PROG_SELECT_ID,
	PROG_SELECT_NAME,
	PROG_SELECT_TAG,
	PROG_SELECT_PINNED,
	PROG_SELECT_TYPE,
	PROG_SELECT_ALL,
};

struct prog_selector {
	enum prog_select by;
	char *text;  /* the whole selector, with "," for each "\," */
	uint32_t id; /* PROG_SELECT_ID */
	/* the text after the first colon, or NULL if there is no colon */
	char *word;
	uint8_t tag[BPF_PROG_TAG_SIZE]; /* PROG_SELECT_TAG */
	uint64_t types; /* PROG_SELECT_TYPE: bit N is type N of enum bpf_prog_type */
};

/* The selectors in the user's order, without duplicates. */
struct prog_selection {
	int nr;
	struct prog_selector *selectors;
};

/*
 * Parses the selectors in @list. Returns 0 and sets *@selection; -EINVAL with the reason in @why if
 * a selector is malformed; or -ENOMEM.
 */
int prog_selection__parse(const char *list, struct prog_selection **selection, struct strbuf *why);
void prog_selection__free(struct prog_selection *selection);

/*
 * Returns whether the selector can match several programs. If so, pstat must search for matching
 * programs, and the set of matching programs can change.
 */
static inline bool prog_selector__is_pattern(const struct prog_selector *selector)
{
	return selector->by != PROG_SELECT_ID && selector->by != PROG_SELECT_PINNED;
}

#endif
