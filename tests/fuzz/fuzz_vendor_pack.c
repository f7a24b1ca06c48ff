// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads packed files of vendors' events. The first byte determines how the rest becomes a file:
 * unchanged, or as records that are sorted and packed into blocks whose size is the second byte. In
 * the second case, every record must be found by its key.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "tests/unit/make-pack.h"
#include "util/base/log.h"
#include "util/event/vendor-pack.h"
#include "util/event/vendor.h"
#include "util/machine/cpu/cpuid.h"
#include "util/machine/pmu/pmu.h"
#include "util/metric/metric-table.h"
#include "util/metric/metric-file.h"

#define LINES_MAX 256

static char path[160], vendor_dir[160];
static struct pmu *cpu;

static void free_pmu(void)
{
	pmu__free(cpu);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	machine__init();
	fake_roots__file(
		&machine, "proc/cpuinfo",
		"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n");
	fake_roots__pmu_file(&machine, "cpu", "type", "4\n");
	snprintf(vendor_dir, sizeof(vendor_dir), "%s/events", machine.dir);
	snprintf(path, sizeof(path), "%s/x86.events", vendor_dir);
	cpu = pmu__new(&machine.roots, "cpu");
	if (!cpu || pmu__load(cpu))
		abort();
	atexit(free_pmu);
	return 0;
}

struct seen {
	struct vendor_pack *pack;
	int nr;
	char keys[LINES_MAX][64];
};

static int count(const struct vendor_record *record, void *arg)
{
	(void)record;
	++*(int *)arg;
	return 0;
}

static int keep(const struct vendor_record *record, void *arg)
{
	struct seen *seen = arg;

	if (record->key_len >= sizeof(seen->keys[0]) || memchr(record->key, '\0', record->key_len))
		return 0;
	memcpy(seen->keys[seen->nr], record->key, record->key_len);
	seen->keys[seen->nr++][record->key_len] = '\0';
	vendor_record__has_model(record, 1);
	return seen->nr == LINES_MAX;
}

/* @good: whether the file is valid. */
static void read_pack(bool good)
{
	static struct seen seen;
	struct strbuf why = STRBUF_INIT;
	struct vendor_pack *pack;
	int err = vendor_pack__open(path, &pack, &why);

	if (good && err)
		abort();
	if (!err) {
		seen.nr = 0;
		if (vendor_pack__for_each(pack, VENDOR_PACK_EVENT, NULL, keep, &seen, &why) < 0 &&
		    (good || !why.len))
			abort();
		for (int i = 0; i < seen.nr; i++) {
			int nr = 0;

			vendor_pack__for_each(pack, VENDOR_PACK_EVENT, seen.keys[i], count, &nr,
					      &why);
			if (good && !nr)
				abort();
		}
		vendor_pack__free(pack);
	}
	strbuf__free(&why);
}

static int pass_group(const char *group, const char *text, void *arg)
{
	(void)arg;
	return !group || !text;
}

/* Does what pstat does with such a folder: looks up one name, all names, and metrics. */
static void read_vendor(void)
{
	struct vendor *vendor = vendor__new(vendor_dir, &machine.roots);
	struct metric_table *table = metric_table__new();
	const struct vendor_event *event, *before = NULL;

	if (!vendor || !table)
		abort();
	event = vendor__find(vendor, "a", cpu);
	if (event && strcmp(event->name, "a") != 0)
		abort();
	for (int i = 0; (event = vendor__get(vendor, i)); i++) {
		if (before && strcmp(before->name, event->name) > 0)
			abort();
		before = event;
	}
	metric_file__load_vendor(vendor, &machine.roots, table);
	if (vendor__for_each_group(vendor, pass_group, NULL) > 0)
		abort();
	metric_table__free(table);
	vendor__free(vendor);
}

static void write_file(const char *bytes, size_t len)
{
	if (made_files__write(machine.dir, "events/x86.events", bytes, len))
		abort();
}

/*
 * Compares two lines by their keys, which end at a tab. The rest of the lines must not affect the
 * order.
 */
static int compare(const void *a, const void *b)
{
	const char *left = *(char *const *)a, *right = *(char *const *)b;
	size_t left_len = strcspn(left, "\t"), right_len = strcspn(right, "\t");
	int order = memcmp(left, right, left_len < right_len ? left_len : right_len);

	return order ?: (left_len > right_len) - (left_len < right_len);
}

/* Lines of the form "KEY MODELS JSON", in any order. */
static int take_lines(char *text, char **lines)
{
	int nr = 0;

	for (char *line; nr < LINES_MAX && (line = strsep(&text, "\n"));) {
		char *space = strchr(line, ' '), *second = space ? strchr(space + 1, ' ') : NULL;

		if (!second || strchr(line, '\t'))
			continue;
		*space = *second = '\t';
		lines[nr++] = line;
	}
	if (nr)
		qsort(lines, (size_t)nr, sizeof(*lines), compare);
	return nr;
}

static void pack_kind(struct made_pack *made, const char *kind, char **lines, int nr, size_t block)
{
	struct strbuf text = STRBUF_INIT;
	const char *key = NULL;

	for (int i = 0; i < nr; i++) {
		if (!key)
			key = lines[i];
		strbuf__addf(&text, "%s\n", lines[i]);
		if (text.len < block && i + 1 < nr)
			continue;
		key = strndup(key, strcspn(key, "\t"));
		made_pack__add(made, kind, key, text.text, text.len);
		free((char *)key);
		strbuf__reset(&text);
		key = NULL;
	}
	strbuf__free(&text);
}

static void try_records(char *text, size_t block)
{
	struct made_pack made = MADE_PACK_INIT;
	struct strbuf file = STRBUF_INIT;
	char *lines[LINES_MAX] = { NULL };
	int nr = take_lines(text, lines);

	pack_kind(&made, VENDOR_PACK_EVENT, lines, nr, block);
	pack_kind(&made, VENDOR_PACK_GROUP, lines, nr, block);
	pack_kind(&made, VENDOR_PACK_METRIC, lines, nr, block);
	made_pack__finish(&made, "model 1 GenuineIntel-6-55-4\n", &file);
	write_file(file.text, file.len);
	strbuf__free(&file);
	read_pack(true);
	read_vendor();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 2)
		return 0;
	if (data[0] % 2 == 0) {
		write_file((const char *)data + 1, size - 1);
		read_pack(false);
		read_vendor();
		return 0;
	}
	text = strndup((const char *)data + 2, size - 2);
	if (!text)
		abort();
	try_records(text, data[1]);
	free(text);
	return 0;
}
