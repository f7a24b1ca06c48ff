# SPDX-License-Identifier: GPL-2.0-only
"""Tests the script tests/hardware/check: the differences that it finds, what it cannot check, and
the contents of its report."""

import os
import re
import subprocess

import pytest

from native import PSTAT, TOP, WORKLOADS

CHECK = TOP / "tests/hardware/check"
LINE = re.compile(r"(PASS|DIFFERS|CANNOT) +([a-z]+) +(\S.*)")


class Report:
    """A report of the script: its text, its lines by topic, and the exit status of the script."""

    def __init__(self, done, path):
        self.done = done
        self.text = path.read_text(encoding="utf-8") if path.exists() else ""
        self.lines = [LINE.fullmatch(line).groups() for line in self.text.splitlines()
                      if LINE.fullmatch(line)]

    def of(self, topic):
        """Returns the words PASS, DIFFERS and CANNOT of a topic."""
        return {word for word, about, _ in self.lines if about == topic}


@pytest.fixture
def check(tmp_path):
    """Runs the script with the given perf, on this machine or on an imitated one."""
    def run(perf, machine=None, sections=None):
        env = {"PSTAT": os.path.realpath(PSTAT), "WORKLOADS": str(WORKLOADS), "TURNS": "100000"}
        argv = [CHECK, "-p", perf, "-o", tmp_path / "report"]
        argv += ["-s", sections] if sections else []
        if machine:
            done = machine.run(argv, env=env)
        else:
            done = subprocess.run(argv, env={**os.environ, **env}, capture_output=True, text=True,
                                  check=False, timeout=120)
        return Report(done, tmp_path / "report")
    return run


@pytest.fixture
def perf(tmp_path):
    """Returns the path of a perf that is a link to pstat, so both behave alike."""
    (tmp_path / "perf").symlink_to(os.path.realpath(PSTAT))
    return tmp_path / "perf"


def test_the_report_describes_the_machine_and_not_its_owner(check, perf):
    report = check(perf)
    assert report.done.stderr == "" and report.lines, report.done.stderr
    for start in ("pstat: pstat version ", "perf: perf version ", "kernel: Linux ", "CPU: ",
                  "perf_event_paranoid: ", "root: ", "PMU: software type 1 "):
        assert f"\n{start}" in report.text, start
    host, home = os.uname().nodename, os.environ.get("HOME", "/nonexistent")
    assert not re.search(rf"\b{re.escape(host)}\b", report.text) and f"{home}/" not in report.text
    for word in ("PASS", "DIFFERS", "CANNOT"):
        number = sum(line[0] == word for line in report.lines)
        assert f"\n{word}: {number}\n" in report.text
    assert report.done.returncode == ("DIFFERS" in {line[0] for line in report.lines})


def test_without_perf_the_report_says_what_could_not_be_compared(check, tmp_path):
    report = check(tmp_path / "no-perf")
    assert "\nperf: none\n" in report.text
    assert report.of("default") == report.of("aggregate") == report.of("vendor") == {"CANNOT"}
    assert report.of("exact")


def test_the_same_attrs_and_rows_pass_on_a_machine_with_pmus(check, perf, icelake):
    report = check(perf, icelake, "names core topdown hybrid")
    for topic in ("default", "names", "core", "aggregate"):
        assert report.of(topic) == {"PASS"}, report.text
    assert {"PASS"} <= report.of("raw") <= {"PASS", "CANNOT"}
    assert "PASS" in report.of("topdown")
    assert report.of("hybrid") == {"CANNOT"} and not report.of("exact")
    assert report.done.returncode == 0


@pytest.mark.parametrize("change, shown", [
    ("-e cycles:u", r"perf: +N;;cycles:u\n"),
    ("--all-user", r"pstat: +0:0 exclude_guest=1 x 1"),
])
def test_a_difference_is_found_and_shown(check, tmp_path, icelake, change, shown):
    """This perf adds an option, which changes the rows or only the attrs."""
    pstat, script = os.path.realpath(PSTAT), tmp_path / "perf"
    script.write_text(f'#!/bin/sh\ncase "$1 $2" in "stat -vv") shift 2; '
                      f'exec {pstat} stat -vv {change} "$@" ;; esac\n'
                      f'exec {pstat} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    report = check(script, icelake, "names")
    assert report.done.returncode == 1 and report.of("names") == {"DIFFERS"}, report.text
    after = report.text.split("DIFFERS  names", 1)[1]
    assert re.search(shown, after), after


def test_a_count_that_is_wrong_differs(check, perf, icelake):
    """On an imitated machine, the number of instructions is fixed, although the script runs loops
    of different lengths."""
    report = check(perf, icelake, "counts")
    assert report.of("exact") == {"DIFFERS"} and report.done.returncode == 1


@pytest.fixture
def fake_branches(tmp_path):
    """Returns a function that makes a pstat whose runs have the given fields at their ends."""
    def make(fields):
        script = tmp_path / "pstat"
        script.write_text(f'''#!/bin/sh
[ "$*" = --version ] && exec true
while [ $# -gt 0 ]; do [ "$1" = -o ] && file=$2; shift; done
echo "outlier,1,0,7,sh,1,7,work,5,ns,time{fields}" >"$file"
''', encoding="utf-8")
        script.chmod(0o755)
        return script
    return make


@pytest.mark.parametrize("fields, word", [
    (",branches,2,main,,work,,work,,getppid,", "PASS"), (",branches,1,main,,other,", "DIFFERS"),
    ("", "DIFFERS")
])
def test_the_counted_branches_must_be_in_the_function(tmp_path, fake_branches, fields, word):
    env = {**os.environ, "PSTAT": fake_branches(fields), "WORKLOADS": str(WORKLOADS)}
    done = subprocess.run([CHECK, "-p", "no-perf", "-o", tmp_path / "report", "-s", "branches"],
                          env=env, capture_output=True, text=True, check=False, timeout=60)
    assert Report(done, tmp_path / "report").of("branches") == {word}, done.stdout


def test_a_section_that_does_not_exist_is_refused(check, perf):
    report = check(perf, None, "nonsense")
    assert report.done.returncode == 129 and not report.lines
    assert "there is no section nonsense" in report.done.stderr
