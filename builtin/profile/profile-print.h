/* SPDX-License-Identifier: GPL-2.0-only */
/* The table for people. */
#ifndef PSTAT_BUILTIN_PROFILE_PRINT_H
#define PSTAT_BUILTIN_PROFILE_PRINT_H

struct profile_view;
struct sample_sum;
struct strbuf;

void profile_print__table(const struct profile_view *view, struct strbuf *sb);

/* Prints the columns "total" and "self", each with its share and number of samples. */
void profile_print__sums(double total_share, const struct sample_sum *total, double share,
			 const struct sample_sum *self, struct strbuf *sb);

/* Its parts, of one event. The code of programs with the samples beside it: */
void profile_annotate__add(const struct profile_view *view, int event, struct strbuf *sb);
/* With view.stacks: what is not known of the stacks, and functions as lines of columns divided by tabs. */
void profile_stacks_print__losses(const struct profile_view *view, int event, struct strbuf *sb);
void profile_stacks_print__symbols(const struct profile_view *view, int event, struct strbuf *sb);

#endif
