// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-damage.h"

#include <stddef.h>
#include <string.h>

#include "util/machine/symbols/elf-file.h"

#define NO_ADDRESS "the stack contains no return address there"
#define RETURNS_AGAIN "it stores its return address, and the program returns to it again later"
#define UNWINDS "it follows the return addresses on the stack"
#define KNOWS_CALLER "it finds out by its return address who called it"

/*
 * The functions that must not have a return probe, and the reasons. A name with a final '*' matches
 * all names that begin with the text before the '*'. has_name() ignores leading underscores,
 * because C libraries have aliases such as __setjmp.
 */
static const struct {
	const char *name, *why;
} functions[] = {
	{ "setjmp", RETURNS_AGAIN },
	{ "sigsetjmp", RETURNS_AGAIN },
	{ "getcontext", RETURNS_AGAIN },
	{ "swapcontext", RETURNS_AGAIN },
	{ "__cxa_throw", UNWINDS },
	{ "__cxa_rethrow", UNWINDS },
	{ "_Unwind_RaiseException", UNWINDS },
	{ "_Unwind_ForcedUnwind", UNWINDS },
	{ "_Unwind_Resume", UNWINDS },
	{ "_Unwind_Resume_or_Rethrow", UNWINDS },
	{ "uw_init_context_1", UNWINDS },
	/*
	 * std::rethrow_exception(); scope_damage__why() itself recognizes
	 * std::__throw_length_error() and similar functions
	 */
	{ "_ZSt17rethrow_exception*", UNWINDS },
	{ "dlopen", KNOWS_CALLER },
	{ "dlmopen", KNOWS_CALLER },
	{ "dlsym", KNOWS_CALLER },
	{ "dlvsym", KNOWS_CALLER },
	{ "__x86.get_pc_thunk.*", KNOWS_CALLER },
	{ "__morestack", KNOWS_CALLER },
};

/*
 * Symbols of the C library and the loader. The code at these symbols is not reached by a call. A
 * final '*' matches any text.
 */
static const char *const uncalled[] = {
	"__restore_rt",
	"_dl_start_user",
	"_dl_runtime_resolve*",
	"_dl_runtime_profile*",
};

static bool has_name(const char *name, const char *pattern)
{
	size_t len;

	name += strspn(name, "_");
	pattern += strspn(pattern, "_");
	len = strlen(pattern);
	if (pattern[len - 1] == '*')
		return !strncmp(name, pattern, len - 1);
	return !strcmp(name, pattern);
}

static bool is_uncalled(const char *name)
{
	for (size_t i = 0; i < sizeof(uncalled) / sizeof(uncalled[0]); i++)
		if (has_name(name, uncalled[i]))
			return true;
	return false;
}

static bool is_entry_point(const struct elf_file *file, uint64_t address)
{
	return address && address == file->header.e_entry;
}

bool scope_damage__is_cold_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && cold != name && (!cold[5] || cold[5] == '.');
}

const char *scope_damage__why(const struct elf_file *file, const char *name, uint64_t address,
			      bool *is_function)
{
	*is_function = false;
	if (is_entry_point(file, address))
		return "the program begins there, so " NO_ADDRESS;
	if (name && scope_damage__is_cold_part(name))
		return "it is a part of a function that jumps to it, so " NO_ADDRESS;
	*is_function = true;
	if (!name)
		return NULL;
	if (is_uncalled(name))
		return NO_ADDRESS;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (has_name(name, functions[i].name))
			return functions[i].why;
	return !strncmp(name, "_ZSt", 4) && strstr(name, "__throw_") ? UNWINDS : NULL;
}

bool scope_damage__is_called(const struct elf_file *file, const char *name, uint64_t address)
{
	return !is_entry_point(file, address) && !scope_damage__is_cold_part(name) &&
	       !is_uncalled(name);
}

/* Returns whether @text occurs in the name of a symbol, defined or undefined. */
static bool have_text(const struct elf_names *names, const char *text)
{
	return memmem(names->text, names->size, text, strlen(text));
}

bool scope_damage__has_exceptions(const struct elf_file *file)
{
	/* parts of the names of functions that throw, or that find exception handlers */
	static const char *const signs[] = { "__cxa_throw",	    "__throw_",
					     "__gxx_personality_",  "eh_personality",
					     "__gnat_personality_", "__objc_personality_",
					     "__gdc_personality_" };
	Elf_Scn *section = NULL;
	struct elf_names names;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
		    elf_file__names(file, header.sh_link, &names))
			continue;
		for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
			if (have_text(&names, signs[i]))
				return true;
	}
	return false;
}
