// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/libmicrohttpd.h"

#ifdef LINKED_STATICALLY

#include <stddef.h>

/*
 * In a static pstat, the two functions below replace the functions of libgnutls that libmicrohttpd
 * calls in its constructor and destructor. The Makefile replaces all other calls to libgnutls with
 * calls to abort().
 */
int gnutls_global_init(void);
void gnutls_global_deinit(void);

int gnutls_global_init(void)
{
	return 0;
}

void gnutls_global_deinit(void)
{
}

const struct libmicrohttpd *libmicrohttpd__load(struct strbuf *why)
{
#define LIBMICROHTTPD_MEMBER(name) .name = name,
	static const struct libmicrohttpd functions = { LIBMICROHTTPD_FUNCTIONS(
		LIBMICROHTTPD_MEMBER) };
#undef LIBMICROHTTPD_MEMBER

	(void)why;
	return &functions;
}

#else

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/base/late-libraries.h"
#include "util/base/strbuf.h"

/* scripts/deb reads this name. */
#define MICROHTTPD "libmicrohttpd.so.12"

static const struct late_function members[] = {
#define LIBMICROHTTPD_MEMBER(name) { #name, offsetof(struct libmicrohttpd, name) },
	LIBMICROHTTPD_FUNCTIONS(LIBMICROHTTPD_MEMBER)
#undef LIBMICROHTTPD_MEMBER
};

/* Loads the library once. It stays loaded until pstat ends. */
const struct libmicrohttpd *libmicrohttpd__load(struct strbuf *why)
{
	static struct libmicrohttpd functions;
	static bool is_loaded;
	void *library;

	if (is_loaded)
		return &functions;
	library = dlopen(MICROHTTPD, RTLD_NOW | RTLD_LOCAL);
	is_loaded = library &&
		    late_libraries__look_up(library, members, sizeof(members) / sizeof(members[0]),
					    &functions);
	if (is_loaded)
		return &functions;
	strbuf__addf(why,
		     "%s\ninstall libmicrohttpd (Debian's package libmicrohttpd12), or use "
		     "--textfile",
		     dlerror());
	if (library)
		dlclose(library);
	return NULL;
}

#endif
