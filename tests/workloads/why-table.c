// SPDX-License-Identifier: GPL-2.0-only
/*
 * why-table: tests whether `pstat why` finds the field because of which an event cannot be opened.
 * It tries one bad field after the other, and prints a line for each field: "right", "wrong",
 * "unknown" (`pstat why` names no field) or "opens" (there was no error), then the errno, and the
 * bad field. The results depend on the kernel, so tests run why-table in virtual machines.
 */
#include <stdio.h>

#include "tests/unit/why-refusals.h"

static const char *judge(const struct row *row, const struct why_answer *answer)
{
	if (!answer->err)
		return "opens";
	if (answer->scope == row->scope && (!row->name || has_fix(answer, row->name)))
		return "right";
	return answer->nr_fixes ? "wrong" : "unknown";
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct why_trial trial = rows[i].start();
		struct why_answer answer;

		rows[i].break_it(&trial);
		if (why_search(&trial, NULL, 0, &answer))
			return 1;
		printf("%s %d %zu-%s\n", judge(&rows[i], &answer), -answer.err, i,
		       rows[i].name ?: "none");
		why_answer__free(&answer);
	}
	return 0;
}
