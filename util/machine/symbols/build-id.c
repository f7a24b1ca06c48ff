// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/build-id.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool build_id__equal(const struct build_id *a, const struct build_id *b)
{
	return !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

bool build_id__is_set(const struct build_id *id)
{
	static const struct build_id none;

	return !build_id__equal(id, &none);
}

static int length_of(const struct build_id *id)
{
	int len = id->len ? id->len : BUILD_ID_SIZE;

	while (!id->len && len > 0 && !id->bytes[len - 1])
		len--;
	return len;
}

void build_id__hex(const struct build_id *id, char hex[static BUILD_ID_HEX_SIZE])
{
	int len = length_of(id);

	*hex = '\0';
	for (int i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", id->bytes[i]);
}

int build_id__debug_path(const struct build_id *id, const char *dir, size_t len, char *path,
			 size_t size)
{
	char hex[BUILD_ID_HEX_SIZE];

	build_id__hex(id, hex);
	if (strlen(hex) < 4 || !len)
		return -ENOENT;
	if ((size_t)snprintf(path, size, "%.*s/.build-id/%.2s/%s.debug", (int)len, dir, hex,
			     hex + 2) >= size)
		return -ENAMETOOLONG;
	return 0;
}
