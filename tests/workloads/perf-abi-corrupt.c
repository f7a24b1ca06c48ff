// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-abi-corrupt KIND [--map PATH] [EVENT...]: makes a pinned map (see perf-abi.h) that pstat
 * must not trust, or puts an untrustworthy entry for each EVENT into the map. Then prints `ready`
 * and waits for SIGTERM. The map remains pinned.
 *
 * KIND describes what is wrong with an entry:
 *	dead-ids
 *	    the ids of a link and of a map that do not exist
 *	no-ids
 *	    the ids that perf writes before it has a leader
 *	xdp-link
 *	    a link of another type, with the map of a leader
 *	other-program
 *	    a link at sched_switch whose program is not a leader, with the map of a leader
 *	other-place
 *	    a leader's program, attached to another tracepoint
 *	other-type
 *	    a program at sched_switch with a leader's name, but of a type that does not support
 *	    BPF_PROG_TEST_RUN
 *	no-map
 *	    a leader's link, and no map
 *	small-map
 *	    a leader's link, and a map of another shape
 *	other-map
 *	    a leader's link, and the map of another leader
 *	swapped
 *	    the complete entry of another event
 *	killed
 *	    a leader that has ended
 * What is wrong with the map:
 *	full-dead
 *	    16 entries for events that nobody counts, all of them dead
 *	full-foreign
 *	    16 entries, each of which names an existing link of another type
 *	full-live
 *	    16 entries, each of which names an existing leader
 *	small-key, large-key, odd-value, array, lru, percpu
 *	    a map of another shape
 *	frozen
 *	    user space cannot write to the map any more
 *	unreadable
 *	    the file permits no access, so only a user with all capabilities can open it
 *	program
 *	    a program is pinned in its place
 *	link
 *	    a link is pinned in its place
 *	directory
 *	    a directory is in its place
 * What changes over time:
 *	swap
 *	    makes the map if there is none, waits until it has the entries of two events,
 *	    exchanges these entries, and prints `swapped`
 *	flicker
 *	    repeatedly replaces the map with a directory, and with a symbolic link to a map
 */
#include <getopt.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "tests/workloads/perf-abi.h"

#define FULL 16

/* ---- what an entry may name ---- */

/*
 * Attaches a program that is not a leader: to sched_switch, or as an XDP program to lo. Returns the
 * ID of the link.
 */
static __u32 foreign_link(enum bpf_prog_type type)
{
	struct perf_abi_leader_bpf *skel = perf_abi_leader_bpf__open();
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_SKB_MODE);
	int fd;

	if (!skel)
		die("cannot open a program");
	bpf_program__set_autoload(skel->progs.on_switch, false);
	bpf_program__set_autoload(skel->progs.no_leader, true);
	bpf_program__set_type(skel->progs.no_leader, type);
	if (type == BPF_PROG_TYPE_XDP)
		bpf_program__set_expected_attach_type(skel->progs.no_leader, BPF_XDP);
	bpf_map__set_max_entries(skel->maps.events, 1);
	if (perf_abi_leader_bpf__load(skel))
		die("cannot load a program");
	fd = bpf_program__fd(skel->progs.no_leader);
	fd = type == BPF_PROG_TYPE_XDP ? bpf_link_create(fd, if_nametoindex("lo"), BPF_XDP, &opts) :
					 bpf_raw_tracepoint_open("sched_switch", fd);
	if (fd < 0)
		die("cannot attach a program");
	return link_id(fd);
}

/* Returns the ID of the XDP link, which all entries share, because lo can have only one. */
static __u32 xdp_link(void)
{
	static __u32 id;

	if (!id)
		id = foreign_link(BPF_PROG_TYPE_XDP);
	return id;
}

/*
 * Attaches a leader's program, with the type raw_tp or tp_btf, to @tracepoint. Returns the ID of
 * the link.
 */
static __u32 misplaced_link(const char *tracepoint, bool btf)
{
	struct perf_abi_leader_bpf *skel = perf_abi_leader_bpf__open();
	int fd;

	if (!skel)
		die("cannot open a program");
	bpf_map__set_max_entries(skel->maps.events, libbpf_num_possible_cpus());
	if (btf) {
		bpf_program__set_type(skel->progs.on_switch, BPF_PROG_TYPE_TRACING);
		bpf_program__set_expected_attach_type(skel->progs.on_switch, BPF_TRACE_RAW_TP);
		if (bpf_program__set_attach_target(skel->progs.on_switch, 0, tracepoint))
			die("no tracepoint %s", tracepoint);
	}
	if (perf_abi_leader_bpf__load(skel))
		die("cannot load a program");
	fd = bpf_raw_tracepoint_open(btf ? NULL : tracepoint,
				     bpf_program__fd(skel->progs.on_switch));
	if (fd < 0)
		die("cannot attach a program");
	return link_id(fd);
}

static int make_map(enum bpf_map_type type, __u32 key_size, __u32 value_size)
{
	int fd = bpf_map_create(type, NULL, key_size, value_size, FULL, NULL);

	if (fd < 0)
		die("cannot make a map");
	return fd;
}

/* Starts a leader in a child process, which then ends. Returns the entry of this leader. */
static struct abi_entry killed_leader(const struct abi_event *event)
{
	struct abi_entry entry;
	int pipes[2], fd;

	if (pipe(pipes))
		die("pipe");
	if (fork() == 0) {
		entry = abi_leader__start(event).entry;
		_exit(write(pipes[1], &entry, sizeof(entry)) != sizeof(entry));
	}
	if (read(pipes[0], &entry, sizeof(entry)) != sizeof(entry))
		die("read");
	/* wait until the kernel has freed the link */
	while ((fd = bpf_link_get_fd_by_id(entry.link_id)) >= 0) {
		close(fd);
		usleep(1000);
	}
	return entry;
}

static struct abi_entry bad_entry(const char *kind, const struct abi_event *event)
{
	const struct abi_event cs = parse_event("cs:u"), clock = parse_event("task-clock:u");
	const struct abi_event *other = event->config == cs.config ? &clock : &cs;
	struct abi_entry entry = { 0xffffffff, 0xffffffff };

	if (!strcmp(kind, "no-ids"))
		return entry;
	if (!strcmp(kind, "dead-ids"))
		return (struct abi_entry){ 1234567, 1234568 };
	if (!strcmp(kind, "killed"))
		return killed_leader(event);
	if (!strcmp(kind, "swapped"))
		return abi_leader__start(other).entry;

	entry = abi_leader__start(event).entry;
	if (!strcmp(kind, "xdp-link"))
		entry.link_id = xdp_link();
	else if (!strcmp(kind, "other-program"))
		entry.link_id = foreign_link(BPF_PROG_TYPE_RAW_TRACEPOINT);
	else if (!strcmp(kind, "other-place"))
		entry.link_id = misplaced_link("sched_wakeup", false);
	else if (!strcmp(kind, "other-type"))
		entry.link_id = misplaced_link("sched_switch", true);
	else if (!strcmp(kind, "no-map"))
		entry.diff_map_id = 1234568;
	else if (!strcmp(kind, "small-map"))
		entry.diff_map_id = map_id(make_map(BPF_MAP_TYPE_HASH, 4, 8));
	else if (!strcmp(kind, "other-map"))
		entry.diff_map_id = abi_leader__start(other).entry.diff_map_id;
	else
		return (struct abi_entry){ 0, 0 };
	return entry;
}

/* ---- what may be pinned ---- */

static bool make_bad_map(const char *kind, const char *path)
{
	static const struct {
		const char *kind;
		enum bpf_map_type type;
		__u32 key_size, value_size;
	} shapes[] = {
		{ "small-key", BPF_MAP_TYPE_HASH, 64, 8 },
		{ "large-key", BPF_MAP_TYPE_HASH, 1024, 8 },
		{ "odd-value", BPF_MAP_TYPE_HASH, 136, 16 },
		{ "array", BPF_MAP_TYPE_ARRAY, 4, 8 },
		{ "lru", BPF_MAP_TYPE_LRU_HASH, 136, 8 },
		{ "percpu", BPF_MAP_TYPE_PERCPU_HASH, 136, 8 },
		{ "frozen", BPF_MAP_TYPE_HASH, 136, 8 },
		{ "unreadable", BPF_MAP_TYPE_HASH, 136, 8 },
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		int fd;

		if (strcmp(shapes[i].kind, kind))
			continue;
		fd = make_map(shapes[i].type, shapes[i].key_size, shapes[i].value_size);
		if (bpf_obj_pin(fd, path) || (!strcmp(kind, "frozen") && bpf_map_freeze(fd)) ||
		    (!strcmp(kind, "unreadable") && chmod(path, 0)))
			die("%s", path);
		return true;
	}
	return false;
}

/* Makes something else in place of a map. */
static bool make_no_map(const char *kind, const char *path)
{
	const struct abi_event event = parse_event("cs:u");
	const struct abi_leader leader = abi_leader__start(&event);
	int err;

	if (!strcmp(kind, "directory"))
		err = mkdir(path, 0700);
	else if (!strcmp(kind, "program"))
		err = bpf_obj_pin(bpf_program__fd(leader.skel->progs.on_switch), path);
	else if (!strcmp(kind, "link"))
		err = bpf_obj_pin(bpf_link__fd(leader.link), path);
	else
		return false;
	if (err)
		die("%s", path);
	return true;
}

static bool fill_map(const char *kind, const char *path)
{
	struct abi_event event = parse_event("cs:u");
	struct abi_entry entry = { 1234567, 1234568 };
	struct abi_map map;

	if (!strcmp(kind, "full-foreign"))
		entry.link_id = foreign_link(BPF_PROG_TYPE_XDP);
	else if (!strcmp(kind, "full-live"))
		entry = abi_leader__start(&event).entry;
	else if (strcmp(kind, "full-dead"))
		return false;
	map = abi_map__open(path, 136, FULL);
	event.type = 77;
	for (event.config = 0; event.config < FULL; event.config++)
		abi_map__put(&map, &event, &entry);
	close(map.fd);
	return true;
}

/* Waits until there are two entries, and swaps their values. */
static void swap_entries(const char *path)
{
	unsigned char keys[2][MAX_KEY];
	struct abi_entry entries[2];
	struct abi_map map = abi_map__open(path, 136, FULL);

	flock(map.fd, LOCK_UN);
	puts("ready");
	fflush(stdout);
	while (bpf_map_get_next_key(map.fd, NULL, keys[0]) ||
	       bpf_map_get_next_key(map.fd, keys[0], keys[1]) ||
	       bpf_map_lookup_elem(map.fd, keys[0], &entries[0]) ||
	       bpf_map_lookup_elem(map.fd, keys[1], &entries[1]))
		usleep(1000);
	if (bpf_map_update_elem(map.fd, keys[0], &entries[1], BPF_EXIST) ||
	    bpf_map_update_elem(map.fd, keys[1], &entries[0], BPF_EXIST))
		die("swap");
	puts("swapped");
	fflush(stdout);
	pause();
}

/*
 * Repeatedly replaces the object at @path. Ignores errors, which occur if @path belongs to another
 * user.
 */
static void flicker(const char *path)
{
	char real[256];
	int fd = make_map(BPF_MAP_TYPE_HASH, 136, 8);

	snprintf(real, sizeof(real), "%s.real", path);
	if (bpf_obj_pin(fd, real))
		die("%s", real);
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (!bpf_obj_pin(fd, path))
			unlink(path);
		if (!mkdir(path, 0777))
			rmdir(path);
		if (!symlink(real, path))
			unlink(path);
		rename(real, path);
		rename(path, real);
	}
}

static void put_bad_entries(const char *kind, const char *path, char **names, int nr)
{
	struct abi_map map = abi_map__open(path, 136, FULL);

	for (int i = 0; i < nr; i++) {
		const struct abi_event event = parse_event(names[i]);
		const struct abi_entry entry = bad_entry(kind, &event);

		if (!entry.link_id) {
			errno = EINVAL;
			die("kind %s", kind);
		}
		abi_map__put(&map, &event, &entry);
	}
	close(map.fd);
}

int main(int argc, char **argv)
{
	static const struct option table[] = { { "map", required_argument, NULL, 'm' }, {} };
	const char *path = DEFAULT_MAP;
	int opt;

	while ((opt = getopt_long(argc, argv, "", table, NULL)) == 'm')
		path = optarg;
	argc -= optind;
	argv += optind;
	if (opt != -1 || !argc) {
		fputs("Usage: perf-abi-corrupt KIND [--map PATH] [EVENT...]\n", stderr);
		return 2;
	}
	if (!strcmp(argv[0], "swap"))
		swap_entries(path);
	else if (!strcmp(argv[0], "flicker"))
		flicker(path);
	if (argc > 1) {
		put_bad_entries(argv[0], path, argv + 1, argc - 1);
	} else if (!fill_map(argv[0], path) && !make_bad_map(argv[0], path) &&
		   !make_no_map(argv[0], path)) {
		errno = EINVAL;
		die("kind %s", argv[0]);
	}
	hold();
	return 0;
}
