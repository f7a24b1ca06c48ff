# SPDX-License-Identifier: GPL-2.0-only
"""Breakpoints, filters and patterns in guests, with known counts."""
import re

import pytest

from csv_rows import series, values
from guest import GUESTS, guest_each

# sets the machine's clock to 2033 and then to 2001, while pstat counts
STEPS = ("(usleep 300000; date -s @2000000000; usleep 300000; date -s @1000000000) >/dev/null & "
         "pstat -x, {} ; wait")

COMMANDS = {
    "intervals": STEPS.format("-I 200 --interval-count 5 -C 0 -e cpu-clock"),
    "time limit": STEPS.format("--timeout 1000 -C 0 -e cpu-clock,duration_time"),
    "repetitions": STEPS.format("-r 4 -e duration_time usleep 200000"),
    "stores": "pstat -x, -e mem:watched:w:u access 1234 5 6 0",
    "accesses": "pstat -x, -e mem:watched:rw:u access 1234 5 6 0",
    "calls": "pstat -x, -e mem:watched_call:x:u access 1234 5 6 0",
    "glob": "pstat -x, -e 'syscalls:sys_enter_w*' access 0 0 0 321",
    "filter": "pstat -x, -e syscalls:sys_enter_write --filter 'count == 0' access 0 0 0 321",
    "other filter": "pstat -x, -e syscalls:sys_enter_write --filter 'count == 1' access 0 0 0 321",
    "idle": "pstat -x, -e sched:sched_switch --filter 'prev_pid == 0' -a sleep 1",
    "bad filter": "pstat -x, -e sched:sched_switch --filter 'prv_pid == 0' -a true",
}


@pytest.fixture(scope="module", params=GUESTS, ids=lambda machine: "-".join(machine))
def results(request):
    return guest_each(COMMANDS, arch=request.param[0], kernel=request.param[1])


@pytest.mark.parametrize("name, event, expected", [
    ("stores", "mem:watched:w:u", 1234),
    ("accesses", "mem:watched:rw:u", 1239),
    ("calls", "mem:watched_call:x:u", 6),
    ("glob", "syscalls:sys_enter_write", 321),
    ("filter", "syscalls:sys_enter_write", 321),
    ("other filter", "syscalls:sys_enter_write", 0),
])
def test_the_count_is_exact(results, name, event, expected):
    assert results[name].returncode == 0, results[name].stdout
    assert values(results[name].stdout)[event] == expected


def test_switches_from_the_idle_task_are_counted(results):
    assert values(results["idle"].stdout)["sched:sched_switch"] >= 1


def test_a_filter_on_a_missing_field_is_refused(results):
    assert results["bad filter"].returncode == 255
    assert "no field 'prv_pid'" in results["bad filter"].stdout


def test_steps_of_the_clock_change_neither_times_nor_counts(results):
    """The kernel uses another clock for counting. A busy host can only make the times longer."""
    shown = series(results["intervals"].stdout, "cpu-clock")
    times = [0, *(row.time for row in shown)]
    assert len(shown) == 5
    assert all(0.1 < after - before < 20 for before, after in zip(times, times[1:])), times
    assert all(0 < row.value < 20_000 for row in shown)
    limited = values(results["time limit"].stdout)
    # The time limit begins before the events are enabled, which takes milliseconds on a busy host.
    assert 0.9e9 <= limited["duration_time"] < 20e9 and 500 < limited["cpu-clock"] < 20_000
    mean = re.search(r"^(\d+),[^,]*,duration_time,", results["repetitions"].stdout, re.M)[1]
    assert 0.2e9 <= float(mean) < 20e9
