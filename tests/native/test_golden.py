# SPDX-License-Identifier: GPL-2.0-only
"""Compares pstat's output with perf 6.12, line by line (tests/golden/native/*.txt). Each file
contains a command for perf or pstat, the printed lines with masked figures (see native.mask()), and
the exit status."""

import pathlib
import re
import shlex

import pytest

import native
from native import TOP, mask, run

GOLDEN = TOP / "tests/golden/native"
METRICS = TOP / "tests/data/metrics/live.json"
# Below the rows, pstat prints one message that perf does not print: why events were not counted.
NOT_COUNTED = (r"pstat: (nothing could be counted|not counted): the kernel refused "
               r"(the event|events? [\d, ]+ of \d+) \([A-Z]+: .+\)\n( {7}.+\n)?")


class Golden:
    def __init__(self, path):
        comment, command, *lines, code, _ = (
            pathlib.Path(path).read_text(encoding="utf-8").split("\n")
        )
        assert comment.startswith("# SPDX") and command.startswith("$ perf stat ")
        self.argv = shlex.split(command)[3:]
        self.lines = lines
        self.code = int(re.fullmatch(r"\[rc=(\d+)\]", code)[1])

    def run(self, *before, **words):
        """Runs the command, with words in capitals replaced, and with priority, so that it
        misses no interval."""
        return run(*before, *[words.get(word, word) for word in self.argv],
                   preexec_fn=native.urgent)

    def matches(self, done):
        assert done.stdout == ""
        assert mask(done.stderr).split("\n")[:-1] == self.lines
        assert done.returncode == self.code


def golden(name):
    return Golden(GOLDEN / f"{name}.txt")


@pytest.mark.parametrize("name", ["command", "group", "csv", "json", "system"])
def test_the_lines_are_those_of_perf(name):
    golden(name).matches(golden(name).run())


@pytest.mark.parametrize("name", [
    "metrics", "metrics-csv", "metrics-only", "metrics-only-csv", "metrics-only-json",
    "metrics-only-interval", "metrics-only-interval-csv", "metrics-no-merge",
    "metrics-after-events", "metrics-user"
])
def test_the_lines_of_metrics_are_those_of_perf(name):
    """Recorded with a perf 6.12 that was built with the metrics of live.json."""
    wanted = golden(name)
    wanted.matches(wanted.run(f"--metrics-file={METRICS}"))


@pytest.mark.parametrize("name, rows", [("interval", 3), ("system-interval", 2),
                                        ("csv-interval", 2), ("json-interval", 2)])
def test_the_lines_of_intervals_are_those_of_perf(name, rows):
    """On a busy machine, pstat may notice the end of the command and of the last interval at the
    same time, and then prints only one interval."""
    wanted = golden(name)
    done = wanted.run()
    lines = mask(done.stderr).split("\n")[:-1]
    if len(lines) == len(wanted.lines) - rows:
        del wanted.lines[-2 * rows:-rows]
    assert lines == wanted.lines
    assert (done.stdout, done.returncode) == ("", wanted.code)


def test_a_process_that_sleeps_is_not_counted_and_has_no_user_and_system_time(sleeper):
    """User and system time would be the times of `sleep`, which is not counted, so perf omits
    them."""
    golden("process").matches(golden("process").run(PID=sleeper().pid))


@pytest.mark.parametrize("name", ["default-no-pmu", "cycles-no-pmu", "csv-cycles-no-pmu"])
def test_without_a_pmu_hardware_events_are_not_supported(name):
    if native.counts_cycles():
        pytest.skip("probe: perf_event_open of cycles: this machine has a PMU")
    wanted = golden(name)
    done = wanted.run()
    if not name.startswith("csv"):
        told = re.search(NOT_COUNTED + r"\Z", done.stderr)
        assert told, done.stderr
        done.stderr = done.stderr[:told.start()]
    wanted.matches(done)


def test_with_a_pmu_the_default_events_are_all_counted():
    if not native.counts_cycles():
        pytest.skip("probe: perf_event_open of cycles: this machine has no PMU")
    done = run("true")
    assert [
        native.std_count(done.stderr, event) > 0 for event in ("cycles", "instructions", "branches")
    ] == [True] * 3
    assert re.search(r"cycles +# +\d+\.\d{3} GHz", done.stderr)
    assert re.search(r"instructions +# +\d+\.\d{2} +insn per cycle", done.stderr)


def test_the_heading_of_intervals_is_repeated_after_each_screenful():
    """As in perf, the heading is repeated after every 26 intervals."""
    done = run("-a", "-I", "2", "--interval-count", "53", "-e", "cs")
    headings = [i for i, line in enumerate(done.stderr.splitlines()) if line.startswith("#  ")]
    assert headings == [0, 27, 54]


def test_verbose_says_why_an_event_is_not_supported():
    if native.counts_cycles():
        pytest.skip("probe: perf_event_open of cycles: this machine has a PMU")
    quiet, verbose = run("-e", "cycles,cs", "true"), run("-v", "-e", "cycles,cs", "true")
    assert "cycles: cannot be counted" not in quiet.stderr
    assert re.search(r"^pstat: cycles: cannot be counted here \(ENOENT: ", verbose.stderr, re.M)
