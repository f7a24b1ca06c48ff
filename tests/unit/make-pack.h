/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes packed files of vendors' events (util/event/vendor-pack.h) from lines of text, for tests.
 */
#ifndef PSTAT_TESTS_MAKE_PACK_H
#define PSTAT_TESTS_MAKE_PACK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/base/strbuf.h"

struct made_pack {
	struct strbuf head, data;
};

#define MADE_PACK_INIT                                   \
	{                                                \
		.head = STRBUF_INIT, .data = STRBUF_INIT \
	}

/* Adds a block of @kind with the lines @text, whose first key is @key. */
static inline void made_pack__add(struct made_pack *pack, const char *kind, const char *key,
				  const char *text, size_t len)
{
	uLongf packed = compressBound(len);
	Bytef *buf = malloc(packed);

	if (!buf || compress(buf, &packed, (const Bytef *)text, len) != Z_OK)
		abort();
	strbuf__addf(&pack->head, "block %s %zu %lu %zu %s\n", kind, pack->data.len, packed, len,
		     key);
	strbuf__add(&pack->data, (char *)buf, packed);
	free(buf);
}

/* Writes the file's bytes to @file and frees the pack. @models: the lines about CPU models. */
static inline void made_pack__finish(struct made_pack *pack, const char *models,
				     struct strbuf *file)
{
	strbuf__addf(file, "pstat events 1\n%s%s\n", models, pack->head.text);
	strbuf__add(file, pack->data.text, pack->data.len);
	strbuf__free(&pack->head);
	strbuf__free(&pack->data);
}

#endif
