/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A child process in which a library reads data that can belong to another user. The library is
 * libdw (line-reader.h, scope-inline.h) or libiberty (demangler.h). Malicious data can crash the
 * library, take control of it, or make it use any amount of time and memory. So the child has no
 * privileges and cannot open files. Its memory and CPU time are limited, and the parent can kill
 * it.
 *
 *	bounded_child__start ── fork ──► run(): bounded_child__confine(), then answers questions
 *	send(child->socket)  ──────────► read(socket)
 *	bounded_child__receive ◄──────── bounded_child__send
 */
#ifndef PSTAT_MACHINE_BOUNDED_CHILD_H
#define PSTAT_MACHINE_BOUNDED_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bounded_child {
	pid_t pid; /* 0: there is no child */
	int socket;
};

#define BOUNDED_CHILD_INIT    \
	{                     \
		.socket = -1, \
	}

/*
 * Forks a child that calls @run(socket, @arg), where the socket is connected to child->socket. @run
 * must not return. Returns 0 or -errno.
 */
int bounded_child__start(struct bounded_child *child, void (*run)(int socket, void *arg),
			 void *arg);
/*
 * Kills the child if it is still running, and closes child->socket. Returns the child's status from
 * waitpid(2), or 0 if there was no child.
 */
int bounded_child__end(struct bounded_child *child);
/*
 * Reads exactly @size bytes from the child. Returns 0; -EINTR if a signal asks pstat to end
 * (util/base/interrupt.h); -EPIPE if the child has ended; or -ETIMEDOUT if the bytes have not
 * arrived within @wait_ns.
 */
int bounded_child__receive(const struct bounded_child *child, void *to, size_t size,
			   uint64_t wait_ns);

/* ---- in the child ---- */

struct bounded_limits {
	/* maximum growth of the child's address space after bounded_child__confine(), in bytes */
	uint64_t memory;
	uint64_t cpu_seconds; /* when this time is used up, SIGXCPU ends the child */
};

/*
 * Connects the standard descriptors to /dev/null, closes all other descriptors except the @nr
 * descriptors in @kept, gives up all privileges, and applies @limits.
 */
void bounded_child__confine(const int *kept, int nr, const struct bounded_limits *limits);
/* Writes all of @data to the socket. Ends the child process if the parent has closed its end. */
void bounded_child__send(int socket, const void *data, size_t size);

#endif
