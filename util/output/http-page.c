// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/http-page.h"

#include <stdlib.h>
#include <zlib.h>

#include "util/output/libmicrohttpd.h"

struct http_page {
	const struct libmicrohttpd *mhd;
	enum metric_format format;
	char *bytes; /* owned by `plain` */
	size_t len;
	uint64_t fresh_until;
	struct MHD_Response *plain;
	/*
	 * the compressed response; NULL if it has not been made yet, or could not be made
	 * (`gzip_failed`)
	 */
	struct MHD_Response *gzip;
	bool gzip_failed;
	atomic_uint refs;
	atomic_size_t *held;
	size_t size; /* the number of bytes that the page has added to *held */
};

/*
 * Returns a response that sends @bytes, or NULL if memory runs out. Takes ownership of @bytes, even
 * on error.
 */
static struct MHD_Response *new_response(const struct http_page *page, char *bytes, size_t len)
{
	struct MHD_Response *response =
		page->mhd->MHD_create_response_from_buffer(len, bytes, MHD_RESPMEM_MUST_FREE);

	if (!response) {
		free(bytes);
		return NULL;
	}
	if (page->mhd->MHD_add_response_header(response, "Content-Type",
					       metric_format_types[page->format]) &&
	    page->mhd->MHD_add_response_header(response, "Cache-Control", "no-store") &&
	    page->mhd->MHD_add_response_header(response, "Vary", "Accept, Accept-Encoding") &&
	    page->mhd->MHD_add_response_header(response, "X-Content-Type-Options", "nosniff"))
		return response;
	page->mhd->MHD_destroy_response(response); /* frees @bytes */
	return NULL;
}

static void hold(struct http_page *page, size_t size)
{
	page->size += size;
	atomic_fetch_add(page->held, size);
}

struct http_page *http_page__new(const struct libmicrohttpd *mhd, enum metric_format format,
				 char *bytes, size_t len, uint64_t fresh_until, atomic_size_t *held)
{
	struct http_page *page = calloc(1, sizeof(*page));

	if (!page) {
		free(bytes);
		return NULL;
	}
	*page = (struct http_page){
		.mhd = mhd,
		.format = format,
		.bytes = bytes,
		.len = len,
		.fresh_until = fresh_until,
		.held = held,
	};
	page->plain = new_response(page, bytes, len);
	if (!page->plain) {
		free(page);
		return NULL;
	}
	atomic_init(&page->refs, 1);
	hold(page, len);
	return page;
}

struct http_page *http_page__get(struct http_page *page)
{
	atomic_fetch_add(&page->refs, 1);
	return page;
}

void http_page__put(struct http_page *page)
{
	if (!page || atomic_fetch_sub(&page->refs, 1) > 1)
		return;
	page->mhd->MHD_destroy_response(page->plain);
	if (page->gzip)
		page->mhd->MHD_destroy_response(page->gzip);
	atomic_fetch_sub(page->held, page->size);
	free(page);
}

uint64_t http_page__fresh_until(const struct http_page *page)
{
	return page->fresh_until;
}

/*
 * Returns the compressed bytes, which the caller must free, or NULL if memory runs out or the page
 * is larger than 4 GB.
 */
static char *compress_bytes(struct http_page *page, size_t *len)
{
	/* 15: the largest window; + 16: zlib writes a gzip header instead of its own */
	enum { WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 8 };
	z_stream stream = { .next_in = (Bytef *)page->bytes, .avail_in = (uInt)page->len };
	char *bytes, *smaller;
	uLong room;

	if (page->len > UINT32_MAX || deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS,
						   MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	room = deflateBound(&stream, (uLong)page->len);
	bytes = malloc(room);
	stream.next_out = (Bytef *)bytes;
	stream.avail_out = bytes ? (uInt)room : 0;
	if (!bytes || deflate(&stream, Z_FINISH) != Z_STREAM_END) {
		free(bytes);
		bytes = NULL;
	}
	*len = stream.total_out;
	deflateEnd(&stream);
	smaller = bytes ? realloc(bytes, *len) : NULL;
	return smaller ?: bytes;
}

struct MHD_Response *http_page__response(struct http_page *page, bool gzip)
{
	size_t len = 0;
	char *bytes;

	if (!gzip || page->gzip_failed)
		return page->plain;
	if (page->gzip)
		return page->gzip;
	bytes = compress_bytes(page, &len);
	if (bytes)
		page->gzip = new_response(page, bytes, len);
	if (page->gzip &&
	    !page->mhd->MHD_add_response_header(page->gzip, "Content-Encoding", "gzip")) {
		page->mhd->MHD_destroy_response(page->gzip);
		page->gzip = NULL;
	}
	page->gzip_failed = !page->gzip;
	if (page->gzip)
		hold(page, len);
	return page->gzip ?: page->plain;
}
