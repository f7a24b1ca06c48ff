# SPDX-License-Identifier: GPL-2.0-only
"""Limits that pstat inherits: file sizes, open files, a machine without /sys, seccomp filters."""

import ctypes
import errno
import os
import platform
import resource
import shlex
import signal
import struct
import subprocess

import pytest

from native import FAILED, IN_C, LIBC, PATIENCE, PSTAT, count, default_signals, run


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


def test_a_list_that_goes_into_a_file_that_may_not_grow_is_reported(scratch):
    with open(scratch / "list", "w", encoding="ascii") as file:
        done = run("list", "sw", stdout=file, preexec_fn=limited(resource.RLIMIT_FSIZE, 0, 0))
    assert done.returncode == FAILED and "cannot write the list: File too large" in done.stderr


def test_the_command_is_ended_by_the_limit_as_without_pstat(scratch):
    done = run("-e", "cs", "-o", "/dev/null", "sh", "-c", "echo > file",
               preexec_fn=limited(resource.RLIMIT_FSIZE, 0, 0))
    assert done.returncode == 128 + signal.SIGXFSZ


def test_a_single_event_is_counted_with_64_files(as_nobody):
    done = as_nobody("-x,", "-e", "cs", "true", prepare=few_files)
    assert done.returncode == 0 and "open files" not in done.stderr, done.stderr


def test_too_few_files_are_reported_with_what_is_needed(as_nobody):
    events = ",".join(["cs"] * 60)
    done = as_nobody("-e", events, "true", prepare=few_files)
    assert (
        done.returncode == FAILED
        and "open files are needed, and this process may have 64\n" in done.stderr
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


# ---- seccomp ----

# linux/filter.h, linux/seccomp.h
LD_W_ABS, JEQ_K, RET_K = 0x20, 0x15, 0x06
RET_ERRNO, RET_ALLOW = 0x00050000, 0x7FFF0000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
BPF = {"x86_64": 321, "aarch64": 280}


def refusing(number, call=PERF_EVENT_OPEN):
    """Returns a function for preexec_fn that makes the call fail with this error, as in a
    container."""
    code = b"".join(
        struct.pack("HBBI", *line)
        for line in (
            (LD_W_ABS, 0, 0, 0),
            (JEQ_K, 0, 1, call[platform.machine()]),
            (RET_K, 0, 0, RET_ERRNO | number),
            (RET_K, 0, 0, RET_ALLOW),
        )
    )
    room = ctypes.create_string_buffer(code)

    def prepare():
        default_signals()
        program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(room)))
        assert not LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        assert not LIBC.prctl(PR_SET_SECCOMP, FILTER, program, 0, 0)
    return prepare


def test_root_that_a_seccomp_filter_refuses_is_not_told_to_become_root():
    if os.geteuid():
        pytest.skip("probe: geteuid: only root is refused by nothing but a filter")
    for number in (errno.EPERM, errno.EACCES):
        done = run("-e", "cs", "true", preexec_fn=refusing(number))
        assert done.returncode == FAILED
        assert "seccomp filter" in done.stderr and "as root" not in done.stderr


def test_a_filter_is_named_where_the_kernel_seems_to_know_no_events():
    done = run("-e", "cs", "true", preexec_fn=refusing(errno.ENOSYS))
    assert "the seccomp filter of this process refuses perf_event_open" in done.stderr


@pytest.mark.parametrize("words", [
    "progs", "stat -b 1", "stat -b all", "stat -e cs:b true", "stat --bpf-counters -e cs true",
    "stat -a --bpf-counters --for-each-cgroup / -e cs true", "profile -e cpu-clock true",
    "profile -b 1 true"
])
def test_root_that_a_filter_refuses_bpf_is_not_told_to_become_root(words):
    if os.geteuid():
        pytest.skip("probe: geteuid: only root is refused by nothing but a filter")
    done = subprocess.run([PSTAT, *words.split()], preexec_fn=refusing(errno.EPERM,
                                                                       BPF), capture_output=True,
                          text=True, check=False, env={**os.environ, **IN_C}, timeout=PATIENCE)
    text = done.stdout + done.stderr
    assert "seccomp filter" in text and "as root" not in text and "are needed" not in text, text


def test_without_a_filter_none_is_named(as_nobody):
    assert "seccomp" not in as_nobody("-a", "-e", "cs", "true").stderr
    assert count("cs", "true") >= 0


# ---- many events ----

def test_pstat_runs_where_it_may_after_it_has_moved_to_each_cpu_to_switch_events():
    """pstat itself starts the commands of --pre and --post, after it has enabled the events of
    all CPUs."""
    if os.geteuid():
        pytest.skip("probe: geteuid: only root may count all CPUs")
    with open("/proc/self/status", encoding="ascii") as file:
        allowed = [line for line in file if line.startswith("Cpus_allowed_list")]
    done = run("-a", "-e", ",".join(["cs"] * 64), "-x,", "--post",
               "grep Cpus_allowed_list /proc/self/status", "true")
    assert done.returncode == 0 and done.stdout == allowed[0]
