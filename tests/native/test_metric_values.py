# SPDX-License-Identifier: GPL-2.0-only
"""Evaluates every metric of a file in the vendors' format that uses the whole language. Compares
the values with those of a second evaluator (metric_eval.py). The counts are random, and no kernel
is needed."""

import json
import random
import subprocess

import pytest

from metric_eval import Evaluator, Parser
from native import BUILD, TOP

FILE = TOP / "tests/data/metrics/example.json"
PROGRAM = BUILD / ".build/tests/unit/metric-values"
METRICS = [entry for entry in json.loads(FILE.read_text(encoding="utf-8")) if "MetricName" in entry]
LITERALS = {
    "#smt_on": [0, 1], "#core_wide": [0, 1], "#num_cpus": [1, 8, 512], "#num_cpus_online": [1, 6],
    "#num_cores": [0, 4], "#num_dies": [1, 4], "#num_packages": [1, 2], "#system_tsc_freq": [2.5e9],
    "#has_pmem": [0, 1]
}
# A name with the count zero, and a name without a count, for the metrics that use them.
FIXED = {"EX.ZERO": 0.0, "EX.MISSING": None}


def events_of(tree):
    """Returns the names in a tree, including those of metrics. Events in has_event() need not
    exist."""
    kind, *args = tree
    if kind in ("name", "source_count"):
        return {args[0]}
    if kind in ("number", "literal", "has_event", "strcmp_cpuid_str"):
        return set()
    return set().union(*map(events_of, args))


def counted(seed):
    """Returns values for all events and literals, and the number of PMUs of each event."""
    rng = random.Random(seed)
    names = {metric["MetricName"] for metric in METRICS}
    texts = [
        text for metric in METRICS for text in (metric["MetricExpr"], metric.get("MetricThreshold"))
        if text
    ]
    events = sorted(set().union(*(events_of(Parser(text).whole())
                                  for text in texts)) - names - {"EX.NOWHERE"})
    values = {
        name:
        float(rng.choice([rng.randrange(1, 100),
                          rng.randrange(1, 10**6),
                          rng.randrange(1, 10**13)])) for name in events
    }
    values.update(FIXED)
    if seed % 5 == 0:
        values[rng.choice(events)] = None
    literals = {name: float(rng.choice(choices)) for name, choices in LITERALS.items()}
    sources = {name: float(rng.randrange(1, 9)) for name in events}
    return values, literals, sources


def pstat_values(values, literals, sources):
    lines = [f"{name} {'none' if value is None else repr(value)} {sources.get(name, 1)}"
             for name, value in (values | literals).items()]
    done = subprocess.run([PROGRAM, FILE], input="\n".join(lines) + "\n", capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()]
    return {
        name: [None if word == "none" else float(word) for word in words] for name, *words in rows
    }


def same(a, b):
    return a is b if None in (a, b) else abs(a - b) <= 1e-9 * max(abs(a), abs(b))


@pytest.mark.parametrize("seed", range(40))
def test_every_metric_has_the_value_that_another_evaluator_computes(seed):
    values, literals, sources = counted(seed)
    found = pstat_values(values, literals, sources)
    assert sorted(found) == sorted(metric["MetricName"] for metric in METRICS)
    evaluator = Evaluator(values,
                          {metric["MetricName"]: metric["MetricExpr"]
                           for metric in METRICS}, literals, sources)
    for metric in METRICS:
        threshold = metric.get("MetricThreshold")
        wanted = [
            evaluator.value(metric["MetricExpr"]),
            evaluator.value(threshold) if threshold else None
        ]
        assert all(map(same, found[metric["MetricName"]],
                       wanted)), (metric, found[metric["MetricName"]], wanted)


def test_the_file_uses_the_whole_language():
    assert len(METRICS) >= 40
    texts = " ".join(metric["MetricExpr"] for metric in METRICS)
    for word in ("+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "|", "&", "^", " if ",
                 " else ", "min(", "max(", "d_ratio(", "source_count(", "has_event(",
                 "strcmp_cpuid_str(", "NaN", "duration_time", "\\-", "\\,", "\\=", "@", ":", "?",
                 *LITERALS):
        assert word in texts or word.replace("smt", "SMT") in texts, word


def test_the_values_vary():
    """With 40 sets of counts, most metrics have a value, and the value changes."""
    rounds = [pstat_values(*counted(seed)) for seed in range(40)]
    by_name = {name: {values[name][0] for values in rounds} for name in rounds[0]}
    assert sum(len(values - {None}) > 5 for values in by_name.values()) >= 35
    assert by_name["ex_not_counted"] == by_name["ex_no_division"] == {None}
