# SPDX-License-Identifier: GPL-2.0-only
"""`make bench`: its smallest part, and the reports about figures that are not as they should be."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

from guest import environment

BENCH = pathlib.Path(__file__).resolve().parents[1] / "bench"
sys.path.append(str(BENCH))

import ladders
import table


def bench(*args, **more):
    return subprocess.run([BENCH / "bench", *args],
                          env=environment("x86_64", PYTHONDONTWRITEBYTECODE="1",
                                          **more), capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Returns the text and the JSON of three parts with few rows. perf is not run; the tables
    contain its recorded figures."""
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    rows = "native -a, 4 events, 1 session$|-b ID, [01] events?$|CPUs, 8 events, -A$"
    done = bench("switch", "prog", "scale", "-k", rows, "--json", file, PERF_BPF="")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, json.loads(file.read_text())


def test_the_requested_rows_are_measured_twice_and_agree(small):
    _, parts = small
    assert {part: [row["name"] for row in parts[part]["rows"]] for part in ("switch", "prog")} == {
        "switch": ["native -a, 4 events, 1 session"], "prog": ["-b ID, 0 events", "-b ID, 1 event"]}
    switch, (none, one) = parts["switch"]["rows"][0], parts["prog"]["rows"]
    assert all(row["agree"] for row in (switch, none, one))
    # A round trip has two tasks, each with two system calls and two switches.
    assert 5000 < switch["nothing"] < 30000
    assert 100 < switch["added"] < 2000
    # The figures are for a run of a program with two instructions, for the code at its beginning
    # and end, and for an event that is read at both.
    assert none["nothing"] == one["nothing"] < 200
    assert 100 < none["added"] < one["added"] < 3000


def test_the_cost_of_an_interval_is_proportional_to_its_rows(small):
    rows = small[1]["scale"]["rows"]
    assert [(row["name"], row["lines"]) for row in rows
            ] == [(f"{cpus} CPUs, 8 events, -A", 8 * cpus) for cpus in (128, 256, 512)]
    # Each fd is read by a system call, and each row is formatted.
    assert all(1000 < row["a_line"] < 100000 for row in rows)
    assert rows[2]["growth"] == pytest.approx(1, abs=0.2) and all(one["met"]
                                                                  for one in rows[2]["marks"])


def test_recorded_figures_of_perf_are_shown_with_a_mark(small):
    text, parts = small
    row = parts["prog"]["rows"][1]
    assert row["perf_recorded"] and row["ratio"] == pytest.approx(row["added"] / row["perf"])
    assert re.search(rf"^  -b ID, 1 event .* {row['perf']:.0f}\*  +{row['ratio']:.2f}", text,
                     re.M), text
    assert "* recorded, not measured now: perf 6.12" in text


def test_a_missing_part_or_perf_is_reported():
    done = bench("swich")
    assert (
        done.returncode == 2
        and "there is no part swich: switch, cgroup, prog, scope, start" in done.stderr
    )
    done = bench("switch", "-k", "no such row")
    assert done.returncode == 1 and "nothing was measured: no row matches" in done.stderr
    done = bench("switch", PERF_BPF="/bin/true")
    assert done.returncode == 1 and "PERF_BPF=/bin/true" in done.stderr


def figures(*added):
    return ladders.figures([ladders.Found({0: 10000, 1: 10000 + one}) for one in added], 1)


def test_repeats_that_differ_by_more_than_a_hundredth_do_not_agree():
    assert figures(5000, 5049)["agree"]
    assert not figures(5000, 5060)["agree"]
    assert figures(50, 70)["agree"]  # The difference is two thousandths of the whole.
    assert not figures(50, 75)["agree"]


def test_a_session_that_counted_nothing_gives_no_figure():
    found = [
        ladders.Found({0: 100, 1: 100}, "session 1 has not counted: <not supported>"),
        ladders.Found({0: 100, 1: 200})
    ]
    assert ladders.figures(found, 1) == {"why": "session 1 has not counted: <not supported>"}


def test_a_row_without_figures_has_the_number_of_a_footnote():
    rows = [{"name": name, "why": why}
            for name, why in (("a", "no fentry"), ("b", "no map"), ("c", "no fentry"))]
    lines = table.show(
        table.Table("part", "title", [("added", "added", table.count)], rows, ["a note"]))
    assert [line.split() for line in lines[3:6]] == [["a", "-", "(1)"], ["b", "-", "(2)"],
                                                     ["c", "-", "(1)"]]
    assert lines[6:] == ["", "  (1) no fentry", "  (2) no map", "  a note", ""]


@pytest.mark.parametrize("value, met, word", [(3500, True, "met"), (3501, False, "NOT MET"),
                                              (None, None, "not measured")])
def test_a_limit_is_met_or_not_or_not_measured(value, met, word):
    row = {"name": "row", "added": value, "marks": [table.mark(3500, value, "<= 3500")]}
    shown = table.Table("part", "title", [("added", "added", table.count)], [row])
    assert table.show(shown)[3].endswith(f"<= 3500 {word}")
    assert table.verdict([shown]) == ([
        f"marks: {int(met is True)} met, {int(met is False)} not met, "
        f"{int(met is None)} not measured"
    ], met is not False)


@pytest.mark.parametrize("five, met", [(109, True), (111, False), (None, None)])
def test_a_limit_may_be_a_share_of_what_another_row_adds(five, met):
    rows = [{"name": "one", "added": 100}, {"name": "five", "added": five},
            {"name": "ten", "added": 100}]
    ladders.add_marks(rows, {"one": 99}, {"ten": ("five", 10)}, {"five": ("one", 1.1)})
    assert [[one["met"] for one in row["marks"]]
            for row in rows] == [[False], [met], [None if five is None else True]]
    assert rows[1]["marks"][0]["text"] == "<= 1.1 x one"
