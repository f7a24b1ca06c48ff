# SPDX-License-Identifier: GPL-2.0-only
"""tests/hardware/check on real counters: in an arm64 guest, whose instructions are exact."""

import os
import re

import pytest

from guest import HERE, guest

HARDWARE = os.path.join(os.path.dirname(HERE), "hardware")


@pytest.fixture(scope="module")
def report():
    done = guest("TURNS=2000000 sh hardware/check -o /run/report >/run/log 2>&1; code=$?; "
                 "cat /run/report; grep -v '^[A-Z=]' /run/log >&2; exit $code",
                 icount=True, files=[HARDWARE])
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("how", ["one command", "in a group", "--bpf-counters", "modifier b"])
def test_the_instructions_of_a_loop_are_counted_exactly(report, how):
    expected = f"PASS     exact      {how}: 2000000 iterations are 4000000 instructions\n"
    assert expected in report, report


def test_multiplexed_events_and_the_runs_of_a_program_are_counted(report):
    assert "PASS     multiplex  24 events took turns: counts that are right: 24\n" in report, report
    assert re.search(r"^PASS     bpf        -b: 1000 runs of \d+ instructions$", report, re.M)


def test_checks_that_need_perf_are_reported_and_the_machine_is_described(report):
    assert "CANNOT   default    true: there is no perf to compare with\n" in report
    assert re.search(r"^PMU: armv8_pmuv3\S* type \d+ ", report, re.M)
    assert re.search(r"^CPU: .*CPU part 0x", report, re.M)
