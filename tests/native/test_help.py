# SPDX-License-Identifier: GPL-2.0-only
"""pstat help."""
import os
import pathlib
import re

import pytest

from native import FAILED, TOP, USAGE, run

COMMANDS = ["stat", "profile", "export", "list", "progs", "why", "compare"]


@pytest.fixture
def man(tmp_path, monkeypatch):
    """Makes a `man` that records its arguments in the returned file, prints a message, and exits
    with $MAN_STATUS."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "man"
    script.write_text(
        f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\necho "man $*" >&2\nexit '
        '$MAN_STATUS\n', encoding="ascii")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("MAN_STATUS", "0")
    return tmp_path / "asked"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_page_of_a_command_is_shown(man, command):
    done = run("help", command)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"man pstat-{command}\n")
    assert man.read_text(encoding="ascii") == f"-w pstat-{command}\npstat-{command}\n"
    assert (TOP / f"Documentation/pstat-{command}.1.adoc").exists()


@pytest.mark.parametrize("word", ["help", "version", "pstat"])
def test_the_page_of_all_commands_is_that_of_pstat(man, word):
    assert run("help", word).returncode == 0
    assert man.read_text(encoding="ascii") == "-w pstat\npstat\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_without_man_the_options_are_shown(command, monkeypatch, tmp_path):
    wanted = run(command, "--help")
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run("help", command)
    assert (done.returncode, done.stdout, done.stderr) == (0, wanted.stdout, "")
    assert "--format" in done.stdout or "--json" in done.stdout


def test_without_the_page_the_options_are_shown(man, monkeypatch):
    monkeypatch.setenv("MAN_STATUS", "16")
    done = run("help", "list")
    assert (done.returncode, done.stdout, done.stderr) == (0, run("list", "--help").stdout, "")
    assert man.read_text(encoding="ascii") == "-w pstat-list\n"


def test_help_without_a_command_is_the_same_as_the_option(man):
    done = run("help")
    assert (done.returncode, done.stdout, done.stderr) == (0, run("--help").stdout, "")
    assert not man.exists()


def test_the_page_of_the_library_is_shown_too(man):
    assert run("help", "self").returncode == 0
    assert man.read_text(encoding="ascii") == "-w pstat-self\npstat-self\n"
    assert (TOP / "Documentation/pstat-self.3.adoc").exists()


def test_if_the_page_of_the_library_is_missing_its_header_is_named(man, monkeypatch):
    monkeypatch.setenv("MAN_STATUS", "16")
    done = run("help", "self")
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert (
        done.stderr
        == "pstat: help self: the page pstat-self(3) is not installed\n       read the header"
        " pstat-self.h instead\n"
    )


def test_the_help_lists_the_commands_before_the_options():
    shown = run("--help").stdout.split("\n What to count:\n")[0]
    listed = re.findall(r"^  ([a-z]+)  +\S", shown, re.M)
    assert listed[:len(COMMANDS) + 2] == [*COMMANDS, "help", "version"]
    assert [line for line in shown.splitlines() if line.startswith("  pstat -b ")]


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)], ids=str)
def test_h_is_help(command):
    done = run(*command, "-h")
    assert (done.returncode, done.stdout, done.stderr) == (0, run(*command, "--help").stdout, "")
    assert "Usage: pstat" in done.stdout


@pytest.mark.parametrize("more", [(), ("-v",), ("-v", "-v")], ids=str)
def test_version_is_a_command_as_in_perf(more):
    done = run("version", *more)
    assert (done.returncode, done.stdout) == (0, run("--version", *more).stdout)
    assert done.stdout.startswith("pstat ")


def test_a_program_whose_name_begins_like_a_command_is_run(scratch, monkeypatch):
    program = scratch / "version-program"
    program.write_text("#!/bin/sh\nexit 7\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{scratch}:{os.environ['PATH']}")
    assert run(program.name).returncode == 7


def test_a_word_that_is_not_a_command_is_refused_with_the_list_of_commands(man):
    done = run("help", "record")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert (
        done.stderr
        == f"pstat: help record: there is no such command: the commands are {', '.join(COMMANDS)},"
        " help, version\n"
    )
    assert run("help", "stat", "list").returncode == USAGE
    assert not man.exists()


def test_the_manual_of_all_commands_names_the_page_of_each():
    text = pathlib.Path(TOP / "Documentation/pstat.1.adoc").read_text(encoding="utf-8")
    for command in [*COMMANDS, "help", "version"]:
        assert f"\n*{command}*" in text
