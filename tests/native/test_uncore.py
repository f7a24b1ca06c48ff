# SPDX-License-Identifier: GPL-2.0-only
"""Events of PMUs with a cpumask: counting through BPF, and the number of files that they need."""

import os
import subprocess
import sys

import pytest

from native import PSTAT, TOP, csv_rows, online_cpus

sys.path.insert(0, str(TOP / "tests/imitated"))
import imitated  # noqa: E402 pylint: disable=wrong-import-position

INSIDE = 'mount --bind "$1" /sys/bus/event_source/devices && shift && exec "$@"'


@pytest.fixture(scope="module")
def devices(tmp_path_factory):
    """Makes a PMU of software events with a cpumask of one CPU, like an uncore PMU."""
    if os.geteuid():
        pytest.skip("probe: not root")
    top = tmp_path_factory.mktemp("devices")
    (top / "uncore_x/format").mkdir(parents=True)
    (top / "uncore_x/type").write_text("1\n")
    (top / "uncore_x/cpumask").write_text(f"{online_cpus()[-1]}\n")
    (top / "uncore_x/format/event").write_text("config:0-63\n")
    return top


def in_namespace(devices, *line):
    """Runs the command where `devices` are the machine's PMUs."""
    words = ["unshare", "--mount", "sh", "-c", INSIDE, "sh", devices, *line]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False,
                          timeout=60)
    if "unshare" in done.stderr:
        pytest.skip(f"probe: unshare --mount: {done.stderr.strip()}")
    return done


@pytest.mark.usefixtures("own_pins")
@pytest.mark.parametrize("events, options", [("uncore_x/event=0/,cs", ["--bpf-counters"]),
                                             ("uncore_x/event=0/b,cs", [])])
def test_bpf_leaves_an_event_of_a_package_to_the_kernel(devices, events, options):
    done = in_namespace(devices, PSTAT, "-v", "-x,", "-a", "-A", *options, "-e", events, "sleep",
                        "0.1")
    assert done.returncode == 0, done.stderr
    assert "uncore_x/event=0/" in done.stderr
    assert "counted without BPF, because it counts a whole package, not tasks" in done.stderr
    rows = csv_rows("\n".join(text for text in done.stderr.splitlines() if text.startswith("CPU")))
    of_package = [row for row in rows if row[3].startswith("uncore_x")]
    assert [row[0] for row in of_package] == [f"CPU{online_cpus()[-1]}"]
    # cpu-clock counts from enabling to the end.
    assert int(of_package[0][1]) > 90e6


def test_why_tries_the_members_that_stay_in_a_group_together(devices):
    """The PMU's event leaves the group, because it has other CPUs. A member of a group cannot be
    pinned, and a single event can."""
    if len(online_cpus()) < 2:
        pytest.skip("probe: only one CPU is online")
    done = in_namespace(devices, PSTAT, "why", "-a", "-e", "{cs,uncore_x/event=2/,cpu-clock:D}",
                        "true")
    words = f"cpu-clock:D: refused on CPU {online_cpus()[0]} in its group (EINVAL)\n"
    assert words in done.stdout
    assert "uncore_x/event=2/: opens\n" in done.stdout


def test_the_limit_is_raised_only_for_files_that_will_be_opened():
    """Counts 80 events on 2 of 128 CPUs."""
    why_not = imitated.why_not()
    if why_not:
        pytest.skip(f"probe: unshare --mount true: {why_not}")
    events = ",".join(f"uncore_imc_{i % 4}/event={i}/" for i in range(80))
    # Root may raise the limit, unless it lacks the capability.
    limited = [
        "prlimit", "--nofile=300:300", "setpriv", "--bounding-set", "-sys_resource", "--inh-caps",
        "-sys_resource"
    ]
    with imitated.Imitation("server") as machine:
        done = machine.run([*limited, PSTAT, "-x,", "-a", "-e", events, "true"])
        assert done.returncode == 0, done.stderr
        assert [row[0].isdigit() for row in csv_rows(done.stderr)] == [True] * 80
        done = machine.run([*limited, PSTAT, "-x,", "-a", "-e", f"cs,{events},{events}", "true"])
        assert "pstat: 161 events × up to 128 CPUs: " in done.stderr
        assert "open files are needed, but this process may open only 300" in done.stderr


def test_if_the_cpu_of_a_package_is_offline_its_counts_are_missing_with_a_warning():
    why_not = imitated.why_not()
    if why_not:
        pytest.skip(f"probe: unshare --mount true: {why_not}")
    with imitated.Imitation("server") as machine:
        offline = "echo 1-127 >/sys/devices/system/cpu/online && exec \"$@\""
        done = machine.run([
            "sh", "-c", offline, "sh", PSTAT, "-x,", "-a", "-A", "-e", "uncore_imc_0/clockticks/",
            "true"
        ])
        again = machine.run(["sh", "-c", offline, "sh", PSTAT, "-x,", "-r3", "-a", "-e",
                             "uncore_imc_0/clockticks/", "true"])
        check = machine.run(
            ["sh", "-c", offline, "sh", PSTAT, "list", "--check", "uncore_imc/clockticks/"])
    assert "only with -a or -C: 1;" in check.stdout + check.stderr
    assert done.returncode == 0, done.stderr
    warning, row = done.stderr.splitlines()
    assert warning.startswith("pstat: CPU 0 is in the cpumask of an event's PMU, but it is offline")
    assert row.startswith("CPU32,")
    # The warning is printed once for all repetitions.
    assert again.stderr.splitlines()[:1] == [warning] and again.stderr.count(warning) == 1
