// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault-run SECONDS COMMAND...: runs COMMAND, and kills it if it has not ended after SECONDS. Then
 * prints its results, and what it left behind, on standard output:
 *
 *	end STATUS
 *	    the exit status, the negative number of the signal that ended COMMAND, or "never"
 *	out BYTES, err BYTES
 *	    each followed by the BYTES bytes that COMMAND wrote to standard output or standard error
 *	left WHAT
 *	    a process that COMMAND started and that still exists; or a new BPF program, map or
 *	    link, or a new path below /sys/fs/bpf
 *
 * The kernel frees unused BPF objects after a delay, so fault-run waits up to 3 s for them to
 * disappear. The standard input of COMMAND is empty. While fault-run runs, other processes must not
 * load or pin BPF programs.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_IDS 4096
#define GRACE_MS 3000 /* the time that the kernel gets to free BPF objects */
#define PROCESS_GRACE_MS 200
#define POLL_MS 2

static const struct kind {
	const char *name;
	int (*next)(__u32 id, __u32 *next);
} kinds[] = {
	{ "prog", bpf_prog_get_next_id },
	{ "map", bpf_map_get_next_id },
	{ "link", bpf_link_get_next_id },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct ids {
	int nr;
	__u32 ids[MAX_IDS]; /* ascending */
};

static void die(const char *what)
{
	fprintf(stderr, "fault-run: %s: %s\n", what, strerror(errno));
	exit(126);
}

static void sleep_ms(long ms)
{
	const struct timespec length = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&length, NULL);
}

/* ---- BPF objects ---- */

static void list_ids(const struct kind *kind, struct ids *ids)
{
	__u32 id = 0;

	ids->nr = 0;
	while (!kind->next(id, &id)) {
		if (ids->nr == MAX_IDS) {
			errno = E2BIG;
			die(kind->name);
		}
		ids->ids[ids->nr++] = id;
	}
	if (errno != ENOENT)
		die(kind->name);
}

static bool has(const struct ids *ids, __u32 id)
{
	for (int i = 0; i < ids->nr; i++)
		if (ids->ids[i] == id)
			return true;
	return false;
}

/* Returns the number of objects that are not in @before. With @print, prints them. */
static int count_new(const struct kind *kind, const struct ids *before, bool print)
{
	struct ids now;
	int nr = 0;

	list_ids(kind, &now);
	for (int i = 0; i < now.nr; i++) {
		if (has(before, now.ids[i]))
			continue;
		nr++;
		if (print)
			printf("left %s %u\n", kind->name, now.ids[i]);
	}
	return nr;
}

static int count_all_new(const struct ids *before, bool print)
{
	int nr = 0;

	for (size_t i = 0; i < NR_KINDS; i++)
		nr += count_new(&kinds[i], &before[i], print);
	return nr;
}

/* ---- pins: text with one path per line ---- */

static void list_pins(const char *folder, char **text)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[1024], *more;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (asprintf(&more, "%s%s\n", *text, path) < 0)
			die("memory");
		free(*text);
		*text = more;
		if (entry->d_type == DT_DIR)
			list_pins(path, text);
	}
	if (dir)
		closedir(dir);
}

static char *pins(void)
{
	char *text = strdup("\n");

	if (!text)
		die("memory");
	list_pins("/sys/fs/bpf", &text);
	return text;
}

static void print_new_pins(const char *before)
{
	char *now = pins(), line[1026];

	for (char *path = now + 1, *end; (end = strchr(path, '\n')); path = end + 1) {
		snprintf(line, sizeof(line), "\n%.*s\n", (int)(end - path), path);
		if (!strstr(before, line))
			printf("left pin %.*s\n", (int)(end - path), path);
	}
	free(now);
}

/* ---- the command ---- */

static int temporary_file(void)
{
	FILE *file = tmpfile();

	if (!file)
		die("a temporary file");
	return fileno(file);
}

static void print_file(const char *name, int fd)
{
	struct stat st;
	char buffer[4096];
	ssize_t n;

	if (fstat(fd, &st) || lseek(fd, 0, SEEK_SET))
		die(name);
	printf("%s %lld\n", name, (long long)st.st_size);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, (size_t)n, stdout);
}

static pid_t start(char **command, int out, int err)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	if (dup2(open("/dev/null", O_RDONLY), 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	execvp(command[0], command);
	_exit(127);
}

/* Waits at most @ms for the end of the process. If it has not ended, kills it and returns false. */
static bool wait_for(pid_t pid, long ms, int *status)
{
	for (; ms > 0; ms -= POLL_MS) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		sleep_ms(POLL_MS);
	}
	kill(pid, SIGKILL);
	waitpid(pid, status, 0);
	return false;
}

/*
 * Prints and kills processes that the command has left behind. They are children of this process,
 * because it is their subreaper (see prctl(2)).
 */
static void end_orphans(void)
{
	char path[64], line[512];
	int pid, status;
	FILE *file;

	for (long ms = PROCESS_GRACE_MS; ms > 0; ms -= POLL_MS) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return;
		sleep_ms(POLL_MS);
	}
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	file = fopen(path, "re");
	if (!file)
		die(path);
	while (fscanf(file, "%d", &pid) == 1) {
		FILE *name;

		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		name = fopen(path, "re");
		if (name && fgets(line, sizeof(line), name))
			printf("left process %s", line);
		if (name)
			fclose(name);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	static struct ids before[NR_KINDS];
	char *pinned;
	int out, err, status = 0;
	bool ended;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "Usage: fault-run SECONDS COMMAND [ARG...]\n");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (size_t i = 0; i < NR_KINDS; i++)
		list_ids(&kinds[i], &before[i]);
	pinned = pins();
	out = temporary_file();
	err = temporary_file();

	pid = start(argv + 2, out, err);
	ended = wait_for(pid, atol(argv[1]) * 1000, &status);
	if (!ended)
		printf("end never\n");
	else
		printf("end %d\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
	print_file("out", out);
	print_file("err", err);
	end_orphans();
	for (long ms = GRACE_MS; ms > 0 && count_all_new(before, false); ms -= POLL_MS)
		sleep_ms(POLL_MS);
	count_all_new(before, true);
	print_new_pins(pinned);
	free(pinned);
	return 0;
}
