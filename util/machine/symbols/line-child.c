// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/line-child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/close-others.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/dwarf-lines.h"
#include "util/machine/symbols/line-reader.h"

#define NOBODY 65534

static void set_limit(__rlimit_resource_t what, rlim_t limit)
{
	struct rlimit now;

	if (getrlimit(what, &now))
		return;
	if (now.rlim_max == RLIM_INFINITY || now.rlim_max > limit)
		setrlimit(what, &(struct rlimit){ limit, limit });
}

static rlim_t address_space_now(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (file) {
		if (fscanf(file, "%llu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/*
 * Closes all other descriptors. The child keeps none of its parent's counters and maps, and
 * discards what libdw prints.
 */
static void keep_only(const struct dwarf_files *files, int socket)
{
	const int kept[] = { socket, files->file, files->debug, files->common };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	close_others(3, kept, sizeof(kept) / sizeof(kept[0]));
}

/* Afterwards, the child cannot open files, because its limit of descriptors is 0. */
static void give_up_privileges(rlim_t address_space)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	set_limit(RLIMIT_AS, address_space);
	set_limit(RLIMIT_CPU, LINE_READER_CPU_SECONDS);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_NOFILE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/*
	 * in a user namespace that does not map these ids, the child keeps its user, but loses its
	 * capabilities
	 */
	if (!geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(0); /* do not continue with the user id of root and the group id of nobody */
	syscall(SYS_capset, &header, none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static void send_all(int socket, const void *data, size_t size)
{
	for (size_t sent = 0; sent < size;) {
		ssize_t n = write(socket, (const char *)data + sent, size - sent);

		if (n <= 0)
			_exit(0);
		sent += (size_t)n;
	}
}

static void reply(int socket, int err, const struct source_line *line)
{
	size_t len = !err ? strlen(line->file) : 0;
	struct line_reply said = { .err = err			       ?:
						  len < LINE_PATH_SIZE ? err :
									 -1,
				   .line = line->line };

	said.len = said.err ? 0 : (uint32_t)len;
	send_all(socket, &said, sizeof(said));
	send_all(socket, line->file, said.len);
}

_Noreturn void line_child__run(struct dwarf_files *files, int socket)
{
	rlim_t room = address_space_now() + LINE_READER_MEMORY + dwarf_files__size(files);
	struct source_line line = { .file = "lines", .line = 1 };
	struct dwarf_lines *lines;
	uint64_t address;
	int err;

	keep_only(files, socket);
	give_up_privileges(room);
	err = dwarf_lines__open(files, &lines);
	while (err != -ENOMEM) {
		reply(socket, err, &line);
		if (read(socket, &address, sizeof(address)) != sizeof(address))
			_exit(0);
		err = dwarf_lines__find(lines, address, &line);
	}
	_exit(LINE_CHILD_NO_MEMORY);
}
