// SPDX-License-Identifier: GPL-2.0-only
/*
 * Defines a wrapper for each function of libjansson and libtraceevent that pstat calls. Most
 * commands need neither library, so the wrappers load a library at the first call to one of its
 * functions. Loading one library when pstat starts would add 155,000 instructions to the 4.5
 * million instructions of `pstat -e cs true` (in an x86-64 virtual machine). A static pstat
 * contains the libraries and needs no wrappers.
 */
#include "util/base/late-libraries.h"

#ifdef LINKED_STATICALLY

#include <stddef.h>

bool late_libraries__have_jansson(void)
{
	return true;
}

/*
 * In a static pstat, the linker replaces calls to dlopen() with calls to this function, which loads
 * nothing. A static program can load libraries only if the installed C library has exactly the
 * version that the program contains. libdwfl calls dlopen() to load libdebuginfod, which pstat does
 * not need.
 */
void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file, (void)mode;
	return NULL;
}

#else

#include <dlfcn.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/base/log.h"

/* scripts/deb reads these names, and makes the package depend on the libraries. */
#define JANSSON "libjansson.so.4"
#define TRACEEVENT "libtraceevent.so.1"

struct library {
	/* `file`: the argument of dlopen(); `package`: the Debian package with this file */
	const char *file, *package;
	void *handle; /* stays open until pstat ends */
	bool is_tried;
};

static struct library jansson = { .file = JANSSON, .package = "libjansson4" };
static struct library traceevent = { .file = TRACEEVENT, .package = "libtraceevent1" };

/* C has no conversion from void * to a function pointer, but POSIX allows copying the bytes. */
bool late_libraries__look_up(void *library, const struct late_function *functions, size_t nr,
			     void *table)
{
	for (size_t i = 0; i < nr; i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return false;
		memcpy((char *)table + functions[i].at, &function, sizeof(function));
	}
	return true;
}

static void *find(struct library *library, const char *name)
{
	if (!library->is_tried) {
		library->is_tried = true;
		library->handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
		if (!library->handle)
			pr_warn("%s\ninstall the library (Debian's package %s)", dlerror(),
				library->package);
	}
	return library->handle ? dlsym(library->handle, name) : NULL;
}

bool late_libraries__have_jansson(void)
{
	return find(&jansson, "json_loadb");
}

static json_t *no_json(json_error_t *error)
{
	if (error)
		*error = (json_error_t){ .line = -1,
					 .column = -1,
					 .text = JANSSON " cannot be loaded" };
	return NULL;
}

#define FORWARD(library, result, name, parameters, arguments, otherwise) \
	result name parameters                                           \
	{                                                                \
		static result(*function) parameters;                     \
		void *found = function ? NULL : find(&(library), #name); \
                                                                         \
		if (found)                                               \
			memcpy(&function, &found, sizeof(function));     \
		return function ? function arguments : otherwise;        \
	}

FORWARD(jansson, json_t *, json_loadb,
	(const char *buffer, size_t len, size_t flags, json_error_t *error),
	(buffer, len, flags, error), no_json(error))
FORWARD(jansson, json_t *, json_load_file, (const char *path, size_t flags, json_error_t *error),
	(path, flags, error), no_json(error))
FORWARD(jansson, json_t *, json_object, (void), (), NULL)
FORWARD(jansson, json_t *, json_object_get, (const json_t *object, const char *key), (object, key),
	NULL)
FORWARD(jansson, int, json_object_set_new, (json_t * object, const char *key, json_t *value),
	(object, key, value), -1)
FORWARD(jansson, size_t, json_array_size, (const json_t *array), (array), 0)
FORWARD(jansson, json_t *, json_array_get, (const json_t *array, size_t index), (array, index),
	NULL)
FORWARD(jansson, const char *, json_string_value, (const json_t *string), (string), NULL)
FORWARD(jansson, json_int_t, json_integer_value, (const json_t *integer), (integer), 0)
FORWARD(jansson, double, json_number_value, (const json_t *number), (number), 0)
FORWARD(jansson, void, json_delete, (json_t * json), (json), (void)0)

FORWARD(traceevent, struct tep_handle *, tep_alloc, (void), (), NULL)
FORWARD(traceevent, void, tep_free, (struct tep_handle * tep), (tep), (void)0)
FORWARD(traceevent, void, tep_set_loglevel, (enum tep_loglevel level), (level), (void)0)
FORWARD(traceevent, enum tep_errno, tep_parse_format,
	(struct tep_handle * tep, struct tep_event **event, const char *text, unsigned long size,
	 const char *system),
	(tep, event, text, size, system), TEP_ERRNO__MEM_ALLOC_FAILED)

#endif
