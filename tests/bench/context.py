# SPDX-License-Identifier: GPL-2.0-only
"""The options of a bench run, and the perf to compare with."""

import json
import pathlib
import sys

import programs
from table import refusals

RECORDED = pathlib.Path(__file__).parent / "recorded.json"


class Context:
    def __init__(self, pattern, repeats, rounds):
        self.pattern = pattern
        self.repeats = repeats  # repeats in the guest
        self.rounds = rounds  # rounds on this machine
        self.release = None  # release of the guest's kernel
        self.perf = programs.bpf_perf()
        self._recorded = (
            json.loads(RECORDED.read_text(encoding="ascii")) if RECORDED.exists() else {}
        )

    def wants(self, part, name):
        return self.pattern is None or bool(self.pattern.search(f"{part}: {name}"))

    def say(self, text):
        print(f"  BENCH   {text}", file=sys.stderr, flush=True)

    def recorded(self, part, name):
        """Returns perf's figure from another day, or None if there is none."""
        return self._recorded.get(part, {}).get(name)

    def perf_notes(self, rows):
        """Returns the notes below a table whose rows have `perf_recorded`."""
        notes = refusals(rows)
        if any(row["perf_recorded"] for row in rows):
            notes.append(f"* recorded, not measured now: {self._recorded['what']} (PERF_BPF=PATH "
                         "names a perf to measure)")
        elif self.perf:
            notes.append(f"perf: {self.perf}, version {programs.version(self.perf)}")
        return notes


def perf_text(row):
    """Formats perf's figure for a table, with a mark if it was recorded earlier."""
    return (
        None if row["perf"] is None else f"{row['perf']:.0f}{'*' if row['perf_recorded'] else ''}"
    )


def record(tables, release):
    """Records perf's figures that were just measured in the guest, and keeps those of other
    rows."""
    recorded = json.loads(RECORDED.read_text(encoding="ascii")) if RECORDED.exists() else {}
    recorded["what"] = (
        f"perf {programs.version(programs.bpf_perf())} on Linux {release}, x86-64 guest"
    )
    for table in tables:
        figures = {
            row["name"]: round(row["perf"], 1) for row in table.rows
            if row.get("perf_recorded") is False and row["perf"]
        }
        if figures:
            recorded.setdefault(table.part, {}).update(figures)
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="ascii")
