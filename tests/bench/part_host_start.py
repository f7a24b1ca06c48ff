# SPDX-License-Identifier: GPL-2.0-only
"""What it takes to start, count a command that does nothing, and end: on this machine, in time and memory."""

from statistics import median

import host
from table import Table, mark, ratio, refusals

PART = "host-start"
TITLE = "ms from a command's fork to its end, and its peak memory, on this machine"
MOST_MS, MOST_MIB = 15, 10  # the marks of the row --bpf-counters

OPTIONS = {
    "true": None,
    "native -e cs true": "-e cs true",
    "--bpf-counters -e cs -- true": "--bpf-counters -e cs -- true",
}
MARKED = "--bpf-counters -e cs -- true"
COLUMNS = [("ms", "ms", ratio), ("least", "least", ratio), ("half", "half of them", str), ("mib", "peak MiB", ratio),
           ("perf_ms", "perf ms", ratio), ("perf_least", "least", ratio), ("perf_half", "half of them", str),
           ("perf_mib", "peak MiB", ratio)]


def _run(case):
    tool, name = case
    return host.cost(host.stat(tool, OPTIONS[name]) if OPTIONS[name] else ["true"])


def _figures(runs, _, prefix):
    times = [ns / 1e6 for ns, _ in runs]
    return {f"{prefix}ms": median(times), f"{prefix}least": min(times), f"{prefix}half": host.quartiles(times),
            f"{prefix}mib": max(kib for _, kib in runs) / 1024}


def measure(context):
    names, tools = host.choose(context, PART, OPTIONS)
    if not names:
        return None
    cases = [(tool, name) for name in names for tool in tools if OPTIONS[name] or tool == "pstat"]
    measured = host.in_turn(cases, context.rounds, _run)
    rows = []
    for name in names:
        row = host.row(name, measured, _figures)
        if name == MARKED:
            row["marks"] = [mark(MOST_MS, row.get("ms"), f"<= {MOST_MS} ms"), mark(MOST_MIB, row.get("mib"), f"<= {MOST_MIB} MiB")]
        rows.append(row)
    return Table(PART, TITLE, COLUMNS, rows, [host.load(), *refusals(rows)])
