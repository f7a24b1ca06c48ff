# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups that a user has nested deeply, or whose path is longer than one system call accepts."""

import contextlib
import os
import resource

import pytest

from native import cgroup_mount, csv_rows, default_signals, run

DEPTH = 1500


@pytest.fixture
def nested(cgroup):
    """Makes a chain of nested cgroups, with names of a given length, in a cgroup of the test.
    Returns the path of the last."""
    chains = []

    def make(depth, length):
        group = cgroup("nested")
        fd = os.open(cgroup_mount() / group, os.O_RDONLY)
        chains.append((fd, depth, "d" * length))
        for _ in range(depth):
            os.mkdir("d" * length, dir_fd=fd)
            inner = os.open("d" * length, os.O_RDONLY, dir_fd=fd)
            if fd != chains[-1][0]:
                os.close(fd)
            fd = inner
        os.close(fd)
        return "/".join([group, *["d" * length] * depth])

    yield make
    for fd, depth, name in chains:
        for level in range(depth, 0, -1):
            with contextlib.suppress(FileNotFoundError):
                remove(fd, name, level)
        os.close(fd)


def remove(fd, name, level):
    """Removes a cgroup that is deep below `fd`, in steps that one system call accepts."""
    step, at = max(1, 2000 // (len(name) + 1)), os.dup(fd)
    for left in range(level - 1, 0, -step):
        inner = os.open("/".join([name] * min(step, left)), os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.rmdir(name, dir_fd=at)
    os.close(at)


def with_few_files():
    default_signals()
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


def rows_of(pattern, **popen):
    done = run("-a", "-x,", "-e", "cs", "--for-each-cgroup", pattern, "--timeout", 20, **popen)
    assert done.returncode == 0, done.stderr[-500:]
    return [row for row in csv_rows(done.stderr) if "cs" in row]


def test_a_deep_tree_does_not_need_a_file_descriptor_for_each_level(nested):
    deepest = nested(DEPTH, 1)
    group = deepest.split("/", maxsplit=1)[0]
    assert len(rows_of(f"^{group}$", preexec_fn=with_few_files)) == 1
    rows = rows_of(f"^{group}/.*" + "d/" * 1498 + "d$", preexec_fn=with_few_files)
    assert [deepest] == [
        field for row in rows for field in row
        if field.startswith(group) and field.count("/") == DEPTH
    ]


def test_a_path_that_is_longer_than_a_system_call_accepts_is_counted(nested):
    deepest = nested(40, 200)
    group = deepest.split("/", maxsplit=1)[0]
    assert len(deepest) > 4096
    rows = rows_of(f"^{group}")
    assert len(rows) == 41 and any(deepest in row for row in rows)
    done = run("-a", "-x,", "-e", "cs", "-G", deepest, "--timeout", 20)
    assert done.returncode == 0 and deepest in done.stderr


def test_cgroups_that_are_left_out_are_reported(nested):
    """pstat keeps the whole path of each cgroup, so it limits the length."""
    deepest = nested(280, 250)
    group = deepest.split("/", maxsplit=1)[0]
    done = run("-a", "-x,", "-e", "cs", "--for-each-cgroup", f"^{group}$", "--timeout", 20)
    assert done.returncode == 0
    assert (
        "cgroups whose paths are longer than 65536 bytes (number: 1) are left out, and so are the "
        "cgroups below them"
        in done.stderr
    )
