// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names that kubelet 1.30, containerd 1.7, CRI-O 1.30, Docker 26 and Podman 5 give to cgroups
 * ("driver" is the cgroup driver of kubelet or containerd):
 *
 *	pods, systemd driver	kubepods[-burstable|-besteffort]-podUID.slice; UID has underscores
 *				instead of dashes; some tools, such as `kind`, use other prefixes
 *	pods, cgroupfs driver	podUID
 *	static pods		as above, but UID has 32 hexadecimal digits, no dashes
 *	containerd		cri-containerd-ID.scope, nerdctl-ID.scope, ID
 *	containerd, if kubelet	kubepods-...-podUID.slice:cri-containerd:ID
 *	    has another driver
 *	CRI-O			crio-ID.scope, crio-ID; its monitor: crio-conmon-ID.scope
 *	Docker			docker-ID.scope, ID
 *	Podman			libpod-ID.scope, libpod-ID; its monitor: libpod-conmon-ID.scope
 *
 * The cgroup of a container can contain other cgroups: "container" (CRI-O, Podman), "init", and
 * cgroups that a systemd in the container makes. The processes in these cgroups belong to the
 * container.
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

/* Returns whether @text begins with a UUID that has @dash between its parts. */
static bool is_uuid(const char *text, char dash)
{
	for (size_t i = 0; i < UUID_LENGTH; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? text[i] != dash : !is_hex(text[i]))
			return false;
	}
	return true;
}

/* Returns the end of the name without @suffix, or @end if the name has no such suffix. */
static const char *without(const char *name, const char *end, const char *suffix)
{
	size_t len = strlen(suffix);

	return (size_t)(end - name) > len && !strncmp(end - len, suffix, len) ? end - len : end;
}

/*
 * Returns whether the name ends with "pod" and an id of @len characters. Before "pod", there must
 * be a dash or nothing.
 */
static bool ends_with_pod(const char *name, const char *end, size_t len)
{
	size_t all = (size_t)(end - name);

	return all >= len + 3 && !strncmp(end - len - 3, "pod", 3) &&
	       (all == len + 3 || end[-(long)len - 4] == '-');
}

/*
 * If the name, which ends at @end, contains a pod UID, stores the UID. Returns whether the name
 * contains one.
 */
static bool find_pod(const char *name, const char *end, struct cgroup_ids *ids)
{
	const char *uid;
	size_t len;

	end = without(name, end, ".slice");
	if (ends_with_pod(name, end, UUID_LENGTH) &&
	    (is_uuid(end - UUID_LENGTH, '-') || is_uuid(end - UUID_LENGTH, '_')))
		len = UUID_LENGTH;
	else if (ends_with_pod(name, end, STATIC_UID_LENGTH) &&
		 hex_length(end - STATIC_UID_LENGTH, STATIC_UID_LENGTH) == STATIC_UID_LENGTH)
		len = STATIC_UID_LENGTH;
	else
		return false;
	uid = end - len;
	for (size_t i = 0; i < len; i++)
		ids->pod_uid[i] = uid[i] == '_' ? '-' : uid[i];
	ids->pod_uid[len] = '\0';
	return true;
}

/* Returns whether "conmon-" precedes the id. This prefix marks the monitor of a container. */
static bool is_conmon(const char *name, const char *id)
{
	static const char word[] = "conmon-";
	size_t len = sizeof(word) - 1;

	return (size_t)(id - name) >= len && !strncmp(id - len, word, len);
}

/* Returns the address of the container id in the name, or NULL. */
static const char *find_id(const char *name, const char *end)
{
	const char *id = without(name, end, ".scope");

	if (id - name < CONTAINER_ID_LENGTH)
		return NULL;
	id -= CONTAINER_ID_LENGTH;
	if (hex_length(id, CONTAINER_ID_LENGTH) != CONTAINER_ID_LENGTH)
		return NULL;
	return id == name || id[-1] == '-' || id[-1] == ':' ? id : NULL;
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
		const char *end = path + strcspn(path, "/:");

		/* an earlier container id in the path is that of a container around this pod */
		if (find_pod(path, end, ids))
			ids->container_id[0] = '\0';
		else
			find_container(path, end, ids);
		path = end + (*end != '\0');
	}
}
