// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/sysfs.h"

/* SECCOMP_MODE_FILTER of linux/seccomp.h */
#define FILTERED 2

bool privileges__are_filtered(void)
{
	char text[8192], *line;

	if (sysfs__read(sysroots__host()->procfs, "thread-self/status", text, sizeof(text)) <= 0)
		return false;
	line = strstr(text, "\nSeccomp:");
	return line && atoi(line + strlen("\nSeccomp:")) == FILTERED;
}

/* Returns a bit mask of the effective capabilities, or 0 if they cannot be read. */
static uint64_t capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return 0;
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

static bool has(uint64_t all, int capability)
{
	return all >> capability & 1;
}

bool privileges__allow_all(void)
{
	return has(capabilities(), CAP_SYS_ADMIN);
}

bool privileges__allow_events(void)
{
	uint64_t all = capabilities();

	return has(all, CAP_SYS_ADMIN) || has(all, CAP_PERFMON);
}

static bool allow_bpf(bool by_id)
{
	uint64_t all = capabilities();

	return has(all, CAP_SYS_ADMIN) || (!by_id && has(all, CAP_BPF) && has(all, CAP_PERFMON));
}

bool privileges__allow_bpf(void)
{
	return allow_bpf(false);
}

static bool filter_refuses_bpf(bool by_id)
{
	return allow_bpf(by_id) && privileges__are_filtered();
}

bool privileges__filter_refuses_bpf(int err)
{
	return (err == -EPERM || err == -ENOSYS) && filter_refuses_bpf(false);
}

const char *privileges__refused_bpf_call(void)
{
	int fd;

	/* if no filter refuses bpf(), the kernel returns EINVAL: there is no command -1 */
	if (!syscall(SYS_bpf, -1, NULL, 0) || errno != EINVAL)
		return "bpf";
	fd = memfd_create("pstat-probe", MFD_CLOEXEC);
	if (fd < 0)
		return "memfd_create";
	close(fd);
	return "bpf";
}

static bool refuses_memfd(void)
{
	return !strcmp(privileges__refused_bpf_call(), "memfd_create");
}

const char *privileges__bpf_reason(bool by_id)
{
	if (filter_refuses_bpf(by_id))
		return refuses_memfd() ? "EPERM: a seccomp filter probably refuses memfd_create()" :
					 "EPERM: a seccomp filter probably refuses bpf()";
	if (by_id)
		return "EPERM: CAP_SYS_ADMIN is needed";
	if (has(capabilities(), CAP_BPF))
		return "EPERM: CAP_PERFMON is needed";
	return has(capabilities(), CAP_PERFMON) ? "EPERM: CAP_BPF is needed" :
						  "EPERM: CAP_BPF and CAP_PERFMON are needed";
}

const char *privileges__bpf_advice(bool by_id)
{
	if (filter_refuses_bpf(by_id) && refuses_memfd())
		return "allow memfd_create() in the seccomp profile of the container or service";
	if (filter_refuses_bpf(by_id))
		return "allow bpf() in the seccomp profile of the container or service";
	return by_id ? "run pstat as root" : "run pstat as root, or with CAP_BPF and CAP_PERFMON";
}
