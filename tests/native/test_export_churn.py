# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups that are created and removed while `pstat export` counts them with BPF."""

import collections
import contextlib
import os
import re
import signal
import subprocess
import time

import pytest

from cgroup_bpf import in_bpf
from native import IN_C, PSTAT, cgroup_mount, links_of, proc_text, wait_for, workload
from prometheus import OPENMETRICS, fetched, openmetrics

pytestmark = in_bpf
LONG = bool(os.environ.get("PSTAT_LONG"))
# The number of cgroups at a time, the number that is replaced between two scrapes, the seconds
# between two scrapes, and the number of scrapes.
SIZE, REPLACED, PAUSE, SCRAPES = (1000, 50, 1, 600) if LONG else (30, 10, 0.1, 6)
FAULTS = 10
FAULTS_TOTAL = "pstat_cgroup_page_faults_total"


class Pool:
    """Cgroups inside a cgroup. In each of them, a command causes more than FAULTS page faults."""

    def __init__(self, top):
        self.top, self.alive, self.made = cgroup_mount() / top, collections.deque(), 0

    def grow(self, nr):
        commands = []
        for _ in range(nr):
            path = self.top / str(self.made)
            path.mkdir()
            procs = os.open(path / "cgroup.procs", os.O_WRONLY)
            commands.append(subprocess.Popen(
                workload("faults", FAULTS), stdout=subprocess.DEVNULL,
                preexec_fn=lambda fd=procs: os.write(fd, str(os.getpid()).encode())))
            os.close(procs)
            self.alive.append(path)
            self.made += 1
        for command in commands:
            assert command.wait() == 0

    def shrink(self, nr):
        for _ in range(nr):
            path = self.alive.popleft()
            wait_for("it is empty", lambda path=path: _removed(path))


def _removed(path):
    with contextlib.suppress(OSError):
        path.rmdir()
    return not path.exists()


@pytest.fixture
def pool(cgroup):
    one = Pool(cgroup("churn"))
    yield one
    one.shrink(len(one.alive))


def bpf_objects(pid):
    """Returns the BPF programs and maps for which a process has file descriptors, as pairs of the
    kind and the id."""
    found = set()
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        found |= set(re.findall(r"^(prog|map)_id:\s+(\d+)", proc_text(pid, f"fdinfo/{fd}"), re.M))
    return found


def exists(kind, number):
    return not subprocess.run(["bpftool", kind, "show", "id", number], capture_output=True,
                              check=False).returncode


def resources(pid):
    """Returns the memory in kB, the number of file descriptors, and how many of them are maps."""
    links = links_of(pid)
    memory = re.search(r"RssAnon:\s+(\d+)", proc_text(pid, "status"))
    return int(memory[1]), len(links), links.count("anon_inode:bpf-map")


def counters(samples):
    return {key: value for key, value in samples.items() if key[0].endswith("_total")}


def test_nothing_leaks_and_no_total_decreases(pool, spawn, sys_bpffs):
    with open("messages", "w+", encoding="utf-8") as messages:
        process = spawn([PSTAT, "export", "--listen", "127.0.0.1:0", "-a", "--bpf-counters",
                         "--cgroup-follow", "--for-each-cgroup", f"^{pool.top.name}", "-e",
                         "page-faults,task-clock"],
                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages,
                        env={**os.environ, **IN_C})
    url = wait_for("it serves", lambda: re.findall(
        r"metrics are at (\S+)", open("messages", encoding="utf-8").read()))[0]
    before, used = {}, []
    pool.grow(SIZE)
    for number in range(SCRAPES):
        begin = time.monotonic()
        pool.shrink(REPLACED)
        pool.grow(REPLACED)
        samples = openmetrics(fetched(url, OPENMETRICS)[0])
        found = counters(samples)
        smaller = {key: (value, found[key]) for key, value in before.items()
                   if key in found and found[key] < value}
        assert not smaller, number
        before = found
        used.append(resources(process.pid))
        time.sleep(max(0, PAUSE - (time.monotonic() - begin)))
    time.sleep(0.2)  # each page is valid for 100 ms
    samples = openmetrics(fetched(url, OPENMETRICS)[0])
    # series exist for the live cgroups and for their parent only, and all tasks were counted
    names = {dict(labels)["cgroup"] for name, labels in samples if name == FAULTS_TOTAL}
    top = f"/{pool.top.name}"
    assert names == {top, *(f"{top}/{path.name}" for path in pool.alive)}
    assert len(samples) == len([key for key in samples if "cgroup" not in dict(key[1])]) \
        + 2 * len(names)
    total = samples[FAULTS_TOTAL, frozenset({("cgroup", top)})]
    assert total >= FAULTS * pool.made
    # no resource grows after the first third
    first = [max(column) for column in zip(*used[:SCRAPES // 3])]
    last = [min(column) for column in zip(*used[-SCRAPES // 3:])]  # a scrape may be in progress
    print(f"{pool.made} cgroups, {total:.0f} faults; memory in kB, fds, maps: {first}, {last}")
    assert last[0] <= first[0] * 1.05 + 256 and last[1] <= first[1] and last[2] <= first[2], used
    assert process.poll() is None
    objects = bpf_objects(process.pid)
    assert {kind for kind, _ in objects} == {"prog", "map"} and exists(*min(objects))
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_for("the kernel frees the programs and maps",
             lambda: not [one for one in objects if exists(*one)])
    assert not list(sys_bpffs.glob("pstat*"))
