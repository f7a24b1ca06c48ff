// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bpf-util.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/bpf-refusal.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"

#define INSN_MOV_R0_0                                                     \
	{                                                                 \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 \
	}
#define INSN_EXIT                          \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}

static const struct bpf_insn return_0[] = { INSN_MOV_R0_0, INSN_EXIT };
#define NR_RETURN_0 (sizeof(return_0) / sizeof(return_0[0]))

/*
 * The reason for the verifier's latest refusal, from its log. Empty after bpf_util__explain_load()
 * has used the reason.
 */
static char last_verdict[512];

#define LOG_BEGIN "BEGIN PROG LOAD LOG --"
#define LOG_END "-- END PROG LOAD LOG"

/*
 * Stores the reason from the verifier's log (see bpf_refusal__add_verdict()) in last_verdict. @text
 * is a message from libbpf, in which LOG_BEGIN and LOG_END enclose the log. Modifies @text.
 */
static void keep_verdict(char *text)
{
	struct strbuf lines = STRBUF_INIT;
	char *begin = strstr(text, LOG_BEGIN), *end = begin ? strstr(begin, LOG_END) : NULL;

	if (!end)
		return;
	*end = '\0';
	bpf_refusal__add_verdict(begin + strlen(LOG_BEGIN), &lines);
	snprintf(last_verdict, sizeof(last_verdict), "%s", lines.text);
	strbuf__free(&lines);
}

void bpf_util__explain_load(int err, struct strbuf *cause, struct strbuf *remedy)
{
	bpf_refusal__explain(sysroots__host(), err, last_verdict, cause, remedy);
	*last_verdict = '\0'; /* the next error must not be explained with this reason */
}

int bpf_util__store_load(struct strbuf *why, int err, const char *what, bool advise)
{
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;

	if (!err || !why || why->len)
		return err;
	bpf_util__explain_load(err, &cause, &remedy);
	if (advise)
		reason__store(why, err, "%s: %s\n%s", what, cause.text,
			      remedy.len ? remedy.text : "-v shows libbpf's messages");
	else
		reason__store(why, err, "%s: %s", what, cause.text);
	strbuf__free(&cause);
	strbuf__free(&remedy);
	return err;
}

static __attribute__((format(printf, 2, 0))) int to_log(enum libbpf_print_level level,
							const char *fmt, va_list ap)
{
	enum log_level ours = level == LIBBPF_WARN ? LOG_INFO : LOG_DEBUG;
	struct strbuf text = STRBUF_INIT;

	bool is_verdict = level == LIBBPF_WARN && strstr(fmt, LOG_BEGIN);

	if (!log__enabled(ours) && !is_verdict)
		return 0;
	strbuf__vaddf(&text, fmt, ap);
	log__print(ours, "%s", text.text);
	if (is_verdict && !strbuf__failed(&text))
		keep_verdict(text.text);
	strbuf__free(&text);
	return 0;
}

void bpf_util__init(void)
{
	libbpf_set_print(to_log);
}

static libbpf_print_fn_t before;

void bpf_util__enter(void)
{
	before = libbpf_set_print(to_log);
}

void bpf_util__leave(void)
{
	libbpf_set_print(before);
}

/*
 * Returns the last line of @log before the verifier's statistics, or the statistics if there is no
 * such line. Modifies @log.
 */
static const char *last_line(char *log)
{
	char *line;

	for (;;) {
		size_t len = strlen(log);

		while (len && log[len - 1] == '\n')
			log[--len] = '\0';
		line = strrchr(log, '\n');
		if (!line || strncmp(line + 1, "processed ", strlen("processed ")) != 0)
			break;
		*line = '\0';
	}
	return line ? line + 1 : log;
}

static void explain_refusal(struct strbuf *why_not, int err, char *log)
{
	const char *verdict = last_line(log);

	if (err == -EPERM && !*verdict && privileges__are_filtered())
		strbuf__adds(why_not, "a seccomp filter, or this kernel, refuses fentry and fexit "
				      "programs (EPERM)");
	else if (err == -EPERM && !*verdict)
		strbuf__adds(why_not, "this kernel refuses fentry and fexit programs (EPERM with "
				      "an empty verifier log: BPF tracing is locked down)");
	else if ((err == -ENOTSUPP || err == -EOPNOTSUPP || *verdict) &&
		 bpf_refusal__is_of_jit(sysroots__host(), verdict))
		bpf_refusal__explain(sysroots__host(), err, verdict, why_not, NULL);
	else if (err == -ENOTSUPP || err == -EOPNOTSUPP)
		strbuf__adds(why_not,
			     "this kernel has no BPF trampolines on this architecture (ENOTSUPP)");
	else if (*verdict && strncmp(verdict, "processed ", strlen("processed ")) != 0)
		strbuf__addf(why_not,
			     "the kernel does not accept fentry and fexit programs for it "
			     "(%s: %s)",
			     strerror(-err), verdict);
	else
		strbuf__addf(why_not,
			     "the kernel does not accept fentry and fexit programs for it "
			     "(%s)",
			     strerror(-err));
}

int bpf_util__probe_fentry(int prog_fd, uint32_t func_btf_id, struct strbuf *why_not)
{
	char log[4096] = "";
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_prog_fd = (__u32)prog_fd, .attach_btf_id = func_btf_id, .log_buf = log,
		    .log_size = sizeof(log), .log_level = 1);
	int fd, err = 0;

	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "pstat_probe", "GPL", return_0, NR_RETURN_0,
			   &opts);
	if (fd < 0) {
		err = -errno;
		explain_refusal(why_not, err, log);
	} else {
		close(fd);
	}
	return err;
}

int bpf_util__probe_lockdown(struct strbuf *why_not)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	char no_log[] = "";
	int fd, err;

	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "pstat_probe", "GPL", return_0, NR_RETURN_0,
			   &opts);
	err = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	/* any other error only means that the program has no target: the kernel allows fentry */
	if (err != -EPERM && err != -ENOMEM)
		return 0;
	explain_refusal(why_not, err, no_log);
	return err;
}

bool bpf_util__may_use_ids(void)
{
	int fd = bpf_link_get_fd_by_id(0); /* no link has the id 0 */

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != EPERM;
}

static int load(enum bpf_prog_type type)
{
	int fd = bpf_prog_load(type, "pstat_probe", "GPL", return_0, NR_RETURN_0, NULL);

	return fd < 0 ? -errno : fd;
}

int bpf_util__load_kprobe(int attach_type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)attach_type);
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "pstat_probe", "GPL", return_0, NR_RETURN_0,
			       &opts);

	return fd < 0 ? -errno : fd;
}

/*
 * @fd is the fd of a BPF program that was loaded for a test, or the -errno with which loading
 * failed. Closes the fd and returns 0, or adds the reason to @why_not and returns the -errno.
 * @place is the kind of object to which such a program is attached; the message names it.
 */
static int probe(int fd, const char *place, struct strbuf *why_not)
{
	if (fd < 0) {
		strbuf__addf(why_not, "no BPF program can be loaded for a %s: ", place);
		bpf_refusal__explain(sysroots__host(), fd, NULL, why_not, NULL);
	} else {
		close(fd);
	}
	return fd < 0 ? fd : 0;
}

int bpf_util__probe_raw_tp(struct strbuf *why_not)
{
	return probe(load(BPF_PROG_TYPE_RAW_TRACEPOINT), "tracepoint", why_not);
}

int bpf_util__probe_perf_event(struct strbuf *why_not)
{
	return probe(bpf_util__load_perf_event(), "perf event", why_not);
}

int bpf_util__load_perf_event(void)
{
	return load(BPF_PROG_TYPE_PERF_EVENT);
}

/*
 * Loads BTF with one function, int pstat_own(void). Returns the fd of the BTF and sets
 * *@func_btf_id to the function's id, or returns -errno.
 */
static int load_own_btf(uint32_t *func_btf_id)
{
	struct btf *btf = btf__new_empty();
	int int_id, proto_id, func_id, fd;
	const void *raw;
	__u32 size;

	if (!btf)
		return -errno;
	int_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	proto_id = int_id < 0 ? int_id : btf__add_func_proto(btf, int_id);
	func_id = proto_id < 0 ? proto_id :
				 btf__add_func(btf, "pstat_own", BTF_FUNC_STATIC, proto_id);
	if (func_id < 0) {
		fd = func_id;
		goto out;
	}
	raw = btf__raw_data(btf, &size);
	fd = raw ? bpf_btf_load(raw, size, NULL) : -1;
	if (fd < 0)
		fd = -errno;
	*func_btf_id = (uint32_t)func_id;
out:
	btf__free(btf);
	return fd;
}

/*
 * Loads a tiny program with BTF. Returns the fd of the program and sets *@func_btf_id to the BTF id
 * of the program's function, or returns -errno.
 */
static int load_own_prog(uint32_t *func_btf_id)
{
	int btf_fd = load_own_btf(func_btf_id), fd;
	struct bpf_func_info func = { .insn_off = 0, .type_id = *func_btf_id };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_btf_fd = (__u32)btf_fd, .func_info = &func,
		    .func_info_cnt = 1, .func_info_rec_size = sizeof(func));

	if (btf_fd < 0)
		return btf_fd;
	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "pstat_own", "GPL", return_0, NR_RETURN_0, &opts);
	if (fd < 0)
		fd = -errno;
	close(btf_fd);
	return fd;
}

int bpf_util__probe_trampoline(struct strbuf *why_not)
{
	uint32_t func_btf_id = 0;
	int fd = load_own_prog(&func_btf_id), err;

	if (fd < 0)
		return reason__set(why_not, fd, "no BPF program can be loaded: %s", strerror(-fd));
	err = bpf_util__probe_fentry(fd, func_btf_id, why_not);
	close(fd);
	return err;
}

int bpf_util__put_event(int map_fd, int row, int nr_cpus, int cpu_id, int fd, const char *name,
			struct strbuf *why)
{
	__u32 key = (__u32)(row * nr_cpus + cpu_id);
	int err;

	if (fd < 0 || !bpf_map_update_elem(map_fd, &key, &fd, BPF_ANY))
		return 0;
	err = -errno;
	return reason__set(why, err, "%s on CPU %d: BPF cannot read this event: %s", name, cpu_id,
			   strerror(-err));
}

int bpf_util__put_cgroup(int map_fd, int key, const struct cgroup *cgroup, const char *option,
			 struct strbuf *why)
{
	int err;

	if (!bpf_map_update_elem(map_fd, &key, &cgroup->fd, BPF_ANY))
		return 0;
	err = -errno;
	return reason__set(why, err, "%s: runs cannot be counted for the cgroup %s: %s%s", option,
			   cgroup->name, strerror(-err),
			   err == -EBADF && cgroup->v1 ?
				   "\nBPF can identify only cgroups of version 2, and this cgroup "
				   "is in the perf_event hierarchy of version 1" :
				   "");
}

static int flush_cpu(int prog_fd, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)cpu);

	if (!bpf_prog_test_run_opts(prog_fd, &opts))
		return 0;
	return errno == ENXIO ? 0 : -errno; /* ENXIO: the CPU is offline */
}

int bpf_util__flush_cpus(int prog_fd, const struct cpumap *cpus)
{
	int err = 0;

	for (int i = 0; !err && i < cpus->nr; i++)
		err = flush_cpu(prog_fd, cpus->ids[i]);
	return err;
}

/*
 * The prog_prepare_load_fn for the section "pstat_tp_btf" (libbpf_register_prog_handler()). Makes
 * @prog a tp_btf program. @cookie is a pointer to the BTF id of the program's tracepoint.
 */
static int make_tp_btf(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const uint32_t *switch_id = (const uint32_t *)cookie;

	opts->expected_attach_type = BPF_TRACE_RAW_TP;
	opts->attach_btf_id = *switch_id;
	return bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
}

/*
 * Never unregisters the handler, because libbpf 1.1 frees its table of handlers twice if the only
 * handler is removed and another handler is added later.
 */
int bpf_util__use_tp_btf(uint32_t found)
{
	static uint32_t switch_id;
	static int id;
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .cookie = (long)&switch_id,
		    .prog_prepare_load_fn = make_tp_btf);

	switch_id = found;
	if (id <= 0)
		id = libbpf_register_prog_handler("pstat_tp_btf", BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
						  &handler);
	return id < 0 ? id : 0;
}

uint64_t bpf_util__misses_of(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &len) ? 0 : info.recursion_misses;
}

/*
 * The fallback of bpf_util__wait_for_programs(). Stores an inner map in a map of maps. After each
 * such update, the kernel waits for the running programs, in case one of them still uses the
 * previous inner map (maybe_wait_bpf_programs() in kernel/bpf/syscall.c). It also waits if there
 * was no previous inner map, as here. Returns 0 or -errno.
 */
static int wait_for_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pstat_inner", 4, 4, 1, NULL), outer, err;
	__u32 key = 0;

	if (inner < 0)
		return -errno;
	opts.inner_map_fd = (__u32)inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "pstat_outer", 4, 4, 1, &opts);
	err = outer < 0 || bpf_map_update_elem(outer, &key, &inner, BPF_ANY) ? -errno : 0;
	if (outer >= 0)
		close(outer);
	close(inner);
	return err;
}

int bpf_util__wait_for_programs(void)
{
	int err;

	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return 0;
	/* the kernel was booted with nohz_full= (EINVAL), or does not support membarrier(2) */
	err = -errno;
	pr_info("membarrier: %s: pstat waits for BPF programs through a map of maps",
		strerror(-err));
	return wait_for_map();
}
