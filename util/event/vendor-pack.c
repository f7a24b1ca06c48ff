// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/vendor-pack.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "util/base/strbuf.h"
#include "util/machine/cpu/cpuid.h"

#define FIRST_LINE "pstat events 1\n"

/*
 * The maximum sizes of a packed file, of the lines at its beginning, of a block (compressed or
 * not), and of all decompressed blocks together. For the packed files that scripts/pack-events
 * creates from the event files of Linux 6.12, a fifth of each limit would be enough.
 */
#define FILE_MAX (16 << 20)
#define HEAD_MAX (1 << 20)
#define BLOCK_MAX (1 << 20)
#define TOTAL_MAX (128 << 20)

struct block {
	const char *kind, *key; /* point into `head` */
	uint32_t offset, packed, size;
};

struct model {
	int number;
	const char *pattern; /* points into `head` */
};

struct vendor_pack {
	int fd;
	char *head; /* the lines before the blocks, each terminated by a NUL */
	size_t head_len;
	struct block *blocks;
	int nr_blocks;
	struct model *models;
	int nr_models;
	int inflated; /* index of the block whose decompressed text is in `text`, or -1 */
	char *text;
	size_t text_len;
	char *packed; /* buffer for a compressed block */
	size_t packed_room;
};

static int refuse(struct strbuf *why, const char *what)
{
	strbuf__adds(why, what);
	return -EINVAL;
}

/* ---- the lines at the beginning ---- */

static int read_head(struct vendor_pack *pack, struct strbuf *why)
{
	size_t room = 0;

	while (room < HEAD_MAX) {
		char *grown = realloc(pack->head, (room = room ? room * 2 : 32 << 10) + 1), *end;
		ssize_t n;

		if (!grown)
			return -ENOMEM;
		pack->head = grown;
		n = pread(pack->fd, grown + pack->head_len, room - pack->head_len,
			  (off_t)pack->head_len);
		if (n < 0)
			return -errno;
		pack->head_len += (size_t)n;
		grown[pack->head_len] = '\0';
		end = strstr(grown, "\n\n");
		if (end) {
			end[1] = '\0';
			pack->head_len = (size_t)(end - grown) + 2;
			return 0;
		}
		if (pack->head_len < room || strlen(grown) < pack->head_len)
			break;
	}
	return refuse(why, "its header does not end");
}

/*
 * Parses a decimal number, which must not exceed @max, and must be followed by a space. Moves *@at
 * to the text after the space. Returns 0 or -EINVAL.
 */
static int take_number(char **at, uint32_t max, uint32_t *number)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**at))
		return -EINVAL;
	errno = 0;
	value = strtoul(*at, &end, 10);
	if (errno || value > max || *end != ' ')
		return -EINVAL;
	*number = (uint32_t)value;
	*at = end + 1;
	return 0;
}

/* Makes room for another element in an array of @nr elements. Returns 0 or -ENOMEM. */
static int grow(void **array, int nr, size_t size)
{
	void *grown;

	if (nr & (nr - 1))
		return 0;
	grown = realloc(*array, size * (size_t)(nr ? nr * 2 : 1));
	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

static int add_model(struct vendor_pack *pack, char *line)
{
	uint32_t number;

	if (take_number(&line, INT16_MAX, &number) || !number)
		return -EINVAL;
	if (grow((void **)&pack->models, pack->nr_models, sizeof(*pack->models)))
		return -ENOMEM;
	pack->models[pack->nr_models++] = (struct model){ (int)number, line };
	return 0;
}

static int add_block(struct vendor_pack *pack, char *line)
{
	struct block block = { .kind = line };

	line = strchr(line, ' ');
	if (!line)
		return -EINVAL;
	*line++ = '\0';
	if (take_number(&line, FILE_MAX, &block.offset) ||
	    take_number(&line, BLOCK_MAX, &block.packed) ||
	    take_number(&line, BLOCK_MAX, &block.size))
		return -EINVAL;
	block.key = line;
	if (grow((void **)&pack->blocks, pack->nr_blocks, sizeof(*pack->blocks)))
		return -ENOMEM;
	pack->blocks[pack->nr_blocks++] = block;
	return 0;
}

static int parse_head(struct vendor_pack *pack, struct strbuf *why)
{
	char *at = pack->head + strlen(FIRST_LINE), *line;
	uint64_t total = 0;
	int err = 0;

	while (!err && (line = strsep(&at, "\n")) && *line) {
		if (!strncmp(line, "model ", 6))
			err = add_model(pack, line + 6);
		else if (!strncmp(line, "block ", 6))
			err = add_block(pack, line + 6);
	}
	for (int i = 0; i < pack->nr_blocks; i++)
		total += pack->blocks[i].size;
	if (err == -EINVAL)
		return refuse(why, "a line of its header is malformed");
	return err ?: total > TOTAL_MAX ? refuse(why, "it is too large after decompression") : 0;
}

static int open_file(struct vendor_pack *pack, const char *path, struct strbuf *why)
{
	struct stat st;

	pack->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (pack->fd < 0 || fstat(pack->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return refuse(why, "not a regular file, or too large");
	return 0;
}

int vendor_pack__open(const char *path, struct vendor_pack **result, struct strbuf *why)
{
	struct vendor_pack *pack = calloc(1, sizeof(*pack));
	struct strbuf reason = STRBUF_INIT;
	int err;

	if (!pack)
		return -ENOMEM;
	pack->fd = -1;
	pack->inflated = -1;
	err = open_file(pack, path, &reason);
	err = err ?: read_head(pack, &reason);
	if (!err && strncmp(pack->head, FIRST_LINE, strlen(FIRST_LINE)) != 0)
		err = refuse(&reason, "it does not begin with \"pstat events 1\"");
	err = err ?: parse_head(pack, &reason);
	if (err && err != -ENOENT && err != -ENOMEM)
		strbuf__addf(why, "%s: %s\n", path, reason.len ? reason.text : strerror(-err));
	strbuf__free(&reason);
	if (err)
		vendor_pack__free(pack);
	else
		*result = pack;
	return err;
}

void vendor_pack__free(struct vendor_pack *pack)
{
	if (!pack)
		return;
	if (pack->fd >= 0)
		close(pack->fd);
	free(pack->head);
	free(pack->blocks);
	free(pack->models);
	free(pack->text);
	free(pack->packed);
	free(pack);
}

int vendor_pack__model(const struct vendor_pack *pack, const struct cpuid *id)
{
	for (int i = 0; i < pack->nr_models; i++)
		if (cpuid__matches(id, pack->models[i].pattern))
			return pack->models[i].number;
	return -ENOENT;
}

/* ---- blocks ---- */

static int reserve(char **buffer, size_t *room, size_t size)
{
	char *grown;

	if (size <= *room)
		return 0;
	grown = realloc(*buffer, size);
	if (!grown)
		return -ENOMEM;
	*buffer = grown;
	*room = size;
	return 0;
}

static int read_block(struct vendor_pack *pack, const struct block *block)
{
	off_t at = (off_t)pack->head_len + block->offset;
	uLongf len = block->size;
	char *text;

	if (reserve(&pack->packed, &pack->packed_room, (size_t)block->packed + 1))
		return -ENOMEM;
	text = realloc(pack->text, (size_t)block->size + 1);
	if (!text)
		return -ENOMEM;
	pack->text = text;
	if (pread(pack->fd, pack->packed, block->packed, at) != (ssize_t)block->packed)
		return -EINVAL;
	if (uncompress((Bytef *)text, &len, (const Bytef *)pack->packed, block->packed) != Z_OK ||
	    len != block->size || (len && text[len - 1] != '\n'))
		return -EINVAL;
	pack->text_len = len;
	return 0;
}

/*
 * Decompresses block @i, unless its text is already in pack->text. Keeps the text, because the next
 * key that is looked up is often in the same block.
 */
static int inflate_block(struct vendor_pack *pack, int i, struct strbuf *why)
{
	int err;

	if (pack->inflated == i)
		return 0;
	pack->inflated = -1;
	err = read_block(pack, &pack->blocks[i]);
	if (!err)
		pack->inflated = i;
	else if (err == -EINVAL)
		strbuf__addf(why, "the block that begins with '%s' is damaged\n",
			     pack->blocks[i].key);
	return err;
}

static int compare_key(const struct vendor_record *record, const char *key)
{
	size_t len = strlen(key);
	int order = memcmp(record->key, key, record->key_len < len ? record->key_len : len);

	return order ?: (record->key_len > len) - (record->key_len < len);
}

/*
 * Splits the line from @at to @end at its first two tabs. Returns 0, or -EINVAL if there are fewer
 * than two tabs.
 */
static int split(const char *at, const char *end, struct vendor_record *record)
{
	const char *tab = memchr(at, '\t', (size_t)(end - at)), *second;

	second = tab ? memchr(tab + 1, '\t', (size_t)(end - tab - 1)) : NULL;
	if (!second)
		return -EINVAL;
	*record = (struct vendor_record){
		.key = at,
		.key_len = (size_t)(tab - at),
		.models = tab + 1,
		.models_len = (size_t)(second - tab - 1),
		.json = second + 1,
		.json_len = (size_t)(end - second - 1),
	};
	return 0;
}

static int each_record(struct vendor_pack *pack, int i, const char *key,
		       int (*each)(const struct vendor_record *record, void *arg), void *arg,
		       struct strbuf *why)
{
	int err = inflate_block(pack, i, why);
	const char *at = pack->text, *stop = err ? at : at + pack->text_len;

	for (const char *end; !err && at < stop; at = end + 1) {
		struct vendor_record record;

		/* end is not NULL: read_block() has checked that the text ends with a newline */
		end = memchr(at, '\n', (size_t)(stop - at));
		if (split(at, end, &record)) {
			strbuf__addf(why, "a record after '%s' is malformed\n",
				     pack->blocks[i].key);
			return -EINVAL;
		}
		if (!key || !compare_key(&record, key))
			err = each(&record, arg);
	}
	return err;
}

/*
 * Returns whether block @i may contain a record with @key. This is possible even if the next block
 * begins with @key, because several blocks can contain records with the same key.
 */
static int may_have(const struct vendor_pack *pack, int i, const char *key)
{
	const struct block *block = &pack->blocks[i], *next = block + 1;

	if (strcmp(block->key, key) > 0)
		return 0;
	return i + 1 == pack->nr_blocks || strcmp(next->kind, block->kind) != 0 ||
	       strcmp(next->key, key) >= 0;
}

int vendor_pack__for_each(struct vendor_pack *pack, const char *kind, const char *key,
			  int (*each)(const struct vendor_record *record, void *arg), void *arg,
			  struct strbuf *why)
{
	int err = 0;

	for (int i = 0; !err && i < pack->nr_blocks; i++)
		if (!strcmp(pack->blocks[i].kind, kind) && (!key || may_have(pack, i, key)))
			err = each_record(pack, i, key, each, arg, why);
	return err;
}

int vendor_record__has_model(const struct vendor_record *record, int model)
{
	const char *at = record->models, *end = at + record->models_len;

	while (at < end) {
		int number = 0;

		for (; at < end && isdigit((unsigned char)*at); at++)
			number = number < INT16_MAX ? number * 10 + (*at - '0') : number;
		if (number == model)
			return 1;
		at++;
	}
	return 0;
}
