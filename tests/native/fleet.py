# SPDX-License-Identifier: GPL-2.0-only
"""A fleet of exporters whose counts are made up (tests/workloads/fleet-exporter.c), and the rules
of examples/export with all times shortened."""

import re
import subprocess

from native import proc_text, workload
from prometheus import ALERTS, EXAMPLES

_FILES = ["pstat.rules.yml", "tasks-systemd.rules.yml", "cpi2.rules.yml", ALERTS.name]
_DURATION = re.compile(r"\[(\d+\w+)\]|(interval|for): (\d+\w+)")
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def _seconds(duration):
    parts = re.findall(r"(\d+)([dhms])", duration)
    return sum(int(number) * _UNITS[unit] for number, unit in parts)


def scaled_rules(folder, minute_ms):
    """Copies the rules, with minutes of this length. Returns the paths of the copies."""

    def scale(match):
        whole = match[1] or match[3]
        return match[0].replace(whole, f"{_seconds(whole) * minute_ms // 60}ms")

    for name in _FILES:
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        (folder / name).write_text(_DURATION.sub(scale, text), encoding="utf-8")
    return [str(folder / name) for name in _FILES]


def start_exporter(spawn, index, cgroups, minute_ms, slow=None):
    """Starts the exporter of machine `index`, on which the task in cgroup `slow` is slow. Returns
    the process and its target for Prometheus."""
    options = [] if slow is None else [slow]
    process = spawn(workload("fleet-exporter", "127.0.0.1:0", index, cgroups, minute_ms, *options),
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    address = process.stdout.readline().strip().removeprefix("http://")
    return process, {"targets": [address], "labels": {"instance": f"machine{index}"}}


def slow_tasks(prometheus):
    """Returns the tasks for which the alert fires, as pairs of machine and cgroup."""
    found = prometheus.query('ALERTS{alertname="PstatCpiAbnormal", alertstate="firing"}')
    return {(dict(labels)["instance"], dict(labels)["cgroup"]) for labels in found}


def memory(process, field="VmRSS"):
    """Returns a figure of /proc/PID/status in kB."""
    return int(re.search(rf"{field}:\s+(\d+)", proc_text(process.pid, "status"))[1])
