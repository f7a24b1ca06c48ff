// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/export/export-pages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/export/export-options.h"
#include "builtin/stat/stat-report.h"
#include "builtin/version.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/measurement.h"
#include "util/count/subjects.h"
#include "util/machine/bpf/bpf-prog-facts.h"
#include "util/machine/bpf/bpf-prog-type.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpuid.h"
#include "util/report/export/export-report.h"
#include "util/report/export/metric-page.h"

struct export_pages {
	struct stat_report *report;
	struct export_report *er;
	struct metric_page page;
	struct export_own own;
	struct strbuf model;
	uint64_t time_ns;
	/* empty: not made since the last update, or given away by export_pages__take_text() */
	struct strbuf texts[METRIC_FORMAT_NR];
};

/*
 * Implements export_config.find_prog: stores the type and the tag of the program @id. Leaves both
 * empty if the program cannot be opened, for example because it has been unloaded.
 */
static void find_prog(uint32_t id, struct export_prog *prog)
{
	struct strbuf why = STRBUF_INIT, type = STRBUF_INIT;
	struct bpf_prog *found = NULL;

	if (!bpf_prog__peek(id, &found, &why)) {
		bpf_prog_type__add_name(found->type, &type);
		snprintf(prog->type, sizeof(prog->type), "%s", type.text);
		for (int i = 0; i < BPF_PROG_TAG_SIZE; i++)
			snprintf(prog->tag + 2 * i, 3, "%02x", found->tag[i]);
		bpf_prog__close(found);
	}
	strbuf__free(&type);
	strbuf__free(&why);
}

/*
 * Adds the CPU models to @model. They are exported because cycles per instruction can be compared
 * only between CPUs of the same model.
 */
static void read_model(struct strbuf *model)
{
	struct cpuid ids[CPUID_MODELS_MAX];
	int nr = cpuid__read(sysroots__host(), ids, CPUID_MODELS_MAX);

	for (int i = 0; i < nr; i++)
		strbuf__addf(model, "%s%s", i ? " " : "", ids[i].text);
	if (!nr)
		strbuf__adds(model, "unknown");
}

/*
 * The file @name in the directory @dir (/proc/self/fdinfo) describes one of pstat's fds. If the fd
 * refers to a BPF program, or to a BPF link that attaches a program, returns the id of the program.
 * Otherwise, returns 0.
 */
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

static bool has_cost(const struct export_own *own, uint32_t id)
{
	for (int i = 0; i < own->nr_bpf; i++)
		if (own->bpf[i].id == id)
			return true;
	return false;
}

static void add_cost(struct export_own *own, uint32_t id)
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

/*
 * Returns whether the program @id is a target of -b. pstat has fds of its targets and of its own
 * programs, but the run time of the targets is not a cost of pstat.
 */
static bool is_counted(const struct subjects *subjects, uint32_t id)
{
	for (int i = 0; subjects && subjects->kind == &subject_prog && i < subjects->nr; i++)
		if (subjects->list[i].id == id)
			return true;
	return false;
}

/*
 * Stores the run times of pstat's own BPF programs. The times show, for example, what pstat costs
 * per context switch. Finds the programs, including those that this session shares with other
 * sessions, through the fds of this process that refer to BPF programs or links. Stores no times if
 * the kernel does not measure them (kernel.bpf_stats_enabled is 0), or if pstat cannot read them.
 */
static void read_costs(struct export_own *own, const struct subjects *subjects)
{
	const struct dirent *entry;
	DIR *dir;

	own->nr_bpf = 0;
	if (!bpf_prog_facts__are_kept(sysroots__host()))
		return;
	dir = opendir("/proc/self/fdinfo");
	while (dir && (entry = readdir(dir))) {
		uint32_t id = *entry->d_name == '.' ? 0 : prog_of_file(dirfd(dir), entry->d_name);

		if (id && !has_cost(own, id) && !is_counted(subjects, id))
			add_cost(own, id);
	}
	if (dir)
		closedir(dir);
}

static uint64_t time_of_day(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/*
 * Returns whether @cgroup still exists, or true if this is unknown. A new cgroup of the same name
 * is not @cgroup: it has another id.
 */
static bool has_cgroup(const struct cgroup_mount *mount, const struct cgroup *cgroup)
{
	uint64_t id = 0;
	int err = cgroup__find_id(mount, cgroup->name, &id);

	return err ? err != -ENOENT : id == cgroup->id;
}

/*
 * Implements export_config.exists: returns whether @subject still exists. @ctx is a struct
 * stat_config.
 */
static bool exists(const void *ctx, const struct subjects *subjects, const struct subject *subject)
{
	const struct stat_config *cfg = ctx;
	uint32_t next = 0;

	if (subject->cgroup && !has_cgroup(cfg->cgroup_mount, subject->cgroup))
		return false;
	if (subjects->kind == &subject_prog && subject->id)
		return !bpf_prog__next_id((uint32_t)subject->id - 1, &next) && next == subject->id;
	return subjects->kind != &subject_thread || !kill(subject->tid, 0) || errno != ESRCH;
}

int export_pages__new(const struct export_options *options, struct export_pages **out)
{
	struct export_pages *pages = calloc(1, sizeof(*pages));
	struct export_config config = {
		.evlist = options->stat.evlist,
		.top = (int)options->stat.top,
		.version = version__number(),
		.start_ns = time_of_day(),
		.find_prog = find_prog,
		/*
		 * --once has only one reading, so it also prints programs, cgroups and threads that
		 * no longer exist: otherwise, their counts would never be printed
		 */
		.exists = options->once ? NULL : exists,
		.exists_ctx = &options->stat.count,
	};
	int code;

	*out = NULL;
	if (!pages)
		return command__out_of_memory();
	for (int i = 0; i < METRIC_FORMAT_NR; i++)
		pages->texts[i] = (struct strbuf)STRBUF_INIT;
	pages->model = (struct strbuf)STRBUF_INIT;
	read_model(&pages->model);
	config.cpu_model = pages->model.text;
	code = strbuf__failed(&pages->model) ? command__out_of_memory() : 0;
	code = code ?: stat_report__new(&options->stat, &pages->report);
	if (!code) {
		config.report = stat_report__get(pages->report);
		pages->er = export_report__new(&config);
		code = pages->er ? 0 : command__out_of_memory();
	}
	if (code)
		export_pages__free(pages);
	else
		*out = pages;
	return code;
}

void export_pages__free(struct export_pages *pages)
{
	if (!pages)
		return;
	for (int i = 0; i < METRIC_FORMAT_NR; i++)
		strbuf__free(&pages->texts[i]);
	strbuf__free(&pages->model);
	free(pages->own.bpf);
	metric_page__free(&pages->page);
	export_report__free(pages->er);
	stat_report__free(pages->report);
	free(pages);
}

int export_pages__update(struct export_pages *pages, const struct measurement *m)
{
	int err;

	for (int i = 0; i < METRIC_FORMAT_NR; i++)
		strbuf__reset(&pages->texts[i]);
	pages->own.readings++;
	pages->time_ns = m->start_ns + m->time_ns;
	read_costs(&pages->own, m->subjects);
	pages->own.reading_ns = clock__now() - pages->time_ns;
	err = export_report__build(pages->er, m, &pages->own, &pages->page);
	if (err)
		pr_err("cannot make the metrics: %s", strerror(-err));
	return err;
}

uint64_t export_pages__time(const struct export_pages *pages)
{
	return pages->time_ns;
}

const struct strbuf *export_pages__text(struct export_pages *pages, enum metric_format format)
{
	struct strbuf *text = &pages->texts[format];

	if (!text->len)
		openmetrics__add(&pages->page, format, text);
	if (!strbuf__failed(text))
		return text;
	log__out_of_memory();
	return NULL;
}

char *export_pages__take_text(struct export_pages *pages, enum metric_format format, size_t *len)
{
	const struct strbuf *text = export_pages__text(pages, format);

	*len = text ? text->len : 0;
	return text ? strbuf__detach(&pages->texts[format]) : NULL;
}
