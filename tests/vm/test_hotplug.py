# SPDX-License-Identifier: GPL-2.0-only
"""CPU 1 goes offline and comes back while pstat counts. The workload makes an exact number of calls
on each CPU at known times (see guest-files/cpu-turns), which each mode has to report. A mode is a
row of MODES."""
import csv
import pathlib
import re

import pytest

from csv_rows import rows, series, values
from guest import USUAL, few_machines, guest_outputs

FILES = [
    pathlib.Path(__file__).parent / "guest-files" / name for name in ("cpu-turns", "ask", "target")
]
# `faults N` makes N calls to madvise
CALLS = "syscalls:sys_enter_madvise"
ON_CPU0, ON_CPU1 = 1110, 220
TURNS = "./cpu-turns log faults"

IN_CGROUP = f"sh -c 'echo $$ >/sys/fs/cgroup/job/cgroup.procs; exec {TURNS}'"
# runs a BPF program N times; N is the last word
RUNS = "./cpu-turns log 'bpf-run --id '$id' --runs'"
SCOPE = "--scope uprobe:$(command -v faults):main"
LOAD = ". ./target; target --prog count; "


class Mode:
    """How pstat counts, what makes the calls, and the event that counts them. The sum must be
    ON_CPU0 + ON_CPU1."""

    def __init__(self, options, workload=TURNS, event=CALLS, before=""):
        self.event = event
        self.command = (f"mkdir -p /sys/fs/cgroup/job; : >log; {before}"
                        f"pstat -v -x, -o counts {options} -- {workload} 2>log || cat log; cat "
                        "counts log")


MODES = {
    "-a": Mode(f"-a -e {CALLS}"), "-A": Mode(f"-a -A -e {CALLS}"), "-C": Mode(f"-C 0-1 -e {CALLS}"),
    "--per-socket": Mode(f"-a --per-socket -e {CALLS}"), "intervals": Mode(f"-a -I 200 -e {CALLS}"),
    "a group": Mode(f"-a -e '{{cpu-clock,{CALLS},cs}}'"), "a cgroup": Mode(
        f"-a -e {CALLS} -G job",
        IN_CGROUP), "for each cgroup": Mode(f"-a -e {CALLS} --for-each-cgroup job", IN_CGROUP),
    "repetitions": Mode(f"-r 2 -a -e {CALLS}", f"sh -c ': >log; exec {TURNS}'"),
    "-b": Mode("-b $id -A -e run_cnt,cs,task-clock", RUNS, "run_cnt", LOAD), "-b, intervals": Mode(
        "-b $id -I 200 -e run_cnt,page-faults", RUNS, "run_cnt", LOAD), "-b, each run": Mode(
            "-b $id --no-calibrate --outliers 1ns,time --outlier-rate 100000 -e "
            "run_cnt,task-clock,cs", RUNS, "run_cnt", LOAD),
    "--scope": Mode(f"-A {SCOPE} -e run_cnt,{CALLS}"),
    "--scope, intervals": Mode(f"-I 200 {SCOPE} -e run_cnt,{CALLS}"),
}


CPU1 = "/sys/devices/system/cpu/cpu1/online"
OTHERS = {
    # CPU 1 is offline for at least one second
    "clocks": f"""
pstat -x, -o counts -a -A -e cpu-clock -- sh -c 'sleep 0.3; echo 0 >{CPU1}; sleep 1
echo 1 >{CPU1}; sleep 0.3'; cat counts""",
    "utilized": f"""
pstat -x, -a -e cpu-clock,duration_time -- sh -c 'sleep 0.3; echo 0 >{CPU1}; sleep 1
echo 1 >{CPU1}; sleep 0.3'""",
    "away and back at once": f"""
pstat -v -x, -o counts -a -A -e {CALLS} -- sh -c '
taskset 2 faults 100; kill -STOP $PPID; echo 0 >{CPU1}; echo 1 >{CPU1}; kill -CONT $PPID
while ! grep -q "CPU 1 came online" log; do usleep 10000; done; taskset 2 faults 10
taskset 1 faults 7' 2>log; cat counts""",
    "offline at the start": f"""
echo 0 >{CPU1}; : >log
pstat -x, -o counts -a -A -e {CALLS} -- taskset 1 faults 5; cat counts; echo then
pstat -v -x, -o counts -a -A -e {CALLS} -- sh -c '
taskset 1 faults 5; echo 1 >{CPU1}; while ! grep -q "CPU 1 came online" log; do usleep 10000
done; taskset 2 faults 20' 2>log; cat counts""",
    "a core that is offline at the start": f"""
for mode in --per-core --per-socket; do
echo 0 >{CPU1}; : >log
pstat -v -x, -o counts -a $mode -I 100 -e {CALLS} -- sh -c '
taskset 1 faults 5; echo 1 >{CPU1}; while ! grep -q "CPU 1 came online" log; do usleep 10000
done; taskset 2 faults 20' 2>log; cat counts; echo then
done""",
    # one sample at each fault
    "profile -a": (
        f": >log; pstat profile -v -a -e page-faults -c 1 --folded -o samples -- {TURNS} "
        "2>log; grep '^faults;' samples"), "profile -b": f"""
. ./target; target --prog loop --loops 100000; : >log
pstat profile -v -b $id -e cpu-clock -c 100000 -x, -o samples -- sh -c '
echo 0 >{CPU1}; echo 1 >{CPU1}; while ! grep -q "CPU 1 came online" log; do usleep 10000; done
taskset 2 bpf-run --id '$id' --runs 100' 2>log; grep ^total samples""",
    # pstat notices late that CPU 1 is back
    "--scope, a CPU that comes back unnoticed": f"""
: >log; pstat -v -x, -o counts {SCOPE} -e run_cnt,{CALLS} -- sh -c '
taskset 2 faults 500; echo 0 >{CPU1}
while ! grep -q "CPU 1 went offline" log; do usleep 10000; done
kill -STOP $PPID; echo 1 >{CPU1}; taskset 2 faults 100; kill -CONT $PPID
while ! grep -q "CPU 1 came online" log; do usleep 10000; done
taskset 2 faults 20' 2>log; cat counts log""",
    # a run begins there before pstat notices that CPU 1 was offline, and ends much later
    "--scope, away and back at once": f"""
: >log; pstat -v -x, -o counts {SCOPE} -e run_cnt,{CALLS} -- sh -c '
taskset 2 faults 500; kill -STOP $PPID; echo 0 >{CPU1}; echo 1 >{CPU1}
taskset 2 faults 300000 & usleep 300000
kill -CONT $PPID; while ! grep -q "CPU 1 came online" log; do usleep 10000; done
wait; taskset 2 faults 20' 2>log; cat counts log""",
    # its driver cannot move events to another CPU
    "a PMU with a cpumask": f"""
mkdir -p devices/uncore_x/format; echo 2 >devices/uncore_x/type; echo 1 >devices/uncore_x/cpumask
echo config:0-63 >devices/uncore_x/format/event
event=uncore_x/event=$(cat /sys/kernel/tracing/events/syscalls/sys_enter_madvise/id)/
mount --bind devices /sys/bus/event_source/devices; : >log
pstat -v -x, -o counts -a -A -e $event,dummy -- {TURNS} 2>log; cat counts; echo then
echo 0 >{CPU1}; : >log
pstat -v -x, -o counts -a -A -e $event,dummy -- sh -c '
echo 1 >{CPU1}; while ! grep -q "CPU 1 came online" log; do usleep 10000; done
taskset 2 faults 20' 2>log; cat counts
umount /sys/bus/event_source/devices""", "-C of a CPU that is offline": f"""
echo 0 >{CPU1}; pstat -C 0-1 -e cs -- true; echo status $?; echo 1 >{CPU1}""",
    # CPU 1 goes offline and comes back repeatedly while pstat starts
    "while pstat starts": f"""
while ! [ -e stop ]; do echo 0 >{CPU1}; echo 1 >{CPU1}; done &
for i in $(seq 12); do
    pstat -x, -o counts -a -e cpu-clock,cs,page-faults,faults,dummy -- usleep 1000 || echo failed $?
    grep 'not supported' counts
done
touch stop; wait; cat {CPU1}""",
}


@pytest.fixture(scope="module", ids="-".join,
                params=few_machines(("aarch64", USUAL), ("x86_64", USUAL)))
def results(request):
    arch, kernel = request.param
    commands = {name: mode.command for name, mode in MODES.items()}
    return guest_outputs({**commands, **OTHERS}, files=FILES, arch=arch, kernel=kernel,
                         cpus=2)


def counts(text, event=CALLS):
    """Returns {first fields of a row: value} for the event, the CPU with -A; None if the event was
    not counted."""
    found = {}
    for row in csv.reader(text.splitlines()):
        if event in row and row.index(event) >= 2:
            at = row.index(event)
            found[",".join(row[: at - 2])] = int(row[at - 2]) if row[at - 2].isdigit() else None
    return found


@pytest.mark.parametrize("mode", MODES)
def test_calls_on_a_cpu_that_was_offline_are_counted(results, mode):
    assert sum(value or 0 for value in counts(
        results[mode], MODES[mode].event).values()) == ON_CPU0 + ON_CPU1, results[mode]


def test_each_cpu_has_its_own_calls(results):
    assert counts(results["-A"]) == {"CPU0": ON_CPU0, "CPU1": ON_CPU1}


def test_runs_of_programs_are_counted_on_the_cpu_that_ran_them(results):
    text = results["-b"]
    assert counts(text, "run_cnt") == {"CPU0": ON_CPU0, "CPU1": ON_CPU1}
    assert f"{ON_CPU0 + ON_CPU1} runs counted; not counted: 0 lost, 0 with" in text
    # A difference between two events of one CPU would be a huge number. The program does so little
    # that nothing may remain once the cost of counting is subtracted.
    for row in csv.reader(text.splitlines()):
        if "task-clock [software]" in row:
            assert 0 <= float(row[1]) < 10_000, text


def test_each_run_is_streamed_from_the_cpu_that_ran_it(results):
    text = results["-b, each run"]
    cpus = [
        row[2] for row in csv.reader(text.splitlines())
        if row[:1] == ["outlier"] and row[1][:1].isdigit()
    ]
    assert (cpus.count("0"), cpus.count("1")) == (ON_CPU0, ON_CPU1)
    assert (
        f"outliers,all,{ON_CPU0 + ON_CPU1},streamed,{ON_CPU0 + ON_CPU1},suppressed,0,lost,0" in text
    )


def test_a_cpu_is_enabled_only_while_it_is_online(results):
    found = {row[0]: row for row in csv.reader(results["clocks"].splitlines()) if len(row) > 4}
    enabled = {cpu: int(row[4]) for cpu, row in found.items()}
    assert enabled["CPU0"] - enabled["CPU1"] >= 1e9
    for row in found.values():
        # cpu-clock counts whenever it is enabled
        assert 0.9 < float(row[1]) * 1e6 / int(row[4]) <= 1.01
        assert row[5] == "100.00"


def test_cpus_utilized_excludes_the_time_offline(results):
    clock, wall = (row for row in rows(results["utilized"]))
    utilized = float(clock.metric)
    assert abs(utilized - clock.value * 1e6 / wall.value) < 0.01
    assert utilized < 2 - 1e9 / wall.value + 0.01


def test_a_cpu_that_comes_back_before_pstat_looks_is_counted(results):
    # calls made while pstat was stopped would be lost, but there were none
    assert counts(results["away and back at once"]) == {"CPU0": 7, "CPU1": 110}


def test_a_cpu_that_comes_online_is_counted_and_has_a_row_from_then_on(results):
    before, after = results["offline at the start"].split("then\n")
    assert counts(before) == {"CPU0": 5}
    assert counts(after) == {"CPU0": 5, "CPU1": 20}


def test_a_core_that_comes_online_is_in_the_rows_of_cores_and_sockets(results):
    for text in results["a core that is offline at the start"].split("then\n")[:2]:
        per_place = {}
        for row in csv.reader(text.splitlines()):
            if CALLS in row:
                per_place[row[1]] = per_place.get(row[1],
                                                  0) + (int(row[3]) if row[3].isdigit() else 0)
        assert sorted(per_place.values()) in ([5, 20], [25]), text
        assert not any("-1" in place for place in per_place), text


def test_the_event_of_a_package_is_opened_again_if_it_ended_with_its_cpu(results):
    rows = [[
        row for row in csv.reader(text.splitlines())
        if len(row) > 3 and row[3].startswith("uncore_x")
    ] for text in results["a PMU with a cpumask"].split("then\n")]
    assert [[row[:2] for row in part] for part in rows] == [[["CPU1", str(ON_CPU1)]],
                                                            [["CPU1", "20"]]], rows


def test_a_cpu_that_c_names_must_be_online(results):
    assert results["-C of a CPU that is offline"] == (
        "pstat: -C 0-1: CPU 1 is not online: the online CPUs are 0\nstatus 129\n")


def test_a_cpu_may_go_offline_and_come_back_at_any_time_while_pstat_starts(results):
    assert results["while pstat starts"] == "1\n"


def test_faults_on_a_cpu_that_was_offline_are_sampled_and_their_functions_known(results):
    """The samples are in the function that takes the faults. Five processes run, so the number of
    faults before that is a multiple of five."""
    stacks = [line.rsplit(" ", 1) for line in results["profile -a"].splitlines()]
    taken = sum(int(samples) for frames, samples in stacks
                if frames.removesuffix(";take (inlined)").endswith(";main"))
    assert 0 <= taken - (ON_CPU0 + ON_CPU1) <= 25 and taken % 5 == 0, results["profile -a"]


def test_runs_of_scopes_on_a_cpu_whose_events_are_not_open_yet_are_lost_and_reported(results):
    text = results["--scope, a CPU that comes back unnoticed"]
    assert counts(text) == {"": 520} and counts(text, "run_cnt") == {"": 2}, text
    assert "--scope: 2 runs counted, 1 lost: 1 because a counter could not be read" in text


def test_runs_of_scopes_that_began_with_dead_events_do_not_count(results):
    text = results["--scope, away and back at once"]
    assert counts(text) == {"": 520} and counts(text, "run_cnt") == {"": 2}, text
    assert "a CPU was offline, and came back before pstat noticed that" in text


def test_programs_on_a_cpu_that_came_back_are_sampled(results):
    total = re.search(r"^total,cpu-clock,(\d+),\d+,(\d+),", results["profile -b"], re.M)
    samples, kept = map(int, total.groups())
    assert samples >= kept > 0
