# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a run of a BPF program while it is counted."""

import ladders
from ladders import Ladder

PART = "prog"
TITLE = (
    "instructions of a run of an empty XDP program through BPF_PROG_TEST_RUN (x86-64 guest, Linux"
    " 6.12)"
)

WORKLOAD = """begin "time 100 51" bpf-run --print-id
id=$first"""

# Only pstat has run_cnt, which is not a perf event.
LADDERS = [Ladder("-b ID", "-b $id", events, perf=events > 0) for events in (0, 1, 2, 4, 8)]
LADDERS.append(Ladder("-b ID --hist", "-b $id --hist", 4, perf=False))
# No run exceeds the threshold. The rate limit bounds the cost of runs that do.
for threshold in ("1000000000000", "p99.9"):
    LADDERS += [
        Ladder(f"-b ID --outliers {threshold}", f"-b $id --outliers {threshold}", events,
               perf=False) for events in (1, 4)
    ]

MARKS = {
    "-b ID, 1 event": 900, "-b ID, 2 events": 1250, "-b ID, 4 events": 2100, "-b ID, 8 events": 3800
}
# {row: (another row, the most that this row may add to it)}
OVER = {f"-b ID --outliers {threshold}, {events}": (f"-b ID, {events}", 100)
        for threshold in ("1000000000000", "p99.9") for events in ("1 event", "4 events")}


def measure(context):
    return ladders.measure(context, PART, TITLE, LADDERS, WORKLOAD, MARKS, OVER)
