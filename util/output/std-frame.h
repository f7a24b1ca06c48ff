/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines above and below the rows of the text format: the heading, and the times at the end. */
#ifndef PSTAT_OUTPUT_STD_FRAME_H
#define PSTAT_OUTPUT_STD_FRAME_H

struct output_foot;
struct output_head;
struct output_state;

/* Adds the heading, which names the target and, with -r, the number of repetitions. */
void std_frame__head(struct output_state *state, const struct output_head *head);

/*
 * Adds the elapsed time and, if there was only one repetition, the CPU times of the command. With
 * --table, first adds the table of the times of all repetitions.
 */
void std_frame__foot(struct output_state *state, const struct output_foot *foot);

/* Adds the smallest and the largest value of all repetitions (--range). */
void std_frame__add_range(struct output_state *state, double min, double max, int decimals);

#endif
