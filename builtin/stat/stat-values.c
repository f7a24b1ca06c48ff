// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/number.h"

#define WEEK_MS (7ULL * 24 * 3600 * 1000)
#define CACHE_LEVEL_MAX 4

int resolve_number(const char *option, const char *text, uint64_t min, uint64_t max,
		   const char *what, uint64_t *value)
{
	if (!text || !number__parse_option(text, min, max, value))
		return 0;
	pr_err("%s %s: %s must be a whole number from %llu to %llu", option, log__value(text), what,
	       (unsigned long long)min, (unsigned long long)max);
	return EXIT_USAGE;
}

int check_delay(struct raw_options *raw, const char *text)
{
	struct stat_config *cfg = &raw->to->count;

	if (!strcmp(text, "-1")) {
		cfg->start_disabled = true;
		return 0;
	}
	if (number__parse_option(text, 0, WEEK_MS, &cfg->delay_ns)) {
		pr_err("-D %s: the delay in milliseconds must be a whole number from 0 to %llu, "
		       "or -1 to begin when --control enables the events",
		       log__value(text), WEEK_MS);
		return EXIT_USAGE;
	}
	cfg->delay_ns *= NSEC_PER_MSEC;
	return 0;
}

/* Refuses options that compare repetitions if there are no repetitions to compare. */
static int resolve_repetitions(const struct raw_options *raw)
{
	const char *option = raw->to->table ? "--table" : raw->to->range ? "--range" : NULL;

	if (!option || raw->to->runs > 1)
		return 0;
	pr_err("%s and -r %s cannot be combined: %s compares repetitions: give -r 2 or more",
	       option, option_words__given(raw, "-r"), option);
	return EXIT_CONFLICT;
}

int check_control(struct raw_options *raw, const char *text)
{
	struct strbuf why = STRBUF_INIT;
	struct control_spec *spec = &raw->to->control;
	int err = control_spec__parse(text, spec, &why);

	if (err)
		pr_err("--control %s: %s", log__value(text), why.len ? why.text : strerror(-err));
	else if (spec->fd >= 0 || spec->fifo)
		raw->to->count.control = spec;
	if (!err && spec->missing)
		pr_warn("--control %s: file descriptor %s is not open\n"
			"pstat counts as if --control were not given",
			text, spec->missing);
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

int check_cache_level(struct raw_options *raw, const char *text)
{
	uint64_t level;

	if (text == option_no_value)
		return 0;
	if (number__parse_uint(text + (*text == 'L' || *text == 'l'), 1, CACHE_LEVEL_MAX, &level)) {
		pr_err("--per-cache=%s: the level of a cache must be L1 to L%d", log__value(text),
		       CACHE_LEVEL_MAX);
		return EXIT_USAGE;
	}
	raw->to->cache_level = (int)level;
	return 0;
}

int check_log_fd(struct raw_options *raw, const char *text)
{
	uint64_t fd = 0;
	int code = resolve_number("--log-fd", text, 0, INT_MAX, "the file descriptor", &fd);

	if (code || !fd) /* as in perf, 0 means that the option is not used */
		return code;
	raw->to->log_fd = (int)fd;
	if (fcntl(raw->to->log_fd, F_GETFD) < 0) {
		pr_err("--log-fd %s: this file descriptor is not open", text);
		return EXIT_USAGE;
	}
	return 0;
}

int resolve_values(struct raw_options *raw)
{
	struct stat_options *to = raw->to;
	int code = option_words__resolve_values(raw);

	code = code ?: resolve_repetitions(raw);
	if (code)
		return code;
	/* stderr is the default */
	if (to->output && !strcmp(to->output, "-")) {
		to->output = NULL;
		to->append = false;
	}
	if (to->csv_separator && !strcmp(to->csv_separator, "\\t"))
		to->csv_separator = "\t";
	if (to->interval_clear && !isatty(STDERR_FILENO)) {
		pr_err("--interval-clear: stderr is not a terminal");
		return EXIT_FAILED;
	}
	return 0;
}
