# SPDX-License-Identifier: GPL-2.0-only
"""pstat profile without -b on this machine's own kernel: call stacks and names of a program
whose calls and shares are known."""

import contextlib
import csv
import fcntl
import io
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios

import pytest

from native import (CONFLICT, FAILED, PATIENCE, PSTAT, USAGE, WORKLOADS, cpu_seconds_of_run,
                    holders_of, inside, online_cpus, run, start, wait_for, wait_for_cpu_time,
                    wait_until_asleep, wait_until_counting, workload)

# Loop iterations per round: in a() itself, in b(), which a() calls, and in c(). They determine the
# shares of these functions. A round takes about 0.3 ms.
TURNS = (100000, 600000, 300000)
SHARES = {"a": 10, "b": 60, "c": 30}
ROUNDS = 700
# Only user space is sampled, because the kernel also does other work on this machine. Without
# --no-inline, the loops would be in the inlined function work() (test_profile_inline.py).
PERIOD = 100000
SAMPLING = ("-e", "cpu-clock:u", "-c", PERIOD, "--no-inline")
pytestmark = pytest.mark.usefixtures("sampling")


def tree(rounds=ROUNDS, *comm, program=None):
    argv = workload("call-tree", "--uneven", rounds, *TURNS, *comm)
    return [str(program), *argv[1:]] if program else argv


def profile(*args, status=0):
    done = run("profile", *args)
    assert done.returncode == status, done.stderr
    return done.stdout


def objects(*args):
    """Returns the JSON objects of -j, by kind."""
    kinds = {}
    for line in profile("-j", *args).splitlines():
        item = json.loads(line)
        kinds.setdefault(item["kind"], []).append(item)
    return kinds


def symbols_of(process):
    """Samples a running process, and returns its functions. If the kernel missed many samples, as
    on a busy machine, repeats this with a longer profile."""
    for seconds in (0.2, 0.6, 1.8):
        with start("profile", "-j", *SAMPLING, "-p", process.pid) as pstat:
            wait_until_counting(pstat)
            wait_for_cpu_time(process.pid, seconds)
            pstat.send_signal(signal.SIGINT)
            out, _ = pstat.communicate(timeout=PATIENCE)
        items = [json.loads(line) for line in out.splitlines()]
        totals = [item for item in items if item["kind"] == "total"]
        print(totals)  # pytest prints this if the shares are wrong
        if sum(total["samples"] for total in totals) > 1500:
            break
    return [item for item in items if item["kind"] == "symbol"]


def folded(text):
    """Returns {(comm, frame, ..., frame): samples}, parsed as flame-graph tools do: the number
    follows the last space."""
    stacks = {}
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        assert stack and re.fullmatch(r"[1-9]\d*", count), line
        frames = tuple(stack.split(";"))
        assert all(frames) and frames not in stacks, line
        stacks[frames] = int(count)
    return stacks


def shares_of_folded(stacks):
    """Returns the percentage of the samples for each innermost frame."""
    sums = {}
    for frames, count in stacks.items():
        sums[frames[-1]] = sums.get(frames[-1], 0) + count
    total = sum(sums.values())
    return {name: 100 * count / total for name, count in sums.items()}


def expect_shares(shares):
    for name, share in SHARES.items():
        assert shares.get(name, 0) == pytest.approx(share, abs=3), shares


def test_shares_are_those_of_the_call_tree():
    found = objects(*SAMPLING, "--", *tree())
    total, = found["total"]
    assert total["samples"] == total["kept"] > 1000, total
    rows = {row["function"]: row for row in found["symbol"] if row["object"].endswith("/call-tree")}
    expect_shares({name: row["share"] for name, row in rows.items()})
    # Inclusive shares: a() includes most samples of b(). Without a frame of its own, the beginning
    # or end of b() hides the caller. main() includes all samples.
    both = rows["a"]["samples"] + rows["b"]["samples"]
    assert 0.99 * both < rows["a"]["total-samples"] <= both + rows.get("stay",
                                                                       {"samples": 0})["samples"]
    assert rows["b"]["total-samples"] == rows["b"]["samples"]
    assert rows["main"]["total-share"] > 98
    assert sum(row["samples"] for row in found["symbol"]) == total["kept"]


def test_a_table_without_samples_gives_the_reason(spawn):
    """Each thread has its own period, and gets a sample at the end of each period."""
    forks = spawn(workload("forks", "--fast", 10**6))
    text = profile("-e", "cpu-clock", "-c", 10**10, "-p", forks.pid, "--timeout", 100)
    assert re.search(r"^# there are no samples, although the event counted [1-9]\d*: "
                     r"no thread reached the end of a period\n"
                     r"# to get samples, use a shorter period \(-c, or a larger -F\), "
                     r"or sample all CPUs \(-a\): each thread begins its own period\n",
                     text, re.M), text
    assert "were not taken" not in text
    text = profile("-e", "cpu-clock:u", "-c", 10**10, "-p", forks.pid, "--timeout", 100)
    assert ", or none did so in code that the event's modifiers include\n" in text, text
    text = profile("-e", "cpu-clock", "-c", 10**10, "-a", "--timeout", 50)
    assert ": no CPU reached the end of a period\n" in text, text
    assert "or count for longer\n" in text, text
    asleep = spawn(["sleep", 1000])
    wait_until_asleep(asleep.pid)
    text = profile("-e", "cpu-clock", "-p", asleep.pid, "--timeout", 50)
    assert "# there are no samples, because the event counted nothing\n" in text, text


def test_folded_lines_contain_every_stack_once():
    stacks = folded(profile(*SAMPLING, "--folded", "--", *tree()))
    expect_shares(shares_of_folded(stacks))
    assert {frames[0] for frames in stacks} == {"call-tree"}
    # At its beginning and end, a function has no frame, so its caller is missing in the stack.
    known = {
        name: max((frames for frames in stacks if frames[-1] == name), key=stacks.get)
        for name in SHARES
    }
    assert known["a"][-2:] == ("main", "a")
    assert known["b"][-3:] == ("main", "a", "b")
    assert known["c"][-2:] == ("main", "c")


def test_no_name_contains_the_separator_of_frames():
    stacks = folded(profile(*SAMPLING, "--folded", "--", *tree(50, "a;b c\td")))
    assert "a:b c?d" in {frames[0] for frames in stacks}


def test_json_contains_stacks_frame_by_frame():
    found = objects(*SAMPLING, "--folded", "--", *tree(400))
    sums = {}
    for stack in found["stack"]:
        assert stack["comm"] == "call-tree" and stack["pid"] > 1
        names = [frame["function"] for frame in stack["frames"]]
        sums[tuple(names[-3:])] = sums.get(tuple(names[-3:]), 0) + stack["samples"]
        if names[-1] == "b":
            assert stack["frames"][-1]["object"] == str((WORKLOADS / "call-tree").resolve())
    total = found["total"][0]["kept"]
    assert sum(sums.values()) == total
    assert sums["main", "a", "b"] == pytest.approx(0.6 * total, rel=0.1)
    assert "symbol" not in found


def test_fields_can_be_parsed():
    rows = list(csv.reader(io.StringIO(profile("-x,", *SAMPLING, "--", *tree(100)))))
    assert {row[0]: len(row) for row in rows} == {"symbol": 13, "stacks": 8, "total": 14}
    assert next(row for row in rows if row[9:10] == ["b"])[0] == "symbol"
    rows = list(
        csv.reader(io.StringIO(profile("-x,", "--folded", *SAMPLING, "--", *tree(100, 'a,"b'))))
    )
    assert {row[0]: len(row) for row in rows} == {"stack": 7, "stacks": 8, "total": 14}
    assert any(row[5] == 'a,"b' and row[6].endswith("main;a;b") for row in rows
               if row[0] == "stack")


def test_intervals_add_up():
    """The sum of all intervals is a large part of the time for which the command ran, but not more.
    The sum of running totals would be several times as large."""
    # A busy machine can miss intervals. In this case, the command runs longer.
    for work in (1500, 6000, 24000):
        out, ran = cpu_seconds_of_run("profile", "-j", "-I", 50, *SAMPLING, "--", *tree(work))
        items = [json.loads(line) for line in out.splitlines()]
        if len({item["interval"] for item in items}) > 5:
            break
    else:
        raise AssertionError(f"too few intervals: {out}")
    for kind in ("symbol", "total"):
        sampled = sum(item["samples"] for item in items if item["kind"] == kind) * PERIOD / 1e9
        assert 0.3 * ran < sampled < 1.5 * ran, kind


def test_lines_are_those_of_the_source():
    source = (WORKLOADS / "call-tree").resolve()
    rows = [
        row for row in objects(*SAMPLING, "--lines", "--", *tree(400))["symbol"]
        if row["object"] == str(source)
    ]
    by_function = {}
    for row in rows:
        by_function.setdefault(row["function"], []).append(row)
    hottest = {name: max(by_function[name], key=lambda row: row["samples"]) for name in SHARES}
    # the compiler has inlined the function with the loop
    assert all(text_of(row).startswith('__asm__ volatile(".p2align 6')
               for row in hottest.values()), hottest
    calls = {text_of(row) for row in by_function["main"] if row["total-share"] > 10}
    assert calls == {"a(number(argv[2]), number(argv[3]));", "c(number(argv[4]));"}
    table = profile(*SAMPLING, "--lines", "--", *tree(100))
    assert re.search(r" call-tree +b +call-tree\.c:\d+$", table, re.M), table


def test_without_libdw_functions_have_names_but_no_lines_and_pstat_warns(tmp_path):
    (tmp_path / "libdw.so.1").write_text("no library", encoding="ascii")
    done = run("profile", "-j", *SAMPLING, "--lines", "--", *tree(100),
               locale={"LC_ALL": "C", "LD_LIBRARY_PATH": str(tmp_path)})
    rows = [item for item in map(json.loads, done.stdout.splitlines()) if item["kind"] == "symbol"]
    assert done.returncode == 0 and set(SHARES) <= {row["function"] for row in rows} and not any(
        row.get("line") for row in rows), done
    assert done.stderr.count(
        "pstat: no source lines: ") == 1 and f"{tmp_path}/libdw.so.1: " in done.stderr, done.stderr
    assert "install the library of elfutils (Debian's package libdw1)" in done.stderr, done.stderr


def text_of(row):
    """Returns the source line of a row."""
    with open(row["file"], encoding="utf-8") as file:
        return file.readlines()[row["line"] - 1].strip()


# ---- sources of names ----


def output_of(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def addresses(program):
    """Returns the functions of a program by name."""
    fields = [line.split() for line in output_of("nm", program).splitlines()]
    return {name: hex(int(at, 16)) for at, kind, name in (f for f in fields if len(f) == 3)
            if kind in "Tt"}


def build_id(program):
    notes = subprocess.run(["readelf", "-n", program], check=True, capture_output=True,
                           text=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes)[1]


@pytest.fixture
def stripped(tmp_path):
    """Makes a stripped copy of the program. Its debug file is below tmp_path/debug, under its
    build ID."""
    program, copy, ident = WORKLOADS / "call-tree", tmp_path / "stripped-tree", build_id(
        WORKLOADS / "call-tree")
    debug = tmp_path / "debug/.build-id" / ident[:2] / f"{ident[2:]}.debug"
    debug.parent.mkdir(parents=True)
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", "-o", copy, program], check=True)
    return copy


def test_the_debug_file_of_a_stripped_program_is_found(stripped, tmp_path):
    found = objects(*SAMPLING, "--lines", "--debug-dir", f"{tmp_path}::{tmp_path}/debug", "--",
                    *tree(program=stripped))
    rows = {}
    for row in found["symbol"]:
        if row["object"] == str(stripped):
            rows[row["function"]] = rows.get(row["function"], 0) + row["share"]
    expect_shares(rows)
    assert {row["file"].rpartition("/")[2] for row in found["symbol"]
            if row["function"] in SHARES} == {"call-tree.c"}


def test_without_a_debug_file_the_samples_are_counted_as_unnamed(stripped):
    found = objects(*SAMPLING, "--", *tree(400, program=stripped))
    losses, = found["stacks"]
    rows = [row for row in found["symbol"]
            if row["object"] == str(stripped) and not row["function"]]
    assert sum(row["samples"] for row in rows) == pytest.approx(losses["unnamed"], abs=5)
    # Each function has a row with its address.
    shares = {row["address"]: row["share"] for row in rows}
    at = addresses(WORKLOADS / "call-tree")
    expect_shares({name: shares.get(at[name], 0) for name in SHARES})
    table = profile(*SAMPLING, "--", *tree(50, program=stripped))
    assert re.search(
        r"^# \d+ samples are in code whose function is unknown:\n#   \d+ "
        rf"{stripped}: it is stripped, and "
        r"its debug file is not installed$", table, re.M), table
    assert re.search(rf" stripped-tree +stripped-tree\+{at['b']}$", table, re.M), table
    stacks = folded(profile(*SAMPLING, "--folded", "--", *tree(50, program=stripped)))
    calls = tuple(f"[stripped-tree+{at[name]}]" for name in ("main", "a", "b"))
    assert any(frames[-3:] == calls for frames in stacks), stacks


def test_without_a_list_of_functions_code_is_shown_as_blocks(stripped):
    """The list in .eh_frame_hdr has an unknown version."""
    headers = output_of("readelf", "-lW", stripped)
    with open(stripped, "r+b") as file:
        file.seek(int(re.search(r"GNU_EH_FRAME +0x([0-9a-f]+)", headers)[1], 16))
        file.write(b"\2")
    found = objects(*SAMPLING, "--", *tree(200, program=stripped))
    blocks = {int(row["address"], 16) for row in found["symbol"]
              if row["object"] == str(stripped) and row["samples"]}
    at = addresses(WORKLOADS / "call-tree")
    assert blocks == {int(at[name], 16) & ~0xfff for name in SHARES}, found


MANGLED = {
    "a": ("_ZN4tree1aEv", "tree::a()"),
    "b": ("_RNvCs4fqI2P2rA04_4tree1b", "tree::b"),
    "c": ("_ZN4tree6branch1c17h0123456789abcdefE", "tree::branch::c"),
}


def test_names_of_cpp_and_rust_are_demangled(tmp_path):
    program = tmp_path / "mangled-tree"
    renames = [f"--redefine-sym={name}={to}" for name, (to, _) in MANGLED.items()]
    subprocess.run(["objcopy", *renames, WORKLOADS / "call-tree", program], check=True)
    for args, which in (((), 1), (("--no-demangle",), 0)):
        wanted = {name: pair[which] for name, pair in MANGLED.items()}
        rows = objects(*args, *SAMPLING, "--", *tree(program=program))["symbol"]
        found = {row["function"]: row["share"] for row in rows}
        expect_shares({name: found.get(wanted[name], 0) for name in SHARES})
        assert wanted["b"] in profile(*args, *SAMPLING, "--", *tree(50, program=program))
        stacks = folded(profile(*args, "--folded", *SAMPLING, "--", *tree(50, program=program)))
        assert any(frames[-3:] == ("main", wanted["a"], wanted["b"]) for frames in stacks), stacks


def test_a_program_that_is_deleted_while_it_runs_keeps_its_names(tmp_path, spawn):
    copy = tmp_path / "deleted-tree"
    shutil.copy(WORKLOADS / "call-tree", copy)
    process = spawn(tree(10**9, program=copy))
    wait_for("it runs", lambda: os.readlink(f"/proc/{process.pid}/exe") == str(copy))
    copy.unlink()
    rows = symbols_of(process)
    expect_shares({row["function"]: row["share"] for row in rows if row["object"] == str(copy)})


def test_a_program_of_another_mount_namespace_has_names(tmp_path):
    """No path leads to its file, and the program has ended when samples are shown."""
    line = (
        f"mount -t tmpfs none {tmp_path} && cp {WORKLOADS}/call-tree {tmp_path}/hidden-tree && exec"
        " \"$@\""
    )
    argv = ["unshare", "-m", "sh", "-c", line, "sh", *tree(program=tmp_path / "hidden-tree")]
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("probe: unshare -m true: not allowed")
    rows = objects(*SAMPLING, "--", *argv)["symbol"]
    assert not (tmp_path / "hidden-tree").exists()
    found = {
        row["function"]: row["samples"] for row in rows
        if row["object"] == str(tmp_path / "hidden-tree")
    }
    expect_shares({name: 100 * count / sum(found.values()) for name, count in found.items()})


def test_another_file_at_the_path_of_a_program_without_a_build_id_is_not_used(tmp_path, spawn):
    """The file at this path in this mount namespace is not the program that runs in the other."""
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("probe: unshare -m true: not allowed")
    meant, path = tmp_path / "meant", tmp_path / "over" / "tree"
    path.parent.mkdir()
    subprocess.run(
        ["objcopy", "--remove-section=.note.gnu.build-id", WORKLOADS / "call-tree", meant],
        check=True)
    subprocess.run(
        ["objcopy", *(f"--redefine-sym={name}=wrong_{name}"
                      for name in SHARES), meant, path], check=True)
    line = f"mount -t tmpfs none {path.parent} && cp {meant} {path} && exec \"$@\""
    argv = ["unshare", "-m", "sh", "-c", line, "sh"]
    process = spawn([*argv, *tree(10**9, "inside", program=path)])
    wait_for("it runs",
             lambda: open(f"/proc/{process.pid}/comm", encoding="ascii").read() == "inside\n")
    rows = symbols_of(process)
    expect_shares({row["function"]: row["share"] for row in rows if row["object"] == str(path)})
    # The program ends before pstat looks for names, so names may be missing, but must not be wrong.
    rows = objects(*SAMPLING, "--", *argv, *tree(100, program=path))["symbol"]
    assert not [row for row in rows if row["function"].startswith("wrong_")]


def test_the_functions_of_programs_that_end_at_once_have_names():
    """Programs of this kind end before pstat can find their files in /proc."""
    line = " ".join(["i=0; while [ $i -lt 100 ]; do", *tree(10), "; i=$((i + 1)); done"])
    found = objects(*SAMPLING, "--", "sh", "-c", line)
    rows = {
        row["function"]: row["samples"] for row in found["symbol"]
        if row["object"].endswith("/call-tree")
    }
    assert rows.get("b", 0) > 100
    assert rows.get("", 0) < 0.02 * sum(rows.values()), rows


def test_samples_after_an_exec_belong_to_the_new_program(tmp_path):
    """A process runs a program on one CPU and executes another program on a second CPU, whose
    records pstat reads first. Without build IDs, only addresses identify functions."""
    cpus = online_cpus()
    if len(cpus) < 2:
        pytest.skip("probe: one CPU is online, but the records of two CPUs must be out of order")
    later, earlier = tmp_path / "later-tree", tmp_path / "earlier-tree"
    subprocess.run(
        ["objcopy", "--remove-section=.note.gnu.build-id", WORKLOADS / "call-tree", later],
        check=True)
    subprocess.run(["strip", "-o", earlier, later], check=True)
    argv = [
        "setarch", "-R", "taskset", "-c", cpus[-1], earlier, "--exec", cpus[0],
        *tree(400, program=later)
    ]
    rows = objects(*SAMPLING, "--", *argv)["symbol"]
    expect_shares({row["function"]: row["share"] for row in rows if row["object"] == str(later)})


def test_functions_of_the_kernel_have_names():
    found = objects("-e", "cpu-clock", "-c", 250000, "--folded", "--", "dd", "if=/dev/zero",
                    "of=/dev/null", "bs=64k", "count=100000")
    with open("/proc/kallsyms", encoding="ascii") as file:
        known = {line.split()[2] for line in file}
    inside_kernel = [stack for stack in found["stack"] if stack["frames"][-1]["object"] == "kernel"]
    assert sum(stack["samples"] for stack in inside_kernel) > 0.5 * found["total"][0]["samples"]
    names = {
        frame["function"] for stack in inside_kernel for frame in stack["frames"]
        if frame["object"] == "kernel"
    }
    assert names <= known and "ksys_read" in names
    # the frames of user space are the outer ones; since glibc 2.41, the function has no name
    reads = [stack["frames"] for stack in inside_kernel
             if "ksys_read" in [frame["function"] for frame in stack["frames"][1:]]]
    assert any("/libc.so" in frames[0]["object"] for frames in reads), reads


def test_after_two_signals_functions_of_the_kernel_still_have_names(spawn):
    """The second signal arrives long before pstat reads the symbols of the kernel."""
    process = spawn(["dd", "if=/dev/zero", "of=/dev/null", "bs=64k"])
    with start("profile", "-j", "-e", "cpu-clock:k", "-p", process.pid) as pstat:
        wait_until_counting(pstat)
        wait_for_cpu_time(process.pid, 0.2)
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            pstat.send_signal(number)
        out, err = pstat.communicate(timeout=PATIENCE)
    rows = [row for row in map(json.loads, out.splitlines()) if row["kind"] == "symbol"]
    assert "ksys_read" in {row["function"] for row in rows} and not err, (rows, err)


def test_a_program_that_is_unloaded_has_its_name():
    """When samples are shown, the program no longer exists. Other BPF programs do."""
    runner = workload("bpf-run", "--type", "raw_tp", "--prog", "hot", "--loops", 100000, "--runs",
                      500)
    found = objects("-e", "cpu-clock:k", "-c", 100000, "--folded", "--", "sh", "-c",
                    " ".join(runner) + " >&2")
    sums = {}
    for stack in found["stack"]:
        frame = stack["frames"][-1]
        if frame["object"] == "bpf" or not frame["function"]:
            sums[frame["function"]] = sums.get(frame["function"], 0) + stack["samples"]
    hot = sum(count for name, count in sums.items() if re.fullmatch(
        r"bpf_prog_[0-9a-f]{16}_(first_loop|second_loop|third_loop|raw_tp_hot)", name))
    # Other users' programs at tracepoints also run in this task.
    unknown = sum(count for name, count in sums.items() if not name)
    assert hot > 500 and unknown < 0.02 * hot, sums


# ---- losses ----


def test_a_full_map_of_stacks_is_reported():
    found = objects(*SAMPLING, "--stack-map-size", 4, "--",
                    *workload("call-tree", "--many", 60, 3000000))
    losses, = found["stacks"]
    total, = found["total"]
    assert losses["collided"] + losses["no-room"] > 100
    # The samples and their functions are known.
    assert total["samples"] == total["kept"] == sum(row["samples"] for row in found["symbol"])
    rows = {row["function"]: row for row in found["symbol"]}
    assert rows["deep"]["share"] > 95
    assert (
        rows["[stack lost]"]["total-samples"] == losses["collided"] + losses["no-room"]
        and rows["[stack lost]"]["samples"] == 0
    )
    table = profile(*SAMPLING, "--stack-map-size", 4, "--",
                    *workload("call-tree", "--many", 60, 3000000))
    assert re.search(r"^# \d+ stacks are lost: .*\(--stack-map-size\)$", table, re.M), table


def test_stacks_that_are_too_deep_are_reported():
    found = objects(*SAMPLING, "--folded", "--", *workload("call-tree", "--deep", 300, 300000000))
    with open("/proc/sys/kernel/perf_event_max_stack", encoding="ascii") as file:
        depth = min(int(file.read()), 127)
    losses, = found["stacks"]
    assert losses["cut"] >= 0.95 * found["total"][0]["samples"] > 0
    longest = max(found["stack"], key=lambda stack: stack["samples"])
    assert [frame["function"] for frame in longest["frames"]] == ["deep"] * depth
    # the message names the remedy, if there is one
    table = profile(*SAMPLING, "--", *workload("call-tree", "--deep", 300, 30000000))
    hint, = re.findall(
        rf"^# \d+ samples have stacks of more than {depth} frames: the outermost "
        r"are cut off(.*)$", table, re.M)
    assert hint == ("" if depth == 127 else " (sysctl kernel.perf_event_max_stack)")


def test_too_many_processes_for_the_map_are_reported():
    line = " ".join(["i=0; while [ $i -lt 20 ]; do", *tree(20), "; i=$((i + 1)); done"])
    total, = objects(*SAMPLING, "--map-size", 4, "--", "sh", "-c", line)["total"]
    assert (
        total["no-room"] > 0
        and total["samples"] == total["kept"] + total["no-room"] + total["busy"]
    )


# ---- targets ----


def comms(*args):
    return {stack["comm"] for stack in objects("--folded", *SAMPLING, *args).get("stack", ())}


def test_each_target_has_its_stacks(spawn):
    process = spawn(tree(10**9, "wanted"))
    other = spawn(tree(10**9, "other"))
    wait_for(
        "both have their names", lambda: all(
            open(f"/proc/{p.pid}/comm").read().strip() in ("wanted", "other")
            for p in (process, other)))
    wait_for("the process runs", lambda: comms("-p", process.pid, "--timeout", 100) == {"wanted"})
    wait_for("the thread runs", lambda: comms("-t", process.pid, "--timeout", 100) == {"wanted"})
    wait_for("both run", lambda: {"wanted", "other"} <= comms("-a", "--timeout", 200))
    cpus = online_cpus()
    os.sched_setaffinity(process.pid, {cpus[0]})
    os.sched_setaffinity(other.pid, {cpus[-1]})
    # Other processes may use the CPU for a while.
    found = wait_for(
        "it runs there", lambda: (lambda names: "wanted" in names and names)
        (comms("-C", cpus[0], "--timeout", 200)))
    assert ("other" in found) == (len(cpus) == 1)


NR_THREADS = 60


@pytest.fixture
def crowd(spawn):
    """Starts a process with many threads that sleep."""
    process = spawn(workload("threads"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write("sleep\n" * NR_THREADS)
    process.stdin.flush()
    wait_for("all threads are there",
             lambda: len(os.listdir(f"/proc/{process.pid}/task")) == NR_THREADS + 1)
    return process


def limited(limit, *argv):
    return subprocess.run(["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *map(str, argv)],
                          capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_events_of_many_threads_have_room_for_their_links(crowd):
    """The event of each thread needs a file, and so does the link that runs the BPF program for
    it."""
    argv = [
        PSTAT, "profile", "-j", "-e", ",".join(["cpu-clock:u"] * 4), "-p", crowd.pid, "--timeout",
        100
    ]
    done = limited("-Sn 256", *argv)
    assert done.returncode == 0 and not done.stderr, done.stderr
    done = limited("-n 256", "setpriv", "--bounding-set=-sys_resource", "--inh-caps=-sys_resource",
                   *argv)
    words = re.match(
        rf"pstat: 4 events × {NR_THREADS + 1} threads: (\d+) open files are needed, "
        r"but this process may open only 256\n", done.stderr)
    assert (
        done.returncode == FAILED and 8 * NR_THREADS < int(words[1]) < 12 * NR_THREADS
    ), done.stderr


def test_a_cgroup_has_its_stacks(cgroup, spawn):
    group = cgroup("stacks")
    process = spawn(inside(group, *tree(10**9, "grouped")))
    wait_for("it is there",
             lambda: "grouped" in open(f"/proc/{process.pid}/comm", encoding="ascii").read())
    wait_for("the group runs", lambda: comms("-a", "-G", group, "--timeout", 200) == {"grouped"})


def test_options_that_cannot_be_combined_are_refused():
    for args, status, words in (
        (("--folded", "-b", 1), CONFLICT, "--folded is for stacks"),
        (("--lines", "-b", 1), CONFLICT, "--lines is for stacks"),
        (("--no-demangle", "-b", 1), CONFLICT, "--no-demangle is for stacks"),
        (("--folded", "-I", 100, "true"), CONFLICT, "no column for the time of -I"),
        (
            ("--folded", "-e", "cpu-clock,task-clock", "true"),
            CONFLICT,
            "no column for the name of the event",
        ),
        (("--stack-map-size", 0, "true"), USAGE, "--stack-map-size 0: "),
    ):
        done = run("profile", *args)
        assert done.returncode == status and words in done.stderr, (args, done.stderr)


def test_a_killed_session_leaves_nothing_behind(spawn):
    spawn(tree(10**9))
    with start("profile", "-a", *SAMPLING) as pstat:
        wait_until_counting(pstat)
        assert pstat.pid in holders_of("pstat_sample_*")
        pstat.send_signal(signal.SIGKILL)
        pstat.wait()
    # The kernel may need some time.
    wait_for("the program is gone", lambda: pstat.pid not in holders_of("pstat_sample_*"))


# ---- the width of tables ----

LONG = "a" * 70 + "z" * 70


@pytest.fixture
def long_names(tmp_path):
    """Returns a command that profiles a program whose function has a long name."""
    program = tmp_path / ("program-" + "p" * 80)
    subprocess.run(["objcopy", f"--redefine-sym=main={LONG}", WORKLOADS / "spin", program],
                   check=True)
    return ["--lines", "--no-inline", "-e", "cpu-clock", "--", program, "--ms", "200"]


def rows_of_table(text):
    """Returns the heading and the rows."""
    table = text[text.index("   share "):]
    return [line for line in table.splitlines() if line and not line.startswith("#")]


def test_tables_in_files_have_100_columns(long_names, tmp_path):
    run("profile", "-o", tmp_path / "table", *long_names)
    rows = rows_of_table((tmp_path / "table").read_text())
    assert max(map(len, rows)) == 100, rows
    assert re.search(r" program-p+\.\.\.p+  +a+\.\.\.z+  +spin\.", rows[1]), rows
    assert LONG in run("profile", "-x,", *long_names).stdout


@pytest.mark.parametrize("width, shown", [(70, 70), (300, None), (0, 100)])
def test_tables_fit_the_terminal(long_names, width, shown):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, width, 0, 0))
    done = run("profile", *long_names, stdout=slave)
    os.close(slave)
    text = b""
    with contextlib.suppress(OSError):  # EIO means that everything has been read
        while more := os.read(master, 65536):
            text += more
    os.close(master)
    rows = rows_of_table(text.decode().replace("\r", ""))
    assert done.returncode == 0 and len(rows) > 1, done.stderr
    if shown:
        assert max(map(len, rows)) == shown, rows
    else:
        assert LONG in rows[1] and max(map(len, rows)) > 250, rows
