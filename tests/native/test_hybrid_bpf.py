# SPDX-License-Identifier: GPL-2.0-only
"""Counts events that exist only on some CPUs through BPF, on this machine's own kernel. Two PMUs of
software events name the CPUs on which their events can be opened, like the core PMUs of a hybrid
machine."""

import os
import re
import subprocess

import pytest

from native import PSTAT, csv_rows, online_cpus

EVENTS = "cpu_core/event=0/,cpu_atom/event=0/,task-clock"
INSIDE = 'mount --bind "$1" /sys/bus/event_source/devices && shift && exec "$@"'

pytestmark = pytest.mark.usefixtures("own_pins")


@pytest.fixture(scope="module")
def devices(tmp_path_factory):
    """Makes a directory with two PMUs: cpu_core has the first CPU, cpu_atom the second."""
    if os.geteuid():
        pytest.skip("probe: not root")
    if len(online_cpus()) < 2:
        pytest.skip("probe: one CPU is online")
    top = tmp_path_factory.mktemp("devices")
    for pmu, cpu in zip(("cpu_core", "cpu_atom"), online_cpus()):
        (top / pmu / "format").mkdir(parents=True)
        (top / pmu / "type").write_text("1\n")
        (top / pmu / "cpus").write_text(f"{cpu}\n")
        (top / pmu / "format/event").write_text("config:0-63\n")
    return top


def hybrid_run(devices, *args, **popen):
    """Returns the rows of pstat: {(the fields before the value, event): whether the value is a
    number}."""
    line = [
        "unshare", "--mount", "sh", "-c", INSIDE, "sh", devices, PSTAT, "-x,", "--bpf-counters",
        "-e", EVENTS, *args
    ]
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=False,
                          timeout=60, **popen)
    if "unshare" in done.stderr:
        pytest.skip(f"probe: unshare --mount: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    rows = [row for row in csv_rows(done.stderr) if not row[0].startswith("WARNING")]
    at = 1 if "-A" in args else 0
    return {(*row[:at], row[at + 2].split(" ")[0]): row[at].replace(".", "").isdigit()
            for row in rows}


def test_an_event_of_a_core_pmu_is_counted_only_on_its_cpus(devices):
    first, second, *others = (f"CPU{cpu}" for cpu in online_cpus())
    assert hybrid_run(devices, "-a", "-A", "sleep", "0.2") == {
        **{(cpu, "cpu_core/event=0/"): cpu == first for cpu in (first, second, *others)},
        **{(cpu, "cpu_atom/event=0/"): cpu == second for cpu in (first, second, *others)},
        **{(cpu, "task-clock"): True for cpu in (first, second, *others)}}


@pytest.mark.parametrize("number", [0, 1])
def test_a_command_on_one_kind_of_core_does_not_fail_for_the_other(devices, number):
    cpu = online_cpus()[number]
    assert hybrid_run(devices, "true", preexec_fn=lambda: os.sched_setaffinity(0, {cpu})) == {
        ("cpu_core/event=0/", ): number == 0, ("cpu_atom/event=0/", ): number == 1,
        ("task-clock", ): True
    }


def test_cpus_of_the_other_kind_have_no_row(devices):
    cpu = online_cpus()[1]
    assert hybrid_run(devices, "-C", str(cpu), "sleep", "0.1") == {
        ("cpu_atom/event=0/",): True,
        ("task-clock",): True,
    }


def profile(devices, *args):
    """Returns what pstat profile prints about an event of both PMUs."""
    line = [
        "unshare", "--mount", "sh", "-c", INSIDE, "sh", devices, PSTAT, "profile", "-a", "-e",
        "cpu_*/event=0/", *args, "--timeout", "300"
    ]
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=False,
                          timeout=60)
    if "unshare" in done.stderr:
        pytest.skip(f"probe: unshare --mount: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_profile_names_the_kind_of_core(devices):
    heads = re.findall(r"^# (\S+), \d+ times a second: \d+ samples$", profile(devices), re.M)
    assert heads == ["cpu_atom/event=0/", "cpu_core/event=0/"]


def test_folded_stacks_include_all_kinds_of_cores(devices):
    lines = profile(devices, "--folded").splitlines()
    assert lines and all(
        re.fullmatch(r".+ \d+", line) for line in lines if not line.startswith("#"))
