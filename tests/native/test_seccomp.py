# SPDX-License-Identifier: GPL-2.0-only
"""Seccomp filters that refuse single system calls: pstat works without the call, or names it in a
message."""

import errno
import os
import re
import subprocess

import pytest

from native import FAILED, IN_C, PATIENCE, PSTAT, count, run, workload
from seccomp import refusing, system_calls

ERRORS = ("EPERM", "ENOSYS")
AS_ROOT = pytest.mark.skipif(
    bool(os.geteuid()), reason="probe: geteuid: users other than root lack privileges")


def libbpf_version():
    done = subprocess.run(["pkg-config", "--modversion", "libbpf"], capture_output=True, text=True,
                          check=True)
    return tuple(int(number) for number in done.stdout.split("."))


# All calls that pstat makes itself, apart from those without which no C program runs (read, mmap
# and others), and those on its own open files (ioctl, fcntl, fstatfs, getdents64, lseek).
CALLS = """bind bpf capget capset clone close_range epoll_create1 epoll_ctl flock getrandom kill
    membarrier memfd_create mremap openat2 perf_event_open pidfd_open pipe2 poll ppoll prctl
    prlimit64 recvfrom recvmsg readlink sched_getaffinity sched_setaffinity sendfile sendmsg sendto
    setgroups setresgid setresuid setsockopt signalfd4 socket socketpair statfs sysinfo
    timerfd_create timerfd_settime uname""".split()

# libbpf 1.4 and later make each map with this call.
MAPS = {"memfd_create"} if libbpf_version() >= (1, 4) else set()
# The calls without which a command line does not work. It works without each of the others.
COMMAND = {"clone", "perf_event_open", "pidfd_open", "pipe2", "poll", "ppoll", "signalfd4"}
CPUS = {"perf_event_open", "poll", "ppoll", "signalfd4", "epoll_create1", "epoll_ctl",
        "timerfd_create", "timerfd_settime"}
LINES = {
    "-x, -e cs true": COMMAND,
    "-x, -I 20 -e cs true": COMMAND | {"timerfd_create", "timerfd_settime"},
    "-x, -a -e cs --timeout 10": CPUS,
    "-x, --bpf-counters -e cs true": COMMAND | CPUS | {"bpf"} | MAPS,
    # Its program counts context switches itself.
    "-x, -a --bpf-counters --for-each-cgroup / -e cs --timeout 10":
        CPUS - {"perf_event_open"} | {"bpf", "memfd_create"},
}


def called():
    """Returns the calls that exist on this architecture. arm64 has no poll, so libc calls ppoll."""
    return [name for name in CALLS if name in system_calls() and
            (name != "ppoll" or "poll" not in system_calls())]


def named(call):
    """Returns the name by which a message refers to a call."""
    return call.removesuffix("4").replace("ppoll", "poll")


def refused(call, error, *words):
    return run(*words, preexec_fn=refusing(call, error=getattr(errno, error)))


@AS_ROOT
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("error", ERRORS if os.environ.get("PSTAT_LONG") else ERRORS[:1])
def test_a_refused_call_is_named_or_unnecessary(line, error):
    words = line.split()
    if run(*words).returncode:
        pytest.skip(f"probe: pstat {line}: this machine does not count it")
    for call in called():
        done = refused(call, error, *words)
        if (call, error) == ("perf_event_open", "ENOSYS") and call in LINES[line]:
            # perf also reports this as an unknown event.
            assert done.returncode == 0 and "<not supported>" in done.stderr, (call, done)
        elif call in LINES[line]:
            assert done.returncode == FAILED and named(call) in done.stderr, (call, done)
            assert "seccomp" in done.stderr and "as root" not in done.stderr, (call, done)
        else:
            row = re.search(r"^(?: *[\d.]+,)?(\d+),[^,]*,cs[,:]", done.stderr, re.M)
            assert done.returncode == 0 and row, (call, done)


def test_refused_calls_of_a_profile_are_named(sampling, spawn):
    """Without the calls that open files, a profile has no names of functions, and it warns."""
    tree = workload("call-tree", 100, 100000, 600000, 300000)
    line = ("profile", "-j", "-e", "cpu-clock:u", "-c", 100000)
    for call in ("socketpair", "sendto", "recvmsg"):
        done = refused(call, "EPERM", *line, *tree)
        assert done.returncode == 0 and '"samples"' in done.stdout, (call, done)
        assert done.stderr.count("pstat: no files of programs can be opened: ") == 1, (call, done)
        assert f"seccomp filter probably refuses {call}()" in done.stderr, (call, done)
    for call in ("sendmsg",):  # The child prints this message, and ends.
        assert "no files of programs can be opened: " in refused(call, "EPERM", *line, *tree).stderr
    others = {"close_range", "openat2", "memfd_create", "sendfile", "prctl", "capset", "setresuid",
              "setgroups"}
    for call in sorted(others - MAPS):
        done = refused(call, "EPERM", *line, "--lines", *tree)
        assert done.returncode == 0 and "seccomp" not in done.stderr, (call, done)
        assert '"function" : "b"' in done.stdout and "call-tree.c" in done.stdout, (call, done)
    for call in MAPS:
        done = refused(call, "EPERM", *line, *tree)
        assert done.returncode == FAILED, (call, done)
        assert f"seccomp filter probably refuses {call}()" in done.stderr, (call, done)
        assert f"allow {call}() in the seccomp profile" in done.stderr, (call, done)
    call = "readlink" if "readlink" in system_calls() else "readlinkat"
    done = refused(call, "EPERM", *line, "-p", spawn(["sleep", 1000]).pid)
    assert done.returncode and "readlink()" in done.stderr, done
    assert "another PID namespace" not in done.stderr, done


@AS_ROOT
@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES])
def test_if_a_filter_refuses_calls_root_is_not_advised_to_become_root(number):
    done = run("-e", "cs", "true", preexec_fn=refusing("perf_event_open", error=number))
    assert done.returncode == FAILED
    assert "seccomp filter" in done.stderr and "as root" not in done.stderr


def test_if_the_kernel_seems_to_know_no_events_the_filter_is_named():
    done = run("-e", "cs", "true", preexec_fn=refusing("perf_event_open", error=errno.ENOSYS))
    assert "the seccomp filter of this process refuses perf_event_open" in done.stderr


@AS_ROOT
@pytest.mark.parametrize("words", [
    "progs", "stat -b 1", "stat -b all", "stat -e cs:b true", "stat --bpf-counters -e cs true",
    "stat -a --bpf-counters --for-each-cgroup / -e cs true", "profile -e cpu-clock true",
    "profile -b 1 true"])
def test_if_a_filter_refuses_bpf_calls_root_is_not_advised_to_become_root(words):
    done = subprocess.run([PSTAT, *words.split()], preexec_fn=refusing("bpf"), capture_output=True,
                          text=True, check=False, env={**os.environ, **IN_C}, timeout=PATIENCE)
    text = done.stdout + done.stderr
    assert "seccomp filter" in text and "as root" not in text and "are needed" not in text, text


def test_without_a_filter_no_filter_is_named(as_nobody):
    assert "seccomp" not in as_nobody("-a", "-e", "cs", "true").stderr
    assert count("cs", "true") >= 0
