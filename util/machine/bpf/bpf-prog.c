// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"

int bpf_prog__read_info(int fd, struct bpf_prog_info *info)
{
	__u32 len = sizeof(*info);

	return bpf_obj_get_info_by_fd(fd, info, &len) ? -errno : 0;
}

/* ---- opening ---- */

static void explain(struct strbuf *why, uint32_t id, int err)
{
	if (err == -ENOENT)
		strbuf__addf(
			why,
			"no BPF program has the id %u\nsee `pstat progs` for those that are loaded",
			id);
	else if (err == -EPERM)
		strbuf__addf(why, "BPF program %u cannot be opened: %s\n%s", id,
			     privileges__bpf_reason(true), privileges__bpf_advice(true));
	else
		strbuf__addf(why, "BPF program %u cannot be read: %s", id, strerror(-err));
}

/* Sets *@out to a new struct for the program @fd. The struct owns @fd. On error, closes @fd. */
static int look_at(int fd, struct bpf_prog **out)
{
	struct bpf_prog *prog = calloc(1, sizeof(*prog));
	struct bpf_prog_info info = {};
	int err = prog ? bpf_prog__read_info(fd, &info) : -ENOMEM;

	*out = NULL;
	if (err) {
		close(fd);
		free(prog);
		return err;
	}
	prog->fd = fd;
	prog->id = info.id;
	prog->type = info.type;
	prog->btf_id = info.nr_func_info ? info.btf_id : 0;
	prog->jited = info.jited_prog_len;
	prog->load_time = info.load_time;
	memcpy(prog->tag, info.tag, sizeof(prog->tag));
	prog->cut_name = strndup(info.name, sizeof(info.name));
	if (!prog->cut_name) {
		bpf_prog__close(prog);
		return -ENOMEM;
	}
	*out = prog;
	return 0;
}

int bpf_prog__peek(uint32_t id, struct bpf_prog **out, struct strbuf *why)
{
	int fd = bpf_prog_get_fd_by_id(id);
	int err = fd < 0 ? -errno : look_at(fd, out);

	if (err) {
		*out = NULL;
		explain(why, id, err);
	}
	return err;
}

/*
 * Returns 0 if @fd is a program. Otherwise (maps and links can also be pinned), closes @fd and
 * returns -EINVAL.
 */
static int expect_prog(int fd)
{
	char link[64], target[64] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, target, sizeof(target) - 1) > 0 &&
	    !strcmp(target, "anon_inode:bpf-prog"))
		return 0;
	close(fd);
	return -EINVAL;
}

int bpf_prog__peek_pinned(const char *path, struct bpf_prog **out, struct strbuf *why)
{
	int fd = bpf_obj_get(path);
	int err = fd < 0 ? -errno : expect_prog(fd);

	err = err ?: look_at(fd, out);

	if (!err)
		return 0;
	*out = NULL;
	if (err == -ENOENT)
		strbuf__addf(why, "nothing is pinned at %s", path);
	else if (err == -EINVAL)
		strbuf__addf(why, "the object pinned at %s is not a BPF program", path);
	else
		strbuf__addf(why, "%s: cannot be opened: %s", path, strerror(-err));
	return err;
}

void bpf_prog__close(struct bpf_prog *prog)
{
	if (!prog)
		return;
	close(prog->fd);
	free(prog->cut_name);
	free(prog->name);
	free(prog->func);
	free(prog);
}

/* ---- names ---- */

/*
 * The functions of a program (all, or only the main function), in the order of their instructions.
 * infos[0] is always the main function.
 */
struct funcs {
	__u32 nr;
	struct bpf_func_info *infos;
	struct btf *btf;
};

static void funcs__free(struct funcs *funcs)
{
	free(funcs->infos);
	btf__free(funcs->btf);
}

static int funcs__read(const struct bpf_prog *prog, bool all, struct funcs *funcs)
{
	struct bpf_prog_info info = {};
	int err = all ? bpf_prog__read_info(prog->fd, &info) : 0;

	funcs->nr = all ? info.nr_func_info : 1;
	funcs->infos = err ? NULL : calloc(funcs->nr, sizeof(*funcs->infos));
	if (!funcs->infos)
		return err ?: -ENOMEM;
	info = (struct bpf_prog_info){
		.nr_func_info = funcs->nr,
		.func_info_rec_size = sizeof(*funcs->infos),
		.func_info = (__u64)(unsigned long)funcs->infos,
	};
	err = bpf_prog__read_info(prog->fd, &info);
	if (err)
		return err;
	funcs->btf = btf__load_from_kernel_by_id(prog->btf_id);
	return funcs->btf ? 0 : -errno;
}

static const char *name_of(const struct funcs *funcs, __u32 nr)
{
	const struct btf_type *type = btf__type_by_id(funcs->btf, funcs->infos[nr].type_id);
	const char *name = type ? btf__name_by_offset(funcs->btf, type->name_off) : NULL;

	return name ? name : "";
}

static bool is_global(const struct funcs *funcs, __u32 nr)
{
	const struct btf_type *type = btf__type_by_id(funcs->btf, funcs->infos[nr].type_id);

	return type && btf_is_func(type) && btf_vlen(type) == BTF_FUNC_GLOBAL;
}

static int no_func(const struct funcs *funcs, const struct bpf_prog *prog, const char *wanted,
		   struct strbuf *why)
{
	strbuf__addf(why, "program %u has no function '%s'\nits functions are:", prog->id, wanted);
	for (__u32 nr = 0; nr < funcs->nr; nr++)
		strbuf__addf(why, " %s", name_of(funcs, nr));
	return -ENOENT;
}

static int take_func(struct bpf_prog *prog, const struct funcs *funcs, __u32 nr)
{
	struct strbuf name = STRBUF_INIT;

	strbuf__adds(&name, *name_of(funcs, 0) ? name_of(funcs, 0) : prog->cut_name);
	if (nr)
		strbuf__addf(&name, ":%s", name_of(funcs, nr));
	prog->name = strbuf__detach(&name);
	prog->func = strdup(name_of(funcs, nr));
	prog->func_btf_id = *name_of(funcs, nr) ? funcs->infos[nr].type_id : 0;
	prog->func_is_main = !nr;
	prog->func_is_global = is_global(funcs, nr);
	return prog->name && prog->func ? 0 : -ENOMEM;
}

static int read_names(struct bpf_prog *prog, const char *wanted, struct strbuf *why)
{
	struct funcs funcs = {};
	int err = funcs__read(prog, wanted, &funcs);
	__u32 nr = 0;

	while (!err && wanted && nr < funcs.nr && strcmp(name_of(&funcs, nr), wanted) != 0)
		nr++;
	if (!err)
		err = nr < funcs.nr ? take_func(prog, &funcs, nr) :
				      no_func(&funcs, prog, wanted, why);
	funcs__free(&funcs);
	return err;
}

int bpf_prog__read_func(struct bpf_prog *prog, const char *func, struct strbuf *why)
{
	int err = 0;

	if (prog->name)
		return 0;
	if (prog->btf_id) {
		err = read_names(prog, func, why);
	} else if (func) {
		return reason__set(why, -ENOENT,
				   "program %u has no BTF, so its functions have no names",
				   prog->id);
	} else {
		prog->name = strdup(prog->cut_name);
		err = prog->name ? 0 : -ENOMEM;
	}
	if (err && !why->len)
		explain(why, prog->id, err);
	return err;
}

/* ---- search ---- */

int bpf_prog__next_id(uint32_t id, uint32_t *next)
{
	return bpf_prog_get_next_id(id, next) ? -errno : 0;
}

static bool has_name(struct bpf_prog *prog, const char *glob)
{
	struct strbuf why = STRBUF_INIT;
	bool found = !fnmatch(glob, prog->cut_name, 0);

	if (!found && !bpf_prog__read_func(prog, NULL, &why))
		found = !fnmatch(glob, prog->name, 0);
	strbuf__free(&why);
	return found;
}

bool bpf_prog__matches(struct bpf_prog *prog, const struct prog_selector *selector)
{
	switch (selector->by) {
	case PROG_SELECT_NAME:
		return has_name(prog, selector->word);
	case PROG_SELECT_TAG:
		return !memcmp(prog->tag, selector->tag, sizeof(prog->tag));
	case PROG_SELECT_TYPE:
		return prog->type < 64 && (selector->types >> prog->type & 1);
	case PROG_SELECT_ALL:
		return true;
	case PROG_SELECT_ID:
	case PROG_SELECT_PINNED:
		break;
	}
	return false;
}
