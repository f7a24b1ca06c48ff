# SPDX-License-Identifier: GPL-2.0-only
"""Runs pstat and the workloads as child processes, parses their output, and finds out what the
machine allows."""

import atexit
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
import shutil
import signal
import subprocess
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("O", "")
PSTAT = os.environ.get("PSTAT", str(BUILD / "pstat"))
WORKLOADS = pathlib.Path(os.environ.get("PSTAT_WORKLOADS", BUILD / ".build/tests/workloads"))

IN_C = {"LC_ALL": "C"}
USAGE, CONFLICT, FAILED = 129, 234, 255
# In seconds. Everything that tests wait for takes far less time, so a longer wait is a failure.
PATIENCE = 20
LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def workload(name, *args):
    """Returns the command line of a test workload."""
    return [str(WORKLOADS / name), *map(str, args)]


@functools.cache
def own_copy(name):
    folder = tempfile.mkdtemp(prefix="pstat-workload-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return shutil.copy(WORKLOADS / name, folder)


def own_workload(name, *args):
    """Like workload(), but the program is a copy that only this process uses. --scope counts in all
    processes, so other tests that run the same program at the same time would be counted, too."""
    return [own_copy(name), *map(str, args)]


def shown(value):
    """Returns the value of an option as messages print it."""
    return value or "''"


def default_signals():
    """For preexec_fn: resets signals, as in a process that a terminal starts, even if the caller of
    the tests ignores some (a shell's `&`, nohup). Also makes the process end if the tests are
    killed."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def urgent():
    """For preexec_fn: calls default_signals, and gives the process priority over normal processes,
    so that other processes do not delay it. Without the permission, the priority is unchanged."""
    default_signals()
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


class Pstat(subprocess.Popen):
    """A pstat process. At the end of the `with` block, pstat and its command are killed if they
    still run, even if the test fails."""

    def __exit__(self, kind, value, traceback):
        if kind:
            self.kill_all()
        super().__exit__(kind, value, traceback)

    def kill_all(self):
        """Kills pstat, and its command if it still runs."""
        for pid in [*children_of(self.pid), self.pid] if self.poll() is None else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def start(*args, locale=None, **popen):
    """Starts pstat. Its standard output and standard error are pipes unless the arguments say
    otherwise."""
    options = {
        "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
        "text": True, "preexec_fn": default_signals
    }
    options.update(popen)
    return Pstat([PSTAT, *map(str, args)], env={**os.environ, **(locale or IN_C)}, **options)


def run(*args, **popen):
    """Runs pstat to its end, and returns a CompletedProcess."""
    with start(*args, **popen) as process:
        out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def end(process):
    """Kills a process of a test if it still runs, and closes its pipes."""
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


def wait_for(what, condition):
    """Calls `condition` until its result is true, and returns this result. Fails after a time
    limit."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.002)
    raise AssertionError(f"waited in vain: {what}")


def proc_text(pid, name):
    """Returns the text of /proc/PID/NAME, or an empty string if the process no longer exists."""
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def state_of(pid):
    """Returns the state of a process as a letter, as in ps, or an empty string if the process
    does not exist."""
    return proc_text(pid, "stat").rpartition(")")[2][1:2]


def children_of(pid):
    return [int(word) for word in proc_text(pid, f"task/{pid}/children").split()]


def _waits_in(pid, word, numbers):
    """Checks whether a process is in a system call. Uses the name of the kernel's function or, if
    the kernel does not show it, the number of the call."""
    where = proc_text(pid, "wchan")
    return word in where if where not in ("", "0") else proc_text(
        pid, "syscall").split(" ")[0] in numbers


def waits_in_poll(pid):
    """Checks whether pstat counts: it then polls, and has a signalfd. Before the count, it polls
    only while a child opens other users' files, and has no signalfd yet."""
    return ("anon_inode:[signalfd]" in links_of(pid) and
            _waits_in(pid, "poll", ("7", "271", "73")))  # x86-64: poll, ppoll; arm64: ppoll


def links_of(pid):
    """Returns the targets of a process's file descriptors."""
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return found


def is_held_by_a_pipe(pid):
    """Checks whether pstat waits for room in its output pipe. While pstat waits, it has a second
    signalfd, so that signals can wake it."""
    return waits_in_poll(pid) and links_of(pid).count("anon_inode:[signalfd]") > 1 or \
        _waits_in(pid, "pipe_write", ("1", "64"))  # write: x86-64; arm64


def full_pipe():
    """Returns the read and write ends of a pipe that accepts no more data."""
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
    """Waits until pstat waits for the end of the count. Fails if pstat ends earlier."""
    wait_for("pstat counts", lambda: process.poll() is not None or waits_in_poll(process.pid))
    assert process.poll() is None, process.communicate()


def cpu_seconds_of_run(*args):
    """Runs pstat. Returns its output, and the CPU time of pstat and of its command, as the
    scheduler measured it."""
    with start(*args, stderr=subprocess.DEVNULL) as process:
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return out, usage.ru_utime + usage.ru_stime


def counted_until_used(seconds, pid, *args, first=lambda: None, **popen):
    """Counts a process until it has used this number of seconds of CPU time, which can take long on
    a busy machine. Calls `first` when the count has begun. Returns pstat's output."""
    with start(*args, **popen) as process:
        wait_until_counting(process)
        first()
        wait_for_cpu_time(pid, seconds)
        process.terminate()
        return process.communicate(timeout=PATIENCE)[1]


def holders_of(pattern):
    """Returns the processes that have BPF programs with these names open."""
    return {
        pid["pid"] for prog in json.loads(run("progs", "-j", pattern).stdout)
        for pid in prog["pids"]
    }


def cpu_seconds(pid):
    """Returns the CPU time that all threads of a process have used, from its scheduler clock, in
    steps of 1 ns. Unlike the counts of events, this time includes the context switches to the
    process, and excludes steal time (a few percent on a busy machine)."""
    return time.clock_gettime(~pid << 3 | 2)  # linux/posix-timers.h: CPUCLOCK_SCHED of a process


def wait_for_cpu_time(pid, seconds):
    """Waits until a process has used this number of seconds of CPU time."""
    began = cpu_seconds(pid)
    wait_for(f"{pid} runs for {seconds} s", lambda: cpu_seconds(pid) - began > seconds)
    return began


def wait_until_asleep(pid):
    wait_for(f"{pid} sleeps", lambda: state_of(pid) == "S")


# ---- cgroups ----


def cgroup_mount():
    with open("/proc/mounts", encoding="ascii") as file:
        mounts = [line.split()[:4] for line in file]
    for _, path, kind, options in mounts:
        if kind == "cgroup" and "perf_event" in options.split(","):
            return pathlib.Path(path)
    return next((pathlib.Path(path) for _, path, kind, _ in mounts if kind == "cgroup2"), None)


def inside(group, *argv):
    """Returns a command line that runs a command in the cgroup, as the cgroup's first and only
    process."""
    procs = cgroup_mount() / group / "cgroup.procs"
    return ["sh", "-c", f'echo $$ >{procs}; exec "$@"', "sh", *map(str, argv)]


# ---- output ----


def csv_rows(text):
    """Returns the lines of -x, as lists of fields. Ignores the warnings about changed groups
    that pstat and perf print."""
    return [line.split(",") for line in text.splitlines()
            if line != "WARNING: events were regrouped to match PMUs"]


def csv_values(text):
    """Returns {event: count} of `-x,` without intervals."""
    return {row[2]: float(row[0]) for row in csv_rows(text)}


def missed_intervals(text):
    """Returns the number of intervals that pstat reports as missed, because the machine was busy.
    With -x and -j, only -v reports this number."""
    return sum(map(int, re.findall(r"^pstat: (\d+) intervals were missed", text, re.M)))


def interval_rows(text):
    """Returns [(seconds, event, count)] of `-x, -I`, where a count is None if it is not counted.
    Ignores the messages of -v."""
    text = re.sub(r"^pstat: .*(\n|$)", "", text, flags=re.M)
    return [(float(row[0]), row[3], None if row[1].startswith("<") else float(row[1]))
            for row in csv_rows(text)]


def count(event, *args, **popen):
    """Counts one event with the options and the command in `args`, and returns the count."""
    done = run("-x,", "-e", event, *args, **popen)
    assert done.returncode == 0, done.stderr
    return csv_values(done.stderr)[event]


def elapsed(text):
    """Returns the `seconds time elapsed` of a text report."""
    return float(re.search(r"^ +([\d.]+) seconds time elapsed$", text, re.M)[1])


def std_count(text, event):
    """Returns the count in the row of `event` of a text report, or None if it was not counted."""
    word = re.search(rf"^ +(<not counted>|[\d.]+) (?:msec|    )? *{re.escape(event)}(?: |$)", text,
                     re.M)[1]
    return None if word.startswith("<") else float(word)


def _masked_figure(match):
    spaces, figure = match.groups()
    masked = re.sub(r"\d+", lambda digits: "N" * len(digits[0]), figure)
    masked = re.sub(r"^N+", "N", masked)
    # Two or more spaces separate columns: the width of the column counts, not the number of digits.
    return masked.rjust(len(match[0])) if len(spaces) > 1 else spaces + masked


def mask(text):
    """Replaces figures with N and N.NN, and keeps the width of columns and the number of decimals.
    Replaces rates per second with R/sec, because their unit depends on the figure. Keeps all other
    text, including spaces at the end of a line."""
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


# ---- abilities of the machine ----


@functools.cache
def modes():
    """Returns {mode: "yes" and details, or "no: " and the reason} from --version -vv. Tests skip
    themselves because of these texts, so test_options.py compares the texts with the kernel."""
    text = subprocess.run([PSTAT, "--version", "-vv"], env={**os.environ, **IN_C},
                          capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^  (\S.*?) +((?:yes|no: ).*)$", text, re.M))


def why_not(mode):
    """Returns None if this machine allows the mode, otherwise the reason in pstat's words."""
    said = modes()[mode]
    return None if said.startswith("yes") else said.removeprefix("no: ")


def why_no_fentry():
    """Returns None if BPF programs can be counted, otherwise the reason in pstat's words."""
    return why_not("-b, --bpf-prog")


def kernel_takes(name):
    """Asks the kernel, not pstat, whether it loads and attaches the program `name` of the workload
    bpf-types."""
    done = subprocess.run(workload("bpf-types", name), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    # Exit status 3 means that the kernel refused the program.
    assert done.returncode in (0, 3), done.stderr
    return not done.returncode


def not_allowed(said):
    """Checks whether the message of a workload ends with the error EPERM or EACCES."""
    return said.rstrip().endswith((os.strerror(errno.EPERM), os.strerror(errno.EACCES)))


def why_not_allowed(process):
    """Returns the message of a workload that ended for lack of permission. Any other end is an
    error."""
    said = process.communicate(timeout=PATIENCE)[1].strip()
    assert not_allowed(said), f"{process.args}: exit code {process.returncode}: {said}"
    return said


def opens(event):
    """Asks the kernel, not pstat, whether it can count this event for a process."""
    done = subprocess.run(workload("perf-count", event, "true"), capture_output=True, text=True,
                          check=False)
    # Exit status 126 means that the kernel refused the event.
    assert done.returncode in (0, 126), done.stderr
    return not done.returncode


@functools.cache
def counts_cycles():
    """Checks whether this machine has a PMU that counts cycles."""
    return opens("cycles")


BPFTOOL = next((path for path in ("/usr/sbin/bpftool", "/usr/bin/bpftool") if os.path.exists(path)),
               "bpftool")


def bpftool(*words):
    """Returns bpftool's JSON output, or an empty list if bpftool prints nothing. Repeats the
    command if it fails, because the kernel returns EAGAIN for a link that is being attached."""
    for _ in range(100):
        done = subprocess.run([BPFTOOL, "-j", *words], capture_output=True, text=True, check=False)
        if not done.returncode or os.strerror(errno.EAGAIN) not in done.stdout:
            break
    assert not done.returncode, done
    return json.loads(done.stdout or "[]")


def online_cpus():
    """Returns the numbers of the online CPUs."""
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
