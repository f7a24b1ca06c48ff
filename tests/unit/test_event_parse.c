// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event strings and what becomes of them. An event is written "NAME type:config", then what differs from nothing: c1= c2= c3=, what is
 * excluded (the kernel's exclude bits, "guest" by default), p, D, e, b, W, unit and scale, PMU, CPUs. Groups stand in braces. An
 * error is "COLUMN: reason".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "tests/unit/test_event_roots.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/machine/cpumap.h"

static struct fake_roots server, hybrid, bare;

static void add_config(struct strbuf *sb, const char *name, uint64_t value)
{
	if (value)
		strbuf__addf(sb, " %s=0x%llx", name, (unsigned long long)value);
}

static void add_flag(struct strbuf *sb, const char *name, bool set)
{
	strbuf__adds(sb, set ? " " : "");
	strbuf__adds(sb, set ? name : "");
}

static void add_attr(struct strbuf *sb, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;

	strbuf__addf(sb, "%s %u:0x%llx", evsel->name, attr->type, (unsigned long long)attr->config);
	add_config(sb, "c1", attr->config1);
	add_config(sb, "c2", attr->config2);
	add_config(sb, "c3", evsel->attr.v8.config3);
	add_config(sb, "bp", attr->bp_type);
	add_flag(sb, "-u", attr->exclude_user);
	add_flag(sb, "-k", attr->exclude_kernel);
	add_flag(sb, "-h", attr->exclude_hv);
	add_flag(sb, "-G", attr->exclude_guest);
	add_flag(sb, "-H", attr->exclude_host);
	add_flag(sb, "-I", attr->exclude_idle);
	add_config(sb, "p", attr->precise_ip);
	add_flag(sb, "D", attr->pinned);
	add_flag(sb, "e", attr->exclusive);
}

static void add_evsel(struct strbuf *sb, const struct evsel *evsel)
{
	add_attr(sb, evsel);
	add_flag(sb, "b", evsel->bpf_counter);
	add_flag(sb, "W", evsel->weak_group);
	if (*evsel->unit || evsel->scale != 1.0)
		strbuf__addf(sb, " %s*%g", evsel->unit, evsel->scale);
	add_flag(sb, "pkg", evsel->per_pkg);
	add_flag(sb, "snap", evsel->snapshot);
	add_flag(sb, "percore", evsel->percore);
	if (evsel->pmu_name)
		strbuf__addf(sb, " on %s", evsel->pmu_name);
	if (evsel->pmu_cpus) {
		strbuf__adds(sb, " cpus ");
		cpumap__format(evsel->pmu_cpus, sb);
	}
	add_flag(sb, "core", evsel->is_core_pmu);
	add_flag(sb, "merged", evsel->merged);
}

static void show(struct strbuf *sb, const struct evlist *evlist)
{
	for (int i = 0; i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->entries[i], *leader = evsel->leader;
		bool grouped = leader->nr_members > 1;

		assert_int_equal(evsel->idx, i);
		assert_int_equal(evsel->attr.attr.size, PERF_ATTR_SIZE);
		strbuf__adds(sb, i ? "; " : "");
		strbuf__adds(sb, grouped && leader == evsel ? "{" : "");
		add_evsel(sb, evsel);
		strbuf__adds(sb, grouped && i == leader->idx + leader->nr_members - 1 ? "}" : "");
	}
}

struct row {
	const char *text, *expected;
};

static void check(const struct fake_roots *fake, const struct row *row)
{
	struct event_env env = { .roots = &fake->roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf got = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	int err = parse_events(evlist, row->text, &env, &error);

	if (err) {
		assert_int_equal(err, -EINVAL);
		assert_int_equal(evlist->nr, 0);
		strbuf__addf(&got, "%zu: %s", error.column, error.reason.text);
	} else {
		assert_false(parse_error__is_set(&error));
		show(&got, evlist);
	}
	if (strcmp(got.text, row->expected))
		print_error("for '%s':\n", row->text);
	assert_string_equal(got.text, row->expected);
	strbuf__free(&got);
	parse_error__free(&error);
	evlist__free(evlist);
}

static void check_all(const struct fake_roots *fake, const struct row *rows)
{
	for (; rows->text; rows++)
		check(fake, rows);
}

/* Attrs as `perf stat -vv -e …` of Linux 6.12 prints them; numbers from linux/perf_event.h. */
static void test_fixed_names_have_perfs_attrs(void **state)
{
	static const struct row rows[] = {
		{ "cycles", "cycles 0:0x0 -G" },
		{ "cpu-cycles", "cpu-cycles 0:0x0 -G" },
		{ "instructions", "instructions 0:0x1 -G" },
		{ "cache-references", "cache-references 0:0x2 -G" },
		{ "cache-misses", "cache-misses 0:0x3 -G" },
		{ "branches", "branches 0:0x4 -G" },
		{ "branch-instructions", "branch-instructions 0:0x4 -G" },
		{ "branch-misses", "branch-misses 0:0x5 -G" },
		{ "bus-cycles", "bus-cycles 0:0x6 -G" },
		{ "stalled-cycles-frontend", "stalled-cycles-frontend 0:0x7 -G" },
		{ "idle-cycles-frontend", "idle-cycles-frontend 0:0x7 -G" },
		{ "stalled-cycles-backend", "stalled-cycles-backend 0:0x8 -G" },
		{ "idle-cycles-backend", "idle-cycles-backend 0:0x8 -G" },
		{ "ref-cycles", "ref-cycles 0:0x9 -G" },
		{ "cpu-clock", "cpu-clock 1:0x0 -G msec*1e-06" },
		{ "task-clock", "task-clock 1:0x1 -G msec*1e-06" },
		{ "page-faults", "page-faults 1:0x2 -G" },
		{ "faults", "faults 1:0x2 -G" },
		{ "cs", "cs 1:0x3 -G" },
		{ "context-switches", "context-switches 1:0x3 -G" },
		{ "cpu-migrations", "cpu-migrations 1:0x4 -G" },
		{ "migrations", "migrations 1:0x4 -G" },
		{ "minor-faults", "minor-faults 1:0x5 -G" },
		{ "major-faults", "major-faults 1:0x6 -G" },
		{ "alignment-faults", "alignment-faults 1:0x7 -G" },
		{ "emulation-faults", "emulation-faults 1:0x8 -G" },
		{ "dummy", "dummy 1:0x9 -G" },
		{ "bpf-output", "bpf-output 1:0xa -G" },
		{ "cgroup-switches", "cgroup-switches 1:0xb -G" },
		{ "duration_time", "duration_time 1:0x9 -G ns*1" },
		{ "user_time", "user_time 1:0x9 -G ns*1" },
		{ "system_time:u", "system_time:u 1:0x9 -k -h -G ns*1" },
		{ "cs,task-clock", "cs 1:0x3 -G; task-clock 1:0x1 -G msec*1e-06" },
		{ " cs , cs ", "cs 1:0x3 -G; cs 1:0x3 -G" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
	check_all(&bare, rows);
}

static void test_cache_names_are_decoded_and_printed_without_modifiers(void **state)
{
	static const struct row rows[] = {
		{ "L1-dcache-loads", "L1-dcache-loads 3:0x0 -G" },
		{ "L1-dcache-load-misses", "L1-dcache-load-misses 3:0x10000 -G" },
		{ "L1-dcache-misses-loads", "L1-dcache-misses-loads 3:0x10000 -G" },
		{ "l1d-write-miss", "l1d-write-miss 3:0x10100 -G" },
		{ "LLC-prefetch", "LLC-prefetch 3:0x202 -G" },
		{ "LLC-speculative-load-misses", "LLC-speculative-load-misses 3:0x10202 -G" },
		{ "branch-loads", "branch-loads 3:0x5 -G" },
		{ "node", "node 3:0x6 -G" },
		{ "iTLB-miss", "iTLB-miss 3:0x10004 -G" },
		{ "L1-dcache-loads:u", "L1-dcache-loads 3:0x0 -k -h -G" },
		{ "L1-dcache-loads/name=x/", "x 3:0x0 -G" },
		{ "L1-icache-stores", "0: 'L1-icache-stores': this cache has no such operation" },
		{ "LLC-loads-stores", "0: 'LLC-loads-stores': two operations in the name of a cache event" },
		{ "LLC-miss-refs", "0: 'LLC-miss-refs': two results in the name of a cache event" },
		{ "LLC-lodes", "0: unknown event 'LLC-lodes'" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_modifiers_set_perfs_exclude_bits(void **state)
{
	static const struct row rows[] = {
		{ "cs:u", "cs:u 1:0x3 -k -h -G" },
		{ "cs:k", "cs:k 1:0x3 -u -h" },
		{ "cs:h", "cs:h 1:0x3 -u -k" },
		{ "cs:uk", "cs:uk 1:0x3 -h -G" },
		{ "cs:ku", "cs:ku 1:0x3 -h -G" },
		{ "cs:G", "cs:G 1:0x3 -H" },
		{ "cs:H", "cs:H 1:0x3 -G" },
		{ "cs:GH", "cs:GH 1:0x3" },
		{ "cs:uG", "cs:uG 1:0x3 -k -h -H" },
		{ "cs:I", "cs:I 1:0x3 -I" },
		{ "cs:p", "cs:p 1:0x3 -G p=0x1" },
		{ "cs:ppp", "cs:ppp 1:0x3 -G p=0x3" },
		{ "cs:up", "cs:up 1:0x3 -k -h -G p=0x1" },
		{ "cs:P", "cs:P 1:0x3" },
		{ "cs:S", "cs:S 1:0x3" },
		{ "cs:D", "cs:D 1:0x3 D" },
		{ "cs:e", "cs:e 1:0x3 e" },
		{ "cs:b", "cs:b 1:0x3 b" },
		{ "cs:bu", "cs:bu 1:0x3 -k -h -G b" },
		{ "cs: u", "cs: u 1:0x3 -k -h -G" },
		{ "cs:", "cs: 1:0x3 -G" },
		{ "cs//u", "cs//u 1:0x3 -k -h -G" },
		{ "cs//", "cs// 1:0x3 -G" },
		{ "msr/tsc/b", "msr/tsc/b 9:0x0 b on msr" },
		{ "msr/tsc/:b", "msr/tsc/:b 9:0x0 b on msr" },
		{ "cs:uu", "4: duplicate modifier 'u' (user)" },
		{ "cs:pppp", "6: more than 3 times p (precise)" },
		{ "cs:z", "3: unknown modifier 'z'" },
		{ "cs:W", "3: modifier W (weak) is for groups: {...}:W" },
		{ "cs:R", "3: modifier R (retirement latency) needs samples; pstat counts and takes none" },
		{ "cs::u", "3: ':' where ',' was expected" },
		{ "cs u", "3: 'u' where ',' was expected" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_groups_have_leaders_and_modifiers_add_up(void **state)
{
	static const struct row rows[] = {
		{ "{cs,task-clock}", "{cs 1:0x3 -G; task-clock 1:0x1 -G msec*1e-06}" },
		{ "{cs}", "cs 1:0x3 -G" },
		{ "{cs,cs},cs", "{cs 1:0x3 -G; cs 1:0x3 -G}; cs 1:0x3 -G" },
		{ "mine{cs,cs}", "{cs 1:0x3 -G; cs 1:0x3 -G}" },
		{ "{ cs , cs } : u", "{cs 1:0x3 -k -h -G; cs 1:0x3 -k -h -G}" },
		{ "{cs:u,cs}:k", "{cs:u 1:0x3 -h -G; cs 1:0x3 -u -h -G}" },
		{ "{cs,cs}:D", "{cs 1:0x3 -G D; cs 1:0x3 -G}" },
		{ "{cs,cs}:e", "{cs 1:0x3 -G e; cs 1:0x3 -G}" },
		{ "{cs,cs}:W", "{cs 1:0x3 -G W; cs 1:0x3 -G}" },
		{ "{cs,cs}:b", "{cs 1:0x3 -G b; cs 1:0x3 -G b}" },
		{ "{cs:p,cs}:p", "{cs:p 1:0x3 -G p=0x2; cs 1:0x3 -G p=0x1}" },
		{ "{cs:ppp}:p", "9: together with the group's, 'cs:ppp' has more than 3 times p (precise)" },
		{ "{cs:G,cs}:H", "{cs:G 1:0x3; cs 1:0x3 -G}" },
		{ "{cs,cs:D}", "7: modifiers D and e are for a whole group: on its first event, or behind '}'" },
		{ "{cs,cs:W}", "7: modifier W (weak) is for groups: {...}:W" },
		{ "{cycles,cs,msr/tsc/}", "{cycles 0:0x0 -G; cs 1:0x3 -G; msr/tsc/ 9:0x0 -G on msr}" },
		{ "{}", "0: a group without events" },
		{ "{cs", "0: '{' is never closed" },
		{ "{cs,", "0: '{' is never closed" },
		{ "cs,{cs,cs", "3: '{' is never closed" },
		{ "cs}", "2: '}' without '{'" },
		{ "}", "0: '}' without '{'" },
		{ "{{cs}}", "1: a group cannot stand inside a group" },
		{ "{cs,}", "4: '}' where an event was expected" },
		{ "{cs}cs", "4: 'cs' where ',' was expected" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_a_group_is_split_where_pmus_change(void **state)
{
	static const struct row rows[] = {
		{ "{imc_0/event=1/,cycles,cs}",
		  "cycles 0:0x0 -G; {imc_0/event=1/ 20:0x1 -G on uncore_imc_0 cpus 0,16; cs 1:0x3 -G}" },
		{ "{uncore_imc_1/event=1/,20:5}",
		  "20:5 20:0x5 -G; uncore_imc_1/event=1/ 21:0x1 -G on uncore_imc_1 cpus 0,16" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_numbers_are_types_and_configs(void **state)
{
	static const struct row rows[] = {
		{ "1:3", "1:3 1:0x3 -G" },
		{ "0:0x10", "0:0x10 0:0x10 -G" },
		{ "1:010", "1:010 1:0xa -G" },
		{ "1:0", "1:0 1:0x0 -G msec*1e-06" },
		{ "4294967295:1", "4294967295:1 4294967295:0x1 -G" },
		{ "1:3:u", "1:3:u 1:0x3 -k -h -G" },
		{ "1:2/config1=3/k", "1:2/config1=3/k 1:0x2 c1=0x3 -u -h" },
		{ "r1a8", "r1a8 4:0x1a8 -G" },
		{ "rFFFFFFFFFFFFFFFF", "rFFFFFFFFFFFFFFFF 4:0xffffffffffffffff -G" },
		{ "read", "read 4:0xead -G" },
		{ "r1a/name=q/u", "q 4:0x1a -k -h -G" },
		{ "rFFFFFFFFFFFFFFFFF", "0: unknown event 'rFFFFFFFFFFFFFFFFF'" },
		{ "4294967296:1", "0: the type '4294967296' does not fit in 32 bits" },
		{ "1:18446744073709551616", "2: the number '18446744073709551616' does not fit in 64 bits" },
		{ "1:0x10000000000000000", "2: the number '0x10000000000000000' does not fit in 64 bits" },
		{ "1:cs", "2: 'cs' where a number was expected" },
		{ "1:", "2: the string ends where a number was expected" },
		{ "12", "0: a number alone is no event: TYPE:CONFIG, or rHEX for a raw one" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_pmu_terms_set_the_bits_of_their_formats(void **state)
{
	static const struct row rows[] = {
		{ "cpu/event=0x3c/", "cpu/event=0x3c/ 4:0x3c -G on cpu" },
		{ "cpu/event=0x3c,umask=1,any/u", "cpu/event=0x3c,umask=1,any/u 4:0x20013c -k -h -G on cpu" },
		{ "cpu/ldlat=3,split=0xff,third=15/",
		  "cpu/ldlat=3,split=0xff,third=15/ 4:0x0 c1=0x3 c2=0xf00000000000000f c3=0xf0 -G on cpu" },
		{ "cpu/inst_retired/", "cpu/inst_retired/ 4:0x1c0 -G on cpu" },
		{ "cpu/INST_RETIRED/", "cpu/INST_RETIRED/ 4:0x1c0 -G on cpu" },
		{ "cpu/inst_retired,umask=2/", "cpu/inst_retired,umask=2/ 4:0x3c0 -G on cpu" },
		{ "cpu/event=inst_retired/", "cpu/event=inst_retired/ 4:0x1c0 -G on cpu" },
		{ "inst_retired", "inst_retired 4:0x1c0 -G on cpu" },
		{ "inst_retired:k", "inst_retired:k 4:0x1c0 -u -h on cpu" },
		{ "inst_retired/umask=4,name=q/", "q 4:0x5c0 -G on cpu" },
		{ "cpu/param,event=7/", "cpu/param,event=7/ 4:0x207 -G on cpu" },
		{ "cpu/r1a/", "cpu/r1a/ 4:0x1a -G on cpu" },
		{ "cpu/config=1,config1=2,config2=3,config3=4/",
		  "cpu/config=1,config1=2,config2=3,config3=4/ 4:0x1 c1=0x2 c2=0x3 c3=0x4 -G on cpu" },
		{ "cpu/cycles/", "cpu/cycles/ 0:0x0 -G on cpu" },
		{ "cpu/L1-dcache-load-misses/", "cpu/L1-dcache-load-misses/ 3:0x10000 -G on cpu" },
		{ "cpu/event=1,name='a,b/c'/", "a,b/c 4:0x1 -G on cpu" },
		{ "cpu/event=1,period=5,freq=7,metric-id=x/",
		  "cpu/event=1,period=5,freq=7,metric-id=x/ 4:0x1 -G on cpu" },
		{ "cpu/event=1,percore/", "cpu/event=1,percore/ 4:0x1 -G percore on cpu" },
		{ "cpu//", "cpu// 4:0x0 -G on cpu" },
		{ "software//", "software// 1:0x0 -G msec*1e-06 on software" },
		{ "software/config=1/", "software/config=1/ 1:0x1 -G on software" },
		{ "cpu/event=256/", "10: value too big for format (event), maximum is 255" },
		{ "cpu/event/", "4: no value given for term 'event'" },
		{ "cpu/event=x/", "10: term 'event' needs a number, not 'x'" },
		{ "cpu/event=0x10000000000000000/", "10: the number '0x10000000000000000' does not fit in 64 bits" },
		{ "cpu/param/", "4: this event needs a term event=NUMBER" },
		{ "cpu/nope/", "4: unknown term 'nope' for pmu 'cpu'" },
		{ "cs,cpu/nope=1/", "7: unknown term 'nope' for pmu 'cpu'" },
		{ "cpu/broken=1/",
		  "4: term 'broken' of PMU 'cpu': its file in sysfs cannot be used (Invalid argument)" },
		{ "cpu/loop/", "4: unknown term 'loop' for pmu 'cpu' in sysfs' own event 'loop'" },
		{ "cpu/empty/", "4: event 'empty' of PMU 'cpu': its files in sysfs cannot be used (Invalid argument)" },
		{ "cpu/garbled/",
		  "4: event 'garbled' of PMU 'cpu': sysfs has 'event=,' for it: ',' where a value was expected" },
		{ "bad//", "0: PMU 'bad': its file 'type' cannot be used (Invalid argument)" },
		{ "msr/cycles/", "4: unknown term 'cycles' for pmu 'msr'" },
		{ "cpu/call-graph=no/", "15: term 'call-graph' says how to sample; pstat counts" },
		{ "cpu/@x/", "4: '@' terms configure trace devices; pstat counts" },
		{ "cpu/percore=2/", "12: term 'percore' is 0 or 1" },
		{ "cpu/config=x/", "11: term 'config' needs a number, not 'x'" },
		{ "cpu/event=1", "3: '/' is never closed" },
		{ "cpu/", "3: '/' is never closed" },
		{ "cpu/event=", "10: the string ends where a value was expected" },
		{ "cpu/event=1,/", "12: '/' where a term was expected" },
		{ "cpu/,/", "4: ',' where a term was expected" },
		{ "cpu/name='x/", "9: a quote that nothing closes" },
		{ "nope/event=1/", "0: no PMU, and no PMU's event, has the name 'nope'" },
		{ "cs/nope/", "3: unknown term 'nope'" },
		{ "cs/config=5/", "cs/config=5/ 1:0x5 -G" },
		{ "cs/name=foo/k", "foo 1:0x3 -u -h" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

#define IMC(name, type, nr, more) name " " type ":0x4 -G MiB*0.5 pkg snap on uncore_imc_" nr " cpus 0,16" more

static void test_one_name_stands_for_several_pmus_that_are_merged(void **state)
{
	static const struct row rows[] = {
		{ "uncore_imc/cas/",
		  IMC("uncore_imc/cas/", "20", "0", "; ") IMC("uncore_imc/cas/", "21", "1", " merged; ")
			  IMC("uncore_imc/cas/", "22", "10", " merged") },
		{ "imc_1*/cas/", IMC("imc_1*/cas/", "21", "1", "; ") IMC("imc_1*/cas/", "22", "10", " merged") },
		{ "imc_1/cas/", IMC("imc_1/cas/", "21", "1", "") },
		{ "uncore_imc_1/cas/", IMC("uncore_imc_1/cas/", "21", "1", "") },
		{ "cas:u", "cas:u 20:0x4 -k -h -G MiB*0.5 pkg snap on uncore_imc_0 cpus 0,16; "
			   "cas:u 21:0x4 -k -h -G MiB*0.5 pkg snap on uncore_imc_1 cpus 0,16 merged; "
			   "cas:u 22:0x4 -k -h -G MiB*0.5 pkg snap on uncore_imc_10 cpus 0,16 merged" },
		{ "uncore_imc/nope/", "11: unknown term 'nope' for pmu 'uncore_imc_0'" },
		{ "im/cas/", "0: no PMU, and no PMU's event, has the name 'im'" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_tracepoints_are_found_by_their_id_files(void **state)
{
	static const struct row rows[] = {
		{ "sched:sched_switch", "sched:sched_switch 2:0x13c -G" },
		{ "sched:sched_switch:u", "sched:sched_switch 2:0x13c -k -h -G" },
		{ "sched:sched_*", "sched:sched_switch 2:0x13c -G; sched:sched_wakeup 2:0x13d -G" },
		{ "sch*:*wakeup", "sched:sched_wakeup 2:0x13d -G" },
		{ "{sched:*}:u", "{sched:sched_switch 2:0x13c -k -h -G; sched:sched_wakeup 2:0x13d -k -h -G}" },
		{ "sched:sched_swich", "6: unknown tracepoint 'sched_swich' of system 'sched'" },
		{ "shed:sched_switch", "0: unknown tracepoint system 'shed'" },
		{ "sched:x*", "6: unknown tracepoint 'x*' of system 'sched'" },
		{ "x*:y", "0: no tracepoint matches 'x*:y'" },
		{ "irq:..", "4: a tracepoint cannot begin with '.'" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_missing_tracefs_is_said(void **state)
{
	char expected[256];
	struct row row = { "sched:sched_switch", expected };

	(void)state;
	snprintf(expected, sizeof(expected),
		 "0: tracepoints are not to be seen in %s (No such file or directory): mount -t tracefs tracefs %s",
		 bare.tracefs, bare.tracefs);
	check(&bare, &row);
}

static void test_breakpoints_have_address_length_and_access(void **state)
{
	static const struct row rows[] = {
		{ "mem:0x1000", "mem:0x1000 5:0x0 c1=0x1000 c2=0x4 bp=0x3 -G" },
		{ "mem:4096:w", "mem:4096:w 5:0x0 c1=0x1000 c2=0x4 bp=0x2 -G" },
		{ "mem:0x1000:rw:u", "mem:0x1000:rw:u 5:0x0 c1=0x1000 c2=0x4 bp=0x3 -k -h -G" },
		{ "mem:0x1000:rwu", "mem:0x1000:rwu 5:0x0 c1=0x1000 c2=0x4 bp=0x3 -k -h -G" },
		{ "mem:0x1000/8:w", "mem:0x1000/8:w 5:0x0 c1=0x1000 c2=0x8 bp=0x2 -G" },
		{ "mem:0x1000/0", "mem:0x1000/0 5:0x0 c1=0x1000 c2=0x4 bp=0x3 -G" },
		{ "mem:0x1000:u", "mem:0x1000:u 5:0x0 c1=0x1000 c2=0x4 bp=0x3 -k -h -G" },
		{ "mem:0x1000/name=x/", "x 5:0x0 c1=0x1000 c2=0x4 bp=0x3 -G" },
		{ "mem:0x1000/2:r/name=x/k", "x 5:0x0 c1=0x1000 c2=0x2 bp=0x1 -u -h" },
		{ "mem:0x1000:rr", "12: duplicate access 'r'" },
		{ "mem:0x1000/1z", "11: a length in bytes is a number" },
		{ "mem:", "4: the string ends where an address was expected" },
		{ "mem:0x10000000000000000", "4: the number '0x10000000000000000' does not fit in 64 bits" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_lists_with_holes_are_refused_at_the_hole(void **state)
{
	static const struct row rows[] = {
		{ "", "0: no event is named" },
		{ "  ", "0: no event is named" },
		{ ",", "0: ',' where an event was expected" },
		{ ",cs", "0: ',' where an event was expected" },
		{ "cs,", "3: the string ends where an event was expected" },
		{ "cs,,cs", "3: ',' where an event was expected" },
		{ "cs/", "2: '/' is never closed" },
		{ "/cs/", "0: '/' where an event was expected" },
		{ ":u", "0: ':' where an event was expected" },
		{ "cs$", "2: '$' where ',' was expected" },
		{ "'cs'", "0: a quoted word where an event was expected" },
		{ "cs='x", "2: '=' where ',' was expected" },
		{ "-cs", "0: an event cannot begin with '-'" },
		{ "run_cnt", "0: run_cnt counts runs of BPF programs: it needs -b" },
		{ "CYCLES", "0: unknown event 'CYCLES'" },
		{ NULL },
	};

	(void)state;
	check_all(&server, rows);
}

static void test_run_cnt_is_known_when_a_program_is_profiled(void **state)
{
	struct event_env env = { .roots = &server.roots, .bpf_prog = true };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();

	(void)state;
	assert_int_equal(parse_events(evlist, "run_cnt,cs", &env, &error), 0);
	assert_int_equal(evlist->entries[0]->tool, TOOL_RUN_CNT);
	assert_string_equal(evlist->entries[0]->unit, "");
	assert_int_equal(evlist->entries[1]->tool, TOOL_NONE);
	parse_error__free(&error);
	evlist__free(evlist);
}

static void test_hybrid_machines_open_generic_events_on_each_core_pmu(void **state)
{
	static const struct row rows[] = {
		{ "cycles", "cycles 0:0xa00000000 -G on cpu_atom cpus 8-15 core; cycles 0:0x400000000 -G on cpu_core "
			    "cpus 0-7 core" },
		{ "L1-dcache-loads", "L1-dcache-loads 3:0xa00000000 -G on cpu_atom cpus 8-15 core; "
				     "L1-dcache-loads 3:0x400000000 -G on cpu_core cpus 0-7 core" },
		{ "cpu_core/instructions/", "cpu_core/instructions/ 0:0x400000001 -G on cpu_core cpus 0-7 core" },
		{ "cpu_atom/event=1/", "cpu_atom/event=1/ 10:0x1 -G on cpu_atom cpus 8-15 core" },
		{ "mem-loads",
		  "mem-loads 10:0xd0 -G on cpu_atom cpus 8-15 core; mem-loads 4:0xcd -G on cpu_core cpus 0-7 core" },
		{ "cs", "cs 1:0x3 -G" },
		{ "{cycles,instructions}", "{cycles 0:0xa00000000 -G on cpu_atom cpus 8-15 core; "
					   "instructions 0:0xa00000001 -G on cpu_atom cpus 8-15 core}; "
					   "{cycles 0:0x400000000 -G on cpu_core cpus 0-7 core; "
					   "instructions 0:0x400000001 -G on cpu_core cpus 0-7 core}" },
		{ NULL },
	};

	(void)state;
	check_all(&hybrid, rows);
}

static void test_a_failure_leaves_what_was_there(void **state)
{
	struct event_env env = { .roots = &server.roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();

	(void)state;
	assert_int_equal(parse_events(evlist, "cs", &env, &error), 0);
	assert_int_equal(parse_events(evlist, "{cs,cycles},cas,nope", &env, &error), -EINVAL);
	assert_int_equal(evlist->nr, 1);
	assert_int_equal(parse_events(evlist, "{cs,cycles}", &env, &error), 0);
	assert_int_equal(evlist->nr, 3);
	assert_ptr_equal(evlist->entries[2]->leader, evlist->entries[1]);
	parse_error__free(&error);
	evlist__free(evlist);
}

static void test_merged_events_point_to_the_one_they_are_added_to(void **state)
{
	struct event_env env = { .roots = &server.roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();

	(void)state;
	assert_int_equal(parse_events(evlist, "{cas,imc/event=5/}", &env, &error), 0);
	assert_int_equal(evlist->nr, 6);
	for (int i = 0; i < 6; i++) {
		assert_ptr_equal(evlist->entries[i]->merge_into, i < 2 ? NULL : evlist->entries[i % 2]);
		assert_int_equal(evlist->entries[i]->merged, i >= 2);
		assert_int_equal(evlist->entries[i]->leader->idx, i - i % 2);
	}
	parse_error__free(&error);
	evlist__free(evlist);
}

static void test_the_number_of_events_is_bounded(void **state)
{
	struct event_env env = { .roots = &server.roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 7000; i++)
		strbuf__adds(&text, i ? ",imc/cas/" : "imc/cas/");
	assert_int_equal(parse_events(evlist, text.text, &env, &error), -EINVAL);
	assert_string_equal(error.reason.text, "more than 16384 events");
	assert_int_equal(evlist->nr, 0);
	strbuf__free(&text);
	parse_error__free(&error);
	evlist__free(evlist);
}

static int setup(void **state)
{
	(void)state;
	fake_roots__init(&server);
	fake_roots__server(&server);
	fake_roots__init(&hybrid);
	fake_roots__hybrid(&hybrid);
	fake_roots__init(&bare);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_roots__remove(&server);
	fake_roots__remove(&hybrid);
	fake_roots__remove(&bare);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed_names_have_perfs_attrs),
		cmocka_unit_test(test_cache_names_are_decoded_and_printed_without_modifiers),
		cmocka_unit_test(test_modifiers_set_perfs_exclude_bits),
		cmocka_unit_test(test_groups_have_leaders_and_modifiers_add_up),
		cmocka_unit_test(test_a_group_is_split_where_pmus_change),
		cmocka_unit_test(test_numbers_are_types_and_configs),
		cmocka_unit_test(test_pmu_terms_set_the_bits_of_their_formats),
		cmocka_unit_test(test_one_name_stands_for_several_pmus_that_are_merged),
		cmocka_unit_test(test_tracepoints_are_found_by_their_id_files),
		cmocka_unit_test(test_missing_tracefs_is_said),
		cmocka_unit_test(test_breakpoints_have_address_length_and_access),
		cmocka_unit_test(test_lists_with_holes_are_refused_at_the_hole),
		cmocka_unit_test(test_run_cnt_is_known_when_a_program_is_profiled),
		cmocka_unit_test(test_hybrid_machines_open_generic_events_on_each_core_pmu),
		cmocka_unit_test(test_a_failure_leaves_what_was_there),
		cmocka_unit_test(test_merged_events_point_to_the_one_they_are_added_to),
		cmocka_unit_test(test_the_number_of_events_is_bounded),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
