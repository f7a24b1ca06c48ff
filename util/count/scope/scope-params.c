// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-params.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/scope/scope-shape.h"

void scope_params__set_words(uint32_t params[SCOPE_NR_PARAMS], const struct scope_words *words,
			     uint32_t nr_cpus, uint32_t depth)
{
	const uint32_t word = sizeof(uint64_t), wall = words->words - words->wall;
	const uint32_t switches = wall - words->switches, clock = switches - words->clock;

	params[SCOPE_PARAM_PLAIN] = words->plain;
	params[SCOPE_PARAM_TIMED] = words->timed;
	params[SCOPE_PARAM_CLOCK] = words->clock;
	params[SCOPE_PARAM_SWITCHES] = words->switches;
	params[SCOPE_PARAM_WALL] = words->wall;
	params[SCOPE_PARAM_CLOCKS] = words->wall | words->clock;
	params[SCOPE_PARAM_WORDS] = words->words;
	params[SCOPE_PARAM_SHORT] = words->plain <= SCOPE_UNROLLED && !words->timed;
	params[SCOPE_PARAM_DEPTH] = depth;
	params[SCOPE_PARAM_LAST] = depth - 1;
	params[SCOPE_PARAM_ROW] = word * (words->words ?: 1);
	params[SCOPE_PARAM_PAIR] = 2 * params[SCOPE_PARAM_ROW];
	params[SCOPE_PARAM_START_AT] = sizeof(struct scope_task) + params[SCOPE_PARAM_PAIR];
	params[SCOPE_PARAM_CLOCK_AT] = 2 * word * clock;
	params[SCOPE_PARAM_SWITCHES_AT] = 2 * word * switches;
	params[SCOPE_PARAM_WALL_AT] = 2 * word * wall;
	params[SCOPE_PARAM_RECORD_AT] = SCOPE_ROWS(depth) * params[SCOPE_PARAM_ROW];
	for (uint32_t i = 0; i < SCOPE_UNROLLED; i++) {
		params[SCOPE_PARAM_KEY + i] = i * nr_cpus;
		params[SCOPE_PARAM_EVENT + i] = i < words->plain;
	}
}

void scope_params__set(uint32_t params[SCOPE_NR_PARAMS], const struct scope_shape *shape,
		       uint32_t depth)
{
	scope_params__set_words(params, &shape->words, (uint32_t)shape->nr_cpus, depth);
	params[SCOPE_PARAM_HIST] = shape->hist_word >= 0;
	params[SCOPE_PARAM_OUTLIERS] = shape->outlier_word >= 0;
	params[SCOPE_PARAM_SINGLE] = shape->hist_word >= 0 || shape->outlier_word >= 0;
	if (shape->hist_word >= 0)
		params[SCOPE_PARAM_HIST_AT] = 2 * sizeof(uint64_t) * (uint32_t)shape->hist_word;
	if (shape->outlier_word >= 0)
		params[SCOPE_PARAM_OUTLIER_AT] =
			2 * sizeof(uint64_t) * (uint32_t)shape->outlier_word;
	params[SCOPE_PARAM_BRANCHES] = shape->outlier_word >= 0 && shape->branches;
	params[SCOPE_PARAM_FEW_SUMS] = shape->words.words <= SCOPE_UNROLLED && !shape->nr_cgroups;
	params[SCOPE_PARAM_INCLUSIVE] = shape->inclusive;
	params[SCOPE_PARAM_CGROUPS] = (uint32_t)shape->nr_cgroups;
	params[SCOPE_PARAM_OTHER_ROW] = shape->inclusive || shape->per_thread || shape->nr_cgroups;
	params[SCOPE_PARAM_SOME_CPUS] = shape->some_cpus != NULL;
}

static bool is_in(const struct bpf_insn *insn, int first)
{
	/* a 64-bit move or arithmetic operation whose operand is a number */
	return BPF_CLASS(insn->code) == BPF_ALU64 && BPF_SRC(insn->code) == BPF_K &&
	       insn->imm >= first && insn->imm < first + SCOPE_NR_PARAMS;
}

static bool is_param(const struct bpf_insn *insn)
{
	return is_in(insn, SCOPE_PARAM(0)) || is_in(insn, SCOPE_PARAM_JUMP(0));
}

/* ---- which instructions can be reached ---- */

struct walk {
	const struct bpf_insn *insns;
	size_t nr, found;
	bool *seen;	 /* [nr] */
	size_t *waiting; /* [nr]: reached instructions whose successors have not been visited yet */
	size_t nr_waiting;
};

static void visit(struct walk *walk, size_t insn)
{
	if (insn >= walk->nr || walk->seen[insn])
		return;
	walk->seen[insn] = true;
	walk->found++;
	walk->waiting[walk->nr_waiting++] = insn;
}

static size_t count_reached(struct walk *walk)
{
	memset(walk->seen, 0, walk->nr * sizeof(*walk->seen));
	walk->found = walk->nr_waiting = 0;
	visit(walk, 0);
	while (walk->nr_waiting) {
		size_t i = walk->waiting[--walk->nr_waiting];
		const struct bpf_insn *insn = &walk->insns[i];
		bool jumps = BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32;
		__u8 op = jumps ? BPF_OP(insn->code) : 0;

		if (jumps && op == BPF_EXIT)
			continue;
		if (jumps && op != BPF_CALL)
			visit(walk, (size_t)((long)i + 1 + insn->off));
		if (!jumps || op != BPF_JA)
			visit(walk, i + (insn->code == (BPF_LD | BPF_IMM | BPF_DW) ? 2 : 1));
	}
	return walk->found;
}

/* ---- replacing ---- */

/*
 * @i must be the index of a jump that is never taken, and the instruction before the jump must load
 * the value that the jump compares. Removes both instructions, unless this would make other
 * instructions unreachable: the verifier refuses programs with unreachable instructions.
 */
static void remove_jump(struct walk *walk, struct bpf_insn *insns, size_t i)
{
	/* a jump to the next instruction; the verifier removes such jumps */
	const struct bpf_insn nothing = { .code = BPF_JMP | BPF_JA };
	const struct bpf_insn load = insns[i - 1], jump = insns[i];
	size_t before = count_reached(walk);

	insns[i - 1] = insns[i] = nothing;
	if (count_reached(walk) == before)
		return;
	insns[i - 1] = load;
	insns[i] = jump;
}

int scope_params__replace(struct bpf_insn *insns, size_t nr, const uint32_t params[SCOPE_NR_PARAMS])
{
	struct walk walk = { .insns = insns, .nr = nr };
	int replaced = 0;

	walk.seen = calloc(nr, sizeof(*walk.seen));
	walk.waiting = calloc(nr, sizeof(*walk.waiting));
	for (size_t i = 0; walk.seen && walk.waiting && i < nr; i++) {
		bool jumps = is_in(&insns[i], SCOPE_PARAM_JUMP(0));

		if (!is_param(&insns[i]))
			continue;
		insns[i].imm = (__s32)
			params[insns[i].imm - (jumps ? SCOPE_PARAM_JUMP(0) : SCOPE_PARAM(0))];
		replaced++;
		if (jumps && insns[i].imm && i + 1 < nr)
			remove_jump(&walk, insns, i + 1);
	}
	if (!walk.seen || !walk.waiting)
		replaced = -ENOMEM;
	free(walk.seen);
	free(walk.waiting);
	return replaced;
}

int scope_params__write(struct bpf_object *object, const uint32_t params[SCOPE_NR_PARAMS])
{
	struct bpf_program *prog;
	int err = 0;

	bpf_object__for_each_program(prog, object)
	{
		size_t nr = bpf_program__insn_cnt(prog);
		struct bpf_insn *insns = malloc(nr * sizeof(*insns));

		if (!insns)
			return -ENOMEM;
		memcpy(insns, bpf_program__insns(prog), nr * sizeof(*insns));
		err = scope_params__replace(insns, nr, params);
		err = err < 0 ? err : bpf_program__set_insns(prog, insns, nr);
		free(insns);
		if (err)
			return err;
	}
	return 0;
}

bool scope_params__are_written(const struct bpf_object *object)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, object)
	{
		const struct bpf_insn *insns = bpf_program__insns(prog);

		for (size_t i = 0; i < bpf_program__insn_cnt(prog); i++)
			if (is_param(&insns[i]))
				return false;
	}
	return true;
}
