# SPDX-License-Identifier: GPL-2.0-only
"""pstat and the workloads as child processes, what they print as values, and what the machine
allows."""

import contextlib
import ctypes
import errno
import fcntl
import functools
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("O", "")
PSTAT = os.environ.get("PSTAT", str(BUILD / "pstat"))
WORKLOADS = pathlib.Path(os.environ.get("PSTAT_WORKLOADS", BUILD / ".build/tests/workloads"))

IN_C = {"LC_ALL": "C"}
USAGE, CONFLICT, FAILED = 129, 234, 255
# Far more than anything here takes: who waits longer waits in vain.
PATIENCE = 20
LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def workload(name, *args):
    """The argv of a test workload."""
    return [str(WORKLOADS / name), *map(str, args)]


def shown(value):
    """The value of an option as messages have it."""
    return value or "''"


def default_signals():
    """For preexec_fn: as from a terminal, though whoever runs the tests may ignore some (a shell's
    `&`, nohup). It does not outlive the tests: it is asked to end when they are killed."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def urgent():
    """The same, and before all that is not: pstat is then as late as it is by itself. Not everyone
    may."""
    default_signals()
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


class Pstat(subprocess.Popen):
    """A pstat that does not outlive the `with` in which a test fails, and neither does its
    command."""

    def __exit__(self, kind, value, traceback):
        if kind:
            self.kill_all()
        super().__exit__(kind, value, traceback)

    def kill_all(self):
        """It and its command, if it still runs."""
        for pid in [*children_of(self.pid), self.pid] if self.poll() is None else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def start(*args, locale=None, **popen):
    """A running pstat; its stdout and stderr are pipes unless said otherwise."""
    options = {
        "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
        "text": True, "preexec_fn": default_signals
    }
    options.update(popen)
    return Pstat([PSTAT, *map(str, args)], env={**os.environ, **(locale or IN_C)}, **options)


def run(*args, **popen):
    """pstat from start to end: a CompletedProcess."""
    with start(*args, **popen) as process:
        out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def end(process):
    """Kills a process of a test, if it still runs, and closes its pipes."""
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


def wait_for(what, condition):
    """Returns what `condition` does once that is true; it is asked often, and not for ever."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.002)
    raise AssertionError(f"waited in vain: {what}")


def proc_text(pid, name):
    """/proc/PID/NAME, empty once the process is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def state_of(pid):
    """The letter of ps; empty when there is no such process."""
    return proc_text(pid, "stat").rpartition(")")[2][1:2]


def children_of(pid):
    return [int(word) for word in proc_text(pid, f"task/{pid}/children").split()]


def _waits_in(pid, word, numbers):
    """Is a process in a system call: by the kernel's function, or where that is not told by the
    call's number?"""
    where = proc_text(pid, "wchan")
    return word in where if where not in ("", "0") else proc_text(
        pid, "syscall").split(" ")[0] in numbers


def waits_in_poll(pid):
    """
    pstat polls while it counts. Before, it polls only while a child opens files of others, and the
    signalfd of the session is not there yet.
    """
    return ("anon_inode:[signalfd]" in links_of(pid) and
            _waits_in(pid, "poll", ("7", "271", "73")))  # x86-64: poll, ppoll; arm64: ppoll


def links_of(pid):
    """Where the descriptors of a process lead."""
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return found


def is_held_by_a_pipe(pid):
    """While pstat waits for room in its output, it opens a second signalfd to be woken by signals
    too."""
    return waits_in_poll(pid) and links_of(pid).count("anon_inode:[signalfd]") > 1 or \
        _waits_in(pid, "pipe_write", ("1", "64"))  # write: x86-64; arm64


def full_pipe():
    """A pipe that takes no byte more: its read and its write end."""
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(write, False)
    try:
        while True:
            os.write(write, b"x")
    except BlockingIOError:
        pass
    os.set_blocking(write, True)
    return read, write


def wait_until_counting(process):
    """Until pstat waits for what ends the count. It must still run."""
    wait_for("pstat counts", lambda: process.poll() is not None or waits_in_poll(process.pid))
    assert process.poll() is None, process.communicate()


def cpu_seconds_of_run(*args):
    """Runs pstat: what it printed, and the CPU time of it and of its command, as the scheduler has
    it."""
    with start(*args, stderr=subprocess.DEVNULL) as process:
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return out, usage.ru_utime + usage.ru_stime


def counted_until_used(seconds, pid, *args, first=lambda: None, **popen):
    """What pstat says when a process has had so much CPU time in the count, however long that takes
    on a machine that is busy. `first` is called when the count has begun."""
    with start(*args, **popen) as process:
        wait_until_counting(process)
        first()
        wait_for_cpu_time(pid, seconds)
        process.terminate()
        return process.communicate(timeout=PATIENCE)[1]


def holders_of(pattern):
    """Who has BPF programs of such names open."""
    return {
        pid["pid"] for prog in json.loads(run("progs", "-j", pattern).stdout)
        for pid in prog["pids"]
    }


def cpu_seconds(pid):
    """CPU time of all threads of a process until now, as its scheduler clock has it, up to the ns:
    with the switches to it, which events do not count, and without what a hypervisor took, which
    they do. Some percent on a busy machine."""
    return time.clock_gettime(~pid << 3 | 2)  # linux/posix-timers.h: CPUCLOCK_SCHED of a process


def wait_for_cpu_time(pid, seconds):
    """Until a process has had so much more of it: what it had before."""
    began = cpu_seconds(pid)
    wait_for(f"{pid} runs for {seconds} s", lambda: cpu_seconds(pid) - began > seconds)
    return began


def wait_until_asleep(pid):
    wait_for(f"{pid} sleeps", lambda: state_of(pid) == "S")


# ---- control groups ----


def cgroup_mount():
    with open("/proc/mounts", encoding="ascii") as file:
        mounts = [line.split()[:4] for line in file]
    for _, path, kind, options in mounts:
        if kind == "cgroup" and "perf_event" in options.split(","):
            return pathlib.Path(path)
    return next((pathlib.Path(path) for _, path, kind, _ in mounts if kind == "cgroup2"), None)


def inside(group, *argv):
    """Runs a command whose first and only process is in the group."""
    procs = cgroup_mount() / group / "cgroup.procs"
    return ["sh", "-c", f'echo $$ >{procs}; exec "$@"', "sh", *map(str, argv)]


# ---- what is printed ----


def csv_rows(text):
    """The lines of -x,: lists of fields. Like perf, pstat warns when it changes groups of
    events."""
    return [line.split(",") for line in text.splitlines()
            if line != "WARNING: events were regrouped to match PMUs"]


def csv_values(text):
    """{event: count} of `-x,` without intervals."""
    return {row[2]: float(row[0]) for row in csv_rows(text)}


def missed_intervals(text):
    """How many intervals a busy machine had no row for, as pstat says; with -x and -j only -v has
    it."""
    return sum(map(int, re.findall(r"^pstat: (\d+) intervals were missed", text, re.M)))


def interval_rows(text):
    """[(seconds, event, count or None when not counted)] of `-x, -I`, without what -v says
    besides."""
    text = re.sub(r"^pstat: .*(\n|$)", "", text, flags=re.M)
    return [(float(row[0]), row[3], None if row[1].startswith("<") else float(row[1]))
            for row in csv_rows(text)]


def count(event, *args, **popen):
    """The count of one event with pstat's other options and the command in `args`."""
    done = run("-x,", "-e", event, *args, **popen)
    assert done.returncode == 0, done.stderr
    return csv_values(done.stderr)[event]


def elapsed(text):
    """`seconds time elapsed` of the std format."""
    return float(re.search(r"^ +([\d.]+) seconds time elapsed$", text, re.M)[1])


def std_count(text, event):
    """The count in the row of `event` of the std format; None when it was not counted."""
    word = re.search(rf"^ +(<not counted>|[\d.]+) (?:msec|    )? *{re.escape(event)}(?: |$)", text,
                     re.M)[1]
    return None if word.startswith("<") else float(word)


def _masked_figure(match):
    spaces, figure = match.groups()
    masked = re.sub(r"\d+", lambda digits: "N" * len(digits[0]), figure)
    masked = re.sub(r"^N+", "N", masked)
    # two spaces and more are a column's: its width counts, not how many digits the figure has
    return masked.rjust(len(match[0])) if len(spaces) > 1 else spaces + masked


def mask(text):
    """Figures as N and N.NN, of the same width in columns and with as many decimals; rates per
    second, whose unit goes by the figure, as R/sec. All else stays, spaces at the end of a line
    too."""
    lines = []
    for line in text.split("\n"):
        if line.startswith(" Performance counter stats for"):
            line = re.sub(r"(process|thread) id '\d+'", r"\1 id 'N'", line)
        elif not line.startswith("# started on"):
            line = re.sub(r'(?<=,)100\.00(?=,)|(?<="pcnt-running" : )100\.00(?=,)', "ALL", line)
            line = re.sub(r"(?<![\w.])( *)(\d+(?:\.\d+)?)(?!\w)", _masked_figure, line)
            line = re.sub(r"[KMG]?/sec *", lambda unit: "R/sec".ljust(len(unit[0])), line)
            line = line.replace("ALL", "100.00")
        lines.append(line)
    return "\n".join(lines)


# ---- what the machine allows ----


@functools.cache
def modes():
    """{mode: "yes" and more, or "no: " and why}, as --version -vv has them. Tests are skipped by
    it, so that one of test_options.py asks the kernel itself whether it is true."""
    text = subprocess.run([PSTAT, "--version", "-vv"], env={**os.environ, **IN_C},
                          capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^  (\S.*?) +((?:yes|no: ).*)$", text, re.M))


def why_not(mode):
    """None where this machine allows it; else the reason in pstat's words."""
    said = modes()[mode]
    return None if said.startswith("yes") else said.removeprefix("no: ")


def why_no_fentry():
    """None where BPF programs can be counted; else the reason in pstat's words."""
    return why_not("-b, --bpf-prog")


def kernel_takes(name):
    """Is a BPF program of that type of the workload bpf-types loaded and attached? Asked of the
    kernel, not of pstat."""
    done = subprocess.run(workload("bpf-types", name), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr  # 3: the kernel has refused it
    return not done.returncode


def not_allowed(said):
    """Did a workload end because this user may not do what it does, by its last words?"""
    return said.rstrip().endswith((os.strerror(errno.EPERM), os.strerror(errno.EACCES)))


def why_not_allowed(process):
    """The last words of a workload that has ended so; that it has ended otherwise is wrong."""
    said = process.communicate(timeout=PATIENCE)[1].strip()
    assert not_allowed(said), f"{process.args}: exit code {process.returncode}: {said}"
    return said


def opens(event):
    """Does the kernel count such an event of a process at all? Asked of the kernel, not of
    pstat."""
    done = subprocess.run(workload("perf-count", event, "true"), capture_output=True, text=True,
                          check=False)
    assert done.returncode in (0, 126), done.stderr  # 126: the kernel has refused it
    return not done.returncode


@functools.cache
def counts_cycles():
    """Has this machine a PMU that counts cycles?"""
    return opens("cycles")


BPFTOOL = next((path for path in ("/usr/sbin/bpftool", "/usr/bin/bpftool") if os.path.exists(path)),
               "bpftool")


def bpftool(*words):
    """What bpftool says, as JSON; of what there is none of, it may say nothing."""
    done = subprocess.run([BPFTOOL, "-j", *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout or "[]")


def online_cpus():
    """The ids of the CPUs that are online."""
    ids = []
    for part in (
        pathlib.Path("/sys/devices/system/cpu/online")
        .read_text(encoding="ascii")
        .strip()
        .split(",")
    ):
        first, _, last = part.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids
