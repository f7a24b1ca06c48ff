/* SPDX-License-Identifier: GPL-2.0-only */
/* The letters behind an event or a group: which there are, what they say to the kernel. */
#ifndef PSTAT_EVENT_MODIFIERS_H
#define PSTAT_EVENT_MODIFIERS_H

#include <stdbool.h>
#include <stddef.h>

struct evsel;
struct parse_error;
struct span;

enum modifier {
	MOD_USER = 1 << 0,	  /* u */
	MOD_KERNEL = 1 << 1,	  /* k */
	MOD_HV = 1 << 2,	  /* h */
	MOD_NON_IDLE = 1 << 3,	  /* I */
	MOD_GUEST = 1 << 4,	  /* G */
	MOD_HOST = 1 << 5,	  /* H */
	MOD_PRECISE_MAX = 1 << 6, /* P: says nothing to a counter */
	MOD_SAMPLE_READ = 1 << 7, /* S: says nothing to a counter */
	MOD_PINNED = 1 << 8,	  /* D */
	MOD_EXCLUSIVE = 1 << 9,	  /* e */
	MOD_WEAK = 1 << 10,	  /* W, of a group only */
	MOD_BPF = 1 << 11,	  /* b */
	MOD_RETIRE_LAT = 1 << 12, /* R: accepted, but not supported: it needs samples */
};

/* All zero: no letters. */
struct modifiers {
	unsigned int bits;    /* of enum modifier */
	unsigned int precise; /* number of p, 0 to 3 */
	size_t column;	      /* of the first letter */
};

/* Nothing but letters that are modifiers: such a word after a colon is never the name of a tracepoint. */
bool modifiers__spelled(const struct span *word);
/* 0 or -EINVAL: an unknown letter, a letter twice, more than three p, a letter that pstat cannot serve. */
int modifiers__parse(const struct span *word, struct modifiers *mod, struct parse_error *error);

/* Lays the letters of an event on it: they replace the exclude bits that it had. 0 or -EINVAL. */
int modifiers__apply(const struct modifiers *mod, struct evsel *evsel, struct parse_error *error);
/* Lays the letters of its group on a member, on top of its own; @leader is true for the first. 0 or -EINVAL. */
int modifiers__apply_group(const struct modifiers *mod, struct evsel *evsel, bool leader, struct parse_error *error);

#endif
