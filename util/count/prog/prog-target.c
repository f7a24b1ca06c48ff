// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-target.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/prog_outliers.h"
#include "bpf_skel/prog_profiler.h"
#include "bpf_skel/prog_profiler.skel.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/count/outliers.h"
#include "util/count/prog/prog-check.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/prog/prog-stats.h"
#include "util/machine/bpf/bpf-prog-links.h"
#include "util/machine/bpf/bpf-prog-packet.h"
#include "util/machine/bpf/bpf-prog.h"

/*
 * For each number of plain events up to this maximum, prog_profiler.bpf.c has two special pairs of
 * programs: one with the clock, and one without. (The times of plain events are not read.)
 */
#define MOST_MADE_FOR 8

/*
 * Makes @map refer to the existing map @fd. If @fd is -1, does nothing: @map then contains the
 * target's own gate, or is an unused map of minimum size.
 */
static int use_map(struct bpf_map *map, int fd)
{
	return fd < 0 ? 0 : bpf_map__reuse_fd(map, fd);
}

static void set_hist(struct prog_profiler_bpf *skel, const struct prog_shape *shape)
{
	uint32_t word = (uint32_t)shape->hist_word;

	if (shape->hist_word < 0)
		return;
	skel->rodata->looks_at_runs = true;
	skel->rodata->hist_offset = prog_shape__hist_offset(shape);
	skel->rodata->hist_now = prog_shape__word_at(shape, PROG_ROW_NOW, shape->hist_word);
	skel->rodata->hist_last = prog_shape__word_at(shape, PROG_ROW_LAST, shape->hist_word);
	skel->rodata->hist_cost = shape->costs[word].own;
	skel->rodata->hist_inner = shape->costs[word].inner;
}

static enum prog_packet packet_of(const struct bpf_prog *prog, const struct prog_kernel *kernel)
{
	switch (bpf_prog__packet(prog)) {
	case BPF_PROG_PACKET_XDP:
		return kernel->has_xdp ? PROG_PACKET_XDP : PROG_PACKET_NONE;
	case BPF_PROG_PACKET_SKB:
		return kernel->has_skb ? PROG_PACKET_SKB : PROG_PACKET_NONE;
	case BPF_PROG_NO_PACKET:
	case BPF_PROG_PACKET_UNKNOWN:
		break;
	}
	return PROG_PACKET_NONE;
}

/* Sets the constants and maps for --outliers. Without --outliers, these maps are not created. */
static int set_outliers(struct prog_target *target, const struct prog_shape *shape)
{
	struct prog_profiler_bpf *skel = target->skel;
	const struct outlier_spec *spec = shape->outliers;
	bool wanted = shape->outlier_word >= 0;
	int err = bpf_map__set_autocreate(skel->maps.outliers, wanted);

	err = err ?: bpf_map__set_autocreate(skel->maps.outlier_second, wanted);
	err = err ?: bpf_map__set_autocreate(skel->maps.outlier_buffers, wanted);
	/*
	 * this map does not depend on `wanted`: the calibration runs without --outliers, but copies
	 * the CPU's branch records (branches.h) if the session does, to measure the cost of copying
	 */
	err = err ?: bpf_map__set_autocreate(skel->maps.branches, shape->branches);
	skel->rodata->takes_branches = shape->branches;
	if (err || !wanted)
		return err;
	skel->rodata->looks_at_runs = true;
	skel->rodata->outlier_now = prog_shape__word_at(shape, PROG_ROW_NOW, shape->outlier_word);
	skel->rodata->outlier_last = prog_shape__word_at(shape, PROG_ROW_LAST, shape->outlier_word);
	skel->rodata->outlier_inner = shape->costs[shape->outlier_word].inner;
	skel->rodata->outlier_size = (uint32_t)prog_shape__outlier_size(shape);
	skel->rodata->outlier_rate = spec->rate;
	if (shape->branches)
		skel->rodata->outlier_branches = (uint32_t)prog_shape__branches_at(shape);
	skel->rodata->outlier_packet = spec->packet;
	skel->rodata->packet_kind = spec->packet ? packet_of(target->prog, &shape->kernel) :
						   PROG_PACKET_NONE;
	skel->rodata->packet_layout = shape->kernel.packets;
	skel->rodata->target = (uint64_t)(uintptr_t)target->prog;
	if (!spec->by_percentile)
		prog_target__set_above(target, shape, spec->above);
	err = bpf_map__reuse_fd(skel->maps.outliers, shape->outliers_map);
	err = err ?: bpf_map__reuse_fd(skel->maps.outlier_second, shape->second_map);
	return err ?: bpf_map__reuse_fd(skel->maps.outlier_buffers, shape->buffers_map);
}

static void set_constants(struct prog_profiler_bpf *skel, const struct prog_shape *shape)
{
	skel->rodata->choosy = shape->filter != PROG_FILTER_NONE || shape->nr_cgroups;
	skel->rodata->filter = shape->filter;
	skel->rodata->nr_cgroups = (uint32_t)shape->nr_cgroups;
	skel->rodata->nr_sets = (uint32_t)shape->nr_sets;
	skel->rodata->set_size = prog_shape__set_size(shape);
	skel->rodata->totals_end = prog_shape__totals_size(shape) - sizeof(uint64_t);
	skel->rodata->pid_ns_dev = shape->pid_ns_dev;
	skel->rodata->pid_ns_ino = shape->pid_ns_ino;
	set_hist(skel, shape);
}

/* Chooses the pair of programs for the events of @shape. Other pairs are not loaded. */
static int choose_pair(struct prog_target *target, const struct prog_shape *shape)
{
	const struct prog_words *words = &shape->words;
	const struct bpf_object *obj = target->skel->obj;
	char form[32] = "", name[64];

	if (!words->timed && words->plain <= MOST_MADE_FOR)
		snprintf(form, sizeof(form), words->clock ? "_clock_%u" : "_%u", words->plain);
	snprintf(name, sizeof(name), "run_begin%s", form);
	target->run_begin = bpf_object__find_program_by_name(obj, name);
	snprintf(name, sizeof(name), "run_end%s", form);
	target->run_end = bpf_object__find_program_by_name(obj, name);
	if (!target->run_begin || !target->run_end)
		return -ENOENT;
	bpf_program__set_autoload(target->run_begin, true);
	bpf_program__set_autoload(target->run_end, true);
	return 0;
}

static int target__prepare(struct prog_target *target, const struct prog_shape *shape)
{
	struct prog_profiler_bpf *skel = target->skel;
	const char *func = target->prog->func;
	int err = prog_shape__apply(shape, skel);

	set_constants(skel, shape);
	err = err ?: set_outliers(target, shape);
	if (!err)
		err = bpf_map__set_value_size(skel->maps.totals,
					      (__u32)prog_shape__totals_size(shape));
	err = err ?: use_map(skel->maps.tasks, shape->tasks_map);
	err = err ?: use_map(skel->maps.cgroups, shape->cgroups_map);
	err = err ?: use_map(skel->maps.data_gate, shape->gate_map);
	err = err ?: choose_pair(target, shape);
	err = err ?: bpf_program__set_attach_target(target->run_begin, target->prog->fd, func);
	err = err ?: bpf_program__set_attach_target(target->run_end, target->prog->fd, func);
	return err;
}

int prog_target__load(struct prog_target *target, const struct prog_shape *shape)
{
	int err;

	if (target->stats)
		return 0;
	target->skel = prog_profiler_bpf__open();
	err = target->skel ? target__prepare(target, shape) : -errno;
	err = err ?: prog_profiler_bpf__load(target->skel);
	/* if memory runs out, libbpf may continue without mapping the gate: see prog-gate.c */
	if (!err && !target->skel->data_gate)
		err = -ENOMEM;
	return reason__set(
		shape->why, err,
		"-b %u (%s): cannot load the counting programs: %s\n-v shows libbpf's messages",
		target->prog->id, target->prog->name, strerror(-err));
}

/*
 * Called if the pair could not be attached. Returns whether a freplace program has replaced the
 * function of @prog since prog_check(). If so, stores the reason in @why.
 */
static bool is_replaced(const struct bpf_prog *prog, struct strbuf *why)
{
	struct strbuf by = STRBUF_INIT, advice = STRBUF_INIT;
	struct prog_links links;
	bool found = !prog_links__read(&links) && prog_check__replaced(prog, &links, &by, &advice);

	if (found)
		reason__set(why, -EBUSY, "-b %u (%s): %s\n%s", prog->id, prog->name, by.text,
			    advice.text);
	prog_links__free(&links);
	strbuf__free(&advice);
	strbuf__free(&by);
	return found;
}

/*
 * Attaches fexit before fentry. So if pstat sees the beginning of a run, it also sees the end of
 * this run.
 */
int prog_target__attach(struct prog_target *target, struct strbuf *why)
{
	target->misses_before = bpf_util__misses_of(target->prog->fd);
	if (target->stats)
		return 0;
	target->end = bpf_program__attach_trace(target->run_end);
	if (target->end)
		target->begin = bpf_program__attach_trace(target->run_begin);
	if (!target->begin) {
		int err = -errno;

		if (err == -E2BIG)
			return reason__set(why, err,
					   "-b %u (%s): the program's trampoline is full (E2BIG: "
					   "38 fentry and fexit programs)\n"
					   "end another tool that traces it",
					   target->prog->id, target->prog->name);
		if (err != -EBUSY || !is_replaced(target->prog, why))
			reason__set(why, err, "-b %u (%s): cannot attach fentry and fexit: %s",
				    target->prog->id, target->prog->name, strerror(-err));
		return err;
	}
	return 0;
}

int prog_target__read(const struct prog_target *target, char *totals, struct strbuf *why)
{
	__u32 key = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(target->skel->maps.totals), &key, totals)) {
		int err = -errno;

		return reason__set(why, err, "-b %u (%s): cannot read the counts: %s",
				   target->prog->id, target->prog->name, strerror(-err));
	}
	return 0;
}

void prog_target__set_gate(const struct prog_target *target, uint32_t gate)
{
	if (!target->stats)
		target->skel->data_gate->gate.phase = gate;
	else if (gate)
		prog_stats__start(target->stats, target->prog);
	else
		prog_stats__stop(target->stats, target->prog);
}

void prog_target__set_above(const struct prog_target *target, const struct prog_shape *shape,
			    uint64_t above)
{
	uint64_t own = shape->costs[shape->outlier_word].own;

	target->skel->data->outlier_above = above > UINT64_MAX - own ? UINT64_MAX : above + own;
}

uint64_t prog_target__missed(const struct prog_target *target)
{
	return bpf_util__misses_of(bpf_program__fd(target->run_begin));
}

uint64_t prog_target__own_misses(const struct prog_target *target)
{
	return bpf_util__misses_of(target->prog->fd) - target->misses_before;
}

/*
 * The fd of the counted program is a reference to it. Each program of the pair holds another
 * reference while it is attached (kernel/bpf/syscall.c, bpf_tracing_prog_attach).
 */
uint64_t prog_target__refs(const struct prog_target *target)
{
	return 1 + (target->begin != NULL) + (target->end != NULL);
}

void prog_target__detach(struct prog_target *target)
{
	bpf_link__destroy(target->begin);
	bpf_link__destroy(target->end);
	target->begin = target->end = NULL;
}

void prog_target__close(struct prog_target *target)
{
	prog_target__detach(target);
	prog_profiler_bpf__destroy(target->skel);
	prog_stats__free(target->stats);
	bpf_prog__close(target->prog);
}
