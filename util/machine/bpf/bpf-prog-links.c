// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog-links.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Returns whether the link belongs to an freplace program. Tracing links of such programs have the
 * attach type 0. Tracing links with other attach types belong to fentry, fexit, fmod_ret and LSM
 * programs.
 */
static bool replaces(const struct bpf_link_info *info)
{
	return info->type == BPF_LINK_TYPE_TRACING && !info->tracing.attach_type;
}

static int add(struct prog_links *links, const struct bpf_link_info *info)
{
	struct prog_link *bigger = realloc(links->links, sizeof(*bigger) * ((size_t)links->nr + 1));

	if (!bigger)
		return -ENOMEM;
	links->links = bigger;
	bigger[links->nr++] = (struct prog_link){
		.prog = info->prog_id,
		.replaced_prog = replaces(info) ? info->tracing.target_obj_id : 0,
		.replaced_func = replaces(info) ? info->tracing.target_btf_id : 0,
	};
	return 0;
}

/* Adds the link @id. Ignores a link that no longer exists. Returns 0 or -errno. */
static int add_link(struct prog_links *links, uint32_t id)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_link_get_fd_by_id(id), err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = bpf_obj_get_info_by_fd(fd, &info, &len) ? -errno : add(links, &info);
	close(fd);
	return err;
}

int prog_links__read(struct prog_links *links)
{
	__u32 id = 0;
	int err = 0;

	*links = (struct prog_links){ 0 };
	while (!err) {
		err = bpf_link_get_next_id(id, &id) ? -errno : 0;
		err = err ?: add_link(links, id);
	}
	if (err != -ENOENT)
		prog_links__free(links);
	return err == -ENOENT ? 0 : err;
}

void prog_links__free(struct prog_links *links)
{
	free(links->links);
	*links = (struct prog_links){ 0 };
}

bool prog_links__attach(const struct prog_links *links, uint32_t prog)
{
	for (int i = 0; i < links->nr; i++)
		if (links->links[i].prog == prog)
			return true;
	return false;
}

uint32_t prog_links__replacer(const struct prog_links *links, uint32_t prog, uint32_t func)
{
	for (int i = 0; i < links->nr; i++) {
		const struct prog_link *link = &links->links[i];

		if (link->replaced_prog && link->replaced_prog == prog &&
		    link->replaced_func == func)
			return link->prog;
	}
	return 0;
}
