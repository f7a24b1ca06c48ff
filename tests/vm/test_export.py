# SPDX-License-Identifier: GPL-2.0-only
"""Pages of `pstat export` from a guest with cycles and instructions, stored in Prometheus with the
times of their readings. Rates of PromQL must equal the rows of `pstat stat -I`."""

import csv
import os
import re
import sys
import time

import pytest

from guest import guest_outputs, kernels

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../native"))
# pylint: disable=wrong-import-position
from prometheus import Prometheus, dashboard, promtool, scrape  # noqa: E402

MSEC = 100
EVENTS = "duration_time,task-clock,cycles,instructions"
# Two sessions count the same work in two cgroups. It begins after the first page, and ends before
# the last one.
CGROUPS = f"""
mkdir /sys/fs/cgroup/a /sys/fs/cgroup/b
pages() {{ for i in $(seq $1); do sleep 0.05; echo PAGE; cat page; done; }}
in_group() {{ (echo 0 >/sys/fs/cgroup/$1/cgroup.procs; exec spin $2); }}
what="-I {MSEC} -a --bpf-counters --for-each-cgroup a,b -e {EVENTS}"
pstat stat -x, -o rows $what & pids=$!
pstat export --textfile page $what & pids="$pids $!"
until [ -s page ] && [ -s rows ]; do sleep 0.02; done
pages 3
in_group a 4000000
pages 4
in_group b 9000000
pages 6
kill -INT $pids
wait
echo ROWS
cat rows
"""
PROGRAMS = f"""
bpf-run --prog count --print-id --hold >id &
until [ -s id ]; do sleep 0.01; done
pstat export --textfile page -I {MSEC} -b $(cat id) --hist=instructions \\
    -e instructions,cycles & pstat=$!
until [ -s page ]; do sleep 0.02; done
for i in $(seq 9); do
    bpf-run --id $(cat id) --runs 25 >/dev/null; echo PAGE; cat page; sleep 0.07
done
kill -INT $pstat
wait $pstat
"""
OWN = """
echo 1 >/proc/sys/kernel/bpf_stats_enabled
bpf-run --prog count --print-id --hold >held &
until [ -s held ]; do sleep 0.01; done
pstat export --textfile own -I 50 -b $(cat held) -e cs & pstat=$!
until [ -s own ]; do sleep 0.02; done
bpf-run --id $(cat held) --runs 10
until grep '^pstat_bpf_prog_runs_total.* 10$' own; do sleep 0.02; done
grep '^pstat_own_bpf_runs_total{' own
kill -INT $pstat
wait $pstat
echo 0 >/proc/sys/kernel/bpf_stats_enabled
"""


@pytest.fixture(scope="module", params=kernels("6.12"))
def outputs(request):
    return guest_outputs({"cgroups": CGROUPS, "programs": PROGRAMS, "own": OWN},
                         kernel=request.param, icount=True)


def with_times(text, begin, moment):
    """Merges pages of the text format into one in OpenMetrics, in which each sample has the time
    `begin` plus the moment at which its page was read."""
    families, seen = {}, set()
    for page in text.split("PAGE\n")[1:]:
        when = moment(page)
        if when is None or when in seen or not re.search("^pstat_cpu_info", page, re.M):
            continue
        seen.add(when)
        name = ""
        for line in page.splitlines():
            if line.startswith("# TYPE"):
                name = line.split()[2].removesuffix("_total")
                kind = line.split()[3]
            elif line and line[0] != "#":
                families.setdefault((name, kind), []).append(f"{line} {begin + when:.3f}")
    lines = []
    for (name, kind), samples in families.items():
        lines.append(f"# TYPE {name} {kind}")
        # all samples of a series are together
        lines += sorted(samples, key=lambda line: line.rpartition(" ")[0].rpartition(" ")[0])
    return "\n".join(lines) + "\n# EOF\n", sorted(seen)


@pytest.fixture
def stored(tmp_path):
    """Starts a Prometheus with the samples of these pages."""
    started = []

    def start(text):
        (tmp_path / "pages").write_text(text, encoding="utf-8")
        promtool("tsdb", "create-blocks-from", "openmetrics", tmp_path / "pages",
                 tmp_path / "server/data")
        started.append(Prometheus(tmp_path / "server", scrape((), "1m")))
        return started[-1]

    yield start
    for prometheus in started:
        prometheus.end()


def moment_of(page):
    """Returns the seconds since the start of the count, as the event duration_time counts them."""
    found = re.search(r"^pstat_duration_time_seconds_total (\S+)", page, re.M)
    return float(found[1]) if found else None


def number_of(page):
    """Returns the seconds at which a page of the interval MSEC was made."""
    found = re.search(r"^pstat_readings_total (\d+)", page, re.M)
    return int(found[1]) * MSEC / 1000 if found else None


def test_rates_of_cycles_and_instructions_equal_the_rows_of_stat(outputs, stored):
    pages, _, rows = outputs["cgroups"].partition("ROWS\n")
    begin = int(time.time()) - 3600
    text, moments = with_times(pages, begin, moment_of)
    server = stored(text)
    length = round(1000 * moments[-1]) - round(1000 * moments[0])
    assert len(moments) > 5
    rows = [row for row in csv.reader(rows.splitlines()) if len(row) > 5]
    for event in ("cycles", "instructions", "task-clock"):
        for group in ("a", "b"):
            counted = sum(float(row[1]) for row in rows if row[3] == event and row[4] == group
                          and not row[1].startswith("<"))
            unit = "_clock_seconds" if event == "task-clock" else ""
            name = f"pstat_cgroup_{event.partition('-')[0]}{unit}_total"
            rate = server.value(f'rate({name}{{cgroup="/{group}"}}[{length}ms])',
                                begin + moments[-1])
            counted /= 1000 if event == "task-clock" else 1
            assert rate == pytest.approx(1000 * counted / length, rel=0.01), (event, group)
    cpi = server.query(f"rate(pstat_cgroup_cycles_total[{length}ms]) / "
                       f"rate(pstat_cgroup_instructions_total[{length}ms])", begin + moments[-1])
    # this guest needs exactly two cycles for each instruction
    assert list(cpi.values()) == [pytest.approx(2, rel=0.01)] * 2


def test_the_dashboard_shows_bpf_programs(outputs, stored):
    begin = int(time.time()) - 3600
    text, moments = with_times(outputs["programs"], begin, number_of)
    server, end = stored(text), begin + moments[-1]
    runs = server.value("pstat_bpf_prog_runs_total", end)
    assert 0 < runs <= 9 * 25 and runs % 25 == 0
    assert server.value('pstat_bpf_prog_run_instructions_bucket{le="+Inf"}', end) == runs
    for panel, expr in dashboard("10s").items():
        if "pstat_bpf_prog" in expr:
            assert server.query(expr.replace(', instance=~".*"', ""), end), (panel, expr)


def test_a_program_that_is_counted_is_none_of_pstats_own(outputs):
    [counted] = re.findall(r'^pstat_bpf_prog_runs_total{id="(\d+)".* 10$', outputs["own"], re.M)
    own = re.findall(r'^pstat_own_bpf_runs_total{id="(\d+)",name="(\w+)"', outputs["own"], re.M)
    assert own and counted not in dict(own), outputs["own"]
