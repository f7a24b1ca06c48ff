# SPDX-License-Identifier: GPL-2.0-only
"""--scope against what is known: functions with a known number of instructions, in an arm64 guest
whose instructions are exact. Linux 6.1 attaches perf events, 6.12 links with many points."""

import pytest

from csv_rows import values
from guest import guest_outputs

CALLS = 2000
FEW = 100
EVENTS = {
    1: "instructions",
    4: "instructions,cycles,instructions:u,task-clock",
    8: "instructions,cycles,instructions:u,cs,page-faults,migrations,task-clock,scope-time",
}
SIZES = (10, 100, 10000)
# What the timer's ticks and the first run of a process add to all runs, in instructions: the kernel
# maps a page for the probes, and may have work of its own to do in an interrupt.
MOST_NOISE = 300_000


def calls(options, names="work", events="run_cnt,instructions", more=""):
    scopes = " ".join(f"--scope uprobe:/usr/local/bin/scope-calls:{name}" for name in names.split())
    return f"pstat -x, {more} -e {events} {scopes} scope-calls {options}"


COMMANDS = {
    **{f"{size} with {nr}": calls(f"-m {CALLS if size < 10000 else FEW} -k {size}",
                                  events=f"run_cnt,{events}", more="--hist=instructions")
       for size in SIZES for nr, events in EVENTS.items()},
    "threads": calls(f"-m {FEW} -k 10000 threads", events="run_cnt,instructions,instructions:u"),
    "outer": calls(f"-m {FEW} -k 10000 nested", "outer work"),
    "recursive": calls(f"-m {FEW} -k 10000 recursive", "recurse"),
    "forks": calls("-m 10 forks", "around work"),
    "jump": calls("-m 10 jump", "leave work", "run_cnt"),
    "exec": calls("-m 10 exec", "around work", "run_cnt"),
    "exit": calls("-m 10 exit", "around", "run_cnt"),
    "partner": f"""
spin --ms 60000 & other=$!
{calls(f"-m {FEW} -s 2000 -k 100000 sleep", "nap", "run_cnt,instructions:u,cs")}
kill $other
""",
}


@pytest.fixture(scope="module", params=["6.12", "6.1"])
def results(request):
    return guest_outputs(COMMANDS, arch="aarch64", kernel=request.param, icount=True)


@pytest.mark.parametrize("nr", EVENTS)
@pytest.mark.parametrize("size", SIZES)
def test_a_function_has_its_own_instructions(results, size, nr):
    counted = values(results[f"{size} with {nr}"])
    runs = CALLS if size < 10000 else FEW
    # the workload's numbers leave out the probed instruction and the return
    assert counted["run_cnt"] == runs
    assert (size - 3) * runs < counted["instructions"] < size * runs + MOST_NOISE
    if nr > 1:
        # the cost of counting is known to within ten instructions, for each of the two events
        assert abs(counted["cycles"] - 2 * counted["instructions"]) < max(
            20 * runs, 0.08 * counted["cycles"])
        assert counted["instructions:u"] == (size - 2) * runs


@pytest.mark.parametrize("nr", EVENTS)
@pytest.mark.parametrize("size", SIZES)
def test_most_runs_have_exactly_the_functions_instructions(results, size, nr):
    lines = [line.split(",") for line in results[f"{size} with {nr}"].splitlines()]
    buckets = sorted((int(line[4]), int(line[5]), int(line[0]))
                     for line in lines if len(line) > 5 and line[3] == "hist")
    low, high, runs = max(buckets, key=lambda bucket: bucket[2])
    assert low - 10 <= size - 2 <= high + 10
    assert runs > 0.8 * sum(bucket[2] for bucket in buckets)


def test_threads_do_not_disturb_each_other(results):
    counted = values(results["threads"])
    assert counted["run_cnt"] == 20 * FEW
    assert counted["instructions:u"] == 20 * FEW * 9998
    assert counted["instructions"] == pytest.approx(20 * FEW * 9998, rel=0.02)


@pytest.mark.parametrize("name, runs, work", [("outer", 3, 2), ("recursive", 6, 6)])
def test_inner_runs_are_not_in_the_outer_ones(results, name, runs, work):
    counted = values(results[name])
    assert counted["run_cnt"] == runs * FEW
    assert counted["instructions"] == pytest.approx(work * FEW * 10000, rel=0.02)


def test_what_other_tasks_do_is_not_in_a_run(results):
    counted = values(results["partner"])
    assert counted["run_cnt"] == FEW
    assert counted["cs"] >= FEW
    # nap() and the system call's wrapper add less than 100
    assert FEW * 99998 <= counted["instructions:u"] < FEW * 100100


@pytest.mark.parametrize("name, runs, lost", [
    ("forks", 30, None),
    ("jump", 10, "10 lost: 1 because their thread exited; 9 because their function was left"),
    ("exec", 10, "1 lost: 1 because their process called execve(2)"),
    ("exit", 0, "10 lost: 10 because their thread exited"),
])
def test_only_runs_without_an_end_are_lost(results, name, runs, lost):
    rows = [line for line in results[name].splitlines() if not line.startswith("pstat: ")]
    assert values("\n".join(rows))["run_cnt"] == runs
    assert ("lost" in results[name]) == bool(lost)
    assert (lost or "") in results[name]
