# SPDX-License-Identifier: GPL-2.0-only
"""--scope with -C and --per-thread, on this machine's own kernel."""

import json
import os
import re
import subprocess

import pytest

from native import CONFLICT, PATIENCE, own_workload, run, start

CALLS = own_workload("scope-calls")[0]
CPUS = sorted(os.sched_getaffinity(0))
needs_two = pytest.mark.skipif(len(CPUS) < 2, reason="probe: this process may use only one CPU")


def scopes(*names):
    return [word for name in names for word in ("--scope", f"uprobe:{CALLS}:{name}")]


def lost(text, cause):
    found = re.search(rf"(\d+) because {cause}", text)
    return int(found[1]) if found else 0


def unseen(text):
    """Returns the number of runs that were lost because some kernels in virtual machines do not
    report every context switch."""
    return lost(text, "the kernel did not report a context switch")


def runs(done):
    """Returns the sum of run_cnt over all rows."""
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in done.stderr.splitlines() if ",run_cnt," in line]
    return sum(int(row[row.index("run_cnt") - 2]) for row in rows)


@needs_two
def test_only_runs_on_the_cpus_of_the_option_count():
    for cpu, expected in ((CPUS[0], 300), (CPUS[1], 0)):
        done = run("-x,", "-C", cpu, "-e", "run_cnt,task-clock", *scopes("work"), "taskset", "-c",
                   CPUS[0], *own_workload("scope-calls", "-m", 300))
        assert runs(done) + unseen(done.stderr) == expected and "move" not in done.stderr


@needs_two
def test_a_run_that_leaves_the_cpus_of_the_option_is_lost():
    """Every second call to around() begins on the first CPU, and each call moves to the other CPU.
    Every second call to work() is on the first CPU."""
    done = run("-x,", "-C", CPUS[0], "-e", "run_cnt,task-clock", *scopes("around", "work"),
               "taskset", "-c", f"{CPUS[0]},{CPUS[1]}",
               *own_workload("scope-calls", "-m", 200, "move"))
    moved = lost(done.stderr, "their thread moved to a CPU that -C does not name")
    assert abs(runs(done) - 100) <= unseen(done.stderr)
    assert abs(moved - 100) <= unseen(done.stderr)
    done = run("-x,", "-e", "run_cnt", *scopes("around", "work"),
               *own_workload("scope-calls", "-m", 200, "move"))
    assert runs(done) + unseen(done.stderr) == 400


def test_the_cost_of_counting_is_measured_on_the_cpus_of_the_option():
    done = run("-v", "-C", CPUS[-1], "-e", "task-clock", *scopes("work"), "taskset", "-c", CPUS[-1],
               *own_workload("scope-calls"))
    assert re.search(r"counting itself adds [1-9]\d+ ns of task-clock to a run", done.stderr)


def test_each_thread_has_the_runs_that_it_began():
    """20 threads of one process begin after pstat, and are not counted. The main thread of another
    process is counted, and so is a third process, which has no runs."""
    words = (["-m", 30, "threads"], ["-m", 70], ["-m", 0])
    waiting = [subprocess.Popen(own_workload("scope-calls", "-w", *some), stdin=subprocess.PIPE)
               for some in words]
    pids = ",".join(str(one.pid) for one in waiting)
    with start("-j", "-I", 50, "--summary", "--per-thread", "-e", "run_cnt,task-clock",
               *scopes("work", "nap"), "-p", pids) as pstat:
        first = pstat.stderr.readline()
        for one in waiting:
            one.communicate(b"\n", timeout=PATIENCE)
        told = first + pstat.communicate(timeout=PATIENCE)[1]
    rows = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    counted = {row["thread"]: int(float(row["counter-value"])) for row in rows
               if "interval" not in row and row["event"] == "run_cnt"}
    assert unseen(told) or counted == {
        f"scope-calls-{one.pid}": count for one, count in zip(waiting, (0, 70, 0))}


def test_all_threads_of_the_system_are_counted(tmp_path):
    """Threads without a count have no row."""
    os.mkfifo(tmp_path / "go")
    fifo = os.open(tmp_path / "go", os.O_RDWR)
    with subprocess.Popen(own_workload("scope-calls", "-w", "-m", 40), stdin=fifo) as waiting:
        ended = f"grep -q 'State:.Z' /proc/{waiting.pid}/status"
        done = run("-x,", "-a", "--per-thread", "-e", "run_cnt,task-clock", *scopes("work"), "sh",
                   "-c", f"echo >{tmp_path}/go; until {ended}; do sleep 0.01; done")
    os.close(fifo)
    rows = [line.split(",")[:2] for line in done.stderr.splitlines() if ",run_cnt," in line]
    assert unseen(done.stderr) or rows == [[f"scope-calls-{waiting.pid}", "40"]], done.stderr


def test_per_thread_needs_threads():
    done = run("--per-thread", "-e", "run_cnt", *scopes("work"), "true")
    assert done.returncode == CONFLICT
    assert done.stderr.startswith("pstat: --per-thread and COMMAND by itself cannot be combined")
