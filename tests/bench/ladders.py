# SPDX-License-Identifier: GPL-2.0-only
"""Measures the cost that one session, a few sessions and many sessions add to a workload in the
x86-64 guest, in which a nanosecond is an instruction."""

import pathlib
import re
import tempfile
from dataclasses import dataclass
from statistics import mean, median

import programs
from context import perf_text
from guest import guest_each
from table import Table, count, mark, ratio, words

GUEST_FILES = pathlib.Path(__file__).parent / "guest-files"
MACHINE = {"arch": "x86_64", "kernel": "6.12", "icount": True, "timeout": 3600}
# After these commands, the boot is complete and each path has run once. Addresses are not random,
# because they determine how much memory is paged in.
WARM_UP = (
    "echo 0 >/proc/sys/kernel/randomize_va_space; sleep 5; ping-pong --ops 2000; sleep 5; uname -r"
)

EVENTS = {0: "run_cnt", 1: "msr/tsc/", 2: "msr/tsc/,cs", 4: "msr/tsc/,cs,task-clock,page-faults"}
EVENTS[8] = EVENTS[4] + ",cpu-clock,cpu-migrations,major-faults,alignment-faults"

# Two repeats agree if they differ by at most 1 % of what is added or, if that is very small, by two
# thousandths of the whole.
AGREE, OF_WHOLE = 0.01, 0.002


@dataclass(frozen=True)
class Ladder:
    """Sessions of `TOOL stat OPTIONS -e EVENTS`. `steps` are the numbers of sessions at the same
    time."""

    what: str  # shown in the table
    options: str  # for the guest's shell, with $own, $sleeper, $id of guest-files/ladder
    events: int
    steps: tuple = (1,)
    idle: bool = False  # whether no counted event occurs
    perf: bool = True  # whether perf also supports this row
    names: str = ""  # of the events; default: those of EVENTS
    title: str = ""  # of the row; default: made of `what` and the numbers
    workload: str = ""  # if it differs from that of the part

    def name(self, step):
        if self.title:
            return self.title
        many = f", {step} session{'s'[:step > 1]}" if self.steps != (1,) else ""
        return f"{self.what}, {self.events} event{'s'[:self.events != 1]}{many}"


@dataclass
class Found:
    """Instructions of one turn: {sessions: value}, beginning with 0 sessions. If sessions are
    missing or do not count, `why` is the reason."""

    at: dict
    why: str = ""


def _parse(text):
    found = Found({})
    for line in text.splitlines():
        match = re.match(r"(\d+) (ops|runs) (\d+) ns ([\d ]+)$", line)
        if match:
            times = list(map(int, match[4].split()))
            # The kernel computed means over several calls, and a call may contain a timer tick.
            found.at[int(match[1])] = (
                mean(times) / int(match[3]) if match[2] == "ops" else median(times)
            )
        elif line.startswith("why "):
            found.why = words(line[4:])
    if not found.at:
        found.why = words(text) or "no answer from the guest's script"
    return found


def _script(ladder, steps, tool, workload):
    begin, idle = ladder.workload or workload, "y" if ladder.idle else ""
    return (f". /root/guest-files/ladder\n{begin}\nidle={idle}\n"
            f"ladder '{' '.join(map(str, steps))}' {tool} stat {ladder.options} -e "
            f"{ladder.names or EVENTS[ladder.events]}")


def climb(tool, wanted, workload, passes, needed=None):
    """Returns the kernel's release, and {ladder: [Found of each pass]} for `wanted`, which is
    {ladder: steps}, from one boot. `needed`: {name: path} of programs to install in the guest."""
    with tempfile.TemporaryDirectory(prefix="pstat-bench.") as directory:
        files, commands = [GUEST_FILES], {}
        if needed:
            files.append(programs.bundle(directory, needed))
            commands["install"] = programs.INSTALL
        commands["warm up"] = WARM_UP
        for number in range(passes):
            for ladder, steps in wanted.items():
                commands[ladder, number] = _script(ladder, steps, tool, workload)
        results = guest_each(commands, files=files, **MACHINE)
    release = results["warm up"].stdout.split()[-1]
    return release, {
        ladder: [_parse(results[ladder, number].stdout) for number in range(passes)]
        for ladder in wanted
    }


def figures(found, step):
    """Returns the figures of a row from all passes, or the reason why there are no figures."""
    failed = [one.why for one in found if step not in one.at or one.why.startswith("session")]
    if failed:
        return {"why": failed[0]}
    added = [one.at[step] - one.at[0] for one in found]
    apart = max(added) - min(added)
    whole = mean(one.at[step] for one in found)
    return {
        "nothing": mean(one.at[0] for one in found), "with": whole, "added": mean(added),
        "apart": apart, "agree": apart <= max(AGREE * mean(added), OF_WHOLE * whole)
    }


def _perf_figures(context, part, ladder, step, climbed):
    """Returns the columns of perf for a row."""
    if ladder in climbed:
        found = figures(climbed[ladder], step)
        return {"perf": found.get("added"), "perf_why": found.get("why"), "perf_recorded": False}
    recorded = context.recorded(part, ladder.name(step))
    return {"perf": recorded, "perf_recorded": recorded is not None}


COLUMNS = [("nothing", "nothing", count), ("with", "with", count), ("added", "added", count),
           ("apart", "apart", count), ("perf_text", "perf", str), ("ratio", "pstat/perf", ratio)]


def add_marks(rows, marks, over, times):
    """Adds the marks that measure() describes."""
    added = {row["name"]: row.get("added") for row in rows}
    for row in rows:
        found = []
        limit = marks.get(row["name"])
        if limit is not None:
            found.append(mark(limit, row.get("added"), f"<= {limit}"))
        other, limit = over.get(row["name"], (None, None))
        if other is not None:
            both = row.get("added") is not None and added.get(other) is not None
            more = row["added"] - added[other] if both else None
            found.append(mark(limit, more, f"<= {limit} over {other}"))
        other, limit = times.get(row["name"], (None, None))
        if other is not None:
            most = limit * added[other] if added.get(other) is not None else None
            found.append(mark(most, row.get("added"), f"<= {limit} x {other}"))
        if found:
            row["marks"] = found


def measure(context, part, title, ladders, workload, marks, over=None, times=None):
    """Returns the table of a part. `marks`: {name of a row: the most that may be added}; `over`:
    {name of a row: (another row, the most that this row may add to that row's figure)}; `times`:
    {name of a row: (another row, the largest multiple of that row's figure)}."""
    wanted = {
        ladder: [step for step in ladder.steps if context.wants(part, ladder.name(step))]
        for ladder in ladders
    }
    wanted = {ladder: steps for ladder, steps in wanted.items() if steps}
    if not wanted:
        return None
    context.say(f"{part}: pstat in the guest")
    context.release, ours = climb("pstat", wanted, workload, context.repeats)
    perfs = {ladder: steps for ladder, steps in wanted.items() if ladder.perf}
    if perfs and context.perf:
        context.say(f"{part}: perf in the guest")
        _, perfs = climb("perf", perfs, workload, 1, {"perf": context.perf})
    else:
        perfs = {}
    rows = []
    for ladder, steps in wanted.items():
        for step in steps:
            row = {"name": ladder.name(step), **figures(ours[ladder], step),
                   **_perf_figures(context, part, ladder, step, perfs)}
            row["perf_text"] = perf_text(row)
            if row.get("added") is not None and (row["perf"] or 0) > OF_WHOLE * row["with"]:
                row["ratio"] = row["added"] / row["perf"]
            rows.append(row)
    add_marks(rows, marks, over or {}, times or {})
    return Table(part, title, COLUMNS, rows, context.perf_notes(rows))
