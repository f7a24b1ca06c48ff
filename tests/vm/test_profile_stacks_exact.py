# SPDX-License-Identifier: GPL-2.0-only
"""Stacks of a known call tree in a guest whose instructions are exact, with a program that is
present, removed or stripped; and stacks of the kernel."""
import json
import os
import pathlib
import re
import subprocess

import pytest

from guest import HERE, build, guest_each, kernels

TURNS = {"a": 10000, "b": 60000, "c": 30000}
TREE = f"300 {TURNS['a']} {TURNS['b']} {TURNS['c']}"
# A period that is not synchronous with a round of 200 000 instructions, which are 400 000 cycles.
# QEMU forgets the overflow of instructions unless another event is also read (see
# test_profile_exact.py).
EXACT = "--no-inline -e cycles -c 12347"
ON_CPUS = "-a --no-inline -e cycles,cycles -c 12347"
# The time that samples take in the guest must not reduce their number.
ALL = "echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent; "
COPY = "dd if=/dev/zero of=/dev/null bs=64k count=300 status=none"

COMMANDS = {
    "tree": f"{ALL} pstat profile -j {EXACT} -- call-tree {TREE}",
    "on CPUs": f"{ALL} pstat profile -j {ON_CPUS} -- call-tree {TREE}",
    "folded": f"{ALL} pstat profile -j --folded {EXACT} -- call-tree {TREE}",
    "ioctl": f"{ALL} PSTAT_PROFILE_ATTACH=ioctl pstat profile -v -j {EXACT} -- call-tree {TREE}",
    "stripped": (
        f"{ALL} pstat profile -j --lines --debug-dir /root/debug {EXACT} -- ./stripped-tree {TREE}"
    ),
    "no debug file": f"{ALL} pstat profile -j {EXACT} -- ./stripped-tree {TREE}",
    # The timer interrupt also occurs in the kernel. If the period were a multiple of the time of a
    # block, all samples would be at the same few places.
    "kernel": (
        f"{ALL} pstat profile --folded -e cpu-clock -c 47111 -- {COPY}; grep -c . /proc/kallsyms"
    ),
    "kernel hidden": (
        "echo 2 >/proc/sys/kernel/kptr_restrict; pstat profile -e cpu-clock -c 50000 -- "
        f"{COPY}; "
        "echo 0 >/proc/sys/kernel/kptr_restrict"
    ),
}


def build_id(program):
    notes = subprocess.run(["readelf", "-n", program], check=True, capture_output=True,
                           text=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes)[1]


@pytest.fixture(scope="module",
                params=kernels("6.12"))
def results(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stacks")
    build("aarch64")
    programs = pathlib.Path(os.environ.get("PSTAT_BUILD", pathlib.Path(HERE).parents[1] / ".build"))
    program = programs / "guest-aarch64/.build/tests/workloads/call-tree"
    ident = build_id(program)
    debug = folder / "debug/.build-id" / ident[:2] / f"{ident[2:]}.debug"
    debug.parent.mkdir(parents=True)
    subprocess.run(["llvm-objcopy-14", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["llvm-objcopy-14", "--strip-all", program, folder / "stripped-tree"],
                   check=True)
    done = guest_each(COMMANDS, files=[folder / "stripped-tree", folder / "debug"], arch="aarch64",
                      kernel=request.param, icount=True, timeout=300)
    return {name: result.stdout for name, result in done.items()}


def objects(text, kind):
    return [
        item
        for item in map(json.loads, (line for line in text.splitlines() if line.startswith("{")))
        if item["kind"] == kind
    ]




def samples(text):
    """Returns {function: samples} of all events together."""
    found = {}
    for row in objects(text, "symbol"):
        found[row["function"]] = found.get(row["function"], 0) + row["samples"]
    return found


def expect_shares(found, text):
    counted = sum(found.get(name, 0) for name in TURNS)
    assert counted > 9000, text
    for name, turns in TURNS.items():
        assert found[name] / counted == pytest.approx(turns / sum(TURNS.values()), abs=0.002), found


@pytest.mark.parametrize("name", ["tree", "on CPUs", "ioctl"])
def test_shares_are_those_of_the_tree(results, name):
    text = results[name]
    expect_shares(samples(text), text)
    for total in objects(text, "total"):
        assert total["busy"] == total["no-room"] == 0 and total["samples"] == total["kept"], total
        # an overflow that occurs during the handling of the previous one is merged with it
        assert total["missed"] <= 0.003 * total["samples"], total
    if name == "ioctl":
        assert "attached by ioctl" in text


def test_stacks_are_the_chains_of_calls(results):
    text = results["folded"]
    found, counted = {}, 0
    for stack in objects(text, "stack"):
        names = [frame["function"] for frame in stack["frames"]]
        if names[-1] in TURNS:
            below = tuple(names[names.index("main") + 1:]) if "main" in names else ()
            found[below] = found.get(below, 0) + stack["samples"]
            counted += stack["samples"]
    whole = {("a",): 0.1, ("a", "b"): 0.6, ("c",): 0.3}
    for names, share in whole.items():
        assert found[names] / counted == pytest.approx(share, abs=0.002), found
    losses, = objects(text, "stacks")
    assert losses["no-room"] == losses["cut"] == losses["lost-mappings"] == 0, losses
    # by chance, two of the few stacks may share one of the 8192 slots
    assert losses["collided"] + losses["failed"] <= 0.001 * counted, losses


def test_a_stripped_program_has_the_names_and_lines_of_its_debug_file(results):
    text = results["stripped"]
    expect_shares(samples(text), text)
    rows = [
        row for row in objects(text, "symbol") if row["function"] in TURNS and row["samples"] > 100
    ]
    assert {row["object"] for row in rows} == {"/root/stripped-tree"}
    assert {row["file"].rpartition("/")[2] for row in rows} == {"call-tree.c"}


def test_without_a_debug_file_no_sample_has_a_name(results):
    text = results["no debug file"]
    assert not set(TURNS) & set(samples(text))
    unnamed = sum(item["unnamed"] for item in objects(text, "stacks"))
    assert unnamed == samples(text)[""] > 9000


def test_stacks_of_the_kernel_have_names(results):
    lines = [line for line in results["kernel"].splitlines() if line.startswith("dd;")]
    reads = [line for line in lines if ";ksys_read;vfs_read;" in line]
    taken = {line: int(line.rpartition(" ")[2]) for line in lines}
    assert sum(taken[line] for line in reads) > 0.5 * sum(taken.values()) > 100
    # from user space into the kernel
    assert all(re.match(r"dd;\[?busybox", line) and "el0t_64_sync;" in line
               for line in reads), reads


def test_addresses_that_the_kernel_hides_are_reported(results):
    text = results["kernel hidden"]
    assert (
        "the functions of the kernel are unknown: the kernel shows no addresses"
        " (kernel.kptr_restrict"
        in text
    )
    assert re.search(r"^# \d+ samples are in code whose function is unknown:\n#   \d+ kernel$",
                     text, re.M), text
