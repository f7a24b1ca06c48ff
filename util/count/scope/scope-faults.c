// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-faults.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-totals.h"
#include "util/count/share/scope-links.h"
#include "util/machine/scope/scope.h"

/*
 * For each cause (enum scope_lost), its description in messages. NULL: why_no_return() returns the
 * description.
 */
static const char *const causes[SCOPE_NR_LOST] = {
	[SCOPE_LOST_JUMP] = NULL,
	[SCOPE_LOST_EXIT] = "because their thread exited",
	[SCOPE_LOST_EXEC] = "because their process called execve(2)",
	[SCOPE_LOST_DEEP] = "because their thread had too many runs in progress",
	[SCOPE_LOST_BUSY] = "because they began or ended in an interrupt, while another run was "
			    "being recorded",
	[SCOPE_LOST_SWITCH] = "because the kernel did not report a context switch of their thread, "
			      "or a counter could not be read there",
	[SCOPE_LOST_MIDDLE] = "because the kernel executed them in the middle of a context switch",
	[SCOPE_LOST_UNREAD] = "because a counter could not be read",
	[SCOPE_LOST_NO_MEMORY] = "because the kernel could not store the state of their thread",
	[SCOPE_LOST_UNPAIRED] = "because their beginning was not seen",
	[SCOPE_LOST_MOVED] = "because their thread moved to a CPU that -C does not name",
	[SCOPE_LOST_MISSED] = "because the CPU was running another BPF program or probe when they "
			      "began (the kernel also counts tasks and system calls that are not "
			      "selected)",
};

/*
 * Returns why pstat's BPF programs did not see the return of a function or system call. Only a
 * function of a user-space program can be left without a return, for example by longjmp(3). A C++
 * exception cannot leave a function that has a return probe: the exception ends the program instead
 * (see scope-damage.h).
 */
static const char *why_no_return(const struct scope_list *list)
{
	bool in_programs = false, in_kernel = false;

	for (int i = 0; i < list->nr; i++) {
		if (!scope__is_function(&list->scopes[i]))
			continue;
		if (list->scopes[i].begin->kind == POINT_UPROBE)
			in_programs = true;
		else
			in_kernel = true;
	}
	return !in_kernel   ? "because their function was left without a return (by longjmp(3))" :
	       !in_programs ? "because the kernel did not report that they returned" :
			      "because their function was left without a return (by longjmp(3)), "
			      "or because the kernel did not report that they returned";
}

int scope_faults__read(const struct scope_totals_table *totals, const struct scope_links *links,
		       const uint64_t before[SCOPE_NR_LOST], uint64_t lost[SCOPE_NR_LOST])
{
	int err = scope_totals__lost(totals, links, lost);

	/* the number of misses can be lower than in @before if some misses cannot be read now */
	for (int cause = 0; !err && cause < SCOPE_NR_LOST; cause++)
		lost[cause] -= before[cause] < lost[cause] ? before[cause] : lost[cause];
	return err;
}

uint64_t scope_faults__nr(const uint64_t lost[SCOPE_NR_LOST])
{
	uint64_t all = 0;

	for (int cause = 0; cause < SCOPE_NR_LOST; cause++)
		all += lost[cause];
	return all;
}

/*
 * Prints "at most" before the number of misses and before a sum that includes it, because the
 * number of misses can be too high (see scope_faults__count_misses()).
 */
uint64_t scope_faults__report(const struct scope_list *list, uint64_t runs,
			      const uint64_t lost[SCOPE_NR_LOST])
{
	struct strbuf text = STRBUF_INIT;
	uint64_t all = 0;

	for (int cause = 0; cause < SCOPE_NR_LOST; cause++) {
		if (lost[cause])
			strbuf__addf(&text, "%s%s%" PRIu64 " %s", all ? "; " : "",
				     cause == SCOPE_LOST_MISSED ? "at most " : "", lost[cause],
				     causes[cause] ?: why_no_return(list));
		all += lost[cause];
	}
	if (!strbuf__failed(&text))
		log__print(all ? LOG_WARNING : LOG_INFO,
			   "--scope: %" PRIu64 " runs counted, %s%" PRIu64 " lost%s%s", runs,
			   lost[SCOPE_LOST_MISSED] ? "at most " : "", all, all ? ": " : "",
			   all ? text.text : "");
	strbuf__free(&text);
	return all;
}

/* ---- runs whose beginning was not seen ---- */

/*
 * The members of struct bpf_link_info of Linux 6.7 that are used here. The headers on the build
 * machine may be older and lack some of these members.
 */
struct link_info {
	__u32 type, id, prog_id, padding;
	union {
		struct {
			__u64 addrs;
			__u32 count, flags;
			__u64 missed;
		} kprobe_multi;
		struct {
			__u32 kind, padding;
			__u64 func_name;
			__u32 name_len, offset;
			__u64 addr, missed;
		} kprobe;
		__u64 room[8];
	};
};

#define LINK_PERF_EVENT 7
#define LINK_KPROBE_MULTI 8
#define KIND_KPROBE 3
#define KIND_KRETPROBE 4

/*
 * Returns the number of misses of the program with the ID @id, and stores the name of the program
 * in @name.
 */
static uint64_t misses_of_id(__u32 id, char name[BPF_OBJ_NAME_LEN])
{
	int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	uint64_t misses = 0;

	*name = 0;
	if (fd < 0)
		return 0;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len)) {
		misses = info.recursion_misses;
		memcpy(name, info.name, BPF_OBJ_NAME_LEN);
	}
	close(fd);
	return misses;
}

/*
 * The kernel truncates the names of programs to 15 characters, so the names in is_fentry_begin()
 * and is_begin() are incomplete.
 */
static bool is_fentry_begin(const char *name)
{
	return !strcmp(name, "pstat_fentry_be");
}

static bool is_begin(const char *name)
{
	return !strcmp(name, "pstat_func_begi") || !strcmp(name, "pstat_func_sess");
}

/*
 * If the link @fd attaches the program for the beginning of a run to kernel functions, returns the
 * number of misses of the link. The link of an fentry program has no such number: its result is the
 * number of misses of the program. Returns 0 for all other links.
 */
static uint64_t misses_of_link(int fd)
{
	struct link_info info = {};
	__u32 len = sizeof(info);
	char name[BPF_OBJ_NAME_LEN];
	uint64_t misses;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	misses = misses_of_id(info.prog_id, name);
	if (is_fentry_begin(name))
		return misses;
	if (!is_begin(name))
		return 0;
	if (info.type == LINK_KPROBE_MULTI)
		return info.kprobe_multi.missed;
	if (info.type == LINK_PERF_EVENT &&
	    (info.kprobe.kind == KIND_KPROBE || info.kprobe.kind == KIND_KRETPROBE))
		return info.kprobe.missed;
	return 0;
}

uint64_t scope_faults__count_misses(const struct scope_programs *programs,
				    const struct scope_links *links)
{
	const struct scope_bpf *skel = programs->skel;
	const struct bpf_program *all[] = { skel->progs.pstat_begin, skel->progs.pstat_tp_begin,
					    skel->progs.pstat_func_begin,
					    skel->progs.pstat_func_session,
					    skel->progs.pstat_sys_enter };
	uint64_t misses = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (bpf_program__fd(all[i]) >= 0)
			misses += bpf_util__misses_of(bpf_program__fd(all[i]));
	for (int i = 0; i < links->nr; i++)
		misses += misses_of_link(links->fds[i]);
	return misses;
}
