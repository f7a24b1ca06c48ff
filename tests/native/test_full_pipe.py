# SPDX-License-Identifier: GPL-2.0-only
"""A pipe that nobody reads: pstat waits for the reader until a signal asks pstat to end."""

import os
import signal
import termios

import pytest

from native import PATIENCE, children_of, full_pipe, is_held_by_a_pipe, start, state_of, wait_for

CLOCK = ("-e", "task-clock")
REPORTS = {
    "stat": (CLOCK, ("true",), "stderr"),
    "stat -j": ((*CLOCK, "-j"), ("true",), "stderr"),
    "stat --log-fd": (CLOCK, ("true",), "--log-fd"),
    "stat -I": ((*CLOCK, "-I", 50), ("sleep", 60), "stderr"),
    "stat -v": ((*CLOCK, "-v"), ("true",), "stderr"),
    "profile": (("profile", "-e", "cpu-clock:u"), ("true",), "stdout"),
    "profile -j": (("profile", "-e", "cpu-clock:u", "-j"), ("true",), "stdout"),
    "profile -I": (("profile", "-e", "cpu-clock:u", "-I", 50), ("sleep", 60), "stdout"),
}


@pytest.fixture
def held(request):
    """Starts pstat, and waits until a full pipe holds it. Returns pstat and the read end of the
    pipe."""
    read, write = full_pipe()
    options, command, where = REPORTS[request.param]
    if options[0] == "profile":
        request.getfixturevalue("sampling")
    popen = {"pass_fds": [write]} if where == "--log-fd" else {where: write}
    log = ("--log-fd", write) if where == "--log-fd" else ()
    with start(*options, *log, *command, **popen) as pstat:
        os.close(write)
        wait_for("a pipe holds pstat",
                 lambda: pstat.poll() is not None or is_held_by_a_pipe(pstat.pid))
        assert pstat.poll() is None
        yield pstat, read
        pstat.kill_all()
    os.close(read)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("held", REPORTS, indirect=True)
def test_a_signal_ends_pstat(held, number):
    pstat, _ = held
    children = children_of(pstat.pid)
    pstat.send_signal(number)
    assert pstat.wait(timeout=PATIENCE) == -number
    for child in children:
        wait_for("its command has ended", lambda: state_of(child) in ("", "Z"))


@pytest.mark.parametrize("held", ["stat", "profile"], indirect=True)
def test_without_a_signal_the_reader_gets_all(held):
    pstat, read = held
    text = b""
    while piece := os.read(read, 65536):
        text += piece
    assert pstat.wait(timeout=PATIENCE) == 0
    assert b"task-clock" in text or b"cpu-clock" in text, text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_pstat_when_the_terminal_is_stopped(number):
    """^S stops the output to a terminal."""
    master, terminal = os.openpty()
    termios.tcflow(terminal, termios.TCOOFF)
    try:
        with start(*CLOCK, "true", stderr=terminal) as pstat:
            wait_for("the terminal holds pstat",
                     lambda: pstat.poll() is not None or is_held_by_a_pipe(pstat.pid))
            pstat.send_signal(number)
            assert pstat.wait(timeout=PATIENCE) == -number
    finally:
        os.close(master)
        os.close(terminal)
