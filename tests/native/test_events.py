# SPDX-License-Identifier: GPL-2.0-only
"""Events of all kinds, counted exactly: tracepoints with filters, groups, patterns, breakpoints."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from native import (FAILED, IN_C, PATIENCE, PSTAT, USAGE, children_of, count, csv_rows, csv_values,
                    proc_text, run, start, wait_for, wait_until_asleep, wait_until_counting,
                    workload)


class Trace:
    """Reads the kernel's own trace from a trace instance of this test. It is an independent record
    of tracepoints and context switches."""

    EVENTS = {
        "sched/sched_switch": "1", "sched/sched_process_exec": "1", "sched/sched_process_exit": "1"
    }
    LINE = re.compile(
        r"^ *(?P<comm>.*)-(?P<pid>\d+) +\[\d+\] \S+ +(?P<time>[\d.]+): "
        r"(?P<event>\w+): (?P<rest>.*)$", re.M)

    def __init__(self, tracefs):
        self.folder = tracefs / "instances" / f"pstat-test-{os.getpid()}"

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="ascii")

    def __enter__(self):
        self.folder.mkdir()
        self.write("buffer_size_kb", "8192")
        self.write("trace_clock", "mono")
        for event, on in self.EVENTS.items():
            self.write(f"events/{event}/enable", on)
        return self

    def __exit__(self, *_):
        self.write("tracing_on", "0")
        for event in self.EVENTS:
            self.write(f"events/{event}/enable", "0")
        self.records = [
            match.groupdict()
            for match in self.LINE.finditer((self.folder /
                                             "trace").read_text(encoding="utf-8", errors="replace"))
        ]
        lost = sum(
            int(
                re.search(
                    r"^(?:overrun|dropped events): (\d+)", file.read_text(encoding="ascii"), re.M
                )[1]
            )
            for file in self.folder.glob("per_cpu/cpu*/stats")
        )
        self.folder.rmdir()
        assert not lost, "the trace buffer is too small"

    def life_of(self, program):
        """Returns the records from the exec of `program`, which happens once, to the exit of
        this task."""
        exec_at, = [i for i, record in enumerate(self.records)
                    if record["event"] == "sched_process_exec" and f"/{program} " in record["rest"]]
        pid = self.records[exec_at]["pid"]
        exit_at, = [i for i, record in enumerate(self.records)
                    if record["event"] == "sched_process_exit" and record["pid"] == pid]
        return self.records[exec_at:exit_at + 1]


@pytest.fixture
def trace(tracefs):
    probe = tracefs / "instances"
    if not probe.is_dir():
        pytest.skip(f"probe: {probe} is a folder: this kernel has no trace instances")
    return Trace(tracefs)


def from_idle(records):
    return [
        record
        for record in records
        if record["event"] == "sched_switch" and "prev_pid=0 " in record["rest"]
    ]


# ---- filters ----


def test_a_filter_counts_what_the_kernels_own_trace_contains(trace, tmp_path):
    """Counts switches to a program with a unique name, from the idle task and from other tasks.
    Both the count and the kernel's trace contain all of them."""
    program = shutil.copy(workload("faults")[0], tmp_path / "pstatonly")
    name = 'next_comm == "pstatonly"'
    total = 0
    for _ in range(10):
        with trace:
            done = run("-x,", "-a", "-e", "sched:sched_switch", "--filter",
                       f"prev_pid == 0 && {name}", "-e", "sched:sched_switch", "--filter",
                       f"prev_pid != 0 && {name}", program, "--pause", 5, 20)
        assert done.returncode == 0, done.stderr
        seen = [record for record in trace.records
                if record["event"] == "sched_switch" and "next_comm=pstatonly " in record["rest"]]
        idle = len(from_idle(seen))
        assert [int(row[0]) for row in csv_rows(done.stderr)] == [idle, len(seen) - idle]
        total += len(seen)
        if total >= 20:
            break
    assert total >= 1


def test_a_filter_on_the_whole_machine_counts_all_events_that_must_match_and_only_those_that_can(
        trace, tmp_path):
    program = shutil.copy(shutil.which("sleep"), tmp_path / "pstatonly")
    with trace:
        counted = count("sched:sched_switch", "--filter", "prev_pid == 0", "-a", program, "1")
    inside = trace.life_of("pstatonly")
    assert len(from_idle(inside)) <= counted <= len(from_idle(trace.records))


@pytest.mark.parametrize("numbers", [(0,), (1,), (100, 7)])
def test_a_filter_on_a_system_calls_argument_is_exact(tracefs, numbers):
    """Only `faults` calls madvise(…, 1, …)."""
    n = numbers[0]
    argv = workload("faults", n)
    for condition, expected in (
        ("len_in == 1", n),
        ("len_in == 2", 0),
        ("len_in > 0 && len_in < 2", n),
    ):
        assert count("syscalls:sys_enter_madvise", "--filter", condition, *argv) == expected


def test_filters_of_one_event_must_all_hold(tracefs):
    def counted(*conditions):
        options = [word for condition in conditions for word in ("--filter", condition)]
        return count("syscalls:sys_enter_write", *options, *workload("access", 0, 0, 0, 9))

    assert counted("fd == 1") == 9
    assert counted("fd == 1", "count == 0") == 9
    assert counted("fd == 1", "count == 1") == 0
    assert counted("fd == 0 || fd == 1", "fd == 1") == 9


def test_a_filter_applies_to_the_events_before_it(tracefs):
    done = run("-x,", "-e", "syscalls:sys_enter_write,cs", "--filter", "fd == 77", "-e",
               "syscalls:sys_enter_madvise", *workload("access", 0, 0, 0, 9))
    assert csv_values(done.stderr)["syscalls:sys_enter_write"] == 0
    done = run("-x,", "-e", "syscalls:sys_enter_write", "-e", "syscalls:sys_enter_madvise",
               "--filter", "start == 77", *workload("access", 0, 0, 0, 9))
    assert csv_values(
        done.stderr) == {"syscalls:sys_enter_write": 9, "syscalls:sys_enter_madvise": 0}


def test_a_filter_applies_to_children_too(tracefs):
    assert count("syscalls:sys_enter_madvise", "--filter", "len_in == 1",
                 *workload("faults", "--children", 3, 70)) == 210
    assert count("syscalls:sys_enter_madvise", "--filter", "len_in == 2",
                 *workload("faults", "--children", 3, 70)) == 0


@pytest.mark.parametrize("condition, words", [("prv_pid == 0", [
    "no field 'prv_pid'", "did you mean: prev_pid", "its fields: prev_comm, prev_pid, "
]), ("prev_pid == 0 && nxt_pid == 1", ["no field 'nxt_pid'", "\n                        ^"]),
                                              ("prev_pid = 0", ["it is not a condition"]),
                                              ("((", ["it is not a condition"]),
                                              ("", ["it is not a condition"]), ])
def test_a_filter_that_the_kernel_refuses_is_reported_with_the_event_and_the_reason(
        tracefs, condition, words):
    done = run("-e", "sched:sched_switch", "--filter", condition, "touch", "it-ran")
    assert done.returncode == FAILED
    for word in ["pstat: sched:sched_switch: the kernel refuses the filter", *words]:
        assert word in done.stderr
    assert not os.path.exists("it-ran")
    assert len(done.stderr.split("pstat: ")) == 2, "the reason is printed once"


def test_a_filter_without_a_tracepoint_is_refused(tracefs):
    done = run("-e", "cs", "--filter", "prev_pid == 0", "true")
    assert done.returncode == USAGE
    assert "a filter needs a tracepoint, and the preceding -e has none" in done.stderr
    done = run("--filter", "prev_pid == 0", "-e", "sched:sched_switch", "true")
    assert done.returncode == USAGE
    assert "give -e first" in done.stderr


# ---- groups and patterns ----


class Access:
    """Controls the workload `access`, which accesses memory on command and then sleeps again."""

    def __init__(self, process):
        self.process = process
        self.pid = process.pid
        self.address, self.function = process.stdout.readline().split()
        wait_until_asleep(self.pid)

    def do(self, stores=0, loads=0, calls=0, writes=0, faults=0):
        self.process.stdin.write(f"{stores} {loads} {calls} {writes} {faults}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().endswith("done\n")
        wait_until_asleep(self.pid)

    def switches(self):
        return sum(
            map(
                int,
                re.findall(
                    r"^\w*voluntary_ctxt_switches:\t(\d+)$", proc_text(self.pid, "status"), re.M
                ),
            )
        )


@pytest.fixture
def access(spawn):
    def hold(name="access"):
        return Access(spawn(workload(name, "hold"), stdin=subprocess.PIPE, stdout=subprocess.PIPE))

    return hold


def test_a_group_of_switches_and_faults_is_counted_exactly(access):
    """The process sleeps before and after its work. /proc contains the number of its switches, and
    the test chooses the number of its faults."""
    held = access()
    held.do(faults=10)
    with start("-x,", "-e", "{cs,page-faults}", "-p", held.pid) as pstat:
        wait_until_counting(pstat)
        before = held.switches()
        for _ in range(20):
            held.do(faults=123)
        switches = held.switches() - before
        pstat.send_signal(signal.SIGINT)
        values = csv_values(pstat.communicate(timeout=PATIENCE)[1])
    assert values == {"cs": switches, "page-faults": 20 * 123}
    assert switches >= 20


def test_a_glob_is_an_event_for_each_tracepoint_and_counts_exactly(tracefs):
    done = run("-x,", "-e", "syscalls:sys_enter_w*", *workload("access", 0, 0, 0, 1234))
    values = {row[2]: float(row[0]) for row in csv_rows(done.stderr)}
    folder = tracefs / "events/syscalls"
    assert values.keys() == {f"syscalls:{name.name}" for name in folder.glob("sys_enter_w*")}
    assert values.pop("syscalls:sys_enter_write") == 1234
    assert set(values.values()) == {0}


def test_without_tracefs_a_tracepoint_is_refused_with_the_command_that_mounts_it(tracefs):
    done = subprocess.run([
        "unshare", "-m", "sh", "-c", f"mount -t tmpfs none {tracefs} && exec \"$@\"", "sh", PSTAT,
        "-e", "sched:sched_switch", "true"
    ], capture_output=True, text=True, check=False)
    if "unshare" in done.stderr:
        pytest.skip(f"probe: unshare -m: {done.stderr.strip()}")
    assert done.returncode == USAGE
    assert f"mount -t tracefs tracefs {tracefs}" in done.stderr



# ---- breakpoints ----


def symbol_address(name, program):
    """Returns the address at which a symbol was linked, from nm."""
    text = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return "0x" + re.search(rf"^(\w+) \w {name}$", text, re.M)[1]


def accesses(event, *argv):
    """Counts a breakpoint in a command, and returns {event: count}. Some virtual machines lose the
    cause of a debug exception if they are busy, and the kernel then sends SIGTRAP to the command.
    These runs are repeated. With `perf stat`, they also occur: one in ten. pstat opens no event
    that requests the signal."""
    for _ in range(10):
        done = run("-x,", "-e", event, *argv)
        if done.returncode != 128 + signal.SIGTRAP:
            break
    assert done.returncode == 0, done.stderr
    return csv_values(done.stderr)


@pytest.mark.parametrize("program", ["access", "access-fixed"])
@pytest.mark.parametrize("stores, loads, calls", [(0, 0, 0), (1, 0, 0), (12345, 67, 890)])
def test_breakpoints_on_symbols_of_a_command_count_exactly(program, stores, loads, calls):
    argv = workload(program, stores, loads, calls, 0)
    assert accesses("mem:watched:w:u", *argv) == {"mem:watched:w:u": stores}
    assert accesses("mem:watched:rw:u", *argv) == {"mem:watched:rw:u": stores + loads}
    assert accesses("mem:watched/8:u", *argv) == {"mem:watched/8:u": stores + loads}
    assert accesses("mem:watched_call:x:u", *argv) == {"mem:watched_call:x:u": calls}
    assert accesses("mem:watched_byte:w:u", *argv) == {"mem:watched_byte:w:u": 0}


def test_a_breakpoint_at_an_address_counts_exactly():
    argv = workload("access-fixed", 4321, 5, 6, 0)
    address = symbol_address("watched", argv[0])
    # perf prints the names in this form
    assert accesses(f"mem:{address}/8:w:u", *argv) == {f"mem:{address}": 4321}
    assert accesses(f"mem:{address}:w:u", *argv) == {f"mem:{address}:w:u": 4321}
    assert accesses(f"mem:{address}/8:rw/name=both/u", *argv) == {"both": 4326}


@pytest.mark.parametrize("name, size, part", [("watched_three", 3, 2), ("watched_large", 32, 8)])
def test_only_a_part_of_a_large_variable_can_be_watched(name, size, part):
    argv = workload("access", 1, 1, 1, 0)
    for refused in (f"mem:{name}:w:u", f"mem:{name}"):
        done = run("-e", refused, *argv)
        assert done.returncode == USAGE
        assert (
            f"'{name}' has {size} bytes" in done.stderr
            and f"mem:{name}/{part} watches the first {part}" in done.stderr
        )
    assert count(f"mem:{name}/{part}:w:u", *argv) == 0


@pytest.mark.parametrize("event, why", [("mem:watched_large/32:w:u", "the length must be"),
                                        ("mem:0x404041/4:w:u", "this address and length")])
def test_a_breakpoint_that_the_cpu_refuses_is_refused_with_the_possible_sizes(event, why):
    done = run("-v", "-x,", "-e", event, *workload("access", 1, 1, 1, 0))
    if f"0,,{event}," in done.stderr:
        pytest.skip(f"probe: this CPU refuses {event}")
    assert "<not supported>" in done.stderr and why in done.stderr
    assert (
        "the length must be 1, 2, 4 or 8, and the address must be a multiple of it" in done.stderr
        and "modifiers" not in done.stderr
    )


def signal_before_exec(number):
    """Counts accesses of a command, and sends the signal to it before its exec, while pstat traces
    it. Returns the exit status and the messages of pstat, and whether the signal was sent."""
    with start("-x,", "-e", "mem:watched:w:u", *workload("access", 5, 0, 0, 0)) as process:
        traced = []
        end = time.monotonic() + PATIENCE
        while not traced and process.poll() is None and time.monotonic() < end:
            traced = [pid for pid in children_of(process.pid)
                      if re.search(r"^TracerPid:\s*[1-9]", proc_text(pid, "status"), re.M)]
        for pid in traced:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        _, err = process.communicate(timeout=PATIENCE)
    return process.returncode, err, bool(traced)


def test_a_signal_before_the_exec_of_a_command_with_a_breakpoint_does_not_stop_the_count():
    """A traced process stops at each signal, even at one that it ignores, such as SIGWINCH when the
    user resizes the terminal."""
    for _ in range(30):
        status, err, _ = signal_before_exec(signal.SIGWINCH)
        # see accesses()
        assert status in (0, 128 + signal.SIGTRAP), err


def test_a_signal_that_ends_a_command_before_its_exec_is_its_exit_status():
    sent = 0
    for _ in range(30):
        status, err, was_sent = signal_before_exec(signal.SIGKILL)
        # the command may have ended before the signal was sent
        assert status in (0, 128 + signal.SIGTRAP, 128 + signal.SIGKILL), err
        sent += was_sent and status == 128 + signal.SIGKILL
    assert sent


def test_breakpoints_can_be_a_group():
    done = run("-x,", "-e", "{mem:watched:w:u,mem:watched_call:x:u}",
               *workload("access", 7, 0, 3, 0))
    values = csv_values(done.stderr)
    assert (values["mem:watched:w:u"], values["mem:watched_call:x:u"]) == (7, 3)


@pytest.mark.parametrize("program", ["access", "access-fixed"])
@pytest.mark.parametrize("how", ["symbol", "address"])
def test_a_breakpoint_in_a_running_process_counts_exactly(access, program, how):
    held = access(program)
    held.do(stores=10)
    event = "mem:watched:w" if how == "symbol" else f"mem:{held.address}/8:w/name=x/"
    with start("-x,", "-e", event, "-p", held.pid) as pstat:
        wait_until_counting(pstat)
        held.do(stores=1000, loads=5)
        held.do(stores=234)
        pstat.send_signal(signal.SIGINT)
        values = csv_values(pstat.communicate(timeout=PATIENCE)[1])
    assert list(values.values()) == [1234]


def test_a_command_with_breakpoints_on_symbols_behaves_as_it_does_without_pstat():
    """pstat stops the command at its exec. The command then has the same output, exit status and
    signals as without pstat, and no process traces it."""
    done = run("-x,", "-e", "mem:watched:w:u", *workload("access", 1, 2, 3))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: access" in done.stderr
    with start("-x,", "-e", "mem:watched:w:u", *workload("access", "hold"),
               stdin=subprocess.PIPE) as pstat:
        pstat.stdout.readline()
        child, = wait_for("a command", lambda: children_of(pstat.pid))
        assert "TracerPid:\t0\n" in proc_text(child, "status")
        os.kill(child, signal.SIGTERM)
        assert pstat.wait(PATIENCE) == 128 + signal.SIGTERM


@pytest.mark.parametrize("path", ["folders:", ":folders", "folders::nowhere", ""])
def test_the_command_with_the_symbol_is_the_one_that_is_executed(tmp_path, path):
    """An empty element of PATH is the current directory, and a directory with the command's name
    is not a command."""
    (tmp_path / "folders/access").mkdir(parents=True)
    shutil.copy(workload("access")[0], tmp_path)
    assert count("mem:watched:w:u", "access", 7, 0, 0, 0, cwd=tmp_path,
                 locale={**IN_C, "PATH": path}) == 7


@pytest.mark.parametrize("event, argv, words", [
    ("mem:wached:w", ["access"], ["no symbol of", "did you mean: watched"]),
    ("mem:watched:w", ["access-fixed", "-a"], ["process that runs on a CPU has its own symbols"]),
    ("mem:main:x", ["sh-script"], ["it is not an ELF program"]),
    ("mem:main:x", ["nowhere"], ["the command was not found"]),
    ("mem:main:x", ["true-stripped"], ["no symbol"]),
])
def test_a_symbol_that_cannot_be_found_is_refused(tmp_path, event, argv, words):
    name, *options = argv
    program = tmp_path / "program"
    if name == "sh-script":
        program.write_text("#!/bin/sh\n", encoding="ascii")
        program.chmod(0o755)
    elif name == "true-stripped":
        program = shutil.which("true")
    elif name != "nowhere":
        program = workload(name)[0]
    done = run("-e", event, *options, program)
    assert done.returncode == USAGE
    for word in words:
        assert word in done.stderr


def test_too_many_breakpoints_for_the_cpu_are_refused_with_the_reason():
    events = ",".join(f"mem:{hex(0x100000 + 8 * i)}:w" for i in range(64))
    done = run("-e", events, *workload("access", 1, 1, 1, 1))
    assert done.returncode == FAILED
    assert "no free breakpoint register" in done.stderr


def test_events_of_libpfm_can_be_combined_with_others():
    done = run("-x,", "--pfm-events", "{perf::CPU-CLOCK,perf::PAGE-FAULTS}", "-e", "page-faults",
               "true")
    if "libpfm4" in done.stderr:
        pytest.skip("probe: libpfm.so.4 can be loaded")
    rows = csv_rows(done.stderr)
    assert [row[2] for row in rows] == ["perf::CPU-CLOCK", "perf::PAGE-FAULTS", "page-faults"]
    assert int(rows[1][0]) == int(rows[2][0]) > 0
    done = run("--pfm-events", "nonsense", "true")
    assert (
        done.returncode == 129 and "failed to parse event nonsense : event not found" in done.stderr
    )
    assert "task-clock" in run("--pfm-events", "", "true").stderr


@pytest.mark.parametrize("argument, names", [
    ('"cs,faults"', ["cs", "faults"]),
    ("'cs,faults'", ["cs", "faults"]),
    ('"{cs,faults}:u"', ["cs", "faults"]),
    (' "cs:u" ', ["cs:u"]),
    ("\"software/r0x3,name='switches'/\"", ["switches"]),
])
def test_quotes_around_the_whole_list_of_events_are_ignored(argument, names):
    done = run("-x,", "-e", argument, "true")
    assert done.returncode == 0, done.stderr
    assert [row[2] for row in csv_rows(done.stderr)] == names


@pytest.mark.parametrize("argument", ['"cs', '""', "'", '"cs","faults"'])
def test_other_quotes_are_refused(argument):
    assert run("-e", argument, "true").returncode == USAGE


def test_the_retirement_latency_is_not_supported_but_its_group_is_counted():
    done = run("-v", "-x,", "-e", "{cs:R,page-faults}", "true")
    assert done.returncode == 0
    assert "cs:R: modifier R asks for the retirement latency" in done.stderr
    rows = csv_rows("\n".join(line for line in done.stderr.splitlines() if line.count(",") > 4))
    # perf moves events with R to the end of their group.
    assert [(row[0] == "<not supported>", row[2]) for row in rows] == [
        (False, "page-faults"),
        (True, "cs:R"),
    ]
    assert int(rows[0][0]) > 0


def test_braces_in_a_name_list_alternatives(tracefs):
    """write(2) of `access` is exact; getppid(2) is not called."""
    del tracefs
    rows = [["syscalls:sys_enter_getppid", "0"], ["syscalls:sys_enter_write", "7"]]
    for events in ("syscalls:sys_enter_{getppid,write}", "{syscalls:sys_enter_{getppid,write}}",
                   "syscalls:sys_enter_{get{p,}pid,wri*e}"):
        done = run("-x,", "-e", events, *workload("access", 0, 0, 0, 7))
        found = [[row[2], row[0]] for row in csv_rows(done.stderr)]
        assert [row for row in found if row[0] != "syscalls:sys_enter_getpid"] == rows, done.stderr
        assert len(found) == 2 + ("getpid" in done.stderr), done.stderr


def test_each_alternative_must_be_an_event(tracefs):
    del tracefs
    done = run("-e", "syscalls:sys_enter_{write,wirte}", "true")
    assert done.returncode == USAGE and "unknown tracepoint 'sys_enter_wirte'" in done.stderr
    done = run("-e", "cs,faults{" + ",".join("0123456789") + "}" + "{0,1}" * 7, "true")
    assert done.returncode == USAGE and "more than 1000 alternatives" in done.stderr
    done = run("-e", "page-{faults,cs", "true")
    assert done.returncode == USAGE and "'{' is never closed" in done.stderr
