# SPDX-License-Identifier: GPL-2.0-only
"""If the kernel refuses an event, a session prints the command line that finds the reason."""

import errno
import json
import os
import pty
import re
import shlex
import subprocess

import pytest

from native import FAILED, PATIENCE, PSTAT, USAGE, run

BAD = "mem:0x1001/8:rw"
HOOK = "echo 'it'\"s\" $0; true"


def on_a_terminal(*words):
    """Runs pstat with a terminal as its stderr. Returns what it printed there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([PSTAT, *words], stderr=theirs, stdout=subprocess.DEVNULL) as process:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError as error:  # EIO means that the other end is closed
            assert error.errno == errno.EIO
        process.wait(PATIENCE)
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def hints(text):
    return re.findall(r"^pstat: to find out why, run: (.*)$", text, re.M)


def test_a_session_on_a_terminal_prints_the_command_that_finds_the_reason():
    words = "-r", "2", "-e", BAD, "--post", HOOK
    hint, = hints(on_a_terminal(*words, "--", "true", "some", "words"))
    assert shlex.split(hint) == ["pstat", "why", *words, "--", "true"], hint
    done = subprocess.run(["sh", "-c", hint.replace("pstat", PSTAT, 1)], capture_output=True,
                          text=True, check=False, timeout=PATIENCE)
    assert done.returncode == FAILED and done.stdout.startswith("mem:0x1001: refused "), done


@pytest.mark.parametrize("words", [(), ("-x,",), ("-j",)])
def test_no_command_is_printed_if_a_program_reads_the_rows(words):
    assert not hints(run(*words, "-e", BAD, "true").stderr)
    assert len(hints(run(*words, "-v", "-e", BAD, "true").stderr)) == 1


def test_there_is_no_hint_if_nothing_was_refused():
    assert "pstat why" not in on_a_terminal("-v", "-e", "cs:u", "true")


def test_a_session_without_rows_always_prints_the_command():
    done = run("profile", "-e", "mem:0x1001/8:w", "-F", "99", "--", "true", "word")
    assert done.returncode == FAILED
    assert hints(done.stderr) == ["pstat why profile -e mem:0x1001/8:w -F 99 -- true"], done


def test_v_twice_prints_the_answer():
    done = run("-vv", "-e", f"cs:u,{BAD}", "true")
    head, answer = done.stderr.split(f"pstat: pstat why -vv -e cs:u,{BAD} true prints:\n")
    assert "\ncs:u: opens\nmem:0x1001: refused for a command (EINVAL)\n" in f"\n{answer}", answer
    assert "  it opens     for a length of 1 byte\n" in answer and not hints(head + answer)


def test_the_word_stat_or_profile_determines_the_options_of_why():
    """A profile opens events with a period, which other events refuse."""
    event, way = json.loads(run("why", "profile", "-j", "-e", "cpu-clock:u", "-a").stdout)
    assert event["opens"] and way["what"] == "samples (pstat profile)"
    assert json.loads(run("why", "stat", "-j", "-e", "cpu-clock:u", "-a").stdout) == [event]
    assert run("why", "profile", "--per-core").returncode == USAGE
    assert run("why", "stat", "--folded").returncode == USAGE


def test_cpus_of_another_pmu_cannot_open_the_event(machine_of):
    def answer(*words):
        done = machine_of("alderlake").run([PSTAT, "why", "-j", "-C", "20", *words, "true"])
        assert done.returncode == FAILED
        return json.loads(done.stdout)

    assert answer("-e", "cpu_core/cycles/") == [{
        "event": "cpu_core/cycles/", "opens": False, "opens_with": [],
        "cause": "the PMU cpu_core has none of the CPUs of -C",
        "remedy": "count CPUs of this PMU: 0-15"}]
    rows = {row["pmu"]: row["opens"] for row in answer("-e", "cycles")}
    assert rows == {"cpu_core": False, "cpu_atom": True}
