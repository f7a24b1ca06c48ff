/* SPDX-License-Identifier: GPL-2.0-only */
/* A page whose first access waits. Tests use it to make a program sleep for a given time. */
#ifndef PSTAT_WORKLOADS_LATE_PAGE_H
#define PSTAT_WORKLOADS_LATE_PAGE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct late_page {
	int uffd;
	char *at;
	size_t size;
	__u64 ms;
};

/* A process has only one page of this kind. */
static struct late_page late_page;

static inline void late_page__die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* A thread that waits for accesses to the page, and provides the page after the delay. */
static inline void *late_page__serve(void *arg)
{
	struct uffd_msg msg;

	(void)arg;
	while (read(late_page.uffd, &msg, sizeof(msg)) == sizeof(msg)) {
		struct uffdio_zeropage zero = { .range = { .start = (__u64)late_page.at,
							   .len = late_page.size } };

		usleep(late_page.ms * 1000);
		if (ioctl(late_page.uffd, UFFDIO_ZEROPAGE, &zero))
			late_page__die("cannot provide the page");
	}
	return NULL;
}

/* Makes a page whose first access waits for @ms milliseconds. Returns its address. */
static inline __u64 late_page__make(__u64 ms)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;

	late_page.ms = ms;
	late_page.size = (size_t)sysconf(_SC_PAGESIZE);
	late_page.at = mmap(NULL, late_page.size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	late_page.uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	reg.range = (struct uffdio_range){ .start = (__u64)late_page.at, .len = late_page.size };
	if (late_page.at == MAP_FAILED || late_page.uffd < 0 ||
	    ioctl(late_page.uffd, UFFDIO_API, &api) ||
	    ioctl(late_page.uffd, UFFDIO_REGISTER, &reg) ||
	    pthread_create(&thread, NULL, late_page__serve, NULL))
		late_page__die("cannot make a page with a delay");
	return (__u64)late_page.at;
}

/* Removes the page, so that the next access waits again. */
static inline void late_page__drop(void)
{
	if (late_page.at)
		madvise(late_page.at, late_page.size, MADV_DONTNEED);
}

#endif
