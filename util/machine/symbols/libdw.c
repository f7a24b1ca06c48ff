// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/libdw.h"

#ifdef LINKED_STATICALLY

const struct libdw *libdw__load(const char *what)
{
#define LIBDW_MEMBER(name) .name = name,
	static const struct libdw functions = { LIBDW_FUNCTIONS(LIBDW_MEMBER) };
#undef LIBDW_MEMBER

	(void)what;
	return &functions;
}

#else

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/base/late-libraries.h"
#include "util/base/log.h"

#define LIBRARY "libdw.so.1"

static const struct late_function members[] = {
#define LIBDW_MEMBER(name) { #name, offsetof(struct libdw, name) },
	LIBDW_FUNCTIONS(LIBDW_MEMBER)
#undef LIBDW_MEMBER
};

const struct libdw *libdw__load(const char *what)
{
	static struct libdw functions;
	static enum { NOT_YET, LOADED, FAILED } state;
	void *library;

	if (state == NOT_YET) {
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
		state = FAILED;
		if (library &&
		    late_libraries__look_up(library, members, sizeof(members) / sizeof(members[0]),
					    &functions))
			state = LOADED;
		if (state == FAILED) {
			pr_warn("no %s: %s\ninstall the library of elfutils (Debian's package "
				"libdw1)",
				what, dlerror());
			if (library)
				dlclose(library);
		}
	}
	return state == LOADED ? &functions : NULL;
}

#endif
