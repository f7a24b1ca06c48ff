# SPDX-License-Identifier: GPL-2.0-only
"""--scope on this machine's own kernel: the number of runs, lost runs, and what stays attached."""

import json
import os
import re
import signal
import subprocess

import pytest

from native import (
    PATIENCE,
    USAGE,
    bpftool,
    csv_values,
    interval_rows,
    modes,
    own_workload,
    run,
    start,
    wait_for,
    workload,
)

CALLS = own_workload("scope-calls")[0]
EVENTS = "run_cnt,scope-time,task-clock,cs"


def scopes(*names):
    """Returns the options for scopes of functions of the workload."""
    return [word for name in names for word in ("--scope", f"uprobe:{CALLS}:{name}")]


def unseen(text):
    """Returns the number of runs that were lost because of this kernel. Linux 6.18 in a Firecracker
    virtual machine does not report every context switch; other kernels do."""
    found = re.search(r"(\d+) because the kernel did not report a context switch", text)
    return int(found[1]) if found else 0


def count(names, *args, events=EVENTS):
    """Returns the counts by event, and the messages."""
    done = run("-x,", "-e", events, *scopes(*names), *own_workload("scope-calls", *args))
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("pstat: ")]
    rows = [line for line in done.stderr.splitlines() if line not in told]
    return csv_values("\n".join(rows)), told


@pytest.mark.parametrize("names, args, runs", [
    (["work"], ["-m", 1000], 1000),
    (["work"], ["-m", 100, "threads"], 2000),
    (["work", "outer"], ["-m", 100, "nested"], 300),
    (["recurse"], ["-m", 100, "recursive"], 600),
    (["around", "work"], ["-m", 20, "forks"], 60),
    (["nap", "work"], ["-m", 50, "-s", 100, "sleep"], 100),
    (["wor?"], ["-m", 10], 10),
    (["around", "work", "on_signal"], ["-m", 20, "signal"], 60),
    (["around"], ["-m", 20, "vfork"], 20),
    (["dive"], ["-m", 64, "deep"], 64),
    (["work", "w*"], ["-m", 10], 10),  # A function that is named twice is counted once.
])
def test_each_call_is_a_run_and_none_is_lost(names, args, runs):
    rows, told = count(names, *args)
    lost = unseen("".join(told))
    assert rows["run_cnt"] + lost == runs
    assert not told or f"{lost} lost: {lost} because the kernel did not" in told[0]


@pytest.mark.parametrize("names, args, runs, lost", [
    (["leave", "work"], ["-m", 10, "jump"], 10,
     "10 lost: 1 because their thread exited; 9 because their function was left without a return"),
    (["around", "work"], ["-m", 10, "exec"], 10,
     "1 lost: 1 because their process called execve(2)"),
    (["around"], ["-m", 10, "exit"], 0, "10 lost: 10 because their thread exited"),
    (["dive"], ["-m", 70, "deep"], 64, "6 lost: 6 because their thread had too many runs"),
])
def test_runs_without_an_end_are_lost_and_reported(names, args, runs, lost):
    rows, told = count(names, *args, events="run_cnt")
    assert rows["run_cnt"] == runs
    assert len(told) == 1 and f"{runs} runs counted, {lost}" in told[0]


def test_waiting_is_in_the_wall_time_but_not_in_the_time_on_cpus():
    rows, _ = count(["nap"], "-m", 20, "-s", 5000, "sleep")
    assert rows["scope-time"] >= 5 * rows["run_cnt"]  # in ms
    assert rows["task-clock"] < rows["scope-time"] / 2
    assert rows["cs"] >= rows["run_cnt"] >= 15


def test_a_run_inside_a_lost_run_is_not_counted_for_the_run_around():
    """around() calls quit(), which calls nap() and is left by longjmp(3). Only nap() waits."""
    done = run("-x,", "-e", "run_cnt,cs", "--per-scope", *scopes("around", "quit", "nap"),
               *own_workload("scope-calls", "-m", 40, "-s", 500, "lost"))
    rows = [line.split(",") for line in done.stderr.splitlines() if ",cs," in line]
    waits = {row[0].removeprefix("scope-calls:"): row[1] for row in rows}
    assert "40 because their function was left" in done.stderr and waits["quit"].startswith("<")
    assert int(waits["nap"]) >= 20 > int(waits["around"])


def test_functions_that_switch_stacks_are_counted_at_their_return_instructions():
    """A return probe of the kernel would make turn() return to the other coroutine."""
    done = run("-x,", "--per-scope", "-e", "run_cnt", "--scope",
               f"uprobe:{CALLS}:turn..turn%returns", *scopes("work"),
               *own_workload("scope-calls", "-m", 100, "coroutines"))
    rows = [line.split(",") for line in done.stderr.splitlines() if ",run_cnt," in line]
    assert [int(row[1]) for row in rows] == [200, 200], done.stderr


def test_two_points_begin_and_end_runs():
    spec = f"uprobe:{CALLS}:outer..uprobe:{CALLS}:work"
    done = run("-x,", "-e", "run_cnt", "--scope", spec,
               *own_workload("scope-calls", "-m", 7, "nested"))
    assert done.stderr.splitlines()[-1].startswith("7,,run_cnt,")
    # outer() calls work() twice. Only the first call ends a run.
    assert "7 runs counted, 7 lost: 7 because their beginning was not seen" in done.stderr


@pytest.mark.parametrize("place", ["nap", "nap%return", "nap%returns"])
def test_each_pass_of_a_point_ends_one_run_and_begins_the_next(place):
    """The thread sleeps between two passes of the point."""
    done = run("-x,", "-e", "run_cnt,scope-time", "--scope", f"uprobe:{CALLS}:{place}..{place}",
               *own_workload("scope-calls", "-m", 21, "-s", 5000, "sleep"))
    told, *rows = done.stderr.splitlines()
    counts = csv_values("\n".join(rows))
    assert counts["run_cnt"] + unseen(told) == 20
    assert counts["scope-time"] > counts["run_cnt"] * 5 > 0
    assert "1 because their thread exited" in told


def test_usdt_points_with_semaphores_begin_and_end_runs():
    program = workload("scope-usdt", 50, 100)
    done = run("-x,", "-e", "run_cnt", "--scope", f"usdt:{program[0]}:begin..end", *program)
    assert csv_values(done.stderr)["run_cnt"] == 50
    assert done.stdout == "50\n"  # the number of requests in which the semaphores were raised


def test_only_the_processes_of_p_count():
    waiting = own_workload("scope-calls", "-w", "-m", 30)
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as one, \
            subprocess.Popen(waiting, stdin=subprocess.PIPE) as two, \
            start("-x,", "-I", 20, "-e", "run_cnt", *scopes("work"), "-p", one.pid) as pstat:
        first = pstat.stderr.readline()  # printed when the count begins
        two.communicate(b"\n")
        one.communicate(b"\n")
        told = first + pstat.communicate(timeout=PATIENCE)[1]
    assert sum(value for _, _, value in interval_rows(told)) == 30


@pytest.mark.parametrize("events, hist", [
    ("task-clock", "--hist"),
    ("scope-time", "--hist"),
    ("task-clock,scope-time", "--hist=scope-time"),
])
def test_a_histogram_has_every_run(events, hist):
    done = run("-j", "-e", events, hist, *scopes("work"), *own_workload("scope-calls", "-m", 500))
    rows = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    buckets = [row for row in rows if "hist" in str(row)]
    assert sum(int(row["runs"]) for row in buckets if "runs" in row) == 500


def test_scope_time_is_also_shown_per_run():
    done = run("-x,", "-e", "run_cnt,scope-time", *scopes("nap"),
               *own_workload("scope-calls", "-m", 20, "-s", 1000, "sleep"))
    fields = {line.split(",")[2]: line.split(",") for line in done.stderr.splitlines()
              if line.count(",") > 4}
    runs, time = int(fields["run_cnt"][0]), fields["scope-time"]
    assert time[1] == "msec" and time[6] == "usec per run" and float(time[5]) > 1000
    assert float(time[5]) == pytest.approx(1000 * float(time[0]) / runs, abs=6 * 1000 / 1000)


def test_intervals_add_up():
    done = run("-x,", "-I", "50", "-e", "run_cnt", *scopes("nap"),
               *own_workload("scope-calls", "-m", 100, "-s", 1000, "sleep"))
    values = [value for _, _, value in interval_rows(done.stderr)]
    assert sum(values) + unseen(done.stderr) == 100 and len(values) > 1


def test_rows_of_cpus_add_up():
    done = run("-x,", "-A", "-e", "run_cnt", *scopes("work"),
               *own_workload("scope-calls", "-m", 50, "threads"))
    rows = [line.split(",") for line in done.stderr.splitlines() if not line.startswith("pstat: ")]
    assert rows and all(row[0].startswith("CPU") for row in rows)
    assert sum(int(row[1]) for row in rows if len(row) > 1) + unseen(done.stderr) == 1000


def attached_programs():
    """Returns the ids of pstat's programs for scopes. A program exists as long as it is
    attached."""
    return {item["id"] for item in bpftool("prog", "show")
            if item.get("name", "").startswith(("pstat_begin", "pstat_end", "pstat_on_"))}


def test_a_killed_pstat_leaves_nothing_attached():
    before = attached_programs()
    args = own_workload("scope-calls", "-m", 300, "-s", 2000, "sleep")
    with subprocess.Popen(args) as traced:
        with start("-e", "run_cnt", *scopes("nap", "work"), "-p", traced.pid) as pstat:
            wait_for("programs", lambda: len(attached_programs() - before) == 5)
            pstat.send_signal(signal.SIGKILL)
            pstat.wait()
        assert traced.wait() == 0
    wait_for("all is detached", lambda: not attached_programs() - before)


@pytest.mark.parametrize("options, words", [
    ((), r"--scope: counting itself adds \d+ ns of task-clock to a run"),
    (("--no-calibrate",), ""),
])
def test_v_prints_the_cost_of_counting(options, words):
    done = run("-v", "-e", "task-clock", *options, *scopes("work"), *own_workload("scope-calls"))
    assert bool(re.search(r"counting itself adds", done.stderr)) == bool(words)
    assert re.search(words, done.stderr)


def test_version_prints_how_points_are_attached():
    """Linux 6.6 and later attach many points of a file with one system call."""
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    how = r"\(uprobe_multi: " if release >= (6, 6) else r"\(no uprobe_multi: "
    assert re.match(f"yes {how}", modes()["--scope"])


def test_a_function_that_is_not_in_the_file_is_refused():
    done = run("--scope", f"uprobe:{CALLS}:wrok", "true")
    assert done.returncode != 0
    assert done.stderr.startswith("pstat: --scope ") and "work" in done.stderr


def test_scope_time_needs_scopes():
    done = run("-e", "scope-time", "true")
    assert done.returncode == USAGE and "it needs --scope" in done.stderr
