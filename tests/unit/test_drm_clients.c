// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes with open graphics devices, imitated by files. Making a device node needs CAP_MKNOD;
 * without it, the tests are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/unit/test_event_roots.h"
#include "util/base/strbuf.h"
#include "util/machine/pmu/drm-clients.h"

#define I915                              \
	"pos:\t0\n"                       \
	"drm-driver:\ti915\n"             \
	"drm-client-id:\t7\n"             \
	"drm-engine-render:\t%d ns\n"     \
	"drm-engine-capacity-video:\t2\n" \
	"drm-total-system0:\t125 MiB\n"   \
	"drm-maxfreq-render:\t1300 MHz\n"

static struct fake_roots machine;
static bool has_devices;

/* Adds an open file to process @pid: the device 226:@minor, or a regular file if @minor is -1. */
static void add_file(int pid, int fd, int minor, const char *fdinfo)
{
	char path[256];

	snprintf(path, sizeof(path), "proc/%d/fdinfo/%d", pid, fd);
	fake_roots__file(&machine, path, fdinfo);
	snprintf(path, sizeof(path), "proc/%d/fd/none", pid);
	fake_roots__file(&machine, path, "");
	snprintf(path, sizeof(path), "%s/%d/fd/%d", machine.procfs, pid, fd);
	if (minor < 0)
		snprintf(path, sizeof(path), "proc/%d/fd/%d", pid, fd),
			fake_roots__file(&machine, path, "");
	else
		has_devices &= !mknod(path, S_IFCHR | 0600, makedev(226, (unsigned int)minor));
}

static int set_up(void **state)
{
	char text[512];

	(void)state;
	fake_roots__init(&machine);
	has_devices = true;
	snprintf(text, sizeof(text), I915, 1000);
	add_file(10, 4, 128, text);
	add_file(10, 5, 128, text); /* the same device again */
	add_file(10, 6, -1, text);  /* no device */
	snprintf(text, sizeof(text), I915, 234);
	add_file(20, 3, 128, text);
	add_file(20, 4, 129,
		 "drm-driver:\tamdgpu\ndrm-memory-vram:\t7 KiB\ndrm-engine-gfx:\t5 ns\n");
	add_file(30, 4, 128, "no such lines\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_roots__remove(&machine);
	return 0;
}

static int show(const struct drm_event *event, void *arg)
{
	strbuf__addf(arg, "%s/%s %s\n", event->pmu, event->name, event->unit);
	return 0;
}

static void each_key_of_each_driver_is_an_event_once(void **state)
{
	struct strbuf got = STRBUF_INIT;

	(void)state;
	if (!has_devices)
		skip();
	assert_int_equal(drm_clients__for_each(&machine.roots, show, &got), 0);
	assert_non_null(strstr(got.text, "drm_i915/drm-engine-render ns\n"));
	assert_non_null(strstr(got.text, "drm_i915/drm-engine-capacity-video capacity\n"));
	assert_non_null(strstr(got.text, "drm_i915/drm-total-system0 bytes\n"));
	assert_non_null(strstr(got.text, "drm_i915/drm-maxfreq-render hz\n"));
	assert_non_null(strstr(got.text, "drm_amdgpu/drm-engine-gfx ns\n"));
	assert_int_equal(strlen(got.text),
			 strlen("drm_i915/drm-engine-render ns\n") +
				 strlen("drm_i915/drm-engine-capacity-video capacity\n") +
				 strlen("drm_i915/drm-total-system0 bytes\n") +
				 strlen("drm_i915/drm-maxfreq-render hz\n") +
				 strlen("drm_amdgpu/drm-engine-gfx ns\n"));
	strbuf__free(&got);
}

static void expect_sum(const char *pmu, const char *name, pid_t pid, uint64_t wanted)
{
	struct drm_event event;
	uint64_t sum;

	assert_int_equal(drm_clients__find(&machine.roots, pmu, name, &event), 0);
	assert_int_equal(drm_clients__sum(&machine.roots, &event, pid, &sum), 0);
	assert_int_equal(sum, wanted);
}

static void figures_are_summed_once_for_each_process_and_device(void **state)
{
	(void)state;
	if (!has_devices)
		skip();
	expect_sum("drm_i915", "drm-engine-render", -1, 1234);
	expect_sum("drm_i915", "drm-engine-render", 10, 1000);
	expect_sum("drm_i915", "drm-engine-render", 20, 234);
	expect_sum("drm_i915", "drm-engine-render", 99, 0);
	expect_sum("drm_i915", "drm-total-system0", -1, 250ULL << 20);
	expect_sum("drm_i915", "drm-maxfreq-render", 20, 1300000000);
	expect_sum(NULL, "DRM-engine-gfx", -1, 5);
}

static void devices_that_no_process_uses_are_not_found(void **state)
{
	struct drm_event event;

	(void)state;
	if (!has_devices)
		skip();
	assert_int_equal(drm_clients__find(&machine.roots, "drm_xe", "drm-engine-render", &event),
			 -ENOENT);
	assert_int_equal(drm_clients__find(&machine.roots, "drm_i915", "drm-engine-gfx", &event),
			 -ENOENT);
	assert_true(drm_clients__has_pmu(&machine.roots, "drm_amdgpu"));
	assert_false(drm_clients__has_pmu(&machine.roots, "drm_xe"));
	assert_true(drm_clients__is_event_name("drm-engine-x"));
	assert_false(drm_clients__is_event_name("drm-driver"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_of_each_driver_is_an_event_once),
		cmocka_unit_test(figures_are_summed_once_for_each_process_and_device),
		cmocka_unit_test(devices_that_no_process_uses_are_not_found),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
