# SPDX-License-Identifier: GPL-2.0-only
"""-v and -vv: the values that were read and how events were opened, next to the rows."""
import re

import pytest

from native import csv_rows, online_cpus, run, workload

READING = re.compile(r"^(\S+): (\d+) (\d+) (\d+)$", re.M)
OF_A_CPU = re.compile(r"^(\S+): (-?\d+): (\d+) (\d+) (\d+)$", re.M)
OPENED = re.compile(
    r"^sys_perf_event_open: pid (-?\d+)  cpu (-?\d+)  group_fd (-?\d+)  flags "
    r"0x\w+ = (-?\d+)", re.M)


def numbers(found):
    return [(name, *map(int, values)) for name, *values in found]


def test_the_printed_readings_are_those_from_which_the_rows_are_computed(scratch):
    done = run("-vv", "-x,", "-o", "rows", "-e", "page-faults:u,task-clock:u",
               *workload("faults", 1000))
    (faults, value, enabled, running), (clock, ns, *_) = numbers(READING.findall(done.stderr))
    rows = csv_rows((scratch / "rows").read_text(encoding="ascii").partition("\n\n")[2])
    assert (faults, clock) == ("page-faults:u", "task-clock:u")
    assert value >= 1000 and enabled == running > 0
    assert [rows[0][0], rows[0][2], rows[0][3]] == [str(value), faults, str(running)]
    assert rows[1][0] == f"{ns / 1e6:.2f}"


def test_attrs_need_v_twice_and_values_are_omitted_from_output_for_programs():
    for args in ([], ["-v", "-x,"], ["-v", "-j", "-o", "rows"]):
        assert not READING.findall(run(*args, "-e", "cs,task-clock", "true").stderr)


def test_each_repetition_has_its_readings_and_each_interval_the_new_ones():
    assert len(READING.findall(run("-v", "-r", 3, "-e", "cs,task-clock", "true").stderr)) == 6
    done = run("-v", "-I", 50, "--interval-count", 2, "-a", "-e", "cs")
    counted = re.findall(r"^ *\d+\.\d+ +(\d+) +cs ", done.stderr, re.M)
    assert [value for _, value, *_ in READING.findall(done.stderr)] == counted
    assert len(counted) == 2


def test_with_v_twice_the_cpus_that_are_summed_are_shown():
    done = run("-vv", "-a", "-e", "cs", "--timeout", 20)
    places = [(int(cpu), int(value)) for _, cpu, value, *_ in OF_A_CPU.findall(done.stderr)]
    assert [cpu for cpu, _ in places] == online_cpus()
    (_, total, *_), = numbers(READING.findall(done.stderr))
    assert sum(value for _, value in places) == total
    opened = [[int(word) for word in words] for words in OPENED.findall(done.stderr)]
    assert [(pid, cpu, group) for pid, cpu, group, _ in opened] == [(-1, cpu, -1)
                                                                    for cpu in online_cpus()]
    assert len({fd for *_, fd in opened}) == len(opened) and all(fd > 2 for *_, fd in opened)


@pytest.mark.parametrize("event, fields", [("cs:u", {
    "type": "1", "config": "0x3", "exclude_kernel": "1", "disabled": "1", "enable_on_exec": "1",
    "inherit": "1"
}), ("mem:watched/2:w", {"type": "5", "bp_type": "2", "bp_len": "2"}), ])
def test_with_v_twice_the_requested_attr_is_shown(event, fields):
    done = run("-vv", "-e", event, *workload("access", 1, 1, 1, 1))
    part = re.search(r"^perf_event_attr:\n((?: {2}\S+ +\S+\n)+)", done.stderr, re.M)[1]
    shown = dict(line.split() for line in part.splitlines())
    assert fields.items() <= shown.items()
    assert "exclude_user" not in shown, "fields that are 0 are omitted"


def test_a_refused_open_is_shown_with_its_reason():
    done = run("-vv", "-e", "mem:0x404040/9:w", "true")
    assert re.search(r"^sys_perf_event_open: .* = -\d+ \w.*$", done.stderr, re.M)
    assert not READING.findall(done.stderr), "it must have no readings"


def test_the_reason_for_unsupported_events_is_below_the_rows_and_names_no_event():
    events = "cs,999:1,task-clock,999:2"  # No machine has a PMU of this type.
    rows, _, below = run("-e", events, "true").stderr.partition(" seconds time elapsed")
    assert rows.count("<not supported>") == 2 and "pstat:" not in rows
    assert below.count("pstat: not counted: the kernel refused events 2, 4 of 4 (ENOENT: ") == 1
    assert "999" not in below


@pytest.mark.parametrize("args", [("-x,",), ("-j",), ("--quiet",)], ids=str)
def test_the_reason_is_only_printed_with_v_if_a_program_reads_the_rows(args):
    assert "refused" not in run(*args, "-e", "cs,999:1", "true").stderr
    done = run(*args, "-v", "-e", "cs,999:1", "true")
    assert done.stderr.count("no PMU driver of this kernel") == 1
