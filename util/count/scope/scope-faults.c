// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-faults.h"

#include <inttypes.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/scope/scope-totals.h"

static const char *const causes[SCOPE_NR_LOST] = {
	[SCOPE_LOST_EXIT] = "because their thread exited",
	[SCOPE_LOST_EXEC] = "because their process called execve(2)",
	[SCOPE_LOST_JUMP] = "because their function was left without a return (longjmp(3), or a "
			    "C++ exception)",
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
			      "began",
};

int scope_faults__read(const struct scope_totals_table *totals, const struct scope_links *links,
		       const uint64_t before[SCOPE_NR_LOST], uint64_t lost[SCOPE_NR_LOST])
{
	int err = scope_totals__lost(totals, links, lost);

	/*
	 * if the misses of a program or link cannot be read now, the number can be less than before
	 */
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

uint64_t scope_faults__report(uint64_t runs, const uint64_t lost[SCOPE_NR_LOST])
{
	struct strbuf text = STRBUF_INIT;
	uint64_t all = 0;

	for (int cause = 0; cause < SCOPE_NR_LOST; cause++) {
		if (lost[cause])
			strbuf__addf(&text, "%s%" PRIu64 " %s", all ? "; " : "", lost[cause],
				     causes[cause]);
		all += lost[cause];
	}
	if (!strbuf__failed(&text))
		log__print(all ? LOG_WARNING : LOG_INFO,
			   "--scope: %" PRIu64 " runs counted, %" PRIu64 " lost%s%s", runs, all,
			   all ? ": " : "", all ? text.text : "");
	strbuf__free(&text);
	return all;
}
