# SPDX-License-Identifier: GPL-2.0-only
"""--scope in the kernel, in an arm64 guest whose instructions are exact."""

import re

import pytest

from csv_rows import values
from guest import guest_outputs, kernels

CALLS = 300


def runs(scopes, what, size=100):
    options = " ".join(f"--scope {name}" for name in scopes.split())
    return (f"pstat -x, -e run_cnt,instructions --hist=instructions {options}"
            f" scope-calls -m {CALLS} -k {size} {what}")


# There are more functions than pstat probes with fentry. Nothing calls them.
MANY = "func:tcp_md5*"
GETPPID = "func:__arm64_sys_getppid"

COMMANDS = {
    "syscall": runs("syscall:getppid", "getppid"),
    "func": runs(GETPPID, "getppid"),
    "func among many": runs(f"{GETPPID} {MANY}", "getppid"),
    "functions": ("pstat -x, --per-scope -e run_cnt --scope func:__arm64_sys_getgid "
                  f"--scope func:__arm64_sys_getuid scope-calls -m {CALLS} -k 100 between"),
    "rows": "pstat -x, -e run_cnt --per-scope --hide-zero --scope 'func:__arm64_sys_get?id'"
            f" scope-calls -m {CALLS} between",
    # called with the lock of the run queue, or while tasks change
    "scheduler": "pstat -x, -e run_cnt --scope 'func:*_rq_clock' --scope func:try_to_wake_up"
                 " sh -c 'for i in 1 2 3 4 5 6 7 8; do true | cat; done'",
    # the program at the tracepoint calls functions that are also probed
    "missed": "pstat -x, -e run_cnt,page-faults --scope func:perf_event_read_local"
              f" --scope '{MANY}' --scope tp:raw_syscalls:sys_enter..tp:raw_syscalls:sys_exit"
              f" scope-calls -m {CALLS} getppid",
    # BTF describes another function of this name, which has fewer arguments
    "static": "pstat -x, -e run_cnt --scope func:read_zero dd if=/dev/zero of=/dev/null bs=64"
              " count=50 2>&1",
    "mixed": runs("syscall:getppid uprobe:/usr/local/bin/scope-calls:outer", "getppid"),
    "short": runs("syscall:getuid..syscall:getgid", "between", 100),
    "long": runs("syscall:getuid..syscall:getgid", "between", 10100),
}


# The commands for a guest that probes many functions with one link.
OF_MANY = {
    "rows": "pstat -x, -e run_cnt --per-scope --hide-zero --scope 'func:vfs_*' cat /proc/version",
    "scheduler": "pstat -x, -e run_cnt --scope 'func:*sched*'"
                 " sh -c 'for i in 1 2 3 4; do true | cat; done'",
    "ways": "for scope in 'func:vfs_read' 'func:vfs_*..func:vfs_*%return' 'func:vfs_*'; do"
            " pstat -v -e run_cnt --scope $scope true 2>&1 | grep 'are probed with'; done",
}


@pytest.fixture(scope="module", params=kernels("6.12"))
def results(request):
    return guest_outputs(COMMANDS, arch="aarch64", kernel=request.param, icount=True)


@pytest.fixture(scope="module")
def of_many():
    return guest_outputs(OF_MANY, arch="x86_64", kernel="6.12")


def usual(text):
    """Returns the bounds of the bucket with the most runs."""
    lines = [line.split(",") for line in text.splitlines() if ",hist," in line]
    _, low, high = max((int(line[0]), int(line[4]), int(line[5])) for line in lines)
    return low, high


@pytest.mark.parametrize("name", ["func", "func among many", "mixed"])
def test_a_system_call_has_the_instructions_of_its_function(results, name):
    """Different probes, whose costs differ by hundreds of instructions, agree."""
    low, high = usual(results["syscall"])
    assert 10 < low <= high < 100
    # the kernel searches for the probe of a function, which takes longer for some functions
    assert abs(usual(results[name])[0] - low) <= (24 if name == "func among many" else 10)
    assert values(results[name])["run_cnt"] == CALLS


def test_each_function_has_its_own_runs(results):
    rows = [line.split(",") for line in results["functions"].splitlines()]
    assert [(row[0], row[1]) for row in rows if "run_cnt" in row] == [
        ("__arm64_sys_getgid", str(CALLS)), ("__arm64_sys_getuid", str(CALLS))]
    assert "lost" not in results["functions"]


def test_work_between_two_system_calls_is_counted(results):
    means = [values(results[name])["instructions"] / CALLS for name in ("short", "long")]
    assert all(values(results[name])["run_cnt"] == CALLS for name in ("short", "long"))
    assert means[1] - means[0] == pytest.approx(10000, rel=0.02)


def rows(text):
    """Returns {scope: runs}."""
    lines = [line.split(",") for line in text.splitlines() if ",run_cnt," in line]
    return {line[0]: int(line[1]) for line in lines}


def test_each_function_of_the_kernel_has_its_own_row(results):
    counted = rows(results["rows"])
    # the shell and the C library may call others
    assert {counted.get(f"__arm64_sys_{call}") for call in ("getuid", "getgid")} == {CALLS}


def test_a_static_function_still_gets_all_its_arguments(results):
    assert "50+0 records in" in results["static"], results["static"]
    assert re.search(r"^50,,run_cnt,", results["static"], re.M), results["static"]


def test_each_of_many_functions_has_its_own_row(of_many):
    """The kernel finds the number of a scope by the address of the function. If pstat used the list
    of the addresses at which ftrace is called, the kernel would find nothing."""
    counted = rows(of_many["rows"])
    assert counted["vfs_read"] >= 2 and counted["vfs_write"] >= 1 and counted["vfs_open"] >= 1
    assert all(scope.startswith("vfs_") for scope in counted)


def test_functions_of_the_scheduler_can_be_counted(results, of_many):
    for text in (results["scheduler"], of_many["scheduler"]):
        lines = [line for line in text.splitlines() if not line.startswith("pstat: ")]
        assert values("\n".join(lines))["run_cnt"] > 20


def test_functions_are_probed_in_the_cheapest_way_that_works(of_many):
    few, points, many = of_many["ways"].splitlines()
    assert "fentry" in few and "kprobe.session" in many and "kprobe_multi" in points


def test_runs_that_the_kernel_did_not_report_are_lost(results, request):
    if request.node.callspec.params["results"] == "6.1":
        pytest.skip("Linux 6.1 does not count the programs of kprobes that it skips")
    # Linux 7.3 runs most of the programs, which then find the state of the thread in use
    assert "because the CPU was running another BPF program" in results["missed"]
    # "at most", because some of the skipped programs may not belong to a run
    lost = re.search(r"runs counted, (?:at most )?(\d+) lost", results["missed"])
    # two readings in each system call
    assert lost and int(lost[1]) >= 2 * CALLS, results["missed"]
