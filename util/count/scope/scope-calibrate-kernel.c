// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of probes in the kernel, in the same way as scope-calibrate.c. The scope OUTER
 * (enum target) begins at the entry of one system call, and ends at the entry of another. Between
 * these entries, pstat passes through the scope ALONE: depending on the class of probes, it makes
 * the kernel call an empty function, passes a tracepoint, or makes a third system call. On x86-64
 * and arm64, no kernel uses the numbers of the three system calls, so these calls do nothing.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/scope/scope-attach.h"
#include "util/count/scope/scope-calibrate.h"
#include "util/count/scope/scope-func-probes.h"
#include "util/count/share/scope-kernel.h"
#include "util/count/share/scope-links.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"

#define FREE_CALL 400
#define FREE_BEGIN 401
#define FREE_END 402

static int event_fd = -1; /* an eventfd, because lseek(2) on an eventfd calls noop_llseek() */
static const char *empty_function = SCOPE_FUNC_EMPTY;
static char comm[16];

static void make_call(void)
{
	syscall(FREE_CALL);
}

/* Makes the kernel call noop_llseek(), which consists of two or three instructions. */
static void call_function(void)
{
	lseek(event_fd, 0, SEEK_CUR);
}

/* Makes the tracepoint task_rename fire once. It fires even if the name does not change. */
static void pass_tp(void)
{
	prctl(PR_SET_NAME, comm);
}

#define OUTER_OF(name)                    \
	static void name##_in_outer(void) \
	{                                 \
		syscall(FREE_BEGIN);      \
		name();                   \
		syscall(FREE_END);        \
	}
OUTER_OF(make_call)
OUTER_OF(call_function)
OUTER_OF(pass_tp)

/* ---- attaching ---- */

static int attach_outer(struct scope_calibration *c, struct scope_links *links)
{
	uint64_t cookie = scope_calibration__cookie(c, OUTER, false, SCOPE_CLASS_SYSCALL);
	int err;

	errno = 0;
	if (syscall(FREE_CALL) != -1 || errno != ENOSYS)
		return reason__set(&c->why, -EBUSY, "system call %d returns %s instead of %s",
				   FREE_CALL, strerror(errno), strerror(ENOSYS));
	err = scope_programs__set_syscall(c->programs, FREE_BEGIN, SCOPE_BEGIN_AT_ENTRY, cookie);
	err = err ?: scope_programs__set_syscall(c->programs, FREE_END, SCOPE_END_AT_ENTRY, cookie);
	return err ?: scope_attach__syscalls(c->programs, links, &c->why);
}

/*
 * If @on is set, makes the programs count the system call FREE_CALL as the scope ALONE. Otherwise,
 * makes them ignore it.
 */
static int count_call(struct scope_calibration *c, bool on)
{
	uint64_t cookie = scope_calibration__cookie(c, ALONE, true, SCOPE_CLASS_SYSCALL);

	return scope_programs__set_syscall(c->programs, FREE_CALL, SCOPE_BEGIN_AT_ENTRY,
					   on ? cookie : 0);
}

/*
 * Attaches a program to the entry of the empty function or, if @at_return is set, to its return. If
 * @at_end is set, this is the program for the end of a run; otherwise, the one for its beginning.
 */
static int attach_function(struct scope_calibration *c, struct scope_links *links, bool at_end,
			   bool at_return, uint64_t cookie)
{
	struct scope_functions function = {
		.option = "--scope",
		.at_return = at_return,
		.nr = 1,
		.names = &empty_function,
		.cookies = &cookie,
	};

	return scope_func_probes__attach(c->programs, links, at_end, &function, &c->why);
}

static int attach_tp(struct scope_calibration *c, int prog_fd, struct scope_links *links)
{
	struct scope_tracepoint tracepoint = {
		.option = "--scope",
		.name = "tp:task:task_rename",
		.cookie = scope_calibration__cookie(c, ALONE, false, SCOPE_CLASS_TP),
	};
	int err = sysfs__read_u64(sysroots__host()->tracefs, "events/task/task_rename/id",
				  &tracepoint.id);

	if (err)
		return reason__set(&c->why, err, "%s/events/task/task_rename/id: %s",
				   sysroots__host()->tracefs, strerror(-err));
	return scope_kernel__add_tp(links, prog_fd, &tracepoint, &c->why);
}

/*
 * Attaches an empty program to the tracepoint task_rename. Loads a new program each time, because
 * the kernel does not attach the same program to a tracepoint twice.
 */
static int attach_nothing(struct scope_calibration *c, struct scope_links *links)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "pstat_nothing", "GPL", insns, 2, NULL);
	int err = fd < 0 ? fd : attach_tp(c, fd, links);

	if (fd >= 0)
		close(fd);
	return err;
}

/* ---- measuring ---- */

static int measure_calls(struct scope_calibration *c)
{
	int err = count_call(c, true), removed;

	err = err ?: scope_calibration__measure(c, make_call, ALONE, STEP_ALONE);
	err = err ?: scope_calibration__measure(c, make_call_in_outer, OUTER, STEP_OUTER);
	err = err ?: scope_calibration__measure(c, make_call_in_outer, ALONE, STEP_INNER);
	removed = count_call(c, false);
	err = err ?: removed;
	return err ?: scope_calibration__measure(c, make_call_in_outer, OUTER, STEP_PLAIN);
}

static int measure_functions(struct scope_calibration *c)
{
	uint64_t cookie = scope_calibration__cookie(c, ALONE, true, SCOPE_CLASS_FUNC);
	struct scope_links links = { .nr = 0 };
	int err = scope_calibration__measure(c, call_function_in_outer, OUTER, STEP_PLAIN);

	err = err ?: attach_function(c, &links, true, true, cookie);
	err = err ?: attach_function(c, &links, false, false, cookie);
	err = err ?: scope_calibration__measure(c, call_function, ALONE, STEP_ALONE);
	err = err ?: scope_calibration__measure(c, call_function_in_outer, OUTER, STEP_OUTER);
	err = err ?: scope_calibration__measure(c, call_function_in_outer, ALONE, STEP_INNER);
	scope_links__free(&links);
	return err;
}

/*
 * Performs the steps of measure_functions(), and two more (see scope-cost.c). STEP_FROM measures a
 * run from a point of the empty function to the end of the outer run. STEP_TO measures a run from
 * the beginning of the outer run to this point. The point is the function's entry or, if @at_return
 * is set, its return.
 */
static int measure_points(struct scope_calibration *c, bool at_return)
{
	uint64_t cookie = scope_calibration__cookie(c, OUTER, false, SCOPE_CLASS_SYSCALL);
	struct scope_links from = { .nr = 0 }, to = { .nr = 0 };
	int err = measure_functions(c);

	err = err ?: scope_programs__set_syscall(c->programs, FREE_BEGIN, SCOPE_BEGIN_AT_ENTRY, 0);
	err = err ?: attach_function(c, &from, false, at_return, cookie);
	err = err ?: scope_calibration__measure(c, call_function_in_outer, OUTER, STEP_FROM);
	scope_links__free(&from);
	err = err   ?:
		      scope_programs__set_syscall(c->programs, FREE_BEGIN, SCOPE_BEGIN_AT_ENTRY,
						  cookie);
	err = err ?: scope_programs__set_syscall(c->programs, FREE_END, SCOPE_END_AT_ENTRY, 0);
	err = err ?: attach_function(c, &to, true, at_return, cookie);
	err = err ?: scope_calibration__measure(c, call_function_in_outer, OUTER, STEP_TO);
	scope_links__free(&to);
	return err;
}

/*
 * There are no two tracepoints with nothing between them, so a run of the scope ALONE begins and
 * ends at the same tracepoint. At each tracepoint, the kernel executes code before the first
 * program and after the last program. A run from one tracepoint to another contains the cost of
 * this code, but a run of ALONE does not, so this cost is added to the counts of ALONE. To measure
 * this cost, measure_tps() attaches two empty programs, one after the other. The first program adds
 * to the outer run the cost of a program and the cost of this code. The second program adds only
 * the cost of a program.
 */
static int measure_tps(struct scope_calibration *c)
{
	const struct scope_bpf *skel = c->programs->skel;
	struct scope_links nothing = { .nr = 0 }, links = { .nr = 0 };
	int err = scope_calibration__measure(c, pass_tp_in_outer, OUTER, STEP_PLAIN);

	err = err ?: attach_nothing(c, &nothing);
	err = err ?: scope_calibration__measure(c, pass_tp_in_outer, OUTER, STEP_ONE);
	err = err ?: attach_nothing(c, &nothing);
	err = err ?: scope_calibration__measure(c, pass_tp_in_outer, OUTER, STEP_TWO);
	scope_links__free(&nothing);
	/* the kernel runs programs in the order in which they were attached */
	err = err ?: attach_tp(c, bpf_program__fd(skel->progs.pstat_tp_begin), &links);
	err = err ?: attach_tp(c, bpf_program__fd(skel->progs.pstat_tp_end), &links);
	err = err ?: scope_calibration__measure(c, pass_tp, ALONE, STEP_ALONE);
	err = err ?: scope_calibration__measure(c, pass_tp_in_outer, OUTER, STEP_OUTER);
	err = err ?: scope_calibration__measure(c, pass_tp_in_outer, ALONE, STEP_INNER);
	scope_links__free(&links);
	for (uint32_t word = 0; !err && word < c->shape->words.words; word++) {
		uint32_t words = c->shape->words.words;
		uint64_t *median = c->medians + word;
		uint64_t around = 2 * median[STEP_ONE * words] - median[STEP_PLAIN * words] -
				  median[STEP_TWO * words];

		/* the difference between measured counts can be negative */
		if ((int64_t)around < 0)
			around = 0;
		median[STEP_ALONE * words] += around;
		median[STEP_INNER * words] += around;
	}
	return err;
}

static int measure_kind(struct scope_calibration *c, enum scope_class kind)
{
	int err;

	if (kind == SCOPE_CLASS_TP)
		return measure_tps(c);
	if (kind == SCOPE_CLASS_SYSCALL)
		return measure_calls(c);
	event_fd = eventfd(0, EFD_CLOEXEC);
	if (event_fd < 0)
		return -errno;
	err = kind == SCOPE_CLASS_FUNC ? measure_functions(c) :
					 measure_points(c, kind == SCOPE_CLASS_FUNC_RETURN);
	close(event_fd);
	return err;
}

int scope_calibration__measure_kernel(struct scope_calibration *c, enum scope_class kind)
{
	struct scope_links links = { .nr = 0 };
	int err = attach_outer(c, &links);

	prctl(PR_GET_NAME, comm);
	err = err ?: measure_kind(c, kind);
	scope_links__free(&links);
	scope_programs__set_syscall(c->programs, FREE_BEGIN, SCOPE_BEGIN_AT_ENTRY, 0);
	scope_programs__set_syscall(c->programs, FREE_END, SCOPE_END_AT_ENTRY, 0);
	return err;
}
