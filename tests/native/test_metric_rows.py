# SPDX-License-Identifier: GPL-2.0-only
"""Which rows show the metrics of -M, on an imitated machine with several PMUs of one kind."""

import json
import sys

import pytest

from native import PSTAT, TOP

sys.path.insert(0, str(TOP / "tests/imitated"))
import imitated  # noqa: E402 pylint: disable=wrong-import-position

METRICS = [
    {"MetricName": "both", "MetricExpr":
        "uncore_imc@cas_count_read@ * 2 + uncore_imc@cas_count_write@"},
    {"MetricName": "per_sec", "MetricExpr": "uncore_imc@cas_count_read@ / duration_time"},
    {"MetricName": "ratio", "MetricExpr": "instructions / cycles"},
]


@pytest.fixture(scope="module", name="icelake")
def icelake_machine():
    why_not = imitated.why_not()
    if why_not:
        pytest.skip(f"probe: unshare --mount true: {why_not}")
    with imitated.Imitation("icelake") as machine:
        yield machine


@pytest.fixture(name="rows")
def rows_of(icelake, tmp_path):
    path = tmp_path / "metrics.json"
    path.write_text(json.dumps(METRICS), encoding="utf-8")

    def run(*arguments):
        done = icelake.run([PSTAT, f"--metrics-file={path}", "-a", "-x,", *arguments, "true"])
        assert done.returncode == 0, done.stderr
        return [line.split(",") for line in done.stderr.splitlines()]

    return run


SCALE = 6.103515625e-5  # the counts of cas_count_read and cas_count_write


def place_of(row):
    """Returns (CPU, PMU) of a row with -A."""
    return row[0], row[3].split("/")[0]


def raw_counts(rows, event):
    """Returns {(CPU, PMU): unscaled count} of an event with -A."""
    return {place_of(row): float(row[1]) / SCALE for row in rows if f"/{event}/" in row[3]}


@pytest.mark.parametrize("mode", [["-A"], ["--no-merge"]])
def test_each_uncore_pmu_shows_the_metric_of_its_own_counts(rows, mode):
    shown = rows(*mode, "-M", "both")
    values = {place_of(row): float(row[6]) for row in shown if row[-1] == "both"}
    assert {pmu for _, pmu in values} == {f"uncore_imc_{n}" for n in range(4)} and len(values) == 8
    read, write = raw_counts(shown, "cas_count_read"), raw_counts(shown, "cas_count_write")
    for place, value in values.items():
        assert value == pytest.approx(2 * read[place] + write[place], rel=1e-3)
    assert len(set(values.values())) == 8


def test_events_without_an_uncore_pmu_serve_each_of_them(rows):
    shown = [row for row in rows("-A", "-M", "per_sec") if row[-1] == "per_sec"]
    assert {place_of(row)[1] for row in shown} == {f"uncore_imc_{n}" for n in range(4)}
    assert all(float(row[6]) > 0 for row in shown)


def test_merged_pmus_show_the_metric_once(rows):
    shown = [row for row in rows("-M", "both") if row[-1] == "both"]
    assert len(shown) == 1


def test_a_metric_that_is_named_twice_is_shown_twice_as_in_perf(rows):
    shown = rows("-M", "ratio,ratio")
    assert [row[-1] for row in shown].count("ratio") == 2
    assert [row[2] for row in shown if row[2]].count("cycles") == 1
    heading = rows("--metric-only", "-M", "ratio,ratio")[0]
    assert heading.count("ratio") == 2
