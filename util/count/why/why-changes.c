// SPDX-License-Identifier: GPL-2.0-only
/*
 * The changes that `pstat why` makes to an attempt to open an event. Each change corresponds to a
 * check that perf_event_open(2) makes in kernel/events/core.c or in the driver of a PMU.
 */
#include "util/count/why/why-changes.h"

#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include "util/count/why/why-trial.h"
#include "util/machine/pmu/pmu.h"

/* Sets a field. Evaluates to true if the field had another value before. */
#define SET(field, value)                          \
	({                                         \
		int differs_ = (field) != (value); \
                                                   \
		(field) = (value);                 \
		differs_;                          \
	})

/* Defines a function that sets one field of the attr. */
#define ATTR_FIELD(function, field, value)                                             \
	static bool function(struct why_trial *trial, const struct why_change *change) \
	{                                                                              \
		(void)change;                                                          \
		return SET(trial->attr.attr.field, value);                             \
	}

ATTR_FIELD(no_precise, precise_ip, 0)
ATTR_FIELD(no_pinned, pinned, 0)
ATTR_FIELD(no_exclusive, exclusive, 0)
ATTR_FIELD(no_inherit, inherit, 0)
ATTR_FIELD(no_exclude_idle, exclude_idle, 0)
ATTR_FIELD(no_exclude_guest, exclude_guest, 0)
ATTR_FIELD(no_exclude_host, exclude_host, 0)
ATTR_FIELD(with_exclude_guest, exclude_guest, 1)
ATTR_FIELD(no_enable_on_exec, enable_on_exec, 0)
ATTR_FIELD(no_read_format, read_format, 0)
ATTR_FIELD(no_sample_type, sample_type, 0)
ATTR_FIELD(no_clockid, use_clockid, 0)
ATTR_FIELD(no_inherit_thread, inherit_thread, 0)
ATTR_FIELD(no_remove_on_exec, remove_on_exec, 0)
ATTR_FIELD(no_sigtrap, sigtrap, 0)
ATTR_FIELD(no_namespaces, namespaces, 0)
ATTR_FIELD(no_write_backward, write_backward, 0)
ATTR_FIELD(no_aux_output, aux_output, 0)
ATTR_FIELD(no_aux_sample, aux_sample_size, 0)
ATTR_FIELD(no_text_poke, text_poke, 0)
ATTR_FIELD(no_reserved_1, __reserved_1, 0)
ATTR_FIELD(no_reserved_2, __reserved_2, 0)
ATTR_FIELD(no_reserved_3, __reserved_3, 0)
ATTR_FIELD(with_own_size, size, PERF_ATTR_SIZE)

static bool user_only(struct why_trial *trial, const struct why_change *change)
{
	struct perf_event_attr *attr = &trial->attr.attr;

	(void)change;
	return SET(attr->exclude_user, 0) | SET(attr->exclude_kernel, 1) | SET(attr->exclude_hv, 1);
}

static bool no_levels(struct why_trial *trial, const struct why_change *change)
{
	struct perf_event_attr *attr = &trial->attr.attr;

	(void)change;
	return SET(attr->exclude_user, 0) | SET(attr->exclude_kernel, 0) | SET(attr->exclude_hv, 0);
}

static bool no_samples(struct why_trial *trial, const struct why_change *change)
{
	struct perf_event_attr *attr = &trial->attr.attr;

	(void)change;
	return SET(attr->freq, 0) | SET(attr->sample_period, 0);
}

static bool with_samples(struct why_trial *trial, const struct why_change *change)
{
	struct perf_event_attr *attr = &trial->attr.attr;

	(void)change;
	return !attr->sample_period && SET(attr->sample_period, 1000000);
}

/*
 * Defines a function that clears a field of the attr and the bit of sample_type to which the field
 * belongs.
 */
#define SAMPLE_FIELD(function, field, bit)                                             \
	static bool function(struct why_trial *trial, const struct why_change *change) \
	{                                                                              \
		struct perf_event_attr *attr = &trial->attr.attr;                      \
                                                                                       \
		(void)change;                                                          \
		return SET(attr->field, 0) |                                           \
		       SET(attr->sample_type, attr->sample_type & ~(__u64)(bit));      \
	}

SAMPLE_FIELD(no_branches, branch_sample_type, PERF_SAMPLE_BRANCH_STACK)
SAMPLE_FIELD(no_user_regs, sample_regs_user, PERF_SAMPLE_REGS_USER)
SAMPLE_FIELD(no_intr_regs, sample_regs_intr, PERF_SAMPLE_REGS_INTR)
SAMPLE_FIELD(no_user_stack, sample_stack_user, PERF_SAMPLE_STACK_USER)

/* ---- the encoding ---- */

static bool is_breakpoint(const struct why_trial *trial)
{
	return trial->attr.attr.type == PERF_TYPE_BREAKPOINT;
}

static bool no_config1(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return !is_breakpoint(trial) && SET(trial->attr.attr.config1, 0);
}

static bool no_config2(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return !is_breakpoint(trial) && SET(trial->attr.attr.config2, 0);
}

static bool no_config3(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return SET(trial->attr.v8.config3, 0);
}

static bool aligned(struct why_trial *trial, const struct why_change *change)
{
	struct perf_event_attr *attr = &trial->attr.attr;

	(void)change;
	return is_breakpoint(trial) && SET(attr->bp_addr, attr->bp_addr & ~7ULL);
}

static bool one_byte(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return is_breakpoint(trial) && SET(trial->attr.attr.bp_len, HW_BREAKPOINT_LEN_1);
}

static bool four_bytes(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return is_breakpoint(trial) && SET(trial->attr.attr.bp_len, HW_BREAKPOINT_LEN_4);
}

static bool long_bytes(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return is_breakpoint(trial) && SET(trial->attr.attr.bp_len, sizeof(long));
}

static bool writes_only(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return is_breakpoint(trial) && SET(trial->attr.attr.bp_type, HW_BREAKPOINT_W);
}

/* Clears the bits of a term of the PMU. */
static bool without_term(struct why_trial *trial, const struct why_change *change)
{
	struct perf_event_attr *attr = &trial->attr.attr;

	return SET(attr->config, attr->config & ~change->bits[0]) |
	       SET(attr->config1, attr->config1 & ~change->bits[1]) |
	       SET(attr->config2, attr->config2 & ~change->bits[2]) |
	       SET(trial->attr.v8.config3, trial->attr.v8.config3 & ~change->bits[3]);
}

/* Clears the bits that do not belong to any term of the PMU. */
static bool known_bits(struct why_trial *trial, const struct why_change *change)
{
	const struct why_change unknown = { .bits = { ~change->bits[0], ~change->bits[1],
						      ~change->bits[2], ~change->bits[3] } };

	return without_term(trial, &unknown);
}

/* ---- the target ---- */

static bool on_its_own(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return SET(trial->at.group_fd, -1);
}

static bool known_flags(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	return SET(trial->at.flags, trial->at.flags & PERF_FLAG_PID_CGROUP);
}

static bool without_cgroup(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	if (!(trial->at.flags & PERF_FLAG_PID_CGROUP))
		return false;
	trial->at.flags &= ~(unsigned long)PERF_FLAG_PID_CGROUP;
	trial->at.pid = trial->at.cpu < 0 ? 0 : -1;
	return true;
}

static bool is_task(const struct why_trial *trial)
{
	return trial->at.pid >= 0 && !(trial->at.flags & PERF_FLAG_PID_CGROUP);
}

static bool on_a_cpu(struct why_trial *trial, const struct why_change *change)
{
	if (!is_task(trial) || trial->at.group_fd >= 0)
		return false;
	trial->at = (struct event_place){ .pid = -1, .cpu = change->number, .group_fd = -1 };
	/* these flags are only for tasks */
	trial->attr.attr.inherit = trial->attr.attr.enable_on_exec = 0;
	return true;
}

static bool on_other_cpu(struct why_trial *trial, const struct why_change *change)
{
	return trial->at.cpu >= 0 && SET(trial->at.cpu, change->number);
}

static bool of_pstat(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	/* a negative pid other than -1 belongs to no process, so replace it, too */
	return trial->at.pid != -1 && !(trial->at.flags & PERF_FLAG_PID_CGROUP) &&
	       SET(trial->at.pid, 0);
}

static bool of_a_task(struct why_trial *trial, const struct why_change *change)
{
	(void)change;
	if (is_task(trial) || trial->at.group_fd >= 0)
		return false;
	trial->at = (struct event_place){ .pid = 0, .cpu = -1, .group_fd = -1 };
	return true;
}

/* ---- the list ---- */

/*
 * All changes except the changes for terms of a PMU. In `words`, the number of a CPU replaces %d.
 */
static const struct row {
	enum why_part part;
	const char *name;
	const char *words;
	bool (*apply)(struct why_trial *trial, const struct why_change *change);
} rows[] = {
	{ WHY_ATTR, "precise_ip", "without the modifier p (precise_ip)", no_precise },
	{ WHY_ATTR, "pinned", "without the modifier D (pinned)", no_pinned },
	{ WHY_ATTR, "exclusive", "without the modifier e (exclusive)", no_exclusive },
	{ WHY_ATTR, "exclude_kernel", "in user space only (:u)", user_only },
	{ WHY_ATTR, "exclude_user", "without the modifiers u, k and h", no_levels },
	{ WHY_ATTR, "exclude_idle", "without the modifier I (exclude_idle)", no_exclude_idle },
	{ WHY_ATTR, "exclude_host", "without the modifier G (exclude_host)", no_exclude_host },
	{ WHY_ATTR, "exclude_guest", "with guests (without exclude_guest)", no_exclude_guest },
	{ WHY_ATTR, "exclude_guest", "without guests (:H)", with_exclude_guest },
	{ WHY_ATTR, "inherit", "without the children of the tasks (-i)", no_inherit },
	{ WHY_ATTR, "enable_on_exec", "without enable_on_exec", no_enable_on_exec },
	{ WHY_ATTR, "sample_period", "without samples", no_samples },
	{ WHY_ATTR, "sample_period", "with samples (pstat profile)", with_samples },
	{ WHY_ATTR, "branch_sample_type", "without branch records", no_branches },
	{ WHY_ATTR, "sample_regs_user", "without the registers of user space", no_user_regs },
	{ WHY_ATTR, "sample_regs_intr", "without the registers at the interrupt", no_intr_regs },
	{ WHY_ATTR, "sample_stack_user", "without the stack of user space", no_user_stack },
	{ WHY_ATTR, "sample_type", "without sample_type", no_sample_type },
	{ WHY_ATTR, "read_format", "without read_format", no_read_format },
	{ WHY_ATTR, "clockid", "without a special clock (use_clockid)", no_clockid },
	{ WHY_ATTR, "inherit_thread", "without inherit_thread", no_inherit_thread },
	{ WHY_ATTR, "remove_on_exec", "without remove_on_exec", no_remove_on_exec },
	{ WHY_ATTR, "sigtrap", "without sigtrap", no_sigtrap },
	{ WHY_ATTR, "namespaces", "without records of namespaces", no_namespaces },
	{ WHY_ATTR, "write_backward", "without write_backward", no_write_backward },
	{ WHY_ATTR, "aux_output", "without aux_output", no_aux_output },
	{ WHY_ATTR, "aux_sample_size", "without aux_sample_size", no_aux_sample },
	{ WHY_ATTR, "text_poke", "without text_poke", no_text_poke },
	{ WHY_ATTR, "reserved", "without the reserved bits of the flags", no_reserved_1 },
	{ WHY_ATTR, "reserved", "without the reserved field after sample_max_stack",
	  no_reserved_2 },
	{ WHY_ATTR, "reserved", "without the reserved field after aux_sample_size", no_reserved_3 },
	{ WHY_ATTR, "size", "with the size of attr that pstat uses", with_own_size },
	{ WHY_EVENT, "config1", "without config1", no_config1 },
	{ WHY_EVENT, "config2", "without config2", no_config2 },
	{ WHY_EVENT, "config3", "without config3", no_config3 },
	{ WHY_EVENT, "bp_len", "for a length of 1 byte", one_byte },
	{ WHY_EVENT, "bp_len", "for a length of 4 bytes", four_bytes },
	{ WHY_EVENT, "bp_len", "for the length that execution needs", long_bytes },
	{ WHY_EVENT, "bp_addr", "for an address that is a multiple of 8", aligned },
	{ WHY_EVENT, "bp_type", "for writes only", writes_only },
	{ WHY_TARGET, "flags", "with no flag except the one for cgroups", known_flags },
	{ WHY_TARGET, "group", "outside of its group", on_its_own },
	{ WHY_TARGET, "cgroup", "without a cgroup", without_cgroup },
	{ WHY_TARGET, "pid", "for a process of this user", of_pstat },
	{ WHY_TARGET, "cpu", "on CPU %d", on_other_cpu },
	{ WHY_TARGET, "cpu", "for whole CPUs (-a)", on_a_cpu },
	{ WHY_TARGET, "cpu", "for a process instead of a CPU", of_a_task },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

/*
 * Appends @change if it affects @trial. Takes ownership of the strings in @change. Returns 0 or
 * -ENOMEM.
 */
static int add(struct why_changes *changes, const struct why_trial *trial,
	       struct why_change *change)
{
	struct why_change *list =
		reallocarray(changes->list, (size_t)changes->nr + 1, sizeof(*list));
	struct why_trial changed = *trial;

	if (list)
		changes->list = list;
	if (list && change->name && change->words && change->apply(&changed, change)) {
		list[changes->nr++] = *change;
		return 0;
	}
	free(change->name);
	free(change->words);
	return list && change->name && change->words ? 0 : -ENOMEM;
}

static char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	return len < 0 ? NULL : text;
}

static int add_row(struct why_changes *changes, const struct why_trial *trial,
		   const struct row *row, int cpu)
{
	const char *number = strstr(row->words, "%d");
	struct why_change change = { .part = row->part, .apply = row->apply, .number = cpu };

	change.name = strdup(row->name);
	change.words = number ? format("%.*s%d%s", (int)(number - row->words), row->words, cpu,
				       number + 2) :
				strdup(row->words);
	return add(changes, trial, &change);
}

/*
 * Adds a change for each term (a bit field such as umask) of @pmu that the event sets. If the event
 * sets bits that belong to no term of @pmu, adds one more change for these bits.
 */
static int add_terms(struct why_changes *changes, const struct why_trial *trial, struct pmu *pmu)
{
	struct why_change unknown = { .part = WHY_EVENT, .apply = known_bits };
	const char *term;
	int err = 0;

	for (int i = 0; !err && (term = pmu__format_name(pmu, i)); i++) {
		struct why_change change = { .part = WHY_EVENT, .apply = without_term };
		struct pmu_format bits;

		if (pmu__find_format(pmu, term, &bits))
			continue;
		memcpy(change.bits, bits.words, sizeof(change.bits));
		change.name = format("%s/%s", pmu__name(pmu), term);
		change.words = format("without the term %s", term);
		err = add(changes, trial, &change);
	}
	if (err || !pmu__format_bits(pmu, unknown.bits))
		return err;
	unknown.name = format("%s/config", pmu__name(pmu));
	unknown.words =
		format("without the bits of config that no term of %s sets", pmu__name(pmu));
	return add(changes, trial, &unknown);
}

int why_changes__list(struct why_changes *changes, const struct why_trial *trial, struct pmu *pmu,
		      int cpu)
{
	int err = 0;

	*changes = (struct why_changes){ 0 };
	if (pmu && !is_breakpoint(trial))
		err = add_terms(changes, trial, pmu);
	for (size_t i = 0; !err && i < NR_ROWS; i++)
		err = add_row(changes, trial, &rows[i], cpu);
	if (err)
		why_changes__free(changes);
	return err;
}

void why_changes__free(struct why_changes *changes)
{
	for (int i = 0; i < changes->nr; i++) {
		free(changes->list[i].name);
		free(changes->list[i].words);
	}
	free(changes->list);
	*changes = (struct why_changes){ 0 };
}
