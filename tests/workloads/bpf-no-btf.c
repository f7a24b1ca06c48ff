// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf-no-btf: loads an XDP program without BTF, prints its ID, and keeps it loaded until standard
 * input ends.
 */
#include <bpf/bpf.h>
#include <stdio.h>

int main(void)
{
	static const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "no_btf", "GPL", pass, 2, NULL);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len)) {
		perror("bpf-no-btf");
		return 1;
	}
	printf("%u\n", info.id);
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
