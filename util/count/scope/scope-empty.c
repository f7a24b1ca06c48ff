// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions at which the cost of probes is measured. They form pairs of an empty function and
 * an outer function that calls the empty function.
 *
 * The two functions of a pair begin with the same instruction, because the cost of a probe can
 * depend on the instruction at the previous probe. For example, Linux 6.13 and later on arm64 copy
 * the probed instruction to a page for out-of-line execution only if the page contains a different
 * instruction (arch_uprobe_copy_ixol).
 *
 * For SCOPE_CLASS_POINT, there is a pair for each way in which the kernel executes a probed
 * instruction (enum handling). For SCOPE_CLASS_USER, there are fewer pairs: see functions_for().
 * Kernels execute most probed instructions out of line, which needs an additional exception. The
 * x86-64 kernel emulates a push and a one-byte nop, and newer arm64 kernels emulate a nop. Newer
 * x86-64 kernels replace a five-byte nop with a call.
 */
#include "util/count/scope/scope-empty.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/count/scope/scope-class.h"
#include "util/machine/scope/scope.h"

#define CODE_BYTES 5 /* number of bytes that are read at each point to classify the instruction */

/* How the kernel executes the instruction under a probe. STEPPED means out of line. */
enum handling { STEPPED, NOP, PUSH, LONG_NOP, NR_HANDLINGS };

/*
 * Declares a function that is written in assembly. Without the attribute, code compiled by clang 14
 * reads the address of the function from the GOT, with a relocation to .text plus an offset. lld
 * ignores this offset, so the address would be wrong.
 */
#define LOCAL(name) __attribute__((visibility("hidden"))) void name(void)

/*
 * Defines the functions NAME_alone and NAME_outer. The first point of each function is its first
 * instruction; the second point is at NAME_alone_end or NAME_outer_end. The instruction at each
 * point is CODE. UNDO reverts the effect of CODE on the stack. In NAME_outer, SAVE and RESTORE
 * surround the CALL of NAME_alone.
 */
#define POINTS(name, code, undo, save, call, restore)                                              \
	asm(".pushsection .text\n"                                                                 \
	    ".balign 16\n" #name "_alone: " code "\n" #name "_alone_end: " code "\n" undo undo     \
	    "ret\n"                                                                                \
	    ".balign 16\n" #name "_outer: " code "\n" save call " " #name "_alone\n" restore #name \
	    "_outer_end: " code "\n" undo undo "ret\n"                                             \
	    ".popsection\n");                                                                      \
	LOCAL(name##_alone);                                                                       \
	LOCAL(name##_alone_end);                                                                   \
	LOCAL(name##_outer);                                                                       \
	LOCAL(name##_outer_end);                                                                   \
	static const struct scope_empty name = { name##_alone, name##_outer, name##_alone_end,     \
						 name##_outer_end }

#if defined(__x86_64__)
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type pstat_scope_alone, @function\n"
    "pstat_scope_alone: push %rbp; pop %rbp; ret\n"
    ".size pstat_scope_alone, . - pstat_scope_alone\n"
    ".balign 16\n"
    ".type pstat_scope_outer, @function\n"
    "pstat_scope_outer: push %rbp; call pstat_scope_alone; pop %rbp; ret\n"
    ".size pstat_scope_outer, . - pstat_scope_outer\n"
    ".balign 16\n"
    ".type pstat_scope_stepped, @function\n"
    "pstat_scope_stepped: xor %eax, %eax; nop; ret\n"
    ".size pstat_scope_stepped, . - pstat_scope_stepped\n"
    ".balign 16\n"
    ".type pstat_scope_outer_stepped, @function\n"
    "pstat_scope_outer_stepped: xor %eax, %eax; call pstat_scope_stepped; ret\n"
    ".size pstat_scope_outer_stepped, . - pstat_scope_outer_stepped\n"
    ".popsection\n");
LOCAL(pstat_scope_alone);
LOCAL(pstat_scope_outer);
LOCAL(pstat_scope_stepped);
LOCAL(pstat_scope_outer_stepped);
POINTS(pstat_scope_nops, "nop", "", "", "call", "");
POINTS(pstat_scope_pushes, "push %rbp", "pop %rbp\n", "", "call", "");
POINTS(pstat_scope_long_nops, ".byte 0x0f, 0x1f, 0x44, 0, 0", "", "", "call", "");
POINTS(pstat_scope_steps, "xor %eax, %eax", "", "", "call", "");

static const struct scope_empty emulated = { .alone = pstat_scope_alone,
					     .outer = pstat_scope_outer };
static const struct scope_empty stepped = { .alone = pstat_scope_stepped,
					    .outer = pstat_scope_outer_stepped };

/*
 * Returns how the kernel executes the instruction @code (see arch/x86/kernel/uprobes.c). Also
 * returns NOP for jumps and calls, because the kernel emulates them at about the same cost.
 */
static enum handling handling_of(const uint8_t *code)
{
	static const uint8_t long_nop[CODE_BYTES] = { 0x0f, 0x1f, 0x44, 0, 0 };
	uint8_t first = code[0], second = code[1];

	if (!memcmp(code, long_nop, sizeof(long_nop)))
		return LONG_NOP;
	if ((first == 0x66 || first == 0xf3) && second == 0x90)
		return NOP;
	if (first == 0x0f)
		return second >= 0x80 && second <= 0x8f ? NOP : STEPPED;
	if (first == 0x41)
		return second >= 0x50 && second <= 0x57 ? PUSH : STEPPED;
	if (first >= 0x50 && first <= 0x57)
		return PUSH;
	return (first >= 0x70 && first <= 0x7f) || first == 0xeb || first == 0xe9 ||
			       first == 0xe8 || first == 0x90 ?
		       NOP :
		       STEPPED;
}

static struct scope_empty functions_for(const int *nr)
{
	int nr_stepped = nr[STEPPED] + nr[LONG_NOP], nr_emulated = nr[NOP] + nr[PUSH];

	if (nr_emulated && nr_stepped)
		pr_info("--scope: the kernel single-steps %d of %d points in programs, which costs "
			"more: pstat measures the cost of %s points",
			nr_stepped, nr_stepped + nr_emulated,
			nr_emulated < nr_stepped ? "single-stepped" : "other");
	return nr_emulated < nr_stepped ? stepped : emulated;
}

static struct scope_empty points_for(enum handling most)
{
	const struct scope_empty pairs[NR_HANDLINGS] = {
		[STEPPED] = pstat_scope_steps,
		[NOP] = pstat_scope_nops,
		[PUSH] = pstat_scope_pushes,
		[LONG_NOP] = pstat_scope_long_nops,
	};

	return pairs[most];
}
#elif defined(__aarch64__)
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type pstat_scope_alone, %function\n"
    "pstat_scope_alone: mov x9, x30; ret\n"
    ".size pstat_scope_alone, . - pstat_scope_alone\n"
    ".balign 16\n"
    ".type pstat_scope_outer, %function\n"
    "pstat_scope_outer: mov x9, x30; stp x29, x30, [sp, #-16]!; bl pstat_scope_alone\n"
    "ldp x29, x30, [sp], #16; ret\n"
    ".size pstat_scope_outer, . - pstat_scope_outer\n"
    ".popsection\n");
LOCAL(pstat_scope_alone);
LOCAL(pstat_scope_outer);
#define SAVE "stp x29, x30, [sp, #-16]!\n"
#define RESTORE "ldp x29, x30, [sp], #16\n"
POINTS(pstat_scope_nops, "nop", "", SAVE, "bl", RESTORE);
POINTS(pstat_scope_steps, "mov x9, x30", "", SAVE, "bl", RESTORE);

static enum handling handling_of(const uint8_t *code)
{
	static const uint8_t nop[] = { 0x1f, 0x20, 0x03, 0xd5 };

	return memcmp(code, nop, sizeof(nop)) ? STEPPED : NOP;
}

/*
 * Always returns functions whose first instruction the kernel does not emulate. In distributions
 * that protect branches, nearly all functions begin with BTI or PACIASP, which the kernel does not
 * emulate either.
 */
static struct scope_empty functions_for(const int *nr)
{
	(void)nr;
	return (struct scope_empty){ .alone = pstat_scope_alone, .outer = pstat_scope_outer };
}

static struct scope_empty points_for(enum handling most)
{
	return most == NOP ? pstat_scope_nops : pstat_scope_steps;
}
#else
static enum handling handling_of(const uint8_t *code)
{
	(void)code;
	return STEPPED;
}

static struct scope_empty functions_for(const int *nr)
{
	(void)nr;
	return (struct scope_empty){ .alone = NULL };
}

static struct scope_empty points_for(enum handling most)
{
	(void)most;
	return (struct scope_empty){ .alone = NULL };
}
#endif

/*
 * For each instruction in user space at which runs of @scope begin, increments an element of @nr:
 * the one for the way in which the kernel executes the instruction (enum handling).
 */
static void count_points(const struct scope_list *list, const struct scope *scope, int *nr)
{
	int file = -1, fd = -1;

	for (int i = 0; i < scope->nr_begin; i++) {
		const struct scope_point *point = &scope->begin[i];
		uint8_t code[CODE_BYTES] = { 0 };
		char path[64];

		if (point->file < 0 || point->at_return)
			continue;
		if (point->file != file) {
			if (fd >= 0)
				close(fd);
			file = point->file;
			snprintf(path, sizeof(path), "/proc/self/fd/%d", list->files[file].fd);
			fd = open(path, O_RDONLY | O_CLOEXEC);
		}
		if (fd < 0 || pread(fd, code, sizeof(code), (off_t)point->offset) <= 0)
			continue;
		++nr[handling_of(code)];
	}
	if (fd >= 0)
		close(fd);
}

struct scope_empty scope_empty__for(const struct scope_list *list, enum scope_class class)
{
	int nr[NR_HANDLINGS] = { 0 };
	enum handling most = STEPPED;

	for (int i = 0; i < list->nr; i++)
		if (SCOPE_KIND_BEGIN(scope_class__kind(&list->scopes[i])) == class)
			count_points(list, &list->scopes[i], nr);
	if (class == SCOPE_CLASS_USER)
		return functions_for(nr);
	for (int i = 0; i < NR_HANDLINGS; i++)
		if (nr[i] > nr[most])
			most = (enum handling)i;
	return points_for(most);
}
