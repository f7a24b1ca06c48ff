// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/far-patience.h"

#include <stdio.h>
#include <string.h>

#include "util/base/sysfs.h"

static bool read_proc(const struct sysroots *roots, pid_t pid, const char *name, char *text,
		      size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/%s", pid, name);
	return sysfs__read(sysroots__tasks(roots), path, text, size) > 0;
}

/*
 * Returns the total time in ns for which the process has waited for a CPU, excluding the current
 * wait. Returns 0 if the kernel does not report this time.
 */
static uint64_t waited_for_cpus(const struct sysroots *roots, pid_t pid)
{
	unsigned long long ran, waited;
	char text[128];

	if (!read_proc(roots, pid, "schedstat", text, sizeof(text)) ||
	    sscanf(text, "%llu %llu", &ran, &waited) != 2)
		return 0;
	return waited;
}

/* Returns whether the process is running, or ready to run. */
static bool is_runnable(const struct sysroots *roots, pid_t pid)
{
	char text[1024], *name_end;

	if (!read_proc(roots, pid, "stat", text, sizeof(text)))
		return false;
	/* the process name can contain any character; it ends before the last parenthesis */
	name_end = strrchr(text, ')');
	return name_end && !strncmp(name_end, ") R", 3);
}

bool far_patience__is_over(struct far_patience *patience, const struct sysroots *roots, pid_t pid,
			   uint64_t now)
{
	uint64_t passed = now - patience->begun, waited;

	if (passed <= patience->length / 2)
		return false;
	if (!patience->looked) {
		patience->looked = true;
		patience->waited = waited_for_cpus(roots, pid);
	}
	if (passed <= patience->length || is_runnable(roots, pid))
		return false;
	waited = waited_for_cpus(roots, pid);
	waited = waited > patience->waited ? waited - patience->waited : 0;
	return passed > patience->length + waited;
}
