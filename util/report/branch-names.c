// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/branch-names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/bpf/bpf-prog-code.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/symbols/code-names.h"
#include "util/machine/symbols/kernel-symbols.h"
#include "util/machine/symbols/mapped-objects.h"

/* On 64-bit CPUs that record branches, the kernel is in the upper half of the address space. */
#define IS_KERNEL(address) ((address) >> 63)

/* A BPF program whose branches were looked up. */
struct named_prog {
	uint32_t id;
	struct bpf_code *code; /* NULL: the code could not be read */
};

struct branch_names {
	bool has_kernel;
	struct kernel_symbols *kernel; /* NULL: not read yet, or unreadable */
	struct mapped_objects *objects;
	struct code_names *code;
	struct named_prog *progs;
	int nr_progs;
	pid_t *pids; /* the processes whose mappings were read */
	int nr_pids;
};

struct branch_names *branch_names__new(void)
{
	struct branch_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->objects = mapped_objects__new(sysroots__host(), DEBUG_DIRS);
	if (names->objects)
		names->code = code_names__new(names->objects, CODE_LINES | CODE_DEMANGLE);
	if (names->code)
		return names;
	branch_names__free(names);
	return NULL;
}

void branch_names__free(struct branch_names *names)
{
	if (!names)
		return;
	for (int i = 0; i < names->nr_progs; i++)
		bpf_code__free(names->progs[i].code);
	free(names->progs);
	free(names->pids);
	code_names__free(names->code);
	mapped_objects__free(names->objects);
	kernel_symbols__free(names->kernel);
	free(names);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- the kernel and BPF programs ---- */

/*
 * Reads the kernel's symbols once. If the symbols cannot be read, branch_names__add() adds
 * addresses instead of names.
 */
static void read_kernel(struct branch_names *names)
{
	int err;

	if (names->has_kernel)
		return;
	names->has_kernel = true;
	err = kernel_symbols__read(sysroots__host(), NULL, &names->kernel);
	if (err) {
		names->kernel = NULL;
		pr_warn("--branches: the functions of the kernel are not known: %s",
			kernel_symbols__strerror(err));
	}
}

/* Returns the code of the program @id, or NULL if it cannot be read. */
static const struct bpf_code *code_of(struct branch_names *names, uint32_t id)
{
	struct strbuf why = STRBUF_INIT;
	struct bpf_prog *prog = NULL;
	struct named_prog *progs;

	for (int i = 0; i < names->nr_progs; i++)
		if (names->progs[i].id == id)
			return names->progs[i].code;
	progs = reallocarray(names->progs, (size_t)names->nr_progs + 1, sizeof(*progs));
	if (!progs)
		return NULL;
	names->progs = progs;
	progs += names->nr_progs++;
	*progs = (struct named_prog){ .id = id };
	if (bpf_prog__peek(id, &prog, &why) || bpf_code__read(prog, &progs->code, &why)) {
		pr_info("--branches: the code of program %" PRIu32 " is not known: %s", id,
			why.text);
		progs->code = NULL;
	}
	bpf_prog__close(prog);
	strbuf__free(&why);
	return progs->code;
}

static bool add_bpf(const struct bpf_code *code, uint64_t address, struct strbuf *place,
		    struct strbuf *line)
{
	int found = bpf_code__line_at(code, address);

	for (uint32_t i = 0; i < code->nr_funcs; i++) {
		const struct bpf_code_func *func = &code->funcs[i];

		if (address < func->addr || address - func->addr >= func->len || !func->name)
			continue;
		strbuf__addf(place, "%s+0x%" PRIx64, func->name, address - func->addr);
		if (found >= 0 && *code->lines[found].file)
			strbuf__addf(line, "%s:%" PRIu32, base_name(code->lines[found].file),
				     code->lines[found].line);
		return true;
	}
	return false;
}

static void add_kernel(struct branch_names *names, uint64_t address, struct strbuf *place)
{
	struct kernel_symbol symbol;

	read_kernel(names);
	if (names->kernel && !kernel_symbols__find(names->kernel, address, &symbol))
		strbuf__addf(place, "%s+0x%" PRIx64, symbol.name, symbol.offset);
	else
		strbuf__addf(place, "0x%" PRIx64, address);
}

/* ---- processes ---- */

/*
 * Reads the mappings of the process once. Returns 0 or -ENOMEM. After any other error, also returns
 * 0, but the functions of the process stay unknown.
 */
static int read_process(struct branch_names *names, pid_t pid)
{
	pid_t *pids;

	for (int i = 0; i < names->nr_pids; i++)
		if (names->pids[i] == pid)
			return 0;
	pids = reallocarray(names->pids, (size_t)names->nr_pids + 1, sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	names->pids = pids;
	pids[names->nr_pids++] = pid;
	return mapped_objects__add_process(names->objects, pid) == -ENOMEM ? -ENOMEM : 0;
}

static int add_user(struct branch_names *names, uint64_t address, pid_t pid, struct strbuf *place,
		    struct strbuf *line)
{
	struct code_frame frame = { .kind = CODE_ADDRESS, .at = address };
	struct code_name found[CODE_MOST_NAMES];
	int err = read_process(names, pid);

	err = err ?: code_names__find(names->code, pid, &frame, false, found);
	if (err < 0)
		return err;
	if (found->function)
		strbuf__adds(place, found->function);
	else
		strbuf__addf(place, "0x%" PRIx64, address);
	if (found->file)
		strbuf__addf(line, "%s:%d", base_name(found->file), found->line);
	return 0;
}

/* ---- any address ---- */

int branch_names__add(struct branch_names *names, uint64_t address, pid_t pid, uint32_t prog_id,
		      struct strbuf *place, struct strbuf *line)
{
	const struct bpf_code *code;

	if (!IS_KERNEL(address))
		return add_user(names, address, pid, place, line);
	code = prog_id ? code_of(names, prog_id) : NULL;
	if (!code || !add_bpf(code, address, place, line))
		add_kernel(names, address, place);
	return 0;
}
