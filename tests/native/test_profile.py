# SPDX-License-Identifier: GPL-2.0-only
"""pstat profile -b on this machine's own kernel. A CPU clock samples BPF programs that run without
pause."""

import csv
import io
import json
import os
import signal
import subprocess

import pytest

import native
from native import (CONFLICT, FAILED, USAGE, cpu_seconds, end, holders_of, run, start, wait_for,
                    wait_for_cpu_time, wait_until_counting, workload)

# The period of the clock in ns.
PERIOD = 1000000
pytestmark = pytest.mark.usefixtures("sampling")


@pytest.fixture
def running(spawn):
    """Loads a program of bpf-run and runs it without pause. Returns its ID."""

    def load(*options):
        process = spawn(workload("bpf-run", "--print-id", "--batch", 1, "--forever", *options),
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = process.stdout.readline()
        assert line, process.communicate()
        return int(line), process

    return load


def test_a_user_who_may_not_sample_gets_only_this_message(as_nobody):
    done = as_nobody("profile", "true")
    first, advice = done.stderr.splitlines()
    assert (
        done.returncode == FAILED and "cannot be loaded" in first and "run pstat as root" in advice
    ), done


def objects(*args):
    """Returns the JSON objects of -j, by kind."""
    done = run("profile", "-j", *args)
    assert done.returncode == 0, done.stderr
    kinds = {}
    for line in done.stdout.splitlines():
        item = json.loads(line)
        kinds.setdefault(item["kind"], []).append(item)
    return kinds


def hot(running):
    return running("--type", "raw_tp", "--prog", "hot", "--loops", 100000)[0]


def test_samples_are_on_the_lines_of_the_hot_loop(running):
    ident = hot(running)
    found = objects("-b", ident, "-e", "cpu-clock", "-F", 997, "--timeout", 1500)
    total, = found["total"]
    assert total["kept"] > 100, total
    # The loop consists of its body and of the line with its condition.
    loop = sum(row["samples"] for row in found["line"]
               if row["function"] == "second_loop" or "bpf_loop(loops, second_loop" in row["text"])
    assert loop >= 0.95 * total["self"] > 0, found["line"]
    # Samples in the loop's function also count for its caller, even if the function has no frame at
    # its start or end.
    call, = [row for row in found["line"] if "bpf_loop(loops, second_loop" in row["text"]]
    assert call["total-samples"] >= 0.98 * total["kept"] and call is found["line"][0], found["line"]
    body = max(found["line"], key=lambda row: row["samples"])
    assert (body["prog-id"], body["prog"], body["function"]) == (ident, "raw_tp_hot", "second_loop")
    assert body["file"].endswith("/bpf-run.bpf.c") and body["text"] == "DEFINE_LOOP(second_loop, 1)"
    with open(body["file"], encoding="utf-8") as source:
        assert source.readlines()[body["line"] - 1].strip() == body["text"]


def test_all_samples_are_kept_or_reported_as_lost(running):
    """The BPF program counts samples, and the kernel counts the event in ns. Each sample represents
    one period."""
    found = objects("-b", hot(running), "-e", "cpu-clock", "-e", "task-clock", "-c", PERIOD,
                    "--timeout", 300)
    assert [total["event"] for total in found["total"]] == ["cpu-clock", "task-clock"]
    for total in found["total"]:
        rows = [row for row in found["line"] if row["event"] == total["event"]]
        assert sum(row["samples"] for row in rows) == total["self"] <= total["kept"]
        taken = (
            total["kept"]
            + total["elsewhere"]
            + total["no-room"]
            + total["busy"]
            + total["no-stack"]
        )
        # A late timer causes one sample for several periods, and on each CPU, a period may be about
        # to end.
        assert (
            0.3 * total["count"]
            < taken * PERIOD
            <= total["count"] + PERIOD * len(native.online_cpus())
        )
        assert sum(row["samples"] for row in rows) > 0 and taken == total["samples"]
        assert 0 < sum(row["share"] for row in rows) <= 100 + 0.01 * len(rows)
        assert 0 < total["running"] == total["enabled"]


def test_a_full_map_is_reported(running):
    """On a busy machine, the program may not run during a count. Without samples of the program,
    the map cannot become full."""
    ident = hot(running)
    total, = objects("-b", ident, "-e", "cpu-clock", "--timeout", 300, "--map-size", 2)["total"]
    assert total["no-room"] > 0 and total["kept"] > 0
    texts = (run("profile", "-b", ident, "-e", "cpu-clock", "--timeout", 300, "--map-size",
                 2).stdout for _ in range(5))
    sampled = next(text for text in texts if ": 0 of " not in text)
    assert "the map is full" in sampled


def test_fields_can_be_parsed(running):
    done = run("profile", "-x,", "--annotate", "-b", hot(running), "-e", "cpu-clock", "--timeout",
               300)
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(io.StringIO(done.stdout)))
    lengths = {"line": 14, "function": 11, "source": 14, "total": 14}
    assert {row[0]: len(row) for row in rows} == lengths
    assert all(len(row) == lengths[row[0]] and row[1] == "cpu-clock" for row in rows)
    # a source line that contains commas and tabs
    assert "\tbpf_loop(loops, second_loop, (void *)0, 0);" in [
        row[10] for row in rows if row[0] == "source"
    ]


def test_intervals_add_up(running):
    """The samples of all intervals are for at most the elapsed time, and for at least a third of
    the kernel's count. If each interval contained the running totals, they would be for more than
    the elapsed time. cpu-clock also counts while the hypervisor runs another guest, so the CPU time
    of the process is no limit."""
    ident, _ = running("--type", "raw_tp", "--prog", "hot", "--loops", 100000)
    done = run("profile", "-j", "-b", ident, "-e", "cpu-clock", "-c", PERIOD, "-I", 100,
               "--interval-count", 8)
    items = [json.loads(line) for line in done.stdout.splitlines()]
    times = sorted({item["interval"] for item in items})
    assert len(times) == 8 and times[0] >= 0.1
    assert 0 < sum(item["samples"]
                   for item in items if item["kind"] == "line") * PERIOD / 1e9 < 1.05 * times[-1]
    totals = [item for item in items if item["kind"] == "total"]
    assert sum(item["samples"] for item in totals) * PERIOD > 0.3 * sum(
        item["count"] for item in totals
    )


def test_the_source_is_annotated(running):
    done = run("profile", "--annotate", "-b", hot(running), "-e", "cpu-clock", "--timeout", 300)
    lines = done.stdout.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("# program"))
    source = lines[place:]
    assert any("function second_loop" in line and "%" in line for line in source)
    assert any("DEFINE_LOOP(second_loop, 1)" in line and "%" in line for line in source)
    # Lines without samples are also printed.
    assert any(
        line.startswith(" " * 40) and "__sync_fetch_and_add(&counter, 1);" in line
        for line in source)


def test_instructions_are_printed_where_there_is_no_source(bpf_prog, spawn):
    ident = bpf_prog(loader="bpf-no-btf")
    spawn(workload("bpf-run", "--id", ident, "--batch", 1000000, "--forever"),
          stdout=subprocess.DEVNULL)

    def sampled():
        kinds = objects("--annotate", "-b", ident, "-e", "cpu-clock", "-c", 50000, "--timeout", 300)
        return kinds if "insn" in kinds else None

    found = wait_for("a sample in two instructions", sampled)
    assert [(item["insn"], item["text"]) for item in found["insn"]] == [(0, "r0 = 2"), (1, "exit")]
    assert sum(item["samples"] for item in found["code"]) == found["total"][0]["self"]
    assert "source" not in found and {row["line"] for row in found["line"]} == {0}


def test_what_a_helper_does_is_charged_to_the_line_that_calls_it(running):
    ident = running("--type", "raw_tp", "--prog", "lookup", "--loops", 1000)[0]
    found = objects("-b", ident, "-e", "cpu-clock", "-F", 997, "--timeout", 1500)
    total, = found["total"]
    assert total["kept"] > 100 and total["self"] < 0.9 * total["kept"], total
    lookup, = [row for row in found["line"] if "bpf_map_lookup_elem" in row["text"]]
    assert lookup["total-samples"] > lookup["samples"] and lookup["total-share"] > 10, found["line"]
    assert found["line"][0]["total-samples"] >= 0.98 * total["kept"], found["line"]
    text = run("profile", "-b", ident, "-e", "cpu-clock", "--timeout", 300).stdout
    assert "samples in the programs and what they call (" in text and " in their own code" in text
    assert next(line for line in text.splitlines() if line[0] != "#").split() == [
        "total", "samples", "self", "samples", "program", "function", "line"
    ], text


def test_only_the_function_that_is_named_is_sampled(running):
    found = objects("-b", f"{hot(running)}:second_loop", "-e", "cpu-clock", "--timeout", 300)
    assert {row["function"] for row in found["line"]} == {"second_loop"}


def test_a_program_that_is_unloaded_during_the_profile_keeps_its_rows(running):
    ident, runner = running("--type", "raw_tp", "--prog", "hot", "--loops", 100000)
    with start("profile", "-j", "-b", ident, "-e", "cpu-clock") as pstat:
        wait_until_counting(pstat)
        wait_for_cpu_time(runner.pid, 0.2)
        end(runner)
        pstat.send_signal(signal.SIGINT)
        out, _ = pstat.communicate(timeout=20)
    rows = [json.loads(line) for line in out.splitlines()]
    assert any(row["kind"] == "line" and row["function"] == "second_loop" for row in rows), out


def attachment(*args, **env):
    done = run("profile", "-v", "-e", "cpu-clock", *args, locale={"LC_ALL": "C", **env})
    assert done.returncode == 0, done.stderr
    return next(line for line in done.stderr.splitlines() if "attached by" in line)


def test_both_ways_to_attach_work(running):
    ident = hot(running)
    for how in ("link", "ioctl"):
        env = {"PSTAT_PROFILE_ATTACH": how}
        assert f"attached by {how}," in attachment("-b", ident, "--timeout", 100, **env)

        def both_kept(env=env):
            done = run("profile", "-j", "-b", ident, "-e", "cpu-clock,task-clock", "--timeout", 300,
                       locale={"LC_ALL": "C", **env})
            totals = [
                item for item in map(json.loads, done.stdout.splitlines())
                if item["kind"] == "total"
            ]
            assert len(totals) == 2, done.stdout
            return all(total["kept"] > 0 for total in totals)

        wait_for("samples of both, when the program has had a CPU", both_kept)


def test_a_killed_pstat_leaves_nothing(running):
    ident = hot(running)
    with start("profile", "-b", ident, "-e", "cpu-clock") as pstat:
        wait_until_counting(pstat)
        assert pstat.pid in holders_of("pstat_sample_*")
        pstat.kill()
        pstat.communicate()
    wait_for("its program is gone", lambda: pstat.pid not in holders_of("pstat_sample_*"))


def test_a_command_is_sampled_with_its_children():
    done = run("profile", "-j", "-e", "cpu-clock,task-clock", "--",
               "sh", "-c", f"{workload('spin', 300000000)[0]} 300000000; exit 7")
    assert done.returncode == 7, done.stderr
    items = [json.loads(line) for line in done.stdout.splitlines()]
    totals = {item["event"]: item for item in items if item["kind"] == "total"}
    assert set(totals) == {"cpu-clock", "task-clock"}
    for event, total in totals.items():
        assert total["kept"] == total["samples"] > 20
        rows = [item for item in items if item["kind"] == "symbol" and item["event"] == event]
        assert sum(row["samples"] for row in rows) == total["kept"]
        # spin is a loop in user space.
        assert sum(row["samples"]
                   for row in rows if row["object"].endswith("/spin")) > 0.5 * total["kept"]


def test_the_program_is_sampled_in_one_task_only(running):
    ident, runner = running("--type", "raw_tp", "--prog", "hot", "--loops", 100000)
    inside, = objects("-b", ident, "-p", runner.pid, "-e", "cpu-clock", "--timeout", 300)["total"]
    assert inside["kept"] > 0.8 * inside["samples"] > 0
    outside, = objects("-b", ident, "-p", os.getpid(), "-e", "cpu-clock", "--timeout", 300)["total"]
    assert outside["kept"] == 0


@pytest.mark.parametrize("code, args, words", [
    (USAGE, ["-F", "0"], "from 1 to"),
    (USAGE, ["-F", "fast"], "whole number"),
    (USAGE, ["-F", "4000000000"], "perf_event_max_sample_rate"),
    (USAGE, ["-c", "-1"], "whole number"),
    (CONFLICT, ["-F", "9", "-c", "9"], "-F and -c cannot be combined"),
    (CONFLICT, ["--annotate"], "give -b too"),
    (USAGE, ["--map-size", "0"], "from 1 to"),
    (CONFLICT, ["-x,", "-j"], "choose one format"),
    (CONFLICT, ["-p", "1", "-G", "/"], "or a list of tasks"),
    (CONFLICT, ["--interval-count", "3"], "give -I too"),
    (USAGE, ["-b", "nonsense"], "is not the id of a BPF program"),
    (USAGE, ["-b", "4294967295"], "no BPF program has the id"),
    (USAGE, ["-b", "name:there_is_none"], "no such BPF program"),
    (USAGE, ["-b", "1", "-e", "cpu-clock:u"], "BPF programs run in the kernel"),
    (USAGE, ["-e", "duration_time"], "pstat reads its value itself"),
    (USAGE, ["-e", "cpu-clock:b"], "modifier b"),
    (USAGE, ["-e", "no-such-event"], "no-such-event"),
])
def test_bad_lines_are_refused_and_create_no_file(scratch, code, args, words):
    done = run("profile", "-o", "file", *args, "true")
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert words in done.stderr and done.stderr.startswith(("pstat: ", "event")), done.stderr
    assert not os.listdir(scratch)


def test_only_the_tasks_of_the_cgroup_are_sampled(cgroup, spawn):
    group = cgroup("sampled")
    inside = spawn(native.inside(group, *workload("spin", 10**12)))
    outside = spawn(workload("spin", 10**12))
    wait_for("it is in the group", lambda:
             (native.cgroup_mount() / group / "cgroup.procs").read_text(encoding="ascii"))
    found = objects("-a", "--folded", "-G", group, "--timeout", 500)
    pids = {row["pid"] for row in found["stack"]} - {0}
    assert pids == {inside.pid} and outside.poll() is None
    end(inside)


def test_a_tracepoint_is_refused(madvise):
    done = run("profile", "-e", madvise, "true")
    assert done.returncode == USAGE and "do not receive the address" in done.stderr


def test_a_command_that_does_not_exist_is_reported(scratch):
    done = run("profile", "-o", "file", "-e", "cpu-clock", "./nothing")
    assert done.returncode == 127 and not os.listdir(scratch)


def test_the_profile_goes_to_stderr_if_the_output_of_the_command_is_discarded():
    with open(os.devnull, "w", encoding="ascii") as null:
        done = run("profile", "-e", "cpu-clock", *workload("spin", 1), stdout=null,
                   stderr=subprocess.PIPE)
        alone = run("profile", "-a", "-e", "cpu-clock", "--timeout", 50, stdout=null,
                    stderr=subprocess.PIPE)
    assert "# cpu-clock, 997 times a second" in done.stderr
    assert "# cpu-clock" not in alone.stderr


def test_a_file_named_by_a_hyphen_is_stdout(scratch):
    done = run("profile", "-o", "-", "--folded", "-j", "-e", "cpu-clock", "true")
    assert done.returncode == 0 and '"kind" : "total"' in done.stdout, done
    assert not os.listdir(scratch)
