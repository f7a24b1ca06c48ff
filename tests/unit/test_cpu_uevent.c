// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "util/machine/cpu/cpu-uevent.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A message as the kernel sends it: fields that each end in a NUL byte. */
#define MESSAGE(action, path) \
	action "@" path "\0ACTION=" action "\0DEVPATH=" path "\0SUBSYSTEM=cpu\0SEQNUM=1234"

static void messages_about_cpus_name_the_cpu(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		struct cpu_uevent event;
	} good[] = {
#define ROW(text_, ...) { text_, sizeof(text_), __VA_ARGS__ }
		ROW(MESSAGE("offline", "/devices/system/cpu/cpu1"), { 1, false }),
		ROW(MESSAGE("online", "/devices/system/cpu/cpu1"), { 1, true }),
		ROW(MESSAGE("online", "/devices/system/cpu/cpu0"), { 0, true }),
		ROW(MESSAGE("offline", "/devices/system/cpu/cpu8191"), { 8191, false }),
		ROW("online@/devices/system/cpu/cpu12", { 12, true }),
#undef ROW
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct cpu_uevent event;

		assert_true(cpu_uevent__parse(good[i].text, good[i].len, &event));
		assert_int_equal(event.cpu, good[i].event.cpu);
		assert_int_equal(event.online, good[i].event.online);
	}
}

static void other_messages_are_ignored(void **state)
{
	static const char *const bad[] = {
		"",
		"online",
		"online@",
		"offline@/devices/system/cpu/cpu",
		"offline@/devices/system/cpu/cpux",
		"offline@/devices/system/cpu/cpu1x",
		"offline@/devices/system/cpu/cpu1/cache",
		"offline@/devices/system/cpu/cpu-1",
		"offline@/devices/system/cpu/cpu123456",
		"offline@/devices/system/memory/memory1",
		"add@/devices/system/cpu/cpu1",
		"change@/devices/system/cpu/cpu1",
		"libudev",
	};
	struct cpu_uevent event;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(cpu_uevent__parse(bad[i], strlen(bad[i]) + 1, &event));
	/* no NUL byte ends the text */
	assert_false(cpu_uevent__parse("online@/devices/system/cpu/cpu1",
				       strlen("online@/devices/system/cpu/cpu1"), &event));
	assert_false(cpu_uevent__parse("", 0, &event));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_about_cpus_name_the_cpu),
		cmocka_unit_test(other_messages_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
