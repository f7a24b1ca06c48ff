// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-threads.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"

/*
 * Loads BTF that describes an int and an array of @size bytes, because the kernel requires BTF
 * types for the key and the value of a task storage map. Sets *@key_id and *@value_id to the ids of
 * these types. Returns the fd of the BTF, or -errno.
 */
static int load_types(size_t size, int *key_id, int *value_id)
{
	struct btf *btf = btf__new_empty();
	int byte_id, fd = -ENOMEM;

	if (!btf)
		return -errno;
	*key_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	byte_id = btf__add_int(btf, "byte", 1, 0);
	*value_id = btf__add_array(btf, *key_id, byte_id, (__u32)size);
	if (*key_id > 0 && byte_id > 0 && *value_id > 0) {
		fd = btf__load_into_kernel(btf);
		if (!fd)
			fd = fcntl(btf__fd(btf), F_DUPFD_CLOEXEC, 0);
		if (fd == -1)
			fd = -errno;
	}
	btf__free(btf);
	return fd;
}

static int make_threads_map(struct scope_programs *programs, size_t size)
{
	int key_id = 0, value_id = 0, btf_fd = load_types(size, &key_id, &value_id), fd;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);

	if (btf_fd < 0)
		return btf_fd;
	opts.btf_fd = (__u32)btf_fd;
	opts.btf_key_type_id = (__u32)key_id;
	opts.btf_value_type_id = (__u32)value_id;
	fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "threads", sizeof(int), (__u32)size, 0,
			    &opts);
	programs->threads_map = fd < 0 ? -1 : fd;
	fd = fd < 0 ? -errno : 0;
	close(btf_fd);
	return fd;
}

/*
 * Makes the kernel allocate @size bytes as the state of this thread, and free them again. Returns
 * 0, -ENOMEM if the kernel cannot allocate them, or another -errno. Since Linux 6.19, the kernel
 * allocates the state with kmalloc_nolock(), which can allocate at most two pages.
 */
static int try_state(const struct scope_programs *programs, size_t size)
{
	void *state = calloc(1, size);
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0), err = state ? 0 : -ENOMEM;

	if (!err && pidfd < 0)
		err = -errno;
	if (!err && bpf_map_update_elem(programs->threads_map, &pidfd, state, BPF_ANY))
		err = -errno;
	if (!err && bpf_map_delete_elem(programs->threads_map, &pidfd))
		err = -errno;
	if (pidfd >= 0)
		close(pidfd);
	free(state);
	return err;
}

/*
 * No run can be counted without a state. So this function fails if the kernel cannot allocate even
 * a few bytes as the state of a thread. Linux 6.19 and newer cannot allocate even these bytes on
 * x86-64 CPUs without cmpxchg16b (kmalloc_nolock in mm/slub.c). Returns 0, or -EOPNOTSUPP with the
 * reason in @why.
 */
static int check_any_state(struct scope_programs *programs, struct strbuf *why)
{
	int err = make_threads_map(programs, sizeof(__u64));

	err = err ?: try_state(programs, sizeof(__u64));
	if (programs->threads_map >= 0)
		close(programs->threads_map);
	programs->threads_map = -1;
	if (err != -ENOMEM)
		return 0;
	return reason__set(why, -EOPNOTSUPP,
			   "--scope: this kernel cannot store the state of a thread (BPF task "
			   "storage: %s)\nsince Linux 6.19, this needs a CPU with cmpxchg16b (the "
			   "flag cx16 in /proc/cpuinfo): choose another CPU for the virtual "
			   "machine, or an older kernel",
			   strerror(-err));
}

/*
 * Called if the kernel could not allocate the smallest state, whose size is @size bytes. Fails if
 * the kernel can never allocate a state (check_any_state()). Otherwise, the lack of memory may be
 * temporary, so the function makes the map anyway.
 */
static int keep_least(struct scope_programs *programs, size_t size, struct strbuf *why)
{
	int err;

	close(programs->threads_map);
	programs->threads_map = -1;
	err = check_any_state(programs, why);
	return err ?: make_threads_map(programs, size);
}

int scope_threads__make_map(struct scope_programs *programs, const struct scope_shape *shape,
			    struct strbuf *why)
{
	int err;

	programs->depth = SCOPE_DEPTH;
	for (;; programs->depth /= 2) {
		size_t size = scope_shape__thread_size(shape, programs->depth);

		err = make_threads_map(programs, size);
		if (err || try_state(programs, size) != -ENOMEM)
			break;
		if (programs->depth == SCOPE_LEAST_DEPTH) {
			err = keep_least(programs, size, why);
			break;
		}
		close(programs->threads_map);
		programs->threads_map = -1;
	}
	if (!err && programs->depth < SCOPE_DEPTH)
		pr_info("--scope: a thread can have %u runs in progress: this kernel allocates no "
			"memory for more with this number of events",
			programs->depth);
	return err;
}
