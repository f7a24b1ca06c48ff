# SPDX-License-Identifier: GPL-2.0-only
"""--start and --stop: the system calls between two points of a program are counted exactly."""

import json
import re
import subprocess
import time

import pytest

from native import (
    CONFLICT,
    FAILED,
    PATIENCE,
    PSTAT,
    USAGE,
    csv_rows,
    csv_values,
    interval_rows,
    run,
    start,
    workload,
)

PHASES = workload("gate-phases")[0]
TRACEFS = "/sys/kernel/tracing"
CALLS = "raw_syscalls:sys_enter"
BETWEEN = ["--start", f"usdt:{PHASES}:warm", "--stop", f"usdt:{PHASES}:done"]
pytestmark = pytest.mark.usefixtures("own_pins")


def count(*args, options=(), event=CALLS):
    """Returns the counts of the workload, by event."""
    done = run("-x,", "-e", event, *options, *workload("gate-phases", "-s", *args))
    assert done.returncode == 0, done.stderr
    return csv_values(done.stderr)


@pytest.mark.parametrize("event", [CALLS, f"{CALLS}:b"])
@pytest.mark.parametrize("points", [
    BETWEEN,
    ["--start", f"uprobe:{PHASES}:warm", "--stop", f"uprobe:{PHASES}:done"],
    ["--start", f"uprobe:{PHASES}:warm%return", "--stop", f"uprobe:{PHASES}:done"],
    ["--stop", f"usdt:{PHASES}:done", *BETWEEN],
])
def test_exactly_the_calls_between_the_points_are_counted(event, points):
    # A return probe is a system call since Linux 6.11.
    more = 1 if "return" in "".join(points) else 0
    counted = list(count(300, 1234, 500, options=points, event=event).values())[0]
    assert 1234 <= counted <= 1234 + more


@pytest.mark.parametrize("start, stop", [
    ("syscall:getpriority%return", "syscall:sched_get_priority_max"),
    ("tp:syscalls:sys_exit_getpriority", "tp:syscalls:sys_enter_sched_get_priority_max"),
])
def test_system_calls_and_tracepoints_start_and_stop(start, stop):
    # If a point is given twice, it is attached once.
    points = ["--start", start, "--stop", stop] * 2
    # The call that stops the count passes both tracepoints at its entry, in either order.
    assert count("-k", "-n", 20, 3, 100, 5, options=points)[CALLS] in (20 * 100, 20 * 101)
    runs = count("-k", "-n", 20, 3, 100, 5, event="run_cnt",
                 options=[*points, "--scope", f"uprobe:{PHASES}:run_between"])
    assert runs["run_cnt"] == 20


def test_a_further_start_resumes_and_a_further_stop_does_nothing():
    assert count("-n", 50, 3, 11, 5, options=BETWEEN)[CALLS] == 50 * 11
    twice = [*BETWEEN, "--start", f"uprobe:{PHASES}:warm", "--stop", f"uprobe:{PHASES}:done"]
    assert count("-n", 50, 3, 11, 5, options=twice)[CALLS] == 50 * 11


@pytest.mark.parametrize("times, before, between", [(1, 300000, 100000), (20, 20000, 20000)])
def test_a_thread_on_another_cpu_is_counted_for_the_time_between(times, before, between):
    """pstat estimates the count between the points. The thread prints the smallest and the largest
    possible number."""
    done = run("-x,", "-e", CALLS, *BETWEEN,
               *workload("gate-phases", "-s", "-t", "-n", times, before, between, before))
    least, most = map(int, done.stdout.split())
    beside = csv_values(done.stderr)[CALLS] - times * between
    assert 0.8 * least - 50 < beside < 1.2 * most + 50


def test_children_between_the_points_are_counted():
    counts = [count("-c", 3, calls, 5, options=BETWEEN)[CALLS] for calls in (100, 350)]
    assert counts[1] - counts[0] == 250 and 100 <= counts[0] < 130


@pytest.mark.parametrize("option, point, before, after", [
    ("--start", "warm", 0, 1),
    ("--stop", "done", 1, 0),
])
def test_each_of_the_options_can_be_given_alone(option, point, before, after):
    counts = [count(*turns, options=[option, f"usdt:{PHASES}:{point}"])[CALLS]
              for turns in ((0, 0, 0), (100, 1000, 10))]
    assert counts[1] - counts[0] == 1000 + 100 * before + 10 * after


def test_each_repetition_begins_before_its_first_start():
    done = run("-x,", "-r", 3, "-e", CALLS, "--start", f"usdt:{PHASES}:warm", "--stop",
               f"uprobe:{PHASES}:done", *workload("gate-phases", "-s", 7, 77, 7))
    assert csv_values(done.stderr)[CALLS] == 77
    assert "0.00%" in done.stderr


def test_intervals_have_only_the_time_between_the_points():
    done = run("-x,", "-I", 20, "-e", f"{CALLS},task-clock", *BETWEEN,
               *workload("gate-phases", "-s", "-n", 3, 400000, 1000, 400000))
    assert done.returncode == 0, done.stderr
    rows = interval_rows(done.stderr)
    assert sum(value or 0 for _, name, value in rows if name == CALLS) == 3000
    used = sum(value or 0 for _, name, value in rows if name == "task-clock")
    # the calls before and after take hundreds of times as long
    whole = run("-x,", "-e", "task-clock",
                *workload("gate-phases", "-s", "-n", 3, 400000, 1000, 400000))
    assert used < csv_values(whole.stderr)["task-clock"] / 10


def test_the_intervals_after_a_stop_without_a_start_are_empty():
    words = ["--stop", f"usdt:{PHASES}:done"]
    turns = ["-s", 1000, 300, 4000000]
    done = run("-x,", "-I", 20, "-e", CALLS, *words, *workload("gate-phases", *turns))
    assert done.returncode == 0, done.stderr
    counted = [value or 0 for _, name, value in interval_rows(done.stderr) if name == CALLS]
    once = csv_values(run("-x,", "-e", CALLS, *words, *workload("gate-phases", *turns)).stderr)
    assert sum(counted) == once[CALLS] and 1300 <= sum(counted) < 1400, done.stderr


def test_a_process_that_already_runs_is_counted():
    command = workload("gate-phases", "-s", "-n", 10, 5, 21, 5)
    with subprocess.Popen(["sh", "-c", 'read line; exec "$@"', "sh", *command],
                          stdin=subprocess.PIPE) as process, \
            start("-x,", "-e", CALLS, *BETWEEN, "--control", "fd:0", "-p", process.pid,
                  stdin=subprocess.PIPE) as pstat:
        # When pstat answers, it has opened its events.
        pstat.stdin.write("ping\nevlist\n")
        pstat.stdin.flush()
        assert CALLS in pstat.stderr.readline()
        process.communicate(b"\n")
        told = pstat.communicate(timeout=PATIENCE)[1]
    assert csv_values(told)[CALLS] == 210


def test_disabling_ends_only_one_interval():
    """After `disable` has ended an interval, the next start point begins one, and ends none."""
    with subprocess.Popen(workload("gate-phases", "-s", "-n", 100000, 10, 5000, 10)) as process, \
            start("-x,", "-I", 60000, "-e", CALLS, "--start", f"usdt:{PHASES}:warm", "--control",
                  "fd:0", "-p", process.pid, stdin=subprocess.PIPE) as pstat:
        def say(word):
            pstat.stdin.write(f"{word}\n")
            pstat.stdin.flush()
            time.sleep(0.3)

        for word in ("ping", "disable", "enable", "stop"):
            say(word)
        told = pstat.communicate(timeout=PATIENCE)[1]
        process.kill()
    rows = "\n".join(line for line in told.splitlines() if not line.startswith("Events"))
    assert len({at for at, _, _ in interval_rows(rows)}) == 2, told


@pytest.mark.parametrize("point, runs", [("warm", 0), ("done", 0), ("run_between", 20)])
def test_runs_of_scopes_count_between_the_points(point, runs):
    """warm() is called before the start point, and done() after the stop point."""
    done = run("-x,", "-e", "run_cnt", "--scope", f"uprobe:{PHASES}:{point}", "--start",
               f"usdt:{PHASES}:warm", "--stop", f"usdt:{PHASES}:done",
               *workload("gate-phases", "-n", 20, 1, 1, 1))
    assert csv_values(done.stderr)["run_cnt"] == runs


def test_runs_of_scopes_after_the_start_count():
    done = run("-x,", "-e", "run_cnt", "--scope", f"uprobe:{PHASES}:warm", "--start",
               f"usdt:{PHASES}:warm", *workload("gate-phases", "-n", 20, 1, 1, 1))
    assert csv_values(done.stderr)["run_cnt"] == 19


def test_single_runs_between_the_points_are_all_printed_and_added_up():
    # The calls take longer than the error of the calibration.
    args = workload("gate-phases", "-s", "-n", 20, 1, 3000, 1)
    done = run("-j", "-e", "task-clock", "--outliers", "0", *BETWEEN,
               "--scope", f"uprobe:{PHASES}:run_between", *args)
    rows = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    printed = sum("outlier" in row for row in rows)
    found = re.search(r"(\d+) because the kernel did not report", done.stderr)
    runs = 20 - int(found[1] if found else 0)
    assert printed == rows[-1]["streamed"] == rows[-1]["all"] == runs


def test_the_times_of_events_of_scopes_are_those_between_the_points():
    done = run("-x,", "-e", "task-clock", "--scope", f"uprobe:{PHASES}:run_between", *BETWEEN,
               *workload("gate-phases", 2_000_000_000, 1000, 1000))
    row = next(row for row in csv_rows(done.stderr) if row[2] == "task-clock")
    # The program runs for a second before the start.
    assert 0 < int(row[3]) < 500_000_000 and float(row[4]) == 100


def test_a_start_that_is_never_reached_is_reported():
    done = run("-e", CALLS, *BETWEEN, "--", "sh", "-c", "exit 3")
    assert done.returncode == 3
    assert "<not counted>" in done.stderr
    assert "the point of --start was never reached: nothing was counted" in done.stderr


def test_without_tracefs_the_remedy_for_a_system_call_is_printed():
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f"mount -t tmpfs none {TRACEFS} && exec \"$@\"", "sh", PSTAT,
         "-e", "cs", "--stop", "syscall:getppid", "true"],
        stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == FAILED
    assert "--stop 'syscall:getppid': tracefs, which lists" in done.stderr
    assert f"mount it: mount -t tracefs nodev {TRACEFS}" in done.stderr


def test_without_the_privileges_for_bpf_the_reason_is_printed(as_nobody):
    done = as_nobody("-e", "cs", "--start", "uprobe:libc:getppid", "true")
    assert done.returncode == FAILED
    assert "--start and --stop count through BPF: " in done.stderr
    assert "or count without BPF" not in done.stderr


def test_the_time_is_that_between_the_points():
    done = run("-x,", "-e", "duration_time,user_time,cs", *BETWEEN,
               *workload("gate-phases", 2_000_000_000, 1000, 1000))
    rows = {row[2]: row[0] for row in csv_rows(done.stderr)}
    # The program runs for a second before the start.
    assert 0 < int(rows["duration_time"]) < 500_000_000
    assert rows.get("user_time") in (None, "<not supported>")


@pytest.mark.parametrize("options, code, text", [
    (["--start", "uprobe:/nowhere:x"], FAILED, "--start 'uprobe:/nowhere:x'"),
    (["--start", f"uprobe:{PHASES}:wram"], FAILED, "warm"),
    (["--stop", "tp:sched:sched_swich"], FAILED, "similar names: 'sched_switch'"),
    (["--start", "syscall"], USAGE, "every system call passes tp:raw_syscalls:sys_enter"),
    (["--start", "syscall:getpid", "--stop", "tp:syscalls:sys_enter_getpid"], CONFLICT,
     "--start and --stop cannot name the same place: getpid"),
    (["--start", f"uprobe:{PHASES}:warm", "--stop", f"uprobe:{PHASES}:warm"], CONFLICT,
     "--start and --stop cannot name the same place"),
    (["--start", f"uprobe:{PHASES}:warm", "-e", "duration_time"], USAGE, "none of these events"),
    (["--start", f"uprobe:{PHASES}:warm", "-G", "/", "-a"], CONFLICT, "--start and -G"),
    (["--start", f"uprobe:{PHASES}:warm", "-n"], CONFLICT, "--start and -n"),
])
def test_impossible_combinations_are_refused(options, code, text):
    done = run(*([] if "-e" in options else ["-e", "cs"]), *options, "true")
    assert done.returncode == code, done.stderr
    assert text in done.stderr


def test_a_profile_has_only_the_samples_between_the_points(sampling):
    done = run("profile", "-j", "--folded", "-e", "cpu-clock", "-c", 500_000, *BETWEEN,
               *workload("gate-phases", 30_000_000, 60_000_000, 30_000_000))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    stacks = [row["frames"] for row in rows if row["kind"] == "stack"]
    # stacks without frames in the kernel
    own = [{frame["function"] for frame in frames} for frames in stacks
           if all(frame["object"] == PHASES or "libc" in frame["object"] for frame in frames)]
    assert own and all("run_between" in names for names in own), done
    total, = [row for row in rows if row["kind"] == "total"]
    assert total["count"] == total["weight"] == 500_000 * total["samples"]


def test_a_profile_whose_start_is_never_reached(sampling):
    done = run("profile", "-e", "cpu-clock", "--start", f"uprobe:{PHASES}:main",
               "sh", "-c", "exit 3")
    assert done.returncode == 3 and "no samples between the points" in done.stdout
    assert "the point of --start was never reached" in done.stderr
