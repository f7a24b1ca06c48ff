// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs that bpf-run runs. The prefix of a name is the program type: xdp, raw_tp or syscall.
 * The work does not depend on the type, so the programs use no context and no kernel types.
 *
 * empty
 *     returns immediately
 * count
 *     counts the run
 * more
 *     like empty, with one more instruction (XDP only)
 * loop
 *     counts the run, then executes a loop @loops times; each turn executes the same
 *     instructions
 * print
 *     like loop, but then also fires the tracepoint bpf_trace_printk (XDP and raw_tp only)
 * three
 *     (raw_tp only) executes three loops in separate functions: @loops, 2 × @loops and 4 ×
 *     @loops times
 * hot
 *     (raw_tp only) like three, but @loops / 1000, @loops and @loops / 1000 times
 * lookup
 *     (XDP and raw_tp only) hashes a number and looks it up in a map, in separate
 *     functions, @loops times
 * read
 *     (syscall only) counts the run, then reads 8 bytes of user space at @address, and
 *     sleeps until they are there
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

__u64 loops;   /* iterations per run; written by user space */
__u64 address; /* written by user space */
__u64 counter; /* runs so far, on all CPUs */

static __u64 turns; /* keeps the compiler from removing the loop */

static int turn(__u32 index, void *unused)
{
	turns += index;
	return 0;
}

static __always_inline void count_run(void)
{
	__sync_fetch_and_add(&counter, 1);
}

static __always_inline void go_round(void)
{
	count_run();
	bpf_loop(loops, turn, (void *)0, 0);
}

SEC("xdp")
int xdp_empty(void *ctx)
{
	return XDP_PASS;
}

/* like xdp_empty, with one more instruction */
SEC("xdp")
int xdp_more(void *ctx)
{
	asm volatile("r1 = 0" ::: "r1");
	return XDP_PASS;
}

SEC("xdp")
int xdp_count(void *ctx)
{
	count_run();
	return XDP_PASS;
}

SEC("xdp")
int xdp_loop(void *ctx)
{
	go_round();
	return XDP_PASS;
}

static __always_inline void print(void)
{
	static const char text[] = "x";

	go_round();
	bpf_trace_printk(text, sizeof(text));
}

SEC("xdp")
int xdp_print(void *ctx)
{
	print();
	return XDP_PASS;
}

SEC("raw_tp")
int raw_tp_empty(void *ctx)
{
	return 0;
}

SEC("raw_tp")
int raw_tp_count(void *ctx)
{
	count_run();
	return 0;
}

SEC("raw_tp")
int raw_tp_loop(void *ctx)
{
	go_round();
	return 0;
}

SEC("raw_tp")
int raw_tp_print(void *ctx)
{
	print();
	return 0;
}

/* Three loops with identical instructions in different functions. */
__u64 sums[3]; /* not static, because clang would split the array and write wrong BTF */

#define DEFINE_LOOP(name, place)                          \
	static int name(__u32 index, void *unused)        \
	{                                                 \
		__u64 sum = sums[place];                  \
                                                          \
		for (int i = 0; i < 16; i++)              \
			sum = (sum << 1) + (sum ^ index); \
		sums[place] = sum;                        \
		return 0;                                 \
	}

/* clang-format off: each loop must be on one line of source */
DEFINE_LOOP(first_loop, 0)
DEFINE_LOOP(second_loop, 1)
DEFINE_LOOP(third_loop, 2)
/* clang-format on */

SEC("raw_tp")
int raw_tp_three(void *ctx)
{
	count_run();
	bpf_loop(loops, first_loop, (void *)0, 0);
	bpf_loop(2 * loops, second_loop, (void *)0, 0);
	bpf_loop(4 * loops, third_loop, (void *)0, 0);
	return 0;
}

SEC("raw_tp")
int raw_tp_hot(void *ctx)
{
	count_run();
	bpf_loop(loops / 1000, first_loop, (void *)0, 0);
	bpf_loop(loops, second_loop, (void *)0, 0);
	bpf_loop(loops / 1000, third_loop, (void *)0, 0);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u64);
	__type(value, __u64);
} table SEC(".maps");

static __noinline __u64 hash_number(__u64 number)
{
	for (int i = 0; i < 16; i++)
		number = (number << 5) + (number ^ i);
	return number;
}

static __noinline int look_up_number(__u64 number)
{
	return !bpf_map_lookup_elem(&table, &number);
}

static int look_up_turn(__u32 index, void *unused)
{
	turns += look_up_number(hash_number(index));
	return 0;
}

SEC("xdp")
int xdp_lookup(void *ctx)
{
	count_run();
	bpf_loop(loops, look_up_turn, (void *)0, 0);
	return XDP_PASS;
}

SEC("raw_tp")
int raw_tp_lookup(void *ctx)
{
	count_run();
	bpf_loop(loops, look_up_turn, (void *)0, 0);
	return 0;
}

SEC("syscall")
int syscall_empty(void *ctx)
{
	return 0;
}

SEC("syscall")
int syscall_count(void *ctx)
{
	count_run();
	return 0;
}

SEC("syscall")
int syscall_loop(void *ctx)
{
	go_round();
	return 0;
}

static char bytes[8];

SEC("syscall")
int syscall_read(void *ctx)
{
	count_run();
	return bpf_copy_from_user(bytes, sizeof(bytes), (void *)address);
}

char LICENSE[] SEC("license") = "GPL";
