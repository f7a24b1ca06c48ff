# SPDX-License-Identifier: GPL-2.0-only
"""Counts of workloads that run for ever, in windows of a given length: native ones and those of
bperf side by side."""
import pathlib

from csv_rows import rows

FILES = [pathlib.Path(__file__).parent / "guest-files" / "windows"]
TARGETS = ("command", "-p", "-t", "-a", "-C")
TURNS = 10**15      # as good as for ever

WORKLOADS = {
    "spinner": f"spin {TURNS}",
    "fork tree": "forks --forever 100000",
    "sleeper": "spin --nap 2000 200000",
    "eight threads": f"threads 8 {TURNS}",
    "ping-pong": "ping-pong --for 1000000000",
}


def command(events, times, workload, targets=TARGETS):
    # What has been forked when pstat opens its events is not counted, and the backends open theirs
    # one after the other. It has ended when counting starts a little later.
    delay = "DELAY='-D 300' " if workload == "fork tree" else ""
    return (
        f"{delay}./windows {events} '{' '.join(map(str, times))}' '{' '.join(targets)}'"
        f" {WORKLOADS[workload]}"
    )


def reports(text):
    """[(target, ms, rows)] of what `windows` prints; a count that failed has no rows but an exit
    status."""
    found = []
    for part in ("\n" + text).split("\n# ")[1:]:
        head, _, body = part.partition("\n")
        target, ms, *failed = head.split()
        assert not failed, f"{head}: {body}"
        found.append((target, int(ms), rows(body)))
    return found


def pairs(counted):
    """{event: (native, bperf)}: the row of EVENT, and that of EVENT:b; with the second native one
    where there are two."""
    named = {}
    for row in counted:
        named.setdefault(row.event, []).append(row.value)
    return {
        event: (*native, named[f"{event}:b"][0]) for event, native in named.items()
        if f"{event}:b" in named
    }
