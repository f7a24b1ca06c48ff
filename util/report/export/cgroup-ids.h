/* SPDX-License-Identifier: GPL-2.0-only */
/* The ids of pods and containers in the paths of cgroups. */
#ifndef PSTAT_REPORT_EXPORT_CGROUP_IDS_H
#define PSTAT_REPORT_EXPORT_CGROUP_IDS_H

#define POD_UID_SIZE 37	     /* a UUID (for a static pod: 32 hexadecimal digits) and a NUL */
#define CONTAINER_ID_SIZE 65 /* a SHA-256 in hexadecimal digits and a NUL */

/* A string is empty if the path does not contain the id. */
struct cgroup_ids {
	char pod_uid[POD_UID_SIZE];
	char container_id[CONTAINER_ID_SIZE];
};

/*
 * Finds the ids in the path of a cgroup. Knows the names that kubelet, containerd, CRI-O, Docker
 * and Podman give to cgroups. If containers are nested, finds the innermost container. The cgroup
 * of conmon, the process with which CRI-O and Podman watch a container, does not get the id of that
 * container.
 */
void cgroup_ids__find(const char *path, struct cgroup_ids *ids);

#endif
