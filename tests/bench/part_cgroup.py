# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a context switch between two cgroups while cgroups are counted."""

import ladders
from ladders import Ladder

PART = "cgroup"
TITLE = (
    "instructions of a ping-pong's round trip between two control groups (x86-64 guest, Linux 6.12)"
)

WORKLOAD = """mkdir -p /sys/fs/cgroup/one /sys/fs/cgroup/two
begin "ops 5000" ping-pong
set -- $first
echo $2 >/sys/fs/cgroup/one/cgroup.procs
echo $3 >/sys/fs/cgroup/two/cgroup.procs"""

LADDERS = [
    Ladder("native --for-each-cgroup", "-a --for-each-cgroup one,two", 4),
    Ladder("--bpf-counters --for-each-cgroup", "--bpf-counters -a --for-each-cgroup one,two", 4,
           (1, 5)),
]
ONE, FIVE = (LADDERS[1].name(step) for step in (1, 5))
# The limits are about a sixth larger than the figures in Documentation/performance.txt.
MARKS = {ONE: 1900}
# the sessions have one leader
TIMES = {FIVE: (ONE, 1.1)}


def measure(context):
    return ladders.measure(context, PART, TITLE, LADDERS, WORKLOAD, MARKS, times=TIMES)
