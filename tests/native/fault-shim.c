// SPDX-License-Identifier: GPL-2.0-only
/*
 * This library is preloaded into pstat. With FAULT=FUNCTION:N:ERRNO, it makes the N-th call of
 * FUNCTION fail with the number ERRNO. Without FAULT, it only records the calls. When pstat ends,
 * the library writes these lines to the file that FAULT_LOG names:
 *
 *	call FUNCTION SITE
 *	    without FAULT: each call, in order. SITE is the name of the program or library that
 *	    made the call, and the offset of the return address in it
 *	kept SITE BYTES
 *	    memory of BYTES bytes that was allocated at SITE and never freed
 *
 * It writes these lines immediately, because the process may then end:
 *
 *	failed FUNCTION SITE
 *	crash SIGNAL
 *	frame SITE FUNCTION
 *	    a frame of the stack at the time of the crash, the innermost frame first. FUNCTION is
 *	    "-" if the function has no dynamic symbol
 *
 * With FAULT_FORK_US=N, the parent sleeps for N microseconds after each fork, so that the child
 * runs first.
 *
 * The shim sees calls that pstat, libbpf and other libraries make through a dynamic symbol. Except
 * for malloc and similar functions, the shim does not see calls inside libc, such as a read by
 * fgets or a write by fflush. Therefore, the shim also wraps fopen, fwrite and similar functions.
 * The command that pstat runs is not affected.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/preload.h"

#define MAX_CALLS (1 << 18)
#define KEPT_SLOTS (1 << 19) /* must be a power of two */
#define MAX_OBJECTS 64

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *ptr, size_t size);
void __libc_free(void *ptr);

struct object {
	uintptr_t start, end;
	char name[32]; /* the file name without its folder; pstat's own is "" */
};

struct call {
	const char *function;
	uintptr_t site;
};

struct kept {
	void *ptr; /* NULL: the slot was never used; KEPT_GONE: the memory was freed */
	uintptr_t site;
	size_t size;
};

#define KEPT_GONE ((void *)1)

static struct object objects[MAX_OBJECTS];
static int nr_objects;
static struct call calls[MAX_CALLS];
static int nr_calls;
static struct kept kept[KEPT_SLOTS];
static char log_path[4096];
static char fault_function[64];
static long fault_at;
static int fault_errno;
static bool active;

static void append(const char *text)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, log_path,
			      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	syscall(SYS_write, fd, text, strlen(text));
	syscall(SYS_close, fd);
}

static const struct object *object_of(uintptr_t site)
{
	for (int i = 0; i < nr_objects; i++)
		if (site >= objects[i].start && site < objects[i].end)
			return &objects[i];
	return NULL;
}

static void format_site(uintptr_t site, char *text, size_t size)
{
	const struct object *object = object_of(site);

	snprintf(text, size, "%s+0x%lx",
		 object && object->name[0] ? object->name :
		 object			   ? "pstat" :
					     "?",
		 object ? site - object->start : site);
}

static bool is_of_pstat(void *return_address)
{
	const struct object *object = object_of((uintptr_t)return_address);

	return object && !object->name[0];
}

/* Records a call. Returns true, and sets errno, if the call must fail. */
static bool fails(const char *function, void *return_address)
{
	uintptr_t site = (uintptr_t)return_address;
	static long seen;
	char text[160], where[80];

	if (!active)
		return false;
	if (nr_calls < MAX_CALLS)
		calls[nr_calls++] = (struct call){ function, site };
	if (!fault_at || strcmp(function, fault_function) || ++seen != fault_at)
		return false;
	active = false; /* do not record the calls that snprintf() makes */
	format_site(site, where, sizeof(where));
	snprintf(text, sizeof(text), "failed %s %s\n", function, where);
	append(text);
	active = true;
	errno = fault_errno;
	return true;
}

#define HERE __builtin_return_address(0)

/* ---- memory: allocations that remain are identified by their address ---- */

static size_t slot_of(const void *ptr)
{
	return ((uintptr_t)ptr >> 4) * 0x9e3779b97f4a7c15ull >> 20 & (KEPT_SLOTS - 1);
}

static void *keep(void *ptr, size_t size, void *return_address)
{
	size_t slot = slot_of(ptr);

	if (!active || !ptr)
		return ptr;
	while (kept[slot].ptr && kept[slot].ptr != KEPT_GONE)
		slot = (slot + 1) & (KEPT_SLOTS - 1);
	kept[slot] = (struct kept){ ptr, (uintptr_t)return_address, size };
	return ptr;
}

static void forget(const void *ptr)
{
	for (size_t slot = slot_of(ptr); ptr && kept[slot].ptr;
	     slot = (slot + 1) & (KEPT_SLOTS - 1)) {
		if (kept[slot].ptr == ptr) {
			kept[slot].ptr = KEPT_GONE;
			return;
		}
	}
}

void *malloc(size_t size)
{
	return fails("malloc", HERE) ? NULL : keep(__libc_malloc(size), size, HERE);
}

void *calloc(size_t nr, size_t size)
{
	return fails("calloc", HERE) ? NULL : keep(__libc_calloc(nr, size), nr * size, HERE);
}

void *realloc(void *ptr, size_t size)
{
	void *moved = fails("realloc", HERE) ? NULL : __libc_realloc(ptr, size);

	if (!moved)
		return NULL;
	forget(ptr);
	return keep(moved, size, HERE);
}

void free(void *ptr)
{
	forget(ptr);
	__libc_free(ptr);
}

static char *copy(const char *text, size_t len, void *return_address)
{
	char *own = keep(__libc_malloc(len + 1), len + 1, return_address);

	if (own) {
		memcpy(own, text, len);
		own[len] = '\0';
	}
	return own;
}

char *strdup(const char *text)
{
	return fails("strdup", HERE) ? NULL : copy(text, strlen(text), HERE);
}

char *strndup(const char *text, size_t max)
{
	return fails("strndup", HERE) ? NULL : copy(text, strnlen(text, max), HERE);
}

/* ---- system calls ---- */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool answer_syscall(long number, const long *arg, void *caller, long *result)
{
	const char *name = number == SYS_bpf		 ? "bpf" :
			   number == SYS_perf_event_open ? "perf_event_open" :
							   "syscall";

	(void)arg;
	*result = -1;
	return fails(name, caller);
}

/* A fault with ERRNO 0 is a short write: only half of the bytes are written. */
ssize_t write(int fd, const void *bytes, size_t len)
{
	static ssize_t (*real)(int, const void *, size_t);
	bool fault = fails("write", HERE);

	if (fault && fault_errno)
		return -1;
	if (!real)
		real = REAL(write);
	return real(fd, bytes, fault && len > 1 ? len / 2 : len);
}

/* Also closes the file if a fault is returned. */
int fclose(FILE *file)
{
	static int (*real)(FILE *);
	bool fault = fails("fclose", HERE);
	int err;

	if (!real)
		real = REAL(fclose);
	err = real(file);
	if (!fault)
		return err;
	errno = fault_errno;
	return EOF;
}

/* Records no calls of the child process, because the child runs the command. */
int fork(void)
{
	static int (*real)(void);
	int pid;

	if (fails("fork", HERE))
		return -1;
	if (!real)
		real = (int (*)(void))dlsym(RTLD_NEXT, "fork");
	pid = real();
	if (!pid)
		active = false;
	else if (getenv("FAULT_FORK_US"))
		usleep((useconds_t)strtoul(getenv("FAULT_FORK_US"), NULL, 10));
	return pid;
}

/*
 * Wrappers of functions that have a fixed number of arguments. A wrapper needs the return type, the
 * value to return on a fault, the name of the function, its parameters, and the arguments to pass
 * on.
 */
#define WRAP_IF(condition, ret, failure, name, types, args)           \
	ret wrapped_##name types __asm__(#name);                      \
	ret wrapped_##name types                                      \
	{                                                             \
		static ret(*real) types;                              \
                                                                      \
		if ((condition) && fails(#name, HERE))                \
			return failure;                               \
		if (!real)                                            \
			real = (ret(*) types)dlsym(RTLD_NEXT, #name); \
		return real args;                                     \
	}
#define WRAP(ret, failure, name, types, args) WRAP_IF(true, ret, failure, name, types, args)
#define WRAP_INT(name, types, args) WRAP(int, -1, name, types, args)
#define WRAP_PTR(name, types, args) WRAP(void *, NULL, name, types, args)
#define WRAP_SIZE(name, types, args) WRAP(long, -1, name, types, args)
/*
 * Fails only calls that pstat itself makes. A library can know that a call to another library
 * cannot fail, and calls inside libraries have their own tests.
 */
#define WRAP_OWN(ret, failure, name, types, args) \
	WRAP_IF(is_of_pstat(HERE), ret, failure, name, types, args)

/* Functions that read or write a stream, and set the error flag of the stream on failure. */
#define WRAP_FILE(ret, failure, name, types, args, file)              \
	ret wrapped_##name types __asm__(#name);                      \
	ret wrapped_##name types                                      \
	{                                                             \
		static ret(*real) types;                              \
                                                                      \
		if (fails(#name, HERE)) {                             \
			if (file)                                     \
				(file)->_flags |= STREAM_ERROR;       \
			return failure;                               \
		}                                                     \
		if (!real)                                            \
			real = (ret(*) types)dlsym(RTLD_NEXT, #name); \
		return real args;                                     \
	}
#define STREAM_ERROR 0x20 /* glibc's _IO_ERR_SEEN, which ferror() reads */
#include "fault-calls.h"

static int add_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	struct object *object = &objects[nr_objects];

	(void)size;
	(void)unused;
	if (nr_objects == MAX_OBJECTS)
		return 0;
	object->start = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		object->start = start < object->start ? start : object->start;
		object->end = start + part->p_memsz > object->end ? start + part->p_memsz :
								    object->end;
	}
	snprintf(object->name, sizeof(object->name), "%s", slash ? slash + 1 : info->dlpi_name);
	nr_objects++;
	return 0;
}

/* ---- crashes ---- */

#define MAX_FRAMES 64

static void write_frame(void *address)
{
	char text[200], where[80];
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
	    !info.dli_sname || (char *)address > (char *)info.dli_saddr + symbol->st_size)
		info.dli_sname = "-";
	format_site((uintptr_t)address, where, sizeof(where));
	snprintf(text, sizeof(text), "frame %s %s\n", where, info.dli_sname);
	append(text);
}

static void tell_crash(int number)
{
	void *frames[MAX_FRAMES];
	char text[32];
	int nr;

	active = false;
	snprintf(text, sizeof(text), "crash %d\n", number);
	append(text);
	nr = backtrace(frames, MAX_FRAMES);
	for (int i = 0; i < nr; i++)
		write_frame(frames[i]);
	raise(number); /* the signal takes its default effect when this handler returns */
}

static void handle_crashes(void)
{
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	struct sigaction action = { .sa_handler = tell_crash, .sa_flags = (int)SA_RESETHAND };
	void *frame;

	backtrace(&frame, 1); /* the first call loads a library */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

static void __attribute__((constructor)) begin(void)
{
	const char *path = getenv("FAULT_LOG"), *fault = getenv("FAULT"),
		   *at = fault ? strchr(fault, ':') : NULL;

	if (!path)
		return;
	snprintf(log_path, sizeof(log_path), "%s", path);
	if (at && (size_t)(at - fault) < sizeof(fault_function)) {
		memcpy(fault_function, fault, (size_t)(at - fault));
		if (sscanf(at, ":%ld:%d", &fault_at, &fault_errno) != 2)
			abort();
	}
	unsetenv("FAULT_LOG");
	unsetenv("FAULT");
	unsetenv("LD_PRELOAD");
	handle_crashes();
	dl_iterate_phdr(add_object, NULL);
	active = true;
}

static void __attribute__((destructor)) end(void)
{
	char where[80];
	FILE *log;

	if (!active)
		return;
	active = false;
	log = fopen(log_path, "ae");
	if (!log)
		return;
	for (int i = 0; i < nr_calls && !fault_at; i++) {
		format_site(calls[i].site, where, sizeof(where));
		fprintf(log, "call %s %s\n", calls[i].function, where);
	}
	for (int i = 0; i < KEPT_SLOTS; i++) {
		if (!kept[i].ptr || kept[i].ptr == KEPT_GONE)
			continue;
		format_site(kept[i].site, where, sizeof(where));
		fprintf(log, "kept %s %zu\n", where, kept[i].size);
	}
	fclose(log);
}
