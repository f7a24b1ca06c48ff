// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names, as of kubelet 1.30, containerd 1.7, CRI-O 1.30, Docker 26 and Podman 5:
 *
 *	kubelet, systemd	kubepods[-burstable|-besteffort]-podUID.slice, where UID has
 *				underscores instead of dashes
 *	kubelet, cgroupfs	podUID; the UID of a static pod has 32 digits without dashes
 *	containerd		cri-containerd-ID.scope; ID
 *	containerd, without a	[nerdctl-]ID.scope below the slice; for other namespaces ID
 *	    pod
 *	CRI-O			crio-ID.scope; crio-ID; conmon: crio-conmon-ID.scope
 *	Docker			docker-ID.scope; docker/ID; buildkit: ID
 *	Podman			libpod-ID.scope; libpod-payload-ID; conmon: libpod-conmon-ID.scope
 *
 * containerd and Podman create further cgroups below that of the container, whose processes belong
 * to the container: "container", "init", and those of systemd in the container.
 */
#include "util/report/export/cgroup-ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define UUID_LENGTH 36
#define STATIC_UID_LENGTH 32
#define CONTAINER_ID_LENGTH 64

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Returns the number of hexadecimal digits at the start of @text, at most @most. */
static size_t hex_length(const char *text, size_t most)
{
	size_t len = 0;

	while (len < most && is_hex(text[len]))
		len++;
	return len;
}

/* Is a UUID at the start of @text, with dashes or underscores, as @dash says? */
static bool is_uuid(const char *text, char dash)
{
	for (size_t i = 0; i < UUID_LENGTH; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? text[i] != dash : !is_hex(text[i]))
			return false;
	}
	return true;
}

/* Does the name end at @end, except for an optional @suffix? */
static bool ends(const char *at, const char *end, const char *suffix)
{
	size_t len = (size_t)(end - at);

	return !len || (len == strlen(suffix) && !strncmp(at, suffix, len));
}

/* Finds the pod in a name, which is not NUL-terminated. Returns whether there is one. */
static bool find_pod(const char *name, const char *end, struct cgroup_ids *ids)
{
	const char *uid = NULL;

	if (!strncmp(name, "pod", 3))
		uid = name + 3;
	else if (!strncmp(name, "kubepods-pod", 12))
		uid = name + 12;
	else if (!strncmp(name, "kubepods-burstable-pod", 22))
		uid = name + 22;
	else if (!strncmp(name, "kubepods-besteffort-pod", 23))
		uid = name + 23;
	if (!uid)
		return false;
	if ((is_uuid(uid, '-') || is_uuid(uid, '_')) && ends(uid + UUID_LENGTH, end, ".slice")) {
		memcpy(ids->pod_uid, uid, UUID_LENGTH);
		ids->pod_uid[UUID_LENGTH] = '\0';
		for (char *c = ids->pod_uid; *c; c++)
			*c = *c == '_' ? '-' : *c;
		return true;
	}
	if (hex_length(uid, STATIC_UID_LENGTH + 1) != STATIC_UID_LENGTH ||
	    !ends(uid + STATIC_UID_LENGTH, end, ".slice"))
		return false;
	memcpy(ids->pod_uid, uid, STATIC_UID_LENGTH);
	ids->pod_uid[STATIC_UID_LENGTH] = '\0';
	return true;
}

/* Is the part of a name before the id that of a process that only watches the container? */
static bool is_conmon(const char *name, const char *id)
{
	static const char word[] = "conmon-";
	size_t len = sizeof(word) - 1;

	return (size_t)(id - name) >= len && !strncmp(id - len, word, len);
}

/* Returns the place of the id in the name of a container's cgroup, or NULL. */
static const char *find_id(const char *name, const char *end)
{
	const char *id = end;

	if (end - name > 6 && !strncmp(end - 6, ".scope", 6))
		id = end - 6;
	if (id - name < CONTAINER_ID_LENGTH)
		return NULL;
	id -= CONTAINER_ID_LENGTH;
	if (hex_length(id, CONTAINER_ID_LENGTH) != CONTAINER_ID_LENGTH)
		return NULL;
	return id == name || id[-1] == '-' ? id : NULL;
}

static void find_container(const char *name, const char *end, struct cgroup_ids *ids)
{
	const char *id = find_id(name, end);

	if (!id || is_conmon(name, id))
		return;
	memcpy(ids->container_id, id, CONTAINER_ID_LENGTH);
	ids->container_id[CONTAINER_ID_LENGTH] = '\0';
}

void cgroup_ids__find(const char *path, struct cgroup_ids *ids)
{
	*ids = (struct cgroup_ids){ 0 };
	while (*path) {
		const char *end = strchrnul(path, '/');

		/* a container of an outer pod is not in the inner one */
		if (find_pod(path, end, ids))
			ids->container_id[0] = '\0';
		else
			find_container(path, end, ids);
		path = end + (*end == '/');
	}
}
