# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures that provide processes to count, BPF programs, and file systems of the kernel. Each
fixture undoes its changes."""

import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import pytest

from native import (LIBC, PATIENCE, PSTAT, TOP, cgroup_mount, default_signals, end, inside,
                    kernel_takes, run, wait_for, wait_until_asleep, why_not_allowed, workload)

sys.path.insert(0, str(TOP / "tests/imitated"))
import imitated  # noqa: E402 pylint: disable=wrong-import-position

TRACEFS = pathlib.Path("/sys/kernel/tracing")
CLONE_NEWNS = 0x20000  # linux/sched.h


@pytest.fixture(scope="session", autouse=True)
def ended_in_order():
    """Makes SIGTERM end the tests like ^C, so that fixtures clean up. Only the main thread can
    install a handler, but on a busy machine, xdist sometimes runs tests in another thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number, _frame):
        pytest.exit(f"ended by {signal.Signals(number).name}", 128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    """Runs each test in a directory of its own, so that unexpected files are noticed, and
    without the user's perf configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERF_CONFIG", "")
    return tmp_path


@pytest.fixture
def spawn():
    """Starts processes that end with the test."""
    processes = []

    def start(argv, **popen):
        process = subprocess.Popen(list(map(str, argv)), text=True, preexec_fn=default_signals,
                                   **popen)
        processes.append(process)
        return process

    yield start
    for process in processes:
        end(process)


@pytest.fixture
def spinner(spawn):
    """Starts processes that use all of a CPU's time, on a given CPU or on any CPU."""

    def start(cpu=None):
        argv = workload("spin", 10**15)
        return spawn(argv if cpu is None else ["taskset", "-c", cpu, *argv])

    return start


@pytest.fixture
def sleeper(spawn):
    """Starts processes that sleep until their standard input is closed."""

    def start():
        process = spawn(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        wait_until_asleep(process.pid)
        return process

    return start


class Threads:
    """Controls the workload `threads`."""

    def __init__(self, process):
        self.process = process
        self.pid = process.pid

    def ask(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@pytest.fixture
def threads(spawn):
    return lambda: Threads(spawn(workload("threads"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                           )


@pytest.fixture
def bpf_prog(spawn):
    """Loads a BPF program for the duration of the test, and returns its ID. The program runs when
    the test writes a line `run N` to its loader."""

    def load(*options, loader="bpf-run"):
        options = ["--print-id", *options] if loader == "bpf-run" else options
        process = spawn(workload(loader, *options), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE)
        line = process.stdout.readline()
        if not line:
            pytest.skip(f"probe: {loader} loads a BPF program: {why_not_allowed(process)}")
        return int(line)

    return load


def own_mounts():
    """Moves the tests to a new mount namespace. Their mounts then end with the tests, and other
    processes cannot remove them. Returns None or an error message."""
    if LIBC.unshare(CLONE_NEWNS):
        return f"unshare: {os.strerror(ctypes.get_errno())}"
    done = subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, text=True,
                          check=False)
    return done.stderr.strip()


@pytest.fixture(scope="session")
def tracefs():
    """Returns /sys/kernel/tracing. Mounts it for the tests if it is not mounted."""
    why_not = own_mounts()
    if not (TRACEFS / "events").is_dir():
        if not why_not:
            done = subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACEFS],
                                  capture_output=True, text=True, check=False)
            why_not = done.stderr.strip()
        if why_not:
            pytest.skip(f"probe: mount tracefs: {why_not}")
    return TRACEFS


@pytest.fixture
def madvise(tracefs):
    """Returns an event that `faults N` causes N times: the entry of madvise(2)."""
    if not (tracefs / "events/syscalls/sys_enter_madvise").is_dir():
        pytest.skip("probe: tracefs has events/syscalls/sys_enter_madvise: this kernel has no "
                    "system call tracepoints")
    return "syscalls:sys_enter_madvise"


@pytest.fixture(scope="session")
def german():
    """Returns a locale with a decimal comma. Builds it from the system's locale sources if it is
    not installed."""
    installed = subprocess.run(["locale", "-a"], capture_output=True, text=True,
                               check=True).stdout.split()
    if "de_DE.utf8" in installed:
        yield {"LC_ALL": "de_DE.UTF-8"}
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                ["localedef", "-i", "de_DE", "-f", "UTF-8",
                 os.path.join(folder, "de_DE.UTF-8")], capture_output=True, text=True, check=False)
            why = done.stderr.strip()
        except OSError as error:
            why = str(error)
        if not os.path.exists(os.path.join(folder, "de_DE.UTF-8", "LC_NUMERIC")):
            pytest.skip(f"probe: locale -a lists de_DE.utf8, or localedef makes it: {why}")
        yield {"LC_ALL": "de_DE.UTF-8", "LOCPATH": folder}


@pytest.fixture
def cgroup():
    """Makes cgroups for a test."""
    mount, made = cgroup_mount(), []
    if not mount or not os.access(mount, os.W_OK):
        pytest.skip("probe: /proc/mounts has a writable cgroup hierarchy that perf events support")

    def make(name):
        path = mount / f"pstat-test-{os.getpid()}-{name}"
        path.mkdir(exist_ok=True)
        made.extend([path] if path not in made else [])
        return str(path.relative_to(mount))

    yield make
    left = []
    for path in reversed(made):
        try:
            wait_for("the group is empty",
                     lambda path=path: not (path / "cgroup.procs").read_text(encoding="ascii"))
            path.rmdir()
        except (AssertionError, OSError) as error:
            left.append(f"{path}: {error}")
    assert not left


@pytest.fixture
def busy(cgroup, spawn):
    """Starts a process that uses a CPU all the time, in the named cgroup."""

    def begin(name, cpu=0):
        group = cgroup(name)
        process = spawn(inside(group, "taskset", "-c", cpu, *workload("spin", 10**15)))
        procs = cgroup_mount() / group / "cgroup.procs"
        wait_for("it is in its group",
                 lambda: str(process.pid) in procs.read_text(encoding="ascii").split())
        process.group = group
        return process

    return begin


SYS_BPFFS = pathlib.Path("/sys/fs/bpf")


@contextlib.contextmanager
def mounted_bpffs(folder, needed=True):
    why_not = own_mounts()
    if not why_not:
        done = subprocess.run(["mount", "-t", "bpf", "bpf", folder], capture_output=True, text=True,
                              check=False)
        why_not = done.stderr.strip()
    if why_not and needed:
        pytest.skip(f"probe: mount bpffs: {why_not}")
    yield folder
    if not why_not:
        subprocess.run(["umount", folder], check=False)


@pytest.fixture
def bpffs(tmp_path):
    """Returns a directory in a BPF file system that is mounted for the test."""
    folder = tmp_path / "bpf"
    folder.mkdir()
    with mounted_bpffs(folder):
        yield folder


@pytest.fixture
def sys_bpffs():
    """Mounts a BPF file system at /sys/fs/bpf that contains only the pins of the test."""
    with mounted_bpffs(SYS_BPFFS) as folder:
        yield folder


@pytest.fixture
def own_pins():
    """Mounts a BPF file system like sys_bpffs if the user may mount. A user who may not mount
    cannot pin anything in /sys/fs/bpf either."""
    with mounted_bpffs(SYS_BPFFS, needed=False):
        yield


@pytest.fixture(scope="session")
def sampling():
    """Skips tests if this machine cannot take samples."""
    probe = ("profile", "-e", "cpu-clock", "-F", 99, "true")
    done = run(*probe)
    if not kernel_takes("switch") and ("CAP_BPF" in done.stderr
                                       or "not allowed for this user" in done.stderr):
        pytest.skip(f"probe: pstat {' '.join(map(str, probe))}: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def as_nobody():
    """Runs pstat as a user without capabilities, from a directory that this user can reach."""
    if os.geteuid():
        pytest.skip("probe: geteuid: only root can become another user")
    level = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text(encoding="ascii"))
    if level != 2:
        pytest.skip(f"probe: /proc/sys/kernel/perf_event_paranoid: {level}, and 2 is what "
                    "forbids the kernel and no more")
    with open(PSTAT, "rb") as file:
        program = file.read()

    def nobody(prepare):
        prepare()
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    def go(*args, prepare=default_signals, **env):
        # The program is run from an open file, because other users may not be able to reach its
        # path.
        fd = os.memfd_create("pstat")
        os.write(fd, program)
        done = subprocess.run([f"/proc/self/fd/{fd}", *map(str, args)], pass_fds=[fd],
                              preexec_fn=lambda: nobody(prepare), text=True, capture_output=True,
                              timeout=PATIENCE, check=False,
                              env={"LC_ALL": "C", "PATH": os.environ["PATH"], **env})
        os.close(fd)
        return done

    return go


@pytest.fixture
def for_all():
    """Copies pstat and with-caps to a directory where an ordinary user may run them."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for path in (PSTAT, workload("with-caps")[0]):
            shutil.copy(path, folder)
        yield folder


@pytest.fixture(scope="module")
def machine_of():
    """Returns the imitated machine with this name. Each machine is made once for all tests of a
    file."""
    why_not, made = imitated.why_not(), {}
    if why_not:
        pytest.skip(f"probe: unshare --mount true: {why_not}")

    def get(name):
        if name not in made:
            made[name] = imitated.Imitation(name).__enter__()
        return made[name]

    yield get
    for machine in made.values():
        machine.__exit__()


@pytest.fixture(scope="module")
def icelake(machine_of):
    """An imitated Ice Lake server, which has topdown events."""
    return machine_of("icelake")
