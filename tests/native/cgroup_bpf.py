# SPDX-License-Identifier: GPL-2.0-only
"""Control groups that are counted in BPF, for the tests of it: their rows, and counts that nothing
had to be guessed for."""

import csv
import re
import subprocess

import pytest

from native import csv_rows, run, why_not

NEVER = "<not counted>"


_WHY_NOT = why_not("--for-each-cgroup, BPF")
# Sessions of the tests share with each other, and with nobody else on this machine.
in_bpf = [
    pytest.mark.skipif(bool(_WHY_NOT), reason=f"probe: pstat --version -vv: {_WHY_NOT}"),
    pytest.mark.usefixtures("own_pins")
]


def rows_of(text):
    """{(group, event): count, None when not counted} of -x, with one row for all CPUs. Names of
    tracepoints are without :b."""
    return {(row[3], row[2]): None if row[0].startswith("<") else float(row[0])
            for row in csv.reader(text.splitlines()) if len(row) > 3}


def lines(text):
    """The fields of each line of -x, -I, without what is said of a busy machine."""
    return [row for row in csv_rows(text) if len(row) > 5]


def guesses(text):
    """Of how many slices it had to be guessed whose they were, by -v: the kernel hid a context
    switch. It hides none in most places."""
    return int(
        re.search(r"^pstat: .* told nobody of \((\d+) between counted groups\)", text, re.M)[1]
    )


def without_words(text):
    return "".join(line for line in text.splitlines(keepends=True)
                   if not line.startswith("pstat: "))


def until_known(attempt):
    """What `attempt` finds once there was nothing to guess, so that it is exact: it is asked again
    and again, and returns that and what pstat -v said of it."""
    for _ in range(50):
        found, text = attempt()
        if not guesses(text):
            return found
    raise AssertionError(f"the kernel hides context switches all the time: {text}")


def run_known(*args, before=lambda: None, **popen):
    """As `run`, again and again until there was nothing to guess: then counts are exact. `before`
    is called before each."""

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
    """A command that ends when the process has had so much CPU time: on a machine with other load
    that can take long."""
    script = (f'ran() {{ cut -d" " -f1 /proc/{process.pid}/schedstat; }}; enough=$(($(ran) + '
              f'{msec}000000)); '
              'while [ "$(ran)" -lt $enough ]; do sleep 0.02; done')
    return ["sh", "-c", script]


def tsc_per_usec():
    rows = run("-x,", "-a", "-e", "msr/tsc/,cpu-clock", "--timeout", 300).stderr
    (tsc, *_), (clock, *_) = csv_rows(rows)
    return float(tsc) / float(clock) / 1000
