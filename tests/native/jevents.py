# SPDX-License-Identifier: GPL-2.0-only
"""Reads the vendors' JSON files with the classes of jevents.py in the kernel's source tree, as
perf's build does. No code of perf is copied here."""

import csv
import importlib.util
import json
import re
import sys
import types

NUMBER = re.compile(r"(0x[0-9a-fA-F]+|\d+)$")


def load(events):
    """Loads the module from @events, a tree's tools/perf/pmu-events, without the code that only
    rewrites metrics."""
    sys.path.insert(0, str(events))
    try:
        spec = importlib.util.spec_from_file_location("kernel_jevents", events / "jevents.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(events))
    parsed = types.SimpleNamespace(Simplify=lambda: None)
    module.metric = types.SimpleNamespace(RewriteMetricsInTermsOfOthers=lambda metrics: {},
                                          ParsePerfJson=lambda text: parsed)
    return module


def terms_of(text):
    """Returns the names and values of the terms, without the sampling period."""
    pairs = [part.partition("=")[::2] for part in text.split(",")]
    return [(name, int(value, 0) if NUMBER.match(value) else value)
            for name, value in pairs if name != "period"]


def plain(text):
    return (text or "").replace("\\n", "\n").replace('\\"', '"').replace("\\r", "\r")


def event_of(one):
    number = re.match(r"[\d.]+([eE][-+]?\d+)?", one.unit or "")
    # Some events of old models have an MSR without a value, and perf cannot count them.
    terms = [term for term in terms_of(one.event) if term[1] != "None"]
    return {"event": one.name, "pmu": None if one.pmu == "default_core" else one.pmu,
            "compat": one.compat, "terms": terms,
            "unit": (one.unit or "")[number.end() if number else 0:],
            "scale": float(number.group()) if number else 0.0, "brief": plain(one.desc),
            "more": plain(one.long_desc), "topic": one.topic, "per_pkg": one.perpkg == "1",
            "deprecated": one.deprecated == "1"}


class Architecture:
    """Returns the events and metrics of a directory such as tools/perf/pmu-events/arch/x86, by
    model."""

    def __init__(self, module, folder):
        self.module, self.folder = module, folder
        module._arch_std_events.clear()
        module.read_json_events.cache_clear()
        module.preprocess_arch_std_files(str(folder))
        self.expressions = {}
        for path in folder.glob("*.json"):
            for one in json.loads(path.read_text(encoding="utf-8")):
                if "MetricName" in one and "MetricExpr" in one:
                    self.expressions[one["MetricName"].lower()] = one["MetricExpr"]
        with open(folder / "mapfile.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in list(csv.reader(file))[1:]
                    if len(row) > 2 and not row[0].startswith("#")]
        self.patterns = [(row[0], row[2]) for row in rows]

    def objects(self, folder):
        for path in sorted(folder.glob("*.json")):
            if path.name == "metricgroups.json":
                continue
            raw = json.loads(path.read_text(encoding="utf-8"))
            topic = self.module.get_topic(path.name)
            yield from zip(self.module.read_json_events(str(path), topic), raw)

    def metric_of(self, one, raw):
        """Returns a metric. The expression and the name of the PMU are unchanged, because pstat
        does not change them either."""
        expression = raw.get("MetricExpr") or self.expressions[raw["ArchStdEvent"].lower()]
        return {"metric": one.metric_name, "groups": one.metric_group or None, "expr": expression,
                "scale": one.unit, "threshold": one.metric_threshold, "unit": raw.get("Unit"),
                "grouping": int(one.event_grouping or 0)}

    def rows(self, folder):
        for one, raw in self.objects(folder):
            if one.name:
                yield event_of(one)
            if one.metric_name:
                yield self.metric_of(one, raw)

    def systems(self):
        """Returns the events that depend on the identifier of a PMU."""
        for folder in sorted(self.folder.rglob("sys")):
            yield from self.rows(folder)

    def model_of(self, cpuid):
        """Returns the directory for a CPU, from the first line of mapfile.csv that matches."""
        for pattern, folder in self.patterns:
            if cpuid.startswith("0x"):
                found = int(pattern, 16) == int(cpuid, 16)
            else:
                text = cpuid if pattern.count("-") == 3 else cpuid.rpartition("-")[0]
                found = re.fullmatch(pattern.replace("[:xdigit:]", "0-9A-Fa-f"), text)
            if found:
                return folder
        return None

    def cpus(self):
        """Returns one CPU for each directory."""
        found = {}
        if self.patterns[0][0].startswith("0x"):
            for pattern, _ in self.patterns:
                found.setdefault(self.model_of(pattern), pattern)
            return found
        for start in sorted({tuple(pattern.split("-")[:2]) for pattern, _ in self.patterns}):
            for model in range(256):
                for stepping in (0, 4, 5, 15):
                    cpuid = f"{start[0]}-{start[1]}-{model:X}-{stepping:X}"
                    found.setdefault(self.model_of(cpuid), cpuid)
        found.pop(None, None)
        return found
