# SPDX-License-Identifier: GPL-2.0-only
"""pstat profile of code that a process compiles at run time. The names of its functions are in
/tmp/perf-PID.map."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from native import (PATIENCE, run, start, wait_for, wait_for_cpu_time, wait_until_counting,
                    workload)

SAMPLING = ("-e", "cpu-clock:u", "-c", 100000)
TURNS = 40000000
SHARES = {"jit first()": 25, "jit;second": 75}
pytestmark = pytest.mark.usefixtures("sampling")


@pytest.fixture
def jit(tmp_path):
    """Makes command lines of jit-loop, and removes the maps that they leave in /tmp."""
    pids = tmp_path / "pids"
    yield lambda *args: ["sh", "-c", f'echo $$ >>{pids} && exec "$@"', "sh",
                         *workload("jit-loop", *args)]
    for pid in pids.read_text(encoding="ascii").split() if pids.exists() else ():
        for end in ("map", "txt"):
            pathlib.Path(f"/tmp/perf-{pid}.{end}").unlink(missing_ok=True)


def rows_of(text):
    return [item for item in map(json.loads, text.splitlines()) if item["kind"] == "symbol"]


def profile(*args, expect_message=False):
    done = run("profile", *args)
    assert done.returncode == 0 and (expect_message or not done.stderr), done.stderr
    return done


def rows(*args):
    return rows_of(profile("-j", *SAMPLING, *args).stdout)


def shares(found):
    sums = {}
    for row in found:
        sums[row["function"]] = sums.get(row["function"], 0) + row["share"]
    return sums


def expect_shares(found):
    sums = shares(found)
    for name, share in SHARES.items():
        assert sums.get(name, 0) == pytest.approx(share, abs=6), found


def until_interrupted(pstat, pid, seconds):
    """Ends pstat with a signal after the process has used this number of seconds of CPU time.
    Returns the rows and messages of pstat."""
    wait_for_cpu_time(pid, seconds)
    pstat.send_signal(signal.SIGINT)
    out, err = pstat.communicate(timeout=PATIENCE)
    return rows_of(out), err


def test_names_come_from_the_map(jit):
    found = rows("--", *jit(TURNS))
    expect_shares(found)
    in_map = [row for row in found if re.fullmatch(r"/tmp/perf-\d+\.map", row["object"])]
    assert {row["function"] for row in in_map} == set(SHARES)
    folded = profile(*SAMPLING, "--folded", "--", *jit(TURNS // 10)).stdout
    assert re.search(r"^jit-loop;(.*;)?jit:second \d+$", folded, re.M), folded
    table = profile(*SAMPLING, "--", *jit(TURNS // 10)).stdout
    assert re.search(r" perf-\d+\.map +jit first\(\)$", table, re.M), table


def test_the_functions_of_a_process_that_ends_immediately_have_names(jit):
    """The process ends before pstat can read its owner from /proc."""
    assert set(SHARES) <= set(shares(rows("--", *jit(TURNS // 50))))


@pytest.mark.parametrize("kind", ["none", "symlink", "fifo"])
def test_without_a_map_there_are_addresses(jit, kind):
    found = [row for row in rows("--", *jit(TURNS, kind))
             if row["object"] == "[anon]" and row["samples"]]
    assert len(found) == 2, found
    low, high = sorted((int(row["address"], 16), row["share"]) for row in found)
    assert high[0] - low[0] == 4096 and low[0] % 4096 == 0, found
    assert low[1] == pytest.approx(25, abs=6) and high[1] == pytest.approx(75, abs=6), found


def test_a_map_of_another_user_is_not_used(jit):
    done = profile("-j", *SAMPLING, "--", *jit(TURNS, 65534), expect_message=True)
    assert not set(SHARES) & set(shares(rows_of(done.stdout)))
    assert re.fullmatch(r"pstat: /tmp/perf-(\d+)\.map: not used, because it does not belong to "
                        r"the user of process \1\n", done.stderr)


def test_a_map_that_is_older_than_the_process_is_not_used(jit, spawn):
    process = spawn(jit(0))
    path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
    wait_for("the map is there", lambda: path.exists() and path.read_text().count("\n") == 2)
    for age, names, message in (
        (0, set(SHARES), ""),
        (60, set(), f"pstat: {path}: not used, because it is older than process {process.pid}\n"),
    ):
        os.utime(path, (path.stat().st_mtime - age,) * 2)
        with start("profile", "-j", *SAMPLING, "-p", process.pid) as pstat:
            wait_until_counting(pstat)
            found, err = until_interrupted(pstat, process.pid, 0.1)
        assert set(SHARES) & set(shares(found)) == names, found
        assert err == message


def test_a_child_has_the_code_of_its_parent(jit):
    expect_shares(rows("--", *jit(TURNS, "fork")))


def test_a_process_of_other_namespaces_has_its_own_map(spawn):
    """In its PID namespace, the process has the ID 1, so its map is /tmp/perf-1.map. The process
    also has its own /tmp."""
    if subprocess.run(["unshare", "-mpf", "true"], check=False, capture_output=True).returncode:
        pytest.skip("probe: unshare -mpf true: not allowed")
    # the descriptor leads to the program even if the mount hides its path
    line = 'exec 3<"$1" && mount -t tmpfs none /tmp && exec /proc/self/fd/3 0'
    outside = spawn(["unshare", "-mpf", "--mount-proc", "--kill-child", "sh", "-c", line, "sh",
                     *workload("jit-loop")])
    children = pathlib.Path(f"/proc/{outside.pid}/task/{outside.pid}/children")

    def inside():
        kids = children.read_text(encoding="ascii").split()
        return next((kid for kid in kids if os.path.exists(f"/proc/{kid}/root/tmp/perf-1.map")), 0)

    pid = int(wait_for("it runs", inside))
    with start("profile", "-j", *SAMPLING, "-p", pid) as pstat:
        wait_until_counting(pstat)
        found, _ = until_interrupted(pstat, pid, 0.3)
    expect_shares(found)
    assert {row["object"] for row in found if row["function"] in SHARES} == {"/tmp/perf-1.map"}


def test_functions_that_are_compiled_during_the_profile_have_names(jit, spawn):
    """The map grows between two intervals."""
    process = spawn(jit(0))
    path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
    wait_for("the map is there", lambda: path.exists() and path.read_text().count("\n") == 2)
    first, second = path.read_text().splitlines(keepends=True)
    path.write_text(first)
    with start("profile", "-j", "-I", 200, *SAMPLING, "-p", process.pid) as pstat:
        lines = []
        while not any('"jit first()"' in line for line in lines):
            lines.append(pstat.stdout.readline())
            assert lines[-1], lines
        path.write_text(first + second)
        # pstat reads a map again after one second at the earliest.
        found, _ = until_interrupted(pstat, process.pid, 1.6)
    names = {}
    for row in rows_of("".join(lines)) + found:
        names.setdefault(row["interval"], set()).add(row["function"])
    in_turn = [names[interval] for interval in sorted(names)]
    assert any({"jit first()", ""} <= few and "jit;second" not in few for few in in_turn), in_turn
    assert any(set(SHARES) <= both for both in in_turn), in_turn
