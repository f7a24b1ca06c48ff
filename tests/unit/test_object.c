// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/one-tree.h"

#include <errno.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/mapped-objects.h"
#include "util/machine/symbols/object.h"

/* The function that the tests look up in this program. */
static int wanted_line;
static int __attribute__((noinline)) function_of_this_test(void)
{
	wanted_line = __LINE__; /* the function consists of this line and the next */
	return wanted_line;
}

static uint64_t own_address(void)
{
	function_of_this_test();
	return (uint64_t)(uintptr_t)function_of_this_test;
}

/* Returns the offset of the function in this program's file, from the list of mappings. */
static uint64_t own_offset(struct build_id *id)
{
	struct mapped_objects *objects = mapped_objects__new(sysroots__host(), "/no/such");
	const struct object *object;
	uint64_t offset = 0;

	assert_int_equal(mapped_objects__add_process(objects, getpid()), 0);
	object = mapped_objects__by_address(objects, getpid(), own_address(), &offset);
	assert_non_null(object);
	*id = *object__build_id(object);
	assert_true(build_id__is_set(id));
	mapped_objects__free(objects);
	return offset;
}

static void expect_function(struct object *object, uint64_t offset, bool with_line)
{
	const struct source_frame *frames;
	struct code_place place;

	object__find(object, offset + 1, &place);
	assert_non_null(place.function);
	assert_string_equal(place.function, "function_of_this_test");
	assert_int_equal(place.offset, 1);
	assert_null(object__why_no_symbols(object));
	assert_int_equal(object__find_source(object, &place, SOURCE_LINES, &frames),
			 with_line ? 1 : -ENOENT);
	if (with_line) {
		const char *slash = strrchr(frames->file, '/');

		assert_string_equal(slash ? slash + 1 : frames->file, "test_object.c");
		assert_in_range(frames->line, wanted_line - 2, wanted_line + 1);
	}
}

static void own_program(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);

	assert_true(len > 0);
	path[len] = '\0';
}

static void functions_and_lines_are_found_by_offset(void **state)
{
	struct object *object;
	char path[PATH_MAX];
	struct build_id id;
	uint64_t offset = own_offset(&id);

	(void)state;
	own_program(path, sizeof(path));
	object = object__new("own", path, &id, "/no/such");
	expect_function(object, offset, true);
	object__free(object);
}

static void a_file_is_found_by_build_id_and_by_address(void **state)
{
	struct mapped_objects *objects = mapped_objects__new(sysroots__host(), "/no/such");
	struct build_id id;
	uint64_t offset = own_offset(&id), other;
	struct object *object;

	(void)state;
	assert_null(mapped_objects__by_build_id(objects, &id));
	assert_int_equal(mapped_objects__add_process(objects, getpid()), 0);
	object = mapped_objects__by_build_id(objects, &id);
	assert_non_null(object);
	expect_function(object, offset, true);
	assert_ptr_equal(mapped_objects__by_address(objects, getpid(), own_address(), &other),
			 object);
	assert_int_equal(other, offset);
	assert_null(mapped_objects__by_address(objects, getpid(), 16, &other));
	mapped_objects__free(objects);
}

__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...)
{
	char command[4 * PATH_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	assert_int_equal(system(command), 0);
}

/* Makes a copy of this program without symbols and, on request, its debug file below the tree. */
static struct object *stripped(bool with_debug, const char *debug_dirs, uint64_t *offset)
{
	char path[PATH_MAX], copy[64], hex[BUILD_ID_HEX_SIZE];
	struct build_id id;

	*offset = own_offset(&id);
	own_program(path, sizeof(path));
	build_id__hex(&id, hex);
	snprintf(copy, sizeof(copy), "%s/copy%d", tree.root, with_debug);
	shell("strip -o %s %s", copy, path);
	if (with_debug)
		shell("mkdir -p %s/debug/.build-id/%.2s && objcopy --only-keep-debug %s "
		      "%s/debug/.build-id/%.2s/%s.debug",
		      tree.root, hex, path, tree.root, hex, hex + 2);
	return object__new("copy", copy, &id, debug_dirs);
}

static void functions_of_a_stripped_file_are_found_in_its_debug_file(void **state)
{
	struct object *object;
	uint64_t offset;
	char dirs[64];

	(void)state;
	snprintf(dirs, sizeof(dirs), "/no/such:%s/debug", tree.root);
	object = stripped(true, dirs, &offset);
	expect_function(object, offset, true);
	object__free(object);
}

static void a_missing_debug_file_is_reported(void **state)
{
	const struct source_frame *frames;
	struct code_place place;
	struct object *object;
	uint64_t offset;

	(void)state;
	object = stripped(false, "/no/such", &offset);
	object__find(object, offset, &place);
	/* the exported functions remain, if there are any */
	assert_true(!place.function || strcmp(place.function, "function_of_this_test") != 0);
	assert_int_equal(object__find_source(object, &place, SOURCE_LINES, &frames), -ENOENT);
	object__free(object);
}

/* Returns the start of the function from this program's symbols. */
static uint64_t own_start(uint64_t offset)
{
	struct code_place place;
	struct object *object;
	char path[PATH_MAX];
	uint64_t start;

	own_program(path, sizeof(path));
	object = object__new("own", path, NULL, "/no/such");
	object__find(object, offset + 1, &place);
	start = place.address - place.offset;
	object__free(object);
	return start;
}

static void the_start_of_a_stripped_function_is_known(void **state)
{
	struct code_place place;
	struct object *object;
	uint64_t offset;

	(void)state;
	object = stripped(false, "/no/such", &offset);
	for (int i = 0; i < 3; i++) {
		object__find(object, offset + (uint64_t)i, &place);
		assert_int_equal(object__find_start(object, &place), own_start(offset));
	}
	place.address = 1;
	assert_int_equal(object__find_start(object, &place), 0);
	object__free(object);
}

/* Overwrites a byte of .eh_frame_hdr. */
static void break_list(const char *path, long at, int byte)
{
	struct elf_file elf;
	GElf_Phdr segment;
	size_t nr;
	FILE *file;

	assert_int_equal(elf_file__open(&elf, path), 0);
	assert_int_equal(elf_getphdrnum(elf.elf, &nr), 0);
	for (size_t i = 0; i < nr; i++) {
		assert_non_null(gelf_getphdr(elf.elf, (int)i, &segment));
		if (segment.p_type == PT_GNU_EH_FRAME)
			break;
	}
	assert_int_equal(segment.p_type, PT_GNU_EH_FRAME);
	elf_file__close(&elf);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)segment.p_offset + at, SEEK_SET), 0);
	assert_int_equal(fputc(byte, file), byte);
	assert_int_equal(fclose(file), 0);
}

static void a_broken_list_of_functions_is_not_used(void **state)
{
	/*
	 * The version, the three encodings, and a number of functions beyond the end of the file.
	 */
	static const struct {
		long at;
		int byte;
	} broken[] = {
		{ 0, 2 }, { 1, 0xff }, { 2, 0x0b }, { 3, 0x1b }, { 10, 0x0f }, { 11, 0xff }
	};
	struct code_place place;
	struct object *object;
	uint64_t offset;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/copy0", tree.root);
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		object = stripped(false, "/no/such", &offset);
		break_list(path, broken[i].at, broken[i].byte);
		object__find(object, offset, &place);
		assert_int_not_equal(place.address, 0);
		assert_int_equal(object__find_start(object, &place), 0);
		object__free(object);
	}
}

static void another_file_with_the_same_path_is_not_used(void **state)
{
	struct build_id other = { .bytes = { 1, 2, 3 }, .len = 3 };
	struct object *object;
	struct code_place place;
	char path[PATH_MAX];

	(void)state;
	own_program(path, sizeof(path));
	object = object__new("other", path, &other, "/no/such");
	object__find(object, 4096, &place);
	assert_null(place.function);
	assert_non_null(strstr(object__why_no_symbols(object), "another file"));
	object__free(object);
}

static void only_executable_segments_have_code(void **state)
{
	struct elf_segment loaded[] = {
		{ .offset = 0, .size = 0x1000, .address = 0x400000 },
		{ .offset = 0x1000, .size = 0x800, .address = 0x401000, .is_code = true }
	};
	const struct elf_segments segments = { .segments = loaded, .nr = 2 };
	uint64_t address = 0;

	(void)state;
	assert_int_equal(elf_segments__address_of(&segments, 0xfff, &address), -EACCES);
	assert_int_equal(elf_segments__address_of(&segments, 0x1010, &address), 0);
	assert_int_equal(address, 0x401010);
	assert_int_equal(elf_segments__address_of(&segments, 0x1800, &address), -ENOENT);
	/*
	 * If the kernel reports a mapping above an address, the offset of the address in the
	 * mapping is below 0.
	 */
	assert_int_equal(elf_segments__address_of(&segments, (uint64_t)0 - 0x1000, &address),
			 -ENOENT);
}

static void memory_without_a_file_has_no_functions(void **state)
{
	struct object *object = object__new("[vdso]", NULL, NULL, "/no/such");
	struct code_place place;

	(void)state;
	assert_null(object__why_no_symbols(object));
	object__find(object, 4096, &place);
	assert_null(place.function);
	assert_string_equal(object__why_no_symbols(object), "it is not a file");
	object__free(object);
	object__free(NULL);
}

static void mappings_outlive_their_process(void **state)
{
	struct mapped_objects *objects = mapped_objects__new(sysroots__host(), "/no/such");
	struct build_id id;
	struct mapping mapping = { .pid = 70000,
				   .start = 0x1000,
				   .len = 0x1000,
				   .offset = 0x5000,
				   .path = "/no/such/file",
				   .id = &id };
	const struct object *first;
	uint64_t offset;

	(void)state;
	own_offset(&id);
	assert_int_equal(mapped_objects__add(objects, &mapping), 0);
	first = mapped_objects__by_address(objects, 70000, 0x1010, &offset);
	assert_non_null(first);
	assert_string_equal(object__name(first), "/no/such/file");
	assert_int_equal(offset, 0x5010);
	/* The child also has the mapping, until it maps another file there. */
	assert_int_equal(mapped_objects__fork(objects, 70000, 70001), 0);
	assert_ptr_equal(mapped_objects__by_address(objects, 70001, 0x1010, &offset), first);
	mapping = (struct mapping){
		.pid = 70001, .start = 0x1000, .len = 0x800, .path = "/tmp/gone (deleted)"
	};
	assert_int_equal(mapped_objects__add(objects, &mapping), 0);
	assert_string_equal(
		object__name(mapped_objects__by_address(objects, 70001, 0x1010, &offset)),
		"/tmp/gone");
	assert_ptr_equal(mapped_objects__by_address(objects, 70001, 0x1810, &offset), first);
	mapped_objects__end(objects, 70001);
	assert_ptr_equal(mapped_objects__by_address(objects, 70001, 0x1810, &offset), first);
	assert_null(mapped_objects__by_address(objects, 70002, 0x1810, &offset));
	/* The process ID is used again. */
	assert_int_equal(mapped_objects__add(objects, &mapping), 0);
	assert_null(mapped_objects__by_address(objects, 70001, 0x1810, &offset));
	mapped_objects__free(objects);
}

static void build_ids_are_written_as_in_other_tools(void **state)
{
	struct build_id id = { .bytes = { 0xab, 0x01, 0xc0 }, .len = 0 },
			sized = { .bytes = { 0xab, 0x01 }, .len = 4 }, none = { .len = 0 };
	char hex[BUILD_ID_HEX_SIZE], path[64];

	(void)state;
	build_id__hex(&id, hex);
	assert_string_equal(hex, "ab01c0");
	build_id__hex(&sized, hex);
	assert_string_equal(hex, "ab010000");
	build_id__hex(&none, hex);
	assert_string_equal(hex, "");
	assert_int_equal(build_id__debug_path(&none, "/dirs", 4, path, sizeof(path)), -ENOENT);
	assert_int_equal(build_id__debug_path(&id, "/dirs", 0, path, sizeof(path)), -ENOENT);
	assert_int_equal(build_id__debug_path(&id, "/dirs", 4, path, 10), -ENAMETOOLONG);
	assert_int_equal(build_id__debug_path(&id, "/dirs", 4, path, sizeof(path)), 0);
	assert_string_equal(path, "/dir/.build-id/ab/01c0.debug");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_and_lines_are_found_by_offset),
		cmocka_unit_test(a_file_is_found_by_build_id_and_by_address),
		cmocka_unit_test(functions_of_a_stripped_file_are_found_in_its_debug_file),
		cmocka_unit_test(a_missing_debug_file_is_reported),
		cmocka_unit_test(the_start_of_a_stripped_function_is_known),
		cmocka_unit_test(a_broken_list_of_functions_is_not_used),
		cmocka_unit_test(another_file_with_the_same_path_is_not_used),
		cmocka_unit_test(only_executable_segments_have_code),
		cmocka_unit_test(memory_without_a_file_has_no_functions),
		cmocka_unit_test(mappings_outlive_their_process),
		cmocka_unit_test(build_ids_are_written_as_in_other_tools),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
