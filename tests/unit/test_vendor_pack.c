// SPDX-License-Identifier: GPL-2.0-only
/* Packed files of vendors' events: the records that are found, and corrupt files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>

#include "tests/unit/fake-tree.h"
#include "tests/unit/make-pack.h"
#include "util/event/vendor-pack.h"
#include "util/machine/cpu/cpuid.h"

#define MODELS                                                                                 \
	"model 1 GenuineIntel-6-55-[01234]\nmodel 2 GenuineIntel-6-55-[56789ABCDEF]\nmodel 3 " \
	"0x410fd030\n"

static struct fake_tree tree;

static int make_tree(void **state)
{
	(void)state;
	fake_tree__init(&tree);
	return 0;
}

static int free_tree(void **state)
{
	(void)state;
	fake_tree__free(&tree);
	return 0;
}

static int open_bytes(const void *bytes, size_t len, struct vendor_pack **pack, struct strbuf *why)
{
	char path[64];

	fake_tree__write_bytes(&tree, bytes, len, "pack");
	snprintf(path, sizeof(path), "%s/pack", tree.root);
	return vendor_pack__open(path, pack, why);
}

static int add_record(const struct vendor_record *record, void *arg)
{
	strbuf__addf(arg, "%.*s|%.*s|%.*s ", (int)record->key_len, record->key,
		     (int)record->models_len, record->models, (int)record->json_len, record->json);
	return 0;
}

static void check_found(struct vendor_pack *pack, const char *kind, const char *key,
			const char *expected)
{
	struct strbuf got = STRBUF_INIT, why = STRBUF_INIT;

	assert_int_equal(vendor_pack__for_each(pack, kind, key, add_record, &got, &why), 0);
	assert_string_equal(got.text, expected);
	assert_int_equal(why.len, 0);
	strbuf__free(&got);
	strbuf__free(&why);
}

static void add_text(struct made_pack *made, const char *kind, const char *key, const char *text)
{
	made_pack__add(made, kind, key, text, strlen(text));
}

static void a_key_is_found_in_every_block_that_has_it(void **state)
{
	struct made_pack made = MADE_PACK_INIT;
	struct strbuf file = STRBUF_INIT, why = STRBUF_INIT;
	struct vendor_pack *pack;

	(void)state;
	add_text(&made, "event", "a", "a\t1\t{}\nb\t1,2\t{\"x\":1}\nc\t2\t1\n");
	add_text(&made, "event", "c", "c\t3\t2\n");
	add_text(&made, "event", "c", "c\t4\t3\nd\t1\t4\n");
	add_text(&made, "group", "a", "a\t1\t\"words\"\n");
	add_text(&made, "metric", "b", "b\t1\t5\n");
	made_pack__finish(&made, MODELS, &file);
	assert_int_equal(open_bytes(file.text, file.len, &pack, &why), 0);
	check_found(pack, "event", "a", "a|1|{} ");
	check_found(pack, "event", "b", "b|1,2|{\"x\":1} ");
	check_found(pack, "event", "c", "c|2|1 c|3|2 c|4|3 ");
	check_found(pack, "event", "d", "d|1|4 ");
	check_found(pack, "event", "", "");
	check_found(pack, "event", "bb", "");
	check_found(pack, "event", "e", "");
	check_found(pack, "group", "a", "a|1|\"words\" ");
	check_found(pack, "metric", "a", "");
	check_found(pack, "metric", "b", "b|1|5 ");
	check_found(pack, "nothing", NULL, "");
	check_found(pack, "event", NULL, "a|1|{} b|1,2|{\"x\":1} c|2|1 c|3|2 c|4|3 d|1|4 ");
	vendor_pack__free(pack);
	strbuf__free(&file);
}

static void the_first_line_that_matches_is_the_model(void **state)
{
	static const struct {
		const char *id;
		int model;
	} rows[] = {
		{ "GenuineIntel-6-55-4", 1 },	    { "GenuineIntel-6-55-7", 2 },
		{ "0x00000000410fd034", 3 },	    { "GenuineIntel-6-56-7", -ENOENT },
		{ "AuthenticAMD-6-55-4", -ENOENT },
	};
	struct made_pack made = MADE_PACK_INIT;
	struct strbuf file = STRBUF_INIT, why = STRBUF_INIT;
	struct vendor_pack *pack;

	(void)state;
	made_pack__finish(&made, MODELS "model 9 GenuineIntel-6-55-4\n", &file);
	assert_int_equal(open_bytes(file.text, file.len, &pack, &why), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpuid id = { .cpu = -1 };

		strcpy(id.text, rows[i].id);
		assert_int_equal(vendor_pack__model(pack, &id), rows[i].model);
	}
	vendor_pack__free(pack);
	strbuf__free(&file);
}

static void a_record_lists_its_models(void **state)
{
	static const struct {
		const char *models;
		int model, has;
	} rows[] = {
		{ "1,2,30", 1, 1 }, { "1,2,30", 2, 1 }, { "1,2,30", 30, 1 },
		{ "1,2,30", 3, 0 }, { "1,2,30", 0, 0 }, { "0", 0, 1 },
		{ "0", 1, 0 },	    { "x,7", 7, 1 },	{ "99999999999999", 9, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vendor_record record = { .models = rows[i].models,
						.models_len = strlen(rows[i].models) };

		assert_int_equal(vendor_record__has_model(&record, rows[i].model), rows[i].has);
	}
}

static void a_file_that_is_not_a_pack_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "its header does not end" },
		{ "pstat events 1\n", "its header does not end" },
		{ "[{}]\n\n", "it does not begin with \"pstat events 1\"" },
		{ "pstat events 2\n\n", "it does not begin with \"pstat events 1\"" },
		{ "pstat events 1\nblock event 1 2\n\n", "a line of its header is malformed" },
		{ "pstat events 1\nblock\n\n", NULL },
		{ "pstat events 1\nblock \n\n", "a line of its header is malformed" },
		{ "pstat events 1\nblock event -1 2 3 a\n\n", "a line of its header is malformed" },
		{ "pstat events 1\nblock event 0 2 9999999 a\n\n",
		  "a line of its header is malformed" },
		{ "pstat events 1\nblock event 99999999999999999999 2 3 a\n\n",
		  "a line of its header is malformed" },
		{ "pstat events 1\nmodel 0 x\n\n", "a line of its header is malformed" },
		{ "pstat events 1\nmodel x\n\n", "a line of its header is malformed" },
		{ "pstat events 1\nfrom elsewhere\n\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct strbuf why = STRBUF_INIT, expected = STRBUF_INIT;
		struct vendor_pack *pack = NULL;
		int err = open_bytes(rows[i].text, strlen(rows[i].text), &pack, &why);

		assert_int_equal(err, rows[i].why ? -EINVAL : 0);
		if (rows[i].why)
			strbuf__addf(&expected, "%s/pack: %s\n", tree.root, rows[i].why);
		assert_string_equal(why.text, expected.text);
		strbuf__free(&why);
		strbuf__free(&expected);
		vendor_pack__free(pack);
	}
}

/* 200 blocks of a megabyte would use 200 megabytes of memory over time. */
static void a_file_that_unpacks_to_too_many_bytes_is_refused(void **state)
{
	struct strbuf file = STRBUF_INIT, why = STRBUF_INIT;
	struct vendor_pack *pack = NULL;

	(void)state;
	strbuf__adds(&file, "pstat events 1\n");
	for (int i = 0; i < 200; i++)
		strbuf__addf(&file, "block event 0 1024 1048576 %03d\n", i);
	strbuf__addc(&file, '\n');
	assert_int_equal(open_bytes(file.text, file.len, &pack, &why), -EINVAL);
	assert_non_null(strstr(why.text, "it is too large after decompression"));
	strbuf__free(&file);
	strbuf__free(&why);
}

static void a_file_that_is_not_regular_is_refused(void **state)
{
	struct strbuf why = STRBUF_INIT;
	struct vendor_pack *pack = NULL;
	char path[64];

	(void)state;
	assert_int_equal(vendor_pack__open("/nonexistent", &pack, &why), -ENOENT);
	assert_int_equal(why.len, 0);
	assert_int_equal(vendor_pack__open(tree.root, &pack, &why), -EINVAL);
	snprintf(path, sizeof(path), "%s/fifo", tree.root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(vendor_pack__open(path, &pack, &why), -EINVAL);
	assert_non_null(strstr(why.text, "fifo: not a regular file, or too large\n"));
	strbuf__free(&why);
}

static void check_damaged(const struct strbuf *file, const char *expected)
{
	struct strbuf got = STRBUF_INIT, why = STRBUF_INIT;
	struct vendor_pack *pack;

	assert_int_equal(open_bytes(file->text, file->len, &pack, &why), 0);
	assert_int_equal(vendor_pack__for_each(pack, "event", "k", add_record, &got, &why),
			 -EINVAL);
	assert_string_equal(why.text, expected);
	/* A second look-up reports the error again, and does not use the rest of the block. */
	assert_int_equal(vendor_pack__for_each(pack, "event", NULL, add_record, &got, &why),
			 -EINVAL);
	vendor_pack__free(pack);
	strbuf__free(&got);
	strbuf__free(&why);
}

static void a_damaged_block_is_named_by_its_first_key(void **state)
{
	static const char damaged[] = "the block that begins with 'k' is damaged\n";
	struct strbuf whole = STRBUF_INIT, file = STRBUF_INIT;
	struct made_pack made = MADE_PACK_INIT;
	size_t head;

	(void)state;
	add_text(&made, "event", "k", "k\t1\t{}\n");
	made_pack__finish(&made, MODELS, &whole);
	head = (size_t)(strstr(whole.text, "\n\n") - whole.text) + 2;
	strbuf__add(&file, whole.text, whole.len - 1); /* truncated */
	check_damaged(&file, damaged);
	strbuf__reset(&file);
	strbuf__add(&file, whole.text, whole.len); /* other bytes */
	file.text[head + 4] ^= 0x55;
	check_damaged(&file, damaged);
	strbuf__reset(&file);
	strbuf__adds(&file, "pstat events 1\nblock event 4000000 10 10 k\n\n"); /* after the end */
	check_damaged(&file, damaged);
	strbuf__free(&file);
	strbuf__free(&whole);
}

static void invalid_records_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "k\n", "a record after 'k' is malformed\n" },
		{ "k\t1\n", "a record after 'k' is malformed\n" },
		{ "\n", "a record after 'k' is malformed\n" },
		{ "k\t1\t{}", "the block that begins with 'k' is damaged\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made_pack made = MADE_PACK_INIT;
		struct strbuf file = STRBUF_INIT;

		add_text(&made, "event", "k", rows[i].text);
		made_pack__finish(&made, MODELS, &file);
		check_damaged(&file, rows[i].why);
		strbuf__free(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_found_in_every_block_that_has_it),
		cmocka_unit_test(the_first_line_that_matches_is_the_model),
		cmocka_unit_test(a_record_lists_its_models),
		cmocka_unit_test(a_file_that_is_not_a_pack_is_refused),
		cmocka_unit_test(a_file_that_unpacks_to_too_many_bytes_is_refused),
		cmocka_unit_test(a_file_that_is_not_regular_is_refused),
		cmocka_unit_test(a_damaged_block_is_named_by_its_first_key),
		cmocka_unit_test(invalid_records_are_refused),
	};

	return cmocka_run_group_tests(tests, make_tree, free_tree);
}
