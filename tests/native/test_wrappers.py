# SPDX-License-Identifier: GPL-2.0-only
"""Programs that run `perf stat` work unchanged with pstat: see wrappers.py and
more_wrappers.py."""

import json

import pytest

import more_wrappers
import wrappers
from native import PSTAT
from wrappers import MACHINE


RECORDED = {name: value for golden in (wrappers.GOLDEN, more_wrappers.GOLDEN)
            for name, value in json.loads(golden.read_text(encoding="utf-8")).items()}


@pytest.fixture(scope="module")
def machine(machine_of):
    return machine_of(MACHINE)


@pytest.mark.parametrize("wrapper", [*wrappers.WRAPPERS, *more_wrappers.WRAPPERS],
                         ids=lambda wrapper: wrapper.name)
def test_a_wrapper_finds_the_same_values_as_in_the_output_of_perf(machine, wrapper):
    found, printed = wrappers.run(machine, wrapper, PSTAT)
    assert found == RECORDED[wrapper.name], printed.out + printed.err


def test_a_wrapper_finds_the_default_events_where_perfs_lines_differ(machine):
    found, _ = wrappers.run(machine, wrappers.DEFAULT, PSTAT)
    assert {"task-clock", "page-faults", "cycles", "instructions"} <= set(found)


def test_the_wrappers_find_values():
    """A parser that finds nothing would always agree with perf."""
    assert {wrapper.name for wrapper in wrappers.WRAPPERS} <= set(RECORDED)
    assert not [name for name, value in RECORDED.items() if not value and name != "toplev's probe"]
