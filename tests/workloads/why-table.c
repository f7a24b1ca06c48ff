// SPDX-License-Identifier: GPL-2.0-only
/*
 * why-table: tries to open an event with a bad value in one field after the other, and prints for
 * each field whether `pstat why` finds this field: "right", "wrong" or "unknown" (it names no
 * field), the errno, and the field that is broken. The kernel decides, so tests run this in guests.
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
