# SPDX-License-Identifier: GPL-2.0-only
"""--scope in the kernel, in an arm64 guest whose instructions are exact."""

import pytest

from csv_rows import values
from guest import guest_outputs, kernels

CALLS = 300


def runs(scopes, what, size=100):
    options = " ".join(f"--scope {name}" for name in scopes.split())
    return (f"pstat -x, -e run_cnt,instructions --hist=instructions {options}"
            f" scope-calls -m {CALLS} -k {size} {what}")


COMMANDS = {
    "syscall": runs("syscall:getppid", "getppid"),
    "func": runs("func:__arm64_sys_getppid", "getppid"),
    "functions": ("pstat -x, --per-scope -e run_cnt --scope func:__arm64_sys_getgid "
                  f"--scope func:__arm64_sys_getuid scope-calls -m {CALLS} -k 100 between"),
    "mixed": runs("syscall:getppid uprobe:/usr/local/bin/scope-calls:outer", "getppid"),
    "short": runs("syscall:getuid..syscall:getgid", "between", 100),
    "long": runs("syscall:getuid..syscall:getgid", "between", 10100),
}


@pytest.fixture(scope="module", params=kernels("6.1"))
def results(request):
    return guest_outputs(COMMANDS, arch="aarch64", kernel=request.param, icount=True)


def usual(text):
    """The bounds of the bucket with most runs."""
    lines = [line.split(",") for line in text.splitlines() if ",hist," in line]
    _, low, high = max((int(line[0]), int(line[4]), int(line[5])) for line in lines)
    return low, high


@pytest.mark.parametrize("name", ["func", "mixed"])
def test_a_system_call_has_the_instructions_of_its_function(results, name):
    """Different probes, whose costs differ by hundreds of instructions, agree."""
    low, high = usual(results["syscall"])
    assert 10 < low <= high < 100
    assert abs(usual(results[name])[0] - low) <= 10
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
