# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a context switch while it is counted, on this machine."""

import subprocess
from statistics import median

import host
from ladders import EVENTS
from table import Table, count, ratio, refusals

PART = "host-switch"
TITLE = (
    "ns of a pipe ping-pong's round trip on this machine, 4 events, and how many times that of"
    " nothing in the same round"
)
MS = 50
NOTHING = "nothing"

OPTIONS = {
    "native -a": "-a",
    "native -p its tasks": "-p OWN",
    "native -p a sleeper": "-p SLEEPER",
    "--bpf-counters -a": "--bpf-counters -a",
    "--bpf-counters -p its tasks": "--bpf-counters -p OWN",
    "--bpf-counters -p a sleeper": "--bpf-counters -p SLEEPER",
}
COLUMNS = [("ns", "ns", count), ("ratio", "times nothing", ratio), ("half", "half of them", str),
           ("perf", "perf, times nothing", ratio), ("perf_half", "half of them", str)]


def _measure(cases, rounds):
    """Returns ({case: ns of a round trip in each round}, {case: why not}) for `cases`, which are
    (tool, name) or NOTHING."""
    sleeper = subprocess.Popen(["sleep", "1000000"])
    ping_pong = host.PingPong()

    def one(case):
        if case == NOTHING:
            return ping_pong.ns(MS)
        tool, name = case
        options = OPTIONS[name].replace("OWN", ping_pong.pids).replace("SLEEPER", str(sleeper.pid))
        session = host.Session(host.stat(tool, f"{options} -e {EVENTS[4]}"))
        try:
            return ping_pong.ns(MS)
        finally:
            session.end()

    try:
        ping_pong.ns(MS)
        return host.in_turn(cases, rounds, one)
    finally:
        ping_pong.end()
        sleeper.kill()
        sleeper.wait()


def measure(context):
    names, tools = host.choose(context, PART, OPTIONS)
    if not names:
        return None
    measured = _measure([NOTHING, *[(tool, name) for name in names for tool in tools]],
                        context.rounds)
    nothing = measured[0][NOTHING]

    def figures(values, tool, prefix):
        ratios = [ns / without for ns, without in zip(values, nothing)]
        return {
            "ratio" if tool == "pstat" else "perf": median(ratios),
            f"{prefix}half": host.quartiles(ratios), f"{prefix}ns": median(values)
        }

    rows = [{"name": NOTHING, "ns": median(nothing)},
            *[host.row(name, measured, figures) for name in names]]
    return Table(PART, TITLE, COLUMNS, rows, [host.load(), *refusals(rows)])
