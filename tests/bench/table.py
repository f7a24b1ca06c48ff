# SPDX-License-Identifier: GPL-2.0-only
"""Tables: the results of a part of the bench, and how they are printed. A row is a dict, which is
also written to the JSON file. Each row has `name`. If there are no figures, `why` is the reason.
`marks` is a list of {"limit", "text", "met"}, where met is None if there is no figure. `agree` is
false if repeats differ too much."""

from dataclasses import dataclass, field

LONGEST = 200  # the maximum number of characters in a reason
VERDICTS = {True: "met", False: "NOT MET", None: "not measured"}


@dataclass
class Table:
    part: str
    title: str
    columns: list  # (key in the row, heading, function that formats the value)
    rows: list
    notes: list = field(default_factory=list)


def mark(limit, value, text):
    """Returns a mark: the value must not exceed the limit. Either may be None if it is not
    known."""
    return {
        "limit": limit, "text": text,
        "met": None if limit is None or value is None else value <= limit
    }


def words(text):
    """Returns the output of a program as a reason in one line. Some programs also print all
    their options."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " ..."


def refusals(rows):
    """Returns notes on what perf refused, with each reason once."""
    names = {}
    for row in rows:
        if row.get("perf_why"):
            names.setdefault(row["perf_why"], []).append(row["name"])
    return [f"perf: {'; '.join(those)}: {why}" for why, those in names.items()]


def count(value):
    return f"{value:.0f}"


def ratio(value):
    return f"{value:.2f}"


def percent(value):
    return f"{100 * value:.1f} %"


def _after(row, reasons):
    """Returns the text after the figures of a row. `reasons`: the numbered reasons why figures
    are missing."""
    words = [f"{one['text']} {VERDICTS[one['met']]}" for one in row.get("marks", [])]
    if row.get("agree") is False:
        words.append("REPEATS DIFFER")
    if row.get("why"):
        words.append(f"({reasons.index(row['why']) + 1})")
    return "; ".join(words)


def _cells(row, columns):
    return ["-" if row.get(key) is None else text(row[key]) for key, _, text in columns]


def show(table):
    """Returns the table as lines of text."""
    head = [heading for _, heading, _ in table.columns]
    body = [_cells(row, table.columns) for row in table.rows]
    widths = [max(map(len, column)) for column in zip(head, *body)]
    names = max([len(row["name"]) for row in table.rows] + [4])
    reasons = list(dict.fromkeys(row["why"] for row in table.rows if row.get("why")))
    notes = [f"({number}) {reason}" for number, reason in enumerate(reasons, 1)] + table.notes
    lines = [f"{table.part}: {table.title}", ""]
    lines.append(f"  {'':{names}}  " + "  ".join(f"{word:>{width}}"
                                                 for word, width in zip(head, widths)))
    for row, cells in zip(table.rows, body):
        figures = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths))
        lines.append(f"  {row['name']:{names}}  {figures}  {_after(row, reasons)}".rstrip())
    return lines + [""] + [f"  {note}" for note in notes] + [""] * bool(notes)


def verdict(tables):
    """Returns the final text, and whether all marks are met."""
    rows = [(one.part, row) for one in tables for row in one.rows]
    marks = [one["met"] for _, row in rows for one in row.get("marks", [])]
    apart = [f"{part}: {row['name']}" for part, row in rows if row.get("agree") is False]
    lines = [
        f"marks: {marks.count(True)} met, {marks.count(False)} not met, {marks.count(None)} "
        "not measured"
    ]
    lines += [f"repeats differ: {name}" for name in apart]
    return lines, False not in marks and not apart
