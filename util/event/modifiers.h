/* SPDX-License-Identifier: GPL-2.0-only */
/* Modifiers: the letters after an event or a group, and their effect. */
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
	MOD_PRECISE_MAX = 1 << 6, /* P: no effect on counting */
	MOD_SAMPLE_READ = 1 << 7, /* S: no effect on counting */
	MOD_PINNED = 1 << 8,	  /* D */
	MOD_EXCLUSIVE = 1 << 9,	  /* e */
	MOD_WEAK = 1 << 10,	  /* W: only for groups */
	MOD_BPF = 1 << 11,	  /* b */
	MOD_RETIRE_LAT = 1 << 12, /* R: not supported, because it would need samples */
};

/* A zeroed struct has no modifiers. */
struct modifiers {
	unsigned int bits;    /* bits of enum modifier */
	unsigned int precise; /* how many times p was given, 0 to 3 */
	size_t column;	      /* column of the first letter */
};

/*
 * Returns whether all letters of @word are modifiers. If so, NAME:WORD is not a tracepoint, but an
 * event with modifiers.
 */
bool modifiers__spelled(const struct span *word);
/*
 * Stores the modifiers of @word in @mod. Returns 0; or -EINVAL, with @error set, if a letter is
 * unknown, if p is given more than three times, or if any other letter is repeated.
 */
int modifiers__parse(const struct span *word, struct modifiers *mod, struct parse_error *error);

/*
 * Applies the modifiers of an event. The modifiers replace the exclude bits of @evsel. Returns 0;
 * or -EINVAL, with @error set, if @mod contains W, which is only for groups.
 */
int modifiers__apply(const struct modifiers *mod, struct evsel *evsel, struct parse_error *error);
/*
 * Adds the modifiers of a group to the modifiers of @evsel, a member of the group. @leader says
 * whether @evsel is the first member: only the first member gets D and e. Returns 0; or -EINVAL,
 * with @error set, if p is given more than three times for the event and its group together.
 */
int modifiers__apply_group(const struct modifiers *mod, struct evsel *evsel, bool leader,
			   struct parse_error *error);

#endif
