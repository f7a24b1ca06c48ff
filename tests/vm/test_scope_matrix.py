# SPDX-License-Identifier: GPL-2.0-only
"""--scope with each kind of points, around the same work: each request of scope-requests calls a
function of known length between points of all kinds. On arm64, instructions are exact. An x86-64
guest has no counter of them, but each instruction takes 1 ns of its clocks. PSTAT_LONG=1 runs all
kernels, and more numbers of events."""
import re
import statistics

import pytest

from csv_rows import values
from guest import LONG, NEWEST, guest_each, guest_outputs, machines

RUNS = 40
FEW = 20
SIZES = (10, 100, 10000)
LONG_WORK = 100_000  # the system calls of a request are less than 1 % of it
# What the timer's ticks and the first run of a process add to all runs, in instructions.
MOST_NOISE = 100_000
PROGRAM = "/usr/local/bin/scope-requests"
EVENTS = {
    "aarch64": {
        1: "instructions", 4: "instructions,cycles,instructions:u,task-clock",
        8: "instructions,cycles,instructions:u,cs,page-faults,migrations,task-clock,scope-time"},
    "x86_64": {
        1: "task-clock", 4: "task-clock,msr/tsc/,cs,page-faults",
        8: "task-clock,msr/tsc/,cs,page-faults,migrations,minor-faults,cpu-clock,scope-time"},
}
NUMBERS = (1, 4, 8) if LONG else (4,)


def kinds(arch):
    # the name by which the kernel permits probes
    function = "func:__arm64_sys_{}" if arch == "aarch64" else "func:__do_sys_{}"
    return {
        "uprobe": f"uprobe:{PROGRAM}:work",
        "usdt": f"usdt:{PROGRAM}:pstat_test:begin..end",
        "func": f"{function.format('getuid')}%return..{function.format('getgid')}",
        "syscall": "syscall:getuid%return..syscall:getgid",
        "tp": "tp:syscalls:sys_exit_getuid..tp:syscalls:sys_enter_getgid",
    }


# what scope-requests does: its runs, in multiples of FEW, and its options
SCENARIOS = {
    "calls": (1, f"-k {LONG_WORK} calls"),
    "nested": (3, f"-k {LONG_WORK} nested"),
    "recursive": (6, f"-k {LONG_WORK} recursive"),
    "threads": (20, f"-k {LONG_WORK} threads"),
    "forks": (2, f"-k {LONG_WORK} forks"),
    "exit": (0, f"-k {LONG_WORK} exit"),
    # another process takes the CPU in each run
    "sleep": (1, f"-k {10 * LONG_WORK} -s 2000 sleep"),
}
KINDS = list(kinds("aarch64"))
# with more than eight functions of the kernel, fentry programs are not used
OTHERS = " ".join(f"--scope func:vfs_{function}" for function in (
    "fsync", "getattr", "mkdir", "rename", "rmdir", "statfs", "symlink", "unlink"))


def commands(arch):
    events = EVENTS[arch]
    for kind, scope in kinds(arch).items():
        for number in NUMBERS:
            for size in SIZES:
                yield (f"{kind}, {size}, {number}",
                       f"pstat -x, -e run_cnt,{events[number]} --scope {scope}"
                       f" --outliers=0,{events[1]} scope-requests -m {RUNS} -k {size}")
        if kind == "func":
            yield ("more functions",
                   f"pstat -x, -e {events[4]} --scope {scope} {OTHERS} --per-scope"
                   f" --outliers=0,{events[1]} scope-requests -m {RUNS} -k 10")
        for scenario, (_, options) in SCENARIOS.items():
            more = ",instructions:u" if arch == "aarch64" else ""
            command = (f"pstat -x, -e run_cnt,{events[1]}{more},cs --scope {scope} scope-requests"
                       f" -m {FEW} {options}")
            if scenario == "sleep":
                command = f"spin --ms 60000 & other=$!\n{command}\nkill $other"
            yield f"{kind}, {scenario}", command


@pytest.fixture(scope="module", params=machines(("aarch64", "6.12"), ("x86_64", "6.12")),
                ids="-".join)
def results(request):
    arch, kernel = request.param
    found = guest_outputs(dict(commands(arch)), arch=arch, kernel=kernel, icount=True, timeout=900)
    return {"arch": arch, **found}


def median(text, event):
    """Returns the number and the median of the individual runs, without those of OTHERS. Interrupts
    occur in only a few runs."""
    runs = [line.split(",") for line in text.splitlines() if line.startswith("outlier,")]
    runs = [run for run in runs if not run[7].startswith("vfs_")]
    counts = [dict(zip(run[10::3], run[8::3])) for run in runs]
    return len(runs), statistics.median_low(float(counted[event]) for counted in counts)


def medians(results, kind, number):
    """Returns {size: instructions of a run}."""
    found = {}
    for size in SIZES:
        text = results[f"{kind}, {size}, {number}"]
        assert values(text)["run_cnt"] == RUNS, text
        nr, found[size] = median(text, EVENTS[results["arch"]][1])
        assert nr == RUNS, text
    return found


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("kind", ["uprobe", "usdt"])
def test_a_run_in_a_program_has_its_own_instructions(results, kind, number):
    for size, counted in medians(results, kind, number).items():
        assert abs(counted - size) <= max(10, 0.02 * size), (size, counted)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("kind", KINDS)
def test_longer_runs_have_exactly_the_additional_instructions(results, kind, number):
    """Runs between two system calls also contain what the kernel executes between these points."""
    counted = medians(results, kind, number)
    for less, more in zip(SIZES, SIZES[1:]):
        difference = counted[more] - counted[less]
        assert difference == pytest.approx(more - less, abs=max(10, 0.02 * (more - less)))


@pytest.mark.parametrize("kind", ["func", "syscall", "tp"])
def test_the_way_between_two_system_calls_does_not_depend_on_the_number_of_events(results, kind):
    """The cost of counting, which does, is subtracted."""
    ways = [medians(results, kind, number)[SIZES[0]] for number in NUMBERS]
    assert max(ways) - min(ways) <= 10, ways
    assert 50 < min(ways) and max(ways) < 600, ways


def test_the_way_between_two_functions_does_not_depend_on_the_kind_of_probes(results):
    """The cost from the return of a function to the entry of another one is measured."""
    one = medians(results, "func", NUMBERS[-1])[SIZES[0]]
    nr, other = median(results["more functions"], EVENTS[results["arch"]][1])
    assert nr == RUNS and abs(one - other) <= 20, (one, results["more functions"])


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_run_is_counted_once_with_its_own_work_only(results, kind, scenario):
    text = results[f"{kind}, {scenario}"]
    rows = "\n".join(line for line in text.splitlines() if not line.startswith("pstat: "))
    counted = values(rows)
    times, options = SCENARIOS[scenario]
    if kind == "uprobe" and scenario == "exit":
        times = 1  # the function has returned when the thread exits
    runs, size = times * FEW, int(re.search(r"-k (\d+)", options)[1])
    assert counted["run_cnt"] == runs, text
    if not runs:
        assert f"{FEW} lost: {FEW} because their thread exited" in text
        return
    assert " lost" not in text, text
    on_arm = results["arch"] == "aarch64"
    total = counted["instructions"] if on_arm else 1e6 * counted["task-clock"]
    # the first run of each process needs a page for probes and its own copies of pages (25,000 ns
    # in each child on x86-64 7.3); the programs also run at the system calls of inner requests
    # that are not points of the scope
    more = MOST_NOISE + (FEW * 40_000 if scenario == "forks" else 0)
    if scenario in ("nested", "recursive"):
        more += runs * 3000
    assert 0.99 * runs * size < total < 1.02 * runs * size + more
    if on_arm:
        # exact, but for the few instructions around work() and the calls between the points
        assert -3 * runs <= counted["instructions:u"] - runs * size < 200 * runs
    if scenario == "sleep" and kind != "uprobe":
        assert counted["cs"] >= runs


@pytest.fixture(scope="module", params=machines(("aarch64", "6.12"), ("x86_64", "6.12")),
                ids="-".join)
def moves(request):
    arch, kernel = request.param
    found = guest_each({kind: f"pstat -x, -e run_cnt,migrations --scope {scope} scope-requests"
                              f" -m {FEW} -k 100 move" for kind, scope in kinds(arch).items()
                        if kind != "uprobe"},
                       arch=arch, kernel=kernel, cpus=2)
    return {name: result.stdout for name, result in found.items()}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "uprobe"])
def test_a_run_that_moves_to_another_cpu_is_counted(moves, kind):
    counted = values(moves[kind])
    assert counted["run_cnt"] == counted["migrations"] == FEW, moves[kind]


# Lengths of runs with which the scheduler interrupts threads at different places.
LENGTHS = (30_000, 50_000, 50_010, 100_000, 100_010, 130_000)


@pytest.fixture(scope="module")
def threads():
    """Since Linux 7.2, the kernel can preempt the programs at the tracepoints of system calls."""
    scopes = kinds("x86_64")
    return guest_outputs(
        {(kind, length): f"pstat -x, -e run_cnt --scope {scope} scope-requests -m {FEW}"
                         f" -k {length} threads"
         for kind, scope in scopes.items() for length in LENGTHS},
        arch="x86_64", kernel=NEWEST, icount=True)


@pytest.mark.parametrize("kind", KINDS)
def test_no_run_is_lost_when_threads_lose_the_cpu_in_a_program(threads, kind):
    for length in LENGTHS:
        text = threads[kind, length]
        assert " lost" not in text, (length, text)
        assert values(text)["run_cnt"] == 20 * FEW, (length, text)
