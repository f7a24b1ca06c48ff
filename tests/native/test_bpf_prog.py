# SPDX-License-Identifier: GPL-2.0-only
"""Tests -b on this machine's own kernel, whether or not the kernel allows fentry."""

import os
import pathlib
import re
import signal
import subprocess

import pytest

import native
from native import (
    FAILED,
    PATIENCE,
    bpftool,
    children_of,
    csv_rows,
    default_signals,
    not_allowed,
    run,
    start,
    wait_for,
    workload,
)


@pytest.fixture
def refusing():
    """Returns why this kernel refuses fentry, in pstat's words."""
    if not native.why_no_fentry():
        pytest.skip("probe: pstat --version -vv: this kernel allows fentry")
    return native.why_no_fentry()


@pytest.fixture
def allowing():
    if native.why_no_fentry():
        pytest.skip(f"probe: pstat --version -vv: {native.why_no_fentry()}")


def bpf_objects():
    """Returns {(kind, id)} of all BPF programs, links and maps."""
    return {(kind, item["id"]) for kind in ("prog", "link", "map")
            for item in bpftool(kind, "show")}


def held_objects():
    """Returns {(kind, id)} of the BPF objects that a process holds by file descriptors."""
    found = set()
    for file in pathlib.Path("/proc").glob("[0-9]*/fdinfo/*"):
        try:
            text = file.read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        found |= {(kind, int(ident))
                  for kind, ident in re.findall(r"^(prog|link|map)_id:\s+(\d+)$", text, re.M)}
    return found


def nothing_is_left_since(before):
    """Waits until all new BPF objects no longer exist, because the kernel frees unused objects with
    a delay. Ignores objects that other processes hold."""
    wait_for("no BPF program, link or map is left",
             lambda: not bpf_objects() - before - held_objects())


def refused(args, *words, code=FAILED):
    """Runs pstat, which must fail with a message of two lines. The first line must contain these
    words. If the kernel is the reason, a third line mentions `pstat why`."""
    before = bpf_objects()
    done = run(*args, "touch", "it-ran")
    assert done.returncode == code
    assert done.stdout == ""
    assert not os.path.exists("it-ran")
    first, second, *rest = done.stderr.splitlines()
    assert all(line.startswith("pstat: to find out why, run: pstat why -b ") for line in rest)
    assert first.startswith("pstat: ") and re.match(r" {7}\S", second)
    for word in words:
        assert word in first
    nothing_is_left_since(before)
    return second


def test_a_refusal_by_the_kernel_is_reported_in_two_lines_and_nothing_is_left(refusing, bpf_prog):
    ident = bpf_prog("--prog", "count")
    advice = refused(["-b", ident, "-e", "cs", "-I", 1000], f"-b {ident} (xdp_count): {refusing}",
                     "fentry")
    assert "pstat --version -vv" in advice


def test_a_kernel_in_lockdown_is_recognized(refusing, bpf_prog):
    """EPERM without any text from the verifier is a policy of the system, not a mistake in the
    program."""
    if "EPERM" not in refusing:
        pytest.skip("probe: pstat --version -vv: this kernel refuses for another reason: "
                    f"{refusing}")
    refused(["-b", bpf_prog(), "-e", "cs"], "EPERM", "empty verifier log", "locked down")


def test_if_one_of_two_programs_is_refused_both_are(refusing, bpf_prog):
    first, second = bpf_prog("--prog", "count"), bpf_prog("--prog", "loop")
    refused(["-b", f"{first},{second}", "-e", "cs"], f"-b {first} (xdp_count):", refusing)


def test_libbpfs_messages_do_not_appear_between_those_of_pstat(refusing, bpf_prog):
    done = run("-b", bpf_prog(), "true")
    assert "libbpf" not in done.stderr


@pytest.mark.parametrize("ident", [4294967295, 4294967294])
def test_an_id_that_no_program_has_is_reported(ident):
    advice = refused(["-b", ident], f"-b {ident}: no BPF program has the id {ident}",
                     code=native.USAGE)
    assert "pstat progs" in advice


def test_the_id_of_an_unloaded_program_is_reported(spawn):
    done = subprocess.run(workload("bpf-run", "--print-id", "--runs", 1), capture_output=True,
                          text=True, check=False)
    if not_allowed(done.stderr):
        pytest.skip(f"probe: bpf-run loads a BPF program: {done.stderr.strip()}")
    assert not done.returncode, done.stderr
    ident = int(done.stdout.splitlines()[0])
    wait_for("the program is unloaded", lambda: ("prog", ident) not in bpf_objects())
    refused(["-b", ident], f"no BPF program has the id {ident}", code=native.USAGE)


def test_a_program_without_btf_is_refused_with_the_reason(bpf_prog):
    ident = bpf_prog(loader="bpf-no-btf")
    advice = refused(["-b", ident, "-e", "cs"], f"-b {ident} (no_btf): the program has no BTF")
    assert "clang -g" in advice


@pytest.mark.parametrize("loader", ["bpf-no-btf", "bpf-run"])
def test_the_kernels_statistics_are_used_exactly_where_fentry_is_impossible(bpf_prog, loader):
    """Covers all programs on a kernel that refuses fentry, and programs without BTF on other
    kernels."""
    ident = bpf_prog(loader=loader)
    done = run("-x,", "-b", ident, *workload("bpf-run", "--id", ident, "--runs", 1000))
    assert done.returncode == 0, done.stderr
    rows = {row[2]: row for row in csv_rows(done.stderr) if len(row) > 2}
    assert rows["run_cnt"][0] == "1000" and float(rows["task-clock"][0]) > 0, done.stderr
    if loader == "bpf-no-btf" or native.why_no_fentry():
        assert (
            "1 program is counted with the kernel's own statistics, which have only the number and"
            " the time of runs"
            in done.stderr
        )
        assert rows["cycles"][0] == rows["instructions"][0] == "<not supported>"


@pytest.mark.parametrize("args, words", [(["-p", 1], "no counts for single tasks"),
                                         (["-C", 0], "all CPUs"), (["-A"], "all CPUs"),
                                         (["--hist=task-clock"], "no single runs"),
                                         (["--outliers", "1us,time"], "no single runs"),
                                         (["--for-each-cgroup", "/"], "no counts for cgroups")])
def test_events_that_the_kernels_statistics_lack_are_reported(bpf_prog, args, words):
    ident = bpf_prog(loader="bpf-no-btf")
    advice = refused(["-b", ident, "-e", "task-clock", *args],
                     f"-b {ident} (no_btf): the program has no BTF")
    assert "the kernel's statistics cannot be used instead" in advice and words in advice


def test_sigint_while_pstat_waits_for_a_new_program_is_not_an_error(bpf_prog):
    """A loader may still replace the program's functions, so a pattern waits until the program is
    two seconds old."""
    bpf_prog()
    with start("-v", "-b", "all", "-e", "run_cnt", "touch", "it-ran",
               preexec_fn=default_signals) as pstat:
        wait_for("pstat waits", lambda: "-b: waiting" in pstat.stderr.readline())
        pstat.send_signal(signal.SIGINT)
        said = pstat.stderr.read()
        assert pstat.wait(timeout=PATIENCE) == -signal.SIGINT
    assert said == "" and not os.path.exists("it-ran")


@pytest.mark.parametrize("text", ["0", "abc", ",", "4294967310"])
def test_an_invalid_id_leaves_nothing_in_the_kernel(text):
    before = bpf_objects()
    assert run("-b", text, "-I", 1000).returncode == native.USAGE
    nothing_is_left_since(before)


def test_runs_are_counted_exactly(allowing, bpf_prog):
    ident = bpf_prog("--prog", "count")
    before = bpf_objects()
    done = run("-x,", "-b", ident, "-e", "run_cnt,task-clock",
               *workload("bpf-run", "--id", ident, "--runs", 1000))
    assert done.returncode == 0
    rows = {row[2]: row for row in csv_rows(done.stderr)}
    assert rows["run_cnt"][0] == "1000"
    assert float(rows["task-clock"][0]) > 0
    nothing_is_left_since(before)


def test_a_session_that_is_killed_leaves_nothing_in_the_kernel(allowing, bpf_prog):
    ident = bpf_prog("--prog", "count")
    before = bpf_objects()
    with start("-b", ident, "-I", 10, "-x,", "-e", "run_cnt") as process:
        process.stderr.readline()
        process.kill()
    assert children_of(process.pid) == []
    nothing_is_left_since(before)


def test_a_histogram_needs_an_event_that_is_counted(bpf_prog):
    done = run("-b", bpf_prog(), "-e", "run_cnt,cs,task-clock", "--hist=cycles", "true")
    assert done.returncode == native.USAGE
    assert done.stderr.splitlines() == [
        "pstat: --hist=cycles: this event is not counted (counted: cs, task-clock)",
        "       add it to -e",
    ]
    done = run("-b", bpf_prog(), "-e", "run_cnt", "--hist", "true")
    assert done.returncode == native.USAGE
    assert done.stderr.startswith("pstat: --hist needs an event")


@pytest.mark.parametrize("args", [["-b", "all"], ["-b", "name:*", "--follow"]])
def test_lack_of_memory_is_reported(args):
    """Makes each allocation fail in turn. Where pstat then ends with an error, it must report the
    error. On kernels that refuse fentry, pstat makes fewer allocations."""
    subprocess.run(
        ["make", "-s", *([f"O={os.environ['O']}"] if os.environ.get("O") else []), "fault-shim"],
        cwd=native.TOP, check=True)
    shim = {
        **os.environ,
        **native.IN_C, "LD_PRELOAD": str(native.BUILD / ".build/tests/native/fault-shim.so"),
        "FAULT_LOG": "log"
    }
    nr = 0
    for function in ("calloc", "realloc"):
        number, failed = 0, True
        while failed:
            number += 1
            pathlib.Path("log").unlink(missing_ok=True)
            done = subprocess.run([native.PSTAT, *args, "-e", "run_cnt,cs", "true"],
                                  env={**shim, "FAULT": f"{function}:{number}:12"
                                       }, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  check=False, timeout=PATIENCE)
            failed = pathlib.Path("log").read_text(encoding="ascii").startswith("failed ")
            assert done.returncode in (0, FAILED, native.USAGE) and done.stderr, (
                function,
                number,
                done,
            )
        nr += number
    assert nr > 30
