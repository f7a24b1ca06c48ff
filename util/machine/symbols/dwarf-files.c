// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/dwarf-files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/far-file.h"

#define LINK_SECTION ".gnu_debugaltlink"
#define LINK_SIZE (PATH_MAX + 64) /* a path, a NUL and a build id */

/* The content of LINK_SECTION. */
struct common_link {
	char path[PATH_MAX];
	struct build_id id;
};

static bool parse_link(const Elf_Data *data, struct common_link *link)
{
	size_t len = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0;
	size_t id_len = data && len < data->d_size ? data->d_size - len - 1 : 0;

	if (!len || len >= sizeof(link->path) || id_len < 2)
		return false;
	memcpy(link->path, data->d_buf, len + 1);
	link->id = (struct build_id){ .len = id_len < BUILD_ID_SIZE ? (uint8_t)id_len :
								      BUILD_ID_SIZE };
	memcpy(link->id.bytes, (const char *)data->d_buf + len + 1, link->id.len);
	return true;
}

static Elf_Scn *find_section(const struct elf_file *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	struct elf_names names;
	size_t at;

	if (elf_getshdrstrndx(elf->elf, &at) || elf_file__names(elf, (GElf_Word)at, &names))
		return NULL;
	while ((section = elf_nextscn(elf->elf, section)))
		if (gelf_getshdr(section, header) && header->sh_name < names.size &&
		    !strcmp(names.text + header->sh_name, name))
			return section;
	return NULL;
}

static bool find_link(const struct elf_file *elf, struct common_link *link)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, LINK_SECTION, &header);

	return section && parse_link(elf_file__content(section, &header, LINK_SIZE), link);
}

static bool read_link(int fd, struct common_link *link)
{
	int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	struct elf_file elf;
	bool found;

	if (copy < 0 || elf_file__open_fd(&elf, copy))
		return false;
	found = find_link(&elf, link);
	elf_file__close(&elf);
	return found;
}

/*
 * Opens the common file that @link refers to. @of is the path of the file that contains the link,
 * or "" if the path is unknown. A relative path in @link is interpreted relative to the directory
 * of @of. Returns a descriptor, or -1.
 */
static int open_common(const struct common_link *link, const char *of, const char *debug_dirs)
{
	struct far_request request = { .dirs = debug_dirs, .is_read = true };
	char path[2 * PATH_MAX];
	const char *slash = strrchr(of, '/');
	struct far_file file;

	if (*link->path == '/')
		snprintf(path, sizeof(path), "%s", link->path);
	else if (slash)
		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - of), of, link->path);
	else
		return -1;
	request.path = path;
	if (!*debug_dirs || far_file__open(&request, &file))
		return -1;
	if (build_id__is_set(&file.id) && build_id__equal(&file.id, &link->id))
		return file.fd;
	close(file.fd);
	return -1;
}

void dwarf_files__open(struct dwarf_files *files, int fd, const struct build_id *id,
		       const char *debug_dirs)
{
	char debug[PATH_MAX] = "";
	struct common_link link;

	*files = (struct dwarf_files)DWARF_FILES_INIT;
	files->file = fd;
	files->debug = far_file__open_debug(id, debug_dirs, debug, sizeof(debug));
	if (files->debug < 0) {
		files->debug = -1;
		*debug = '\0';
	}
	if (read_link(files->debug >= 0 ? files->debug : fd, &link))
		files->common = open_common(&link, debug, debug_dirs);
}

static bool has_lines(int fd)
{
	int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	struct elf_file elf;
	GElf_Shdr header;
	bool found;

	if (copy < 0 || elf_file__open_fd(&elf, copy))
		return false;
	found = find_section(&elf, ".debug_line", &header) ||
		find_section(&elf, ".zdebug_line", &header);
	elf_file__close(&elf);
	return found;
}

bool dwarf_files__have_lines(const struct dwarf_files *files)
{
	return has_lines(files->debug) || has_lines(files->file);
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

void dwarf_files__close(struct dwarf_files *files)
{
	close_one(files->file);
	close_one(files->debug);
	close_one(files->common);
	*files = (struct dwarf_files)DWARF_FILES_INIT;
}

static uint64_t size_of(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

uint64_t dwarf_files__size(const struct dwarf_files *files)
{
	return size_of(files->file) + size_of(files->debug) + size_of(files->common);
}
