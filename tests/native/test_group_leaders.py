# SPDX-License-Identifier: GPL-2.0-only
"""Groups whose leader is not supported. The texts and the exit status are those of perf 6.12."""

import platform
import sys

import pytest

from native import FAILED, PSTAT, TOP, run

sys.path.insert(0, str(TOP / "tests/imitated"))
import imitated  # noqa: E402 pylint: disable=wrong-import-position

MISSING = "stalled-cycles-frontend"
NOT_SUPPORTED = f"Error:\nThe {MISSING} event is not supported.\n"


@pytest.fixture(scope="module", name="icelake")
def icelake_machine():
    why_not = imitated.why_not()
    if why_not:
        pytest.skip(f"probe: unshare --mount true: {why_not}")
    with imitated.Imitation("icelake") as machine:
        yield machine


def pstat(machine, *arguments):
    return machine.run([PSTAT, *arguments, "sh", "-c", "echo started"])


@pytest.mark.parametrize("arguments,message", [
    (["-e", f"{{{MISSING},cycles}},cs"], NOT_SUPPORTED),
    (["-e", f"{{{MISSING},cycles}}:W"], NOT_SUPPORTED),
    (["-a", "-x,", "-e", f"cs,{{{MISSING},faults}}"], NOT_SUPPORTED),
    (["-e", "{topdown-retiring,duration_time}"],
     "Error:\nInvalid event (topdown-retiring) in per-thread mode, "
     "enable system wide with '-a'.\n"),
    (["-e", "{topdown-retiring,cycles}"],
     "Error:\nInvalid event (topdown-retiring) in per-thread mode, "
     "enable system wide with '-a'.\n"),
    (["-a", "-j", "-e", "{topdown-retiring,cycles}"],
     "Error:\nThe sys_perf_event_open() syscall returned with 22 (Invalid argument) for event "
     "(topdown-retiring).\n/bin/dmesg | grep -i perf may provide additional information.\n\n"),
])
def test_without_a_leader_the_command_does_not_run(icelake, arguments, message):
    done = pstat(icelake, *arguments)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr.startswith(message + "pstat: "), done.stderr
    assert "cannot be counted here (E" in done.stderr


@pytest.mark.parametrize("arguments", [[], ["-a"], ["-a", "-A", "-x,"]])
def test_a_group_that_must_not_count_while_idle_is_refused_in_perfs_words(machine_of, arguments):
    """Arm's driver refuses exclude_idle. perf's message depends on how perf was built."""
    command = [PSTAT, *arguments, "-e", "{cycles:k,instructions:k}:I", "true"]
    done = machine_of("biglittle").run(command)
    text = "Unsupported event (cycles:k) in per-thread mode, enable system wide with '-a'.\n"
    if "-a" in arguments:
        text = ("The sys_perf_event_open() syscall returned with 95 (Operation not supported) for "
                "event (cycles:k).\n/bin/dmesg | grep -i perf may provide")
    if platform.machine() == "x86_64":
        text = "No hardware sampling interrupt available.\n\n"
    assert done.returncode == FAILED and f"Error:\n{text}" in done.stderr


@pytest.mark.parametrize("arguments", [
    # A group of one event, a group in which another member than the leader is not supported, and a
    # series.
    ["-e", f"{{{MISSING}}},cs"],
    ["-a", "-e", f"{{{MISSING},duration_time}},cs"],
    ["-e", f"{{cs,{MISSING}}},cs"],
    ["-r", "2", "-e", f"{{{MISSING},cycles}},cs"],
])
def test_groups_of_other_kinds_are_shown_as_not_supported(icelake, arguments):
    done = pstat(icelake, "-x,", *arguments)
    assert done.returncode == 0 and "started" in done.stdout
    rows = [line.split(",") for line in done.stderr.splitlines() if line.count(",") > 5]
    assert ["<not supported>", MISSING] in [[row[0], row[2]] for row in rows]
    assert rows[-1][2] == "cs" and int(rows[-1][0]) > 0


def test_metrics_of_pstat_itself_have_no_value_without_their_leader():
    if not run("-x,", "-e", "cycles", "true").stderr.startswith("<not supported>"):
        pytest.skip("probe: pstat -e cycles: this machine has a PMU")
    done = run("-M", "ipc,cpus_utilized", "true")
    assert done.returncode == 0, done.stderr
    assert "<not supported>" in done.stderr and "CPUs  cpus_utilized" in done.stderr


def test_a_machine_without_counters_refuses_a_hardware_group_as_perf_does():
    single = run("-x,", "-e", "cycles", "true")
    if not single.stderr.startswith("<not supported>"):
        pytest.skip("probe: pstat -e cycles: this machine has a PMU")
    done = run("-e", "{cycles,instructions}", "true")
    assert done.returncode == FAILED
    assert done.stderr.startswith("Error:\nThe cycles event is not supported.\npstat: cycles: ")
