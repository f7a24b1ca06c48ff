# SPDX-License-Identifier: GPL-2.0-only
"""The kernel closes tracepoints one after the other, and needs about 40 ms for each. pstat must not
make the user wait for this before the report, between repetitions, or after ^C."""

import contextlib
import os
import pathlib
import re
import select
import signal
import time

import pytest

from faults import SHIM
from native import (IN_C, LIBC, PATIENCE, children_of, csv_rows, default_signals, full_pipe,
                    is_held_by_a_pipe, proc_text, run, start, wait_for, wait_until_counting,
                    workload)

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
CLOSING = "pstat-closing"


@pytest.fixture
def tracepoints(tracefs):
    """Returns a function that lists this number of tracepoints for -e. Their events can be opened
    quickly."""
    found = sorted(path.name for path in (tracefs / "events/syscalls").glob("sys_enter_*"))
    if len(found) < 150:
        pytest.skip(f"probe: {tracefs}/events/syscalls has {len(found)} tracepoints for 150")
    return lambda number: ",".join(f"syscalls:{name}" for name in found[:number])


@pytest.fixture
def orphans():
    """Makes processes that pstat leaves behind children of the test, and ends them."""
    known = children_of(os.getpid())
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    for pid in set(children_of(os.getpid())) - set(known):
        with contextlib.suppress(ChildProcessError):
            os.kill(pid, signal.SIGCONT)
            os.waitpid(pid, 0)


def closing(pid):
    return [child for child in children_of(pid) if proc_text(child, "comm").strip() == CLOSING]


def read_report(pstat):
    for line in pstat.stderr:
        if "seconds time elapsed" in line:
            return
    raise AssertionError("there is no report")


def test_the_report_does_not_wait_and_sigint_ends_the_later_wait(tracepoints, orphans):
    with start("-e", tracepoints(150), "true") as pstat:
        read_report(pstat)
        helper, = wait_for("pstat waits", lambda: pstat.poll() is not None or closing(pstat.pid))
        pstat.send_signal(signal.SIGINT)
        assert pstat.wait(timeout=PATIENCE) == -signal.SIGINT
    assert helper in closing(os.getpid()), "pstat waited until all were closed"
    wait_for("the kernel has closed them", lambda: os.waitpid(helper, os.WNOHANG)[0])


def test_after_sigterm_pstat_does_not_wait(tracepoints, orphans):
    """`timeout 1 pstat ...` sends SIGTERM only once."""
    with start("-e", tracepoints(150), "sleep", "60") as pstat:
        wait_until_counting(pstat)
        pstat.terminate()
        read_report(pstat)
        assert pstat.wait(timeout=PATIENCE) == -signal.SIGTERM
    # The child process sets its name after the fork.
    wait_for("a child process of pstat closes the rest", lambda: closing(os.getpid()))


def test_a_signal_ends_pstat_while_a_full_pipe_holds_the_report(tracepoints, orphans):
    read, write = full_pipe()
    with start("-e", tracepoints(40), "true", stderr=write) as pstat:
        wait_for("a pipe holds pstat",
                 lambda: pstat.poll() is not None or is_held_by_a_pipe(pstat.pid))
        pstat.terminate()
        assert pstat.wait(timeout=PATIENCE) == -signal.SIGTERM
    os.close(write)
    os.close(read)


def test_a_process_that_shares_a_pipe_with_pstat_does_not_wait(tracepoints, orphans):
    """For example, a script opens a lock or a pipe for all its commands."""
    read_end, write_end = os.pipe()
    with start("-e", tracepoints(150), "true", pass_fds=[write_end]) as pstat:
        os.close(write_end)
        read_report(pstat)
        helper, = wait_for("pstat waits", lambda: pstat.poll() is not None or closing(pstat.pid))
        # The child changes its directory after it has closed everything except the tracepoints.
        wait_for("its child is ready", lambda: os.readlink(f"/proc/{helper}/cwd") == "/")
        os.kill(helper, signal.SIGSTOP)
        pstat.send_signal(signal.SIGINT)
        assert select.select([read_end], [], [], PATIENCE)[0], "the child still has the pipe open"
        assert os.read(read_end, 1) == b""
        assert pstat.wait(timeout=PATIENCE) == -signal.SIGINT
    os.close(read_end)
    assert helper in closing(os.getpid()), "it has closed all tracepoints already"


def test_the_exit_status_is_that_of_the_command_and_no_process_remains(tracepoints, orphans):
    known = children_of(os.getpid())
    done = run("-x,", "-e", tracepoints(40), "sh", "-c", "exit 3")
    assert done.returncode == 3
    assert len(csv_rows(done.stderr)) == 40, "there is no terminal on which to explain the wait"
    assert children_of(os.getpid()) == known


def test_between_repetitions_the_tracepoints_stay_open(tracepoints, scratch):
    """Otherwise each repetition would wait for the kernel to close them all."""
    listing = "for fd in /proc/$PPID/fd/*; do readlink $fd; done >>fds"
    done = run("-r", 2, "--post", listing, "-e", "cs," + tracepoints(20), "true")
    assert done.returncode == 0, done.stderr
    # After each of the two repetitions, only the tracepoints are open.
    assert pathlib.Path("fds").read_text(encoding="ascii").count("[perf_event]") == 2 * 20


@pytest.mark.parametrize("options", [["-r", 3], ["-r", 3, "-a"], ["-r", 2, "-I", 1000]])
def test_repetitions_whose_tracepoints_stay_open_are_counted_separately(options, madvise):
    done = run("-x,", *options, "-e", f"{{{madvise},syscalls:sys_exit_madvise}}",
               *workload("faults", 50))
    counts = [int(row[1] if "-I" in options else row[0]) for row in csv_rows(done.stderr)]
    assert counts and all(count == 50 or ("-a" in options and count > 50)
                          for count in counts), done.stderr


EXPLANATION = (r"pstat: all counts are printed; waiting for the kernel to close the 60 tracepoints "
               r"one after the other\r?\n")


def closed(tracepoints, *options, stderr, end):
    """Returns what pstat writes to the other end of `stderr`, and the seconds from its first row to
    its end."""
    with start(*options, "-e", tracepoints(60), "true", stderr=stderr,
               preexec_fn=default_signals) as pstat:
        os.close(stderr)
        text, shown = "", None
        with contextlib.suppress(OSError):  # EIO means that the other end of the terminal is closed
            while part := os.read(end, 65536):
                text += part.decode()
                shown = shown or ("syscalls:" in text and time.monotonic())
        pstat.wait(timeout=PATIENCE)
        took = time.monotonic() - shown if shown else 0
    os.close(end)
    return text, took


@pytest.mark.parametrize("options", [[], ["-x,"]], ids=" ".join)
@pytest.mark.parametrize("make_ends", [os.openpty, os.pipe], ids=["terminal", "pipe"])
def test_a_long_wait_is_explained_unless_a_program_reads_rows_from_stderr(
        tracepoints, options, make_ends):
    end, stderr = make_ends()
    text, took = closed(tracepoints, *options, stderr=stderr, end=end)
    explained = re.findall(EXPLANATION, text)
    if options and make_ends is os.pipe:
        assert not explained, text
        return
    assert took < 2 or len(explained) == 1, text
    assert took > 0.9 or not explained, text


def test_pstat_does_not_wait_itself_if_the_child_is_faster(tracepoints, monkeypatch):
    """If the child closed its copies of the fds first, the kernel would release the events when
    pstat closes its own copies, and pstat could neither explain the wait nor react to ^C."""
    if not SHIM.exists():
        pytest.skip(f"probe: {SHIM} is missing: make fault-shim")
    monkeypatch.setitem(IN_C, "LD_PRELOAD", str(SHIM))
    monkeypatch.setitem(IN_C, "FAULT_FORK_US", "200000")
    end, stderr = os.openpty()
    text, took = closed(tracepoints, stderr=stderr, end=end)
    # tracepoints that another process holds open are closed at once
    assert took < 2 or len(re.findall(EXPLANATION, text)) == 1, (took, text)
