// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-refs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_skel/prog_refs.h"
#include "bpf_skel/prog_refs.skel.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"

struct prog_refs {
	struct prog_refs_bpf *skel;
	struct bpf_link *link;
	struct strbuf text; /* an array of struct prog_ref, sorted by id */
};

int prog_refs__new(struct prog_refs **out, struct strbuf *why)
{
	struct prog_refs *refs = calloc(1, sizeof(*refs));
	int err = 0;

	*out = NULL;
	if (!refs)
		return reason__set(why, -ENOMEM, "out of memory");
	refs->text = (struct strbuf)STRBUF_INIT;
	refs->skel = prog_refs_bpf__open();
	if (refs->skel && !bpf_map__set_autocreate(refs->skel->maps.never_made, false) &&
	    !prog_refs_bpf__load(refs->skel))
		refs->link = bpf_program__attach_iter(refs->skel->progs.pstat_list_refs, NULL);
	if (!refs->link) {
		err = -errno;
		strbuf__addf(why, "the references to BPF programs cannot be read here: %s",
			     strerror(-err));
		prog_refs__free(refs);
	} else {
		*out = refs;
	}
	return err;
}

void prog_refs__free(struct prog_refs *refs)
{
	if (!refs)
		return;
	bpf_link__destroy(refs->link);
	prog_refs_bpf__destroy(refs->skel);
	strbuf__free(&refs->text);
	free(refs);
}

int prog_refs__read(struct prog_refs *refs)
{
	char buf[4096];
	int fd = bpf_iter_create(bpf_link__fd(refs->link)), err = 0;
	ssize_t len;

	strbuf__reset(&refs->text);
	if (fd < 0)
		return -errno;
	while ((len = read(fd, buf, sizeof(buf))) > 0 ||
	       (len < 0 && (errno == EAGAIN || errno == EINTR)))
		if (len > 0)
			strbuf__add(&refs->text, buf, (size_t)len);
	if (len < 0)
		err = -errno;
	close(fd);
	return strbuf__failed(&refs->text) ? -ENOMEM : err;
}

uint64_t prog_refs__of(const struct prog_refs *refs, uint32_t id)
{
	struct prog_ref ref;

	for (size_t at = 0; at + sizeof(ref) <= refs->text.len; at += sizeof(ref)) {
		memcpy(&ref, refs->text.text + at, sizeof(ref));
		if (ref.id == id)
			return ref.refs;
	}
	return 0;
}
