/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of workloads. */
#ifndef TESTS_WORKLOADS_RUN_THREADS_H
#define TESTS_WORKLOADS_RUN_THREADS_H

#include <pthread.h>
#include <stdlib.h>

/* Runs @start(NULL) in @nr threads, and waits for their end. Ends the process on failure. */
static inline void run_threads(long nr, void *(*start)(void *))
{
	pthread_t *threads = calloc((size_t)nr, sizeof(*threads));

	for (long i = 0; i < nr; i++)
		if (!threads || pthread_create(&threads[i], NULL, start, NULL))
			exit(1);
	for (long i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

#endif
