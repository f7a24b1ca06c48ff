# SPDX-License-Identifier: GPL-2.0-only
"""Names that other users choose are never printed with control characters, in any output. Their
UTF-8 characters are kept."""

import json
import os
import pathlib
import re
import subprocess

import pytest

from native import cgroup_mount, run, wait_for

# ESC and BEL, C1 as a byte of its own and in UTF-8, DEL, a backspace, then two characters whose
# UTF-8 has bytes that would be C1
NASTY = b"\x1b[2J\x9b\xc2\x9b\x7f\x08\xc3\x9b\xc3\xa9"
SHOWN = "?[2J????\u00db\u00e9"
# newlines end rows, and tabs separate columns
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def is_clean(text):
    """Checks that `text` is safe for a terminal: UTF-8 without control characters and without
    invalid bytes."""
    assert not CONTROL.search(text.decode("utf-8")), text
    return text.decode("utf-8")


def shown_by(*args, **popen):
    done = run(*args, text=False, **popen)
    assert done.returncode == 0, done.stderr
    return is_clean(done.stdout) + is_clean(done.stderr)


@pytest.fixture
def nasty(spawn):
    """Starts a shell that gives itself this name and then runs commands."""

    def start(command="read line"):
        process = spawn(
            ["sh", "-c", f"printf %s \"$0\" >/proc/$$/comm; {command}",
             os.fsdecode(NASTY)], stdin=subprocess.PIPE)
        wait_for("name",
                 lambda: pathlib.Path(f"/proc/{process.pid}/comm").read_bytes() == NASTY + b"\n")
        return process

    return start


@pytest.mark.parametrize("form", [[], ["-x,"], ["-x", "\t"], ["-I", 20], ["-I", 20, "-x;"],
                                  ["--metric-only"], ["--metric-only", "-x,"]])
def test_the_name_of_a_process_is_shown_without_control_characters(nasty, form):
    process = nasty("while :; do :; done")
    text = shown_by("-p", process.pid, "--per-thread", "--timeout", 60, "-e", "task-clock,cs",
                    *form)
    assert f"{SHOWN}-{process.pid}" in text


def test_the_name_of_a_process_is_escaped_in_json(nasty):
    lines = shown_by("-p",
                     nasty().pid, "--per-thread", "--timeout", 60, "-e", "task-clock",
                     "-j").splitlines()
    assert json.loads(lines[0])["thread"].startswith("\x1b[2J\ufffd\x9b\x7f\b\u00db")


@pytest.mark.parametrize("form", [[], ["-x,"], ["-x,", "-I", 20]])
def test_the_name_of_a_cgroup_is_shown_without_control_characters(cgroup, form):
    group = cgroup("nasty")
    nasty = os.fsencode(cgroup_mount() / group) + b"/" + NASTY
    os.mkdir(nasty)
    try:
        text = shown_by("-a", "--timeout", 60, "-e", "cs", "--for-each-cgroup", f"^{group}/.*J",
                        *form)
    finally:
        os.rmdir(nasty)
    assert f"{group}/{SHOWN}" in text


@pytest.mark.parametrize("form", [[], ["-x,"], ["-v"]])
def test_the_name_of_an_event_is_shown_without_control_characters(form):
    event = b"cpu-clock/name='" + NASTY + b"'/"
    assert SHOWN in shown_by("-e", os.fsdecode(event), *form, "true")


def test_a_field_that_needs_quotes_is_still_quoted():
    assert run("-x,", "-e", "cpu-clock/name='a,\x1bb'/",
               "true").stderr.split(",msec,")[1].startswith('"a,?b",')


def test_answers_to_control_commands_have_no_control_characters(controlled_with_nasty_event):
    text = is_clean(controlled_with_nasty_event)
    assert (
        f"{SHOWN}: type: 1" in text
        and f"failed: can't find '{SHOWN}' event" in text
        and f"'{SHOWN}': not a command" in text
    )


@pytest.fixture
def controlled_with_nasty_event(tmp_path):
    """Covers the answers to commands that name such an event, and to commands that do not exist."""
    fifo = tmp_path / "commands"
    os.mkfifo(fifo)
    with open(fifo, "r+b", buffering=0) as commands:
        commands.write(
            b"\n".join((b"evlist -v", b"evlist -g", b"enable " + NASTY, NASTY, b"stop", b""))
        )
        done = run("--control", f"fifo:{fifo}", "-a", "-e",
                   os.fsdecode(b"{cpu-clock/name='" + NASTY + b"x'/,cs}"), text=False)
    return done.stderr.replace(b"x: type", b": type")


def test_stacks_that_scripts_fold_have_no_control_characters(sampling, nasty):
    assert SHOWN in shown_by("profile", "-p",
                             nasty("while :; do :; done").pid, "--folded", "--timeout", 300)


def test_errors_about_a_command_have_no_control_characters():
    done = run(os.fsdecode(NASTY), text=False)
    assert SHOWN in is_clean(done.stderr)
    done = run("-e", os.fsdecode(NASTY), "true", text=False)
    is_clean(done.stderr)
