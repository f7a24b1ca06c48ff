# SPDX-License-Identifier: GPL-2.0-only
"""Counting through BPF on this machine's own kernel. If the kernel supports trampolines for BPF
programs, sessions share counters; otherwise, each session has its own."""

import os
import re
import subprocess
import time

import pytest

import native
from controlled import Controlled
from native import (CONFLICT, FAILED, PSTAT, bpftool, children_of, counted_until_used, cpu_seconds,
                    csv_rows, csv_values, online_cpus, run, start, wait_for, wait_for_cpu_time,
                    workload)

THREE = "task-clock,task-clock:b,task-clock"
MAP = "/sys/fs/bpf/perf_attr_map"
LOCK = "/run/pstat.lock"


pytestmark = pytest.mark.usefixtures("own_pins")


@pytest.fixture(scope="module", autouse=True)
def allowed():
    """Skips the tests if the user is not root. Each test checks what pstat reports about
    sharing."""
    if os.geteuid():
        pytest.skip("probe: not root")


def triples(text):
    """Returns [(native, bperf, native)] for THREE, once or for each interval."""
    flat = [
        float(row[0]) for row in csv_rows(text) if len(row) > 2 and row[2].startswith("task-clock")
    ]
    assert flat and len(flat) % 3 == 0, text
    return list(zip(flat[::3], flat[1::3], flat[2::3]))


def near(first, bperf, second):
    """Checks that the counts differ by at most 3 %, or by twice the difference between the two
    native events."""
    margin = max(0.03 * first, 2 * abs(first - second), 0.1)
    return min(first, second) - margin <= bperf <= max(first, second) + margin


def check(*args):
    """Checks counts of CPUs. With --timeout, pstat runs with priority, so that other processes do
    not delay it. A command would inherit the priority, so pstat has none if there is a command."""
    urgent = {"preexec_fn": native.urgent} if "--timeout" in args else {}
    done = run("-x,", "-e", THREE, *args, **urgent)
    assert done.returncode == 0, done.stderr
    assert all(near(*three) for three in triples(done.stderr)), done.stderr


def check_task(pid, *args):
    """Checks counts of a process that runs, or of one of its threads."""
    text = counted_until_used(0.1, pid, "-x,", "-e", THREE, *args, preexec_fn=native.urgent)
    assert all(near(*three) for three in triples(text)), text


def test_pstat_reports_whether_counters_are_shared_and_why_not():
    word = native.modes()["--bpf-counters"]
    done = run("-v", "--bpf-counters", "-e", "cs", "true")
    assert done.returncode == 0, done.stderr
    if "not shared" in word:
        reason = re.search(r"not shared: (.*?)\)?$", word)[1]
        assert re.search(r"^pstat: .*not shared", done.stderr,
                         re.M) and reason[:20] in done.stderr, done.stderr
    else:
        assert re.search(r"^pstat: counters are shared", done.stderr, re.M), done.stderr


def test_a_given_map_that_is_not_used_is_reported():
    if "not shared" not in native.modes()["--bpf-counters"]:
        pytest.skip("probe: pstat --version -vv: --bpf-counters: "
                    f"{native.modes()['--bpf-counters']}: a map is used here")
    done = run("--bpf-counters", "--bpf-attr-map", "/no-such/map", "-e", "cs", "true")
    lines = done.stderr.splitlines()
    assert done.returncode == 0 and lines[0].startswith(
        "pstat: counters are not shared: "), done.stderr
    assert lines[1] == "       pstat ignores --bpf-attr-map /no-such/map"
    assert "pstat:" not in run("--bpf-counters", "-e", "cs", "true").stderr


def test_a_command_a_process_and_a_thread_are_counted(spinner, threads):
    check(*workload("spin", "--ms", 200))
    pid = spinner().pid
    check_task(pid, "-p", pid)
    target = threads()
    check_task(target.pid, "-t", target.ask("spin"))
    check_task(target.pid, "-p", target.pid)


def test_all_cpus_together_and_each_cpu_are_counted():
    check("-a", "--timeout", 300)
    check("-C", online_cpus()[-1], "--timeout", 300)
    done = run("-x,", "-a", "-A", "-e", "cpu-clock,cpu-clock:b,cpu-clock", "--timeout", 300)
    clocks = {}
    for row in csv_rows(done.stderr):
        if row[0].startswith("CPU"):
            clocks.setdefault(row[0], []).append(float(row[1]))
    assert list(clocks) == [f"CPU{cpu}" for cpu in online_cpus()], done.stderr
    assert all(near(*three) and three[0] > 299 for three in clocks.values()), done.stderr


@pytest.mark.parametrize("argv", [("forks", 200000), ("forks", "--fast", 300),
                                  ("threads", 8, 3000000), ("threads", "--leave", 3, 10000000),
                                  ("threads", "--exec", "sleep", "0.1"),
                                  ("faults", "--children", 5, 2000)],
                         ids=lambda argv: " ".join(map(str, argv)))
def test_commands_that_fork_and_exec_are_counted(argv):
    check(*workload(*argv))


def test_children_are_not_counted_with_no_inherit():
    done = run("-x,", "-i", "-e", "page-faults,page-faults:b",
               *workload("faults", "--children", 3, 2000))
    first, second = csv_values(done.stderr).values()
    assert abs(first - second) <= 8 and first < 1000
    done = run("-x,", "-e", "page-faults,page-faults:b", *workload("faults", "--children", 3, 2000))
    first, second = csv_values(done.stderr).values()
    assert abs(first - second) <= 8 and first > 6000


def test_a_short_command_has_the_count_of_the_native_event():
    for _ in range(5):
        values = csv_values(run("-x,", "-e", "cs,cs:b,page-faults,page-faults:b", "true").stderr)
        assert values["cs:b"] == values["cs"]
        assert values["page-faults:b"] == pytest.approx(values["page-faults"], rel=0.02)


def test_if_only_switches_are_counted_the_count_ends_where_the_native_count_ends():
    """Tasks are interrupted during their exit. Both counts exclude what a task does after the
    kernel has ended its own count."""
    release = tuple(
        int(number) for number in re.match(r"(\d+)\.(\d+)",
                                           os.uname().release).groups())
    if release < (6, 16):
        pytest.skip(f"probe: Linux {os.uname().release} ends its counts at a point "
                    "without a tracepoint, unlike 6.16")
    for _ in range(12):
        text = run("-x,", "-e", "cs,cs:b,cs", *workload("forks", "--fast", 300)).stderr
        first, bperf, second = (int(row[0]) for row in csv_rows(text)
                                if len(row) > 2 and row[2].startswith("cs"))
        # The counts are equal, unless one of the native events was enabled or disabled a moment
        # later than the other.
        assert min(first, second) <= bperf <= max(first, second), text


def test_intervals_add_up(spinner):
    done = run("-x,", "-I", 100, "--interval-count", 4, "-e", THREE, "-p",
               spinner().pid, preexec_fn=native.urgent)
    rows = [
        0 if row[1] == "<not counted>" else float(row[1]) for row in csv_rows(done.stderr)
        if len(row) > 3 and row[3].startswith("task-clock")
    ]
    assert len(rows) == 12
    assert near(sum(rows[::3]), sum(rows[1::3]), sum(rows[2::3])), done.stderr
    # On a busy machine, the task may not run in an interval.
    assert all(bperf > 0 or not native for native, bperf in zip(rows[::3], rows[1::3])), done.stderr


def test_an_interval_on_busy_cpus_counts_what_ran_in_it(spinner):
    for cpu in online_cpus() * 3:
        spinner(cpu)
    late = []
    # A reading can be late if other processes need the CPU. If pstat loses the CPU in the middle of
    # a reading, several counts are read late.
    while len(late) < 3 and not (late and late[-1] < 0.02):
        done = run("-x,", "-a", "-I", 50, "--interval-count", 40, "-e", "task-clock,task-clock:b")
        rows = [
            float(row[1]) for row in csv_rows(done.stderr)
            if len(row) > 3 and row[3].startswith("task-clock")
        ]
        assert len(rows) == 80, done.stderr
        late.append(
            sorted(abs(bperf - kernels) / kernels
                   for kernels, bperf in zip(rows[::2], rows[1::2]))[-2])
    assert late[-1] < 0.02, (late, done.stderr)


def test_repetitions_have_the_same_mean_as_natively():
    done = run("-x,", "-r", 3, "-e", THREE, *workload("spin", "--ms", 60))
    assert near(*triples(done.stderr)[0]), done.stderr


def test_counts_obey_delays_and_control_commands(spinner):
    check("-D", 100, *workload("spin", "--ms", 300))
    pid = spinner().pid
    least = most = 0
    with Controlled("-x,", "-D", -1, "-e", THREE, "-p", pid) as pstat:
        for _ in range(2):
            asked = time.monotonic()
            pstat.ask("enable")
            on = wait_for_cpu_time(pid, 0.05)
            off = cpu_seconds(pid)
            pstat.ask("disable")
            least, most = least + off - on, most + time.monotonic() - asked
            wait_for_cpu_time(pid, 0.1)
        pstat.ask("stop")
        done = pstat.end()
    # the minimum is the CPU time after the answer to `enable` and before `disable`, and the maximum
    # is the time from `enable` to the answer to `disable`
    assert all(950 * least <= clock <= 1000 * most + 0.1
               for clock in triples(done.stderr)[0]), (least, most, done.stderr)


def test_each_thread_has_a_row(threads):
    target = threads()
    spins, sleeps = target.ask("spin"), target.ask("sleep")
    text = counted_until_used(0.1, target.pid, "-x,", "--per-thread", "-p", target.pid, "-e",
                              "task-clock,task-clock:b", preexec_fn=native.urgent)
    clocks = {}
    for row in csv_rows(text):
        if len(row) > 3 and row[3].startswith("task-clock"):
            clocks.setdefault(int(row[0].rpartition("-")[2]),
                              []).append(0 if row[1].startswith("<") else float(row[1]))
    assert set(clocks) >= {target.pid, spins, sleeps}, text
    assert clocks[spins][1] == pytest.approx(clocks[spins][0], rel=0.03,
                                             abs=0.5) and clocks[spins][1] > 90
    assert clocks[sleeps][1] < 1


def test_a_task_has_a_separate_count_for_each_cpu(spinner):
    cpu = online_cpus()[-1]
    pid = spinner(cpu).pid
    text = counted_until_used(0.1, pid, "-x,", "-A", "--bpf-counters", "-e", "task-clock", "-p",
                              pid)
    rows = {row[0]: row[1] for row in csv_rows(text) if row[0].startswith("CPU")}
    assert len(rows) == len(online_cpus()), text
    for name, clock in rows.items():
        if name == f"CPU{cpu}":
            assert float(clock) > 90
        else:
            assert clock.startswith("<") or float(clock) < 1


def test_a_group_of_events_is_counted_whole(spinner):
    pid = spinner().pid
    text = counted_until_used(0.1, pid, "-x,", "-e", "{task-clock,page-faults}:b,task-clock", "-p",
                              pid, preexec_fn=native.urgent)
    rows = [row for row in csv_rows(text) if len(row) > 4]
    assert [row[4] for row in rows] == ["100.00"] * 3, text
    assert float(rows[0][0]) == pytest.approx(float(rows[2][0]), rel=0.03, abs=0.3)


def test_the_number_of_events_is_not_limited():
    events = [
        f"{name}:{modifier}b" for name in ("task-clock", "cs", "page-faults", "minor-faults",
                                           "major-faults", "migrations")
        for modifier in ("", "u", "k")
    ]
    done = run("-x,", "-e", ",".join(events), *workload("faults", 500))
    assert done.returncode == 0, done.stderr
    assert len(csv_values(done.stderr)) == len(events)


def test_a_session_that_is_killed_leaves_no_program(spinner):
    pid = spinner().pid

    def programs():
        """Returns this pstat's own programs at the context switch. Other sessions on the machine
        may also have some."""
        return {
            prog["id"] for prog in bpftool("prog", "show")
            if re.match(r"(on_switch|on_fork|on_exit\w*|on_exec|follow)\b", prog.get("name", ""))
        }

    before = programs()
    with start("--bpf-counters", "-I", 10, "-x,", "-e", "cs,task-clock", "-p", pid) as process:
        process.stderr.readline()
        assert programs() - before
        process.kill()
    assert children_of(process.pid) == []
    wait_for("its programs are gone", lambda: not programs() - before)


def test_with_only_cap_bpf_and_cap_perfmon_pstat_counts_without_map_and_lock(for_all):
    argv = [
        f"{for_all}/with-caps", "bpf,perfmon", f"{for_all}/pstat", "-v", "-x,", "-e", THREE, "-a",
        "--timeout", "300"
    ]
    there = [path for path in (MAP, LOCK) if os.path.exists(path)]
    times = [os.stat(path).st_mtime_ns for path in there]
    done = subprocess.run(argv, capture_output=True, text=True, check=False,
                          env={**os.environ, **native.IN_C}, cwd="/")
    if "perf_event_paranoid" in done.stderr and done.returncode:
        pytest.skip(f"probe: with-caps bpf,perfmon pstat -e task-clock -a: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert "CAP_SYS_ADMIN" in done.stderr or "not shared" in done.stderr
    values = [
        row for row in csv_rows(done.stderr) if len(row) > 4 and row[2].startswith("task-clock")
    ]
    assert near(*(float(row[0]) for row in values)), done.stderr
    assert [path for path in (MAP, LOCK) if os.path.exists(path)] == there
    assert [os.stat(path).st_mtime_ns for path in there] == times


def test_without_any_capability_pstat_names_what_is_missing(for_all):
    argv = [
        "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all",
        f"{for_all}/pstat", "--bpf-counters", "-e", "task-clock", "true"
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=False,
                          env={**os.environ, **native.IN_C}, cwd="/")
    assert done.returncode == FAILED, done.stderr
    assert re.search(r"CAP_BPF|as root", done.stderr), done.stderr
    assert "Performance counter stats" not in done.stderr


@pytest.mark.parametrize("args", [("-e", "cs:b", "-b", 1), ("-e", "{cs:b,task-clock}")], ids=str)
def test_options_that_cannot_be_combined_are_refused(args):
    done = run(*args, "true")
    assert done.returncode == CONFLICT, done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("more", [(), ("--bpf-counters",)], ids=["native", "bperf"])
def test_the_reason_why_nothing_was_counted_is_that_of_the_event(more):
    if run("-e", "LLC-prefetch-misses", "true").stderr.count("nothing could be counted") == 0:
        pytest.skip("probe: this machine has LLC-prefetch-misses")
    done = run(*more, "-e", "{cs,LLC-prefetch-misses}", "true")
    assert "nothing could be counted: the kernel refused event 2 of 2" in done.stderr, done.stderr
