# SPDX-License-Identifier: GPL-2.0-only
"""--outliers and --inclusive with --scope, on this machine's own kernel."""

import json
import re
import subprocess

import pytest

from controlled import Controlled
from native import CONFLICT, PATIENCE, USAGE, csv_values, own_workload, run, start

CALLS = own_workload("scope-calls")[0]
# The instructions of a call that takes longer than the error of the calibration.
LONG = 200000


def of(*names):
    return [word for name in names for word in ("--scope", f"uprobe:{CALLS}:{name}")]


def objects(done):
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]


def lost(done):
    """Returns the number of runs that were lost because the kernel hid context switches."""
    found = re.search(r"(\d+) because the kernel did not report", done.stderr)
    return int(found[1]) if found else 0


# ---- --outliers ----

def test_runs_above_a_threshold_are_printed_with_their_scope_thread_begin_and_end():
    args = own_workload("scope-calls", "-m", 5, "-s", 20000, "sleep")
    done = run("-j", "-e", "task-clock", "--outliers", "20ms,time", *of("nap", "work"), *args)
    rows = [row for row in objects(done) if "outlier" in row]
    assert len(rows) == 5 - lost(done)
    for row in rows:
        assert row["outlier"] == "time" and row["scope"] == "scope-calls:nap"
        assert row["comm"] == "scope-calls" and row["tid"] == row["pid"] > 0
        counts = {count["event"]: int(count["value"]) for count in row["counts"]}
        assert counts["time"] >= 20e6 > counts["task-clock"]
        # The cost of counting is subtracted from the duration.
        assert 0 <= 1e9 * (row["time"] - row["begin"]) - counts["time"] < 1e6
    assert all(one["time"] <= other["begin"] for one, other in zip(rows, rows[1:]))
    foot = objects(done)[-1]
    assert foot["all"] == foot["streamed"] == len(rows)


def test_the_printed_thread_is_that_of_the_run():
    done = run("-x,", "-e", "task-clock", "--outliers", "0", *of("work"),
               *own_workload("scope-calls", "-m", 3, "-k", LONG, "threads"))
    rows = [line.split(",") for line in done.stderr.splitlines() if line.startswith("outlier,")]
    assert len(rows) == 60 - lost(done)
    pids, tids = {row[3] for row in rows}, {row[6] for row in rows}
    assert len(pids) == 1 and len(tids) == 20 and not pids & tids
    assert {row[7] for row in rows} == {"scope-calls:work"}


def test_text_output_has_a_heading():
    done = run("-e", "task-clock", "--outliers", "0", *of("work"),
               *own_workload("scope-calls", "-k", LONG))
    heading, row = [line for line in done.stderr.splitlines() if not line.startswith("pstat: ")][:2]
    assert heading.split() == ["#", "end", "begin", "cpu", "tid", "comm", "scope", "counts", "of",
                               "the", "run"]
    assert row[heading.index("scope"):].startswith("scope-calls:work ")
    assert "outliers by task-clock: 1 streamed, 0 suppressed" in done.stderr


def test_a_cpu_without_branch_records_is_reported_once():
    done = run("-j", "-r", "3", "-e", "run_cnt", "--outliers", "0,time", "--branches", *of("work"),
               *own_workload("scope-calls", "-m", 2, "-k", 98))
    rows = [row for row in objects(done) if "outlier" in row]
    assert len(rows) == 6 - lost(done)
    has_branches = any("branches" in row for row in rows)
    assert done.stderr.count("this CPU has no branch records") == (not has_branches), done.stderr


def test_runs_above_the_rate_limit_are_suppressed():
    done = run("-j", "-e", "task-clock", "--outliers", "0", "--outlier-rate", "3", *of("work"),
               *own_workload("scope-calls", "-m", 500, "-k", LONG))
    rows = objects(done)
    foot = rows[-1]
    assert foot["all"] == 500 - lost(done) - foot["lost"]
    assert foot["streamed"] == sum("outlier" in row for row in rows) >= 3
    assert foot["suppressed"] >= 400


@pytest.mark.parametrize("options", [[], ["--per-scope"]])
def test_a_percentile_adapts_to_the_runs(options):
    """After many runs of equal length, twenty runs take ten times as long."""
    equal = " ".join(own_workload("scope-calls", "-m", 600, "-s", 1000, "sleep"))
    longer = " ".join(own_workload("scope-calls", "-m", 20, "-s", 10000, "sleep"))
    done = run("-j", "-e", "run_cnt,scope-time", "--outliers", "p90,time", *options,
               *of("nap"), "sh", "-c", f"{equal} && {longer}")
    rows = [row for row in objects(done) if "outlier" in row]
    foot = objects(done)[-1]
    assert 20 - lost(done) <= len(rows) == foot["streamed"] < 300
    assert all(row["scope"] == "scope-calls:nap" for row in rows)


def test_runs_are_printed_while_pstat_counts():
    waiting = own_workload("scope-calls", "-w", "-m", 1, "-k", LONG)
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as traced, \
            start("-x,", "-I", "100", "-e", "task-clock", "--outliers", "0", *of("work"),
                  "-p", traced.pid) as pstat:
        first = pstat.stderr.readline()  # printed when the count begins
        traced.stdin.write(b"\n")
        traced.stdin.flush()
        line = first
        while not line.startswith("outlier,"):
            line = pstat.stderr.readline()
            assert line
        traced.communicate()
        pstat.communicate(timeout=PATIENCE)
    assert f",{traced.pid}," in line


@pytest.mark.parametrize("options, status, words", [
    (["--outliers", "5us,cs"], USAGE, "cs does not count time"),
    (["--outliers", "p99,time", "--hist=task-clock"], CONFLICT, "name the same event in both"),
    (["--outliers", "1", "--packet", "10"], CONFLICT, "only BPF programs have packets"),
    (["--outliers", "1,faults"], USAGE, "'faults' is not counted"),
])
def test_combinations_without_a_meaning_are_refused(options, status, words):
    done = run("-e", "cs,task-clock", *options, *of("work"), "true")
    assert done.returncode == status and words in done.stderr


# ---- --inclusive ----

@pytest.mark.parametrize("options, names, what, runs", [
    ([], ["work", "outer"], "nested", {"": 300}),
    (["--inclusive"], ["work", "outer"], "nested", {"": 100}),
    (["--inclusive", "--per-scope"], ["work", "outer"], "nested", {"work": 200, "outer": 100}),
    (["--inclusive"], ["work"], "nested", {"": 200}),
    ([], ["recurse"], "recursive", {"": 600}),
    (["--inclusive"], ["recurse"], "recursive", {"": 100}),
    (["--inclusive", "--per-scope"], ["recurse", "work"], "recursive",
     {"recurse": 100, "work": 600}),
])
def test_only_outermost_runs_of_a_row_count(options, names, what, runs):
    done = run("-x,", "-e", "run_cnt", *options, *of(*names),
               *own_workload("scope-calls", "-m", 100, what))
    rows = [line.split(",") for line in done.stderr.splitlines() if ",run_cnt," in line]
    counted = {row[0].removeprefix("scope-calls:") if len(row) > 7 else "":
               int(row[-7]) for row in rows}
    assert counted == runs or lost(done), done.stderr


def test_an_inclusive_run_contains_the_runs_inside_it():
    times = {}
    for options in ([], ["--inclusive"]):
        done = run("-x,", "--per-scope", "-e", "scope-time", *options, *of("nap", "work"),
                   *own_workload("scope-calls", "-m", 20, "-k", 1000000, "-s", 10, "sleep"))
        rows = [line.split(",") for line in done.stderr.splitlines() if ",scope-time," in line]
        times[bool(options)] = {row[0].split(":")[1]: float(row[1]) for row in rows}
    # work() takes at least a tenth of a millisecond, and is called 20 times.
    assert times[True]["nap"] > times[True]["work"] > 2
    assert times[False]["work"] > 2


def test_a_run_that_is_left_inside_an_inclusive_one_is_not_lost():
    done = run("-x,", "-e", "run_cnt", "--inclusive", *of("main", "leave", "work"),
               *own_workload("scope-calls", "-m", 10, "jump"))
    assert csv_values("\n".join(line for line in done.stderr.splitlines()
                                if not line.startswith("pstat: ")))["run_cnt"] == 1
    assert "lost" not in done.stderr or lost(done)


@pytest.mark.parametrize("options", [[], ["--inclusive"]])
def test_only_an_inclusive_run_contains_what_overlaps_it(options):
    program = own_workload("scope-calls", "-m", 5, "-s", 4000, "overlap")
    # work() begins the second run before the first one sleeps.
    first, second = (f"uprobe:{program[0]}:{points}" for points in (
        f"nap..uprobe:{program[0]}:end_first", f"work..uprobe:{program[0]}:end_second"))
    done = run("-x,", "--per-scope", "-e", "run_cnt,scope-time", *options, "--scope", first,
               "--scope", second, *program)
    rows = [line.split(",") for line in done.stderr.splitlines() if line.count(",") > 5]
    runs = [int(row[1]) for row in rows if row[3] == "run_cnt"]
    times = [float(row[1]) for row in rows if row[3] == "scope-time"]
    assert runs == [5, 5] or lost(done), done.stderr
    assert times[1] >= 4 * runs[1]
    assert times[0] >= 4 * runs[0] if options else times[0] < times[1] / 2


# ---- options that work with all runs ----

def test_a_delay_and_a_timeout_limit_the_count():
    args = own_workload("scope-calls", "-m", 100000, "-s", 1000, "sleep")
    with subprocess.Popen(args) as traced:
        done = run("-x,", "-D", "50", "--timeout", "300", "-e", "run_cnt,duration_time",
                   *of("nap"), "-p", traced.pid)
        traced.kill()
    rows = csv_values("\n".join(line for line in done.stderr.splitlines()
                                if not line.startswith(("pstat: ", "Events "))))
    assert 0 < rows["run_cnt"] < 1000


def test_control_commands_choose_the_runs_that_count():
    waiting = [own_workload("scope-calls", "-w", "-m", runs) for runs in (30, 20, 7)]
    tasks = [subprocess.Popen(args, stdin=subprocess.PIPE) for args in waiting]
    pids = ",".join(str(task.pid) for task in tasks)
    with Controlled("-D", "-1", "-x,", "-e", "run_cnt", *of("work"), "-p", pids) as pstat:
        pstat.ask("ping")
        tasks[0].communicate(b"\n")
        pstat.ask("enable")
        tasks[1].communicate(b"\n")
        pstat.ask("disable")
        tasks[2].communicate(b"\n")
        told = pstat.process.communicate(timeout=PATIENCE)[1]
    rows = [line.split(",") for line in told.splitlines() if ",run_cnt," in line]
    assert [int(row[0]) for row in rows] == [20]
