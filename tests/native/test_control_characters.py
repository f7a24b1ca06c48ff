# SPDX-License-Identifier: GPL-2.0-only
"""Names that other users choose are never printed with control characters, in any output. Their
UTF-8 characters are kept."""

import json
import os
import pathlib
import re
import subprocess

import pytest

import hostile_elf
from native import cgroup_mount, run, wait_for, workload

# ESC and BEL, a C1 character as a single byte and in UTF-8, DEL, and a backspace. Then two
# characters whose UTF-8 contains bytes that would be C1.
NASTY = b"\x1b[2J\x9b\xc2\x9b\x7f\x08\xc3\x9b\xc3\xa9"
SHOWN = "?[2J????\u00db\u00e9"
# Newlines end rows, and tabs separate columns.
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


@pytest.fixture
def nasty_map(spawn):
    """Returns the ID of a process whose map has compiled functions with such names."""
    process = spawn(workload("jit-loop", 0))
    path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
    wait_for("the map is there", lambda: path.exists() and path.read_bytes().count(b"\n") == 2)
    path.write_bytes(re.sub(rb"^(\S+ \S+ ).*$", lambda line: line[1] + NASTY, path.read_bytes(),
                            flags=re.M))
    yield process.pid
    path.unlink()


@pytest.mark.parametrize("form", [[], ["--folded"], ["-x,"], ["--lines"]])
def test_names_of_compiled_functions_are_shown_without_control_characters(sampling, nasty_map,
                                                                          form):
    text = shown_by("profile", "-p", nasty_map, "--timeout", 300, "-e", "cpu-clock:u", "-c", 100000,
                    *form)
    assert SHOWN in text


def test_names_of_compiled_functions_are_escaped_in_json(sampling, nasty_map):
    text = shown_by("profile", "-p", nasty_map, "--timeout", 300, "-e", "cpu-clock:u", "-c", 100000,
                    "-j")
    names = {json.loads(line).get("function") for line in text.splitlines()}
    assert any(name and name.startswith("\x1b[2J\ufffd\x9b\x7f\b\u00db") for name in names), text


@pytest.fixture
def nasty_points(tmp_path):
    """Returns the paths of two programs. One has a function with such a name, and the other a USDT
    provider."""
    function, usdt = tmp_path / "function", tmp_path / "usdt"
    hostile_elf.write(function, hostile_elf.symbol(1), b"\0" + NASTY + b"\0")
    program = pathlib.Path(workload("scope-usdt")[0]).read_bytes()
    assert b"pstat_test\0" in program
    usdt.write_bytes(program.replace(b"pstat_test\0", NASTY[:8] + b"AB\0"))
    return function, usdt


@pytest.mark.parametrize("form", [[], ["-x,"], ["-j"], ["--hist"], ["-v"]])
def test_names_of_functions_and_usdt_points_are_shown_without_control_characters(
        nasty_points, form):
    function, usdt = nasty_points
    text = shown_by("--per-scope", "--scope", f"uprobe:{function}:*", "--scope",
                    f"usdt:{usdt}:begin..end", *form, "-e", "run_cnt,cs", "true")
    assert text.count("\\u001b[2J" if "-j" in form else SHOWN[:6]) >= 2, text


@pytest.mark.parametrize("form", [[], ["-j"]])
def test_lists_of_functions_and_usdt_points_have_no_control_characters(nasty_points, form):
    for path in nasty_points:
        text = shown_by("list", "scopes", *form, path)
        assert ("\\u001b[2J" if form else SHOWN[:6]) in text, text


def test_errors_about_points_have_no_control_characters(nasty_points):
    function, usdt = nasty_points
    name = os.fsdecode(NASTY)
    for scope in (f"uprobe:{function}:{name}x", f"usdt:{usdt}:{name}:nosuch..end", f"usdt:{name}",
                  f"uprobe:{function.parent}/{name}:main"):
        done = run("--scope", scope, "-e", "cs", "true", text=False)
        assert done.returncode and "?[2J" in is_clean(done.stderr), done.stderr


def test_errors_about_a_command_have_no_control_characters():
    done = run(os.fsdecode(NASTY), text=False)
    assert SHOWN in is_clean(done.stderr)
    done = run("-e", os.fsdecode(NASTY), "true", text=False)
    is_clean(done.stderr)
