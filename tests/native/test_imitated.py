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
# So many command lines of a machine and topic are run without PSTAT_LONG, evenly spread.
SAMPLE = 24


def sampled(lines):
    """All of the lines, or SAMPLE of them."""
    step = 1 if LONG else -(-len(lines) // SAMPLE)
    return lines[::step]


@pytest.fixture(scope="module")
def machine_of():
    """Imitated machines, each made once."""
    why_not, made = imitated.why_not(), {}
    if why_not:
        pytest.skip(f"probe: unshare --mount true: {why_not}")

    def get(name):
        if name not in made:
            made[name] = imitated.Imitation(name).__enter__()
        return made[name]

    yield get
    for machine in made.values():
        machine.__exit__()


@pytest.mark.parametrize("machine,topic", cases.names_of_golden())
def test_attrs_rows_and_exit_status_are_those_of_perf(machine_of, machine, topic):
    golden, wrong = cases.recorded(machine, topic), []
    assert list(golden) == cases.cases(topic)[machine], "run tests/imitated/record"
    for line, expected in sampled(list(golden.items())):
        short, _ = cases.outcome(machine_of(machine), imitated.PSTAT, line)
        short, expected = cases.compared(topic, short), cases.compared(topic, expected)
        if short == expected:
            continue
        diff = difflib.unified_diff(expected, short, "perf", "pstat", n=0, lineterm="")
        wrong += [f"$ {line}", *list(diff)[2:]]
    assert not wrong, "\n".join(wrong)
