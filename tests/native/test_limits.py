# SPDX-License-Identifier: GPL-2.0-only
"""Limits that pstat inherits: file sizes, open files, a machine without /sys."""

import os
import resource
import shlex
import signal
import subprocess

import pytest

from native import FAILED, IN_C, PATIENCE, PSTAT, default_signals, run


def limited(number, *limits):
    def prepare():
        default_signals()
        resource.setrlimit(number, limits)
    return prepare


few_files = limited(resource.RLIMIT_NOFILE, 64, 64)


@pytest.mark.parametrize("line, said", [
    (("-o", "{}", "-e", "cs", "true"), "-o {}: cannot write the output: File too large"),
    (("profile", "-a", "--timeout", 20, "-o", "{}"), "cannot write the profile: File too large")])
def test_a_file_that_may_not_grow_is_reported(scratch, request, line, said):
    if line[0] == "profile":
        request.getfixturevalue("sampling")
    done = run(*(str(word).format("rows") for word in line),
               preexec_fn=limited(resource.RLIMIT_FSIZE, 0, 0))
    assert done.returncode == FAILED and said.format("rows") in done.stderr


def test_a_list_that_is_written_to_a_file_that_may_not_grow_is_reported(scratch):
    with open(scratch / "list", "w", encoding="ascii") as file:
        done = run("list", "sw", stdout=file, preexec_fn=limited(resource.RLIMIT_FSIZE, 0, 0))
    assert done.returncode == FAILED and "cannot write the list: File too large" in done.stderr


def test_a_limit_ends_the_command_as_it_does_without_pstat(scratch):
    done = run("-e", "cs", "-o", "/dev/null", "sh", "-c", "echo > file",
               preexec_fn=limited(resource.RLIMIT_FSIZE, 0, 0))
    assert done.returncode == 128 + signal.SIGXFSZ


def test_a_single_event_is_counted_with_64_files(as_nobody):
    done = as_nobody("-x,", "-e", "cs", "true", prepare=few_files)
    assert done.returncode == 0 and "open files" not in done.stderr, done.stderr


def test_if_too_few_files_are_allowed_pstat_prints_the_necessary_number(as_nobody):
    events = ",".join(["cs"] * 60)
    done = as_nobody("-e", events, "true", prepare=few_files)
    assert (
        done.returncode == FAILED
        and "open files are needed, but this process may open only 64\n" in done.stderr
    )


# ---- /sys ----

def test_without_sysfs_the_message_names_the_path():
    if os.geteuid():
        pytest.skip("probe: geteuid: only root can unmount /sys")
    for target in ("true", "-a --timeout 10", "-C 0 --timeout 10"):
        done = subprocess.run([
            "unshare", "--mount", "--propagation", "private", "sh", "-c",
            f"umount -l /sys && {shlex.quote(PSTAT)} -e cs {target}"
        ], capture_output=True, text=True, check=False, env={**os.environ, **IN_C},
                              timeout=PATIENCE)
        assert done.returncode and "/sys/devices/system/cpu" in done.stderr, done.stderr
        assert "\n       mount sysfs (mount -t sysfs sysfs /sys)" in done.stderr, done.stderr


# ---- many events ----

def test_pstat_restores_its_affinity_after_it_has_enabled_events_on_each_cpu():
    """pstat itself starts the commands of --pre and --post, after it has enabled the events of
    all CPUs."""
    if os.geteuid():
        pytest.skip("probe: geteuid: only root may count all CPUs")
    with open("/proc/self/status", encoding="ascii") as file:
        allowed = [line for line in file if line.startswith("Cpus_allowed_list")]
    done = run("-a", "-e", ",".join(["cs"] * 64), "-x,", "--post",
               "grep Cpus_allowed_list /proc/self/status", "true")
    assert done.returncode == 0 and done.stdout == allowed[0]
