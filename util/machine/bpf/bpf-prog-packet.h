/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out whether a program processes packets, and whether tracing programs can read them. */
#ifndef PSTAT_MACHINE_BPF_PROG_PACKET_H
#define PSTAT_MACHINE_BPF_PROG_PACKET_H

struct bpf_prog;

enum bpf_prog_packet {
	BPF_PROG_NO_PACKET, /* the program does not process packets */
	/*
	 * the program processes packets, but fentry programs cannot read the packets (see
	 * bpf_prog__packet())
	 */
	BPF_PROG_PACKET_UNKNOWN,
	BPF_PROG_PACKET_XDP, /* struct xdp_md (in the kernel: struct xdp_buff) */
	BPF_PROG_PACKET_SKB, /* struct __sk_buff (in the kernel: struct sk_buff) */
};

/*
 * Returns the kind of packet that fentry and fexit programs can read when prog->func runs.
 * bpf_prog__read_func() must have been called for @prog. Fentry and fexit programs read the packet
 * through the function's first argument. The function's BTF must declare this argument as a pointer
 * to the context (struct xdp_md or struct __sk_buff). Otherwise, for example if BTF declares it as
 * a void *, the programs get a plain number instead of a pointer (kernel/bpf/btf.c,
 * btf_ctx_access), and the result is BPF_PROG_PACKET_UNKNOWN.
 */
enum bpf_prog_packet bpf_prog__packet(const struct bpf_prog *prog);

#endif
