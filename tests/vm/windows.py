# SPDX-License-Identifier: GPL-2.0-only
"""Counts workloads that run forever, in windows of a given length, natively and through BPF at
the same time."""
import pathlib

from csv_rows import rows

FILES = [pathlib.Path(__file__).parent / "guest-files" / "windows"]
TARGETS = ("command", "-p", "-t", "-a", "-C")
TURNS = 10**15  # practically forever

WORKLOADS = {
    "spinner": f"spin {TURNS}",
    "fork tree": "forks --forever 100000",
    "sleeper": "spin --nap 2000 200000",
    "eight threads": f"threads 8 {TURNS}",
    "ping-pong": "ping-pong --for 1000000000",
}


def command(events, times, workload, targets=TARGETS):
    # Processes that were forked before pstat opens its events are not counted, and the backends
    # open their events one after the other. Such processes have ended when counting starts a little
    # later.
    delay = "DELAY='-D 300' " if workload == "fork tree" else ""
    return (
        f"{delay}./windows {events} '{' '.join(map(str, times))}' '{' '.join(targets)}'"
        f" {WORKLOADS[workload]}"
    )


def reports(text):
    """Returns [(target, ms, rows)] from the output of `windows`. A count that failed has an exit
    status instead of rows."""
    found = []
    for part in ("\n" + text).split("\n# ")[1:]:
        head, _, body = part.partition("\n")
        target, ms, *failed = head.split()
        assert not failed, f"{head}: {body}"
        found.append((target, int(ms), rows(body)))
    return found


def pairs(counted):
    """Returns {event: (native, through BPF)}: the rows of EVENT and EVENT:b. A second native row,
    if there is one, is included."""
    named = {}
    for row in counted:
        named.setdefault(row.event, []).append(row.value)
    return {
        event: (*native, named[f"{event}:b"][0]) for event, native in named.items()
        if f"{event}:b" in named
    }
