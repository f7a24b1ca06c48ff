// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/version.h"

#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "builtin/builtin.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"

static const struct mode {
	const char *what;
	const struct counter_backend *backend;
} modes[] = {
	{ "perf events", &backend_fd },	       { "-b, --bpf-prog", &backend_prog },
	{ "--bpf-counters", &backend_bperf },  { "--for-each-cgroup, BPF", &backend_cgroup },
	{ "pstat profile", &backend_profile },
};

static void print_modes(void)
{
	struct utsname host;

	bpf_util__init();
	log__set_level(LOG_WARNING); /* libbpf has much to say of what is loaded */
	if (!uname(&host))
		printf("kernel %s %s:\n", host.release, host.machine);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct strbuf why_not = STRBUF_INIT, clean = STRBUF_INIT;
		int err = modes[i].backend->probe(&why_not);

		strbuf__add_clean_lines(&clean, why_not.text);
		printf("  %-22s %s%s\n", modes[i].what, err ? "no: " : "yes", clean.text);
		strbuf__free(&why_not);
		strbuf__free(&clean);
	}
}

/* perf's word for --version: with -v and -vv as there. */
int cmd_version(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	int code;

	if (!words)
		return command__out_of_memory();
	words[0] = argv[0];
	words[1] = (char *)"--version";
	memcpy(words + 2, argv + 1, sizeof(*words) * (size_t)(argc - 1));
	code = cmd_stat(argc + 1, words);
	free(words);
	return code;
}

void version__print(int verbose)
{
	printf("pstat %s\n", PSTAT_VERSION);
	if (verbose < 1)
		return;
	printf("libbpf %s\nlibelf %s\nlibdw %s\nlibtraceevent %s\nzlib %s\n", libbpf_version_string(), LIBELF_VERSION,
	       LIBDW_VERSION, LIBTRACEEVENT_VERSION, zlibVersion());
	if (verbose > 1)
		print_modes();
}
