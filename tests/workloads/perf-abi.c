// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-abi: shares counters as perf does (see perf-abi.h), to test other tools that share counters.
 *
 *	perf-abi leader EVENT...
 *	    starts a leader for each event, prints `ready`, and waits for SIGTERM
 *	perf-abi follow EVENT
 *	    counts with a leader that another process has started, for --ms N or until SIGINT, and
 *	    prints `value N enabled NS running NS native N`. `native` is the count of an
 *	    ordinary perf event over the same time
 *	perf-abi hold-file PATH
 *	    locks the file as a session of pstat does, prints `ready`, and waits for SIGTERM
 *	perf-abi hold-lock
 *	    takes perf's lock, which any user can take, prints `ready`, and waits for SIGTERM
 *
 *	--map PATH	use this map instead of /sys/fs/bpf/perf_attr_map
 *	--key-size N, --entries N	size of the map if it must be made; default: 136, 16
 *	-p PID, -C CPU	count this process, or this CPU; default: all. With -p, `native`
 *			is the count of the first thread
 *	--ms N		count for N ms
 *	--uid N		hold the lock as this user
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <time.h>

#include "tests/workloads/perf-abi.h"
#include "tests/workloads/perf-abi-follower.skel.h"

#define MAX_LEADERS 16
#define MAX_CPUS 64

struct options {
	const char *map;
	__u32 key_size, entries;
	int pid, cpu, uid;
	long ms;
};

static int lead(const struct options *opts, char **events, int nr)
{
	struct abi_leader leaders[MAX_LEADERS];

	if (nr > MAX_LEADERS) {
		errno = E2BIG;
		die("%d events", nr);
	}
	for (int i = 0; i < nr; i++) {
		const struct abi_event event = parse_event(events[i]);
		struct abi_map map = abi_map__open(opts->map, opts->key_size, opts->entries);

		leaders[i] = abi_leader__start(&event);
		abi_map__put(&map, &event, &leaders[i].entry);
		close(map.fd);
	}
	hold();
	return 0;
}

/* ---- a follower ---- */

struct follower {
	struct perf_abi_follower_bpf *skel;
	int leader_fd, cpus, natives[MAX_CPUS], nr_natives;
};

struct totals {
	struct bpf_perf_event_value value;
	__u64 native;
};

static struct abi_entry look_up(const struct options *opts, const struct abi_event *event)
{
	struct abi_map map = abi_map__open(opts->map, opts->key_size, opts->entries);
	unsigned char key[MAX_KEY];
	struct abi_entry entry;

	event_key(event, key, map.key_size);
	if (bpf_map_lookup_elem(map.fd, key, &entry))
		die("no leader counts the event");
	close(map.fd);
	return entry;
}

/*
 * Returns the fd of the leader's program. The link stays open, so the leader exists until this
 * process ends.
 */
static int leader_of(__u32 id)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	int link = bpf_link_get_fd_by_id(id), prog;

	if (link < 0 || bpf_obj_get_info_by_fd(link, &info, &len))
		die("link %u", id);
	prog = bpf_prog_get_fd_by_id(info.prog_id);
	if (prog < 0)
		die("program %u", info.prog_id);
	return prog;
}

static void follower__start(struct follower *f, const struct options *opts,
			    const struct abi_event *event)
{
	const struct abi_entry entry = look_up(opts, event);
	const int diff = bpf_map_get_fd_by_id(entry.diff_map_id);

	f->leader_fd = leader_of(entry.link_id);
	f->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	f->skel = perf_abi_follower_bpf__open();
	if (!f->skel || diff < 0)
		die("map %u", entry.diff_map_id);
	f->skel->rodata->only_tgid = opts->pid;
	f->skel->rodata->only_cpu = opts->cpu;
	if (bpf_program__set_attach_target(f->skel->progs.follow, f->leader_fd, "on_switch") ||
	    bpf_map__reuse_fd(f->skel->maps.diff_readings, diff) ||
	    perf_abi_follower_bpf__load(f->skel) || perf_abi_follower_bpf__attach(f->skel))
		die("cannot follow link %u", entry.link_id);
	if (opts->pid >= 0 || opts->cpu >= 0)
		f->natives[f->nr_natives++] = open_event(event, opts->pid, opts->cpu);
	else
		for (int cpu = 0; cpu < f->cpus && cpu < MAX_CPUS; cpu++)
			f->natives[f->nr_natives++] = open_event(event, -1, cpu);
}

/*
 * Returns the count so far. First runs the leader on each CPU, because the count otherwise ends at
 * the CPU's last context switch.
 */
static struct totals follower__read(const struct follower *f)
{
	struct bpf_perf_event_value *values = calloc(libbpf_num_possible_cpus(), sizeof(*values));
	struct totals totals = {};
	const int zero = 0;

	for (int cpu = 0; cpu < f->cpus; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, run, .cpu = cpu, .flags = BPF_F_TEST_RUN_ON_CPU);

		if (bpf_prog_test_run_opts(f->leader_fd, &run))
			die("cannot run the leader on CPU %d", cpu);
	}
	if (!values ||
	    bpf_map_lookup_elem(bpf_map__fd(f->skel->maps.accum_readings), &zero, values))
		die("the readings");
	for (int i = 0; i < f->nr_natives; i++) {
		__u64 count;

		if (read(f->natives[i], &count, sizeof(count)) != sizeof(count))
			die("a native count");
		totals.native += count;
	}
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++) {
		totals.value.counter += values[cpu].counter;
		totals.value.enabled += values[cpu].enabled;
		totals.value.running += values[cpu].running;
	}
	free(values);
	return totals;
}

static void wait_ms_or_signal(long ms)
{
	const struct timespec limit = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	sigtimedwait(&signals, NULL, ms ? &limit : NULL);
}

static int follow(const struct options *opts, const char *name)
{
	const struct abi_event event = parse_event(name);
	struct follower follower = {};
	struct totals begin, end;

	follower__start(&follower, opts, &event);
	begin = follower__read(&follower);
	puts("ready");
	fflush(stdout);
	wait_ms_or_signal(opts->ms);
	end = follower__read(&follower);
	printf("value %llu enabled %llu running %llu native %llu\n",
	       end.value.counter - begin.value.counter, end.value.enabled - begin.value.enabled,
	       end.value.running - begin.value.running, end.native - begin.native);
	return 0;
}

static int hold_file(const char *path)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || fcntl(fd, F_SETLKW, &whole))
		die("%s", path);
	hold();
	return 0;
}

/* The fds of eventfds and of BPF maps share one inode, so locking an eventfd locks the map. */
static int hold_lock(const struct options *opts)
{
	int fd;

	if (opts->uid >= 0 && setuid(opts->uid))
		die("cannot become user %d", opts->uid);
	fd = eventfd(0, EFD_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX))
		die("flock");
	hold();
	return 0;
}

static int usage(void)
{
	fputs("Usage: perf-abi leader EVENT... [--map PATH] [--key-size N] [--entries N]\n"
	      "       perf-abi follow EVENT [--map PATH] [-p PID | -C CPU] [--ms N]\n"
	      "       perf-abi hold-file PATH\n"
	      "       perf-abi hold-lock [--uid N]\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option table[] = {
		{ "map", required_argument, NULL, 'm' },
		{ "key-size", required_argument, NULL, 'k' },
		{ "entries", required_argument, NULL, 'n' },
		{ "ms", required_argument, NULL, 't' },
		{ "uid", required_argument, NULL, 'u' },
		{},
	};
	struct options opts = {
		.map = DEFAULT_MAP, .key_size = 136, .entries = 16, .pid = -1, .cpu = -1, .uid = -1
	};
	int opt, nr;

	while ((opt = getopt_long(argc, argv, "p:C:", table, NULL)) >= 0) {
		const char *text = optarg;

		switch (opt) {
		case 'm':
			opts.map = text;
			break;
		case 'k':
			opts.key_size = atoi(text);
			break;
		case 'n':
			opts.entries = atoi(text);
			break;
		case 't':
			opts.ms = atol(text);
			break;
		case 'u':
			opts.uid = atoi(text);
			break;
		case 'p':
			opts.pid = atoi(text);
			break;
		case 'C':
			opts.cpu = atoi(text);
			break;
		default:
			return usage();
		}
	}
	nr = argc - optind;
	argv += optind;
	if (nr >= 2 && !strcmp(argv[0], "leader"))
		return lead(&opts, argv + 1, nr - 1);
	if (nr == 2 && !strcmp(argv[0], "follow"))
		return follow(&opts, argv[1]);
	if (nr == 2 && !strcmp(argv[0], "hold-file"))
		return hold_file(argv[1]);
	if (nr == 1 && !strcmp(argv[0], "hold-lock"))
		return hold_lock(&opts);
	return usage();
}
