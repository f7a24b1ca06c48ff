// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "builtin/output-file.h"
#include "builtin/stat/stat-options.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/report-write.h"
#include "util/base/strbuf.h"
#include "util/count/subjects.h"
#include "util/output/output.h"
#include "util/report/branch-names.h"
#include "util/report/outlier_row.h"

struct stat_output {
	const struct stat_options *options;
	struct output_file to; /* the file of -o */
	FILE *file;	       /* the file of -o, the file of --log-fd, or stderr */
	time_t started;
	struct output *stream;		   /* NULL before the first output */
	struct branch_names *branch_names; /* NULL before the first outlier with branches */
};

/*
 * Opens a stream on a duplicate of the descriptor of --log-fd, so that closing the stream does not
 * close the original descriptor. Both descriptors share one file position.
 */
static int open_log_fd(struct stat_output *out)
{
	int fd = fcntl(out->options->log_fd, F_DUPFD_CLOEXEC, 3), err;

	if (fd >= 0)
		out->file = fdopen(fd, out->options->append ? "a" : "w");
	if (out->file)
		return 0;
	err = -errno;
	if (fd >= 0)
		close(fd);
	pr_err("--log-fd %d: cannot write: %s", out->options->log_fd, strerror(-err));
	return err;
}

int stat_output__new(const struct stat_options *options, struct stat_output **result)
{
	struct stat_output *out = calloc(1, sizeof(*out));
	int err = 0;

	*result = NULL;
	if (!out)
		return log__out_of_memory();
	out->options = options;
	out->started = time(NULL);
	if (options->output)
		err = output_file__open(&out->to, options->output, options->append);
	else if (options->log_fd >= 0)
		err = open_log_fd(out);
	else
		out->file = stderr;
	if (options->output)
		out->file = out->to.file;
	if (err)
		stat_output__free(out);
	else
		*result = out;
	return err;
}

/* Closes the file of --log-fd. */
static int close_log(const struct stat_output *out)
{
	int err = fclose(out->file) ? -errno : 0;

	if (err && !out->to.failed)
		pr_err("--log-fd: cannot write: %s", strerror(-err));
	return err;
}

int stat_output__free(struct stat_output *out)
{
	int err = 0, file_err = 0;

	if (!out)
		return 0;
	output__free(out->stream);
	/* without branches, skip the call, which would load the code of branch-names.c from disk */
	if (out->branch_names)
		branch_names__free(out->branch_names);
	if (out->file && out->file != stderr && out->file != out->to.file)
		err = close_log(out);
	if (out->to.path)
		file_err = output_file__close(&out->to);
	free(out);
	return err ?: file_err;
}

static int write_failed(struct stat_output *out, int err)
{
	if (!err)
		return 0;
	output_file__failed(&out->to);
	pr_err("%s%s%scannot write the output: %s", out->to.path ? "-o " : "", out->to.path ?: "",
	       out->to.path ? ": " : "", strerror(-err));
	return err;
}

/* The first call opens the stream. Returns the stream, or NULL after reporting an error. */
static struct output *stream_of(struct stat_output *out)
{
	const struct stat_options *options = out->options;
	const struct subject_kind *kind = subjects__kind(&options->count);
	struct output_config config = {
		.format = options->json		 ? &output_json :
			  options->csv_separator ? &output_csv :
						   &output_std,
		.file = out->file,
		.separator = options->csv_separator,
		.aggr_mode = options->count.aggr_mode,
		.runs = options->runs > 1 ? (int)options->runs : 1,
		.cgroups = options->count.in_cgroups ||
			   stat_config__for_each_cgroup(&options->count) || kind == &subject_cgroup,
		.subject_column = kind ? kind->column : NULL,
		.subject_id_column = kind ? kind->id_column : NULL,
		.big_num = options->big_num,
		.metric_only = options->metrics.only,
		.color = out->file == stderr && isatty(STDERR_FILENO),
		.clear_screen = options->interval_clear,
		.null_run = options->null_run,
		.mark_summary = options->summary && options->csv_summary,
		.range = options->range,
		.csv_header = options->csv_header,
		.hide_zero = options->hide_zero,
		.started = options->output ? out->started : 0,
	};

	if (out->stream)
		return out->stream;
	if (options->output && output_file__begin(&out->to))
		return NULL;
	write_failed(out, output__new(&config, &out->stream));
	return out->stream;
}

int stat_output__interval(struct stat_output *out, uint64_t time_ns, const struct stat_rows *rows)
{
	struct timespec when = { .tv_sec = (time_t)(time_ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(time_ns % NSEC_PER_SEC) };
	struct output *stream;

	if (out->options->quiet)
		return 0;
	stream = stream_of(out);
	return stream ? write_failed(out, output__interval(stream, &when, rows)) : -EIO;
}

static void fill_head(const struct stat_options *options, struct output_head *head)
{
	if (options->prog_text) {
		head->kind = TARGET_BPF_PROG;
		head->text = options->prog_text;
	} else if (options->scope_text.len) {
		head->kind = TARGET_SCOPE;
		head->text = options->scope_text.text;
	} else if (options->count.system_wide || options->count.all_threads) {
		head->kind = options->cpu_text && !options->all_cpus ? TARGET_CPUS : TARGET_SYSTEM;
		head->text = options->cpu_text;
	} else if (options->pid_text) {
		head->kind = TARGET_PROCESS;
		head->text = options->pid_text;
	} else if (options->tid_text) {
		head->kind = TARGET_THREAD;
		head->text = options->tid_text;
	}
}

int stat_output__total(struct stat_output *out, const struct stat_rows *rows,
		       const struct output_foot *foot, int runs_done)
{
	const struct stat_options *options = out->options;
	struct output_head head = {
		.kind = TARGET_COMMAND,
		.argv = (const char *const *)options->count.argv,
		.runs_done = options->runs && (uint64_t)runs_done < options->runs ? runs_done : 0,
	};
	struct output *stream;
	int err = 0;

	if (options->quiet)
		return 0;
	stream = stream_of(out);
	if (!stream)
		return -EIO;
	fill_head(options, &head);
	/* a summary below rows of intervals has no heading */
	if (!options->count.interval_ns || options->hides_intervals)
		err = output__begin(stream, &head);
	err = err ?: output__rows(stream, rows);
	return write_failed(out, err ?: output__end(stream, foot));
}

int stat_output__text(struct stat_output *out, const struct strbuf *text)
{
	if (out->options->quiet)
		return 0;
	if (!out->stream && out->options->output && output_file__begin(&out->to))
		return -EIO;
	return write_failed(out, report_write(out->file, text->text, text->len));
}

int stat_output__note(struct stat_output *out, const char *text)
{
	struct output *stream;

	if (out->options->quiet || out->options->as_perf)
		return 0;
	stream = stream_of(out);
	return stream ? write_failed(out, output__note(stream, text)) : -EIO;
}

int stat_output__outlier(struct stat_output *out, const struct outlier *outlier)
{
	struct output *stream = stream_of(out);
	struct outlier_row row = { 0 };
	int err = 0;

	if (outlier->nr_branches && !out->branch_names) {
		out->branch_names = branch_names__new();
		err = out->branch_names ? 0 : -ENOMEM;
	}
	if (!err)
		err = outlier_row__make(&row, outlier, &out->options->outliers,
					out->options->no_scale, out->branch_names);
	err = !stream ? -EIO : write_failed(out, err ?: output__outlier(stream, &row));
	outlier_row__free(&row);
	return err;
}

int stat_output__outlier_foot(struct stat_output *out, const struct outlier_sums *sums)
{
	struct outlier_foot foot = outlier_foot__of(sums, &out->options->outliers);
	struct output *stream = stream_of(out);

	return stream ? write_failed(out, output__outlier_foot(stream, &foot)) : -EIO;
}
