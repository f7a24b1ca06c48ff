# SPDX-License-Identifier: GPL-2.0-only
"""--scope in the kernel: tracepoints and system calls, and why functions are refused."""

import json
import os
import re
import subprocess

import pytest

from native import FAILED, PATIENCE, csv_values, interval_rows, own_workload, run, start

FUNCTIONS = "tp:syscalls:sys_enter_getppid..tp:syscalls:sys_exit_getppid"


def count(scopes, *args, events="run_cnt"):
    """Counts the runs of one process, because other processes pass the same points. Returns the
    sums by event, and the messages."""
    words = [word for name in scopes for word in ("--scope", name)]
    waiting = own_workload("scope-calls", "-w", *args)
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as process, \
            start("-x,", "-I", 20, "-e", events, *words, "-p", process.pid) as pstat:
        told = pstat.stderr.readline()  # printed when the count begins
        process.communicate(b"\n")
        told += pstat.communicate(timeout=PATIENCE)[1]
    assert pstat.returncode == 0, told
    sums = {}
    for _, event, value in interval_rows(told):
        sums[event] = sums.get(event, 0) + (value or 0)
    return sums, "".join(re.findall(r"^pstat: .*\n", told, re.M))


def lost_switches(text):
    """Returns the number of runs that were lost because this kernel does not report every context
    switch."""
    found = re.search(r"(\d+) because the kernel did not report a context switch", text)
    return int(found[1]) if found else 0


@pytest.mark.parametrize("scopes, args, runs", [
    (["syscall:getppid"], ["-m", 3000, "getppid"], 3000),
    (["syscall:getppid"], ["-m", 300, "between"], 0),
    (["syscall:getuid,getgid"], ["-m", 300, "between"], 600),
    (["syscall:getu?d", "syscall:getgid"], ["-m", 300, "between"], 600),
    (["syscall:getuid..syscall:getgid"], ["-m", 300, "between"], 300),
    (["syscall:getuid%return..syscall:getgid%return"], ["-m", 300, "between"], 300),
    ([FUNCTIONS], ["-m", 3000, "getppid"], 3000),
    (["tp:syscalls:sys_exit_getuid..tp:syscalls:sys_enter_getgid"], ["-m", 300, "between"], 300),
    # A tracepoint of the kernel. Each pass except the first one ends a run.
    (["tp:task:task_rename..tp:task:task_rename"], ["-m", 300, "rename"], 299),
    # Points of two kinds.
    (["syscall:getuid..tp:syscalls:sys_exit_getgid"], ["-m", 300, "between"], 300),
])
def test_each_pair_of_points_is_a_run(scopes, args, runs):
    counted, told = count(scopes, *args)
    assert counted["run_cnt"] + lost_switches(told) == runs


def test_points_in_a_program_and_in_the_kernel_can_be_combined():
    program = own_workload("scope-calls")[0]
    counted, told = count([f"syscall:getuid..uprobe:{program}:work"], "-m", 300, "between")
    assert counted["run_cnt"] + lost_switches(told) == 300


@pytest.mark.parametrize("end, what", [("exit", "calls"), ("exec", "exec")])
def test_a_run_can_end_where_its_process_does(end, what):
    """The runs that are in progress at that time are dropped. After execve(2), main() begins
    again."""
    program, *args = own_workload("scope-calls", "-m", 3, what)
    done = run("-x,", "-e", "run_cnt", "--scope",
               f"uprobe:{program}:main..tp:sched:sched_process_{end}", program, *args)
    assert done.returncode == 0, done.stderr
    counted = csv_values(re.sub(r"^pstat: .*\n", "", done.stderr, flags=re.M))
    assert counted["run_cnt"] + lost_switches(done.stderr) == 1


def test_system_calls_inside_functions_are_not_part_of_them():
    program = own_workload("scope-calls")[0]
    counted, told = count([f"uprobe:{program}:nap", "syscall:clock_nanosleep"], "-m", 20, "-s",
                          5000, "sleep", events="run_cnt,scope-time")
    assert counted["run_cnt"] + lost_switches(told) == 40
    # Each call and each sleep is counted once, so the sum is the whole time.
    assert 100 <= counted["scope-time"] < 100 + 2 * 1000


def test_all_system_calls_are_one_scope_or_have_a_row_each():
    done = run("-x,", "-e", "run_cnt", "--scope", "syscall", "--per-scope", "--hide-zero",
               *own_workload("scope-calls", "-m", 500, "getppid"))
    assert done.returncode == 0, done.stderr
    rows = {line.split(",")[0]: int(line.split(",")[1]) for line in done.stderr.splitlines()
            if ",run_cnt," in line}
    assert rows["getppid"] >= 500 and rows["execve"] >= 1 and "exit_group" not in rows


def test_execve_returns_in_the_new_program():
    counted, told = count(["syscall:execve"], "-m", 3, "exec")
    assert counted["run_cnt"] == 1 and "lost" not in told


def test_execve_ends_the_runs_of_the_old_program():
    program = own_workload("scope-calls")[0]
    counted, told = count([f"uprobe:{program}:around", "syscall:execve"], "-m", 3, "exec")
    assert counted["run_cnt"] == 1
    assert "1 lost: 1 because their process called execve(2)" in told


def test_system_calls_of_pstat_itself_do_not_count_with_p():
    counted, _ = count(["syscall:bpf,perf_event_open,ioctl,poll"], "-m", 10, "getppid")
    assert counted["run_cnt"] == 0


def test_system_calls_of_32_bit_programs_are_not_counted():
    if os.uname().machine != "x86_64":
        pytest.skip("probe: no such system calls on this machine")
    args = own_workload("scope-calls", "-m", 3, "compat")
    if subprocess.run(args, check=False).returncode:
        pytest.skip("probe: the kernel has no system calls for 32-bit programs")
    # 64 is getppid(2) of 32-bit programs, and semget(2) of others
    assert count(["syscall:semget,getppid"], "-m", 300, "compat")[0]["run_cnt"] == 0


@pytest.mark.parametrize("spec, words", [
    ("syscall:exit_group", "'exit_group' never returns"),
    ("tp:sched:sched_switch", "a tracepoint has no end"),
])
def test_points_without_an_end_are_refused(spec, words):
    done = run("--scope", spec, "true")
    assert done.returncode != 0 and words in done.stderr


def test_functions_are_counted_or_refused_with_the_reason():
    done = run("-x,", "-e", "run_cnt", "--scope", "func:vfs_read", "cat", "/proc/version")
    if done.returncode == 0:
        assert csv_values(done.stderr)["run_cnt"] >= 1
        return
    assert done.returncode == FAILED
    if "the list of the kernel's functions" not in done.stderr:
        assert "this kernel has no probes at its functions" in done.stderr
        assert "use tracepoints or system calls instead" in done.stderr


@pytest.mark.parametrize("words, what, ways", [
    (("-e", "run_cnt", "--scope"), "scopes (--scope)", True),
    (("-e", "cs:b", "--stop"), "counters in BPF (:b, --bpf-counters)", False),
    (("-e", "cs", "--start"), "counters in BPF (:b, --bpf-counters)", False),
])
def test_why_answers_for_functions_of_the_kernel(words, what, ways):
    """The answer is that of the session, not only whether BPF programs can be loaded."""
    words = *words, "func:vfs_read"
    done = run(*words, "cat", "/proc/version")
    if "the list of the kernel's functions" in done.stderr:
        return
    row, = [row for row in json.loads(run("why", "-j", *words).stdout) if row.get("what") == what]
    assert row["works"] == (done.returncode == 0)
    assert row["works"] or row["cause"] in done.stderr and row["remedy"] in done.stderr
    described = run("-v", *words, "cat", "/proc/version").stderr
    assert (ways and row["works"]) == ("functions of the kernel are probed with" in described)


@pytest.mark.parametrize("scope, kind", [
    ("syscall:getppid", "system calls"), (FUNCTIONS, "tracepoints"),
])
def test_the_cost_of_each_kind_of_probe_is_measured(scope, kind):
    done = run("-v", "-e", "scope-time", "--scope", scope, *own_workload("scope-calls"))
    found = re.search(rf"counting itself adds (\d+) ns of scope-time to a run at {kind}",
                      done.stderr)
    assert found and int(found[1]) > 0
    assert "is not subtracted" not in done.stderr


def test_a_histogram_of_system_calls_has_every_run():
    done = run("-x,", "-e", "task-clock", "--hist", "--scope", "syscall:getppid",
               *own_workload("scope-calls", "-m", 1000, "getppid"))
    rows = [line.split(",") for line in done.stderr.splitlines() if ",hist," in line]
    assert sum(int(row[0]) for row in rows) >= 1000
