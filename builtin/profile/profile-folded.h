/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks as flame-graph tools read them: `comm;outermost;…;innermost COUNT`, a line each. */
#ifndef PSTAT_BUILTIN_PROFILE_FOLDED_H
#define PSTAT_BUILTIN_PROFILE_FOLDED_H

struct code_name;
struct profile_view;
struct strbuf;

/* The name of a frame: the function, with its line if that was asked for; else the object in brackets. What divides frames is not in it. */
void folded__frame(const struct code_name *name, struct strbuf *sb);
/* --folded: all of it, for tools; view.stacks is not NULL. */
void folded__add(const struct profile_view *view, struct strbuf *sb);

#endif
