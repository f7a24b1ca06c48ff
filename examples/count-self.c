// SPDX-License-Identifier: GPL-2.0-only
/*
 * count-self [EVENT]: counts the event while it sorts numbers. See pstat-self(3).
 *
 *	cc count-self.c $(pkg-config --cflags --libs pstat-self) -o count-self
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pstat-self.h>

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort_numbers(void)
{
	static int numbers[20000];
	unsigned int number = 1;

	for (int i = 0; i < 20000; i++)
		numbers[i] = (int)(number = number * 1103515245 + 12345);
	qsort(numbers, 20000, sizeof(numbers[0]), compare);
}

static struct pstat_self_count read_count(struct pstat_self *self)
{
	struct pstat_self_count count;

	if (pstat_self_read(self, &count))
		errx(1, "%s", pstat_self_error());
	return count;
}

int main(int argc, char **argv)
{
	struct pstat_self_config config = { .size = sizeof(config),
					    .event = argc > 1 ? argv[1] : "instructions" };
	struct pstat_self_count first, begin, end;
	struct pstat_self *self;

	if (pstat_self_open(&config, &self))
		errx(1, "%s", pstat_self_error());

	first = read_count(self);
	/* the cost of reading is the difference between these two reads */
	begin = read_count(self);
	sort_numbers();
	end = read_count(self);

	printf("%" PRIu64 " %s\n", end.value - begin.value - (begin.value - first.value),
	       config.event);
	if (end.running - begin.running < end.enabled - begin.enabled)
		printf("counted in %.1f %% of the time\n",
		       100.0 * (double)(end.running - begin.running) /
			       (double)(end.enabled - begin.enabled));
	pstat_self_close(self);
	return 0;
}
