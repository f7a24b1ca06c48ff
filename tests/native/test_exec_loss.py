# SPDX-License-Identifier: GPL-2.0-only
"""Commands whose events the kernel removes at their exec: setuid, setgid or unreadable programs."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from native import FAILED, csv_rows, csv_values, run, workload

EVENTS = ("-e", "task-clock,page-faults")
WORK = ("--ms", 60)


@pytest.fixture
def program():
    """Makes a copy of the workload `spin` with an owner and a mode, where every user can reach
    it."""
    if os.geteuid():
        pytest.skip("probe: geteuid: only root can make setuid programs of others")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pstat-exec-"))
    folder.chmod(0o755)
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        pytest.skip(f"probe: statvfs: {folder} is mounted with nosuid")

    def make(mode, owner=0, group=0, capability=None):
        copy = folder / "spin-copy"
        shutil.copy(workload("spin")[0], copy)
        os.chown(copy, owner, group)
        copy.chmod(mode)
        if capability:
            subprocess.run(["setcap", capability, copy], check=True)
        return copy

    yield make
    shutil.rmtree(folder)


KINDS = {
    "a setuid program": {"mode": 0o4755,
                         "owner": 1}, "a setgid program": {"mode": 0o2755, "group": 1},
    "a program with file capabilities": {"mode": 0o755, "capability": "cap_net_raw+ep"},
    "a program that this user may not read": {"mode": 0o711}
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_command_that_the_kernel_stops_counting_at_its_exec_is_not_counted_and_pstat_warns(
        program, as_nobody, kind):
    if "capabilities" in kind and not shutil.which("setcap"):
        pytest.skip("probe: there is no setcap in PATH")
    done = as_nobody(*EVENTS, program(**KINDS[kind]), *WORK)
    assert done.returncode == 0
    assert (
        f"spin-copy: not counted: the kernel removes the events of a process that executes {kind}\n"
        in done.stderr
    )
    assert len(re.findall(r"^ +<not counted> .*(?:task-clock|page-faults)", done.stderr, re.M)) == 2


def test_a_setuid_command_may_be_short(program, as_nobody):
    """A command that does nothing uses more time before its exec than after it."""
    spin = program(0o4755, owner=1)
    shutil.copy(shutil.which("true"), spin)
    spin.chmod(0o4755)
    for _ in range(10):
        done = as_nobody(*EVENTS, spin)
        assert "spin-copy: not counted: " in done.stderr, done.stderr


def test_cpu_time_before_the_exec_is_not_reported_as_lost(monkeypatch):
    """Searching a long PATH takes 20 ms or more of CPU time, and `true` takes less than 1 ms."""
    monkeypatch.setenv("PATH", "x:" * 60000 + os.environ["PATH"])
    done = run("-j", "-e", "cs", "true")
    assert done.returncode == 0 and "removes" not in done.stderr, done.stderr
    assert '"pcnt-running" : 100.00' in done.stderr


def test_a_plain_command_of_the_same_user_is_counted(program, as_nobody):
    done = as_nobody("-x,", *EVENTS, program(0o755), *WORK)
    assert float(csv_values(done.stderr)["task-clock:u"]) >= 50 and "removes" not in done.stderr


def test_a_setuid_child_of_a_shell_lowers_the_percentage_and_pstat_warns(
        program, as_nobody):
    command = ("sh", "-c",
               " ".join(map(str, (program(**KINDS["a setuid program"]), *WORK, "; true"))))
    assert re.search(
        r"^pstat: sh: used the CPU for \d+\.\d\d ms, but only \d\.\d\d ms of this "
        r"were counted: ",
        as_nobody(*EVENTS, *command).stderr, re.M)
    rows = csv_rows(as_nobody("-x,", *EVENTS, *command).stderr)
    assert all(0 < float(row[4]) < 20 for row in rows)
    # The value is not scaled: it is the time in which the event was counted.
    assert float(rows[0][0]) < 20


def test_intervals_and_repetitions_of_such_a_command_are_not_counted(program, as_nobody):
    setuid = program(**KINDS["a setuid program"])
    intervals = csv_rows(as_nobody("-x,", "-I", 20, *EVENTS, setuid, *WORK).stderr)
    assert len(intervals) >= 2 and all(row[1] == "<not counted>" for row in intervals)
    done = as_nobody("-r", 3, *EVENTS, setuid, *WORK)
    assert done.stderr.count("not counted: ") == 1
    assert len(re.findall(r"^ +<not counted> ", done.stderr, re.M)) == 2


def test_root_counts_files_that_it_may_read_and_files_that_are_setuid_root(program):
    for how in ({"mode": 0o711}, {"mode": 0o4755}):
        done = run("-x,", *EVENTS, program(**how), *WORK)
        assert float(csv_values(done.stderr)["task-clock"]) >= 50, done.stderr
    done = run(*EVENTS, program(**KINDS["a setuid program"]), *WORK)
    assert (
        "the kernel removes the events of a process that executes a setuid program" in done.stderr
    )


def test_a_breakpoint_on_a_symbol_is_refused_if_tracing_would_take_privileges_away(
        program, as_nobody):
    done = as_nobody("-e", "mem:main:x:u", program(**KINDS["a setuid program"]), 1)
    assert done.returncode == FAILED
    assert "a setuid program has no privileges when it is traced" in done.stderr
