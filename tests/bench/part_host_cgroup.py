# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a context switch on this machine while cgroups are counted, by the number of listed
cgroups and by the cgroups of the tasks."""

import contextlib
from dataclasses import dataclass
from statistics import median

import groups
import host
from ladders import EVENTS
from table import Table, count, mark, percent, refusals

PART = "host-cgroup"
TITLE = (
    "ns that counting control groups adds to a pipe ping-pong's round trip on this machine, 4"
    " events, over nothing in the same round"
)
MS = 50
MANY = 1000

# The limits are: a fraction of the cost that the installed native perf adds with 200 cgroups; a
# multiple of the cost that one cgroup adds; a fraction of the time without counting, in addition to
# the cost of an empty program (the kernel's own cost of a program at a context switch); and a
# multiple of the cost that one session adds.
MOST_OF_PERF, MOST_OF_ONE, MOST_IN_ONE, MOST_OF_FIVE = 0.35, 1.2, 0.015, 1.5
EMPTY = "empty"


@dataclass(frozen=True)
class Case:
    tool: str  # "" means no counting, and EMPTY a program that does nothing
    listed: int = 0
    apart: bool = True  # whether the two tasks are in two cgroups instead of both in the first
    sessions: int = 1


def _name(case):
    where = "two groups" if case.apart else "both tasks in one group"
    if not case.tool:
        return f"nothing, {where}"
    if case.tool == EMPTY:
        return f"an empty program at each switch, {where}"
    what = "--bpf-counters" if case.tool == "pstat" else "perf, native"
    return f"{what}, {where}, {case.listed} listed" + f", {case.sessions} sessions" * (
        case.sessions > 1
    )


NOTHING = {apart: Case("", apart=apart) for apart in (True, False)}
OURS = {listed: Case("pstat", listed) for listed in (1, 2, 200, MANY)}
PERFS = {listed: Case("perf", listed) for listed in (1, 200, MANY)}
IN_ONE, FIVE = Case("pstat", 2, apart=False), Case("pstat", 2, sessions=5)
EMPTY_IN_ONE = Case(EMPTY, apart=False)
CASES = [*NOTHING.values(), *OURS.values(), EMPTY_IN_ONE, IN_ONE, FIVE, *PERFS.values()]
COLUMNS = [("ns", "ns", count), ("added", "added", count), ("share", "of nothing", percent),
           ("own", "less an empty program's", percent), ("half", "half of them", str)]


def _measure(cases, rounds):
    with groups.made(MANY) as names, contextlib.ExitStack() as stack:
        ping_pong = host.PingPong()
        stack.callback(ping_pong.end)
        first, second = ping_pong.pids.split(",")

        def begin(case):
            if case.tool == EMPTY:
                return host.EmptyProgram()
            way = "--bpf-counters " if case.tool == "pstat" else ""
            options = f"-a {way}--for-each-cgroup {','.join(names[:case.listed])} -e {EVENTS[4]}"
            return host.Session(host.stat(case.tool, options))

        def one(case):
            groups.move(first, names[0])
            groups.move(second, names[1 if case.apart else 0])
            sessions = []
            try:
                for _ in range(case.sessions if case.tool else 0):
                    sessions.append(begin(case))
                return ping_pong.ns(MS)
            finally:
                for session in sessions:
                    session.end()

        ping_pong.ns(MS)
        return host.in_turn(cases, rounds, one)


def _figures(case, values):
    nothing = values[NOTHING[case.apart]]
    added = [ns - before for ns, before in zip(values[case], nothing)]
    found = {"ns": median(values[case]), "added": median(added), "half": host.quartiles(added),
             "share": median(ns / before - 1 for ns, before in zip(values[case], nothing))}
    if case == IN_ONE and values.get(EMPTY_IN_ONE):
        found["own"] = median(
            (ns - empty) / before
            for ns, empty, before in zip(values[case], values[EMPTY_IN_ONE], nothing))
    return found


def _marks(rows):
    """Returns the marks of a row. Limits are parts of what other rows add."""

    def limit(case, times):
        added = rows.get(case, {}).get("added")
        return None if added is None else added * times

    wanted = [(OURS[200], limit(PERFS[200],
                                MOST_OF_PERF), "added", f"<= {MOST_OF_PERF} x perf's with 200"),
              (OURS[MANY], limit(OURS[1], MOST_OF_ONE), "added", f"<= {MOST_OF_ONE} x that with 1"),
              (IN_ONE, MOST_IN_ONE, "own", f"<= {percent(MOST_IN_ONE)} more than an empty program"),
              (FIVE, limit(OURS[2], MOST_OF_FIVE), "added", f"<= {MOST_OF_FIVE} x one session")]
    for case, most, key, text in wanted:
        if case in rows:
            rows[case]["marks"] = [mark(most, rows[case].get(key), text)]


def measure(context):
    asked = [
        case for case in CASES
        if context.wants(PART, _name(case)) and (case.tool != "perf" or host.installed_perf())
    ]
    if not [case for case in asked if case.tool]:
        return None
    if not groups.mount():
        raise OSError("no cgroup hierarchy that perf events support is mounted")
    context.say(f"{PART}: {context.rounds} rounds on this machine")
    groups.allow_files()
    cases = list(
        dict.fromkeys([*NOTHING.values(), *asked, *([EMPTY_IN_ONE] if IN_ONE in asked else [])])
    )
    values, refused = _measure(cases, context.rounds)
    rows = {}
    for case in cases:
        rows[case] = {"name": _name(case)}
        if case in refused:
            rows[case]["why"] = refused[case]
        elif case.tool:
            rows[case].update(_figures(case, values))
        else:
            rows[case]["ns"] = median(values[case])
    _marks(rows)
    return Table(PART, TITLE, COLUMNS, list(rows.values()), [host.load(), *refusals(rows.values())])
