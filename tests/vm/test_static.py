# SPDX-License-Identifier: GPL-2.0-only
"""`make static`: its executables need no file beside them, on every kernel that guests have."""
import functools
import os
import pathlib
import re
import subprocess

import pytest

from csv_rows import rows
from guest import NEWEST, OLD, guest_each, machines

TOP = pathlib.Path(__file__).resolve().parents[2]
MACHINES = machines(("x86_64", OLD), ("aarch64", NEWEST))

# A root without libraries. The workloads are static, too.
BARE = """
mkdir -p /bare/dev /bare/proc /bare/sys
mount -t devtmpfs devtmpfs /bare/dev
mount -t proc proc /bare/proc
mount -t sysfs sysfs /bare/sys
mount -t bpf bpf /bare/sys/fs/bpf
mount -t tracefs tracefs /bare/sys/kernel/tracing
cp pstat-static-* /bare/pstat
cp $(command -v spin) $(command -v bpf-run) /bare
find /bare -xdev -type f
"""
SPIN = "for turns in 1000000 3000000; do chroot /bare /pstat -x, -e {} /spin $turns; done"
COMMANDS = {
    "root": BARE,
    "version": "chroot /bare /pstat --version -vv",
    "shared": SPIN.format("page-faults,page-faults:b,task-clock,task-clock:b"),
    "instructions": SPIN.format("instructions:u,instructions:ub"),
    "-b": "chroot /bare /bpf-run --prog count --hold --print-id >id &\n"
          "until [ -s id ]; do sleep 0.1; done\n"
          "chroot /bare /pstat -x, -b $(cat id) -e run_cnt /bpf-run --id $(cat id) --runs 1000\n"
          "kill $!",
    "tracepoint": "chroot /bare /pstat -x, -e sched:sched_process_exec --filter 'pid > 0' /spin 1",
    "lines": "chroot /bare /pstat profile --lines -e cpu-clock /spin 30000000",
    "libpfm": "chroot /bare /pstat --pfm-events cycles /spin 1",
}


@functools.cache
def static(arch):
    outer = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    made = subprocess.run(
        ["make", "static", f"STATIC_ARCHS={arch}", "O="], cwd=TOP, text=True, check=False,
        env={name: value for name, value in os.environ.items() if name not in outer},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert made.returncode == 0 and "warning" not in made.stdout, made.stdout
    return TOP / f"pstat-static-{arch}"


@pytest.fixture(scope="module", params=MACHINES, ids="-".join)
def bare(request):
    arch, kernel = request.param
    return arch, guest_each(COMMANDS, arch=arch, kernel=kernel, icount=True,
                            files=[static(arch)])


def test_the_root_directory_contains_only_three_programs(bare):
    assert sorted(bare[1]["root"].stdout.split()) == ["/bare/bpf-run", "/bare/pstat", "/bare/spin"]


def test_every_way_of_counting_works(bare):
    text = bare[1]["version"].stdout
    modes = dict(re.findall(r"^  (\S.*?)  *(yes|no)\b", text, re.M))
    # an x86-64 guest has no hardware counters
    assert modes.pop("hardware counters") == ("yes" if bare[0] == "aarch64" else "no"), text
    assert modes == dict.fromkeys([
        "perf events", "-b, --bpf-prog", "--scope", "--bpf-counters", "--for-each-cgroup, BPF",
        "pstat profile", "pstat export --listen", "libpstat-self"], "yes"), text


def test_shared_counters_count_as_native_ones(bare):
    counted = rows(bare[1]["shared"].stdout)
    events = ["page-faults", "page-faults:b", "task-clock", "task-clock:b"]
    assert [row.event for row in counted] == 2 * events
    for native, shared in zip(counted[::2], counted[1::2]):
        assert shared.value == pytest.approx(native.value, rel=0.02, abs=0.1)
        assert native.value > 0


def test_instructions_are_exact(bare):
    arch, results = bare
    if arch != "aarch64":
        assert results["instructions"].stdout.count("<not supported>") == 4
        return
    few, few_shared, many, many_shared = (row.value for row in rows(results["instructions"].stdout))
    # an interrupted instruction is counted twice
    assert many - few == pytest.approx(2 * 2000000, abs=20)
    assert many_shared - few_shared == pytest.approx(2 * 2000000, abs=20)


def test_each_run_of_a_bpf_program_is_counted(bare):
    assert [(row.event, row.value) for row in rows(bare[1]["-b"].stdout)] == [("run_cnt", 1000)]


def test_libraries_that_are_loaded_elsewhere_are_linked_in(bare):
    results = bare[1]
    assert [row.value for row in rows(results["tracepoint"].stdout)] == [1]
    lines = results["lines"].stdout
    assert re.search(r"^ *(9\d|100)\.\d\d% .* spin \(inlined\) +spin\.h:\d+$", lines, re.M), lines


def test_a_library_that_is_missing_is_named(bare):
    done = bare[1]["libpfm"]
    assert done.returncode == 255
    assert done.stdout.splitlines() == [
        "pstat: --pfm-events: this static pstat does not contain libpfm",
        "       use raw events such as -e r1a8, or a pstat that `make` has built",
    ]
