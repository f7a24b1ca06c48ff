// SPDX-License-Identifier: GPL-2.0-only
/* Finds the vendors' files, and finds the models of this machine's CPUs in these files. */
#include "util/event/vendor-priv.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/late-libraries.h"
#include "util/base/sysfs.h"

/* ---- messages ---- */

const char *vendor__notes(const struct vendor *vendor)
{
	return vendor->notes.text;
}

void vendor__note_error(struct vendor *vendor, int err)
{
	if (err && err != -EINVAL)
		strbuf__addf(&vendor->notes, "%s: %s\n", vendor->path, strerror(-err));
}

/* ---- finding the files ---- */

/* Sets vendor->path to DIR/NAME. Returns whether the file exists. */
static bool try_path(struct vendor *vendor, const char *dir, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	free(vendor->path);
	vendor->path = path;
	return !access(path, F_OK);
}

/*
 * Sets @dir to ../share/pstat/events, relative to the directory of the executable. Returns whether
 * this directory exists.
 */
static bool find_installed(const struct vendor *vendor, char *dir, size_t size)
{
	static const char below[] = "share/pstat/events";
	char link[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "%s/self/exe", vendor->roots->procfs);
	len = readlink(link, dir, size - 1);
	if (len < 0)
		return false;
	dir[len] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(dir, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	len = (ssize_t)strlen(dir);
	return snprintf(dir + len, size - (size_t)len, "/%s", below) < (int)(size - (size_t)len) &&
	       !access(dir, F_OK);
}

static void open_pack(struct vendor *vendor)
{
	int err = vendor_pack__open(vendor->path, &vendor->pack, &vendor->notes), number;

	/* vendor_pack__open() has added the reason for any other error to the notes. */
	if (err == -ENOENT || err == -ENOMEM)
		vendor__note_error(vendor, err);
	for (int i = 0; !err && i < vendor->nr_ids; i++) {
		number = vendor_pack__model(vendor->pack, &vendor->ids[i]);
		if (number > 0)
			vendor->models[vendor->nr_models++] =
				(struct vendor_model){ number, vendor->ids[i].cpu };
		else if (vendor->dir != vendor_installed)
			strbuf__addf(&vendor->notes, "%s has no events for this CPU (%s)\n",
				     vendor->path, vendor->ids[i].text);
	}
	if (!err && !vendor->nr_models)
		vendor->missing =
			vendor->dir == vendor_installed ?
				"the installed event files contain no events for this CPU\na newer "
				"version of the package pstat-events may contain them" :
				"the event files contain no events for this CPU";
	if (!err)
		vendor->models[vendor->nr_models++] =
			(struct vendor_model){ VENDOR_PACK_ANY_MODEL, -1 };
}

/* Finds the files of this machine's architecture in @dir. */
static void find_files(struct vendor *vendor, const char *dir)
{
	const char *arch = vendor->nr_ids && !strncmp(vendor->ids[0].text, "0x", 2) ? "arm64" :
										      "x86";
	char name[64];

	snprintf(name, sizeof(name), "%s.events", arch);
	if (!try_path(vendor, dir, "mapfile.csv") && try_path(vendor, dir, name)) {
		open_pack(vendor);
		vendor->complete = !vendor->pack;
		return;
	}
	vendor->is_folder = true;
	snprintf(name, sizeof(name), "%s/mapfile.csv", arch);
	if (try_path(vendor, dir, name)) {
		try_path(vendor, dir, arch);
		return;
	}
	free(vendor->path);
	vendor->path = strdup(dir);
}

void vendor__prepare(struct vendor *vendor)
{
	char dir[PATH_MAX];

	if (vendor->prepared || !vendor->dir)
		return;
	vendor->prepared = true;
	snprintf(dir, sizeof(dir), "%s", vendor->dir);
	if (vendor->dir == vendor_installed && !find_installed(vendor, dir, sizeof(dir))) {
		vendor->missing =
			"the names of vendors' events are not installed\n"
			"install the package pstat-events, or run `make install-events` in "
			"pstat's source";
		vendor->complete = true;
		return;
	}
	if (!late_libraries__have_jansson()) {
		vendor->missing =
			"vendors' events and metrics cannot be read without libjansson.so.4\n"
			"install Debian's package libjansson4";
		vendor->complete = true;
		return;
	}
	vendor->ids = calloc(CPUID_MODELS_MAX, sizeof(*vendor->ids));
	if (vendor->ids)
		vendor->nr_ids = cpuid__read(vendor->roots, vendor->ids, CPUID_MODELS_MAX);
	if (!vendor->nr_ids && vendor->dir != vendor_installed)
		strbuf__adds(&vendor->notes, "the model of this machine's CPU is unknown\n");
	find_files(vendor, dir);
	if (vendor->path && vendor->ids)
		return;
	strbuf__addf(&vendor->notes, "%s: %s\n", dir, strerror(ENOMEM));
	vendor->complete = true;
}

const char *vendor__missing(struct vendor *vendor)
{
	vendor__prepare(vendor);
	return vendor->missing;
}
