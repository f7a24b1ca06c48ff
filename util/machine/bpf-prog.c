// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf-prog.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"

static int read_info(int fd, struct bpf_prog_info *info)
{
	__u32 len = sizeof(*info);

	return bpf_obj_get_info_by_fd(fd, info, &len) ? -errno : 0;
}

/* The main function is the first that func_info lists: func_info is sorted by instruction, and it starts at 0. */
static int read_func(struct bpf_prog *prog, const struct bpf_prog_info *known)
{
	struct bpf_func_info func = {};
	struct bpf_prog_info info = {
		.nr_func_info = 1,
		.func_info_rec_size = sizeof(func),
		.func_info = (__u64)(unsigned long)&func,
	};
	const struct btf_type *type;
	const char *name;
	struct btf *btf;
	int err;

	if (!known->btf_id || !known->nr_func_info)
		return 0;
	err = read_info(prog->fd, &info);
	if (err)
		return err;
	btf = btf__load_from_kernel_by_id(known->btf_id);
	if (!btf)
		return -errno;
	type = btf__type_by_id(btf, func.type_id);
	name = type ? btf__name_by_offset(btf, type->name_off) : NULL;
	if (name && *name) {
		free(prog->name);
		prog->name = strdup(name);
		prog->func_btf_id = func.type_id;
	}
	btf__free(btf);
	return prog->name ? 0 : -ENOMEM;
}

static void explain(struct strbuf *why, uint32_t id, int err)
{
	if (err == -ENOENT)
		strbuf__addf(why, "no BPF program has the id %u\nsee `bpftool prog` for those that are loaded", id);
	else if (err == -EPERM)
		strbuf__addf(why,
			     "BPF program %u cannot be opened (EPERM: ids become programs only for CAP_SYS_ADMIN)\n"
			     "run pstat as root",
			     id);
	else
		strbuf__addf(why, "BPF program %u cannot be read: %s", id, strerror(-err));
}

int bpf_prog__open(uint32_t id, struct bpf_prog **out, struct strbuf *why)
{
	struct bpf_prog *prog = calloc(1, sizeof(*prog));
	struct bpf_prog_info info = {};
	int err;

	*out = NULL;
	if (!prog)
		return -ENOMEM;
	prog->id = id;
	prog->fd = bpf_prog_get_fd_by_id(id);
	err = prog->fd < 0 ? -errno : read_info(prog->fd, &info);
	if (err)
		goto out;
	prog->type = info.type;
	prog->name = strndup(info.name, sizeof(info.name));
	err = prog->name ? read_func(prog, &info) : -ENOMEM;
out:
	if (err) {
		explain(why, id, err);
		bpf_prog__close(prog);
	} else {
		*out = prog;
	}
	return err;
}

void bpf_prog__close(struct bpf_prog *prog)
{
	if (!prog)
		return;
	if (prog->fd >= 0)
		close(prog->fd);
	free(prog->name);
	free(prog);
}
