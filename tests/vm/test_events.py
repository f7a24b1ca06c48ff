# SPDX-License-Identifier: GPL-2.0-only
"""Breakpoints, filters and patterns in guests, with known counts."""
import pytest

from csv_rows import values
from guest import GUESTS, guest_each

COMMANDS = {
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
