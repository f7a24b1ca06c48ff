// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf-many: loads, runs and closes any number of BPF programs. It reads commands from standard
 * input, one per line, and answers each with one line. These are the commands and their answers:
 *
 *	load NAME [N]  NAME ID
 *	    loads an XDP program whose function has this name; with N, loads N programs, called
 *	    NAME, NAME_2 and so on
 *	calls NAME  NAME ID
 *	    loads a program that calls the global function NAME_sub three times
 *	run NAME N  runs N
 *	    runs the program N times; if several programs have this name, runs the latest
 *	array NAME  array ID
 *	    puts the program into a separate prog array, and prints the ID of the array
 *	pin NAME PATH  pinned PATH
 *	    pins the program
 *	follow ID  followers N: WHY
 *	    attaches empty programs to the end of the program with this ID until the kernel
 *	    refuses one, prints their number N and the reason WHY, and detaches them
 *	drop NAME  dropped NAME
 *	    closes the program, so the kernel unloads it unless another process or a pin holds it
 *
 * The programs return immediately. bpf-many ends when standard input ends.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PROGS 4096
#define NAME_SIZE 128
#define MOST_FOLLOWERS 100

static struct prog {
	char name[NAME_SIZE];
	int fd;
} progs[MAX_PROGS];
static int nr_progs;

static void die(const char *what, int err)
{
	fprintf(stderr, "bpf-many: %s: %s\n", what, strerror(err));
	exit(1);
}

#define CALL(to)                                                                    \
	{                                                                           \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (to) \
	}
#define RETURN_PASS                                                                     \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS }, \
	{                                                                               \
		.code = BPF_JMP | BPF_EXIT                                              \
	}

static const struct bpf_insn pass[] = { RETURN_PASS };
/* The called function begins at instruction 5. */
static const struct bpf_insn calling[] = { CALL(4), CALL(3), CALL(2), RETURN_PASS, RETURN_PASS };
#define CALLED_AT 5

/* Loads BTF of two functions: int @name(void), int @name_sub(void). */
static int load_btf(const char *name, struct bpf_func_info *funcs)
{
	struct btf *btf = btf__new_empty();
	int int_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int proto_id = btf__add_func_proto(btf, int_id);
	char sub[NAME_SIZE + 4];
	const void *raw;
	__u32 size;
	int fd;

	snprintf(sub, sizeof(sub), "%s_sub", name);
	funcs[0].type_id = (__u32)btf__add_func(btf, name, BTF_FUNC_GLOBAL, proto_id);
	funcs[1].type_id = (__u32)btf__add_func(btf, sub, BTF_FUNC_GLOBAL, proto_id);
	funcs[1].insn_off = CALLED_AT;
	raw = btf__raw_data(btf, &size);
	fd = bpf_btf_load(raw, size, NULL);
	if (fd < 0)
		die("BTF", errno);
	btf__free(btf);
	return fd;
}

/* Loads a program. The kernel keeps only 15 characters of its name. */
static int load_prog(const char *name, bool calls)
{
	struct bpf_func_info funcs[2] = {};
	int btf = load_btf(name, funcs), fd;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_btf_fd = (__u32)btf, .func_info = funcs,
		    .func_info_cnt = calls ? 2 : 1, .func_info_rec_size = sizeof(funcs[0]));
	size_t nr = calls ? sizeof(calling) / sizeof(calling[0]) : sizeof(pass) / sizeof(pass[0]);
	char cut[16];

	snprintf(cut, sizeof(cut), "%s", name);
	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, cut, "GPL", calls ? calling : pass, nr, &opts);
	if (fd < 0)
		die("a program", errno);
	close(btf);
	return fd;
}

static unsigned int id_of(int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		die("the ID of the program", errno);
	return info.id;
}

static unsigned int add(const char *name, bool calls)
{
	struct prog *prog = &progs[nr_progs++];

	if (nr_progs == MAX_PROGS)
		die("room for programs", ENOSPC);
	snprintf(prog->name, sizeof(prog->name), "%s", name);
	prog->fd = load_prog(name, calls);
	return id_of(prog->fd);
}

static void load(const char *name, unsigned int nr)
{
	unsigned int id = add(name, false);

	for (unsigned int i = 2; i <= nr; i++) {
		char other[NAME_SIZE];

		snprintf(other, sizeof(other), "%.100s_%u", name, i);
		add(other, false);
	}
	printf("%s %u\n", name, id);
}

static struct prog *find(const char *name)
{
	for (int i = nr_progs - 1; i >= 0; i--)
		if (progs[i].fd >= 0 && !strcmp(progs[i].name, name))
			return &progs[i];
	die(name, ENOENT);
	return NULL;
}

static void run(const char *name, unsigned int nr)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = (int)nr);

	if (bpf_prog_test_run_opts(find(name)->fd, &opts))
		die("BPF_PROG_TEST_RUN", errno);
	printf("runs %u\n", nr);
}

static void drop(const char *name)
{
	struct prog *prog = find(name);

	close(prog->fd);
	prog->fd = -1;
	printf("dropped %s\n", name);
}

static void put_into_array(const char *name)
{
	int fd = find(name)->fd,
	    map = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "array", 4, 4, 3, NULL);
	struct bpf_map_info info = {};
	__u32 len = sizeof(info), key = 1;

	if (map < 0 || bpf_map_update_elem(map, &key, &fd, BPF_ANY) ||
	    bpf_obj_get_info_by_fd(map, &info, &len))
		die("a prog array", errno);
	printf("array %u\n", info.id);
}

static void pin(const char *name, const char *path)
{
	if (bpf_obj_pin(find(name)->fd, path))
		die(path, errno);
	printf("pinned %s\n", path);
}

/* Attaches a program at the end of the program @fd. Returns the fd of the link. */
static int add_follower(int fd, __u32 func_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FEXIT,
		    .attach_btf_id = func_id, .attach_prog_fd = (__u32)fd);
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "follower", "GPL", nothing, 2, &opts);
	int link = prog < 0 ? -1 : bpf_raw_tracepoint_open(NULL, prog), err = errno;

	if (prog >= 0)
		close(prog);
	errno = err;
	return link;
}

static void follow(unsigned int id)
{
	struct bpf_func_info func = {};
	struct bpf_prog_info info = { .func_info = (uintptr_t)&func,
				      .nr_func_info = 1,
				      .func_info_rec_size = sizeof(func) };
	__u32 len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id), links[MOST_FOLLOWERS], nr = 0;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		die("the program to follow", errno);
	errno = 0;
	while (nr < MOST_FOLLOWERS && (links[nr] = add_follower(fd, func.type_id)) >= 0)
		nr++;
	printf("followers %d: %s\n", nr, strerror(errno));
	while (nr)
		close(links[--nr]);
	close(fd);
}

int main(void)
{
	char line[512], name[NAME_SIZE], path[256];
	unsigned int nr = 0;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "load %127s %u", name, &nr) >= 1)
			load(name, nr);
		else if (sscanf(line, "run %127s %u", name, &nr) == 2)
			run(name, nr);
		else if (sscanf(line, "calls %127s", name) == 1)
			printf("%s %u\n", name, add(name, true));
		else if (sscanf(line, "array %127s", name) == 1)
			put_into_array(name);
		else if (sscanf(line, "pin %127s %255s", name, path) == 2)
			pin(name, path);
		else if (sscanf(line, "follow %u", &nr) == 1)
			follow(nr);
		else if (sscanf(line, "drop %127s", name) == 1)
			drop(name);
		else
			die(line, EINVAL);
		fflush(stdout);
		nr = 0;
	}
	return 0;
}
