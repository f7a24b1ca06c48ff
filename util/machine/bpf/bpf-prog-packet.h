/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that run on packets, and whether tracing programs can access these packets. */
#ifndef PSTAT_MACHINE_BPF_PROG_PACKET_H
#define PSTAT_MACHINE_BPF_PROG_PACKET_H

struct bpf_prog;

enum bpf_prog_packet {
	BPF_PROG_NO_PACKET, /* programs of this type have no packet */
	/* the type has a packet, but BTF does not show that the first argument is the context */
	BPF_PROG_PACKET_UNKNOWN,
	BPF_PROG_PACKET_XDP, /* struct xdp_md, which is xdp_buff in the kernel */
	BPF_PROG_PACKET_SKB, /* struct __sk_buff, which is sk_buff in the kernel */
};

/*
 * Returns the type of packet that fentry and fexit programs can read from the context of the
 * function prog->func. These programs get a typed pointer only if the function's BTF declares the
 * context with the type that user space uses. If the context is declared as a void *, they get a
 * plain number (kernel/bpf/btf.c, btf_ctx_access).
 */
enum bpf_prog_packet bpf_prog__packet(const struct bpf_prog *prog);

#endif
