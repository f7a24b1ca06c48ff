// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resolves mem:ADDRESS and mem:SYMBOL. The symbol belongs to the counted program. If the program is
 * position-independent and not yet running, the address of the symbol is known only after exec. In
 * this case, evsel->symbol_file names the program's file, and pstat sets the breakpoint's address
 * before the program executes its first instruction.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/ast.h"
#include "util/event/evsel.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/resolve.h"
#include "util/event/resolver.h"
#include "util/event/terms.h"
#include "util/machine/symbols/elf-symbol.h"

/*
 * The default length of a breakpoint on execution: the size of a long, except on arm64, where it is
 * the size of an instruction.
 */
#ifdef __aarch64__
#define EXECUTION_LEN HW_BREAKPOINT_LEN_4
#else
#define EXECUTION_LEN sizeof(long)
#endif

static uint64_t default_len(uint32_t access)
{
	return access == HW_BREAKPOINT_X ? EXECUTION_LEN : HW_BREAKPOINT_LEN_4;
}

static bool is_len(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Returns the largest valid breakpoint length that does not exceed @size bytes. */
static unsigned int len_within(uint64_t size)
{
	unsigned int len = 8;

	while (len > size)
		len /= 2;
	return len;
}

/*
 * Sets the length to @size, the size of the variable @name, unless the user gave a length. Keeps
 * the default length for a breakpoint on execution, and for a symbol without a size (from assembly
 * code). Returns 0; or -EINVAL, with r->error set, if a breakpoint cannot have this length.
 */
static int set_len(struct resolver *r, const struct ast_event *event, const char *name,
		   uint64_t size, struct perf_event_attr *attr)
{
	if (event->len || attr->bp_type == HW_BREAKPOINT_X || !size)
		return 0;
	if (!is_len(size))
		return parse_error__set(r->error, event->name.column,
					"'%s' has %" PRIu64
					" bytes, but a breakpoint watches 1, 2, 4 or 8: "
					"mem:%s/%u watches the first %u",
					name, size, name, len_within(size), len_within(size));
	attr->bp_len = size;
	return 0;
}

struct offer {
	struct near_names *near;
	const char *wanted;
};

static void offer_name(const char *name, void *arg)
{
	struct offer *offer = arg;

	near_names__offer(offer->near, offer->wanted, name);
}

static int explain_symbol(struct resolver *r, const struct ast_event *event, const char *name,
			  int err)
{
	const struct symbol_source *source = r->env->symbols;

	if (!source || !source->file)
		return parse_error__set(r->error, event->name.column,
					"'%s' is not an address, and cannot be a symbol: %s", name,
					source && source->why_not ?
						source->why_not :
						"there is no program: count a command, or a "
						"process with -p");
	parse_error__set(r->error, event->name.column,
			 "'%s' is neither an address nor a symbol of %s: %s", name, source->file,
			 elf_symbol__strerror(err));
	if (err == -ENOENT)
		elf_symbol__for_each(source->file, offer_name,
				     &(struct offer){ &r->error->near, name });
	return -EINVAL;
}

static int set_symbol(struct resolver *r, const struct ast_event *event, struct evsel *evsel)
{
	const struct symbol_source *source = r->env->symbols;
	struct perf_event_attr *attr = &evsel->attr.attr;
	struct elf_symbol symbol;
	char name[256];
	int err;

	if (!span__copy(&event->name, name, sizeof(name)))
		return parse_error__set(r->error, event->name.column,
					"neither an address nor the name of a symbol");
	if (!source || !source->file)
		return explain_symbol(r, event, name, -ENOENT);
	err = elf_symbol__find(source->file, name, &symbol);
	if (err)
		return explain_symbol(r, event, name, err);
	attr->bp_addr = symbol.address;
	err = set_len(r, event, name, symbol.size, attr);
	if (err)
		return err;
	if (!symbol.relative)
		return 0;
	if (source->running) {
		attr->bp_addr += source->bias;
		return 0;
	}
	evsel->symbol_file = strdup(source->file);
	return evsel->symbol_file ? 0 : -ENOMEM;
}

int breakpoint__resolve(struct resolver *r, const struct ast_event *event)
{
	uint32_t access = event->access ? event->access : HW_BREAKPOINT_RW;
	struct evsel *evsel = resolver__new_evsel(PERF_TYPE_BREAKPOINT, 0);
	struct span name = event->text;
	int err = 0;

	if (!evsel)
		return -ENOMEM;
	evsel->attr.attr.bp_type = access;
	evsel->attr.attr.bp_addr = event->address;
	evsel->attr.attr.bp_len = event->len ?: default_len(access);
	if (!event->has_address)
		err = set_symbol(r, event, evsel);
	err = err ?: terms__apply_all(r, event, evsel);
	if (err) {
		evsel__free(evsel);
		return err;
	}
	/*
	 * as in perf, if a breakpoint on an address has a length and no terms, the event's name
	 * contains neither the length nor what follows it (the access and the modifiers)
	 */
	if (event->len_given && event->has_address && !event->slashes)
		name.len = (size_t)((char *)memchr(name.s, '/', name.len) - name.s);
	return resolver__add(r, event, evsel, &name);
}
