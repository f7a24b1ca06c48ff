# SPDX-License-Identifier: GPL-2.0-only
"""Pairs and single options of perf stat: pstat accepts what perf 6.12 accepts, and prints the same
text."""

import os
import pathlib

import pytest

import option_table
from native import CONFLICT, FAILED, USAGE, run

PAIRS, SINGLES = option_table.read("option-pairs.txt"), option_table.read("options.txt")
pytestmark = pytest.mark.usefixtures("own_pins")


def named(blocks):
    return [pytest.param(*block, id=block[0]) for block in blocks]


def test_the_recorded_lines_are_the_lines_of_the_tables():
    for blocks, table in ((PAIRS, option_table.PAIRS), (SINGLES, option_table.SINGLES)):
        assert [line for line, _, _ in blocks] == table.strip().split("\n")
    accepted = [[status for _, status, _ in blocks].count(0) for blocks in (PAIRS, SINGLES)]
    assert accepted[0] >= 46 and accepted[1] >= 78


@pytest.mark.parametrize("line, status, printed", named(PAIRS + SINGLES))
def test_pstat_accepts_the_lines_that_perf_accepts(line, status, printed, sleeper):
    done = run(*option_table.words_of(line, sleeper().pid), "true")
    if status == 0:
        assert done.returncode == 0, done.stderr
        assert line in option_table.SILENT or option_table.shape(done.stderr) == printed
    else:
        assert done.returncode in (USAGE, CONFLICT, FAILED)
        assert "Performance counter stats" not in done.stderr


def test_quiet_does_not_affect_an_output_file():
    pathlib.Path("old").write_text("old\n", encoding="utf-8")
    assert run("--quiet", "-o", "old", "-e", "cs", "true").returncode == 0
    assert run("--quiet", "-o", "new", "-e", "cs", "true").returncode == 0
    assert pathlib.Path("old").read_text(encoding="utf-8") == "old\n" and not os.path.exists("new")


def test_append_writes_at_the_end_of_a_file_that_is_given_as_a_descriptor():
    """The descriptor is at the start of the file, so a plain write would overwrite the existing
    text."""
    with open("log", "w+", encoding="utf-8") as log:
        log.write("a line that is longer than the count\n" * 9)
        log.seek(0)
        done = run("--append", "--log-fd", log.fileno(), "-x,", "-e", "cs", "true",
                   pass_fds=[log.fileno()])
    text = pathlib.Path("log").read_text(encoding="utf-8")
    assert done.returncode == 0 and text.startswith(
        "a line that is longer than the count\n" * 9) and ",,cs," in text


def test_the_names_of_default_events_say_what_is_excluded():
    for option, modifier in (("--all-user", "u"), ("--all-kernel", "k")):
        done = run(option, "-x,", "true")
        assert f",task-clock:{modifier}hH," in done.stdout + done.stderr
