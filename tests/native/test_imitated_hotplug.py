# SPDX-License-Identifier: GPL-2.0-only
"""
CPU 4 of an imitated Ice Lake goes offline and comes back. It is in the cpumask of the uncore PMUs,
whose driver moves the events to another CPU. tests/imitated/hotplug.c describes the kernel's part.
"""

import subprocess
import sys

import pytest

from native import PSTAT, TOP

sys.path.insert(0, str(TOP / "tests/imitated"))
import imitated  # noqa: E402 pylint: disable=wrong-import-position

TOPDOWN = TOP / "tests/data/metrics/topdown.json"
ONLINE = "/sys/devices/system/cpu/online"
WAIT = "while ! grep -q 'CPU 4 {}' log; do sleep 0.02; done; "
TURNS = (f"echo 0-3,5-15 >{ONLINE}; {WAIT.format('went offline')}sleep 0.15; "
         f"echo 0-15 >{ONLINE}; {WAIT.format('came online')}sleep 0.25")


@pytest.fixture(name="lake", scope="module")
def own_ice_lake():
    """Makes a machine for this file only, because the tests change the machine's files."""
    reason = imitated.why_not()
    if reason:
        pytest.skip(f"probe: {reason}")
    with imitated.Imitation("icelake") as machine:
        yield machine


@pytest.fixture(name="counted")
def count(lake, tmp_path):
    """Counts while the CPU goes offline and comes back. Returns (messages, rows of all
    intervals)."""
    def run(*options):
        log = tmp_path / "log"
        with log.open("w", encoding="utf-8") as err:
            done = lake.run(["env", "-C", tmp_path, PSTAT, "-v", *options, "-I", "50", "-x,", "-o",
                             "rows", "sh", "-c", TURNS], env={"IMITATED_HOTPLUG": "1"}, stderr=err,
                            stdout=subprocess.DEVNULL, capture_output=False)
        messages = log.read_text(encoding="utf-8")
        assert done.returncode == 0, messages
        text = (tmp_path / "rows").read_text(encoding="utf-8")
        return messages, [line.split(",") for line in text.splitlines() if line[:1].strip("#")]
    return run


CLOCKS = "uncore_imc_0/clockticks/"


@pytest.mark.parametrize("names", [(CLOCKS, "cs"), ("cs", CLOCKS, "faults"),
                                   (CLOCKS, "cs", "uncore_imc_0/event=1/", "faults")])
def test_a_group_of_uncore_and_software_events_continues_after_its_cpu_was_offline(counted, names):
    messages, rows = counted("-C", "4", "-e", f"{{{','.join(names)}}}")
    assert "cannot be opened" not in messages
    last = rows[-len(names):]
    assert [row[3] for row in last] == list(names)
    assert all(int(row[1]) > 0 and int(row[4]) > 0 for row in last), last


@pytest.mark.parametrize("options", [["-e", "{slots,topdown-retiring},cs,uncore_imc_0/clockticks/"],
                                     ["--topdown", f"--metrics-file={TOPDOWN}"]])
def test_topdown_events_are_counted_on_a_cpu_that_was_offline(counted, options):
    messages, rows = counted("-a", "-A", *options)
    assert "cannot be opened" not in messages
    rows = [row for row in rows if row[0] != "time"]
    last = [row for row in rows if row[0] == rows[-1][0]]
    assert {row[1] for row in last} >= {f"CPU{cpu}" for cpu in range(16)}
    here = [row for row in last if row[1] == "CPU4"]
    assert here and all(float(row[2]) > 0 for row in here), here
