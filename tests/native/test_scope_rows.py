# SPDX-License-Identifier: GPL-2.0-only
"""--per-scope on this machine's own kernel: rows, histograms, and points in several scopes."""

import json
import re
import shutil

import pytest

from native import CONFLICT, FAILED, PSTAT, own_workload, run, workload

CALLS = own_workload("scope-calls")[0]
MANY = workload("scope-many")[0]


def of(*names, program=CALLS):
    return [word for name in names for word in ("--scope", f"uprobe:{program}:{name}")]


def told_and_rows(done):
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    return ([line for line in lines if line.startswith("pstat: ")],
            [line.split(",") for line in lines if not line.startswith("pstat: ")])


def count(*args):
    """Returns the messages, and the fields of each row of a count of nested calls."""
    return told_and_rows(run("-x,", "--per-scope", *args,
                             *own_workload("scope-calls", "-m", 100, "nested")))


@pytest.mark.parametrize("options, expected", [
    ([], [["work", "200"], ["nap", "0"], ["outer", "100"]]),
    (["--hide-zero"], [["work", "200"], ["outer", "100"]]),
    (["--top", "1"], [["work", "200"]]),
    (["--top", "2", "--hide-zero"], [["work", "200"], ["outer", "100"]]),
])
def test_each_scope_has_rows(options, expected):
    told, rows = count("-e", "run_cnt,task-clock", *options, *of("work", "nap", "outer"))
    runs = [[row[0].removeprefix("scope-calls:"), row[1]] for row in rows if row[3] == "run_cnt"]
    # Kernels that hide context switches can lose a run.
    assert runs == expected or any("did not report a context switch" in line for line in told)
    clocks = [row[0].removeprefix("scope-calls:") for row in rows if row[3] == "task-clock"]
    names = [name for name, _ in expected]
    # After the cost of counting was subtracted, no time may be left. Next to other sessions, the
    # cost is measured less exactly.
    shown = [name for name in names if "--hide-zero" not in options or name in clocks]
    assert clocks == shown


@pytest.mark.parametrize("events", ["major-faults,run_cnt", "duration_time,run_cnt"])
def test_top_without_zeros_chooses_a_scope_that_ran(events):
    """The first event has the same count for all scopes."""
    _, rows = count("-e", events, "--top", "1", "--hide-zero", *of("nap", "work"))
    assert {row[0] for row in rows} == {"scope-calls:work"}


def test_a_pattern_has_a_row_for_each_function_even_for_thousands():
    done = run("-x,", "--per-scope", "-e", "run_cnt", *of("many*", program=MANY), MANY)
    _, rows = told_and_rows(done)
    assert len(rows) == 3000
    called = {row[0]: int(row[1]) for row in rows if row[1] != "0"}
    assert called == {"scope-many:many0": 3, "scope-many:many2999": 5}


def test_the_header_and_json_contain_the_scope():
    _, rows = count("--csv-header", "-e", "run_cnt", *of("work"))
    assert rows[0][:2] == ["scope", "counter-value"] and len(rows[0]) == len(rows[1])
    done = run("-j", "--per-scope", "-e", "run_cnt", *of("work", "outer"),
               *own_workload("scope-calls"))
    objects = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert [one["scope"] for one in objects] == ["scope-calls:work", "scope-calls:outer"]


@pytest.fixture(name="elsewhere")
def _elsewhere(tmp_path):
    """A program with the same name in another directory."""
    return shutil.copy(CALLS, tmp_path / "scope-calls")


def test_scopes_with_the_same_name_can_be_told_apart(elsewhere):
    scopes = [*of("work"), *of("work", program=elsewhere), *of("outer", "outer")]
    told, rows = count("-e", "run_cnt", *scopes)
    assert "scope-calls:outer#4 shares a point with scope-calls:outer#3" in "".join(told)
    assert [row[:2] for row in rows] == [
        [f"uprobe:{CALLS}:work", "200"], [f"uprobe:{elsewhere}:work", "0"],
        ["scope-calls:outer#3", "100"], ["scope-calls:outer#4", "0"]]


def test_the_exporter_has_a_series_for_each_of_two_scopes_with_the_same_name(elsewhere):
    scopes = [*of("work"), *of("work", program=elsewhere)]
    done = run("export", "--once", "-e", "run_cnt", *scopes,
               *own_workload("scope-calls", "-m", 100, "nested"))
    assert done.returncode == 0, done.stderr
    runs = re.findall(r'^pstat_scope_run_cnt_total\{scope="uprobe:([^"]*):work"\} (\d+)$',
                      done.stdout, re.M)
    assert runs == [(CALLS, "200"), (str(elsewhere), "0")], done.stdout


def test_intervals_have_a_column_for_the_scope():
    done = run("--per-scope", "-I", "50", "-e", "run_cnt", *of("work", "outer"),
               *own_workload("scope-calls", "-m", 5, "nested"))
    lines = [line for line in done.stderr.splitlines() if not line.startswith("pstat: ")]
    heading, *rows = [line for line in lines if line]
    column = heading.index("scope")
    assert rows[0][column:].split()[0] == "scope-calls:work"
    assert rows[1][column:].split()[0] == "scope-calls:outer"


def test_metrics_have_a_line_for_each_scope():
    done = run("-x,", "--per-scope", "--metric-only", "-e", "run_cnt,scope-time",
               *of("work", "outer"), *own_workload("scope-calls", "-m", 5, "nested"))
    lines = [line for line in done.stderr.splitlines() if not line.startswith("pstat: ")]
    assert [line.split(",")[0] for line in lines if "scope-calls" in line] == [
        "scope-calls:work", "scope-calls:outer"]


def test_each_scope_has_a_histogram():
    told, rows = count("-e", "task-clock", "--hist", "--hide-zero", *of("work", "nap", "outer"))
    runs = {}
    for row in rows:
        if "hist" in row:
            runs[row[0]] = runs.get(row[0], 0) + int(row[1])
    assert runs == {"scope-calls:work": 200, "scope-calls:outer": 100} or told
    done = run("--per-scope", "--hist", "--hide-zero", "-e", "task-clock", *of("work", "nap"),
               *own_workload("scope-calls"))
    assert "per run of scope-calls:work, of 1 runs:" in done.stderr
    assert "of scope-calls:nap" not in done.stderr


def test_repetitions_have_means_for_each_scope():
    done = run("-x,", "-r", "2", "--per-scope", "-e", "run_cnt", *of("work", "outer"),
               *own_workload("scope-calls", "-m", 10, "nested"))
    _, rows = told_and_rows(done)
    assert [row[:2] for row in rows] == [["scope-calls:work", "20"], ["scope-calls:outer", "10"]]


@pytest.mark.parametrize("scopes, words", [
    (["work", "outer", "w*"], "2 points are in several scopes, and pstat counts only the first of "
     "these scopes there: uprobe:CALLS:w* shares a point with uprobe:CALLS:work"),
    (["work", "work..uprobe:CALLS:outer"], "1 point is in several scopes"),
    (["work", "outer"], ""),
])
def test_a_point_in_two_scopes_is_reported(scopes, words):
    scopes = [scope.replace("CALLS", CALLS) for scope in scopes]
    words = words.replace("CALLS", CALLS)
    told, _ = count("-e", "run_cnt", *of(*scopes))
    assert bool(told) == bool(words) or "context switch" in told[0]
    assert words in "".join(told)


def test_a_count_that_needs_too_much_memory_is_refused(machine_of):
    done = machine_of("server").run([PSTAT, "--per-scope", "--hist", "-e", "task-clock",
                                     *of("many*", program=MANY), "true"])
    assert done.returncode == FAILED
    assert "--per-scope: the totals of 3000 scopes on 128 CPUs need 1" in done.stderr
    assert "write a narrower glob, or omit --hist" in done.stderr


def test_rows_of_scopes_need_scopes():
    done = run("--per-scope", "-e", "cs", "true")
    assert done.returncode == CONFLICT and "give --scope too" in done.stderr
