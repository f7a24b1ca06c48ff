# SPDX-License-Identifier: GPL-2.0-only
"""Documentation/examples.txt: its commands are what pstat takes, and of what this machine can count they print such rows."""
import re
import shlex

import pytest

from native import TOP, run, workload

TEXT = (TOP / "Documentation/examples.txt").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line.split("\t")[0]) for line in re.findall(r"^\t[$#] pstat (.*)$", TEXT, re.M)]


def test_there_are_ten_questions():
    assert re.findall(r"^(\d+)\. .*\?$", TEXT, re.M) == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] != "progs"], ids=" ".join)
def test_the_words_of_each_command_are_taken(words):
    done = run("--version", *words)
    assert done.returncode == 0 and done.stdout.startswith("pstat "), done.stderr


def events_of(question):
    """The events in the printed rows of a question, in order."""
    part = re.search(rf"^{question}\. .*?(?=^\d+\. |\Z)", TEXT, re.M | re.S)[0]
    return re.findall(r"^\t +[\d.]+(?: msec| {5}) (\S+)", part, re.M)


def test_what_a_command_uses_is_shown_as_in_the_first_two(tmp_path):
    numbers = tmp_path / "numbers"
    numbers.write_text("2\n1\n", encoding="ascii")
    for question, words in ((1, COMMANDS[0]), (2, COMMANDS[1])):
        done = run(*words)
        assert done.returncode == 0 and (tmp_path / "sorted").read_text(encoding="ascii") == "1\n2\n"
        rows = re.findall(r"^ +[\d.]+(?: msec| {5}) (\S+)", done.stderr, re.M)
        assert rows == events_of(question) != []


def test_the_variable_is_written_as_often_as_it_says():
    words = next(words for words in COMMANDS if "access" in words)
    where = words.index("access")
    done = run("-x,", *words[:where], *workload("access", *words[where + 1:]))
    if "<not supported>" in done.stderr:
        pytest.skip(f"probe: breakpoints on data are counted here: {done.stderr}")
    counted = [line.split(",")[0] for line in done.stderr.splitlines()]
    assert counted == re.findall(r"^\t +(\d+) +mem:watched", TEXT, re.M)
