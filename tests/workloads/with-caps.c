// SPDX-License-Identifier: GPL-2.0-only
/*
 * with-caps CAPS COMMAND...: runs COMMAND with only these capabilities, for machines that lack
 * setpriv(1).
 *
 *	with-caps bpf,perfmon COMMAND	as an ordinary user (nobody) with these capabilities
 *	with-caps all-sys_admin COMMAND	as the calling user, with all capabilities except those
 *					after each `-`
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534
#define LAST_CAP 63

static const struct {
	const char *name;
	int number;
} names[] = {
	{ "dac_override", CAP_DAC_OVERRIDE },
	{ "dac_read_search", CAP_DAC_READ_SEARCH },
	{ "sys_ptrace", CAP_SYS_PTRACE },
	{ "sys_admin", CAP_SYS_ADMIN },
	{ "sys_resource", CAP_SYS_RESOURCE },
	{ "perfmon", CAP_PERFMON },
	{ "bpf", CAP_BPF },
	{ "syslog", CAP_SYSLOG },
};

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "with-caps: %s: %s\n", what, strerror(errno));
	exit(126);
}

static __u64 parse_caps(char *text, const char *separator)
{
	__u64 caps = 0;

	for (char *name = strtok(text, separator); name; name = strtok(NULL, separator)) {
		size_t i;

		for (i = 0; i < sizeof(names) / sizeof(names[0]) && strcmp(names[i].name, name);
		     i++)
			;
		if (i == sizeof(names) / sizeof(names[0])) {
			errno = EINVAL;
			die(name);
		}
		caps |= 1ULL << names[i].number;
	}
	return caps;
}

/* Removes all other capabilities from the bounding set, so that the command cannot get them. */
static void bound(__u64 caps)
{
	for (int cap = 0; cap <= LAST_CAP; cap++)
		if (!(caps >> cap & 1) && prctl(PR_CAPBSET_DROP, cap) && errno != EINVAL)
			die("cannot drop a capability");
}

/* Becomes an ordinary user who keeps @caps over an exec. */
static void become_nobody(__u64 caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		die("cannot become nobody");
	for (int i = 0; i < 2; i++)
		data[i].permitted = data[i].effective = data[i].inheritable =
			(__u32)(caps >> 32 * i);
	if (syscall(SYS_capset, &header, data))
		die("cannot set capabilities");
	for (int cap = 0; cap <= LAST_CAP; cap++)
		if (caps >> cap & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0))
			die("cannot pass a capability on");
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "Usage: with-caps CAP,CAP...|all-CAP-CAP... COMMAND...\n");
		return 2;
	}
	if (!strncmp(argv[1], "all-", 4)) {
		bound(~parse_caps(argv[1] + 4, "-"));
	} else {
		__u64 caps = parse_caps(argv[1], ",");

		bound(caps);
		become_nobody(caps);
	}
	execvp(argv[2], argv + 2);
	die(argv[2]);
}
