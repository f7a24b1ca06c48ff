# SPDX-License-Identifier: GPL-2.0-only
"""Counters that are free. `pstat list --free` lists them, and changes no count that is running.
A count with BPF releases its hardware counters before it ends. The arm64 guest has seven
counters. If the previous count still held its counters, a count of six events would not get six
counters."""
import json
import pathlib
import re

import pytest

from csv_rows import rows
from guest import guest_outputs

SIX = "cycles,instructions,instructions:u,instructions:k,r11,r8"
SHARED = "instructions:ub,cycles:b,instructions:b,instructions:kb,instructions:Hb"
CGROUPS = "cycles,instructions,r11,r8,r1b,instructions:u"
NEXT = f"echo '# next'; pstat -x, -e {SIX} true"
CASES = {
    "shared counters": f"pstat -x, -e {SHARED} true >/dev/null 2>&1; {NEXT}",
    "counters that are not shared": (
        "pstat -x, --bpf-counters --bpf-attr-map /tmp/none -e cycles,instructions,r11,r8,r1b "
        f"true >/dev/null 2>&1; {NEXT}"), "cgroups": f"""
mkdir /sys/fs/cgroup/a; pstat -x, -a --bpf-counters --for-each-cgroup a \\
    -e cycles,instructions,r11,r8,r1b true >/dev/null 2>&1; {NEXT}""",
    "a session that did not make the leader of cgroups": f"""
mkdir -p /sys/fs/cgroup/a
pstat -x, -a --bpf-counters --for-each-cgroup a -e {CGROUPS} >/dev/null 2>&1 & maker=$!
usleep 300000
pstat -v -x, -a --bpf-counters --for-each-cgroup a -e {CGROUPS} --timeout 300 2>&1 & joiner=$!
usleep 150000; kill $maker; wait $joiner; {NEXT}""", "cgroups in a series": f"""
mkdir -p /sys/fs/cgroup/a
pstat -x, -a -r 5 --bpf-counters --for-each-cgroup a -e {CGROUPS} -- sh \\
    -c 'echo $$ >/sys/fs/cgroup/a/cgroup.procs; exec spin 20000' 2>&1; {NEXT}""",
    "counters that are not shared, in a series": f"""
pstat -x, -r 5 --bpf-counters --bpf-attr-map /tmp/none -e {CGROUPS} -- spin 20000 2>&1; {NEXT}""",
    "runs of BPF programs": f"""
. ./target; target; pstat -x, -b $id -e cycles,instructions,r11,r8,r1b true >/dev/null 2>&1
{NEXT}; stop_target""",
    "a session that did not make the leader": f"""
pstat -x, -e {SHARED} -- spin 100000000 >/dev/null 2>&1 & maker=$!
usleep 300000
pstat -v -x, -e {SHARED} --timeout 300 -a & joiner=$!
usleep 150000; kill -KILL $maker; killall -KILL spin; wait $joiner
{NEXT}""", "a series of runs": f"pstat -v -x, -r 5 -e {SHARED} -- true 2>&1; bpftool link; {NEXT}",
    "a series with a group": (
        "pstat -v -x, -r 5 -e '{instructions:ub,cycles:b},page-faults:b' -- spin 20000 2>&1; "
        f"{NEXT}"),
    "a series that counts all CPUs": f"pstat -v -x, -a -r 5 -e {SHARED} -- true 2>&1; {NEXT}",
    "a series without end": f"""
pstat -v -x, -r 0 -e {SHARED} -- spin 20000 >runs 2>&1 & series=$!
usleep 500000; kill -INT $series; wait $series; grep leader runs; {NEXT}""",
    "commands that outlast their runs": (
        f"pstat -v -x, -r 2 --timeout 2 -e {SHARED} -- spin 3000000 2>&1; {NEXT}"), "repeats": """
pstat -x, -r 6 -e instructions:ub,cycles:b,instructions:b,instructions:kb -- spin 20000
echo "# one"; pstat -x, -e instructions:ub -- spin 20000""",
}
# all counters of the PMU
SEVEN = "cycles,instructions:u,r11,r8,r1b,r9,instructions"
QUIET_LIST = "pstat list --free -j 2>/dev/null"
LISTS = {
    "unlisted": f"pstat -x, -e {SEVEN} -- spin 3000000",
    "a task": f"""
pstat -x, -e {SEVEN} -- spin 3000000 & its=$!
rm -f lists; for i in 1 2 3; do {QUIET_LIST} >>lists; done
wait $its; echo '# lists'; cat lists
""", "all CPUs": f"""
pstat -x, -a -e {SEVEN} --timeout 1000 & its=$!
usleep 300000
rm -f lists; for i in 1 2 3; do {QUIET_LIST} >>lists; done
kill -0 $its; echo running $? >>lists
wait $its; echo '# lists'; cat lists
""", "leaders": f"""
pstat -a -e cycles:b,instructions:ub,r8:b --timeout 100000 2>/dev/null & its=$!
while [ "$(bpftool link | grep -c sched_switch)" = 0 ]; do usleep 20000; done
usleep 300000
{QUIET_LIST}; echo '# its'; echo $its; pstat list --free
kill -INT $its; wait $its
echo '# after'; {QUIET_LIST}
""",
}
FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("target", "ask")]


@pytest.fixture(scope="module")
def results():
    cases = {**CASES, **LISTS}
    return guest_outputs(cases, files=FILES, arch="aarch64", kernel="6.12", icount=True)


@pytest.mark.parametrize("name", [name for name in CASES if name != "repeats"])
def test_the_next_count_gets_its_counters_at_once(results, name):
    found = rows(results[name].split("# next\n")[1])
    assert [row.event for row in found] == SIX.split(","), results[name]
    # each event had a counter for the whole time
    assert [row.percent for row in found] == [100] * 6, results[name]


def leaders(text, what):
    return re.findall(rf"{what} the leader of link (\d+) ", text)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("a series")])
def test_a_series_makes_its_leader_once(results, name):
    made, kept = (leaders(results[name], what) for what in ("made", "kept"))
    assert len(made) == 1, results[name]
    assert set(kept) == set(made) and (len(kept) == 4 or "without end" in name), results[name]


def test_each_repetition_of_a_series_counts_from_zero(results):
    # each repetition executes the same instructions; otherwise, the deviation would not be 0
    counted = {
        line.split(",")[2]: line.split(",")
        for line in results["a series with a group"].splitlines() if "%" in line
    }
    assert counted["instructions:ub"][3] == "0.00%", results["a series with a group"]


def test_no_leader_is_left_after_a_series_or_while_pstat_waits_for_the_command(results):
    assert "raw_tracepoint" not in results["a series of runs"].split("# next")[0], results[
        "a series of runs"
    ]
    assert len(leaders(results["commands that outlast their runs"], "made")) == 2


def test_a_session_can_use_the_leader_of_another_session(results):
    assert (
        "counted by the leader of link"
        in results["a session that did not make the leader of cgroups"]
    )


@pytest.mark.parametrize("name",
                         ["cgroups in a series", "counters that are not shared, in a series"])
def test_a_series_that_keeps_no_leader_gets_its_counters_in_each_repetition(results, name):
    """Each repetition opens all events again, and each event gets a counter."""
    lines = [
        line.split(",") for line in results[name].split("# next")[0].splitlines() if "%" in line
    ]
    counted = {fields[2]: fields for fields in lines}
    assert list(counted) == CGROUPS.split(","), results[name]
    assert all(fields[-3] == "100.00"
               for fields in lines) and "never got" not in results[name], results[name]
    # each repetition has the same count
    assert "0.00%" in counted["instructions:u"], results[name]


def test_each_repetition_of_a_series_gets_its_counters(results):
    series, one = results["repeats"].split("# one\n")
    (expected,) = [row.value for row in rows(one)]
    # in a series, the event is followed by a field with the deviation
    counted = {line.split(",")[2]: line.split(",") for line in series.splitlines()}
    assert float(counted["instructions:ub"][0]) == expected and "never got" not in series, series
    assert all(float(fields[5]) == 100 for fields in counted.values()), series


def lists_of(text):
    """Returns the rows about counters in each of the lists."""
    return [[row for row in json.loads(one + "]") if "counters" in row]
            for one in text.split("]")[:-1]]


def test_a_count_of_all_counters_is_not_changed_by_a_list(results):
    counted, lists = results["all CPUs"].split("# lists\n")
    assert [row.percent for row in rows(counted)] == [100] * 7, counted
    assert "running 0" in lists
    found = lists_of(lists)
    assert len(found) == 3
    for (counters,) in found:
        assert counters["counters"] == 6 and counters["free"] == 0, lists


def test_a_count_of_a_task_is_not_changed_by_a_list(results):
    counted = {row.event: row for row in rows(results["a task"].split("# lists")[0])}
    expected = {row.event: row for row in rows(results["unlisted"])}
    assert [row.percent for row in counted.values()] == [100] * 7, results["a task"]
    assert counted["instructions:u"].value == expected["instructions:u"].value
    # while pstat runs, the task does not, so its counters are free
    assert [one[0]["counters"] for one in lists_of(results["a task"].split("# lists\n")[1])
            ] == [6] * 3


def test_leaders_are_listed_with_their_events_and_processes(results):
    listed, rest = results["leaders"].split("# its\n")
    rest, after = rest.split("# after\n")
    pid, text = rest.split("\n", 1)
    (leader,) = [row for row in json.loads(listed) if "leader" in row]
    assert sorted(leader["events"].split(",")) == ["cycles", "instructions:u", "r8"], leader
    assert leader["map"] == "/sys/fs/bpf/perf_attr_map"
    assert leader["used-by"] == [{"pid": int(pid), "command": "pstat"}]
    line = rf"^ *{leader['leader']}  {leader['events']} +{leader['map']}  {pid} .pstat.$"
    assert re.search(line, text, re.M), text
    assert not [row for row in json.loads(after) if "leader" in row], after
