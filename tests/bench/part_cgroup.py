# SPDX-License-Identifier: GPL-2.0-only
"""What a context switch from one control group to another costs while groups are counted."""

import ladders
from ladders import Ladder
from table import mark

PART = "cgroup"
TITLE = "instructions of a ping-pong's round trip between two control groups (x86-64 guest, Linux 6.12)"

WORKLOAD = """mkdir -p /sys/fs/cgroup/one /sys/fs/cgroup/two
begin "ops 5000" ping-pong
set -- $first
echo $2 >/sys/fs/cgroup/one/cgroup.procs
echo $3 >/sys/fs/cgroup/two/cgroup.procs"""

LADDERS = [
    Ladder("native --for-each-cgroup", "-a --for-each-cgroup one,two", 4),
    Ladder("--bpf-counters --for-each-cgroup", "--bpf-counters -a --for-each-cgroup one,two", 4, (1, 5)),
]
# they have one leader
MOST_OF_FIVE = 2


def measure(context):
    table = ladders.measure(context, PART, TITLE, LADDERS, WORKLOAD, {})
    rows = {row["name"]: row for row in table.rows} if table else {}
    one, five = (rows.get(LADDERS[1].name(step)) for step in (1, 5))
    if one and five:
        limit = MOST_OF_FIVE * one["added"] if one.get("added") else None
        five["marks"] = [mark(limit, five.get("added"), f"<= {MOST_OF_FIVE} x one session")]
    return table
