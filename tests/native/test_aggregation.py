# SPDX-License-Identifier: GPL-2.0-only
"""Rows for CPUs, sockets, threads and cgroups on this machine. Each row must be the sum of the
correct counts."""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import time

import pytest

from native import (PATIENCE, PSTAT, USAGE, counted_until_used, csv_rows, csv_values, inside,
                    online_cpus, run, start, std_count, wait_for_cpu_time, wait_until_counting,
                    why_not, workload)

CLOCK = ["-x,", "-e", "task-clock"]
TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/{}"


def place(cpu, file):
    return int(pathlib.Path(TOPOLOGY.format(cpu, file)).read_text(encoding="ascii"))


def is_the_time_it_was_counted(msec, running):
    """Checks whether the count of a CPU clock is equal to the event's running time."""
    return float(msec) == pytest.approx(int(running) / 1e6, rel=0.05)


def test_without_aggregation_each_cpu_has_its_row():
    rows = csv_rows(run("-x,", "-a", "-A", "-e", "task-clock", "--timeout", 100).stderr)
    assert [row[0] for row in rows] == [f"CPU{cpu}" for cpu in online_cpus()]
    assert all(is_the_time_it_was_counted(row[1], row[4]) and float(row[1]) > 99
               for row in rows), rows


def test_a_task_that_bpf_counts_has_a_row_for_each_cpu(spinner, own_pins):
    """Only the CPU to which the task is bound has a count."""
    if why_not("--bpf-counters"):
        pytest.skip(f"probe: pstat --version -vv: --bpf-counters: {why_not('--bpf-counters')}")
    cpu = online_cpus()[-1]
    pid = spinner(cpu).pid
    argv = [*CLOCK, "--bpf-counters", "-p", pid]
    rows = csv_rows(counted_until_used(0.05, pid, *argv, "-A"))
    assert {row[0]: float(row[1]) > 0 for row in rows
            if row[1] != "<not counted>"} == {f"CPU{cpu}": True}
    assert [row[0] for row in rows] == [f"CPU{other}" for other in online_cpus()]
    assert sum(
        int(row[1]) for row in csv_rows(counted_until_used(0.05, pid, *argv, "--per-socket"))
    ) >= len(online_cpus())


def test_only_the_requested_cpus_have_rows():
    cpu = online_cpus()[-1]
    rows = csv_rows(run("-x,", "-C", cpu, "--no-merge", "-e", "cs", "--timeout", 50).stderr)
    assert [row[0] for row in rows] == [f"CPU{cpu}"]


def test_a_command_that_is_bound_to_a_cpu_is_counted_on_this_cpu_only(madvise):
    cpus = online_cpus()
    for cpu in cpus:
        rows = csv_rows(
            run(
                "-x,", "-a", "-A", "-e", madvise, "taskset", "-c", cpu, *workload("faults", 5000)
            ).stderr
        )
        counts = {row[0]: int(row[1]) for row in rows}
        assert counts[f"CPU{cpu}"] >= 5000
        assert all(counts[f"CPU{other}"] < 5000 for other in cpus if other != cpu)


@pytest.mark.parametrize("option, file, name", [("--per-socket", "physical_package_id", "S{}"),
                                                ("--per-core", "core_id", None)])
def test_an_aggregate_is_followed_by_the_number_of_its_cpus(option, file, name):
    rows = csv_rows(run("-x,", "-a", option, "-e", "task-clock", "--timeout", 100).stderr)
    assert sum(int(row[1]) for row in rows) == len(online_cpus())
    if name:
        assert {row[0] for row in rows} == {name.format(place(cpu, file)) for cpu in online_cpus()}
    assert all(
        is_the_time_it_was_counted(row[2], row[5]) and float(row[2]) > 99 * int(row[1])
        for row in rows), rows


def test_caches_are_named_by_level_and_lowest_cpu():
    rows = csv_rows(run("-x,", "-a", "--per-cache=L1", "-e", "cs", "--timeout", 50).stderr)
    assert all(re.fullmatch(r"S\d+-D\d+-L1-ID\d+", row[0]) for row in rows)
    assert sum(int(row[1]) for row in rows) == len(online_cpus())


def test_a_level_that_no_cache_has_is_refused():
    levels = {path.read_text(encoding="ascii").strip()
              for path in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/level")}
    missing = next(level for level in "4321" if level not in levels) if len(levels) < 4 else None
    if not missing:
        pytest.skip("probe: /sys/devices/system/cpu/cpu0/cache: caches of all four levels")
    done = run("-a", f"--per-cache=L{missing}", "true")
    assert (done.returncode,
            done.stderr) == (USAGE,
                             "pstat: --per-cache: the CPUs of this machine have no cache of this "
                             "level\n")


# ---- threads ----


def thread_rows(text):
    """Parses -x, --per-thread. Returns {tid: count}, where the count is None if it is not
    counted."""
    rows = {}
    for row in csv_rows(text):
        rows[int(row[0].rpartition("-")[2])] = None if row[1].startswith("<") else float(row[1])
    return rows


def test_each_thread_has_its_row(threads):
    target = threads()
    spins, sleeps = target.ask("spin"), target.ask("sleep")
    text = counted_until_used(0.05, target.pid, *CLOCK, "-p", target.pid, "--per-thread")
    rows = thread_rows(text)
    assert set(rows) == {target.pid, spins, sleeps}
    assert rows[sleeps] is None and rows[target.pid] is None and rows[spins] >= 45
    assert all(row[0].startswith("threads-") for row in csv_rows(text))


def test_the_threads_that_t_names_have_rows(threads):
    target = threads()
    tids = [target.ask("spin"), target.ask("sleep")]
    rows = thread_rows(
        run("-x,", "-t", ",".join(map(str, tids)), "--per-thread", "-e", "task-clock", "--timeout",
            50).stderr)
    assert set(rows) == set(tids)


def test_a_thread_that_begins_later_counts_with_the_thread_that_started_it(threads):
    target = threads()
    first = target.ask("sleep")
    rows = thread_rows(
        counted_until_used(0.05, target.pid, *CLOCK, "-p", target.pid, "--per-thread",
                           first=lambda: target.ask("spin")))
    assert rows[target.pid] >= 45 and rows[first] is None


def test_a_thread_that_ends_keeps_its_count(threads):
    target = threads()
    spins = target.ask("spin")
    with start("-x,", "-p", target.pid, "--per-thread", "-e", "task-clock") as process:
        wait_until_counting(process)
        wait_for_cpu_time(target.pid, 0.05)
        target.ask("end")
        target.process.stdin.close()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert thread_rows(err)[spins] >= 45


@pytest.mark.parametrize("args", [["-a", "--per-thread"], ["--per-thread"]])
def test_the_threads_of_the_system_that_ran_have_rows(args, spinner):
    spins = spinner().pid
    text = counted_until_used(0.05, spins, *CLOCK, *args)
    assert thread_rows(text)[spins] >= 45
    assert "<not counted>" not in text
    assert "for 'system wide'" in run(*args, "-e", "task-clock", "--timeout", 20).stderr


def test_threads_have_rows_in_the_order_that_perf_uses(spawn):
    """All threads of an event come before the next event. Only the first thread has a row with a
    value that belongs to no thread, but the metrics of each thread use this value."""
    code = (
        "import threading, time\nfor _ in range(2): threading.Thread(target=time.sleep, args=(60,)"
        ", daemon=True).start()\nprint(flush=True)\ntime.sleep(60)"
    )
    process = spawn(["/usr/bin/python3", "-c", code], stdout=subprocess.PIPE)
    process.stdout.readline()
    tids = sorted(map(int, os.listdir(f"/proc/{process.pid}/task")))
    for hooks in (), ("--pre", "false"):
        done = run(*hooks, "-x,", "-p", process.pid, "--per-thread", "-e",
                   "cs,duration_time,faults", "--timeout", 20)
        rows = [line.split(",") for line in done.stderr.splitlines() if line.startswith("python3-")]
        found = [(row[3], int(row[0].rpartition("-")[2])) for row in rows]
        wall = [] if hooks else [("duration_time", tids[0])]
        assert found == [("cs", t) for t in tids] + wall + [("faults", t) for t in tids]


def test_a_name_with_a_comma_and_quotes_stays_one_field(spawn):
    script = (
        "import ctypes, time; ctypes.CDLL(None).prctl(15, b'a,\\\"b'); print(flush=True);"
        " time.sleep(60)"
    )
    process = spawn(["/usr/bin/python3", "-c", script], stdout=subprocess.PIPE)
    process.stdout.readline()
    done = run("-x,", "-p", process.pid, "--per-thread", "-e", "cs", "--timeout", 20)
    assert done.stderr.startswith(f'"a,""b-{process.pid}",')


@pytest.mark.parametrize("args", [(), ("-A", ), ("--per-core", ), ("-I", 50, "--interval-count", 2),
                                  ("-r", 2)], ids=str)
def test_the_header_of_csv_has_a_name_for_each_field(args):
    done = run("-x;", "--csv-header", "-a", *args, "-e", "cs,task-clock", "sleep", "0.2")
    header, *rows = [line.split(";") for line in done.stderr.splitlines()]
    assert header.count("event") == 1 and len(set(header)) == len(header)
    assert rows and all(len(row) == len(header) for row in rows)
    assert {row[header.index("event")].split(" [")[0] for row in rows} == {"cs", "task-clock"}


def test_rows_of_events_that_did_not_occur_can_be_hidden():
    events = "alignment-faults,page-faults:u,999:1,emulation-faults"
    for args in ((), ("-j",), ("-x,",)):
        every, shown = (
            run(*args, "-e", events, "true").stderr,
            run(*args, "--hide-zero", "-e", events, "true").stderr,
        )
        assert [name for name in events.split(",") if name in every] == events.split(",")
        assert [name for name in events.split(",") if name in shown] == ["page-faults:u", "999:1"]


# ---- cgroups ----


def test_only_the_tasks_of_the_cgroup_are_counted(cgroup, madvise):
    group, empty = cgroup("a"), cgroup("b")
    faults = inside(group, *workload("faults", 3000))
    done = run("-x,", "-a", "-e", f"{madvise},{madvise},{madvise}", "-G", f"{group},{empty},",
               *faults)
    rows = csv_rows(done.stderr)
    assert [row[3] for row in rows] == [group, empty, ""]
    assert rows[0][0] == "3000" and rows[1][0] == "<not counted>" and int(rows[2][0]) >= 3000


def test_a_cgroup_that_ran_without_the_event_counts_zero(cgroup, madvise):
    group = cgroup("a")
    rows = csv_rows(
        run(
            "-x,", "-a", "-e", madvise, "-G", group, *inside(group, *workload("spin", "--ms", 20))
        ).stderr
    )
    assert rows[0][0] == "0"


def test_a_single_cgroup_applies_to_all_events_before_it(cgroup):
    group = cgroup("a")
    rows = csv_rows(
        run("-x,", "-a", "-e", "cs,page-faults", "-e", "task-clock", "-G", group, "true").stderr)
    assert [row[3] for row in rows] == [group] * 3
    rows = csv_rows(run("-x,", "-a", "-e", "cs", "-G", group, "-e", "task-clock", "true").stderr)
    assert [row[3] for row in rows] == [group, ""]
    rows = csv_rows(run("-x,", "-a", "-G", group, "true").stderr)
    assert {row[3] for row in rows} == {group} and len(rows) >= 8


def test_each_cgroup_has_all_events(cgroup, madvise):
    groups = [cgroup("a"), cgroup("b")]
    script = "; ".join(f"( {shlex.join(inside(group, *workload('faults', 100 * (n + 1))))} )"
                       for n, group in enumerate(groups))
    done = run("-x,", "-a", "--for-each-cgroup", ",".join(groups), "-e", f"{madvise},task-clock",
               "sh", "-c", script)
    rows = csv_rows(done.stderr)
    assert [(row[2], row[3]) for row in rows] == [(event, group) for group in groups
                                                  for event in (madvise, "task-clock")]
    assert [rows[0][0], rows[2][0]] == ["100", "200"]


def test_time_before_the_count_does_not_scale_counts(spinner):
    """The clock of a cgroup on a CPU stops while no event of a cgroup is on the CPU. Later it
    jumps, and pstat must not mistake this jump for time without a counter."""
    process = spinner(cpu=0)
    with start("-e", "cs", "-p", process.pid) as other:
        wait_until_counting(other)
        time.sleep(1)
        rows = csv_rows(
            run("-x,", "-C", 0, "-e", "task-clock,duration_time", "-G", "/", "sleep", "0.2").stderr)
        other.send_signal(signal.SIGINT)
    assert float(rows[0][0]) * 1e6 == pytest.approx(float(rows[1][0]), rel=0.1), rows


def test_cgroups_can_have_a_row_for_each_cpu(cgroup):
    group = cgroup("a")
    rows = csv_rows(run("-x,", "-a", "-A", "-e", "cs", "-G", group, "true").stderr)
    assert [(row[0], row[4]) for row in rows] == [(f"CPU{cpu}", group) for cpu in online_cpus()]


# ---- events that the user or the PMU cannot count ----


def test_a_user_who_may_not_count_the_kernel_counts_user_space_and_is_warned(as_nobody):
    done = as_nobody("-e", "page-faults,{task-clock,cs}", "true")
    assert done.returncode == 0
    assert re.findall(r"^ +[\d.]+ (?:msec)? *(\S+) ", done.stderr,
                      re.M)[:3] == ["page-faults:u", "task-clock:u", "cs:u"]
    told = as_nobody("-v", "-e", "page-faults", "true").stderr
    assert "page-faults: this user may not count the kernel" in told
    assert re.search(r"^page-faults:u: \d+ \d+ \d+$", told, re.M), "and so do its readings"


def test_an_event_of_the_kernel_is_refused_to_users_who_may_not_count_the_kernel(as_nobody):
    done = as_nobody("-e", "page-faults:k", "true")
    assert done.returncode == 255
    assert done.stderr == ("pstat: page-faults:k: cannot be opened (EACCES: not allowed for this "
                           "user: kernel.perf_event_paranoid is 2)\n"
                           "       run pstat as root or with CAP_PERFMON, or count user space only "
                           "(:u)\n")


def test_all_cpus_are_refused_to_users_without_permission(as_nobody):
    done = as_nobody("-a", "-e", "cs", "true")
    assert done.returncode == 255
    assert "EACCES" in done.stderr
    for event in ("cs", "cs:u"):
        told = as_nobody("-a", "-e", event, "true").stderr
        assert "kernel.perf_event_paranoid is 2)" in told
        assert (
            "or allow this to all users (sysctl kernel.perf_event_paranoid=0)" in told
            and ":u)" not in told
        )


@pytest.mark.parametrize("event", ["cs", "cs:u"])
def test_that_a_task_belongs_to_another_user_is_reported(as_nobody, event):
    done = as_nobody("-p", os.getpid(), "-e", event)
    assert done.returncode == 255
    assert re.fullmatch(
        rf"pstat: {event}: cannot be opened \(EACCES: .* is 2\)\n       task \d+ "
        r"belongs to another user: run pstat as .*\n", done.stderr)


def test_a_tracepoint_that_the_user_may_not_read_is_refused_with_advice(tracefs, as_nobody):
    done = as_nobody("-e", "sched:sched_switch", "true")
    assert done.returncode == 129
    assert "no permission to read" in done.stderr and re.search("mode=755|chmod a\\+r", done.stderr)


def test_a_probe_that_does_not_exist_is_refused_with_the_command_that_makes_it(tracefs):
    for system, is_of_probes in (
        ("probe", True),
        ("probe_true", True),
        ("kprobes", True),
        ("shed", False),
    ):
        if (tracefs / "events" / system).exists():
            pytest.skip(f"probe: {tracefs}/events/{system}: such probes exist")
        done = run("-e", f"{system}:no_such_one", "true")
        assert done.returncode == USAGE and f"unknown tracepoint system '{system}'" in done.stderr
        assert ("Create a probe before counting it" in done.stderr) == is_of_probes


def test_events_are_opened_with_the_modifiers_that_the_kernel_allows(as_nobody):
    """If the kernel cannot be counted, only user space is counted."""
    assert re.search(r"^  perf events +yes, in user space",
                     as_nobody("--version", "-vv").stdout, re.M)
    events = json.loads(as_nobody("list", "--check", "-j", "page-faults", "task-clock").stdout)
    assert [event["Opens"] for event in events] == ["in user space"] * 2
    assert (
        "[Software event] can be opened in user space (:u)\n"
        in as_nobody("list", "--check", "page-faults").stdout
    )
    assert json.loads(run("list", "--check", "-j", "page-faults").stdout)[0]["Opens"] == "yes"


def test_an_event_that_its_pmu_refuses_does_not_affect_events_of_other_pmus():
    """The PMU msr refuses modifiers. Like perf, pstat removes events of other PMUs from a group."""
    if not os.path.isdir("/sys/bus/event_source/devices/msr"):
        pytest.skip("probe: /sys/bus/event_source/devices/msr")
    weak, strong = (csv_rows(run("-x,", "-e", "{page-faults:u,msr/tsc/u}" + suffix, "true").stderr)
                    for suffix in (":W", ""))
    for rows in (weak, strong):
        assert [(row[0].isdigit(), row[2]) for row in rows] == [(False, "msr/tsc/u"),
                                                                (True, "page-faults:u")]


def test_a_weak_group_that_the_kernel_refuses_is_counted_event_by_event():
    """The kernel refuses a pinned event that is not the leader of its group."""
    group = "{page-faults:u,cs:D}"
    weak, strong = (csv_rows(run("-x,", "-e", group + suffix, "true").stderr)
                    for suffix in (":W", ""))
    assert all(row[0].isdigit() for row in weak) and len(weak) == 2
    assert [row[0] for row in strong if len(row) > 3] == ["<not counted>", "<not supported>"]
    assert "the weak group of page-faults:u and 1 more events cannot be counted at once" in run(
        "-v", "-e", group + ":W", "true").stderr


def test_the_limit_of_open_files_is_raised():
    """120 events need more than 100 files. Without the capability, no user can raise the hard
    limit."""
    target = ",".join(["page-faults:u"] * 120)
    done = subprocess.run([
        "sh", "-c", 'ulimit -n 100; exec "$@"', "sh", "setpriv", "--bounding-set=-sys_resource",
        "--inh-caps=-sys_resource", PSTAT, "-e", target, "touch", "it-ran"
    ], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 255
    first, second = done.stderr.splitlines()[:2]
    needed = int(
        re.fullmatch(
            r"pstat: 120 events × 1 threads: (\d+) open files are needed, but "
            r"this process may open only 100",
            first,
        )[1]
    )
    assert 120 < needed < 300
    assert f"ulimit -n {needed}" in second
    assert not os.path.exists("it-ran")


def test_the_soft_limit_on_open_files_is_raised():
    events, tell = ",".join(["page-faults"] * 120), "ulimit -n"
    done = subprocess.run([
        "sh", "-c", 'ulimit -S -n 50; exec "$@"', "sh", PSTAT, "-x,", "-e", events, "-r", "2",
        "--pre", tell, "--post", tell, "sh", "-c", tell
    ], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0
    assert len(csv_rows(done.stderr)) == 120
    # the limit applies to pstat, not to its command
    assert done.stdout == "50\n" * 6


# ---- filters ----


def test_a_filter_passes_exactly_the_matching_events(madvise):
    all_calls, none = (csv_values(
        run("-x,", "-e", madvise, "--filter", text, *workload("faults", 400)).stderr)[madvise]
                       for text in ("start != 0", "start == 0"))
    assert (all_calls, none) == (400, 0)


def test_filters_are_combined_and_apply_to_the_events_before_them(madvise):
    done = run("-x,", "-e", madvise, "--filter", "start != 0", "--filter", "start == 0", "-e",
               f"{madvise},page-faults", *workload("faults", 400))
    rows = csv_rows(done.stderr)
    assert [int(row[0]) for row in rows[:2]] == [0, 400] and int(rows[2][0]) >= 400


def test_a_filter_that_the_kernel_does_not_accept_is_reported(madvise):
    done = run("-e", madvise, "--filter", "nosuchfield == 1", "touch", "it-ran")
    assert done.returncode == 255
    assert done.stderr.startswith(
        f"pstat: {madvise}: the kernel refuses the filter 'nosuchfield == 1' "
        "(Invalid argument): ")
    assert not os.path.exists("it-ran")


def test_user_and_kernel_together_are_the_whole_count():
    done = run("--all-user", "-e", "page-faults", "true")
    assert std_count(done.stderr, "page-faults") > 0
    kernel = run("--all-kernel", "-e", "page-faults", "true")
    both = run("-e", "page-faults", "true")
    parts = [std_count(one.stderr, "page-faults") for one in (done, kernel, both)]
    assert abs(parts[0] + parts[1] - parts[2]) <= 16


def test_the_largest_events_come_first(tracefs):
    """write(2) is called often, getppid(2) is not called, and 1:999 does not exist."""
    del tracefs
    events = "1:999,syscalls:sys_enter_getppid,syscalls:sys_enter_write,task-clock"
    for extra in ([], ["-r", "2"]):
        done = run("-x,", *extra, "-e", events, "--top", "2", *workload("access", 0, 0, 0, 700))
        names = [row[2] for row in csv_rows(done.stderr)]
        assert names == ["syscalls:sys_enter_write", "task-clock"], done.stderr
    rows = csv_rows(run("-x,", "-e", events, "--top", 9, *workload("access", 0, 0, 0, 7)).stderr)
    assert rows[-1][2] == "1:999" and rows[-2][:3] == ["0", "", "syscalls:sys_enter_getppid"], rows


def test_the_largest_events_of_each_cpu_have_rows():
    done = run("-x,", "-a", "-A", "--top", "1", "-e", "cpu-migrations,cpu-clock,minor-faults",
               "sleep", "0.2")
    rows = csv_rows(done.stderr)
    cpus = [f"CPU{cpu}" for cpu in online_cpus()]
    assert [row[0] for row in rows] == cpus and len({row[3] for row in rows}) == 1, done.stderr


def test_the_largest_threads_come_first(spawn):
    for _ in range(2):
        spawn(workload("spin", "--ms", 10000))
    done = run("-x,", "-a", "--per-thread", "--top", "3", "-e", "task-clock,cs", "sleep", "0.3")
    rows = csv_rows(done.stderr)
    clocks = [float(row[1]) for row in rows if row[3] == "task-clock"]
    threads = [row[0] for row in rows]
    assert len(clocks) == 3 and clocks == sorted(clocks, reverse=True), done.stderr
    assert clocks[0] > 30 and set(threads[:3]) >= set(threads[3:]), done.stderr
