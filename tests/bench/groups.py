# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups that the bench makes on this machine."""

import contextlib
import os
import pathlib
import resource


def mount():
    """Returns the mount of the hierarchy that perf events use, or None."""
    lines = pathlib.Path("/proc/mounts").read_text(encoding="ascii").splitlines()
    mounts = [line.split()[:4] for line in lines]
    v1 = [
        path for _, path, kind, options in mounts
        if kind == "cgroup" and "perf_event" in options.split(",")
    ]
    v2 = [path for _, path, kind, _ in mounts if kind == "cgroup2"]
    return pathlib.Path((v1 + v2)[0]) if v1 + v2 else None


@contextlib.contextmanager
def made(number):
    """Makes this number of cgroups next to each other. Yields their names."""
    top = mount() / f"pstat-bench-{os.getpid()}"
    names = [f"{top.name}/{i}" for i in range(number)]
    top.mkdir()
    try:
        for name in names:
            (mount() / name).mkdir()
        yield names
    finally:
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                (mount() / name).rmdir()
        top.rmdir()


def move(pid, name):
    """Moves the process to a cgroup, or to the root if the name is ""."""
    (mount() / name / "cgroup.procs").write_text(str(pid), encoding="ascii")


def allow_files():
    """Raises the limit on open files as far as possible: native counting opens a file for each
    event, CPU and cgroup."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
