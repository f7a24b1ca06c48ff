// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/libpfm.h"

#include "util/base/strbuf.h"

#ifdef LINKED_STATICALLY

const struct libpfm *libpfm__load(struct strbuf *why)
{
	strbuf__adds(why, "this static pstat does not contain libpfm\n"
			  "use raw events such as -e r1a8, or a pstat that `make` has built");
	return NULL;
}

#else

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libpfm.so.4"

/*
 * Stores the address of the function @name in *@function. Returns false if @library has no such
 * function. ISO C does not define the conversion of an object pointer to a function pointer, so
 * look_up() copies the bytes of the pointer, as POSIX allows.
 */
static bool look_up(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	if (found)
		memcpy(function, &found, sizeof(found));
	return found;
}

static bool initialize(void *library, struct libpfm *libpfm, struct strbuf *why)
{
	int (*start)(void), err;

	if (!look_up(library, "pfm_initialize", &start) ||
	    !look_up(library, "pfm_strerror", &libpfm->strerror) ||
	    !look_up(library, "pfm_get_perf_event_encoding", &libpfm->encode)) {
		strbuf__adds(why, dlerror());
		return false;
	}
	err = start();
	if (err)
		strbuf__addf(why, "libpfm failed to initialize: %s", libpfm->strerror(err));
	return !err;
}

/* Loads the library once. The library stays loaded until pstat ends. */
const struct libpfm *libpfm__load(struct strbuf *why)
{
	static struct libpfm libpfm;
	static bool is_loaded;
	void *library;

	if (is_loaded)
		return &libpfm;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		strbuf__addf(why, "%s\ninstall libpfm (Debian's package libpfm4)", dlerror());
		return NULL;
	}
	is_loaded = initialize(library, &libpfm, why);
	if (is_loaded)
		return &libpfm;
	dlclose(library);
	return NULL;
}

#endif
