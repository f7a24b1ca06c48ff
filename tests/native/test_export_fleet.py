# SPDX-License-Identifier: GPL-2.0-only
"""A fleet of 40 exporters and one Prometheus with the rules of examples/export, in real minutes.
test_export_prometheus.py has a small fleet with short minutes."""

import os
import time

import pytest

from fleet import memory, scaled_rules, slow_tasks, start_exporter
from prometheus import Prometheus, scrape

pytestmark = pytest.mark.skipif(not os.environ.get("PSTAT_LONG"),
                                reason="takes 15 minutes; run with PSTAT_LONG=1")
MACHINES, MINUTE_MS = 40, 60000


@pytest.fixture
def fleet(spawn, tmp_path):
    """Starts exporters and a Prometheus. `slow` are pairs of a machine and a cgroup."""
    started = []

    def start(cgroups, slow=()):
        processes, targets = zip(*[
            start_exporter(spawn, index, cgroups, MINUTE_MS, dict(slow).get(index))
            for index in range(MACHINES)])
        config = scrape(targets, "15s", rule_files=scaled_rules(tmp_path, MINUTE_MS))
        started.append(Prometheus(tmp_path / "prometheus", config))
        return processes, started[0]

    yield start
    for prometheus in started:
        prometheus.end()


def figures(prometheus, processes):
    """Measures a fleet over the last minute."""
    return {
        "scrape, mean in s": prometheus.value("avg(avg_over_time(scrape_duration_seconds[1m]))"),
        "scrape, longest in s": prometheus.value(
            "max(max_over_time(scrape_duration_seconds[1m]))"),
        "samples per scrape": prometheus.value("max(scrape_samples_scraped)"),
        "exporter, RSS in kB": max(map(memory, processes)),
        "Prometheus, RSS in kB": memory(prometheus.process),
        "series": int(prometheus.get("status/tsdb")["headStats"]["numSeries"])
    }


def test_one_slow_task_of_2080_is_found_in_real_minutes(fleet):
    processes, prometheus = fleet(52, [(17, 6)])
    begin, flagged = time.monotonic(), set()
    while time.monotonic() < begin + 480:
        time.sleep(10)
        flagged |= slow_tasks(prometheus)
    print(figures(prometheus, processes))
    assert flagged == {("machine17", "/system.slice/work2@1.service")}
    assert prometheus.value('count(up{job="pstat"} == 1)') == MACHINES


@pytest.mark.parametrize("cgroups", [25, 100, 400, 2000])
def test_a_scrape_grows_with_the_number_of_cgroups(fleet, cgroups):
    processes, prometheus = fleet(cgroups)
    time.sleep(75)
    found = figures(prometheus, processes)
    print(cgroups, found)
    assert found["scrape, mean in s"] < 1
    assert found["samples per scrape"] > 4 * cgroups
    assert found["exporter, RSS in kB"] < 20000
