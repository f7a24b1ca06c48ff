# SPDX-License-Identifier: GPL-2.0-only
"""The cost of sampling for the sampled process, on this machine."""

import contextlib
import os
import subprocess

import host
import programs
from table import Table, mark, ratio

PART = "host-profile"
TITLE = (
    "ms of CPU time of a loop on this machine while all CPUs are sampled, the least of all runs,"
    " and percent more than nothing"
)
TURNS = 200_000_000
RUNS = 6  # in each round
MOST_PERCENT = 2  # the mark of the rows at 997 Hz
NOTHING = "nothing"

OPTIONS = {
    "cpu-clock, 997 Hz": "-a -e cpu-clock -F 997",
    "cpu-clock, 997 Hz, -b all": "-b all -e cpu-clock -F 997",
    "cpu-clock, 9970 Hz": "-a -e cpu-clock -F 9970",
}
COLUMNS = [("ms", "ms", ratio), ("percent", "percent more", ratio),
           ("half", "half of the rounds, ms", str)]


def _spin():
    """Returns the ms of CPU time of the loop. It includes interrupts during the loop, but not
    the time of other processes."""
    process = subprocess.Popen([str(programs.WORKLOADS / "spin"), str(TURNS)])
    usage = os.wait4(process.pid, 0)[2]
    process.returncode = 0
    return 1000 * (usage.ru_utime + usage.ru_stime)


def _round(name):
    with contextlib.ExitStack() as stack:
        if "-b" in name:
            stack.callback(host.EmptyProgram().end)  # One process must exist.
        if name != NOTHING:
            stack.callback(
                host.Session([str(programs.PSTAT), "profile", *OPTIONS[name].split()]).end)
        return min(_spin() for _ in range(RUNS))


def measure(context):
    names = [name for name in OPTIONS if context.wants(PART, name)]
    if not names:
        return None
    context.say(f"{PART}: {context.rounds} rounds on this machine")
    values, refused = host.in_turn([NOTHING, *names], context.rounds, _round)
    rows = [{"name": NOTHING, "ms": min(values[NOTHING]), "half": host.quartiles(values[NOTHING])}]
    for name in names:
        row = {"name": name}
        if name in refused:
            row["why"] = refused[name]
        else:
            least = min(values[name])
            row.update(ms=least, percent=100 * (least / rows[0]["ms"] - 1),
                       half=host.quartiles(values[name]))
        if "997 Hz" in name:
            row["marks"] = [mark(MOST_PERCENT, row.get("percent"), f"<= {MOST_PERCENT} %")]
        rows.append(row)
    return Table(PART, TITLE, COLUMNS, rows, [host.load()])
