// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat-output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "builtin/stat-options.h"
#include "util/base/log.h"
#include "util/output/output.h"

struct stat_output {
	const struct stat_options *options;
	FILE *file;
	bool made; /* the file was not there before, and nothing was written yet */
	time_t started;
	struct output *stream; /* NULL until the first byte */
};

static int open_file(struct stat_output *out)
{
	const char *path = out->options->output;
	int flags = O_WRONLY | O_CLOEXEC | (out->options->append ? O_APPEND : 0);
	int fd = open(path, flags | O_CREAT | O_EXCL, 0666);

	out->made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, flags);
	if (fd >= 0)
		out->file = fdopen(fd, "w");
	if (!out->file) {
		int err = -errno;

		pr_err("-o %s: cannot open the file for writing: %s", path, strerror(-err));
		return err;
	}
	return 0;
}

int stat_output__new(const struct stat_options *options, struct stat_output **result)
{
	struct stat_output *out = calloc(1, sizeof(*out));
	int err = 0;

	*result = NULL;
	if (!out) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	out->options = options;
	out->started = time(NULL);
	if (options->output)
		err = open_file(out);
	else
		out->file = stderr;
	if (err)
		stat_output__free(out);
	else
		*result = out;
	return err;
}

void stat_output__free(struct stat_output *out)
{
	if (!out)
		return;
	output__free(out->stream);
	if (out->file && out->file != stderr)
		fclose(out->file);
	if (out->made)
		unlink(out->options->output);
	free(out);
}

struct output *stat_output__stream(struct stat_output *out)
{
	const struct stat_options *options = out->options;
	struct output_config config = {
		.format = options->json		 ? &output_json :
			  options->csv_separator ? &output_csv :
						   &output_std,
		.file = out->file,
		.separator = options->csv_separator,
		.aggr_mode = options->count.aggr_mode,
		.runs = 1,
		.big_num = options->big_num,
		.metric_only = options->metrics.only,
		.color = !options->output && isatty(STDERR_FILENO),
		.started = options->output ? out->started : 0,
	};
	int err;

	if (out->stream)
		return out->stream;
	out->made = false;
	if (options->output && !options->append && ftruncate(fileno(out->file), 0) && errno != EINVAL) {
		pr_err("-o %s: cannot empty the file: %s", options->output, strerror(errno));
		return NULL;
	}
	err = output__new(&config, &out->stream);
	if (err)
		pr_err("cannot write the output: %s", strerror(-err));
	return out->stream;
}

int stat_output__begin(struct stat_output *out)
{
	const struct stat_options *options = out->options;
	struct output *stream = stat_output__stream(out);
	struct output_head head = {
		.kind = TARGET_COMMAND,
		.argv = (const char *const *)options->count.argv,
	};

	if (options->prog_text) {
		head.kind = TARGET_BPF_PROG;
		head.text = options->prog_text;
	} else if (options->count.system_wide) {
		head.kind = options->cpu_text && !options->all_cpus ? TARGET_CPUS : TARGET_SYSTEM;
		head.text = options->cpu_text;
	} else if (options->pid_text) {
		head.kind = TARGET_PROCESS;
		head.text = options->pid_text;
	} else if (options->tid_text) {
		head.kind = TARGET_THREAD;
		head.text = options->tid_text;
	}
	return stream ? output__begin(stream, &head) : -EIO;
}
