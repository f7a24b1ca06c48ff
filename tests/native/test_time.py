# SPDX-License-Identifier: GPL-2.0-only
"""Intervals and time limits: the number and the times of the rows, and that no count is lost
between them."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

import native
from native import (PATIENCE, count, elapsed, interval_rows, missed_intervals, run, start,
                    wait_until_counting, workload)

NOISE = 8
# The permitted delay of a row, in seconds, if no other process needs pstat's CPU.
LATE = 0.005
ATTEMPTS = 4


def times(rows):
    """Returns the times of the intervals, each once."""
    return sorted({row[0] for row in rows})


def lateness(rows, interval):
    """Returns by how much the latest row is late. A row that is early is an error."""
    late = [at - number * interval for number, at in enumerate(times(rows), 1)]
    assert min(late) >= 0, rows
    return max(late)


def on_time(*args):
    """Runs pstat with priority, so that hardly any other process can delay it. `waited` is the time
    in seconds during which the scheduler or a hypervisor kept pstat from running. pstat is not
    responsible for this delay."""
    stolen = stolen_seconds()
    with native.start(*args, preexec_fn=native.urgent) as process:
        native.wait_for(
            "pstat ends",
            lambda: os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG))
        delay = int(native.proc_text(process.pid, "schedstat").split()[1]) / 1e9
        out, err = process.communicate(timeout=native.PATIENCE)
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    done.waited = delay + stolen_seconds() - stolen
    return done


def stolen_seconds():
    """Returns the time during which a hypervisor ran other guests on the CPUs (steal time)."""
    cpus = pathlib.Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()
    return int(cpus[8]) / os.sysconf("SC_CLK_TCK")


def latest(*args, interval=0.1, rows=None):
    """Returns the greatest delay of the first rows, without the time that pstat waited for its
    CPU."""
    done = on_time(*args)
    return lateness(interval_rows(done.stderr)[:rows], interval) - done.waited


def in_time(late):
    """Calls `late` until its result, a delay or a distance of two clocks in seconds, is small
    enough, but at most ATTEMPTS times. A process can be late without priority, or if a hypervisor
    uses the CPU. But if the grid of intervals drifts or begins at the wrong moment, pstat is late
    every time."""
    measured = []
    for _ in range(ATTEMPTS):
        measured.append(late())
        if measured[-1] < LATE:
            return
    raise AssertionError(f"late by {measured} s")


def test_there_is_a_row_for_each_event_and_interval():
    done = run("-x,", "-a", "-I", 100, "--interval-count", 5, "-e", "cs,task-clock,page-faults")
    assert done.returncode == 0
    rows = interval_rows(done.stderr)
    assert [event for _, event, _ in rows] == ["cs", "task-clock", "page-faults"] * 5
    assert len(times(rows)) == 5


def test_intervals_lie_on_the_grid():
    in_time(lambda: latest("-x,", "-a", "-I", 100, "--interval-count", 5, "-e", "cs"))


def intervals_of_10_ms(number):
    """Returns the times at which intervals ended, and the number of missed intervals."""
    done = on_time("-vx,", "-a", "-I", 10, "--interval-count", number, "-e", "cs")
    at = times(interval_rows(done.stderr))
    assert len(at) == number
    return at, missed_intervals(done.stderr)


def test_the_grid_does_not_drift():
    """If the delay of an interval also delayed all later intervals, the hundredth interval would be
    a hundred times as late as the first one."""

    def late():
        at, missed = intervals_of_10_ms(100)
        return at[-1] - 0.01 * (100 + missed)

    in_time(late)


def test_a_thousand_intervals_end_where_the_grid_says():
    """Counts rows and missed intervals after 10 s. Each interval of the grid contains at most one
    row. The only exception is a row whose time is read at the moment at which the next interval
    begins."""

    def late():
        at, missed = intervals_of_10_ms(1000)
        assert len({int(when / 0.01) for when in at}) >= 998
        return at[-1] - 0.01 * (1000 + missed)

    in_time(late)


def test_the_grid_begins_with_the_count_of_a_command():
    in_time(lambda: latest("-x,", "-I", 50, "-e", "cs", "sleep", "0.23", interval=0.05, rows=4))


def test_the_clock_of_each_interval_is_its_length():
    def apart():
        """Returns the largest difference between the time of a row and duration_time."""
        done = on_time("-x,", "-a", "-I", 50, "--interval-count", 4, "-e", "duration_time")
        rows = interval_rows(done.stderr)
        begins = [0, *(at for at, _, _ in rows)]
        return max(abs(value / 1e9 - (at - begin))
                   for (at, _, value), begin in zip(rows, begins)) - done.waited

    in_time(apart)


def test_the_rows_of_intervals_add_up(madvise):
    """Events after the reading of an interval are in the next interval, and only once."""
    for n in (1000, 4000):
        done = run("-x,", "-I", 10, "-e", madvise, *workload("faults", "--pause", 7, n))
        rows = interval_rows(done.stderr)
        assert len(rows) >= 5
        assert sum(value or 0 for _, _, value in rows) == n


def test_the_rows_of_page_faults_add_up_too():
    argv = workload("faults", "--pause", 7, 3000)
    rows = interval_rows(run("-x,", "-I", 10, "-e", "page-faults", *argv).stderr)
    assert abs(sum(value or 0 for _, _, value in rows) - count("page-faults", *argv)) <= NOISE


def test_the_last_interval_is_the_remainder():
    """The command takes 0.5 s, and a little more until it has started and ended."""
    done = run("-vx,", "-I", 200, "-e", "cs", "sleep", "0.5")
    rows = interval_rows(done.stderr)
    assert rows[-1][0] >= 0.5
    assert len(rows) + missed_intervals(done.stderr) == int(rows[-1][0] / 0.2) + 1 >= 3
    assert rows[0][2] is not None and rows[1][2] is None and rows[-1][2] is not None


def test_a_command_that_ends_within_the_first_interval_has_one_interval():
    rows = interval_rows(run("-x,", "-I", 10000, "-e", "page-faults", "true").stderr)
    assert len(rows) == 1
    assert rows[0][0] < 10 and rows[0][2] > 0


def test_intervals_have_no_report_at_the_end():
    done = run("-a", "-I", 20, "--interval-count", 2, "-e", "cs")
    assert "Performance counter stats" not in done.stderr
    assert "elapsed" not in done.stderr


def test_each_interval_is_written_when_it_ends():
    """A reader must not have to wait until a buffer is full."""
    with start("-x,", "-a", "-I", 50, "-e", "cs") as process:
        began = time.monotonic()
        for _ in range(3):
            assert process.stderr.readline()
        assert process.poll() is None
        assert time.monotonic() - began < PATIENCE / 4
        process.terminate()


def test_a_command_continues_after_the_last_interval():
    done = run("-x,", "-I", 20, "--interval-count", 2, "-e", "cs", "sh", "-c",
               "sleep 0.2; echo done; exit 3")
    assert len(interval_rows(done.stderr)) == 2
    assert (done.stdout, done.returncode) == ("done\n", 3)


def test_missed_intervals_are_reported():
    """After missed intervals, the next row covers a longer time, and later rows are on the grid
    again."""

    def apart():
        with start("-vx,", "-a", "-I", 50, "--interval-count", 6, "-e", "duration_time",
                   preexec_fn=native.urgent) as process:
            first = process.stderr.readline()
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.32)
            process.send_signal(signal.SIGCONT)
            err = first + process.stderr.read()
        rows, missed = interval_rows(err), missed_intervals(err)
        assert len(rows) == 6
        assert missed >= 4
        assert rows[-1][0] // 0.05 == len(rows) + missed
        return abs(sum(value for _, _, value in rows) / 1e9 - rows[-1][0])

    in_time(apart)


@pytest.mark.parametrize("options, told", [
    (["-j"], False), (["-x,"], False), (["-j", "--log-fd", 2], False), (["-x,", "--quiet"], False),
    (["-jv"], True), (["-j", "-o", "file"], True), ([], True),
])
def test_no_message_is_between_rows_for_programs(options, told):
    with start(*options, "-a", "-I", 5, "-e", "cs") as process:
        wait_until_counting(process)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.02)
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
    assert (missed_intervals(err) > 0) == told == ("pstat:" in err), err


def test_a_time_limit_ends_a_command_without_a_failure():
    done = run("-e", "task-clock", "--timeout", 100, "sleep", "60")
    assert done.returncode == 0
    assert done.stderr.startswith(
        "sleep: Terminated\n\n Performance counter stats for 'sleep 60':\n")
    assert 0.1 <= elapsed(done.stderr) < PATIENCE / 2


def test_a_time_limit_does_not_delay_until_the_next_reading():

    def late():
        took = elapsed(on_time("-a", "-e", "cs", "--timeout", 50).stderr)
        assert took >= 0.05
        return took - 0.05

    in_time(late)


def test_a_command_that_ends_before_the_limit_has_its_own_exit_status():
    done = run("-e", "cs", "--timeout", 10000, "sh", "-c", "exit 5")
    assert done.returncode == 5
    assert elapsed(done.stderr) < 10


def test_a_command_may_handle_the_signal_of_the_time_limit():
    """A command may handle SIGTERM slowly and end with its own exit status."""
    script = "trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.01; done"
    done = run("-e", "cs", "--timeout", 400, "sh", "-c", script)
    assert done.stdout == "ready\nasked\n"
    assert done.returncode == 7


def test_a_time_limit_ends_intervals_with_a_shorter_one():
    done = run("-vx,", "-a", "-I", 100, "--timeout", 350, "-e", "cs")
    assert done.returncode == 0
    at = times(interval_rows(done.stderr))
    assert 0.35 <= at[-1]
    assert len(at) + missed_intervals(done.stderr) == int(at[-1] / 0.1) + 1


def test_a_time_limit_on_the_grid_ends_with_a_whole_interval():
    """The interval and the limit end at the same moment: the interval is printed once, and no
    empty interval follows."""
    done = on_time("-vx,", "-a", "-I", 100, "--timeout", 300, "-e", "duration_time")
    at = times(interval_rows(done.stderr))
    assert 0.3 <= at[-1]
    assert len(at) + missed_intervals(done.stderr) == int(at[-1] / 0.1 + 1e-6), at


def test_the_time_limit_begins_when_all_events_are_enabled():
    """The events are enabled one after the other, which takes longer than their reading at the
    end. duration_time is enabled last."""
    events = ",".join(["cs"] * 400 + ["duration_time"])
    for options in ([], ["-D", 20], ["-I", 100]):
        done = run("-x,", "-a", *options, "-e", events, "--timeout", 200)
        rows = [line.split(",") for line in done.stderr.splitlines()]
        counted = [int(row[row.index("ns") - 1]) for row in rows if "duration_time" in row]
        assert sum(counted) >= 200_000_000, (options, counted)


WAIT_FOR_SIGTERM = """
#include <signal.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
	struct timespec began, ended;
	sigset_t set;
	int sig;

	clock_gettime(CLOCK_MONOTONIC, &began);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &sig);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	printf("%f\\n", difftime(ended.tv_sec, began.tv_sec) +
			(ended.tv_nsec - began.tv_nsec) / 1e9);
	return 0;
}
"""


def test_the_time_limit_begins_after_the_exec(tmp_path):
    """The kernel enables the events of a command at its exec. Here, the search of PATH takes many
    ms, because each entry is a chain of symbolic links to an empty directory."""
    (tmp_path / "empty").mkdir()
    target = "empty"
    for name in [*(f"link{i}" for i in range(38)), "z"]:
        (tmp_path / name).symlink_to(target)
        target = name
    subprocess.run(["gcc", "-x", "c", "-", "-o", tmp_path / "wait-for-sigterm"],
                   input=WAIT_FOR_SIGTERM, text=True, check=True)
    path = ":".join(["z"] * 40000 + [str(tmp_path)])
    done = subprocess.run(
        [native.PSTAT, "-x,", "-e", "duration_time", "--timeout", "300", "wait-for-sigterm"],
        env={**os.environ, **native.IN_C, "PATH": path}, cwd=tmp_path, capture_output=True,
        text=True, check=True, timeout=PATIENCE, preexec_fn=native.urgent)
    exec_time = int(done.stderr.split(",")[0]) / 1e9 - 0.3
    assert exec_time > 0.02 and float(done.stdout) > 0.3 - exec_time / 2, done
