// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two functions of a pair begin with the same instruction. Since Linux 6.13, the kernel copies
 * the probed instruction into its own page only if a different one is there
 * (arch_uprobe_copy_ixol), so the cost of a probe depends on the instruction of the previous probe.
 *
 * On arm64, the kernel executes the first instruction out of line. On x86-64, it emulates some
 * instructions, and executes the others in single-step mode, which costs one more exception. So
 * there are two pairs.
 */
#include "util/count/scope/scope-empty.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/machine/scope/scope.h"

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
void pstat_scope_alone(void);
void pstat_scope_outer(void);
void pstat_scope_stepped(void);
void pstat_scope_outer_stepped(void);

static const struct scope_empty emulated = { pstat_scope_alone, pstat_scope_outer };
static const struct scope_empty stepped = { pstat_scope_stepped, pstat_scope_outer_stepped };

#define CODE_BYTES 4

/*
 * Returns whether the kernel emulates the instruction (arch/x86/kernel/uprobes.c): a push of a
 * register, a jump, a call, or a nop of one byte.
 */
static bool is_emulated(const uint8_t *code)
{
	uint8_t first = code[0], second = code[1];

	if ((first == 0x66 || first == 0xf3) && second == 0x90)
		return true;
	if (first == 0x0f)
		return second >= 0x80 && second <= 0x8f;
	if (first == 0x41)
		return second >= 0x50 && second <= 0x57;
	return (first >= 0x50 && first <= 0x57) || (first >= 0x70 && first <= 0x7f) ||
	       first == 0xeb || first == 0xe9 || first == 0xe8 || first == 0x90;
}

/* Adds the points of @scope in programs at which a run begins, and those that are emulated. */
static void count_points(const struct scope_list *list, const struct scope *scope, int *nr,
			 int *nr_emulated)
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
		++*nr;
		*nr_emulated += is_emulated(code);
	}
	if (fd >= 0)
		close(fd);
}

struct scope_empty scope_empty__for(const struct scope_list *list)
{
	int nr = 0, nr_emulated = 0;

	for (int i = 0; i < list->nr; i++)
		count_points(list, &list->scopes[i], &nr, &nr_emulated);
	if (nr_emulated && nr_emulated < nr)
		pr_info("--scope: the kernel single-steps %d of %d points in programs, which costs "
			"more: pstat measures the cost of %s points",
			nr - nr_emulated, nr, 2 * nr_emulated < nr ? "single-stepped" : "other");
	return 2 * nr_emulated < nr ? stepped : emulated;
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
/*
 * Without this attribute, clang 14 reads the addresses from the GOT, with relocations to .text and
 * an offset. lld ignores such an offset, so the addresses would be wrong.
 */
#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN void pstat_scope_alone(void);
HIDDEN void pstat_scope_outer(void);

struct scope_empty scope_empty__for(const struct scope_list *list)
{
	(void)list;
	return (struct scope_empty){ pstat_scope_alone, pstat_scope_outer };
}
#else
struct scope_empty scope_empty__for(const struct scope_list *list)
{
	(void)list;
	return (struct scope_empty){ .alone = NULL };
}
#endif
