// SPDX-License-Identifier: GPL-2.0-only
/* Finds the file that a specification names, and opens it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/regular-file.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope-library.h"
#include "util/machine/scope/scope-mapped.h"
#include "util/machine/scope/scope-search.h"
#include "util/machine/symbols/far-file.h"
#include "util/machine/task/exec-file.h"

struct opened {
	int read_fd;  /* for libelf; refers to the file or a copy of it */
	int probe_fd; /* for probes; refers to the file itself (O_PATH) */
	struct stat st;
	char path[PATH_MAX];
};

/*
 * If @path is absolute and env->pid is set, sets @root to the path of the root directory of the
 * process env->pid (/proc/PID/root). Otherwise, sets @root to "".
 */
static void root_of(const struct scope_env *env, const char *path, char *root, size_t size)
{
	*root = '\0';
	if (env->pid && *path == '/')
		snprintf(root, size, "%s/%d/root", sysroots__tasks(env->roots), env->pid);
}

/*
 * Opens the file of @request a second time, for probes, and sets opened->probe_fd. Returns 0,
 * -ESTALE if the path now refers to another file, or another -errno.
 */
static int open_to_probe(const struct far_request *request, struct opened *opened)
{
	int dir = AT_FDCWD, err = 0;
	struct stat st;

	if (*request->root)
		dir = open(request->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir == -1)
		return -errno;
	opened->probe_fd = regular_file__name(dir, request->path, FILE_FOLLOW, &st);
	if (opened->probe_fd < 0)
		err = opened->probe_fd;
	else if (!regular_file__same(&st, &opened->st))
		err = -ESTALE;
	if (err && opened->probe_fd >= 0)
		close(opened->probe_fd);
	if (dir >= 0)
		close(dir);
	return err;
}

/* Opens @path below @root. If @root is "", opens @path itself. */
static int open_path(const char *root, const char *path, struct opened *opened)
{
	struct far_request request = { .path = path, .links = FILE_FOLLOW, .is_read = true };
	struct far_file file;
	int err;

	snprintf(request.root, sizeof(request.root), "%s", root);
	if ((size_t)snprintf(opened->path, sizeof(opened->path), "%s%s", root, path) >=
	    sizeof(opened->path))
		return -ENAMETOOLONG;
	/*
	 * far_file__open() opens the file in a child process. If this succeeds, the file system is
	 * responding, so open_to_probe(), which opens the file in this process, does not block.
	 */
	err = far_file__open(&request, &file);
	if (err)
		return err;
	opened->read_fd = file.fd;
	opened->st = file.st;
	err = open_to_probe(&request, opened);
	if (err)
		close(file.fd);
	return err;
}

static bool is_for_this_machine(const GElf_Ehdr *header)
{
#ifdef __x86_64__
	return header->e_machine == EM_X86_64 || header->e_machine == EM_386;
#elif defined(__aarch64__)
	return header->e_machine == EM_AARCH64;
#else
	(void)header;
	return true;
#endif
}

/* Returns whether the file is an ELF file for the same architecture and word size as pstat. */
static bool is_own_class(const struct opened *opened)
{
	int fd = fcntl(opened->read_fd, F_DUPFD_CLOEXEC, 0);
	struct elf_file elf;
	bool is_own;

	if (fd < 0 || elf_file__open_fd(&elf, fd))
		return false;
	is_own = is_for_this_machine(&elf.header) &&
		 gelf_getclass(elf.elf) == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
	elf_file__close(&elf);
	return is_own;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- names without a slash ---- */

static bool ends_with_so(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && !strcmp(name + len - 3, ".so");
}

/*
 * @one and @other are paths of library files that match the user's word @name. Returns whether the
 * files are different versions of the same library. A file with exactly the name @name, or with no
 * version in its name (libz.so), does not count as a version, because it is usually a link to one
 * of the versions.
 */
static bool are_versions(const char *one, const char *other, const char *name)
{
	one = last_part(one);
	other = last_part(other);
	return strcmp(one, other) != 0 && strcmp(one, name) != 0 && strcmp(other, name) != 0 &&
	       !ends_with_so(one) && !ends_with_so(other);
}

/*
 * Refuses a name that matches several versions of a library, for example libcrypto.so.1.1 and
 * libcrypto.so.3. Returns -EINVAL.
 */
static int refuse_versions(const struct scope_search *search, const struct scope_word *word,
			   const char *one, const char *other)
{
	return scope_search__refuse(search, word->column, -EINVAL,
				    "'%s' matches several libraries: write %s or %s", word->text,
				    last_part(one), last_part(other));
}

/*
 * Opens the library with the name @word. Returns 0, -ENOENT if there is no such library, or another
 * -errno.
 */
static int open_library(const struct scope_search *search, const struct scope_word *word,
			struct opened *opened)
{
	struct library_paths found = { 0 };
	struct opened other;
	char root[64];
	int err, first = -1;

	root_of(search->env, "/", root, sizeof(root));
	err = scope_library__find(root, word->text, &found);
	for (int i = 0; i < found.nr && !err; i++) {
		if (open_path(root, found.paths[i], &other))
			continue;
		if (first < 0 && is_own_class(&other)) {
			first = i;
			*opened = other;
			continue;
		}
		if (first >= 0 && are_versions(found.paths[first], found.paths[i], word->text) &&
		    !regular_file__same(&other.st, &opened->st) && is_own_class(&other))
			err = refuse_versions(search, word, found.paths[first], found.paths[i]);
		close(other.read_fd);
		close(other.probe_fd);
	}
	if (err && first >= 0) {
		close(opened->read_fd);
		close(opened->probe_fd);
	}
	library_paths__free(&found);
	return err ?: first < 0 ? -ENOENT : 0;
}

static int open_command(const char *name, struct opened *opened)
{
	enum exec_change change;
	char path[PATH_MAX];
	int err = far_file__find_command(name, path, sizeof(path), &change);

	return err ?: open_path("", path, opened);
}

/* ---- all files ---- */

/*
 * Opens a file that the process env->pid has mapped. If @word is a path, finds the file only if it
 * was deleted or replaced after the process mapped it.
 */
static int open_replaced(const struct scope_search *search, const struct scope_word *word,
			 struct opened *opened)
{
	char path[PATH_MAX];
	int err;

	if (!search->env->pid)
		return -ENOENT;
	err = scope_mapped__find(search->env, word->text, path, sizeof(path));
	err = err ?: open_path("", path, opened);
	return err;
}

static int open_any(const struct scope_search *search, const struct scope_word *word,
		    struct opened *opened)
{
	char root[64];
	int err = open_replaced(search, word, opened);

	if (!err || err == -EINTR || err == -ENOMEM)
		return err;
	if (strchr(word->text, '/')) {
		root_of(search->env, word->text, root, sizeof(root));
		return open_path(root, word->text, opened);
	}
	err = open_library(search, word, opened);
	return err == -ENOENT ? open_command(word->text, opened) : err;
}

static int explain(const struct scope_search *search, const struct scope_word *word, int err)
{
	const struct scope_env *env = search->env;
	const char *name = word->text;

	if (err == -ENOENT && !strchr(name, '/'))
		return scope_search__refuse(search, word->column, err,
					    "there is no library and no command '%s'%s%s", name,
					    access(name, F_OK) ? "" : ": for the file, write ./",
					    access(name, F_OK) ? "" : name);
	if (err == -ENOENT && env->pid && *name == '/')
		return scope_search__refuse(search, word->column, err,
					    "process %d has no file '%s': its mount namespace can "
					    "differ from pstat's",
					    env->pid, name);
	if (err == -ENOENT)
		return scope_search__refuse(search, word->column, err, "there is no file '%s'",
					    name);
	if (err == -EACCES || err == -EPERM)
		return scope_search__refuse(search, word->column, err,
					    "the file '%s' cannot be read (%s): run pstat as root",
					    name, strerror(-err));
	return scope_search__refuse(search, word->column, err, "the file '%s' cannot be used: %s",
				    name, elf_file__strerror(err));
}

/* ---- scripts ---- */

/* The kernel reads a script's first line only up to this number of bytes (BINPRM_BUF_SIZE). */
#define FIRST_LINE 256

static bool is_env(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, "env");
}

/*
 * Returns the command that env(1) executes, or NULL if there is none. The command is the first
 * argument that is neither an option nor a variable assignment.
 */
static const char *command_of_env(char **rest)
{
	const char *word = strtok_r(NULL, " \t", rest);

	while (word && (*word == '-' || strchr(word, '=')))
		word = strtok_r(NULL, " \t", rest);
	return word;
}

/*
 * If the O_PATH file descriptor @named refers to a script, sets @name to the interpreter of the
 * script and returns true. The interpreter is the path in the first line or, if this is the path of
 * env(1), the command that env executes. Returns false if the file is not a script or cannot be
 * read, or if the name of the interpreter is missing, too long or not printable.
 */
static bool find_interpreter(int named, char *name, size_t size)
{
	char line[FIRST_LINE + 1], *rest = NULL;
	const char *word = NULL;
	int fd = regular_file__read_from(named);
	ssize_t len;

	if (fd < 0)
		return false;
	len = read(fd, line, FIRST_LINE);
	close(fd);
	line[len > 0 ? len : 0] = '\0';
	if (!strncmp(line, "#!", 2)) {
		line[strcspn(line, "\n")] = '\0';
		word = strtok_r(line + 2, " \t", &rest);
	}
	if (word && is_env(word))
		word = command_of_env(&rest);
	if (!word || strlen(word) >= size)
		return false;
	for (const char *at = word; *at; at++)
		if (!isprint((unsigned char)*at))
			return false;
	strcpy(name, word);
	return true;
}

/* Called if libelf cannot read a file that pstat has opened. Stores the reason. Returns @err. */
static int explain_content(const struct scope_search *search, const struct scope_word *word,
			   int err, int probe_fd)
{
	char interpreter[128];

	if (err != -ENOEXEC || !find_interpreter(probe_fd, interpreter, sizeof(interpreter)))
		return explain(search, word, err);
	return scope_search__refuse(search, word->column, err,
				    "the file '%s' is a script, which has no functions of its own\n"
				    "name its interpreter: %s",
				    word->text, interpreter);
}

static int add_file(struct scope_list *list, struct opened *opened)
{
	struct scope_file *more;

	for (int i = 0; i < list->nr_files; i++) {
		if (list->files[i].dev == opened->st.st_dev &&
		    list->files[i].inode == opened->st.st_ino) {
			close(opened->probe_fd);
			return i;
		}
	}
	more = reallocarray(list->files, (size_t)list->nr_files + 1, sizeof(*more));
	if (!more)
		goto error;
	list->files = more;
	more += list->nr_files;
	*more = (struct scope_file){ .path = strdup(opened->path),
				     .fd = opened->probe_fd,
				     .dev = opened->st.st_dev,
				     .inode = opened->st.st_ino };
	if (more->path)
		return list->nr_files++;
error:
	close(opened->probe_fd);
	return -ENOMEM;
}

int scope_target__open(struct scope_target *target, const struct scope_search *search,
		       const struct scope_word *word)
{
	struct opened opened;
	int err = open_any(search, word, &opened);

	*target = (struct scope_target){ .index = -1 };
	if (err)
		return explain(search, word, err);
	err = elf_file__open_fd(&target->elf, opened.read_fd);
	if (err) {
		err = explain_content(search, word, err, opened.probe_fd);
		close(opened.probe_fd);
		return err;
	}
	if (!is_for_this_machine(&target->elf.header)) {
		err = scope_search__refuse(search, word->column, -ENOEXEC,
					   "the file '%s' is for another architecture", word->text);
		close(opened.probe_fd);
	}
	if (!err) {
		target->index = add_file(search->list, &opened);
		err = target->index < 0 ? target->index : 0;
	}
	/*
	 * the last part of a path in /proc/PID/map_files is a range of addresses, so messages use
	 * the last part of the user's word instead
	 */
	if (!err)
		target->label = strdup(
			last_part(strstr(opened.path, "/map_files/") ? word->text : opened.path));
	if (!err && !target->label)
		err = -ENOMEM;
	if (err)
		scope_target__close(target);
	return err;
}

void scope_target__close(struct scope_target *target)
{
	elf_file__close(&target->elf);
	free(target->label);
}
