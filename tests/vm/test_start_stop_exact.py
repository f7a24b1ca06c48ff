# SPDX-License-Identifier: GPL-2.0-only
"""--start and --stop to the instruction, in an arm64 guest: a program with a known number of
instructions before, between and after the points."""

import json
import pathlib

import pytest

from guest import guest_outputs, kernels

BEFORE, BETWEEN, AFTER = 5000, 100000, 7000  # loop iterations of two instructions
PROGRAM = "/usr/local/bin/gate-phases"
POINTS = f"--start usdt:{PROGRAM}:warm --stop usdt:{PROGRAM}:done"
# the number of other instructions that gate-phases executes between the points
FEW = 60
GROUP = "/sys/fs/cgroup/g"


def count(options, more="", event="instructions:u", points=POINTS, before=BEFORE):
    return (f"pstat -x, {options} -e {event} {points} "
            f"gate-phases {more} {before} {BETWEEN} {AFTER}")


def in_cgroup(options, more="", points=POINTS):
    phases = f"gate-phases {more} {BEFORE} {BETWEEN} {AFTER}"
    return (f"mkdir -p {GROUP}; pstat -x, -a {options} --for-each-cgroup g -e instructions:u "
            f"{points} -- sh -c 'echo $$ >{GROUP}/cgroup.procs; exec {phases}'")


FIRST, LAST = "getpriority", "sched_get_priority_max"
IN_KERNEL = {
    "system calls": f"--start syscall:{FIRST}%return --stop syscall:{LAST}",
    "tracepoints": f"--start tp:syscalls:sys_exit_{FIRST} --stop tp:syscalls:sys_enter_{LAST}",
    "functions": f"--start func:__arm64_sys_{FIRST} --stop func:__arm64_sys_{LAST}%return",
}
# The program runs 5 times before the first start, 12 times until the first stop, 9 times until the
# second start, 30 times until the second stop, and 7 times after it.
PASS_START = "gate-phases 1 1 1"
PASS_STOP = "scope-calls -m 1 -k 10"
PROG_POINTS = (f"--start usdt:{PROGRAM}:warm --stop uprobe:/usr/local/bin/scope-calls:work")
RUNS = f"""./ask 'run 5'; {PASS_START}; ./ask 'run 12'; {PASS_STOP}; ./ask 'run 9'
{PASS_START}; ./ask 'run 30'; {PASS_STOP}; ./ask 'run 7'"""


def of_program(options, commands, events="run_cnt,instructions"):
    return f"""
. ./target
target --prog loop --loops 50
pstat -x, -b $id {options} -e {events} -- sh -c "{commands}"
"""


PROGRAMS = {
    "all runs": of_program("", RUNS),
    "runs between": of_program(PROG_POINTS, RUNS),
    "runs before the stop": of_program("--stop syscall:sched_get_priority_max",
                                       "./ask 'run 8'; gate-phases -k 1 1 1; ./ask 'run 3'"),
    "histogram": of_program(f"{PROG_POINTS} --hist=instructions", RUNS),
    "single runs": of_program(f"{PROG_POINTS} --outliers=0", RUNS),
    # bpf-run writes its answer after each line
    "runs of a process": of_program("-p $runner --start syscall:write%return",
                                    f"{RUNS}; {PASS_STOP}"),
    "other processes": of_program(f"-p $runner {PROG_POINTS}", RUNS),
    "runs in intervals": of_program(f"-I 60000 {PROG_POINTS}", RUNS),
    "times": of_program(PROG_POINTS, f"usleep 1000000; {RUNS}; usleep 1000000",
                        "run_cnt,duration_time,task-clock"),
}
# as long before and after the points as between them; each sample shows where it was taken
SAMPLED = "pstat profile -j --folded -e cpu-clock -c 50000"
STEPS = "gate-phases -n 20 200000 400000 200000"
COMMANDS = {
    **PROGRAMS,
    "all samples": f"{SAMPLED} {STEPS}",
    "samples between": f"{SAMPLED} {POINTS} {STEPS}",
    "samples of CPUs": f"{SAMPLED} -a {POINTS} {STEPS}",
    "samples of children": f"{SAMPLED} {POINTS} -- sh -c '{STEPS}; true'",
    "samples in intervals": f"{SAMPLED} -I 60000 {POINTS} {STEPS}",
    "samples from a call": f"{SAMPLED} {IN_KERNEL['system calls']} {STEPS} -k",
    "samples of others": f"""
sleep 60 & other=$!
{SAMPLED} -p $other {POINTS} {STEPS}; kill $other""",
    "native": count(""),
    "entries": count("", points=f"--start uprobe:{PROGRAM}:warm --stop uprobe:{PROGRAM}:done"),
    "shared": count("", event="instructions:ub"),
    "group": count("", event="'{instructions:u,cycles:u}'"),
    "cgroup": in_cgroup(""),
    "cgroup through BPF": in_cgroup("--bpf-counters"),
    "50 times": count("", "-n 50"),
    "cgroup 50 times": in_cgroup("", "-n 50"),
    "repetitions": count("-r 3"),
    "scope": count("", "-n 50", event="run_cnt,instructions:u",
                   points=f"{POINTS} --scope uprobe:{PROGRAM}:run_between"),
    "intervals": count("-I 1", "-n 3", before=1000000),
    "kernel": count("", event="instructions"),
    **{kind: count("", "-k", points=points) for kind, points in IN_KERNEL.items()},
    **{f"{kind} 50 times": count("", "-k -n 50", points=points)
       for kind, points in IN_KERNEL.items()},
    **{f"cgroup, {kind} 50 times": in_cgroup("", "-k -n 50", points=points)
       for kind, points in IN_KERNEL.items()},
    **{f"scope, {kind}": count("", "-k -n 50", event="run_cnt,instructions:u",
                               points=f"{points} --scope uprobe:{PROGRAM}:run_between")
       for kind, points in IN_KERNEL.items()},
}
FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "target")]


@pytest.fixture(scope="module", params=kernels("6.12"))
def results(request):
    return guest_outputs(COMMANDS, files=FILES, arch="aarch64", kernel=request.param, icount=True)


def counts(text, event):
    """Returns the counts of the rows of the event, in order. Rows of cgroups have one more
    field."""
    rows = [line.split(",") for line in text.splitlines()]
    return [int(row[0]) for row in rows if len(row) > 5 and row[2].startswith(event)]


@pytest.mark.parametrize("what, times", [
    ("native", 1),
    ("entries", 1),
    ("shared", 1),
    ("group", 1),
    ("cgroup", 1),
    ("cgroup through BPF", 1),
    ("50 times", 50),
    ("cgroup 50 times", 50),
    ("repetitions", 1),
    *[(kind, 1) for kind in IN_KERNEL],
    *[(f"{kind} 50 times", 50) for kind in IN_KERNEL],
    *[(f"cgroup, {kind} 50 times", 50) for kind in IN_KERNEL],
])
def test_only_the_instructions_between_the_points_count(results, what, times):
    counted, = counts(results[what], "instructions")
    assert 2 * BETWEEN * times < counted < (2 * BETWEEN + FEW) * times


@pytest.mark.parametrize("what", ["scope", *[f"scope, {kind}" for kind in IN_KERNEL]])
def test_runs_of_a_scope_count_between_the_points(results, what):
    # the function does not include the points
    counted, = counts(results[what], "instructions")
    assert 2 * BETWEEN * 50 < counted < (2 * BETWEEN + FEW) * 50
    assert counts(results[what], "run_cnt") == [50]


def test_intervals_add_up_to_the_time_between_the_points(results):
    rows = [line.split(",") for line in results["intervals"].splitlines()]
    counted = [int(row[1]) for row in rows
               if row[3].startswith("instructions") and row[1] != "<not counted>"]
    assert 3 * 2 * BETWEEN < sum(counted) < 3 * (2 * BETWEEN + FEW)
    # the program runs ten times as long before each start as after it
    assert float(rows[-1][0]) < 0.005


def test_probes_add_some_thousand_instructions_of_the_kernel(results):
    counted, = counts(results["kernel"], "instructions")
    assert 2 * BETWEEN < counted < 2 * BETWEEN + 30000


@pytest.mark.parametrize("what, runs", [
    ("runs between", 12 + 30),
    ("runs before the stop", 8),
    ("histogram", 12 + 30),
    ("single runs", 12 + 30),
    ("runs of a process", 12 + 9 + 30 + 7),
])
def test_runs_of_a_bpf_program_count_between_the_points(results, what, runs):
    assert counts(results[what], "run_cnt") == [runs]


def test_other_processes_than_those_of_p_do_not_start_the_count(results):
    assert results["other processes"].count("<not counted>") == 2


def test_a_run_between_the_points_counts_what_any_run_does(results):
    per_run = [counts(results[what], "instructions")[0] / counts(results[what], "run_cnt")[0]
               for what in ("all runs", "runs between")]
    assert counts(results["all runs"], "run_cnt") == [5 + 12 + 9 + 30 + 7]
    assert abs(per_run[0] - per_run[1]) < 0.02 * per_run[0]


def test_single_runs_and_a_histogram_have_only_the_runs_between_the_points(results):
    printed = [line for line in results["single runs"].splitlines() if line.startswith("outlier,")]
    hist = [line.split(",") for line in results["histogram"].splitlines() if ",hist," in line]
    assert sum(int(line[0]) for line in hist) == 12 + 30
    assert len(printed) == 12 + 30, results["single runs"]


def test_a_stop_ends_an_interval_of_runs(results):
    rows = [line.split(",") for line in results["runs in intervals"].splitlines()]
    assert [int(row[1]) for row in rows if "run_cnt" in row] == [12, 30]


def test_the_times_of_runs_are_those_between_the_points(results):
    rows = {row[2]: row for row in
            (line.split(",") for line in results["times"].splitlines()) if len(row) > 4}
    assert rows["run_cnt"][0] == str(12 + 30)
    # in ns: the command sleeps for a second before the first start, and for another one at the end
    assert int(rows["duration_time"][0]) < 1_900_000_000
    assert int(rows["task-clock"][3]) <= int(rows["duration_time"][0])


def samples(text):
    """Returns the number of samples in the program's own code: {between the points?: samples}."""
    found = {}
    for line in text.splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        frames = row.get("frames", [])
        if any(frame.get("object") != PROGRAM for frame in frames) or not frames:
            continue
        between = any(frame["function"] == "run_between" for frame in frames)
        found[between] = found.get(between, 0) + row["samples"]
    return found


@pytest.mark.parametrize("what", ["between", "of CPUs", "of children", "in intervals",
                                  "from a call"])
def test_only_samples_between_the_points_are_kept(results, what):
    every, kept = samples(results["all samples"]), samples(results[f"samples {what}"])
    assert every[False] > 500
    # a sample can be in the few instructions of main() between a point and run_between()
    assert kept.pop(False, 0) <= 1
    assert kept == {True: pytest.approx(every[True], rel=0.03)}


def test_other_processes_than_those_of_p_do_not_start_the_profile(results):
    assert samples(results["samples of others"]) == {}
    assert "the point of --start was never reached" in results["samples of others"]
