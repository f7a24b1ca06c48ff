// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/code-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/string-set.h"
#include "util/machine/symbols/demangler.h"
#include "util/machine/symbols/kernel-symbols.h"
#include "util/machine/symbols/mapped-objects.h"
#include "util/machine/symbols/object.h"

#define UNKNOWN "[unknown]"
#define LONGEST_NAME 4096 /* in bytes; names of C++ templates can be longer than 1000 */

struct code_names {
	struct kernel_symbols *kernel;
	struct mapped_objects *objects;
	unsigned int source;	     /* what to find in the DWARF data: enum source_flags */
	struct demangler *demangler; /* NULL: names are not demangled */
	struct string_set *strings;
};

void code_names__free(struct code_names *names)
{
	if (!names)
		return;
	demangler__free(names->demangler);
	string_set__free(names->strings);
	free(names);
}

struct code_names *code_names__new(struct mapped_objects *objects, unsigned int flags)
{
	struct code_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	*names = (struct code_names){
		.objects = objects,
		.source = (flags & CODE_LINES ? SOURCE_LINES : 0) |
			  (flags & CODE_INLINED ? SOURCE_INLINED : 0),
	};
	names->strings = string_set__new();
	if (flags & CODE_DEMANGLE)
		names->demangler = demangler__new();
	if (names->strings && (names->demangler || !(flags & CODE_DEMANGLE)))
		return names;
	code_names__free(names);
	return NULL;
}

void code_names__set_kernel(struct code_names *names, struct kernel_symbols *kernel)
{
	names->kernel = kernel;
}

/*
 * Returns a copy of @string, or NULL if memory ran out. @names owns the copy. The copy is truncated
 * to LONGEST_NAME bytes, because a name in another user's file can be as long as the file.
 */
static const char *keep_string(struct code_names *names, const char *string)
{
	char cut[LONGEST_NAME + 1];
	size_t len = strnlen(string, LONGEST_NAME + 1);

	if (len <= LONGEST_NAME)
		return string_set__get(names->strings, string);
	memcpy(cut, string, LONGEST_NAME);
	cut[LONGEST_NAME] = '\0';
	return string_set__get(names->strings, cut);
}

/* Replaces the strings of @name with copies that @names owns. Returns 0 or -ENOMEM. */
static int keep(struct code_names *names, struct code_name *name)
{
	const char **strings[] = { &name->function, &name->object, &name->file };

	for (int i = 0; i < 3; i++) {
		if (!*strings[i])
			continue;
		*strings[i] = keep_string(names, *strings[i]);
		if (!*strings[i])
			return -ENOMEM;
	}
	return 0;
}

static int find_kernel(struct code_names *names, uint64_t address, struct code_name *name)
{
	struct kernel_symbol symbol;

	name->object = "kernel";
	if (names->kernel && !kernel_symbols__find(names->kernel, address, &symbol)) {
		name->function = symbol.name;
		name->object = symbol.object;
	}
	return keep(names, name);
}

/*
 * Sets `address` in @name, for a frame whose function is unknown (see struct code_name). @at is the
 * frame's file offset or its address in the process. It is used if @object is NULL, or if @place
 * has no link-time address.
 */
static void set_address(struct object *object, const struct code_place *place, uint64_t at,
			struct code_name *name)
{
	uint64_t start = object && place->address ? object__find_start(object, place) : 0;

	if (object && place->address)
		at = place->address;
	name->address = start ?: at - at % CODE_BLOCK;
	name->has_address = true;
}

/* Sets the function of @name to @symbol, demangled if requested. Returns 0 or -ENOMEM. */
static int set_function(struct code_names *names, const struct object *object, const char *symbol,
			struct code_name *name)
{
	name->function = symbol;
	if (names->demangler && symbol)
		name->function =
			demangler__name(names->demangler, symbol, object__is_trusted(object));
	return symbol && !name->function ? -ENOMEM : 0;
}

/*
 * Fills @found with the inlined functions and the source lines at @place. The last element is for
 * the function that contains the code. The caller sets `function` of this element. If nothing is
 * found, this is the only element, and it is not changed. Returns the number of elements, or
 * -ENOMEM.
 */
static int find_source(struct code_names *names, struct object *object,
		       const struct code_place *place, struct code_name *found)
{
	const struct source_frame *frames;
	int nr = -ENOENT, err = 0;

	_Static_assert(SOURCE_MOST_FRAMES <= CODE_MOST_NAMES, "all frames have room");
	if (names->source)
		nr = object__find_source(object, place, names->source, &frames);
	if (nr < 0)
		return 1;
	for (int i = 0; !err && i < nr; i++) {
		found[i] = (struct code_name){
			.object = object__name(object),
			.file = frames[i].file,
			.line = frames[i].line,
			.is_inlined = frames[i].function,
		};
		if (found[i].is_inlined)
			err = set_function(names, object,
					   *frames[i].function ? frames[i].function : UNKNOWN,
					   &found[i]);
		if (!err && found[i].is_inlined)
			err = keep(names, &found[i]);
	}
	return err ?: nr;
}

/*
 * Fills in @found for the code at @offset in @object. @at is the address in the process, or @offset
 * if the address is unknown. Returns the number of names, or -ENOMEM.
 */
static int find_in_object(struct code_names *names, struct object *object, uint64_t offset,
			  uint64_t at, struct code_name *found)
{
	struct code_name *name = found;
	struct code_place place;
	int nr, err;

	object__find(object, offset, &place);
	if (place.is_outside)
		return keep(names, name) ?: 1;
	nr = find_source(names, object, &place, found);
	if (nr < 0)
		return nr;
	name = &found[nr - 1];
	name->object = object__name(object);
	if (!place.function)
		set_address(object, &place, object__is_memory(object) ? at : offset, name);
	err = set_function(names, object, place.function, name);
	err = err ?: keep(names, name);
	return err ?: nr;
}

int code_names__find(struct code_names *names, pid_t pid, const struct code_frame *frame,
		     bool is_caller, struct code_name found[static CODE_MOST_NAMES])
{
	uint64_t at = frame->at - is_caller, offset = at;
	struct code_name *name = found;
	char hex[BUILD_ID_HEX_SIZE];
	struct object *object;

	*name = (struct code_name){ .object = UNKNOWN };
	if (frame->kind == CODE_KERNEL)
		return find_kernel(names, at, name) ?: 1;
	if (frame->kind == CODE_FILE)
		object = mapped_objects__by_build_id(names->objects, &frame->id);
	else
		object = mapped_objects__by_address(names->objects, pid, at, &offset);
	if (frame->kind == CODE_ADDRESS)
		name->function =
			mapped_objects__jit_function(names->objects, pid, at, &name->object);
	if (name->function)
		return keep(names, name) ?: 1;
	name->object = UNKNOWN;
	if (object)
		return find_in_object(names, object, offset, at, found);
	if (frame->kind == CODE_FILE) {
		build_id__hex(&frame->id, hex);
		name->object = hex;
		set_address(NULL, NULL, at, name);
	}
	return keep(names, name) ?: 1;
}

const char *code_name__short_object(const struct code_name *name)
{
	const char *slash = strrchr(name->object, '/');

	return slash && slash[1] ? slash + 1 : name->object;
}
