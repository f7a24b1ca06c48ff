/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the events of a list as lines of text or as JSON objects. */
#ifndef PSTAT_BUILTIN_LIST_PRINT_H
#define PSTAT_BUILTIN_LIST_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/count/fd/open-check.h"

struct list_printer;
struct listed_event;
struct strbuf;

struct list_style {
	bool json;
	bool names_only; /* in a text list: no descriptions */
	bool details;	 /* long descriptions */
	bool encodings;	 /* encodings of events, and expressions of metrics */
	/* print only names, separated by spaces or, if they are names of points, by newlines */
	bool raw_dump;
	bool check; /* print which events can be opened */
};

/*
 * The file to which the list is written. With --json, the list is an array, whose brackets list.c
 * writes.
 */
struct list_out {
	FILE *file;
	bool begun; /* the array already has an element */
};

/* Returns 0 or -ENOMEM. @style and @out must outlive the printer. */
int list_printer__new(const struct list_style *style, struct list_out *out,
		      struct list_printer **printer);
/*
 * Prints an event. @verdict is NULL if pstat did not try to open the event. @why is the reason for
 * the verdict, or "". Returns 0, -ENOMEM, or -errno if the output cannot be written.
 */
int list_printer__event(struct list_printer *p, const struct listed_event *event,
			const enum open_verdict *verdict, const char *why);
/*
 * Ends the list. With --check, a text list ends with a summary of how many events can be opened.
 * Returns 0, -ENOMEM, or -errno if the output cannot be written.
 */
int list_printer__end(struct list_printer *p);
void list_printer__free(struct list_printer *p);

/* The indentation of a description below the name of an event. */
#define LIST_INDENT 7

/*
 * Adds @text in square brackets, indented by LIST_INDENT, and a newline. Breaks @text at white
 * space into lines of at most 79 columns, not counting the closing bracket, and replaces control
 * characters. A word that is longer than a line gets its own line. If @text is empty, adds nothing.
 */
void list_print__add_description(struct strbuf *sb, const char *text);

#endif
