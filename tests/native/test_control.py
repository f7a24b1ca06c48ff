# SPDX-License-Identifier: GPL-2.0-only
"""Counting that begins later, or that is enabled and disabled while it runs: -D and --control."""

import contextlib
import os
import re
import signal
import subprocess
import time

import pytest

from controlled import Controlled
from native import (IN_C, PATIENCE, PSTAT, csv_rows, csv_values, elapsed, interval_rows, run, shown,
                    start, std_count, wait_until_counting, workload)


@pytest.fixture(params=["fd", "fifo"])
def controlled(request):
    with contextlib.ExitStack() as running:
        yield lambda *args: running.enter_context(
            Controlled(*args, fifos=("ctl", "ack") if request.param == "fifo" else None))


# ---- --control ----


def test_each_command_is_acknowledged(controlled):
    pstat = controlled("-a", "-e", "cs")
    for word in ("ping", "disable", "enable", "evlist", "ping", "stop"):
        pstat.ask(word)
    done = pstat.end()
    assert done.returncode == 0
    head, _, rest = done.stderr.partition("\n\n")
    assert head.splitlines() == ["Events disabled", "Events enabled", "cs"]
    assert "Performance counter stats for 'system wide'" in rest


def test_nothing_counts_until_enable_and_all_between_it_and_disable(controlled, madvise):
    """The workload makes a known number of calls in each phase. Only the calls in phases in which
    the events are enabled are counted."""
    pstat = controlled("-D", "-1", "-x,", "-a", "-e", madvise)
    subprocess.run(workload("faults", 700), check=True)
    pstat.ask("enable")
    subprocess.run(workload("faults", 1234), check=True)
    pstat.ask("disable")
    subprocess.run(workload("faults", 900), check=True)
    pstat.ask("enable")
    subprocess.run(workload("faults", 66), check=True)
    pstat.ask("stop")
    done = pstat.end()
    assert done.stderr.splitlines()[:4] == [
        "Events disabled", "Events enabled", "Events disabled", "Events enabled"
    ]
    value = csv_values(done.stderr.splitlines()[-1])[madvise]
    # Other processes of this machine may also call madvise(2).
    assert 1300 <= value < 1366 + 66


def test_time_that_was_not_counted_is_not_in_the_clocks(controlled):
    pstat = controlled("-D", "-1", "-x,", "-a", "-e", "duration_time")
    asked, answered = [], []
    time.sleep(0.1)
    for word in ("enable", "disable", "stop"):
        asked.append(time.monotonic())
        pstat.ask(word)
        answered.append(time.monotonic())
        time.sleep(0.1)
    value = csv_values(pstat.end().stderr.splitlines()[-1])["duration_time"] / 1e9
    # Both times are from the same clock. The events are enabled after the command has arrived and
    # before pstat answers.
    assert 0.1 <= asked[1] - answered[0] <= value <= answered[1] - asked[0]


def test_the_elapsed_time_includes_time_that_was_not_counted(controlled):
    """As in perf, the elapsed time begins when pstat starts."""
    pstat = controlled("-D", "-1", "-a", "-e", "cs")
    pstat.ask("ping")
    begun = time.monotonic()
    time.sleep(0.1)
    pstat.ask("enable")
    waited = time.monotonic() - begun
    pstat.ask("stop")
    assert float(re.search(r"([\d.]+) seconds time elapsed", pstat.end().stderr)[1]) >= waited


def test_a_switch_ends_an_interval(controlled):
    pstat = controlled("-x,", "-a", "-I", 600000, "-e", "cpu-clock")
    pstat.ask("disable")
    time.sleep(0.05)
    pstat.ask("enable")
    time.sleep(0.05)
    pstat.ask("stop")
    lines = pstat.end().stderr.splitlines()
    assert lines[0] == "Events disabled" and "Events enabled" in lines
    rows = interval_rows("\n".join(line for line in lines if not line.startswith("Events")))
    assert [value is None for _, _, value in rows] == [False, True, False]


def test_several_lines_may_come_together_and_the_last_newline_may_be_missing(controlled):
    pstat = controlled("-a", "-e", "cs")
    pstat.send("ping\nping\0disable\n")
    for _ in range(3):
        pstat.answer()
    pstat.send("ena")
    pstat.send("ble")
    pstat.answer()
    pstat.send("stop")
    pstat.answer()
    assert pstat.end().returncode == 0


def test_a_line_that_is_not_a_command_is_reported_and_not_acknowledged(controlled):
    pstat = controlled("-a", "-e", "cs")
    pstat.send("enablecs\nstep\nping me\n" + "x" * 600 + "\n")
    pstat.ask("stop")
    done = pstat.end()
    assert done.returncode == 0
    for words in ("'enablecs': not a command", "'step': not a command", "'ping me': not a command",
                  "a line of more than"):
        assert words in done.stderr


def test_events_are_listed_in_the_requested_form(controlled):
    pstat = controlled("-a", "-e", "{cs,task-clock}", "-e", "page-faults:u,duration_time")
    for option in ("-g", "-F", "-v", "-x", ""):
        pstat.ask(f"evlist {option}")
    pstat.ask("stop")
    lines = pstat.end().stderr.split("\n\n", maxsplit=1)[0].splitlines()
    size = re.search(r"size: (\d+)", lines[7])[1]
    assert lines == [
        "{cs,task-clock}", "page-faults:u", "duration_time",
        *(f"{name}: sample_period=0"
          for name in ("cs", "task-clock", "page-faults:u", "duration_time")),
        f"cs: type: 1, size: {size}, config: 0x3, exclude_guest: 1",
        f"task-clock: type: 1, size: {size}, config: 0x1, exclude_guest: 1",
        f"page-faults:u: type: 1, size: {size}, config: 0x2, exclude_kernel: 1, "
        "exclude_hv: 1, exclude_guest: 1", "duration_time", "failed: wrong command",
        "failed: wrong command",
    ]


def test_an_event_can_be_switched_by_its_name_when_it_is_the_only_one(controlled, madvise):
    pstat = controlled("-D", "-1", "-x,", "-a", "-e", madvise)
    for word in (f"enable {madvise}", "disable no-such-event"):
        pstat.ask(word)
    subprocess.run(workload("faults", 1234), check=True)
    pstat.ask(f"disable {madvise}")
    subprocess.run(workload("faults", 900), check=True)
    pstat.ask("stop")
    lines = pstat.end().stderr.splitlines()
    assert lines[:-1] == [
        "Events disabled", "Events enabled", "failed: can't find 'no-such-event' event",
        "Events disabled"
    ]
    assert 1234 <= csv_values(lines[-1])[madvise] < 1234 + 900


def test_a_single_event_among_several_is_not_enabled_and_causes_a_warning(controlled):
    """pstat still acknowledges the command, as perf does if a command fails."""
    pstat = controlled("-D", "-1", "-a", "-e", "cs,task-clock")
    pstat.ask("enable cs")
    pstat.ask("stop")
    done = pstat.end()
    assert ("pstat: --control: event 1: a single event cannot be enabled or disabled if pstat "
            "counts several events\n" in done.stderr)
    assert std_count(done.stderr, "cs") is None and std_count(done.stderr, "task-clock") is None


def test_stop_ends_a_command_and_is_not_a_failure(controlled):
    pstat = controlled("-e", "task-clock", *workload("spin", 10**15))
    pstat.ask("ping")
    pstat.ask("stop")
    done = pstat.end()
    assert done.returncode == 0
    assert std_count(done.stderr, "task-clock") > 0
    assert elapsed(done.stderr) < PATIENCE / 2


def test_the_count_continues_if_the_controller_exits():
    with Controlled("-e", "cs", "sleep", "0.3") as pstat:
        pstat.to.close()
        done = pstat.end()
    assert done.returncode == 0
    assert elapsed(done.stderr) >= 0.3


def test_a_controller_that_does_not_read_answers_does_not_end_the_count():
    with Controlled("-a", "-e", "cs") as pstat:
        pstat.back.close()
        pstat.send("ping\nstop\n")
        done = pstat.end()
    assert done.returncode == 0
    assert "cannot acknowledge a command: Broken pipe" in done.stderr
    assert "Performance counter stats" in done.stderr


def test_a_command_can_control_its_own_count(madvise):
    """The command inherits the descriptors. Only its calls between enable and disable are
    counted."""
    faults = " ".join(workload("faults", 500))
    # `read` is built into the shell, so no process is forked while the event is being enabled. The
    # kernel may not count a process that is forked at that moment.
    script = (
        f"{faults}; echo enable >&9; read answer <&8; {faults}; echo disable >&9; read answer <&8;"
        f" {faults}"
    )
    os.mkfifo("ctl")
    os.mkfifo("ack")
    wrapper = f'exec 9<>ctl 8<>ack; exec "$0" -x, -D -1 --control fd:9,8 -e {madvise} sh -c "$1"'
    done = subprocess.run(["sh", "-c", wrapper, PSTAT, script], capture_output=True, text=True,
                          check=True, timeout=PATIENCE, env={**os.environ, **IN_C})
    assert csv_values(done.stderr.splitlines()[-1])[madvise] == 500


@pytest.mark.parametrize("text, words",
                         [("", "write it as fd:"), ("x", "write it as fd:"),
                          ("fd", "write it as fd:"), ("fd:", "'' is not the number"),
                          ("fd:x", "'x' is not the number"), ("fd:0,", "'' is not the number"),
                          ("fd:0,x", "'x' is not the number"),
                          ("fifo:", "there is no named pipe '': make"),
                          ("fifo:missing", "no named pipe missing: make one with mkfifo"),
                          ("fifo:/dev/null", "is not a named pipe"), ])
def test_an_input_that_cannot_provide_commands_is_refused(text, words):
    done = run("--control", text, "touch", "it-ran")
    assert done.returncode == 129
    assert done.stderr.startswith(f"pstat: --control {shown(text)}: ") and words in done.stderr
    assert not os.path.exists("it-ran")


@pytest.mark.parametrize("text, missing", [("fd:977", "977"), ("fd:0,977", "977"),
                                           ("fd:977,0", "977"), ("fd:976,977", "976"),
                                           ("fd:-1", "-1"), ("fd:9999999999", "9999999999"), ])
@pytest.mark.parametrize("options", [[], ["-a"], ["-D", "1"], ["-I", "1000"], ["-r", "2"]])
def test_a_descriptor_that_is_not_open_is_ignored(text, missing, options):
    """perf also counts, but prints no warning."""
    done = run("-x,", *options, "-e", "cs", f"--control={text}", "touch", "it-ran")
    assert done.returncode == 0 and os.path.exists("it-ran")
    assert done.stderr.startswith(
        f"pstat: --control {text}: file descriptor {missing} is not open\n")
    assert csv_rows(done.stderr)[-1][2 + ("-I" in options)] == "cs"


def test_commands_reach_pstat_if_only_the_answers_have_no_destination():
    read, write = os.pipe()
    os.write(write, b"ping\nstop\n")
    done = run("-x,", "-e", "cs", "--control", f"fd:{read},977", "sleep", "100", pass_fds=[read])
    os.close(read)
    os.close(write)
    assert "977 is not open" in done.stderr and csv_rows(done.stderr)[-1][2] == "cs"


# ---- -D ----


def test_events_before_the_end_of_the_delay_are_not_counted(madvise):
    """The command calls the system call before and after the end of the delay."""
    faults = " ".join(workload("faults", 400))
    done = run("-x,", "-D", 300, "-e", madvise, "sh", "-c", f"{faults}; sleep 0.6; {faults}")
    assert done.stderr.splitlines()[:2] == ["Events disabled", "Events enabled"]
    assert csv_values(done.stderr.splitlines()[2])[madvise] == 400


def test_time_begins_when_the_delay_is_over():
    began = time.monotonic()
    with start("-D", 200, "-e", "task-clock", "sleep", "0.5") as process:
        assert process.stderr.readline() == "Events disabled\n"
        assert process.stderr.readline() == "Events enabled\n"
        late = time.monotonic() - began
        err = process.stderr.read()
        took = time.monotonic() - began
    # The elapsed time is the time from the end of the delay to the end of the command. The delay
    # ends no later than pstat reports.
    assert 0.5 - late <= elapsed(err) <= took - 0.2


def test_intervals_begin_when_the_delay_is_over():
    began = time.monotonic()
    done = run("-x,", "-D", 100, "-I", 100, "-a", "--interval-count", 3, "-e", "duration_time")
    took = time.monotonic() - began
    rows = interval_rows("\n".join(done.stderr.splitlines()[2:]))
    assert len(rows) == 3
    assert all(at >= 0.1 * (n + 1) for n, (at, _, _) in enumerate(rows))
    assert rows[-1][0] <= took - 0.1 and sum(value for _, _, value in rows) / 1e9 <= took - 0.1


def test_a_time_limit_begins_when_the_delay_is_over():
    began = time.monotonic()
    done = run("-D", 200, "--timeout", 200, "-a", "-e", "cs")
    assert time.monotonic() - began > 0.4
    assert elapsed(done.stderr) >= 0.2


def test_a_delay_of_zero_is_no_delay():
    done = run("-D", 0, "-e", "page-faults", "true")
    assert "Events" not in done.stderr
    assert std_count(done.stderr, "page-faults") > 0


def test_a_command_that_ends_before_the_delay_does_not_wait_for_it():
    began = time.monotonic()
    done = run("-D", 60000, "-e", "cs", "sh", "-c", "exit 3")
    assert time.monotonic() - began < PATIENCE / 2
    assert done.returncode == 3
    assert "the count ended during the delay of -D: nothing was counted" in done.stderr
    assert std_count(done.stderr, "cs") is None


def test_a_signal_ends_a_delay_with_a_report():
    with start("-D", 60000, "-a", "-e", "cs") as process:
        wait_until_counting(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGINT
    assert std_count(err, "cs") is None


def test_enable_ends_a_delay_and_disable_cancels_it(controlled):
    pstat = controlled("-D", 600000, "-a", "-e", "duration_time", "-x,")
    pstat.ask("disable")
    pstat.ask("enable")
    pstat.ask("stop")
    done = pstat.end()
    assert done.stderr.splitlines()[:3] == ["Events disabled", "Events disabled", "Events enabled"]
    assert csv_values(done.stderr.splitlines()[3])["duration_time"] < PATIENCE * 1e9


@pytest.mark.parametrize("text", ["-2", "x", "", "1.5", "604800001"])
def test_a_delay_must_be_a_number(text):
    done = run("-D", text, "true")
    assert done.returncode == 129
    assert re.match(rf"pstat: -D {re.escape(shown(text))}: .*whole number from 0", done.stderr)


@pytest.mark.parametrize("options", [["-D", 60000], ["-D", -1]])
def test_the_reason_why_nothing_was_enabled_is_not_in_a_row(options):
    """Text reports contain the reason. Between rows for programs, only -v prints it."""
    told = [
        run(*options, *rows, "-e", "cs", "true").stderr.count("pstat: ")
        for rows in ([], ["-x,"], ["-j"], ["-vx,"])
    ]
    assert told == [1, 0, 0, 1]


def test_pstat_warns_if_nothing_can_enable_the_count(controlled):
    words = "pstat: with -D -1, only --control enables the events, so nothing was counted: "
    done = run("-D", -1, "-e", "cs", "true")
    assert done.returncode == 0 and words in done.stderr
    pstat = controlled("-D", -1, "-a", "-e", "cs")
    pstat.ask("stop")
    assert words not in pstat.end().stderr


def test_rows_of_a_disabled_count_say_that_nothing_was_counted():
    done = run("-x,", "-D", "-1", "-e", "cs,task-clock", "true")
    assert [row[0] for row in csv_rows(done.stderr)[1:]] == ["<not counted>"] * 2
