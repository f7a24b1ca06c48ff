# SPDX-License-Identifier: GPL-2.0-only
"""pstat on imitated machines: attrs, rows and exit status are compared with perf's golden files."""

import difflib
import os
import sys

import pytest

from native import TOP

sys.path.insert(0, str(TOP / "tests/imitated"))
import cases  # noqa: E402 pylint: disable=wrong-import-position
import imitated  # noqa: E402 pylint: disable=wrong-import-position


LONG = os.environ.get("PSTAT_LONG")
# The number of command lines of a machine and topic that run without PSTAT_LONG, evenly spread.
SAMPLE = 24


def sampled(lines):
    """Returns all lines, or SAMPLE of them."""
    step = 1 if LONG else -(-len(lines) // SAMPLE)
    return lines[::step]


@pytest.mark.parametrize("machine,topic", cases.names_of_golden())
def test_attrs_rows_and_exit_status_are_those_of_perf(machine_of, machine, topic):
    golden, wrong = cases.recorded(machine, topic), []
    assert list(golden) == cases.cases(topic)[machine], "no golden file: run tests/imitated/record"
    for line, expected in sampled(list(golden.items())):
        short, _ = cases.outcome(machine_of(machine), imitated.PSTAT, line)
        short, expected = cases.compared(topic, short), cases.compared(topic, expected)
        if short == expected:
            continue
        diff = difflib.unified_diff(expected, short, "perf", "pstat", n=0, lineterm="")
        wrong += [f"$ {line}", *list(diff)[2:]]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("machine,kinds", [("alderlake", ["cpu_atom", "cpu_core"]),
                                           ("biglittle", ["armv8_cortex_a53", "armv8_cortex_a72"])])
@pytest.mark.parametrize("options", [[], ["--metric-no-merge"], ["-C", "0,4,5"],
                                     ["--hybrid-merge"]])
def test_a_metric_without_a_pmu_is_shown_for_each_kind_of_core(machine_of, machine, kinds, options):
    if machine == "alderlake" and options[:1] == ["-C"]:
        options = ["-C", "0,16"]
    done = machine_of(machine).run([imitated.PSTAT, "-x,", "-a", *options, "-M", "ipc", "true"])
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in done.stderr.splitlines() if not line.startswith("WARNING")]
    if options == ["--hybrid-merge"]:
        assert [row[2] for row in rows if row[6:] == ["insn per cycle"]] == ["instructions"]
        kinds = [""]
    assert sum(row[-1] == "ipc" for row in rows) == len(kinds)
    for kind in kinds:
        at = next(n for n, row in enumerate(rows)
                  if row[2] in (f"{kind}/instructions/", "instructions"))
        cycles = next(int(row[0]) for row in rows if row[2] in (f"{kind}/cycles/", "cycles"))
        assert rows[at + 1][5:] == [f"{int(rows[at][0]) / cycles:.2f}", "ipc"]
