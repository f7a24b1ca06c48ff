/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface through which perf (5.13 and later) and pstat share counters. This implementation
 * is only for tests. It was written from perf's behaviour, and uses no code of pstat. The parts of
 * the interface are:
 *
 *	/sys/fs/bpf/perf_attr_map
 *	    a pinned hash map. The key is the parsed perf_event_attr, and the value contains the
 *	    IDs of a link and of a map
 *	the link
 *	    attaches the leader, a BPF program called on_switch, to sched_switch. Each event has
 *	    its own leader
 *	the map
 *	    diff_readings of the leader, with one struct bpf_perf_event_value per CPU: what the
 *	    event counted between the last two context switches
 *
 * A follower is a BPF program that runs after the leader and adds up diff_readings. A leader exists
 * as long as a process holds its link. The pinned map does not keep the leader. A process must hold
 * flock(2) on the fd of the pinned map while it changes the map.
 */
#ifndef PSTAT_WORKLOADS_PERF_ABI_H
#define PSTAT_WORKLOADS_PERF_ABI_H

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/workloads/event-name.h"
#include "tests/workloads/perf-abi-leader.skel.h"

#define DEFAULT_MAP "/sys/fs/bpf/perf_attr_map"
#define MAX_KEY 256

struct abi_entry {
	__u32 link_id, diff_map_id;
};

/*
 * The members of struct perf_event_attr that a key contains. All others are 0. The flags are the
 * bits that follow read_format.
 */
struct abi_event {
	__u32 type;
	__u64 config, flags;
};

/* A pinned map. @key_size is the size of perf_event_attr in the program that made it. */
struct abi_map {
	int fd;
	__u32 key_size;
};

struct abi_leader {
	struct perf_abi_leader_bpf *skel;
	struct bpf_link *link;
	struct abi_entry entry;
};

static inline void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
	const int err = errno;
	va_list args;

	va_start(args, fmt);
	fputs("perf-abi: ", stderr);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, ": %s\n", strerror(err));
	va_end(args);
	exit(1);
}

static inline __u32 msr_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/msr/type", "r");
	__u32 type;

	if (!file || fscanf(file, "%u", &type) != 1)
		die("the type of the msr PMU");
	fclose(file);
	return type;
}

/*
 * Returns the bits that perf sets in perf_event_attr for a modifier. For an empty modifier, returns
 * the bits that perf sets with --bpf-counters.
 */
static inline __u64 modifier_flags(const char *modifier)
{
	static const struct {
		const char *name;
		__u64 flags;
	} modifiers[] = { { "", 0x100000 },   { ":b", 0 },	 { ":u", 0x100060 }, { ":k", 0x50 },
			  { ":H", 0x100000 }, { ":G", 0x80000 }, { ":D", 0x4 } };

	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++)
		if (!strcmp(modifiers[i].name, modifier))
			return modifiers[i].flags;
	errno = EINVAL;
	die("modifier %s", modifier);
}

static inline struct abi_event parse_event(const char *text)
{
	const char *modifier = strchrnul(text, ':');
	struct abi_event event = { .flags = modifier_flags(modifier) };
	const size_t len = modifier - text;
	const struct event_name *name;

	if (!strncmp(text, "msr/tsc/", len) && len == strlen("msr/tsc/")) {
		event.type = msr_type();
		return event;
	}
	name = event_name__find(text, len);
	if (name) {
		event.type = name->type;
		event.config = name->config;
		return event;
	}
	errno = EINVAL;
	die("event %s", text);
}

/* Fills in @key, which has @size bytes. The member `size` of the attr in the key is also @size. */
static inline void event_key(const struct abi_event *event, unsigned char *key, __u32 size)
{
	memset(key, 0, size);
	memcpy(key, &event->type, sizeof(event->type));
	memcpy(key + 4, &size, sizeof(size));
	memcpy(key + 8, &event->config, sizeof(event->config));
	memcpy(key + 40, &event->flags, sizeof(event->flags));
}

/*
 * Opens the event for the process @pid or for the CPU @cpu; the other argument is -1. Returns the
 * fd. If a PMU refuses exclude_guest, the event also counts guests.
 */
static inline int open_event(const struct abi_event *event, pid_t pid, int cpu)
{
	unsigned char key[MAX_KEY];
	struct perf_event_attr attr;
	int fd;

	event_key(event, key, sizeof(attr));
	memcpy(&attr, key, sizeof(attr));
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && errno == EINVAL) {
		attr.exclude_guest = 0;
		fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		die("event of type %u on CPU %d", event->type, cpu);
	return fd;
}

/*
 * Opens the pinned map, or makes it if it does not exist. As in perf, the map stays locked until
 * its fd is closed.
 */
static inline struct abi_map abi_map__open(const char *path, __u32 key_size, __u32 entries)
{
	struct abi_map map = { .fd = bpf_obj_get(path) };
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (map.fd < 0) {
		map.fd = bpf_map_create(BPF_MAP_TYPE_HASH, NULL, key_size, sizeof(struct abi_entry),
					entries, NULL);
		if (map.fd < 0 || bpf_obj_pin(map.fd, path))
			die("%s", path);
	}
	if (bpf_obj_get_info_by_fd(map.fd, &info, &len))
		die("%s", path);
	map.key_size = info.key_size;
	if (info.type != BPF_MAP_TYPE_HASH || info.key_size > MAX_KEY ||
	    info.value_size != sizeof(struct abi_entry)) {
		errno = EPROTO;
		die("%s", path);
	}
	if (flock(map.fd, LOCK_EX))
		die("%s: flock", path);
	return map;
}

static inline void abi_map__put(const struct abi_map *map, const struct abi_event *event,
				const struct abi_entry *entry)
{
	unsigned char key[MAX_KEY];

	event_key(event, key, map->key_size);
	if (bpf_map_update_elem(map->fd, key, entry, BPF_ANY))
		die("an entry for type %u config %llu", event->type,
		    (unsigned long long)event->config);
}

static inline __u32 link_id(int fd)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		die("the id of a link");
	return info.id;
}

static inline __u32 map_id(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		die("the id of a map");
	return info.id;
}

/* Loads a leader, gives it an event on each CPU that is online, and attaches it. */
static inline struct abi_leader abi_leader__start(const struct abi_event *event)
{
	struct abi_leader leader = { .skel = perf_abi_leader_bpf__open() };
	const int cpus = libbpf_num_possible_cpus();

	if (!leader.skel || bpf_map__set_max_entries(leader.skel->maps.events, cpus) ||
	    perf_abi_leader_bpf__load(leader.skel))
		die("cannot load a leader");
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		int fd = open_event(event, -1, cpu);

		if (bpf_map_update_elem(bpf_map__fd(leader.skel->maps.events), &cpu, &fd, BPF_ANY))
			die("the event of CPU %d", cpu);
		close(fd);
	}
	leader.link = bpf_program__attach(leader.skel->progs.on_switch);
	if (!leader.link)
		die("cannot attach a leader");
	leader.entry.link_id = link_id(bpf_link__fd(leader.link));
	leader.entry.diff_map_id = map_id(bpf_map__fd(leader.skel->maps.diff_readings));
	return leader;
}

/* Prints `ready` and waits for a signal. The BPF objects of the process end with the process. */
static inline void hold(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	puts("ready");
	fflush(stdout);
	while (sigwaitinfo(&signals, NULL) < 0)
		;
}

#endif
