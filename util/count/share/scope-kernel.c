// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/scope-kernel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/count/share/scope-links.h"

/* ---- many functions with one link ---- */

/* `link_create` of union bpf_attr, with the fields for kprobe_multi (linux/bpf.h, Linux 5.18) */
struct link_create_attr {
	__u32 prog_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	__u32 kprobe_flags;
	__u32 cnt;
	__u64 syms;
	__u64 addrs;
	__u64 cookies;
};

static __u32 attach_type_of(enum scope_func_links links)
{
	return links == FUNC_LINKS_SESSION ? SCOPE_TRACE_KPROBE_SESSION : BPF_TRACE_KPROBE_MULTI;
}

static int create_multi(int prog_fd, enum scope_func_links links,
			const struct scope_functions *functions)
{
	struct link_create_attr attr = {
		.prog_fd = (__u32)prog_fd,
		.attach_type = attach_type_of(links),
		.kprobe_flags = functions->at_return ? BPF_F_KPROBE_MULTI_RETURN : 0,
		.cnt = (__u32)functions->nr,
		.cookies = (__u64)(uintptr_t)functions->cookies,
	};
	long fd;

	if (functions->addresses)
		attr.addrs = (__u64)(uintptr_t)functions->addresses;
	else
		attr.syms = (__u64)(uintptr_t)functions->names;
	fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : (int)fd;
}

/*
 * Asks the kernel to attach a program to a list of functions, but passes an invalid address for the
 * list. A kernel that supports @links tries to read the list, and returns EFAULT.
 */
bool scope_kernel__have_links(enum scope_func_links links)
{
	int prog_fd = bpf_util__load_kprobe((enum bpf_attach_type)attach_type_of(links));
	const struct scope_functions nowhere = { .nr = 1, .addresses = (uint64_t *)1 };
	int fd;

	if (prog_fd < 0)
		return false;
	fd = create_multi(prog_fd, links, &nowhere);
	close(prog_fd);
	if (fd >= 0)
		close(fd);
	return fd == -EFAULT;
}

/* ---- one perf event for each function ---- */

static int add_kprobe(struct scope_links *links, int prog_fd, int type, uint64_t config,
		      const struct scope_functions *functions, int number)
{
	union perf_attr attr = { .attr = { .size = PERF_ATTR_SIZE } };
	int event;

	attr.attr.type = (__u32)type;
	attr.attr.config = config;
	/* pass the name, because the kernel refuses some functions if it gets their addresses */
	attr.attr.config1 = (__u64)(uintptr_t)functions->names[number];
	/* the kernel runs the program on every CPU, although the event is opened for CPU 0 */
	event = perf_sys__open(&attr, -1, 0, -1, 0);
	return event < 0 ?
		       event :
		       scope_links__add_event(links, prog_fd, event, functions->cookies[number]);
}

/*
 * Attaches the program to each function. On error, *@failed is the index of the first function to
 * which the program is not attached.
 */
static int add_kprobes(struct scope_links *links, int prog_fd,
		       const struct scope_functions *functions, int *failed)
{
	int type = scope_links__read_pmu("kprobe/type", "%d"), err = 0;
	int bit = scope_links__read_pmu("kprobe/format/retprobe", "config:%d");

	*failed = 0;
	if (type < 0 || bit < 0)
		return type < 0 ? type : bit;
	for (int i = 0; !err && i < functions->nr; i++) {
		*failed = i;
		err = add_kprobe(links, prog_fd, type, functions->at_return ? 1ULL << bit : 0,
				 functions, i);
	}
	return err;
}

/* ---- */

int scope_kernel__check(enum scope_func_links links, const char *option, struct strbuf *why)
{
	int err = links == FUNC_LINKS_EVENTS ? scope_links__read_pmu("kprobe/type", "%d") : 0;
	struct strbuf fentry = STRBUF_INIT;
	bool has_fentry;

	if (err >= 0)
		return 0;
	has_fentry = !bpf_util__probe_lockdown(&fentry);
	err = reason__set(why, -EOPNOTSUPP,
			  "%s: this kernel has no probes at its functions: it has neither "
			  "kprobes (CONFIG_KPROBE_EVENTS) nor fprobes (CONFIG_FPROBE)%s%s\n"
			  "use tracepoints or system calls instead: tp:, syscall:",
			  option, has_fentry ? "" : ", and ",
			  has_fentry ? "" : reason__text(&fentry, -EPERM));
	strbuf__free(&fentry);
	return err;
}

int scope_kernel__add_functions(struct scope_links *links, int prog_fd, enum scope_func_links how,
				const struct scope_functions *functions, struct strbuf *why)
{
	bool each = how == FUNC_LINKS_EVENTS;
	int number = 0, fd = -1, err;

	if (each) {
		err = add_kprobes(links, prog_fd, functions, &number);
	} else {
		fd = create_multi(prog_fd, how, functions);
		err = fd < 0 ? fd : scope_links__add(links, fd, -1);
	}
	return reason__set(why, err, "%s: func:%s%s: no probe can be attached%s: %s",
			   functions->option, functions->names[number],
			   functions->nr > 1 && !each ? " and others" : "",
			   functions->at_return ? " at its return" : "", strerror(-err));
}

int scope_kernel__add_tp(struct scope_links *links, int prog_fd,
			 const struct scope_tracepoint *tracepoint, struct strbuf *why)
{
	union perf_attr attr = { .attr = { .size = PERF_ATTR_SIZE,
					   .type = PERF_TYPE_TRACEPOINT,
					   .config = tracepoint->id } };
	int event = perf_sys__open(&attr, -1, 0, -1, 0);
	int err = event < 0 ? event :
			      scope_links__add_event(links, prog_fd, event, tracepoint->cookie);

	return reason__set(why, err, "%s: %s: no program can be attached: %s", tracepoint->option,
			   tracepoint->name, strerror(-err));
}

int scope_kernel__add_raw(struct scope_links *links, int prog_fd, const char *tracepoint,
			  struct strbuf *why)
{
	int fd = bpf_raw_tracepoint_open(tracepoint, prog_fd);
	int err = fd < 0 ? -errno : scope_links__add(links, fd, -1);

	return reason__set(why, err, "--scope: no program can be attached at the tracepoint %s: %s",
			   tracepoint, strerror(-err));
}
