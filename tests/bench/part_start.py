# SPDX-License-Identifier: GPL-2.0-only
"""The instructions that a tool needs in the guest to start, count a command that does nothing, and
end."""

import re
import tempfile
from statistics import mean, median

import programs
from context import perf_text
from guest import guest_each
from ladders import MACHINE, WARM_UP
from table import Table, count, mark, ratio, words

PART = "start"
TITLE = (
    "from a command's fork to its end (x86-64 guest, Linux 6.12): instructions; elapsed us, in"
    " which 1000 instructions are one us and waiting counts; pstat and perf linked dynamically"
)
TIMES = 9
OF_PERF = 0.6  # the mark of the row --bpf-counters
AGREE = 0.01

LOAD = (
    "cd $(mktemp -d)\nbpf-run --print-id --hold >id &\nwhile ! [ -s id ]; do sleep 1;"
    " done\nid=$(cat id)\n"
)

# name: commands that run before, and the command, with TOOL for pstat or perf
CASES = {
    "true": ("", "true"),
    "native -e cs true": ("", "TOOL stat -e cs true"),
    "--bpf-counters -e cs -- true": ("", "TOOL stat --bpf-counters -e cs -- true"),
    "-b ID -e cs -- true": (LOAD, "TOOL stat -b $id -e cs -- true"),
}
MARKED = "--bpf-counters -e cs -- true"


def _figures(done):
    lines = re.findall(r"^ns (\d+) busy (\d+) kib (\d+)$", done.stdout, re.M)
    if done.returncode or not lines:
        return {"why": words(done.stdout) or f"exit status {done.returncode}"}
    elapsed, busy, kib = zip(*(map(int, line) for line in lines))
    return {"elapsed": median(elapsed), "busy": median(busy), "kib": max(kib)}


def _run(tool, names, passes):
    """Returns the kernel's release, and {name: [figures of each pass]}, from one boot."""
    path = {"pstat": programs.PSTAT, "perf": programs.bpf_perf()}[tool]
    commands = {"install": programs.INSTALL, "warm up": WARM_UP}
    for number in range(passes):
        for name in names:
            before, command = CASES[name]
            commands[name, number] = (
                f"{before}sleep 2; run-cost --times {TIMES} {command.replace('TOOL', tool)}; s=$?\n"
                "[ -z \"$id\" ] || kill $!\nexit $s"
            )
    with tempfile.TemporaryDirectory(prefix="pstat-bench.") as directory:
        results = guest_each(commands, files=[programs.bundle(directory, {tool: path})], **MACHINE)
    release = results["warm up"].stdout.split()[-1]
    return release, {
        name: [_figures(results[name, number]) for number in range(passes)] for name in names
    }


def _row(context, name, ours, perfs):
    row = {"name": name}
    failed = [figures["why"] for figures in ours if "why" in figures]
    if failed:
        row["why"] = failed[0]
    else:
        values = [figures["busy"] for figures in ours]
        apart = max(values) - min(values)
        row.update(instructions=mean(values), apart=apart, agree=apart <= AGREE * mean(values),
                   us=mean(figures["elapsed"] for figures in ours) / 1000,
                   mib=max(figures["kib"] for figures in ours) / 1024)
    if perfs.get("elapsed"):
        row["perf_us"] = perfs["elapsed"] / 1000
    row.update(perf=perfs.get("busy"), perf_why=perfs.get("why"), perf_recorded=False)
    if not perfs:
        row["perf"] = context.recorded(PART, name)
        row["perf_recorded"] = row["perf"] is not None
    row["perf_text"] = perf_text(row)
    if "instructions" in row and row["perf"]:
        row["ratio"] = row["instructions"] / row["perf"]
    if name == MARKED:
        row["marks"] = [mark(OF_PERF, row.get("ratio"), f"<= {OF_PERF} of perf's")]
    return row


COLUMNS = [("instructions", "instructions", count), ("apart", "apart", count),
           ("us", "elapsed us", count), ("mib", "peak MiB", ratio), ("perf_text", "perf", str),
           ("perf_us", "elapsed us", count), ("ratio", "pstat/perf", ratio)]


def measure(context):
    names = [name for name in CASES if context.wants(PART, name)]
    if not names:
        return None
    context.say(f"{PART}: pstat in the guest")
    context.release, ours = _run("pstat", names, context.repeats)
    perfs = {}
    with_perf = [name for name in names if "TOOL" in CASES[name][1]]
    if with_perf and context.perf:
        context.say(f"{PART}: perf in the guest")
        _, perfs = _run("perf", with_perf, 1)
    rows = [
        _row(context, name, ours[name], perfs[name][0] if name in perfs else {}) for name in names
    ]
    return Table(PART, TITLE, COLUMNS, rows, context.perf_notes(rows))
