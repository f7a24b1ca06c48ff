# SPDX-License-Identifier: GPL-2.0-only
"""Helpers for tests that count cgroups in BPF: parse the rows, and repeat a count until it is
exact."""

import csv
import re
import subprocess

import pytest

from native import csv_rows, run, why_not

NEVER = "<not counted>"


_WHY_NOT = why_not("--for-each-cgroup, BPF")
# The sessions of the tests share counters with each other, but with no other sessions.
in_bpf = [
    pytest.mark.skipif(bool(_WHY_NOT), reason=f"probe: pstat --version -vv: {_WHY_NOT}"),
    pytest.mark.usefixtures("own_pins")
]


def rows_of(text):
    """Parses -x with one row for all CPUs. Returns {(cgroup, event): count}; the count is None if
    the row is not counted. The names of tracepoints lose their modifier b."""
    return {(row[3], row[2]): None if row[0].startswith("<") else float(row[0])
            for row in csv.reader(text.splitlines()) if len(row) > 3}


def lines(text):
    """Returns the fields of each line of -x -I, without warnings about a busy machine."""
    return [row for row in csv_rows(text) if len(row) > 5]


def guesses(text):
    """Returns the number of time slices whose end pstat had to guess, because the kernel hid a
    context switch. -v reports this number. Most machines hide no switches."""
    return int(
        re.search(r"^pstat: .* did not report \((\d+) between counted cgroups\)", text, re.M)[1]
    )


def without_words(text):
    return "".join(line for line in text.splitlines(keepends=True)
                   if not line.startswith("pstat: "))


def until_known(attempt):
    """Calls `attempt` until pstat does not guess, so that the counts are exact. Returns the result
    of `attempt`, and the messages of pstat -v."""
    for _ in range(50):
        found, text = attempt()
        if not guesses(text):
            return found
    raise AssertionError(f"the kernel hides context switches all the time: {text}")


def run_known(*args, before=lambda: None, **popen):
    """Runs pstat until it does not guess, so that the counts are exact. Calls `before` before each
    run."""

    def attempt():
        before()
        done = run("-v", *args, **popen)
        assert done.returncode == 0, done.stderr
        return done, done.stderr

    done = until_known(attempt)
    return subprocess.CompletedProcess(done.args, 0, done.stdout, without_words(done.stderr))


def count(groups, events, *args, **popen):
    return rows_of(
        run_known("-x,", "-a", "--for-each-cgroup", ",".join(groups), "-e", events, *args,
                  **popen).stderr)


def within(share, ours, theirs, slack=0):
    return abs(ours - theirs) <= share * theirs + slack


def until_it_ran(process, msec):
    """Returns a command that ends when the process has used this number of milliseconds of CPU
    time, which can take long on a busy machine."""
    script = (f'ran() {{ cut -d" " -f1 /proc/{process.pid}/schedstat; }}; enough=$(($(ran) + '
              f'{msec}000000)); '
              'while [ "$(ran)" -lt $enough ]; do sleep 0.02; done')
    return ["sh", "-c", script]


def tsc_per_usec():
    rows = run("-x,", "-a", "-e", "msr/tsc/,cpu-clock", "--timeout", 300).stderr
    (tsc, *_), (clock, *_) = csv_rows(rows)
    return float(tsc) / float(clock) / 1000
