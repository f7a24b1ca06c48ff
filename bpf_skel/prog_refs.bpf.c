// SPDX-License-Identifier: GPL-2.0-only
/*
 * An iterator that reports the number of references to each loaded program. No system call returns
 * this number. If only pstat still refers to a program, the program cannot run any more; pstat uses
 * this number to detect such programs. The kernel runs pstat_list_refs() for each loaded program
 * when user space reads from the iterator.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "needs_btf.bpf.h"
#include "prog_refs.h"

char LICENSE[] SEC("license") = "GPL";

SEC("iter/bpf_prog")
int pstat_list_refs(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog;
	struct prog_ref ref = {};

	if (!prog)
		return 0;
	ref.id = prog->aux->id;
	ref.refs = prog->aux->refcnt.counter - 1;
	bpf_seq_write(ctx->meta->seq, &ref, sizeof(ref));
	return 0;
}
