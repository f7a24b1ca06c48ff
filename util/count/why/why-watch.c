// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/why/why-watch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/why.h"
#include "bpf_skel/why.skel.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/bpf-util.h"
#include "util/count/share/branch-events.h"
#include "util/count/why/why-functions.h"
#include "util/count/why/why-trial.h"
#include "util/machine/bpf/kernel-btf.h"

struct why_watch {
	struct why_bpf *skel;
	struct bpf_link *link;	   /* attaches the program to many functions at once; or NULL */
	struct bpf_link **singles; /* for each function in `names`, its link, or NULL */
	/* the kernel can attach the program to only one function at a time */
	bool is_single;
	bool is_wide; /* attach_all() has been called */
	struct kernel_btf *btf;
	struct strbuf text; /* contents of available_filter_functions, as NUL-terminated strings */
	int nr;		    /* the number of functions in `names` */
	bool failed;	    /* there was not enough memory for the array `names` */
	/* functions that may refuse an event; the strings are in `btf` or `text` */
	const char **names;
	bool has_no_branches; /* branches cannot be recorded, and pstat has printed the reason */
};

static int read_file(struct strbuf *text, const char *path)
{
	FILE *file = fopen(path, "re");
	char block[65536];
	size_t len;
	int err;

	if (!file)
		return -errno;
	while ((len = fread(block, 1, sizeof(block), file)))
		strbuf__add(text, block, len);
	err = ferror(file) ? -EIO : strbuf__failed(text) ? -ENOMEM : 0;
	fclose(file);
	return err;
}

static void add_name(void *ctx, const char *name)
{
	struct why_watch *watch = ctx;
	const char **names = watch->names;

	if (watch->failed || !why_function__may_refuse(name))
		return;
	/* if `nr` is 0 or a power of two, the array is full: its capacity is doubled each time */
	if (!(watch->nr & (watch->nr - 1))) {
		names = reallocarray(names, watch->nr ? (size_t)watch->nr * 2 : 1, sizeof(*names));
		watch->failed = !names;
		if (!names)
			return;
		watch->names = names;
	}
	names[watch->nr++] = name;
}

/*
 * Fills watch->names with functions from the kernel's BTF. This is fast. But if one of these
 * functions cannot be traced, the kernel refuses to attach the program to any of them.
 */
static int list_btf(struct why_watch *watch)
{
	int err = kernel_btf__open(sysroots__host(), &watch->btf);

	if (!err)
		kernel_btf__each_function(watch->btf, add_name, watch);
	return err ?: watch->failed ? -ENOMEM : 0;
}

/*
 * Fills watch->names from the file available_filter_functions, which lists the functions that can
 * be traced. Each line is "NAME" or "NAME [MODULE]". The kernel needs 100 ms or more to print this
 * file.
 */
static int list_traceable(struct why_watch *watch, struct strbuf *why)
{
	char path[4096], *next, *end;
	int err;

	snprintf(path, sizeof(path), "%s/available_filter_functions", sysroots__host()->tracefs);
	err = read_file(&watch->text, path);
	if (err)
		return reason__set(why, err, "%s: cannot be read: %s", path, strerror(-err));
	watch->nr = 0;
	for (char *line = watch->text.text; *line; line = next) {
		end = line + strcspn(line, " \t\n");
		next = end + strcspn(end, "\n");
		next += *next == '\n';
		*end = '\0';
		add_name(watch, line);
	}
	if (!watch->failed && !watch->nr)
		return reason__set(why, -ENOENT, "%s: lists no functions of perf events", path);
	return watch->failed ? -ENOMEM : 0;
}

static int load(struct why_watch *watch, bool branches, struct strbuf *why)
{
	struct stat ns;
	int err;

	if (stat("/proc/self/ns/pid", &ns))
		return reason__set(why, -errno, "/proc/self/ns/pid: cannot be read: %s",
				   strerror(errno));
	why_bpf__destroy(watch->skel);
	watch->skel = why_bpf__open();
	if (!watch->skel)
		return reason__set(why, -errno, "the BPF program cannot be opened: %s",
				   strerror(errno));
	watch->skel->rodata->tid = (__u32)gettid();
	watch->skel->rodata->pid_ns_dev = ns.st_dev;
	watch->skel->rodata->pid_ns_ino = ns.st_ino;
	watch->skel->rodata->takes_branches = branches;
	err = why_bpf__load(watch->skel);
	/*
	 * the kernel may lack the BPF helper that reads branches (new in Linux 5.16), so try to
	 * load the program without it
	 */
	if (err && err != -EPERM && branches)
		return load(watch, false, why);
	return bpf_util__store_load(why, err, "the BPF program cannot be loaded", false);
}

/* ---- attaching ---- */

/*
 * Attaches the program to many functions at once: to all functions in `names` if @all is true,
 * otherwise to the usual functions (why_function__is_usual()). Returns 0 or -errno.
 */
static int attach_at_once(struct why_watch *watch, bool all)
{
	size_t size = (size_t)watch->nr + 1;
	const char **names = calloc(size, sizeof(*names));
	__u64 *cookies = calloc(size, sizeof(*cookies));
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .syms = names, .cookies = cookies,
		    .retprobe = true);
	int err = names && cookies ? 0 : -ENOMEM;

	for (int i = 0; !err && i < watch->nr; i++) {
		if (!all && !why_function__is_usual(watch->names[i]))
			continue;
		names[opts.cnt] = watch->names[i];
		cookies[opts.cnt++] = (__u64)i;
	}
	if (!err) {
		watch->link = bpf_program__attach_kprobe_multi_opts(watch->skel->progs.pstat_why,
								    NULL, &opts);
		err = watch->link ? 0 : -errno;
	}
	free(names);
	free(cookies);
	return err;
}

/*
 * Attaches the program to one function after another: to all usual functions if @all is true,
 * otherwise to the functions that check events of type @type (why_function__is_for()). Returns the
 * number of functions to which the program is now attached.
 */
static int attach_singly(struct why_watch *watch, bool all, uint32_t type)
{
	int nr = 0;

	for (int i = 0; i < watch->nr; i++) {
		LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = (__u64)i, .retprobe = true);
		const char *name = watch->names[i];

		if (!watch->singles[i] &&
		    (all ? why_function__is_usual(name) : why_function__is_for(name, type)))
			watch->singles[i] = bpf_program__attach_kprobe_opts(
				watch->skel->progs.pstat_why_one, name, &opts);
		nr += watch->singles[i] != NULL;
	}
	return nr;
}

/*
 * Returns whether @err means that the kernel cannot attach the program to many functions at once,
 * or cannot attach it to one of the functions in the list.
 */
static bool may_attach_otherwise(int err)
{
	return err == -EOPNOTSUPP || err == -EINVAL || err == -ESRCH || err == -ENOENT;
}

/*
 * Attaches the program to all usual functions at once. If the kernel refuses the list from BTF,
 * tries the list from available_filter_functions. If neither list works, attaches the program to
 * the functions that check events of type @type, one at a time. Returns 0, or -errno with the
 * reason in @why.
 */
static int attach_first(struct why_watch *watch, uint32_t type, struct strbuf *why)
{
	int err = list_btf(watch);

	err = err ?: attach_at_once(watch, false);
	if (err == -EINVAL || err == -ESRCH || err == -ENOENT)
		err = list_traceable(watch, why) ?: attach_at_once(watch, false);
	watch->singles = calloc((size_t)watch->nr + 1, sizeof(struct bpf_link *));
	if (!watch->singles)
		return -ENOMEM;
	watch->is_single = may_attach_otherwise(err) && attach_singly(watch, false, type);
	if (watch->is_single)
		err = 0;
	return reason__set(why, err, "the kernel's functions cannot be watched: %s",
			   strerror(-err));
}

/*
 * If is_single is set, attaches the program to all usual functions. Otherwise, attaches it to all
 * functions in `names` or, if this fails, to the usual functions again.
 */
static void attach_all(struct why_watch *watch)
{
	int err;

	watch->is_wide = true;
	if (watch->is_single) {
		attach_singly(watch, true, 0);
		return;
	}
	bpf_link__destroy(watch->link);
	watch->link = NULL;
	err = attach_at_once(watch, true);
	/* if `text` is not empty, `names` already comes from available_filter_functions */
	if (err && !watch->text.len && !list_traceable(watch, NULL))
		err = attach_at_once(watch, true);
	if (err)
		attach_at_once(watch, false);
}

int why_watch__new(uint32_t type, struct why_watch **out, struct strbuf *why)
{
	struct why_watch *watch = calloc(1, sizeof(*watch));
	int err;

	*out = NULL;
	if (!watch)
		return -ENOMEM;
	watch->text = (struct strbuf)STRBUF_INIT;
	err = load(watch, true, why);
	err = err ?: attach_first(watch, type, why);
	if (err)
		why_watch__free(watch);
	else
		*out = watch;
	return err;
}

void why_watch__free(struct why_watch *watch)
{
	if (!watch)
		return;
	bpf_link__destroy(watch->link);
	for (int i = 0; watch->is_single && i < watch->nr; i++)
		bpf_link__destroy(watch->singles[i]);
	free(watch->singles);
	why_bpf__destroy(watch->skel);
	strbuf__free(&watch->text);
	kernel_btf__close(watch->btf);
	free(watch->names);
	free(watch);
}

/* ---- the functions that returned the error ---- */

static void add_to_list(struct strbuf *list, const char *name)
{
	strbuf__addf(list, "%s%s", list->len ? ", " : "", name);
}

static void add_branches(const struct why_watch *watch, __u32 nr, struct why_seen *seen)
{
	int map = bpf_map__fd(watch->skel->maps.branches), nr_branches;
	struct branch_block block;

	if (nr >= WHY_BRANCHES_KEPT || bpf_map_lookup_elem(map, &nr, &block))
		return;
	nr_branches = branches__decode(&block, seen->branches);
	if (nr_branches < 0)
		pr_info("the branches before the refusal are not known: %s",
			branches__strerror(nr_branches));
	else
		seen->nr_branches = nr_branches;
}

/*
 * Adds one recorded return of a function to @seen if the function returned @err. @nr is the index
 * of the return in chronological order.
 */
static void add_return(const struct why_watch *watch, __u32 nr, const struct why_return *found,
		       int err, bool branches, struct why_seen *seen)
{
	const char *name;

	if (found->value != err || found->function >= (__u32)watch->nr)
		return;
	name = watch->names[found->function];
	if (err == -ENOENT && why_function__asks(name))
		return;
	if (err == -ENOENT && why_function__answers(name)) {
		add_to_list(&seen->asked, name);
	} else if (seen->function) {
		add_to_list(&seen->callers, name);
	} else {
		seen->function = name;
		if (branches)
			add_branches(watch, nr, seen);
	}
}

void why_seen__free(struct why_seen *seen)
{
	strbuf__free(&seen->callers);
	strbuf__free(&seen->asked);
}

/* Repeats @trial. Returns whether the kernel refuses the attempt with @err again. */
static bool repeat(struct why_watch *watch, const struct why_trial *trial, int err)
{
	int fd;

	watch->skel->bss->nr_seen = 0;
	fd = why_trial__open(trial);
	if (fd >= 0)
		close(fd);
	return fd == err;
}

/*
 * Repeats the attempt while the CPU records branches, if it can. Recording may change the result,
 * for example because the CPU cannot record branches and a hardware trace at the same time. If the
 * result is not @err, repeats the attempt without recording branches. Sets *@branches to whether
 * branches were recorded during the last attempt. Returns whether the kernel refused this attempt
 * with @err.
 */
static bool repeat_with_branches(struct why_watch *watch, const struct why_trial *trial, int err,
				 bool *branches)
{
	struct branch_events events = { 0 };
	int open_err = branch_events__open_own(&events);
	bool refused;

	if (open_err && !watch->has_no_branches)
		pr_info("the branches before the refusal are not known: %s",
			branches__strerror(open_err));
	watch->has_no_branches |= open_err != 0;
	*branches = !open_err;
	refused = repeat(watch, trial, err);
	branch_events__close(&events);
	if (refused || open_err)
		return refused;
	*branches = false;
	return repeat(watch, trial, err);
}

static void try_again(struct why_watch *watch, const struct why_trial *trial, int err,
		      struct why_seen *seen)
{
	int map = bpf_map__fd(watch->skel->maps.seen);
	struct why_return found;
	bool branches;

	if (!repeat_with_branches(watch, trial, err, &branches))
		return;
	for (__u32 i = 0; i < watch->skel->bss->nr_seen && i < WHY_SEEN_MAX; i++)
		if (!bpf_map_lookup_elem(map, &i, &found))
			add_return(watch, i, &found, err, branches, seen);
}

void why_watch__see(struct why_watch *watch, const struct why_trial *trial, int err,
		    bool is_explained, struct why_seen *seen)
{
	if (watch->is_single && !watch->is_wide)
		attach_singly(watch, false, trial->attr.attr.type);
	try_again(watch, trial, err, seen);
	if (seen->function || is_explained || watch->is_wide)
		return;
	why_seen__free(seen);
	*seen = WHY_SEEN_INIT;
	attach_all(watch);
	try_again(watch, trial, err, seen);
}
