// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog-code.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/symbols/kernel-code.h"

/*
 * The bpf_prog_info of a program, and the arrays to which its members point. tables__read() makes
 * two system calls: the first reads the lengths of the arrays, and the second fills them.
 */
struct tables {
	struct bpf_prog_info info;
	__u64 *ksyms;
	__u32 *func_lens;
	struct bpf_func_info *funcs;
	struct bpf_line_info *lines;
	__u64 *jited_lines;
};

static void tables__free(struct tables *tables)
{
	free(tables->ksyms);
	free(tables->func_lens);
	free(tables->funcs);
	free(tables->lines);
	free(tables->jited_lines);
}

static __u64 pointer(const void *p)
{
	return (__u64)(unsigned long)p;
}

/*
 * Reads the arrays. The caller must have allocated them and stored their lengths in tables->info.
 * Returns 0 or -errno.
 */
static int tables__fill(struct tables *tables, int fd, struct bpf_code *code)
{
	struct bpf_prog_info *info = &tables->info;
	struct bpf_prog_info wanted = {
		.nr_jited_ksyms = info->nr_jited_ksyms,
		.jited_ksyms = pointer(tables->ksyms),
		.nr_jited_func_lens = info->nr_jited_func_lens,
		.jited_func_lens = pointer(tables->func_lens),
		.nr_func_info = info->nr_func_info,
		.func_info_rec_size = sizeof(*tables->funcs),
		.func_info = pointer(tables->funcs),
		.nr_line_info = info->nr_line_info,
		.line_info_rec_size = sizeof(*tables->lines),
		.line_info = pointer(tables->lines),
		.nr_jited_line_info = info->nr_jited_line_info,
		.jited_line_info_rec_size = sizeof(*tables->jited_lines),
		.jited_line_info = pointer(tables->jited_lines),
		.xlated_prog_len = info->xlated_prog_len,
		.xlated_prog_insns = pointer(code->insns),
	};
	int err = bpf_prog__read_info(fd, &wanted);

	if (!err)
		*info = wanted;
	return err;
}

static int tables__read(struct tables *tables, int fd, struct bpf_code *code)
{
	const struct bpf_prog_info *info = &tables->info;
	int err = bpf_prog__read_info(fd, &tables->info);

	if (err)
		return err;
	tables->ksyms = calloc((size_t)info->nr_jited_ksyms + 1, sizeof(*tables->ksyms));
	tables->func_lens =
		calloc((size_t)info->nr_jited_func_lens + 1, sizeof(*tables->func_lens));
	tables->funcs = calloc((size_t)info->nr_func_info + 1, sizeof(*tables->funcs));
	tables->lines = calloc((size_t)info->nr_line_info + 1, sizeof(*tables->lines));
	tables->jited_lines =
		calloc((size_t)info->nr_jited_line_info + 1, sizeof(*tables->jited_lines));
	code->insns = calloc((size_t)info->xlated_prog_len + 1, 1);
	if (!tables->ksyms || !tables->func_lens || !tables->funcs || !tables->lines ||
	    !tables->jited_lines || !code->insns)
		return -ENOMEM;
	err = tables__fill(tables, fd, code);
	/*
	 * if the program's constants are blinded and this user may not see addresses, the kernel
	 * does not copy the instructions, and sets xlated_prog_insns to 0
	 */
	code->nr_insns = err || !info->xlated_prog_insns ?
				 0 :
				 info->xlated_prog_len / sizeof(struct bpf_insn);
	return err;
}

/* ---- functions ---- */

static const char *func_name(const struct bpf_code *code, __u32 type_id)
{
	const struct btf_type *type = code->btf ? btf__type_by_id(code->btf, type_id) : NULL;
	const char *name = type ? btf__name_by_offset(code->btf, type->name_off) : NULL;

	return name ? name : "";
}

static int take_func(struct bpf_code *code, const struct tables *tables,
		     const struct bpf_prog *prog, uint32_t nr)
{
	struct bpf_code_func *func = &code->funcs[nr];
	const struct bpf_prog_info *info = &tables->info;
	/* func_info has an element for each function, but is empty if the program has no BTF */
	bool named = code->btf && info->nr_func_info == code->nr_funcs;
	char number[32];

	func->addr = tables->ksyms[nr];
	func->len = tables->func_lens[nr];
	if (named) {
		uint32_t end = nr + 1 < info->nr_func_info ? tables->funcs[nr + 1].insn_off :
							     code->nr_insns;

		func->insn = tables->funcs[nr].insn_off;
		func->nr_insns = end > func->insn ? end - func->insn : 0;
		func->btf_id = tables->funcs[nr].type_id;
		func->name = strdup(func_name(code, func->btf_id));
	} else if (!nr) {
		func->name = strdup(*prog->cut_name ? prog->cut_name : "main");
		func->nr_insns = code->nr_funcs == 1 ? code->nr_insns : 0;
	} else {
		snprintf(number, sizeof(number), "function %" PRIu32, nr);
		func->name = strdup(number);
	}
	return func->name ? 0 : -ENOMEM;
}

static int take_funcs(struct bpf_code *code, const struct tables *tables,
		      const struct bpf_prog *prog)
{
	const struct bpf_prog_info *info = &tables->info;
	int err = 0;

	code->nr_funcs = info->nr_jited_ksyms < info->nr_jited_func_lens ? info->nr_jited_ksyms :
									   info->nr_jited_func_lens;
	code->funcs = calloc((size_t)code->nr_funcs + 1, sizeof(*code->funcs));
	if (!code->funcs)
		return -ENOMEM;
	for (uint32_t nr = 0; !err && nr < code->nr_funcs; nr++)
		err = take_func(code, tables, prog, nr);
	return err;
}

/* ---- lines ---- */

static const char *string_at(const struct bpf_code *code, __u32 offset)
{
	const char *text = btf__name_by_offset(code->btf, offset);

	return text ? text : "";
}

static int by_addr(const void *left, const void *right)
{
	const struct bpf_code_line *a = left, *b = right;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Returns the index of the function that contains @addr, or -1. */
static int func_at(const struct bpf_code *code, uint64_t addr)
{
	for (uint32_t i = 0; i < code->nr_funcs; i++)
		if (addr - code->funcs[i].addr < code->funcs[i].len)
			return (int)i;
	return -1;
}

static int take_lines(struct bpf_code *code, const struct tables *tables)
{
	const struct bpf_prog_info *info = &tables->info;
	uint32_t nr = info->nr_line_info < info->nr_jited_line_info ? info->nr_line_info :
								      info->nr_jited_line_info;

	code->lines = calloc((size_t)nr + 1, sizeof(*code->lines));
	if (!code->lines)
		return -ENOMEM;
	for (uint32_t i = 0; code->btf && i < nr; i++) {
		const struct bpf_line_info *from = &tables->lines[i];
		uint32_t end = i + 1 < info->nr_line_info ? tables->lines[i + 1].insn_off :
							    code->nr_insns;
		int func = func_at(code, tables->jited_lines[i]);

		if (func < 0)
			continue;
		code->lines[code->nr_lines++] = (struct bpf_code_line){
			.addr = tables->jited_lines[i],
			.func = (uint32_t)func,
			.insn = from->insn_off,
			.nr_insns = end > from->insn_off ? end - from->insn_off : 0,
			.line = BPF_LINE_INFO_LINE_NUM(from->line_col),
			.column = BPF_LINE_INFO_LINE_COL(from->line_col),
			.file = string_at(code, from->file_name_off),
			.text = string_at(code, from->line_off),
		};
	}
	qsort(code->lines, code->nr_lines, sizeof(*code->lines), by_addr);
	return 0;
}

/* ---- reading ---- */

static int explain(const struct bpf_prog *prog, int err, struct strbuf *why)
{
	if (err == -ENOEXEC)
		strbuf__addf(why,
			     "program %u is interpreted: it has no machine code to sample\n"
			     "enable the JIT compiler (sysctl net.core.bpf_jit_enable=1) and load "
			     "it again",
			     prog->id);
	else if (err == -EACCES)
		strbuf__addf(why,
			     "the kernel hides the address of program %u from this user (EACCES)\n"
			     "run pstat as root, with kernel.kptr_restrict below 2",
			     prog->id);
	else if (err)
		strbuf__addf(why, "the code of program %u cannot be read: %s", prog->id,
			     strerror(-err));
	return err;
}

static int read_code(const struct bpf_prog *prog, struct tables *tables, struct bpf_code *code)
{
	int err = prog->jited ? tables__read(tables, prog->fd, code) : -ENOEXEC;

	if (err)
		return err;
	if (!tables->info.nr_jited_ksyms || !tables->ksyms[0])
		return -EACCES;
	if (tables->info.btf_id)
		code->btf = btf__load_from_kernel_by_id(tables->info.btf_id);
	err = take_funcs(code, tables, prog);
	return err ?: take_lines(code, tables);
}

int bpf_code__read(const struct bpf_prog *prog, struct bpf_code **out, struct strbuf *why)
{
	struct bpf_code *code = calloc(1, sizeof(*code));
	struct tables tables = { 0 };
	int err = code ? read_code(prog, &tables, code) : -ENOMEM;

	*out = NULL;
	tables__free(&tables);
	if (err)
		bpf_code__free(code);
	else
		*out = code;
	return explain(prog, err, why);
}

void bpf_code__free(struct bpf_code *code)
{
	if (!code)
		return;
	for (uint32_t i = 0; code->funcs && i < code->nr_funcs; i++)
		free(code->funcs[i].name);
	free(code->funcs);
	free(code->lines);
	free(code->insns);
	btf__free(code->btf);
	free(code);
}

int bpf_code__line_at(const struct bpf_code *code, uint64_t addr)
{
	int func = func_at(code, addr);
	uint32_t low = 0, high = code->nr_lines;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (code->lines[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && func >= 0 && code->lines[low - 1].func == (uint32_t)func ? (int)low - 1 : -1;
}

/* The functions of one program: arrays of `nr` elements. */
struct lengths {
	__u32 nr;
	__u64 *starts;
	__u32 *lens;
};

static int read_lengths(int fd, struct lengths *lengths)
{
	struct bpf_prog_info info = { 0 };
	int err = bpf_prog__read_info(fd, &info);

	if (err)
		return err;
	lengths->nr = info.nr_jited_ksyms < info.nr_jited_func_lens ? info.nr_jited_ksyms :
								      info.nr_jited_func_lens;
	lengths->starts = calloc((size_t)lengths->nr + 1, sizeof(*lengths->starts));
	lengths->lens = calloc((size_t)lengths->nr + 1, sizeof(*lengths->lens));
	if (!lengths->starts || !lengths->lens)
		return -ENOMEM;
	info = (struct bpf_prog_info){ .nr_jited_ksyms = lengths->nr,
				       .jited_ksyms = (__u64)(unsigned long)lengths->starts,
				       .nr_jited_func_lens = lengths->nr,
				       .jited_func_lens = (__u64)(unsigned long)lengths->lens };
	return bpf_prog__read_info(fd, &info);
}

static int add_program(struct kernel_code *code, int fd)
{
	struct lengths lengths = { 0 };
	int err = read_lengths(fd, &lengths);

	for (__u32 i = 0; !err && i < lengths.nr; i++)
		err = lengths.starts[i] ?
			      kernel_code__add_length(code, lengths.starts[i], lengths.lens[i]) :
			      -EACCES;
	free(lengths.starts);
	free(lengths.lens);
	return err;
}

int bpf_prog_code__add_lengths(struct kernel_code *code)
{
	uint32_t id = 0;
	int err = 0;

	while (!err && !(err = bpf_prog__next_id(id, &id))) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0) {
			/*
			 * ENOENT: the program was unloaded after bpf_prog__next_id() had returned
			 * its id
			 */
			err = errno == ENOENT ? 0 : -errno;
			continue;
		}
		err = add_program(code, fd);
		close(fd);
	}
	if (err != -ENOENT)
		return err;
	kernel_code__set_complete(code);
	return 0;
}
