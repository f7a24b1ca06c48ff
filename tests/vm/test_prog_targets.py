# SPDX-License-Identifier: GPL-2.0-only
"""Which programs -b counts: the selectors, a row for each program, and programs that are loaded
or unloaded during the count."""
import json
import pathlib
import re

import pytest

from csv_rows import series, values
from guest import guest_each, machines

FILES = [
    pathlib.Path(__file__).parent / "guest-files" / name
    for name in ("ask", "target", "many", "bpf-objects")
]
LONG = "a_name_of_more_than_15_characters"
PROGRAMS = 80

# the programs of most steps, and how many times each runs after the count has begun
START = f"""
. ./many; many
tell 'load one' 'load two 2' 'calls three' 'load {LONG}' >/dev/null
runs() {{ for line in 'one 1' 'two 20' 'two_2 300' 'three 4000' '{LONG} 50000'
do tell "run $line"; done >&2; }}
id() {{ pstat progs -j $1 | sed -n 's/.*"id" : \\([0-9]*\\).*/\\1/p'; }}
count() {{ pstat -x, -e run_cnt "$@" -- sh -c '. ./tell
for line in "one 1" "two 20" "two_2 300" "three 4000" "{LONG} 50000"; do
    tell "run $line"; done >/dev/null' 2>&1; }}
sed -n '/^tell()/,/^}}/p' many >tell; echo bpf_many=$bpf_many >>tell
"""

WORDS = {
    "name:one": 1,
    "name:two*": 320,
    "name:t*": 4320,
    f"name:{LONG}": 50000,
    f"name:{LONG[:15]}": 50000,
    "name:*15_characters": 50000,
    "name:[ot]*": 4321,
    "type:xdp": 54321,
    "all": 54321,
    "type:xdp,all,name:one": 54321,
    "name:one,name:two": 21,
    "$(id one),name:two": 21,
    "$(id one),name:one": 1,
    "tag:$(pstat progs -j three | sed -n 's/.*\"tag\" : \"\\([0-9a-f]*\\)\".*/\\1/p')": 4000,
    "tag:$(pstat progs -j one | sed -n 's/.*\"tag\" : \"\\([0-9a-f]*\\)\".*/\\1/p')": 50321,
    "$(id three):three_sub": 12000,
    "$(id three):three_sub,$(id three)": 16000,
    "$(id three):three": 4000,
    "pinned:/sys/fs/bpf/pin": 300,
    "pinned:/sys/fs/bpf/pin,name:one": 301,
}

COMMANDS = {
    "words": (START + "tell 'pin two_2 /sys/fs/bpf/pin' >/dev/null\n" +
              "\n".join(f'echo "{number} $(count -b "{word}")"'
                        for number, word in enumerate(WORDS)) + "\nrm /sys/fs/bpf/pin"),
    "wrong words": (START + """
./bpf-objects >before
pstat -b name:none -e cs true; echo $?
pstat -b name:one,name:none -e cs true; echo $?
pstat -b $(id three):none -e cs true; echo $?
pstat -b pinned:/sys/fs/bpf/none -e cs true; echo $?
bpftool map create /sys/fs/bpf/amap type array key 4 value 4 entries 1 name amap
pstat -b pinned:/sys/fs/bpf/amap -e cs true; echo $?
rm /sys/fs/bpf/amap
./bpf-objects before
"""), "per program": START + "count -b all --per-prog", "sum": START + "count -b all",
    "a function's row": START + "count -b $(id three):three_sub,name:one --per-prog",
    "JSON": (START +
             "pstat -j -b name:two* --per-prog -e run_cnt,task-clock -- sh -c '. ./tell; tell "
             "\"run two 7\" >/dev/null'"),
    "CPUs": (START +
             "pstat -x, -A -b name:two* --per-prog -e run_cnt -- sh -c '. ./tell; tell \"run two "
             "7\" >/dev/null'"),
    "metrics": (START +
                "begin -x, --metric-only -M cpus_utilized -b name:t* --per-prog -I 1000; runs; "
                "usleep 1500000; end"), "repeated": START + "count -r 3 -b name:t* --per-prog",
    "commanded": (START + """
mkfifo ctl ack
(
    exec 6>ctl 5<ack
    tell 'run two 100' >&2
    echo enable >&6; head -c 5 <&5; tell 'run two 6' 'run three 8' >&2
    echo disable >&6; head -c 5 <&5; tell 'run two 1000' >&2
    echo stop >&6
) >/dev/null &
pstat -x, -D -1 --control fifo:ctl,ack -b all --per-prog -e run_cnt
wait $!
"""), "delayed": (START + """
pstat -x, -D 1000 -b all --per-prog -e run_cnt -- sh -c '. ./tell; tell "run one 5"
usleep 1500000; tell "run one 2"' 2>&1 >/dev/null
"""), "bpftool's words": (
        START + "pstat -x, -b name:two duration 30 & count=$!; usleep 3000000; runs; kill -INT "
        "$count; wait $count"),
    # some are loaded again during the count
    "many": f"""
. ./many; many
tell 'load p {PROGRAMS}' >/dev/null
ulimit -n 100
begin -x, -b all --per-prog -I 500 -e run_cnt,task-clock
for round in 1 2; do
    for i in $(seq 2 {PROGRAMS}); do echo run p_$i $i; done >lines
    while read line; do tell "$line"; done <lines >/dev/null
    for i in 5 6 7; do tell "drop p_$i" "load p_$i"; done >/dev/null
done
tell 'run p 1000' >/dev/null
usleep 1000000
end
""", "many that are named": (START + f"""
tell 'load p {PROGRAMS}' >/dev/null
ulimit -n 100
pstat -x, -b $(id 'p*' | tr '\\n' , | sed 's/,$//') -e run_cnt -- sh \\
    -c ". ./tell; tell 'run p_{PROGRAMS} 7' >/dev/null"; echo $?
"""), "many that are followed": f"""
. ./many; many
tell 'load p {PROGRAMS}' >/dev/null
begin -v -x, -b all --follow --per-prog -I 500 -e run_cnt,task-clock
for round in 1 2 3; do
    for i in $(seq 2 {PROGRAMS}); do echo run p_$i $i; done >lines
    while read line; do tell "$line"; done <lines >/dev/null
    for i in 5 6 7; do tell "drop p_$i" "load p_$i"; done >/dev/null
    usleep 2500000
done
tell 'load q' >/dev/null; usleep 2500000; tell 'run q 77' >/dev/null
usleep 1000000
end
""", "no files for more": """
. ./many; many
tell 'load f' >/dev/null
ulimit -n 200
real=$(command -v pstat)
pstat() { with-caps all-sys_resource "$real" "$@"; }
begin -x, -b name:f* --follow -e run_cnt
tell 'run f 5' 'load f 12' >/dev/null; usleep 2500000; tell 'run f_12 100' >/dev/null
for i in 2 3 4 5 6 7 8 9 10 11; do tell "drop f_$i"; done >/dev/null
usleep 3000000; tell 'run f_12 20' >/dev/null
end; echo status $?
""", "without intervals": """
. ./many; many
begin -x, -b name:r* --follow --per-prog -e run_cnt
for runs in 1 20 300; do
    tell 'load r' >/dev/null; usleep 2500000; tell "run r $runs" 'drop r' >/dev/null
done
end
""",
    # two programs with the same name exist at the same time: the count of the first is not
    # attributed to the second
    "one name twice": """
. ./many; many
tell 'load r' 'load r' >/dev/null
begin -x, -b name:r* --follow --per-prog -e run_cnt -I 1000
tell 'run r 5' 'drop r' 'run r 70' >/dev/null
usleep 2500000
tell 'load r' >/dev/null; usleep 2500000; tell 'run r 9' >/dev/null
usleep 1500000
end
""",
    # nothing of unloaded programs is left during the count, and a program that is only pinned is
    # not unloaded
    "detached": """
. ./many; many
tell 'load a' 'load b' 'load kept' 'pin kept /sys/fs/bpf/kept' >/dev/null
begin -x, -b name:[abk]* --follow --per-prog -e run_cnt
tell 'run a 3' 'run b 4' 'run kept 5' 'drop a' 'drop kept' >/dev/null
for i in $(seq 100); do bpftool prog show | grep -q ' name a ' || break; usleep 100000; done
usleep 2500000
bpftool prog show | grep -E ' name (a|b|kept) ' | sed 's/.* name \\([a-z]*\\) .*/left: \\1/'
tell 'run b 4' >/dev/null
bpf-run --id $(pstat progs -j kept | sed -n 's/.*"id" : \\([0-9]*\\).*/\\1/p') --runs 6 >/dev/null
end
rm /sys/fs/bpf/kept
""", "none yet": """
. ./many; many
begin -x, -b name:later --follow -e run_cnt
tell 'load later' >/dev/null; usleep 2500000; tell 'run later 12' >/dev/null
end
""", "left out": """
. ./many; many
tell 'load one' >/dev/null
mkfifo hold; bpf-no-btf <hold >id 4>&- & exec 5>hold
while ! [ -s id ]; do usleep 10000; done
pstat -v -x, -b all -e run_cnt,cs -- sh -c 'usleep 100000'
pstat -b name:no_btf -e cs true; echo $?
exec 5>&-
""", "in a prog array": (START + """
tell 'array one'
pstat -b name:one,name:two -e run_cnt -- true
pstat progs one
"""), "progs": START + "pstat progs -j", "cgroups": (START + """
mkdir -p /sys/fs/cgroup/g1 /sys/fs/cgroup/g2
in_group() { ( echo 0 >/sys/fs/cgroup/$1/cgroup.procs
exec bpf-run --id $2 --runs $3 ) >/dev/null; }
begin -x, -b name:one,name:two --per-prog --for-each-cgroup g1,g2 -e run_cnt,task-clock
in_group g1 $(id one) 5; in_group g2 $(id one) 70; in_group g2 $(id two) 900
tell 'run one 10000' >/dev/null
end
"""), "distributions": """
. ./many; many
tell 'load one' 'load two' >/dev/null
begin -x, -b all --follow --per-prog --hist=task-clock -e run_cnt,task-clock
tell 'run one 30' 'run two 4' 'drop two' >/dev/null
usleep 2500000
tell 'load two' >/dev/null; usleep 2500000; tell 'run two 5' >/dev/null
end
""",
}


@pytest.fixture(scope="module", params=machines(("x86_64", "6.12")),
                ids="-".join)
def results(request):
    arch, kernel = request.param
    done = guest_each(COMMANDS, files=FILES, arch=arch, kernel=kernel, cpus=2, timeout=600)
    return {name: result.stdout for name, result in done.items()}


def by_prog(text, event="run_cnt"):
    """Returns {(id, name): [values]} of the rows of --per-prog as CSV, with or without a time."""
    found = {}
    for line in text.splitlines():
        fields = line.split(",")
        if event not in fields[2:]:
            continue
        at = fields.index(event)
        ident, name = fields[at - 4:at - 2]
        found.setdefault((int(ident), name), []).append(fields[at - 2])
    return found


def counts(text, event="run_cnt"):
    """Returns {name: sum over all rows with this name}."""
    sums = {}
    for (_, name), found in by_prog(text, event).items():
        sums[name] = sums.get(name, 0) + sum(float(value) for value in found if "<" not in value)
    return sums


def test_each_selector_selects_its_programs(results):
    lines = [line for line in results["words"].splitlines() if ",run_cnt," in line]
    found = dict(line.split(" ", 1) for line in lines)
    assert {word: int(found[str(number)].split(",")[0])
            for number, word in enumerate(WORDS)} == WORDS


def test_a_selector_that_selects_nothing_is_refused_and_nothing_is_left(results):
    text = results["wrong words"]
    assert text.count("-b name:none: no such BPF program is loaded") == 2
    assert re.search(
        r"-b \d+:none: program \d+ has no function 'none'\n +its functions are: "
        r"three three_sub\n", text)
    assert "-b pinned:/sys/fs/bpf/none: nothing is pinned at /sys/fs/bpf/none" in text
    assert "the object pinned at /sys/fs/bpf/amap is not a BPF program" in text
    assert text.splitlines().count("129") == 5
    assert text.splitlines()[-1] == "nothing is left"


def test_each_program_has_a_row_and_the_rows_add_up_to_the_sum(results):
    rows = counts(results["per program"])
    assert rows == {"one": 1, "two": 20, "two_2": 300, "three": 4000, LONG: 50000}
    assert values(results["sum"])["run_cnt"] == 54321


def test_a_function_has_a_row_of_its_own(results):
    assert counts(results["a function's row"]) == {"three:three_sub": 12000, "one": 1}


def test_json_names_the_program(results):
    found = [json.loads(line) for line in results["JSON"].splitlines() if line.startswith("{")]
    runs = {row["prog"]: float(row["counter-value"]) for row in found if row["event"] == "run_cnt"}
    assert runs == {"two": 7, "two_2": 0}
    assert all(isinstance(row["prog-id"], int) for row in found)
    assert list(found[0])[:2] == ["prog-id", "prog"]


def test_each_program_has_separate_counts_for_each_cpu(results):
    lines = [line.split(",") for line in results["CPUs"].splitlines() if ",run_cnt," in line]
    assert [(line[1], line[2]) for line in lines] == [("two", "CPU0"), ("two", "CPU1"),
                                                      ("two_2", "CPU0"), ("two_2", "CPU1")]
    assert sum(int(line[3]) for line in lines[:2]) == 7 and all(
        line[3] == "0" for line in lines[2:]
    )


def test_metrics_have_a_line_for_each_program(results):
    lines = [line for line in results["metrics"].splitlines() if "," in line]
    assert lines[0].startswith("time,prog-id,prog,")
    columns = lines[0].split(",")
    assert all(len(line.split(",")) == len(columns) for line in lines)
    assert [line.split(",")[2]
            for line in lines[1:]] == ["two", "two_2", "three"] * (len(lines) // 3)
    assert len(lines) >= 1 + 3
    at = next(i for i, name in enumerate(columns) if name.endswith("cpus_utilized"))
    assert {line.split(",")[2] for line in lines[1:]
            if line.split(",")[at]} == {"two", "two_2", "three"}, lines


def test_repeated_runs_keep_the_rows(results):
    found = by_prog(results["repeated"])
    assert {name: row for (_, name), row in found.items()
            } == {"two": ["20"], "two_2": ["300"], "three": ["4000"]}


def test_delays_and_commands_work_for_each_program(results):
    assert counts(results["commanded"]) == {"one": 0, "two": 6, "two_2": 0, "three": 8, LONG: 0}
    assert counts(results["delayed"])["one"] == 2


def test_the_syntax_of_bpftool_is_accepted(results):
    counted = values(results["bpftool's words"])
    assert counted["run_cnt"] == 20


def test_eighty_programs_are_counted_though_some_are_unloaded_and_others_loaded(results):
    rows = by_prog(results["many"])
    assert len(rows) == PROGRAMS
    # one row for each program and interval
    assert len({len(row) for row in rows.values()}) == 1 and len(rows[min(rows)]) >= 3
    sums = counts(results["many"])
    reloaded = {f"p_{i}" for i in (5, 6, 7)}
    for i in range(2, PROGRAMS + 1):
        assert sums[f"p_{i}"] == (1 if f"p_{i}" in reloaded else 2) * i
    assert sums["p"] == 1000


def test_eighty_given_programs_have_enough_files(results):
    assert values(results["many that are named"])["run_cnt"] == 7, results["many that are named"]
    assert results["many that are named"].endswith("\n0\n")


def test_if_no_more_files_can_be_opened_the_count_continues_with_the_existing_ones(results):
    text = results["no files for more"]
    assert values(text)["run_cnt"] == 25 and "status 0" in text, text
    assert text.count("raise the limit (ulimit -n") == 1, text
    assert text.count("are not counted until others are unloaded") == 1, text


def test_a_program_that_is_loaded_again_continues_its_row(results):
    text = results["many that are followed"]
    rows = by_prog(text)
    names = [name for _, name in rows]
    sums = counts(text)
    assert sorted(set(names)) == sorted(["p", "q"] + [f"p_{i}" for i in range(2, PROGRAMS + 1)])
    for i in range(2, PROGRAMS + 1):
        assert sums[f"p_{i}"] == 3 * i
    assert sums["q"] == 77 and sums["p"] == 0
    # one row for each name and interval
    last = [line for line in text.splitlines() if ",run_cnt," in line][-PROGRAMS - 1:]
    assert len({line.split(",")[2] for line in last}) == PROGRAMS + 1


def test_without_intervals_all_programs_with_a_name_are_in_one_row(results):
    rows = by_prog(results["without intervals"])
    assert [(name, row) for (_, name), row in rows.items()] == [("r", ["321"])]


def test_two_programs_of_the_same_name_that_exist_at_the_same_time_have_a_row_each(results):
    text = results["one name twice"]
    last = [line.split(",") for line in text.splitlines() if ",run_cnt," in line][-2:]
    assert len(last) == 2 and {line[2] for line in last} == {"r"}
    totals = {}
    for line in text.splitlines():
        if ",run_cnt," in line:
            fields = line.split(",")
            totals.setdefault(fields[0], []).append(int(fields[3]))
    first, second = (sum(rows[place] for rows in totals.values()) for place in (0, 1))
    assert (first, second) == (70, 5 + 9)


def test_unloaded_programs_are_detached_and_their_counts_are_kept(results):
    text = results["detached"]
    assert re.findall(r"^left: (\w+)$", text, re.M) == ["b", "kept"]
    assert counts(text) == {"a": 3, "b": 8, "kept": 11}


def test_with_follow_a_program_need_not_exist_at_the_start(results):
    assert values(results["none yet"])["run_cnt"] == 12


def test_programs_that_cannot_be_counted_are_left_out_of_a_pattern_and_reported(results):
    text = results["left out"]
    assert re.search(r"-b: program \d+ \(no_btf\) is left out: the program has no BTF", text)
    assert (
        "-b: programs that cannot be counted and are left out: 1; `pstat progs` prints the reasons"
        in text
    )
    assert "-b: none of these programs can be counted (1): the program has no BTF" in text
    assert text.splitlines()[-1] == "255"


def test_a_program_that_tail_calls_can_enter_is_marked(results):
    text = results["in a prog array"]
    assert re.search(r"-b \d+ \(one\): no run was seen: the program is in a prog array", text)
    assert not re.search(r"\(two\): not one run", text)
    assert re.search(
        r"yes, except runs that begin with a tail call; in prog array \d+$", text, re.M)


def test_each_program_and_cgroup_has_a_row(results):
    found = {}
    for line in results["cgroups"].splitlines():
        fields = line.split(",")
        if "run_cnt" in fields:
            found[fields[1], fields[5]] = int(fields[2])
    assert found == {("one", "g1"): 5, ("one", "g2"): 70, ("two", "g1"): 0, ("two", "g2"): 900}


def test_the_distribution_of_each_program_adds_up_to_its_runs(results):
    buckets = {}
    for line in results["distributions"].splitlines():
        fields = line.split(",")
        if "hist" in fields:
            buckets[fields[1]] = buckets.get(fields[1], 0) + int(fields[2])
    # including the runs of an unloaded program
    assert buckets == counts(results["distributions"]) == {"one": 30, "two": 9}


def test_the_list_shows_that_the_programs_can_be_counted(results):
    found = {prog["name"]: prog for prog in json.loads(results["progs"])}
    assert {"one", "two", "two_2", "three", LONG} <= set(found)
    assert all(prog["countable"] for prog in found.values() if prog["type"] == "xdp")
