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

static int create_multi(int prog_fd, const struct scope_functions *functions)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd;

	opts.kprobe_multi.flags = functions->at_return ? BPF_F_KPROBE_MULTI_RETURN : 0;
	opts.kprobe_multi.cnt = (__u32)functions->nr;
	opts.kprobe_multi.cookies = (const __u64 *)functions->cookies;
	if (functions->addresses)
		opts.kprobe_multi.addrs = (const unsigned long *)functions->addresses;
	else
		opts.kprobe_multi.syms = functions->names;
	fd = bpf_link_create(prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	return fd < 0 ? -errno : fd;
}

/*
 * Tries to attach a program at addresses that cannot be read. If the kernel supports such links, it
 * tries to read the addresses and returns EFAULT.
 */
bool scope_kernel__have_multi(void)
{
	int prog_fd = bpf_util__load_kprobe(BPF_TRACE_KPROBE_MULTI);
	const struct scope_functions nowhere = { .nr = 1, .addresses = (uint64_t *)1 };
	int fd;

	if (prog_fd < 0)
		return false;
	fd = create_multi(prog_fd, &nowhere);
	close(prog_fd);
	if (fd >= 0)
		close(fd);
	return fd == -EFAULT;
}

/* ---- one perf event for each function ---- */

static int attach_event(struct scope_links *links, int prog_fd, int event, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int fd = bpf_link_create(prog_fd, event, BPF_PERF_EVENT, &opts), err;

	if (fd < 0) {
		err = -errno;
		close(event);
		return err;
	}
	err = scope_links__add(links, fd, event);
	return err ?: perf_sys__enable(event);
}

static int add_kprobe(struct scope_links *links, int prog_fd,
		      const struct scope_functions *functions, int number)
{
	union perf_attr attr = { .attr = { .size = PERF_ATTR_SIZE } };
	int type = scope_links__read_pmu("kprobe/type", "%d");
	int bit = scope_links__read_pmu("kprobe/format/retprobe", "config:%d"), event;

	if (type < 0 || bit < 0)
		return type < 0 ? type : bit;
	attr.attr.type = (__u32)type;
	attr.attr.config = functions->at_return ? 1ULL << bit : 0;
	/* an address would also be possible, but the kernel would then permit fewer functions */
	attr.attr.config1 = (__u64)(uintptr_t)functions->names[number];
	/* the program runs on every CPU, whichever CPU the event is for */
	event = perf_sys__open(&attr, -1, 0, -1, 0);
	return event < 0 ? event : attach_event(links, prog_fd, event, functions->cookies[number]);
}

/* ---- */

int scope_kernel__check(bool multi, const char *option, struct strbuf *why)
{
	int err = multi ? 0 : scope_links__read_pmu("kprobe/type", "%d");
	struct strbuf fentry = STRBUF_INIT;
	bool has_fentry;

	if (err >= 0)
		return 0;
	has_fentry = !bpf_util__probe_lockdown(&fentry);
	err = reason__set(why, -EOPNOTSUPP,
			  "%s: this kernel has no probes at its functions: it has neither "
			  "kprobes (CONFIG_KPROBE_EVENTS) nor fprobes (CONFIG_FPROBE)%s%s\n"
			  "tracepoints and system calls can be used: tp:, syscall:",
			  option, has_fentry ? "" : ", and refuses fentry: ",
			  has_fentry ? "" : reason__text(&fentry, -EPERM));
	strbuf__free(&fentry);
	return err;
}

int scope_kernel__add_functions(struct scope_links *links, int prog_fd, bool multi,
				const struct scope_functions *functions, struct strbuf *why)
{
	int err = 0, fd, number = 0;

	if (multi) {
		fd = create_multi(prog_fd, functions);
		err = fd < 0 ? fd : scope_links__add(links, fd, -1);
	}
	for (; !multi && !err && number < functions->nr; number++)
		err = add_kprobe(links, prog_fd, functions, number);
	if (!err)
		return 0;
	if (!multi)
		number--;
	return reason__set(why, err, "%s: func:%s%s: no probe can be attached%s: %s",
			   functions->option, functions->names[number],
			   functions->nr > 1 && multi ? " and others" : "",
			   functions->at_return ? " at its return" : "", strerror(-err));
}

int scope_kernel__add_tp(struct scope_links *links, int prog_fd,
			 const struct scope_tracepoint *tracepoint, struct strbuf *why)
{
	union perf_attr attr = { .attr = { .size = PERF_ATTR_SIZE,
					   .type = PERF_TYPE_TRACEPOINT,
					   .config = tracepoint->id } };
	int event = perf_sys__open(&attr, -1, 0, -1, 0);
	int err = event < 0 ? event : attach_event(links, prog_fd, event, tracepoint->cookie);

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
