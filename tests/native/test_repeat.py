# SPDX-License-Identifier: GPL-2.0-only
"""Repetitions: -r, --table, --pre, --post, -S, -n, and the summary of intervals."""

import json
import os
import re
import signal
import statistics
import subprocess
import time

import pytest

from native import (FAILED, PATIENCE, PSTAT, USAGE, csv_rows, csv_values, elapsed, interval_rows,
                    missed_intervals, run, shown, start, std_count, wait_for, wait_until_counting,
                    workload)


def count_lines(path):
    with open(path, encoding="ascii") as file:
        return len(file.readlines())


def test_the_command_runs_the_requested_number_of_times():
    done = run("-r", 5, "-e", "cs", "sh", "-c", "echo run >>ran")
    assert count_lines("ran") == 5
    assert "for 'sh -c echo run >>ran' (5 runs):" in done.stderr


def test_the_mean_and_the_deviation_are_those_of_the_repetitions(madvise):
    """The repetitions have 100, 200, … 500 calls: the mean is 300, and its standard error 70.7,
    or 23.57 percent."""
    script = f"echo >>ran; exec {workload('faults')[0]} $(($(wc -l <ran) * 100))"
    done = run("-r", 5, "-e", madvise, "sh", "-c", script)
    assert std_count(done.stderr, madvise) == 300
    error = statistics.stdev([100, 200, 300, 400, 500]) / 5**0.5
    assert f"( +- {100 * error / 300:5.2f}% )" in re.search(rf"^.*{madvise}.*$", done.stderr,
                                                            re.M)[0]
    os.unlink("ran")
    row = csv_rows(run("-x,", "-r", 5, "-e", madvise, "sh", "-c", script).stderr)[0]
    assert row[:4] == ["300", "", madvise, "23.57%"]
    os.unlink("ran")
    row = json.loads(run("-j", "-r", 5, "-e", madvise, "sh", "-c", script).stderr)
    assert (row["counter-value"], row["variance"]) == ("300.000000", 23.57)


def test_the_range_is_that_of_the_repetitions(madvise):
    """The repetitions have 200, 400 and 600 calls. The smallest is not the first, and the largest
    is not the last."""
    script = f"echo >>ran; exec {workload('faults')[0]} $((($(wc -l <ran) % 3 + 1) * 200))"
    args = ("-r", 3, "--range", "-e", f"{madvise},task-clock", "sh", "-c", script)
    done = run(*args)
    assert re.search(rf" {madvise} .*%% \)  \[ 200 \.\. 600 \]$".replace("%%", "%"), done.stderr,
                     re.M), done.stderr
    mean, low, high = map(
        float,
        re.search(r" ([\d.]+) \+- [\d.]+ seconds .*\[ ([\d.]+) \.\. ([\d.]+) \]$", done.stderr,
                  re.M).groups())
    assert low <= mean <= high and low < high, done.stderr
    header, *rows = csv_rows(run("-x,", "--csv-header", *args).stderr)
    counts, clock = (dict(zip(header, row)) for row in rows)
    assert (counts["counter-min"], counts["counter-max"]) == ("200", "600")
    assert (
        0
        < float(clock["counter-min"])
        <= float(clock["counter-value"])
        <= float(clock["counter-max"])
    )
    row = json.loads(run("-j", *args).stderr.splitlines()[0])
    assert (row["counter-min"], row["counter-value"],
            row["counter-max"]) == ("200.000000", "400.000000", "600.000000")


def test_an_event_that_is_not_counted_has_no_range():
    done = run("-x,", "--csv-header", "-r", 2, "--range", "-e", "cs,1:999", "true")
    header, _, row = csv_rows(done.stderr)
    row = dict(zip(header, row))
    assert row["counter-value"].startswith(
        "<not ") and row["counter-min"] == row["counter-max"] == ""
    done = run("-j", "-r", 2, "--range", "-e", "cs,1:999", "true")
    assert ["counter-min" in json.loads(line) for line in done.stderr.splitlines()] == [True, False]


def test_equal_repetitions_have_no_deviation(madvise):
    done = run("-x,", "-r", 10, "-e", madvise, *workload("faults", 77))
    assert csv_rows(done.stderr)[0][:4] == ["77", "", madvise, "0.00%"]


def test_the_table_shows_each_repetition():
    done = run("-r", 4, "--table", "-e", "cs", "sleep", "0.02")
    runs = [(float(run), float(off)) for run, off in
            re.findall(r"^ +([\d.]+) \(([+-][\d.]+)\) #+$", done.stderr, re.M)]
    assert len(runs) == 4
    mean, error = map(
        float,
        re.search(r"^ +([\d.]+) \+- ([\d.]+) seconds time elapsed", done.stderr, re.M).groups())
    assert statistics.mean(value for value, _ in runs) == pytest.approx(mean, rel=1e-2)
    assert statistics.stdev(value for value, _ in runs) / 2 == pytest.approx(error, rel=0.1)
    assert all(off == pytest.approx(value - mean, abs=1e-3) for value, off in runs)
    assert "# Table of individual measurements:" in done.stderr and "# Final result:" in done.stderr


def test_an_endless_series_reports_each_repetition_and_ends_with_a_signal():
    with start("-x,", "-r", 0, "-e", "page-faults", "sh", "-c",
               "echo run >>ran; sleep 0.05") as process:
        wait_for("four runs", lambda: os.path.exists("ran") and count_lines("ran") > 3)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    rows = [row for row in csv_rows(err) if len(row) > 3]
    assert len(rows) >= 3
    assert all(float(row[0]) > 10 and len(row) == 7 for row in rows)


def test_a_signal_ends_a_series_and_the_report_has_the_complete_repetitions():
    with start("-r", 100, "-e", "task-clock", "sh", "-c", "echo run >>ran; sleep 0.1") as process:
        wait_for("three runs", lambda: os.path.exists("ran") and count_lines("ran") > 2)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    whole = int(re.search(r"\((\d+) of 100 runs\):", err)[1])
    assert count_lines("ran") - 1 <= whole <= count_lines("ran")
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kill", [os.kill, os.killpg], ids=["alone", "with its command"])
def test_a_signal_ends_a_series_of_short_runs_whenever_it_comes(number, kill):
    """The signal often arrives at the moment at which a command ends."""
    for attempt in range(8):
        with start("-r", 0, "-e", "cs", "true", stderr=subprocess.DEVNULL,
                   start_new_session=True) as process:
            wait_until_counting(process)
            time.sleep(0.01 + attempt / 1000)
            kill(process.pid, number)
            assert process.wait(PATIENCE) == -number


def test_system_wide_runs_end_with_the_time_limit():
    done = run("-a", "-r", 3, "--timeout", 50, "-e", "duration_time", "-x,")
    assert csv_rows(done.stderr)[0][2:3] == ["duration_time"]
    # the mean is at least 50 ms; the sum of three repetitions would be at least 150 ms
    assert 50e6 <= csv_values(done.stderr)["duration_time"] < 150e6


def test_each_repetition_has_its_own_intervals():
    done = run("-vx,", "-r", 2, "-I", 100, "-e", "cs", "sleep", "0.35")
    runs = [[]]
    for at, _, _ in interval_rows(done.stderr):
        if runs[-1] and at < runs[-1][-1]:
            runs.append([])
        runs[-1].append(at)
    assert len(runs) == 2 and all(times[-1] >= 0.35 for times in runs)
    # Each repetition has its whole intervals and a remainder, counted from its own start.
    assert sum(map(len, runs)) + missed_intervals(done.stderr) == sum(
        int(times[-1] / 0.1) + 1 for times in runs
    )


def test_the_exit_status_of_a_series_is_that_of_the_first_failed_repetition():
    script = "echo >>ran; case $(wc -l <ran) in 2) exit 5;; 3) exit 6;; esac"
    assert run("-r", 4, "-e", "cs", "sh", "-c", script).returncode == 5
    assert count_lines("ran") == 4


def test_a_command_that_cannot_be_run_ends_the_series():
    done = run("-r", 3, "-e", "cs", "./missing")
    assert done.returncode == 127
    assert done.stderr.count("cannot be run") == 1


# ---- around each run ----


def test_the_hooks_run_before_and_after_each_repetition_in_order():
    done = run("-r", 2, "--pre", "echo pre >>order", "--post", "echo post >>order", "-e", "cs",
               "sh", "-c", "echo run >>order")
    assert done.returncode == 0
    with open("order", encoding="ascii") as file:
        assert file.read().split() == ["pre", "run", "post"] * 2


def test_the_hooks_are_not_counted(madvise):
    hook = " ".join(workload("faults", 800))
    done = run("-x,", "--pre", hook, "--post", hook, "-e", madvise, *workload("faults", 5))
    assert csv_values(done.stderr)[madvise] == 5


def test_a_repetition_whose_pre_hook_fails_is_skipped():
    """perf 6.12 also exits with 0, and prints <not supported>."""
    done = run("-r", 2, "--pre", "exit 7", "-x,", "-e", "cs", "touch", "it-ran")
    reason = "pstat: --pre 'exit 7': failed with exit code 7: this repetition is skipped\n"
    assert done.returncode == 0
    assert done.stderr == 2 * reason + "<not counted>,,cs,0.00%,0,100.00,,\n"
    assert not os.path.exists("it-ran")


@pytest.mark.parametrize("failing", [1, 3])
def test_the_other_repetitions_are_counted(failing):
    hook = f"echo >>hooks; test $(wc -l <hooks) != {failing}"
    done = run("-r", 3, "--pre", hook, "-e", "cs:u,cs:b", "sh", "-c", "echo >>ran")
    assert done.returncode == 0 and done.stderr.count("this repetition is skipped") == 1
    assert "(2 of 3 runs)" in done.stderr
    assert count_lines("ran") == 2 and count_lines("hooks") == 3


def test_a_post_hook_that_fails_changes_neither_the_series_nor_the_exit_status():
    done = run("-r", 3, "--post", "kill $$", "-e", "cs", "sh", "-c", "echo >>ran; exit 3")
    assert done.returncode == 3
    assert done.stderr.count("pstat: --post 'kill $$': ended by signal 15\n") == 3
    assert "(3 runs)" in done.stderr
    assert count_lines("ran") == 3


def test_the_hooks_have_the_signal_mask_with_which_pstat_was_started():
    run("--pre", "grep SigBlk /proc/self/status >mask", "-e", "cs", "true")
    with open("mask", encoding="ascii") as file:
        assert re.fullmatch(r"SigBlk:\s+0+\n", file.read())


def test_sync_is_called_before_each_repetition(tracefs):
    """The test uses a tracepoint to count this system call in all processes."""
    event = "syscalls:sys_enter_sync"
    if not (tracefs / "events/syscalls/sys_enter_sync").is_dir():
        pytest.skip("probe: tracefs has events/syscalls/sys_enter_sync")
    done = run("-x,", "-o", "outside", "-e", event, PSTAT, "-S", "-r", "3", "-e", "cs", "true")
    assert done.returncode == 0
    with open("outside", encoding="ascii") as file:
        assert csv_values("".join(file.readlines()[2:]))[event] == 3


# ---- no events, and summaries ----


def test_without_events_only_the_time_is_printed():
    done = run("-n", "sleep", "0.1")
    assert re.fullmatch(
        r"\n Performance counter stats for 'sleep 0.1':\n\n +[\d.]+ seconds time "
        r"elapsed\n\n"
        r" +[\d.]+ seconds user\n +[\d.]+ seconds sys\n\n\n", done.stderr)
    assert elapsed(done.stderr) >= 0.1


def test_the_summary_is_the_sum_of_the_intervals(madvise):
    done = run("-x,", "-I", 20, "--summary", "-e", madvise, *workload("faults", "--pause", 7, 1500))
    lines = done.stderr.splitlines()
    assert lines[-1].split(",")[:4] == ["summary", "1500", "", madvise]
    rows = interval_rows("\n".join(lines[:-1]))
    assert len(rows) > 3 and sum(value or 0 for _, _, value in rows) == 1500


def test_the_summary_can_omit_its_prefix():
    lines = run("-x,", "-I", 100, "--summary", "--no-csv-summary", "-e", "cs",
                "true").stderr.splitlines()
    assert len(lines) == 2 and lines[1].split(",")[2] == "cs"


def test_a_series_of_intervals_has_a_summary_too(madvise):
    lines = run("-x,", "-r", 3, "-I", 1000, "--summary", "-e", madvise,
                *workload("faults", 44)).stderr.splitlines()
    assert len(lines) == 4 and lines[-1].startswith("summary,44,")


@pytest.mark.parametrize("text", ["-1", "x", "", "1.5", "2147483648"])
def test_a_number_of_runs_must_be_a_number(text):
    done = run("-r", text, "true")
    assert done.returncode == USAGE
    assert done.stderr.startswith(
        f"pstat: -r {shown(text)}: the number of runs must be a whole number "
        "from 0")


@pytest.mark.usefixtures("own_pins")
def test_a_map_that_cannot_be_used_is_reported_once_for_all_repetitions():
    # If the kernel can share counters, pstat reports a file that is not a map.
    options = ["--bpf-counters", "--bpf-attr-map", "/sys/fs/bpf", "-e", "cs", "true"]
    once, thrice = (run("-r", n, *options).stderr.splitlines() for n in (1, 3))
    warnings = [line for line in once if line.startswith("pstat: ")]
    assert warnings and [line for line in thrice if line.startswith("pstat: ")] == warnings
