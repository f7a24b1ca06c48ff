# SPDX-License-Identifier: GPL-2.0-only
"""How pstat ends: exit status, signals, and the fate of its command."""

import os
import re
import resource
import signal
import subprocess

import pytest

from native import (FAILED, PATIENCE, children_of, cpu_seconds, full_pipe, is_held_by_a_pipe,
                    proc_text, run, shown, start, state_of, std_count, wait_for,
                    wait_until_counting)

REPORT = " Performance counter stats for "


def as_a_shell_has_it(returncode):
    """Returns the status that a shell would report: the exit status, or 128 + N if signal N killed
    the process."""
    return 128 - returncode if returncode < 0 else returncode


# ---- exit status ----


@pytest.mark.parametrize("code", [0, 1, 2, 77, 126, 127, 128, 129, 234, 255])
def test_the_exit_status_is_that_of_the_command(code):
    done = run("-e", "cs", "sh", "-c", f"exit {code}")
    assert done.returncode == code
    assert REPORT in done.stderr and "pstat:" not in done.stderr


def test_with_intervals_the_exit_status_is_also_that_of_the_command():
    assert run("-I", 1000, "-e", "cs", "false").returncode == 1
    assert run("-a", "-e", "cs", "false").returncode == 1
    assert run("-x,", "-e", "cs", "false").returncode == 1


@pytest.mark.parametrize("command", ["no-such-command", "./missing", ""])
def test_a_command_that_is_not_found_exits_127(command):
    done = run("-e", "cs", command)
    assert done.returncode == 127
    assert done.stderr == f"pstat: {shown(command)}: cannot be run: No such file or directory\n"
    assert done.stdout == ""


def test_a_command_that_is_not_executable_exits_126(tmp_path):
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    for command in ("./plain", str(tmp_path)):
        done = run("-e", "cs", command)
        assert done.returncode == 126
        assert done.stderr == f"pstat: {command}: cannot be run: Permission denied\n"


def test_a_script_whose_interpreter_is_missing_exits_127(tmp_path):
    (tmp_path / "script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "script").chmod(0o755)
    assert run("-e", "cs", "./script").returncode == 127


def test_a_script_without_an_interpreter_runs_as_in_a_shell(tmp_path):
    (tmp_path / "script").write_text("echo $0 $1; exit 9\n")
    (tmp_path / "script").chmod(0o755)
    done = run("-e", "cs", "./script", "word")
    assert (done.stdout, done.returncode) == ("./script word\n", 9)


@pytest.mark.parametrize("name", ["HUP", "INT", "KILL", "SEGV", "TERM", "USR1"])
def test_a_command_that_signal_n_ends_exits_128_plus_n(name):
    done = run("-e", "cs", "sh", "-c", f"kill -{name} $$")
    number = getattr(signal, f"SIG{name}")
    assert done.returncode == 128 + number
    assert done.stderr.startswith(f"sh: {signal.strsignal(number)}\n")
    assert REPORT in done.stderr


# ---- signals ----

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_count_with_its_report(number):
    """The parent of pstat sees that the signal killed pstat."""
    with start("-a", "-e", "task-clock") as process:
        wait_until_counting(process)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -number
    assert std_count(err, "task-clock") > 0
    assert re.search(r"seconds time elapsed\n\n\Z", err)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_intervals_with_a_last_one(number):
    with start("-x,", "-a", "-I", 50, "-e", "cs") as process:
        first = process.stderr.readline()
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -number
    rows = (first + err).splitlines()
    assert len(rows) >= 2
    assert all(re.fullmatch(r"\d+\.\d{9},\d+,,cs,\d+,100\.00,,", row) for row in rows)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_count_of_a_process_and_not_the_process(number, spinner):
    target = spinner()
    with start("-p", target.pid, "-e", "task-clock") as process:
        wait_until_counting(process)
        used = cpu_seconds(target.pid)
        wait_for("the target runs", lambda: cpu_seconds(target.pid) > used)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -number
    assert std_count(err, "task-clock") > 0
    assert target.poll() is None


def running_command(process, name="sleep"):
    """Returns the PID of pstat's command as soon as it runs."""
    wait_until_counting(process)
    child = wait_for("pstat has a child", lambda: children_of(process.pid))[0]
    wait_for("the command runs", lambda: proc_text(child, "comm").strip() == name)
    return child


@pytest.mark.parametrize("options", [[], ["-a"], ["-I", 100]])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_pstat_ends_its_command(number, options):
    with start(*options, "-e", "task-clock", "sleep", "100") as process:
        child = running_command(process)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -number
    wait_for("the command has ended", lambda: state_of(child) in ("", "Z"))
    assert "task-clock" in err


@pytest.mark.parametrize("options", [[], ["-a"], ["-I", 100]])
def test_ctrl_c_ends_command_and_count_with_a_report(options):
    """The terminal sends SIGINT to pstat and to the command."""
    with start(*options, "-e", "task-clock", "sleep", "100", start_new_session=True) as process:
        child = running_command(process)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert as_a_shell_has_it(process.returncode) == 128 + signal.SIGINT
    wait_for("the command has ended", lambda: state_of(child) in ("", "Z"))
    assert "task-clock" in err


def test_a_command_may_use_ctrl_c_for_an_orderly_end_of_its_own():
    """pstat counts until the command ends, and returns the exit status of the command."""
    script = "trap 'echo bye; exit 4' INT; echo ready; while :; do sleep 0.01; done"
    with start("-e", "task-clock", "sh", "-c", script, start_new_session=True) as process:
        assert process.stdout.readline() == "ready\n"
        wait_until_counting(process)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (out, process.returncode) == ("bye\n", 4)
    assert std_count(err, "task-clock") > 0


def test_a_second_ctrl_c_ends_the_count_of_a_command_that_ignores_it():
    with start("-e", "task-clock", "sh", "-c", "trap '' INT; echo ready; exec sleep 100",
               start_new_session=True, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == "ready\n"
        child = running_command(process)
        try:
            os.killpg(process.pid, signal.SIGINT)
            # When the signal is no longer pending, pstat has received it.
            wait_for(
                "the first is taken",
                lambda: int(
                    re.search(r"^ShdPnd:\s+(\w+)", proc_text(process.pid, "status"), re.M)[1], 16
                )
                == 0,
            )
            wait_until_counting(process)
            os.killpg(process.pid, signal.SIGINT)
            assert process.wait(timeout=PATIENCE) == -signal.SIGINT
        finally:
            os.kill(child, signal.SIGKILL)


def test_nohup_keeps_the_count_going():
    with start("-x,", "-a", "-I", 20, "-e", "cs",
               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        process.stderr.readline()
        process.send_signal(signal.SIGHUP)
        lines = [process.stderr.readline() for _ in range(10)]
        process.kill()
    assert all(lines)


def test_sigint_ends_a_count_in_the_background_of_a_script():
    """A shell without job control makes processes that it starts with `&` ignore SIGINT. `kill
    -INT` must still end the count."""
    with start("-a", "-e", "task-clock",
               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as process:
        wait_until_counting(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGINT
    assert std_count(err, "task-clock") > 0


# ---- the command before it runs ----


def an_event_that_is_not_supported():
    """With -v, such an event makes pstat print a message after it has forked its child and
    before it starts the command."""
    for event in ("cycles", "cycles:G", "branch-misses", "cycles:ppp", "node-store-misses",
                  "LLC-prefetch-misses"):
        if "cannot be counted here" in run("-v", "-e", event, "true").stderr:
            return event
    pytest.skip("probe: pstat -v -e … true: this machine supports all of the events tried")


def test_pstat_that_is_killed_before_the_exec_leaves_no_child(scratch):
    """pstat waits while it reports an event, because nobody reads its standard error."""
    event = an_event_that_is_not_supported()
    read, write = full_pipe()
    try:
        with start("-v", "-e", event, "touch", "it-ran", stderr=write) as process:
            child = wait_for("pstat has a child", lambda: children_of(process.pid))[0]
            wait_for("pstat is held", lambda: is_held_by_a_pipe(process.pid))
            assert proc_text(child, "comm") == proc_text(process.pid, "comm")
            process.kill()
        wait_for("the child is gone", lambda: state_of(child) in ("", "Z"))
        assert not (scratch / "it-ran").exists()
    finally:
        os.close(read)
        os.close(write)


def test_a_command_whose_pstat_is_killed_continues():
    """The user needs the result of the command, and the command does not depend on pstat."""
    with start("-e", "cs", "sleep", "100", stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL) as process:
        child = running_command(process)
        process.kill()
        process.wait()
    try:
        wait_for("the command sleeps on", lambda: state_of(child) == "S")
    finally:
        os.kill(child, signal.SIGKILL)


def test_if_the_kernel_refuses_an_event_pstat_does_not_run_the_command():
    """The limit on open files is too low for the events."""
    done = run("-a", "-e", ",".join(["cs"] * 40), "touch", "it-ran", preexec_fn=limit_files)
    assert done.returncode == FAILED
    assert not os.path.exists("it-ran")
    assert re.search(
        r"^pstat: 40 events × \d+ CPUs: \d+ open files are needed, but this process "
        r"may open only 24$", done.stderr, re.M)
    assert "ulimit -n" in done.stderr


def limit_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("args", [["--timeout", 100], ["-I", 50, "--interval-count", 1]])
def test_a_signal_ends_the_wait_for_a_command_that_outlives_the_count(args, number):
    """The count has ended, but the command ignores SIGTERM and may run indefinitely."""
    with start(*args, "-e", "cs", "--", "sh", "-c", "trap '' INT TERM; echo ready; read line",
               stdin=subprocess.PIPE) as process:
        assert process.stdout.readline() == "ready\n"
        wait_for("the end of the count", lambda: counts_no_more(process.pid))
        process.send_signal(number)
        assert process.wait(timeout=PATIENCE) == -number
        process.stdin.close()


def counts_no_more(pid):
    """Checks whether pstat has closed all of its perf fds."""
    try:
        return not any("perf_event" in os.readlink(f"/proc/{pid}/fd/{fd}")
                       for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def while_it_opens(do):
    """Calls `do(pstat, child)` while pstat opens events. pstat waits there, because nobody reads
    its standard error. Returns the exit status of pstat."""
    event = an_event_that_is_not_supported()
    read, write = full_pipe()
    try:
        with start("-v", "-e", event, "touch", "it-ran", stderr=write) as process:
            os.close(write)
            child = wait_for("pstat has a child", lambda: children_of(process.pid))[0]
            wait_for("pstat is held", lambda: is_held_by_a_pipe(process.pid))
            do(process.pid, child)
            while os.read(read, 65536):
                pass
            return process.wait(timeout=PATIENCE)
    finally:
        os.close(read)


def test_a_signal_before_the_start_prevents_the_command(scratch):
    assert while_it_opens(lambda pstat, child: os.kill(pstat, signal.SIGTERM)) == -signal.SIGTERM
    assert not (scratch / "it-ran").exists()


def test_a_held_command_that_ctrl_c_ended_is_reported_as_ended(scratch):
    def end_child(pstat, child):
        os.kill(child, signal.SIGINT)
        wait_for("the child has ended", lambda: state_of(child) == "Z")

    assert while_it_opens(end_child) == 128 + signal.SIGINT
    assert not (scratch / "it-ran").exists()


def test_a_parent_that_ignores_its_children_does_not_hide_the_commands_end():
    done = run("-e", "cs", "sh", "-c", "exit 3",
               preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert done.returncode == 3
    assert std_count(done.stderr, "cs") is not None


def test_the_command_has_the_limits_with_which_pstat_was_started():
    limits = lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                        (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    assert run("-e", "cs", "sh", "-c", "ulimit -Sn", preexec_fn=limits).stdout == "256\n"


@pytest.mark.parametrize("closed", [1, 2])
def test_descriptors_that_the_caller_closed_are_closed_in_the_command(closed, scratch):
    """If these descriptors were /dev/null instead, the command's writes would seem to succeed."""
    done = run("-o", "counts", "-e", "task-clock", "sh", "-c",
               f"test -e /proc/self/fd/{closed} && exit 3; echo hi >&{closed}",
               preexec_fn=lambda: os.close(closed))
    assert done.returncode not in (0, 3)
    assert "task-clock" in (scratch / "counts").read_text(
        encoding="ascii"
    ), "and no file of pstat has that number"
