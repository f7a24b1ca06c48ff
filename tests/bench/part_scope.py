# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a run of a scope in which nothing happens, next to bpftrace if it is installed."""

import shutil

import programs
from ladders import Ladder, add_marks, climb, figures
from table import Table, count, mark, ratio

PART = "scope"
TITLE = "instructions of a run between two points (x86-64 guest, Linux 6.12)"

# Counters only. task-clock, which is one of ladders.EVENTS, is read as a clock.
COUNTERS = "msr/tsc/,cs,page-faults,cpu-migrations"
HIST = "scope-time --hist=scope-time"

FILE = "/usr/local/bin/scope-cost"
GETPPID = "__do_sys_getppid"
# getppid(2) calls this function. pstat uses fentry programs only for global functions.
NR_NS = "__task_pid_nr_ns"
# {row: (what the workload passes, the scope, the probes of bpftrace)}
KINDS = {
    "usdt": ("usdt", f"usdt:{FILE}:begin..end",
             f"usdt:{FILE}:pstat_test:begin usdt:{FILE}:pstat_test:end"),
    "uprobe": ("call", f"uprobe:{FILE}:handle", f"uprobe:{FILE}:handle uretprobe:{FILE}:handle"),
    "func (fentry)": ("getppid", f"func:{NR_NS}", f"kprobe:{NR_NS} kretprobe:{NR_NS}"),
    # There are more functions than pstat probes with fentry. Nothing calls them.
    "func (kprobe.session)": ("getppid", f"func:{GETPPID} --scope func:tcp_md5*",
                              f"kprobe:{GETPPID} kretprobe:{GETPPID}"),
    "syscall": ("getppid", "syscall:getppid",
                "tracepoint:syscalls:sys_enter_getppid tracepoint:syscalls:sys_exit_getppid"),
}
CLOCK = "clock and histogram"

# {row: the most that may be added}
MARKS = {
    "usdt, 4 events": 3700, "func (fentry), 4 events": 1900,
    "func (kprobe.session), 4 events": 2300, "syscall, 4 events": 1800,
}
# the largest multiple of what bpftrace adds for a clock and a histogram
OF_BPFTRACE = 0.9


def _rows(kind, probes=False):
    """Returns the rows of one kind of point, for pstat or bpftrace."""
    passes, scope, probed = KINDS[kind]
    # After the cost is subtracted, nothing is left, so the session would seem to count nothing.
    scope = f"--no-calibrate --scope {scope}"
    begin = f'begin "time 100 51" scope-cost {passes}'
    one = Ladder(kind, probed if probes else scope, 0, title=f"{kind}, {CLOCK}",
                 names=HIST, workload=begin)
    if probes:
        return [one]
    return [
        *[Ladder(kind, scope, nr, workload=begin) for nr in (1, 4, 8)],
        Ladder(kind, scope, 4, title=f"{kind}, 4 events without a clock", names=COUNTERS,
               workload=begin), one
    ]


def _climb(tool, context, ladders, passes, needed=None):
    wanted = {ladder: [1] for ladder in ladders if context.wants(PART, ladder.name(1))}
    if not wanted:
        return None, {}
    context.say(f"{PART}: {tool} in the guest")
    release, found = climb(tool, wanted, "", passes, needed)
    return release, {ladder.name(1): figures(found[ladder], 1) for ladder in wanted}


def measure(context):
    release, ours = _climb("pstat", context, sum(map(_rows, KINDS), []), context.repeats)
    if not ours:
        return None
    context.release = release
    bpftrace, theirs, notes = shutil.which("bpftrace"), {}, []
    if bpftrace:
        ladders = [ladder for kind in KINDS for ladder in _rows(kind, probes=True)]
        _, theirs = _climb("/root/guest-files/bpftrace-session", context, ladders, 1,
                           {"bpftrace": bpftrace})
        notes.append(f"bpftrace: {programs.version(bpftrace, '--version')}, with "
                     "`hist(nsecs - @start[tid])`")
    else:
        notes.append("bpftrace is not installed")
    rows = [{"name": name, **found} for name, found in ours.items()]
    add_marks(rows, MARKS, {}, {})
    for row in rows:
        other = theirs.get(row["name"], {})
        row["bpftrace"] = other.get("added")
        if row["bpftrace"] and row.get("added") is not None:
            row["ratio"] = row["added"] / row["bpftrace"]
        if other.get("why"):
            notes.append(f"bpftrace: {row['name']}: {other['why']}")
        if CLOCK in row["name"]:
            row["marks"] = [mark(OF_BPFTRACE, row.get("ratio"), f"<= {OF_BPFTRACE} of bpftrace's")]
    columns = [("nothing", "nothing", count), ("with", "with", count), ("added", "added", count),
               ("apart", "apart", count), ("bpftrace", "bpftrace", count),
               ("ratio", "pstat/bpftrace", ratio)]
    return Table(PART, TITLE, columns, rows, notes)
