# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a context switch while it is counted."""

import ladders
from ladders import Ladder

PART = "switch"
TITLE = (
    "instructions of a pipe ping-pong's round trip, that is of 2 context switches (x86-64 guest,"
    " Linux 6.12)"
)

# The two tasks of the ping-pong are $own; $sleeper is a task that sleeps all the time.
WORKLOAD = """begin "ops 5000" ping-pong
set -- $first
own=$2,$3
sleep 1000000 &
sleeper=$!"""

MANY = (1, 5, 20, 38)

LADDERS = [
    *[Ladder("native -a", "-a", events, MANY) for events in (1, 4, 8)],
    Ladder("native -p its tasks", "-p $own", 4, (1, 20)),
    Ladder("native -p a sleeper", "-p $sleeper", 4, (1, 20), idle=True),
    *[Ladder("--bpf-counters -a", "--bpf-counters -a", events, MANY) for events in (1, 4, 8)],
    Ladder("--bpf-counters -p its tasks", "--bpf-counters -p $own", 4, (1, 20)),
    Ladder("--bpf-counters -p a sleeper", "--bpf-counters -p $sleeper", 4, (1, 20), idle=True),
]

# The limits are about a sixth larger than the figures in Documentation/performance.txt.
MARKS = {
    "--bpf-counters -a, 1 event, 1 session": 1100,
    "--bpf-counters -a, 4 events, 1 session": 2000,
    "--bpf-counters -p a sleeper, 4 events, 1 session": 2600,
}
# the sessions have one leader
TIMES = {
    "--bpf-counters -a, 4 events, 20 sessions": ("--bpf-counters -a, 4 events, 1 session", 1.1)
}


def measure(context):
    return ladders.measure(context, PART, TITLE, LADDERS, WORKLOAD, MARKS, times=TIMES)
