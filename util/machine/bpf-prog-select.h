/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which BPF programs are meant, in words:
 *
 *	42			the program of that id
 *	42:FUNCTION		a function of it
 *	name:GLOB		those of that name, whole or as the kernel cuts it
 *	tag:HEX			those of that tag, 16 digits
 *	pinned:PATH		the one that is pinned there
 *	type:NAME		those of that type
 *	all			all that there are
 *
 * in a list between commas; a comma in a word is written \,. What is read here is text: no program is looked for.
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
	char *text;  /* as it was given */
	uint32_t id; /* by id */
	char *word;  /* what stands behind the colon: a function's name (by id; NULL without), GLOB, PATH */
	uint8_t tag[BPF_PROG_TAG_SIZE]; /* by tag */
	uint64_t types;			/* by type: bit 1 << type for each */
};

/* In the order given; the same word twice is there once. */
struct prog_selection {
	int nr;
	struct prog_selector *selectors;
};

/* 0 and *@selection; -EINVAL, and in @why which word is wrong, and why; -ENOMEM. */
int prog_selection__parse(const char *list, struct prog_selection **selection, struct strbuf *why);
void prog_selection__free(struct prog_selection *selection);

/* Is it a word for programs that one has to look for, which may be none, many, and others a little later? */
static inline bool prog_selector__is_pattern(const struct prog_selector *selector)
{
	return selector->by != PROG_SELECT_ID && selector->by != PROG_SELECT_PINNED;
}

#endif
