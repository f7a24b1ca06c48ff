# SPDX-License-Identifier: GPL-2.0-only
"""pstat without /proc, or with the /proc of another PID namespace. There, an ID belongs to another
process, so pstat must not read anything."""

import os
import re
import shlex
import subprocess

import pytest

from native import FAILED, IN_C, PATIENCE, PSTAT, USAGE, default_signals, workload

MISSING = ("unshare", "--mount", "--propagation", "private", "sh", "-c",
           'umount -l /proc && eval "$0"')
FOREIGN = ("unshare", "--pid", "--fork", "--kill-child", "sh", "-c", 'eval "$0"')
REASONS = {MISSING: "/proc is not mounted", FOREIGN: "/proc belongs to another PID namespace"}
BUSY = " ".join(map(shlex.quote, workload("spin", "--ms", 10000)))


@pytest.fixture(params=REASONS, ids=["missing", "foreign"])
def machine(request):
    """Returns a function that runs shell commands without a usable /proc, and the reason why pstat
    cannot use /proc. {} in a command stands for pstat."""
    if os.geteuid():
        pytest.skip("probe: geteuid: only root makes namespaces")
    probe = subprocess.run([*request.param, "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        pytest.skip(f"probe: {' '.join(request.param)}: {probe.stderr.strip()}")

    def go(command):
        return subprocess.run(
            [*request.param, command.replace("{}", shlex.quote(PSTAT))], capture_output=True,
            text=True, check=False, timeout=PATIENCE, env={**os.environ,
                                                           **IN_C}, preexec_fn=default_signals)

    return go, REASONS[request.param]


def test_the_threads_of_the_machine_cannot_be_listed(machine):
    go, reason = machine
    done = go("{} -a --per-thread -e cs --timeout 20")
    assert (
        done.returncode == FAILED
        and f"--per-thread: cannot read the list of threads: {reason}" in done.stderr
    )


@pytest.mark.usefixtures("sampling")
def test_the_mappings_of_the_machine_cannot_be_read(machine):
    go, reason = machine
    done = go("{} profile -a -e cpu-clock --timeout 20")
    assert (
        done.returncode == FAILED
        and f"the files that processes have mapped cannot be found: {reason}" in done.stderr
    )


@pytest.mark.usefixtures("sampling")
def test_without_proc_functions_of_the_kernel_have_no_names(machine):
    go, reason = machine
    if reason != REASONS[MISSING]:
        pytest.skip("probe: the file kallsyms is the same in all PID namespaces")
    done = go("{} profile -e cpu-clock:k -c 200000 dd if=/dev/zero of=/dev/null bs=64k "
              "count=20000 status=none")
    assert f"the functions of the kernel are unknown: {reason}" in done.stderr, done.stderr


@pytest.mark.parametrize("machine", [MISSING], indirect=True, ids=["missing"])
@pytest.mark.parametrize(
    "words", ["-a --for-each-cgroup /", "-a --bpf-counters --for-each-cgroup /"])
def test_without_proc_no_cgroups_are_found_and_the_message_does_not_blame_them(machine, words):
    go, reason = machine
    done = go("{} -e cs " + words + " --timeout 20")
    assert done.returncode and f"the cgroups cannot be found: {reason}\n" in done.stderr, done
    assert "cgroup2" not in done.stderr


def test_an_existing_process_is_not_reported_as_missing(machine):
    go, reason = machine
    done = go("sleep 20 & {} -p $! -e cs --timeout 20; code=$?; kill $!; exit $code")
    assert done.returncode == USAGE and "there is no process" not in done.stderr
    assert re.search(rf"-p \d+: the threads of process \d+ cannot be listed: {reason}", done.stderr)


def test_a_nonexistent_process_is_reported_as_missing(machine):
    go, _ = machine
    for option, what in (("-p", "process"), ("-t", "thread")):
        assert f"there is no {what} 4194303" in go(f"{{}} {option} 4194303 -e cs").stderr


def test_a_thread_is_not_shown_with_the_name_of_another(machine):
    go, reason = machine
    done = go(f"{BUSY} & {{}} -t $! --per-thread -e task-clock --timeout 100; kill $!")
    assert f"the names of the threads are unknown: {reason}" in done.stderr
    assert re.search(r"^ +-\d+ +[\d.]+ msec task-clock", done.stderr, re.M)


def test_shared_counters_count_a_thread_whose_id_is_another_process_in_proc():
    """In the /proc of another PID namespace, the thread's id can belong to another process. The
    namespace of that process must not matter."""
    if os.geteuid():
        pytest.skip("probe: geteuid: only root makes namespaces")
    command = (
        f"{BUSY} & {shlex.quote(PSTAT)} -t $! -x, -e task-clock,task-clock:b --timeout 200; kill $!"
    )
    done = subprocess.run([*FOREIGN, command], capture_output=True, text=True, check=False,
                          timeout=PATIENCE, env={**os.environ, **IN_C}, preexec_fn=default_signals)
    rows = [line.split(",") for line in done.stderr.splitlines() if ",task-clock" in line]
    if any(row[0] == "<not supported>" for row in rows) or len(rows) < 2:
        pytest.skip(f"probe: task-clock:b: {done.stderr.strip()}")
    assert "in another PID namespace" not in done.stderr
    assert all(float(row[0]) > 0 for row in rows), done.stderr
