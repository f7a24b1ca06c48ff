/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that run on packets, and whether tracing programs can get at these. */
#ifndef PSTAT_MACHINE_BPF_PROG_PACKET_H
#define PSTAT_MACHINE_BPF_PROG_PACKET_H

struct bpf_prog;

enum bpf_prog_packet {
	BPF_PROG_NO_PACKET,	 /* its type has none */
	BPF_PROG_PACKET_UNKNOWN, /* its type has one, but its BTF does not say that its first argument is the context */
	BPF_PROG_PACKET_XDP,	 /* struct xdp_md, which is the kernel's xdp_buff */
	BPF_PROG_PACKET_SKB,	 /* struct __sk_buff, which is its sk_buff */
};

/*
 * What the function that is meant has. To fentry and fexit a context is a pointer with a type only where the function's BTF has that of
 * its user space side; of a void * they see a number (kernel/bpf/btf.c, btf_ctx_access).
 */
enum bpf_prog_packet bpf_prog__packet(const struct bpf_prog *prog);

#endif
