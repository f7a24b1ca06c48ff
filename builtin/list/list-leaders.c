// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list-leaders.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/bperf/attr-map.h"
#include "util/count/bpf-util.h"
#include "util/count/cgroup/backend-cgroup-share.h"
#include "util/count/share/shared-link.h"
#include "util/event/names.h"
#include "util/event/parse-events.h"
#include "util/machine/bpf/bpf-prog-facts.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"
#include "util/machine/task/threadmap.h"

/*
 * The maximum number of map entries to read. Without this limit, other programs that add entries
 * could keep read_map() in its loop.
 */
#define MOST_ENTRIES 65536

/* ---- names of events ---- */

static const char *find_name(const struct perf_event_attr *attr)
{
	for (const struct event_name *name = event_names; name->name; name++)
		if (name->tool == TOOL_NONE && name->type == attr->type &&
		    name->config == attr->config)
			return strcmp(name->name, "cpu-cycles") ? name->name : "cycles";
	return NULL;
}

static void add_pmu(const struct perf_event_attr *attr, const struct event_env *env,
		    struct strbuf *sb)
{
	const char *found = NULL;
	struct pmu *pmu;

	for (int i = 0; !found && (pmu = pmus__get(env->pmus, i)); i++)
		if (!pmu__load(pmu) && pmu__type(pmu) == attr->type)
			found = pmu__name(pmu);
	if (found)
		strbuf__adds(sb, found);
	else
		strbuf__addf(sb, "type-%u", attr->type);
	strbuf__addf(sb, "/config=0x%" PRIx64 "/", (uint64_t)attr->config);
}

static void add_event(const struct perf_event_attr *attr, const struct event_env *env,
		      struct strbuf *sb)
{
	const char *name = find_name(attr), *colon = ":";

	if (sb->len)
		strbuf__adds(sb, ",");
	if (name) {
		strbuf__adds(sb, name);
	} else if (attr->type == PERF_TYPE_RAW) {
		strbuf__addf(sb, "r%" PRIx64, (uint64_t)attr->config);
	} else {
		add_pmu(attr, env, sb);
		colon = "";
	}
	if (attr->exclude_kernel != attr->exclude_user)
		strbuf__addf(sb, "%s%c", colon, attr->exclude_kernel ? 'u' : 'k');
}

/* ---- the maps ---- */

/*
 * Returns the row of the leader that is listed in the map at the path @map and attached by the BPF
 * link with the id @link. Adds the row if it does not exist. Returns NULL if memory ran out.
 */
static struct leader_row *row_of(struct leader_rows *rows, const char *map, uint32_t link)
{
	struct leader_row *list = rows->list;

	for (int i = 0; i < rows->nr; i++)
		if (list[i].map == map && list[i].link == link)
			return &list[i];
	list = reallocarray(list, (size_t)rows->nr + 1, sizeof(*list));
	if (!list)
		return NULL;
	rows->list = list;
	list += rows->nr++;
	*list = (struct leader_row){ .map = map, .link = link };
	return list;
}

/* Appends the event whose struct perf_event_attr is @key to the events of @row. */
static int add_entry(struct leader_row *row, const void *key, const struct event_env *env)
{
	struct strbuf events = STRBUF_INIT;
	union perf_attr attr;
	char *text;

	memcpy(&attr, key, sizeof(attr));
	strbuf__adds(&events, row->events ?: "");
	add_event(&attr.attr, env, &events);
	text = strbuf__failed(&events) ? NULL : strdup(events.text);
	strbuf__free(&events);
	if (!text)
		return -ENOMEM;
	free(row->events);
	row->events = text;
	return 0;
}

static int read_map(struct leader_rows *rows, const struct pinned_map *map, const char *path,
		    const struct event_env *env)
{
	struct pinned_walk walk = { .nr = 0 };
	int err = 0;

	while (!err && walk.nr < MOST_ENTRIES && !pinned_map__next(map, &walk)) {
		uint32_t link = map->kind->link_of(walk.key, walk.value);
		struct leader_row *row;

		/*
		 * skip the entry of a leader that no longer exists: an entry can stay in the map
		 * after its sessions have ended
		 */
		if (shared_link__is_gone(link))
			continue;
		row = row_of(rows, path, link);
		err = row ? 0 : -ENOMEM;
		if (!err && map->kind == &attr_map_kind)
			err = add_entry(row, walk.key, env);
	}
	return err;
}

/* Adds the leaders that the map at @path lists. Does not create the map if it does not exist. */
static int find_in(struct leader_rows *rows, const char *path, const struct pinned_map_kind *kind,
		   const struct event_env *env)
{
	struct pinned_map map = PINNED_MAP_INIT(kind);
	struct strbuf why = STRBUF_INIT;
	int err;

	if (access(path, F_OK))
		return 0;
	bpf_util__init();
	err = pinned_map__open(&map, path, &why);
	if (err == -EACCES || err == -EPERM)
		pr_info("the leaders of shared counters are not listed: %s",
			reason__text(&why, err));
	else if (err && err != -ENOMEM)
		pr_warn("the leaders of shared counters are not listed: %s",
			reason__text(&why, err));
	strbuf__free(&why);
	if (err)
		return err == -ENOMEM ? err : 0;
	err = read_map(rows, &map, path, env);
	pinned_map__close(&map);
	return err;
}

/* ---- processes ---- */

static int add_processes(struct leader_row *row, const struct prog_holders *holders)
{
	uint32_t prog = shared_link__prog(row->link);
	const struct prog_holder *found;
	int nr = 0;

	found = prog ? prog_holders__of(holders, prog, &nr) : NULL;
	row->processes = calloc((size_t)nr + 1, sizeof(*row->processes));
	if (!row->processes)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		struct leader_process *to = &row->processes[i];

		to->pid = (int)found[i].holder;
		threadmap__comm(sysroots__host(), to->pid, to->command, sizeof(to->command));
	}
	row->nr_processes = nr;
	return 0;
}

int leader_rows__find(struct leader_rows *rows, const struct event_env *env)
{
	struct prog_holders holders = { 0 };
	int err;

	*rows = (struct leader_rows){ 0 };
	err = find_in(rows, ATTR_MAP_PATH, &attr_map_kind, env);
	err = err ?: find_in(rows, CGROUP_SHARE_PATH, &cgroup_share_kind, env);
	if (!err && rows->nr)
		err = prog_holders__processes(sysroots__host(), &holders);
	for (int i = 0; !err && i < rows->nr; i++)
		err = add_processes(&rows->list[i], &holders);
	prog_holders__free(&holders);
	if (err)
		leader_rows__free(rows);
	return err;
}

void leader_rows__free(struct leader_rows *rows)
{
	for (int i = 0; i < rows->nr; i++) {
		free(rows->list[i].events);
		free(rows->list[i].processes);
	}
	free(rows->list);
	*rows = (struct leader_rows){ 0 };
}

/* ---- columns ---- */

static const void *nth_process(const void *row, int nr)
{
	const struct leader_row *leader = row;

	return nr < leader->nr_processes ? &leader->processes[nr] : NULL;
}

static void add_process_texts(const void *row, struct strbuf *sb)
{
	const struct leader_row *leader = row;

	for (int i = 0; i < leader->nr_processes; i++)
		strbuf__addf(sb, "%s%d (%s)", i ? ", " : "", leader->processes[i].pid,
			     leader->processes[i].command);
}

static const struct column process_columns[] = {
	COLUMN(IN_JSON, "pid", struct leader_process, pid),
	{ .in = IN_JSON,
	  .name = "command",
	  .kind = COLUMN_CHARS,
	  COLUMN_AT(struct leader_process, command) },
	{ 0 },
};

#define LEADER(outputs, key, member, ...) \
	COLUMN(outputs, key, struct leader_row, member, __VA_ARGS__)

const struct column leader_columns[] = {
	LEADER(IN_JSON, "leader", link),
	LEADER(IN_TABLE, "leader", link, .right = true),
	LEADER(IN_JSON | IN_TABLE, "events", events, .optional = true),
	LEADER(IN_JSON | IN_TABLE, "map", map),
	COLUMN_BY(IN_JSON, "used-by", COLUMN_LIST, .item = nth_process, .items = process_columns),
	COLUMN_BY(IN_TABLE, "used by", COLUMN_MADE, .add = add_process_texts),
	{ 0 },
};
