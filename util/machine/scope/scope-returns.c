// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-returns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/machine/scope/scope-functions.h"
#include "util/machine/scope/x86-length.h"
#include "util/machine/symbols/elf-file.h"

/* The maximum size of a function. Only hostile files contain larger functions. */
#define MOST_BYTES (4 << 20)
#define MOST_RETURNS 1024

static int add(struct scope_returns *returns, uint64_t offset)
{
	uint64_t *more;

	if (returns->nr == MOST_RETURNS)
		return -E2BIG;
	more = reallocarray(returns->offsets, returns->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	returns->offsets = more;
	more[returns->nr++] = offset;
	return 0;
}

static int find_in_x86(const uint8_t *code, size_t size, uint64_t offset,
		       struct scope_returns *returns)
{
	int err = 0;

	for (size_t at = 0; at < size && !err;) {
		bool is_return;
		size_t length = x86_length__of(code + at, size - at, &is_return);

		if (!length)
			return -EILSEQ;
		if (is_return)
			err = add(returns, offset + at);
		at += length;
	}
	return err;
}

/*
 * Returns whether the instruction is RET (with any register), RETAA or RETAB. See "Branches" in the
 * Arm Architecture Reference Manual.
 */
static bool is_arm64_return(uint32_t instruction)
{
	return (instruction & 0xfffffc1f) == 0xd65f0000 || instruction == 0xd65f0bff ||
	       instruction == 0xd65f0fff;
}

static int find_in_arm64(const uint8_t *code, size_t size, uint64_t offset,
			 struct scope_returns *returns)
{
	int err = 0;

	for (size_t at = 0; at + 4 <= size && !err; at += 4) {
		uint32_t instruction;

		memcpy(&instruction, code + at, sizeof(instruction));
		if (is_arm64_return(instruction))
			err = add(returns, offset + at);
	}
	return err;
}

/* Reads the code of the function into *@code, which the caller frees. Returns 0 or -errno. */
static int read_code(const struct elf_file *file, const struct scope_function *function,
		     uint8_t **code)
{
	uint16_t machine = file->header.e_machine;

	*code = NULL;
	if (!function->size || (machine != EM_X86_64 && machine != EM_AARCH64))
		return -EOPNOTSUPP;
	if (function->size > MOST_BYTES)
		return -E2BIG;
	*code = malloc(function->size);
	if (!*code)
		return -ENOMEM;
	if (pread(file->fd, *code, function->size, (off_t)function->offset) ==
	    (ssize_t)function->size)
		return 0;
	free(*code);
	*code = NULL;
	return -EILSEQ;
}

int scope_returns__find(const struct elf_file *file, const struct scope_function *function,
			struct scope_returns *returns)
{
	uint8_t *code;
	int err = read_code(file, function, &code);

	*returns = (struct scope_returns){ 0 };
	if (!err && file->header.e_machine == EM_X86_64)
		err = find_in_x86(code, function->size, function->offset, returns);
	else if (!err)
		err = find_in_arm64(code, function->size, function->offset, returns);
	free(code);
	if (!err && !returns->nr)
		err = -ENODATA;
	if (err)
		scope_returns__free(returns);
	return err;
}

int scope_returns__check(const struct elf_file *file, const struct scope_function *function,
			 uint64_t offset)
{
	bool is_return;
	uint8_t *code;
	size_t at = 0;
	int err = read_code(file, function, &code);

	while (!err && file->header.e_machine == EM_X86_64 && at < offset && at < function->size) {
		size_t length = x86_length__of(code + at, function->size - at, &is_return);

		err = length ? 0 : -EILSEQ;
		at += length;
	}
	free(code);
	if (!err && file->header.e_machine == EM_AARCH64)
		at = offset / 4 * 4;
	return err ?: at == offset ? 0 : -EINVAL;
}

void scope_returns__free(struct scope_returns *returns)
{
	free(returns->offsets);
	*returns = (struct scope_returns){ 0 };
}

const char *scope_returns__strerror(int err)
{
	switch (err) {
	case -ENODATA:
		return "the function has no return instruction: it ends with a jump to another "
		       "function, or does not end";
	case -EOPNOTSUPP:
		return "its return instructions cannot be found, because its size or its "
		       "instruction set is unknown";
	case -E2BIG:
		return "the function is too large to be searched for return instructions";
	default:
		return "its code cannot be decoded: it contains data or unknown instructions";
	}
}
