/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel types that pstat's BPF programs use. They are maintained by hand, so that the build does
 * not depend on the BTF of the build machine. Some *.bpf.h files define more kernel types. The
 * kernel's ABI fixes the layout of uapi types. Structs that are internal to the kernel contain only
 * the members that are read, and libbpf relocates the offsets of these members when it loads a
 * program.
 */
#ifndef PSTAT_VMLINUX_H
#define PSTAT_VMLINUX_H

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef _Bool bool;

enum { false, true };

/* uapi linux/bpf.h */
enum bpf_map_type {
	BPF_MAP_TYPE_UNSPEC,
	BPF_MAP_TYPE_HASH,
	BPF_MAP_TYPE_ARRAY,
	BPF_MAP_TYPE_PROG_ARRAY,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY,
	BPF_MAP_TYPE_PERCPU_HASH,
	BPF_MAP_TYPE_PERCPU_ARRAY,
	BPF_MAP_TYPE_STACK_TRACE,
	BPF_MAP_TYPE_CGROUP_ARRAY,
	BPF_MAP_TYPE_LRU_HASH,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_QUEUE = 22,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY,
	BPF_NOEXIST,
	BPF_EXIST,
};

enum {
	BPF_F_NO_PREALLOC = 1U << 0,
	BPF_F_STACK_BUILD_ID = 1U << 5, /* flag for stack-trace maps */
	BPF_F_MMAPABLE = 1U << 10,
	BPF_F_PRESERVE_ELEMS = 1U << 11,
	BPF_RB_FORCE_WAKEUP = 1U << 1,		  /* flag of bpf_ringbuf_submit() */
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1U << 0, /* flag of bpf_task_storage_get() */
};

/* flags of bpf_get_stackid() */
enum {
	BPF_F_USER_STACK = 1U << 8,
	BPF_F_FAST_STACK_CMP = 1U << 9,
};

enum xdp_action {
	XDP_ABORTED,
	XDP_DROP,
	XDP_PASS,
	XDP_TX,
	XDP_REDIRECT,
};

struct xdp_md {
	__u32 data;
	__u32 data_end;
	__u32 data_meta;
	__u32 ingress_ifindex;
	__u32 rx_queue_index;
	__u32 egress_ifindex;
};

/* only the fields that are used */
struct __sk_buff {
	__u32 len;
	__u32 pkt_type;
	__u32 mark;
};

struct bpf_raw_tracepoint_args {
	__u64 args[0];
};

struct bpf_pidns_info {
	__u32 pid;
	__u32 tgid;
};

struct bpf_perf_event_value {
	__u64 counter;
	__u64 enabled;
	__u64 running;
};

/* uapi asm/bpf_perf_event.h: the registers, in the layout of ptrace(2) */
#ifdef __TARGET_ARCH_arm64
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
};
typedef struct user_pt_regs bpf_user_pt_regs_t;
#define PT_REGS_IP_FIELD pc
#define PT_REGS_LINK_FIELD regs[30]
#define PT_REGS_SP_FIELD sp
#define PT_REGS_RETURN_FIELD regs[0]
#else
struct pt_regs {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	__u64 ip, cs, flags, sp, ss;
};
typedef struct pt_regs bpf_user_pt_regs_t;
#define PT_REGS_IP_FIELD ip
#define PT_REGS_SP_FIELD sp
#define PT_REGS_RETURN_FIELD ax
#endif

struct bpf_perf_event_data {
	bpf_user_pt_regs_t regs;
	__u64 sample_period;
	__u64 addr;
};

/* internal to the kernel: only the members that are read; libbpf relocates them */
#ifdef __bpf__
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

typedef struct {
	__s64 counter;
} atomic64_t;

struct bpf_prog_aux {
	atomic64_t refcnt;
	__u32 id;
};

struct bpf_prog {
	struct bpf_prog_aux *aux;
};

struct xdp_buff;
struct sk_buff;

struct bpf_iter__bpf_prog {
	struct bpf_iter_meta *meta;
	struct bpf_prog *prog;
};

#ifdef __bpf__
#pragma clang attribute pop
#endif

#endif
