// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/version.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/bperf/bperf-share.h"
#include "util/count/bpf-util.h"
#include "util/count/why/why-remedy.h"
#include "util/count/why/why-search.h"
#include "util/machine/pmu/libpfm.h"
#include "util/output/libmicrohttpd.h"

/* The version of perf whose options, output and exit codes pstat imitates (see pstat-stat(1)). */
#define PERF_VERSION "6.12.0"

/* Returns 0 if the CPU's PMU counts cycles, or -errno after storing the reason in @why_not. */
static int probe_hardware(struct strbuf *why_not)
{
	struct why_trial trial = { .at = { .cpu = -1, .group_fd = -1 } };
	struct strbuf remedy = STRBUF_INIT;
	struct why_answer answer;
	int err;

	trial.attr.attr.type = PERF_TYPE_HARDWARE;
	trial.attr.attr.size = PERF_ATTR_SIZE;
	trial.attr.attr.config = PERF_COUNT_HW_CPU_CYCLES;
	trial.attr.attr.disabled = 1;
	trial.attr.attr.exclude_kernel = trial.attr.attr.exclude_hv = 1;
	err = why_search(&trial, NULL, 0, &answer);
	if (err)
		return err;
	err = answer.err;
	if (err)
		why_remedy__add(&answer, &trial, NULL, why_not, &remedy);
	why_answer__free(&answer);
	strbuf__free(&remedy);
	return reason__set(why_not, err, "cycles: %s", strerror(-err));
}

/*
 * Returns 0 if programs can count themselves with libpstat-self, which needs shared counters
 * (counters that BPF reads for several sessions). Otherwise, returns -errno after storing the
 * reason in @why_not.
 */
static int probe_self(struct strbuf *why_not)
{
	int err = backend_bperf.probe(why_not);

	if (err)
		return err;
	strbuf__reset(why_not);
	return bperf_share__probe(why_not);
}

/*
 * Returns 0 if libmicrohttpd, which --listen needs, can be loaded. Otherwise, returns -ELIBACC
 * after storing the reason in @why_not.
 */
static int probe_server(struct strbuf *why_not)
{
	return libmicrohttpd__load(why_not) ? 0 : -ELIBACC;
}

static const struct mode {
	const char *what;
	const struct counter_backend *backend;
	int (*probe)(struct strbuf *why_not); /* NULL: use the probe of the backend */
} modes[] = {
	{ "perf events", &backend_fd, NULL },
	{ "hardware counters", NULL, probe_hardware },
	{ "-b, --bpf-prog", &backend_prog, NULL },
	{ "--scope", &backend_scope, NULL },
	{ "--bpf-counters", &backend_bperf, NULL },
	{ "--for-each-cgroup, BPF", &backend_cgroup, NULL },
	{ "pstat profile", &backend_profile, NULL },
	{ "pstat export --listen", NULL, probe_server },
	{ "libpstat-self", NULL, probe_self },
};

static void print_modes(void)
{
	struct utsname host;

	bpf_util__init();
	log__set_level(LOG_WARNING); /* at LOG_INFO and LOG_DEBUG, libbpf prints messages */
	if (!uname(&host))
		printf("kernel %s %s:\n", host.release, host.machine);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct strbuf why_not = STRBUF_INIT, clean = STRBUF_INIT;
		const struct mode *mode = &modes[i];
		int err = (mode->probe ?: mode->backend->probe)(&why_not);

		strbuf__add_clean_lines(&clean, why_not.text);
		printf("  %-22s %s%s\n", mode->what, err ? "no: " : "yes", clean.text);
		strbuf__free(&why_not);
		strbuf__free(&clean);
	}
}

/*
 * The lines of `perf version --build-options`, in perf's order. Scripts search for the name of a
 * feature, and for "on" or "OFF" on the same line.
 */
static const struct build_option {
	const char *name;
	const char *macro;
	bool is_on;
} build_options[] = {
	{ "aio", "HAVE_AIO_SUPPORT", false },
	{ "bpf", "HAVE_LIBBPF_SUPPORT", true },
	{ "bpf_skeletons", "HAVE_BPF_SKEL", true },
	{ "debuginfod", "HAVE_DEBUGINFOD_SUPPORT", false },
	{ "dwarf", "HAVE_DWARF_SUPPORT", true },
	{ "dwarf_getlocations", "HAVE_DWARF_GETLOCATIONS_SUPPORT", false },
	{ "dwarf-unwind", "HAVE_DWARF_UNWIND_SUPPORT", false },
	{ "auxtrace", "HAVE_AUXTRACE_SUPPORT", false },
	{ "libaudit", "HAVE_LIBAUDIT_SUPPORT", false },
	{ "libbfd", "HAVE_LIBBFD_SUPPORT", false },
	{ "libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", false },
	{ "libcrypto", "HAVE_LIBCRYPTO_SUPPORT", false },
	{ "libdw-dwarf-unwind", "HAVE_DWARF_SUPPORT", false },
	{ "libelf", "HAVE_LIBELF_SUPPORT", true },
	{ "libnuma", "HAVE_LIBNUMA_SUPPORT", false },
	{ "libopencsd", "HAVE_CSTRACE_SUPPORT", false },
	{ "libperl", "HAVE_LIBPERL_SUPPORT", false },
	{ "libpfm4", "HAVE_LIBPFM", false },
	{ "libpython", "HAVE_LIBPYTHON_SUPPORT", false },
	{ "libslang", "HAVE_SLANG_SUPPORT", false },
	{ "libtraceevent", "HAVE_LIBTRACEEVENT", true },
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", false },
	{ "lzma", "HAVE_LZMA_SUPPORT", false },
	{ "numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false },
	{ "syscall_table", "HAVE_SYSCALL_TABLE_SUPPORT", false },
	{ "zlib", "HAVE_ZLIB_SUPPORT", true },
	{ "zstd", "HAVE_ZSTD_SUPPORT", false },
};

/* Returns whether libpfm4 can be loaded. pstat is not linked with libpfm4. */
static bool has_libpfm(void)
{
	struct strbuf why = STRBUF_INIT;
	bool found = libpfm__load(&why);

	strbuf__free(&why);
	return found;
}

static void print_build_options(void)
{
	for (size_t i = 0; i < sizeof(build_options) / sizeof(build_options[0]); i++) {
		const struct build_option *option = &build_options[i];
		bool is_on = option->is_on || (!strcmp(option->name, "libpfm4") && has_libpfm());

		printf("%22s: [ %-3s ]  # %s\n", option->name, is_on ? "on" : "OFF", option->macro);
	}
}

static bool is_build_options(const char *word)
{
	return !strcmp(word, "--build-options");
}

/*
 * The command `version`. `version -v` and `version -vv` print the same text as `--version -v` and
 * `--version -vv`.
 */
int command__version(int argc, char **argv)
{
	char **words;
	int code;

	for (int i = 1; i < argc; i++) {
		if (!is_build_options(argv[i]))
			continue;
		version__print(0);
		print_build_options();
		return 0;
	}
	words = calloc((size_t)argc + 2, sizeof(*words));
	if (!words)
		return command__out_of_memory();
	words[0] = argv[0];
	words[1] = (char *)"--version";
	memcpy(words + 2, argv + 1, sizeof(*words) * (size_t)(argc - 1));
	code = command__stat(argc + 1, words);
	free(words);
	return code;
}

int version__answer_as_perf(int argc, char **argv)
{
	printf("perf version " PERF_VERSION "-pstat-" PSTAT_VERSION "\n");
	for (int i = 1; i < argc; i++) {
		if (is_build_options(argv[i])) {
			print_build_options();
			break;
		}
	}
	return 0;
}

const char *version__number(void)
{
	return PSTAT_VERSION;
}

void version__print(int verbose)
{
	printf("pstat version %s\n", PSTAT_VERSION);
	if (verbose < 1)
		return;
	printf("libbpf %s\nlibelf %s\nlibdw %s\nlibtraceevent %s\nlibmicrohttpd %s\n"
	       "zlib %s\n",
	       libbpf_version_string(), LIBELF_VERSION, LIBDW_VERSION, LIBTRACEEVENT_VERSION,
	       LIBMICROHTTPD_VERSION, zlibVersion());
	if (verbose > 1)
		print_modes();
}
