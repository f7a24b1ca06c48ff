# SPDX-License-Identifier: GPL-2.0-only
"""The line below a text report that says whether the counters of :b are shared."""
import os
import re
import subprocess

import pytest

from cgroup_bpf import in_bpf
from native import PSTAT, modes, run, start, wait_until_counting

pytestmark = pytest.mark.usefixtures("own_pins")
BEGIN = " # counters read by BPF: "
MADE = "shared (made by this session)"
FOR_CGROUPS = in_bpf[0]


@pytest.fixture(scope="module", autouse=True)
def allowed():
    word = modes()["--bpf-counters"]
    if os.geteuid() or not word.startswith("yes"):
        pytest.skip(f"probe: pstat --version -vv: --bpf-counters: {word}")


def notes(text):
    return [line[len(BEGIN):] for line in text.splitlines() if line.startswith(BEGIN)]


def test_the_line_says_whether_counters_are_shared_and_why_not():
    done = run("-e", "cs,cs:b,page-faults:b", "true")
    reason = re.search(r"not shared: (.*?)\)?$", modes()["--bpf-counters"])
    [note] = notes(done.stderr)
    assert note.startswith(
        f"2 not shared: {reason[1][:20]}" if reason else f"2 {MADE}"), done.stderr
    assert done.stderr.rstrip("\n").endswith(note), done.stderr


def test_intervals_and_repetitions_have_one_line_at_the_end():
    for args in ("-I", "30", "--interval-count", "2", "-a"), ("-r", "3", "true"):
        done = run("-e", "cs:b", *args)
        assert len(notes(
            done.stderr)) == 1 and done.stderr.splitlines()[-1].startswith(BEGIN), done.stderr


def test_a_session_without_shared_counters_has_no_line():
    assert "BPF" not in run("-e", "cs", "true").stderr


@pytest.mark.parametrize("option", ["-x,", "-j", "--quiet"])
def test_output_for_programs_has_no_line(option):
    done = run(option, "-e", "cs:b", "true")
    assert done.returncode == 0 and "counters read" not in done.stderr, done.stderr


def test_a_report_under_the_name_perf_has_no_line(tmp_path):
    link = tmp_path / "perf"
    link.symlink_to(os.path.realpath(PSTAT))
    done = subprocess.run([link, "stat", "-e", "cs:b", "true"], capture_output=True, text=True,
                          check=False)
    assert (
        done.returncode == 0 and "cs:b" in done.stderr and "counters read" not in done.stderr
    ), done.stderr


EACH = ("--bpf-counters", "-a", "--for-each-cgroup", "/", "-e", "cs,page-faults")


@FOR_CGROUPS
def test_the_second_session_of_cgroups_uses_the_counters_of_the_first(tmp_path):
    first = start(*EACH, "-o", tmp_path / "first")
    wait_until_counting(first)
    second = run(*EACH, "true")
    first.terminate()
    first.wait()
    assert notes((tmp_path / "first").read_text()) == [f"2 {MADE}"]
    assert notes(second.stderr) == ["2 shared (made by another session)"]


@FOR_CGROUPS
@pytest.mark.parametrize("args, why", [
    ([*EACH, "--cgroup-follow"], "2 not shared: --cgroup-follow"),
    ([*EACH[:-1], "{cs,page-faults}"], "2 not shared: events in a group are not shared"),
])
def test_sessions_of_cgroups_that_share_nothing_give_the_reason(args, why):
    done = run(*args, "true")
    assert notes(done.stderr) == [why], done.stderr
