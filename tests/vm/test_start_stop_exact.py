# SPDX-License-Identifier: GPL-2.0-only
"""--start and --stop to the instruction, in an arm64 guest: a program with a known number of
instructions before, between and after the points."""

import os

import pytest

from guest import guest_outputs

BEFORE, BETWEEN, AFTER = 5000, 100000, 7000  # turns of two instructions
PROGRAM = "/usr/local/bin/gate-phases"
POINTS = f"--start usdt:{PROGRAM}:warm --stop usdt:{PROGRAM}:done"
# what gate-phases executes between the points besides its turns
FEW = 60
GROUP = "/sys/fs/cgroup/g"


def count(options, more="", event="instructions:u", points=POINTS, before=BEFORE):
    return (f"pstat -x, {options} -e {event} {points} "
            f"gate-phases {more} {before} {BETWEEN} {AFTER}")


def in_cgroup(options, more="", points=POINTS):
    phases = f"gate-phases {more} {BEFORE} {BETWEEN} {AFTER}"
    return (f"mkdir -p {GROUP}; pstat -x, -a {options} --for-each-cgroup g -e instructions:u "
            f"{points} -- sh -c 'echo $$ >{GROUP}/cgroup.procs; exec {phases}'")


FIRST, LAST = "getpriority", "sched_get_priority_max"
IN_KERNEL = {
    "system calls": f"--start syscall:{FIRST}%return --stop syscall:{LAST}",
    "tracepoints": f"--start tp:syscalls:sys_exit_{FIRST} --stop tp:syscalls:sys_enter_{LAST}",
    "functions": f"--start func:__arm64_sys_{FIRST} --stop func:__arm64_sys_{LAST}%return",
}
COMMANDS = {
    "native": count(""),
    "entries": count("", points=f"--start uprobe:{PROGRAM}:warm --stop uprobe:{PROGRAM}:done"),
    "shared": count("", event="instructions:ub"),
    "group": count("", event="'{instructions:u,cycles:u}'"),
    "cgroup": in_cgroup(""),
    "cgroup through BPF": in_cgroup("--bpf-counters"),
    "50 times": count("", "-n 50"),
    "cgroup 50 times": in_cgroup("", "-n 50"),
    "repetitions": count("-r 3"),
    "scope": count("", "-n 50", event="run_cnt,instructions:u",
                   points=f"{POINTS} --scope uprobe:{PROGRAM}:run_between"),
    "intervals": count("-I 1", "-n 3", before=1000000),
    "kernel": count("", event="instructions"),
    **{kind: count("", "-k", points=points) for kind, points in IN_KERNEL.items()},
    **{f"{kind} 50 times": count("", "-k -n 50", points=points)
       for kind, points in IN_KERNEL.items()},
    **{f"cgroup, {kind} 50 times": in_cgroup("", "-k -n 50", points=points)
       for kind, points in IN_KERNEL.items()},
    **{f"scope, {kind}": count("", "-k -n 50", event="run_cnt,instructions:u",
                               points=f"{points} --scope uprobe:{PROGRAM}:run_between")
       for kind, points in IN_KERNEL.items()},
}
KERNELS = ["6.12", *(["6.1", "7.3"] if os.environ.get("PSTAT_LONG") else [])]


@pytest.fixture(scope="module", params=KERNELS)
def results(request):
    return guest_outputs(COMMANDS, arch="aarch64", kernel=request.param, icount=True)


def counts(text, event):
    """The counts of the rows of the event, in order. Rows of cgroups have a field more."""
    rows = [line.split(",") for line in text.splitlines()]
    return [int(row[0]) for row in rows if len(row) > 5 and row[2].startswith(event)]


@pytest.mark.parametrize("what, times", [
    ("native", 1),
    ("entries", 1),
    ("shared", 1),
    ("group", 1),
    ("cgroup", 1),
    ("cgroup through BPF", 1),
    ("50 times", 50),
    ("cgroup 50 times", 50),
    ("repetitions", 1),
    *[(kind, 1) for kind in IN_KERNEL],
    *[(f"{kind} 50 times", 50) for kind in IN_KERNEL],
    *[(f"cgroup, {kind} 50 times", 50) for kind in IN_KERNEL],
])
def test_only_the_instructions_between_the_points_count(results, what, times):
    counted, = counts(results[what], "instructions")
    assert 2 * BETWEEN * times < counted < (2 * BETWEEN + FEW) * times


@pytest.mark.parametrize("what", ["scope", *[f"scope, {kind}" for kind in IN_KERNEL]])
def test_runs_of_a_scope_count_between_the_points(results, what):
    # the function does not include the points
    counted, = counts(results[what], "instructions")
    assert 2 * BETWEEN * 50 < counted < (2 * BETWEEN + FEW) * 50
    assert counts(results[what], "run_cnt") == [50]


def test_intervals_add_up_to_the_time_between_the_points(results):
    rows = [line.split(",") for line in results["intervals"].splitlines()]
    counted = [int(row[1]) for row in rows if row[3].startswith("instructions")]
    assert 3 * 2 * BETWEEN < sum(counted) < 3 * (2 * BETWEEN + FEW)
    # the program runs ten times as long before each start as after it
    assert float(rows[-1][0]) < 0.005


def test_probes_add_some_thousand_instructions_of_the_kernel(results):
    counted, = counts(results["kernel"], "instructions")
    assert 2 * BETWEEN < counted < 2 * BETWEEN + 30000
