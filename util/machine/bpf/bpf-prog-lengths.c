// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/bpf/bpf-prog-lengths.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/symbols/kernel-code.h"

/* The functions of one program. The arrays have @nr elements. */
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

int bpf_prog_lengths__add(struct kernel_code *code)
{
	uint32_t id = 0;
	int err = 0;

	while (!err && !(err = bpf_prog__next_id(id, &id))) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0) {
			err = errno == ENOENT ? 0 : -errno; /* the program was unloaded meanwhile */
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
