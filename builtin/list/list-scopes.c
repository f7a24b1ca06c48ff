// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list.h"

#include <errno.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/list/list-match.h"
#include "builtin/list/list-options.h"
#include "builtin/list/list-print.h"
#include "util/base/json-writer.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope-contents.h"
#include "util/machine/scope/scope.h"

#define NAME_WIDTH 50

struct lister {
	const struct list_options *options;
	struct list_out *out;
	struct strbuf line;
	int nr;
	int write_err; /* 0, or -errno if the list cannot be written */
};

static bool matches(const char *glob, const char *name)
{
	return name && list_match__name(glob, name);
}

/*
 * The names in @aliases are separated by spaces. If memory runs out, returns false and sets
 * @errors->failed.
 */
static bool matches_alias(const char *glob, const char *aliases, struct strbuf *errors)
{
	for (size_t len; *(aliases += strspn(aliases, " ")); aliases += len) {
		len = strcspn(aliases, " ");
		if (list_match__part(glob, aliases, len, errors))
			return true;
	}
	return false;
}

/*
 * Returns whether a glob matches the name, the symbol or an alias of a function, or the provider or
 * the name of a USDT point. Returns true if there is no glob after FILE (globs[0]). If memory runs
 * out, sets @lister->line.failed.
 */
static bool is_wanted(struct lister *lister, const struct listed_point *point)
{
	const struct event_query *query = &lister->options->query;

	for (int i = 1; i < query->nr_globs; i++) {
		const char *glob = lister->options->globs[i];

		if (matches(glob, point->name) || matches(glob, point->symbol) ||
		    matches(glob, point->provider) ||
		    (point->aliases && matches_alias(glob, point->aliases, &lister->line)))
			return true;
	}
	return query->nr_globs == 1;
}

static void add_details(struct strbuf *sb, const struct listed_point *point)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__addf(&text, "Address: %#llx", (unsigned long long)point->address);
	if (point->is_usdt && *point->arguments)
		strbuf__addf(&text, ", arguments: %s", point->arguments);
	if (!point->is_usdt && strcmp(point->symbol, point->name) != 0)
		strbuf__addf(&text, ", symbol: %s", point->symbol);
	if (!point->is_usdt && *point->aliases)
		strbuf__addf(&text, ", aliases: %s", point->aliases);
	list_print__add_description(sb, text.text);
	sb->failed |= strbuf__failed(&text);
	strbuf__free(&text);
}

static void add_text(struct lister *lister, const struct listed_point *point)
{
	const struct list_style *style = &lister->options->style;
	struct strbuf *sb = &lister->line;
	size_t start;

	if (style->names_only || style->raw_dump) {
		strbuf__add_clean(sb, point->spec);
		strbuf__addc(sb, '\n');
		return;
	}
	strbuf__adds(sb, "  ");
	start = sb->len;
	strbuf__add_clean(sb, point->spec);
	strbuf__addf(sb, "%*s [",
		     sb->len - start < NAME_WIDTH ? (int)(NAME_WIDTH - (sb->len - start)) : 0, "");
	if (!point->is_usdt)
		strbuf__adds(sb, "Function");
	else
		strbuf__adds(sb, "USDT point");
	if (!point->is_usdt && point->size)
		strbuf__addf(sb, ", %llu bytes", (unsigned long long)point->size);
	if (point->nr_places > 1)
		strbuf__addf(sb, ", %d places", point->nr_places);
	if (point->has_semaphore)
		strbuf__adds(sb, ", semaphore");
	strbuf__adds(sb, "]\n");
	if (style->encodings)
		add_details(sb, point);
}

static void add_json(struct lister *lister, const struct listed_point *point)
{
	struct strbuf address = STRBUF_INIT;
	struct json_writer w;

	strbuf__adds(&lister->line, lister->out->begun ? ",\n" : "\n");
	strbuf__addf(&address, "%#llx", (unsigned long long)point->address);
	json__begin(&w, &lister->line);
	json__string(&w, "Scope", point->spec);
	json__string(&w, "Type", point->is_usdt ? "USDT point" : "Function");
	if (point->is_usdt) {
		json__string(&w, "Provider", point->provider);
		json__string(&w, "Name", point->name);
		json__uint(&w, "Places", (uint64_t)point->nr_places);
		json__raw(&w, "Semaphore", point->has_semaphore ? "true" : "false");
		json__string(&w, "Arguments", point->arguments);
	} else {
		json__string(&w, "Name", point->name);
		json__string(&w, "Symbol", point->symbol);
		if (*point->aliases)
			json__string(&w, "Aliases", point->aliases);
		json__uint(&w, "Size", point->size);
	}
	json__string(&w, "Address", address.text);
	json__end(&w);
	strbuf__free(&address);
}

static int list_one(const struct listed_point *point, void *arg)
{
	struct lister *lister = arg;

	if (!is_wanted(lister, point))
		return strbuf__failed(&lister->line) ? -ENOMEM : 0;
	if (lister->options->style.json)
		add_json(lister, point);
	else
		add_text(lister, point);
	lister->out->begun = true;
	lister->nr++;
	if (strbuf__failed(&lister->line))
		return -ENOMEM;
	if (fputs(lister->line.text, lister->out->file) < 0)
		lister->write_err = errno ? -errno : -EIO;
	strbuf__reset(&lister->line);
	return lister->write_err;
}

int list_scopes(const struct list_options *options, struct list_out *out)
{
	const struct scope_env env = { .roots = sysroots__host() };
	struct lister lister = { .options = options, .out = out, .line = STRBUF_INIT };
	struct strbuf why = STRBUF_INIT;
	int err;

	if (!options->query.nr_globs) {
		pr_err("scopes: the file is missing\nwrite `pstat list scopes FILE`, where FILE is "
		       "a path, a library or a command");
		return EXIT_USAGE;
	}
	err = scope_contents__each(&env, options->globs[0], list_one, &lister, &why);
	if (lister.write_err)
		pr_err("cannot write the list: %s", strerror(-err));
	else if (err)
		pr_err("%s", reason__text(&why, err));
	else if (!lister.nr && !options->style.raw_dump)
		pr_warn("%s has no function and no USDT point that matches %s", options->globs[0],
			options->query.nr_globs > 1 ? options->globs[1] : "");
	strbuf__free(&lister.line);
	strbuf__free(&why);
	return !err ? 0 : lister.write_err || err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}
