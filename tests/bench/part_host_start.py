# SPDX-License-Identifier: GPL-2.0-only
"""The time and memory that a tool needs on this machine to start, count a command that does
nothing, and end."""

from statistics import median

import groups
import host
from ladders import EVENTS
from table import Table, mark, ratio, refusals

PART = "host-start"
TITLE = "ms from a command's fork to its end, and its peak memory, on this machine"
GROUPS = "GROUPS"  # replaced by 50 cgroups in options

OPTIONS = {
    "true": None,
    "native -e cs true": "-e cs true",
    "--bpf-counters -e cs -- true": "--bpf-counters -e cs -- true",
    "50 control groups": f"-a --bpf-counters --for-each-cgroup {GROUPS} -e {EVENTS[4]} -- true",
}
# ms, MiB; None: no mark
MARKS = {
    "native -e cs true": (None, 6), "--bpf-counters -e cs -- true": (15, 10),
    "50 control groups": (25, 12)
}
OF_PERF = {"native -e cs true": 0.6}  # as the median of the rounds' ratios
COLUMNS = [("ms", "ms", ratio), ("least", "least", ratio), ("half", "half of them", str),
           ("mib", "peak MiB", ratio), ("perf_ms", "perf ms", ratio),
           ("perf_least", "least", ratio), ("perf_half", "half of them", str),
           ("perf_mib", "peak MiB", ratio), ("of_perf", "pstat/perf", ratio)]


def _run(case):
    tool, name = case
    if not OPTIONS[name]:
        return host.cost(["true"])
    if GROUPS not in OPTIONS[name]:
        return host.cost(host.stat(tool, OPTIONS[name]))
    if not groups.mount():
        raise host.Refused("no cgroup hierarchy that perf events support is mounted")
    with groups.made(50) as names:
        return host.cost(host.stat(tool, OPTIONS[name].replace(GROUPS, ",".join(names))))


def _figures(runs, _, prefix):
    times = [ns / 1e6 for ns, _ in runs]
    return {
        f"{prefix}ms": median(times), f"{prefix}least": min(times),
        f"{prefix}half": host.quartiles(times), f"{prefix}mib": max(kib for _, kib in runs) / 1024
    }


def _of_perf(values, name):
    """Returns the median of the ratios of pstat's time to perf's in the same round, or None
    without perf."""
    pairs = zip(values["pstat", name], values.get(("perf", name), []))
    ratios = [ours / perfs for (ours, _), (perfs, _) in pairs]
    return median(ratios) if ratios else None


def measure(context):
    names, tools = host.choose(context, PART, OPTIONS)
    if not names:
        return None
    cases = [(tool, name) for name in names for tool in tools if OPTIONS[name] or tool == "pstat"]
    measured = host.in_turn(cases, context.rounds, _run)
    rows = []
    for name in names:
        row = host.row(name, measured, _figures)
        if name in MARKS:
            most_ms, most_mib = MARKS[name]
            row["marks"] = [
                mark(most, row.get(key), f"<= {most} {unit}")
                for most, key, unit in ((most_ms, "ms", "ms"), (most_mib, "mib", "MiB")) if most
            ]
        if name in OF_PERF:
            row["of_perf"] = _of_perf(measured[0], name)
            row["marks"].append(
                mark(OF_PERF[name], row["of_perf"], f"<= {OF_PERF[name]} of perf's ms"))
        rows.append(row)
    return Table(PART, TITLE, COLUMNS, rows, [host.load(), *refusals(rows)])
