// SPDX-License-Identifier: GPL-2.0-only
/*
 * jit-loop: makes two functions at run time, as the JIT compilers of java and node do, and runs
 * them. Lists the functions in /tmp/perf-PID.map. If TURNS is 0, runs them until the process is
 * killed.
 *
 *	jit-loop TURNS [MAP]
 *	    runs four rounds of TURNS turns in the function "first", and 3 * TURNS in "second".
 *	    MAP changes the file:
 *	    none	writes no map
 *	    symlink	makes the map a link to /tmp/perf-PID.txt
 *	    fifo	makes the map a FIFO
 *	    fork	runs the functions in a child process
 *	    UID		gives the map to this user
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/workloads/spin.h"

/* One turn is two instructions, as in spin(). */
#if defined(__x86_64__)
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#else
static const unsigned int code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#endif

#define PAGE 4096

typedef void (*turns_fn)(unsigned long turns);

static turns_fn compile(char *at)
{
	turns_fn function;

	memcpy(at, code, sizeof(code));
	memcpy(&function, &at, sizeof(function));
	return function;
}

static void write_map(const char *first, const char *second, const char *kind)
{
	char path[64], target[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	snprintf(target, sizeof(target), "/tmp/perf-%d.txt", (int)getpid());
	if (!strcmp(kind, "none"))
		return;
	if (!strcmp(kind, "fifo") && mkfifo(path, 0600))
		exit(1);
	if (!strcmp(kind, "fifo"))
		return;
	if (!strcmp(kind, "symlink") && symlink(target, path))
		exit(1);
	file = fopen(path, "w");
	if (!file ||
	    fprintf(file, "%lx %zx jit first()\n%lx %zx jit;second\n", (unsigned long)first,
		    sizeof(code), (unsigned long)second, sizeof(code)) < 0 ||
	    fclose(file))
		exit(1);
	if (*kind >= '0' && *kind <= '9' &&
	    chown(path, (uid_t)parse_number("jit-loop", kind), (gid_t)-1))
		exit(1);
}

int main(int argc, char **argv)
{
	unsigned long turns = argc > 1 ? parse_number(argv[0], argv[1]) : 0;
	const char *kind = argc > 2 ? argv[2] : "";
	char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	turns_fn first, second;

	if (memory == MAP_FAILED)
		return 1;
	first = compile(memory);
	second = compile(memory + PAGE);
	__builtin___clear_cache(memory, memory + 2 * PAGE);
	write_map(memory, memory + PAGE, kind);
	if (!strcmp(kind, "fork") && fork())
		return wait(NULL) < 0;
	for (int i = 0; !turns || i < 4; i++) {
		first(turns ?: 1000000);
		second(3 * (turns ?: 1000000));
	}
	return 0;
}
