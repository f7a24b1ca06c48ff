// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/close-others.h"

#include <sys/syscall.h>
#include <unistd.h>

void close_others(int from, const int *kept, int nr)
{
	for (unsigned int first = (unsigned int)from;;) {
		unsigned int next = ~0U;

		for (int i = 0; i < nr; i++)
			if (kept[i] >= (int)first && (unsigned int)kept[i] < next)
				next = (unsigned int)kept[i];
		if (next > first)
			syscall(SYS_close_range, first, next == ~0U ? next : next - 1, 0);
		if (next == ~0U)
			return;
		first = next + 1;
	}
}
