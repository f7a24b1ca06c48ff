# SPDX-License-Identifier: GPL-2.0-only
"""--scope in an x86-64 guest, which has no hardware counters. With -icount, each instruction takes
1 ns, so clocks count instructions, except those of timer ticks. Only `make check-long` runs it."""

import pytest

from csv_rows import values
from guest import LONG, NEWEST, guest, guest_outputs, machines

RUNS = 50
CALLS = "/usr/local/bin/scope-calls"
CLOCKS = "run_cnt,task-clock,scope-time,msr/tsc/,page-faults"


def count(names, command, events, options=""):
    scopes = " ".join(f"--scope uprobe:{name}" for name in names)
    return f"pstat -x, {options} -e {events} {scopes} {command}"


COMMANDS = {
    **{str(size): count([f"{CALLS}:work"], f"scope-calls -m {RUNS} -k {size + 4}", CLOCKS)
       for size in (100, 100_100, 200_100)},
    **{f"faults {nr}": count(["/usr/local/bin/faults:main"], f"faults {nr}", "run_cnt,page-faults")
       for nr in (0, 300)},
    "sleep": count([f"{CALLS}:nap"], f"scope-calls -m {RUNS} -s 2000 sleep",
                   "run_cnt,cs,scope-time"),
    "lost": count([f"{CALLS}:{name}" for name in ("around", "quit", "nap")],
                  f"scope-calls -m {RUNS} -s 2000 lost", "cs", "--per-scope"),
}

pytestmark = pytest.mark.skipif(not LONG, reason="PSTAT_LONG is not set")


@pytest.fixture(scope="module",
                params=[pair for pair in machines(("x86_64", "6.12")) if pair[0] == "x86_64"],
                ids="-".join)
def results(request):
    arch, kernel = request.param
    return guest_outputs(COMMANDS, arch=arch, kernel=kernel, icount=True)


@pytest.mark.parametrize("event, instructions", [
    ("task-clock", 1e6), ("scope-time", 1e6), ("msr/tsc/", 1)])
def test_clocks_count_the_instructions_of_a_function(results, event, instructions):
    """The cost of counting is the same for all sizes, so the difference is exact."""
    short, middle, long = (values(results[str(size)]) for size in (100, 100_100, 200_100))
    for counted in (short, middle, long):
        assert counted["run_cnt"] == RUNS
    for less, more in ((short, middle), (middle, long)):
        work = (more[event] - less[event]) * instructions / RUNS
        # pstat -x prints 0.01 msec; a tick, each 4 ms, takes about 10 us
        assert work == pytest.approx(100_000, rel=0.01)
    # the kernel allocates a page for the probes in the first run
    assert 90 * RUNS < short[event] * instructions < 110 * RUNS + 60_000


def test_page_faults_of_a_function(results):
    none, some = (values(results[f"faults {nr}"]) for nr in (0, 300))
    assert none["run_cnt"] == some["run_cnt"] == 1
    assert some["page-faults"] - none["page-faults"] == 300


def test_a_function_that_sleeps_loses_the_cpu_once(results):
    counted = values(results["sleep"])
    assert counted["run_cnt"] == counted["cs"] == RUNS
    assert 2 * RUNS < counted["scope-time"] < 2.2 * RUNS


def test_what_a_lost_run_contains_is_counted_once(results):
    rows = [line.split(",") for line in results["lost"].splitlines() if ",cs," in line]
    assert {row[0]: row[1] for row in rows} == {
        "scope-calls:around": "0", "scope-calls:quit": "<not counted>",
        "scope-calls:nap": str(RUNS)}


def test_a_kernel_that_cannot_store_the_state_of_a_thread():
    """Since Linux 6.19, task storage needs the instruction cmpxchg16b."""
    done = guest(f"pstat -x, -e run_cnt --scope uprobe:{CALLS}:work scope-calls -m 3",
                 arch="x86_64", kernel=NEWEST, parameters="clearcpuid=cx16")
    assert done.returncode != 0
    assert "cannot store the state of a thread" in done.stdout
    assert "cmpxchg16b" in done.stdout and "run_cnt" not in done.stdout.replace("-e run_cnt", "")
