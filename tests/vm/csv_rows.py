# SPDX-License-Identifier: GPL-2.0-only
"""Finds the rows of pstat -x in a text that may contain other lines."""
import re
from dataclasses import dataclass

LINE = re.compile(
    r"^(?:(?P<time>\d+\.\d{9}),)?(?P<value>\d+(?:\.\d+)?|<not counted>|<not "
    r"supported>),(?P<unit>[^,]*),"
    r"(?P<event>[^,]+),(?P<runtime>\d+),(?P<percent>\d+\.\d+),"
    r"(?P<metric>[^,]*),(?P<metric_unit>[^,]*)$"
)


@dataclass
class Row:
    time: float
    value: float
    event: str
    percent: float
    metric: str
    metric_unit: str


def rows(text):
    found = []
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            value = match["value"]
            found.append(
                Row(float(match["time"] or 0), None if value.startswith("<") else float(value),
                    match["event"], float(match["percent"]), match["metric"], match["metric_unit"]))
    return found


def values(text):
    """Returns {event: value} for one report."""
    return {row.event: row.value for row in rows(text)}


def series(text, event):
    return [row for row in rows(text) if row.event == event]
