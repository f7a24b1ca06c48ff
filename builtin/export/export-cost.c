// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the programs through the open files of this process, which are programs or links that hold
 * programs. This includes programs that are shared with other sessions.
 */
#include "builtin/export/export-cost.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/subjects.h"
#include "util/machine/bpf/bpf-prog-facts.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/report/export/export-report.h"

/* Returns the id of the program that an open file of this process belongs to, or 0. */
static uint32_t prog_of_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char text[1024];
	const char *line;
	ssize_t len;

	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	line = strstr(text, "\nprog_id:");
	return line ? (uint32_t)strtoul(line + strlen("\nprog_id:"), NULL, 10) : 0;
}

static bool has(const struct export_own *own, uint32_t id)
{
	for (int i = 0; i < own->nr_bpf; i++)
		if (own->bpf[i].id == id)
			return true;
	return false;
}

static void add(struct export_own *own, uint32_t id)
{
	struct strbuf why = STRBUF_INIT;
	struct bpf_prog_info info = { 0 };
	struct export_bpf *bigger;
	struct bpf_prog *prog = NULL;

	if (!bpf_prog__peek(id, &prog, &why) && !bpf_prog__read_info(prog->fd, &info)) {
		bigger = reallocarray(own->bpf, (size_t)own->nr_bpf + 1, sizeof(*bigger));
		if (bigger) {
			own->bpf = bigger;
			bigger[own->nr_bpf] = (struct export_bpf){ .id = id,
								   .ns = info.run_time_ns,
								   .runs = info.run_cnt };
			snprintf(bigger[own->nr_bpf].labels, sizeof(bigger->labels),
				 "id=\"%u\",name=\"%s\"", id, prog->cut_name);
			own->nr_bpf++;
		}
	}
	bpf_prog__close(prog);
	strbuf__free(&why);
}

/* pstat -b also holds the programs that it counts. */
static bool is_counted(const struct subjects *subjects, uint32_t id)
{
	for (int i = 0; subjects && subjects->kind == &subject_prog && i < subjects->nr; i++)
		if (subjects->list[i].id == id)
			return true;
	return false;
}

void export_cost__read(struct export_own *own, const struct subjects *subjects)
{
	const struct dirent *entry;
	DIR *dir;

	own->nr_bpf = 0;
	if (!bpf_prog_facts__are_kept(sysroots__host()))
		return;
	dir = opendir("/proc/self/fdinfo");
	while (dir && (entry = readdir(dir))) {
		uint32_t id = *entry->d_name == '.' ? 0 : prog_of_file(dirfd(dir), entry->d_name);

		if (id && !has(own, id) && !is_counted(subjects, id))
			add(own, id);
	}
	if (dir)
		closedir(dir);
}
