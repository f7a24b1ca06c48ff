// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/libdw.h"

#ifdef LINKED_STATICALLY

const struct libdw *libdw__load(void)
{
#define LIBDW_MEMBER(name) .name = name,
	static const struct libdw functions = { LIBDW_FUNCTIONS(LIBDW_MEMBER) };
#undef LIBDW_MEMBER

	return &functions;
}

#else

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "util/base/log.h"

#define LIBRARY "libdw.so.1"

static const struct {
	const char *name;
	size_t at; /* offset in struct libdw */
} members[] = {
#define LIBDW_MEMBER(name) { #name, offsetof(struct libdw, name) },
	LIBDW_FUNCTIONS(LIBDW_MEMBER)
#undef LIBDW_MEMBER
};

static bool look_up(void *library, struct libdw *functions)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		void *function = dlsym(library, members[i].name);

		if (!function)
			return false;
		/*
		 * C has no conversion from an object pointer to a function pointer, so the bytes
		 * are copied, as POSIX allows
		 */
		memcpy((char *)functions + members[i].at, &function, sizeof(function));
	}
	return true;
}

/* Loads the library once. It stays loaded until pstat ends. */
const struct libdw *libdw__load(void)
{
	static struct libdw functions;
	static enum { NOT_YET, LOADED, FAILED } state;
	void *library;

	if (state == NOT_YET) {
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
		state = library && look_up(library, &functions) ? LOADED : FAILED;
		if (state == FAILED) {
			pr_warn("no source lines: %s\ninstall the library of elfutils (Debian's "
				"package libdw1)",
				dlerror());
			if (library)
				dlclose(library);
		}
	}
	return state == LOADED ? &functions : NULL;
}

#endif
