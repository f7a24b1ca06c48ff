# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b: which runs are counted (by task and cgroup), how their costs are distributed, and that
no run includes the cost of another."""
import json
import math
import os
import pathlib
import re

import pytest

from csv_rows import rows, series, values
from guest import guest_outputs, kernels

FILES = [
    pathlib.Path(__file__).parent / "guest-files" / name
    for name in ("ask", "target", "bpf-objects")
]
CYCLES = 100 if os.environ.get("PSTAT_LONG") else 20

STEPS = range(0, 100, 10)  # numbers of loop iterations, with 10 runs of each

DISTRIBUTED = {
    "one by one": """
. ./target
target --prog loop
for turns in 0 1 2 3 50; do
    ./ask "loops $turns" >/dev/null
    for i in 1 2 3; do pstat -x, -b $id -e run_cnt,instructions -- ./ask "run 10"; done
done
""", "steps": """
. ./target
target --prog loop
cat >work <<'END'
for turns in $(seq 0 10 90); do ./ask "loops $turns" "run 10"; done >/dev/null
END
pstat -j -b $id --hist=instructions -e run_cnt,cs,instructions -- sh work
pstat -b $id --hist=instructions -e run_cnt,cs,instructions -- sh work
""", "intervals": """
. ./target
target --prog loop --loops 20
pstat -x, -b $id --hist -I 30 -e instructions,run_cnt -- sh -c 'for i in $(seq 40)
do ./ask "run 25"; done >/dev/null'
""", "too few counters": """
. ./target
target --prog count
pstat -b $id --hist \\
    -e instructions,cycles,instructions:k,cycles:k,r8,r11,r8:k,r11:k,instructions -- true
echo $?
""", "no counter": """
. ./target
target --prog count
pstat -x, -b $id --hist=LLC-loads -e run_cnt,LLC-loads -- ./ask "run 3"
""",
}

CHOSEN = {
    "a process": """
. ./target
target --prog count
pstat -x, -b $id -p $runner -e run_cnt,instructions -- sh -c './ask "run 7"
bpf-run --id '$id' --runs 5'
pstat -x, -b $id -p $$ -e run_cnt,instructions -- sh -c './ask "run 7"; bpf-run --id '$id' --runs 5'
""", "a thread": """
. ./target
target --prog count
pstat -x, -b $id -t $runner -e run_cnt,instructions -- sh -c './ask "run 8"
bpf-run --id '$id' --runs 5'
""", "until the process ends": """
. ./target
target --prog count
bpf-run --id $id --for 500 >other & other=$!
pstat -x, -b $id -p $other -e run_cnt
wait $other
""", "cgroups": """
. ./target
mkdir -p /sys/fs/cgroup/a/inner /sys/fs/cgroup/b /sys/fs/cgroup/empty
target --prog count
echo $runner >/sys/fs/cgroup/a/inner/cgroup.procs
work='./ask "run 7"; sh -c "echo \\$\\$ >/sys/fs/cgroup/b/cgroup.procs
exec bpf-run --id '$id' --runs 5"; bpf-run --id '$id' --runs 3'
pstat -j -b $id -e run_cnt,instructions --for-each-cgroup a,a/inner,b,empty -- sh -c "$work"
pstat -x, -b $id -e run_cnt -G b -- sh -c "$work"
pstat -x, -b $id -e run_cnt -e run_cnt -G a,b -- sh -c "$work"
pstat -x, -b $id -e run_cnt -e run_cnt -G ,b -- sh -c "$work"
pstat -x, -b $id -e run_cnt --for-each-cgroup b,a/inner -- sh -c "$work"
echo events: $(ls /sys/fs/cgroup | grep -c empty)
""",
}

MANY = {
    "many control groups": """
. ./target
target --prog count
for i in $(seq 62); do mkdir -p /sys/fs/cgroup/g$i; done
groups=$(seq 62 | sed s/^/g/ | paste -sd, -)
echo $runner >/sys/fs/cgroup/g7/cgroup.procs
pstat -x, -b $id -e run_cnt,cycles,cs --for-each-cgroup $groups -- ./ask "run 5"
dummies=$(seq 64 | sed s/.*/dummy/ | paste -sd, -)
pstat -b $id -e $dummies --for-each-cgroup $groups -- ./ask "run 5"
echo $?
for i in $(seq 63 64); do mkdir -p /sys/fs/cgroup/g$i; done
pstat -b $id -e cs --for-each-cgroup $groups,g63,g64 -- ./ask "run 5"
echo $?
""",
}

CYCLED = {
    "cycles": f"""
. ./target
target --prog loop --loops 2000
bpf-run --id $id --each --forever >other & other=$!
./bpf-objects >before
for i in $(seq {CYCLES}); do pstat -b $id --hist=task-clock -e run_cnt,task-clock,cs \\
    -- usleep 20000; done
./bpf-objects before
kill $other
wait $other
"""
}


@pytest.fixture(scope="module", params=kernels("6.12", "6.1"))
def exact(request):
    return guest_outputs({**DISTRIBUTED, **CHOSEN, **MANY}, files=FILES, arch="aarch64",
                         kernel=request.param, icount=True)


@pytest.fixture(scope="module")
def cycled():
    return guest_outputs(CYCLED, files=FILES, arch="x86_64", icount=True)


def bucket_of(value):
    """Returns (low, high) as the manual defines them: a bucket for each value below 16, then
    eight buckets for each power of two."""
    if value < 16:
        return value, value
    value = int(value)
    width = 1 << (int(math.log2(value)) - 3)
    return value // width * width, value // width * width + width - 1


def costs_of(exact):
    """Returns the instructions of a run without iterations, and those of each iteration."""
    counted = [row.value for row in rows(exact["one by one"]) if row.event == "instructions"]
    # one of three runs may contain a timer tick
    cost = {
        turns: min(counted[3 * place:3 * place + 3]) / 10
        for place, turns in enumerate((0, 1, 2, 3, 50))
    }
    besides, a_turn = cost[0], cost[1] - cost[0]
    assert besides > 10 and a_turn > 10
    assert all(cost[turns] == besides + turns * a_turn for turns in cost), cost
    return besides, a_turn


def test_the_buckets_are_those_of_the_workload_and_add_up_to_the_runs(exact):
    objects = [json.loads(line) for line in exact["steps"].splitlines() if line.startswith("{")]
    runs = next(float(o["counter-value"]) for o in objects if o.get("event") == "run_cnt")
    buckets = {(o["low"], o["high"]): o["runs"] for o in objects if "hist" in o}
    besides, a_turn = costs_of(exact)
    expected = {}
    for turns in STEPS:
        bucket = bucket_of(besides + a_turn * turns)
        expected[bucket] = expected.get(bucket, 0) + 10
    assert runs == sum(buckets.values()) == 100
    # all runs are in the expected buckets, except runs that contain a timer tick
    assert sum(min(count, buckets.get(bucket, 0))
               for bucket, count in expected.items()) >= 95, buckets


def test_percentiles_are_within_a_bucket_of_the_truth(exact):
    text = exact["steps"]
    besides, a_turn = costs_of(exact)
    costs = sorted(besides + a_turn * turns for turns in STEPS for _ in range(10))
    assert "instructions per run, of 100 runs:" in text
    for name, rank in (("p50", 50), ("p90", 90)):
        found = int(re.search(rf" {re.escape(name)} (\d+)", text)[1])
        # timer ticks move one or two runs to the end
        near = {bucket_of(cost) for cost in costs[rank - 1 : rank + 3]}
        assert bucket_of(found) in near, (name, found, near)
    most = int(re.search(r" max (\d+)", text)[1])
    assert most >= costs[-1]


def test_each_interval_has_the_distribution_of_its_own_runs(exact):
    text = exact["intervals"]
    runs = [row.value for row in series(text, "run_cnt")]
    times = [row.time for row in series(text, "run_cnt")]
    buckets = re.findall(r"^(\d+\.\d+),(\d+),,instructions,hist,(\d+),(\d+)$", text, re.M)
    per_time = {
        time: sum(int(count) for at, count, *_ in buckets if float(at) == time) for time in times
    }
    assert len([count for count in runs if count]) >= 3
    assert [per_time[time] for time in times] == runs and sum(runs) == 1000


def test_a_histogram_of_an_event_that_shares_its_counter_is_refused(exact):
    lines = exact["too few counters"].splitlines()
    assert lines[0].startswith("pstat: --hist: instructions shares its counter with other "
                               "events"), lines
    assert "255" in lines, lines


def test_an_event_that_is_not_counted_has_no_histogram(exact):
    text = exact["no counter"]
    assert "3,,run_cnt" in text and "<not supported>,,LLC-loads" in text and "hist" not in text


def test_runs_are_selected_by_process_and_thread(exact):
    assert [row.value for row in series(exact["a process"], "run_cnt")] == [7, 0]
    assert [row.value for row in series(exact["a thread"], "run_cnt")] == [8]
    assert series(exact["a process"], "instructions")[0].value > 0


def test_the_count_ends_with_the_process(exact):
    assert values(exact["until the process ends"])["run_cnt"] > 100


def test_runs_are_selected_by_cgroup_and_its_ancestors(exact):
    objects = [
        json.loads(line) for line in exact["cgroups"].splitlines() if line.startswith("{")
    ]
    runs = {o["cgroup"]: float(o["counter-value"]) for o in objects if o["event"] == "run_cnt"}
    assert runs == {"a": 7, "a/inner": 7, "b": 5, "empty": 0}
    counted = {o["cgroup"]: o for o in objects if o["event"] == "instructions"}
    for cgroup in ("a", "a/inner", "b"):
        assert counted[cgroup]["metric-unit"] == "per run"
        assert (
            float(counted[cgroup]["metric-value"])
            == float(counted[cgroup]["counter-value"]) / runs[cgroup]
        )
    found = re.findall(r"^(\d+),,run_cnt,([\w/]*),", exact["cgroups"], re.M)
    assert found == [("5", "b"), ("7", "a"), ("5", "b"), ("15", ""), ("5", "b"),
                     ("5", "b"), ("7", "a/inner")]


def test_as_many_cgroups_can_be_counted_as_there_are_slots(exact):
    text = exact["many control groups"]
    found = {group: int(runs) for runs, group in re.findall(r"^(\d+),,run_cnt,(g\d+),", text, re.M)}
    assert len(found) == 62 and {group for group, runs in found.items() if runs
                                 } == {"g7"} and found["g7"] == 5
    assert (
        "pstat: -b: 64 events for each of 62 cgroups are more than a BPF map can hold" in text
    )
    assert "pstat: -b: runs can be counted for at most 63 cgroups" in text
    assert len(re.findall(r"^255$", text, re.M)) == 2


def test_no_run_is_much_more_expensive_than_others_at_the_beginning_or_end_of_the_count(cycled):
    text = cycled["cycles"]
    found = re.findall(r" p50 ([\d.]+) .* max ([\d.]+)$", text, re.M)
    assert len(found) == CYCLES
    for middle, most in found:
        assert 0 < float(most) < 10 * float(middle), text
    assert text.splitlines()[-1] == "nothing is left", text
