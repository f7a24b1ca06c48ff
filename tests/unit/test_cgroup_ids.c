// SPDX-License-Identifier: GPL-2.0-only
/* The ids of pods and containers in the paths of cgroups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "util/report/export/cgroup-ids.h"

#define ID "3c97b4b1a2f2a5b6c0f3d1e4f5061728394a5b6c7d8e9f00112233445566778f"
#define OTHER_ID "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"
#define UID "2f3a6c0d-1b2c-4d5e-8f90-a1b2c3d4e5f6"
#define SLICE_UID "2f3a6c0d_1b2c_4d5e_8f90_a1b2c3d4e5f6"
#define STATIC_UID "7b1d9c3a5e6f40718293a4b5c6d7e8f9"

struct expected {
	const char *path, *pod_uid, *container_id;
};

static void expect(const struct expected *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct cgroup_ids ids;

		cgroup_ids__find(rows[i].path, &ids);
		if (strcmp(ids.pod_uid, rows[i].pod_uid) != 0 ||
		    strcmp(ids.container_id, rows[i].container_id) != 0)
			fail_msg("%s: pod %s, container %s", rows[i].path, ids.pod_uid,
				 ids.container_id);
	}
}

#define EXPECT(rows) expect(rows, sizeof(rows) / sizeof((rows)[0]))
#define PODS "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" SLICE_UID ".slice"

static void pods_of_the_systemd_driver_have_slices(void **state)
{
	static const struct expected rows[] = {
		{ PODS, UID, "" },
		{ PODS "/cri-containerd-" ID ".scope", UID, ID },
		{ "/kubepods.slice/kubepods-pod" SLICE_UID ".slice/cri-containerd-" ID ".scope",
		  UID, ID },
		{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" SLICE_UID
		  ".slice/crio-" ID ".scope",
		  UID, ID },
		{ PODS "/docker-" ID ".scope", UID, ID },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" STATIC_UID
		  ".slice/cri-containerd-" ID ".scope",
		  STATIC_UID, ID },
		/* kind */
		{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/"
		  "kubelet-kubepods-burstable-pod" SLICE_UID ".slice/cri-containerd-" ID ".scope",
		  UID, ID },
	};

	(void)state;
	EXPECT(rows);
}

static void pods_of_the_cgroupfs_driver_have_directories(void **state)
{
	static const struct expected rows[] = {
		{ "/kubepods/besteffort/pod" UID "/" ID, UID, ID },
		{ "/kubepods/pod" UID "/" ID, UID, ID },
		{ "/kubepods/burstable/pod" UID "/crio-" ID, UID, ID },
		{ "/kubepods/burstable/pod" STATIC_UID "/" ID, STATIC_UID, ID },
		{ "/kubepods/burstable/pod" UID, UID, "" },
		{ "/kubepods/burstable", "", "" },
		/* k3s in a Docker container */
		{ "/docker/" OTHER_ID "/kubepods/besteffort/pod" UID "/" ID, UID, ID },
	};

	(void)state;
	EXPECT(rows);
}

static void containerd_with_the_wrong_driver_joins_names_by_colons(void **state)
{
	static const struct expected rows[] = {
		{ "/system.slice/containerd.service/kubepods-burstable-pod" SLICE_UID
		  ".slice:cri-containerd:" ID,
		  UID, ID },
	};

	(void)state;
	EXPECT(rows);
}

static void containers_without_pods_have_no_pod_uid(void **state)
{
	static const struct expected rows[] = {
		{ "/system.slice/docker-" ID ".scope", "", ID },
		{ "/docker/" ID, "", ID },
		{ "/docker/" OTHER_ID "/docker/" ID, "", ID },
		{ "/system.slice/nerdctl-" ID ".scope", "", ID },
		{ "/k8s.io/" ID, "", ID },
		{ "/machine.slice/libpod-" ID ".scope", "", ID },
		{ "/machine.slice/libpod-" ID ".scope/container", "", ID },
		{ "/machine.slice/machine-libpod_pod_" OTHER_ID ".slice/libpod-" ID ".scope", "",
		  ID },
		{ "/machine.slice/machine-libpod_pod_" OTHER_ID ".slice", "", "" },
		{ "/libpod_parent/libpod-" ID, "", ID },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID
		  ".scope/container",
		  "", ID },
		{ "/ecs/0123456789abcdef0123456789abcdef/" ID, "", ID },
	};

	(void)state;
	EXPECT(rows);
}

static void cgroups_in_a_container_belong_to_it(void **state)
{
	static const struct expected rows[] = {
		{ PODS "/crio-" ID ".scope/container", UID, ID },
		{ PODS "/cri-containerd-" ID ".scope/init.scope", UID, ID },
		{ PODS "/cri-containerd-" ID ".scope/system.slice/sshd.service", UID, ID },
	};

	(void)state;
	EXPECT(rows);
}

static void monitors_are_not_part_of_the_container(void **state)
{
	static const struct expected rows[] = {
		{ PODS "/crio-conmon-" ID ".scope", UID, "" },
		{ "/machine.slice/libpod-conmon-" ID ".scope", "", "" },
	};

	(void)state;
	EXPECT(rows);
}

static void similar_names_are_no_ids(void **state)
{
	static const struct expected rows[] = {
		{ "", "", "" },
		{ "/", "", "" },
		{ "/system.slice/ssh.service", "", "" },
		{ "/docker/" ID "0", "", "" },
		{ "/docker/x" ID, "", "" },
		{ "/docker/" ID "/", "", ID },
		{ "/pod", "", "" },
		{ "/pod" UID "0", "", "" },
		{ "/tripod" UID, "", "" },
		{ "/pod2f3a6c0d-1b2c-4d5e-8f90-a1b2c3d4e5f", "", "" },
		{ "/.scope", "", "" },
		{ "/3C97B4B1A2F2A5B6C0F3D1E4F5061728394A5B6C7D8E9F00112233445566778F", "", "" },
	};

	(void)state;
	EXPECT(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pods_of_the_systemd_driver_have_slices),
		cmocka_unit_test(pods_of_the_cgroupfs_driver_have_directories),
		cmocka_unit_test(containerd_with_the_wrong_driver_joins_names_by_colons),
		cmocka_unit_test(containers_without_pods_have_no_pod_uid),
		cmocka_unit_test(cgroups_in_a_container_belong_to_it),
		cmocka_unit_test(monitors_are_not_part_of_the_container),
		cmocka_unit_test(similar_names_are_no_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
