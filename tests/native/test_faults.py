# SPDX-License-Identifier: GPL-2.0-only
"""
A call that fails, each in turn: pstat ends by itself and in order, says so, leaves nothing, and prints nothing wrong.

fault-shim.c says which calls those are. A line is run once without a fault, for its calls and its output; then with one fault a run.
The normal run has a sample, spread over the places in pstat that call; PSTAT_LONG=1 has each call of each line, with each errno.
BPF programs end with the pstat that loaded them unless they are pinned, so that a look at the pins is a look at them too. Faults inside
of the other libraries (FAULT_LIBS) are not tried, nor is a sanitizer: what pstat keeps is known to the shim.
"""

import collections
import contextlib
import ctypes
import errno
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

import pytest

from native import BUILD, FAILED, IN_C, PATIENCE, PSTAT, children_of, mask, proc_text, state_of, why_no_fentry, workload

SHIM = BUILD / ".build/tests/native/fault-shim.so"
LONG = bool(os.environ.get("PSTAT_LONG"))
SAMPLE = 60  # faults a line
ATTR_MAP = "map"  # the pinned map of --bpf-counters is there to stay
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
GRACE = 0.1  # seconds in which a command that was held may see that pstat is gone

# What fails how: errnos that the kernel gives for it, 0 is a short write. Memory that is not there is the rule.
FILES = [errno.EMFILE, errno.EACCES]
ERRNOS = {
    "open": FILES, "openat": FILES, "opendir": FILES, "fopen": FILES,
    "pipe2": FILES[:1], "socketpair": FILES[:1], "epoll_create1": FILES[:1], "timerfd_create": FILES[:1],
    "signalfd": FILES[:1], "syscall": FILES[:1],
    "read": [errno.EIO, errno.EINTR], "pread": [errno.EIO],
    "write": [errno.ENOSPC, errno.EPIPE, 0, errno.EINTR], "fwrite": [errno.ENOSPC, errno.EPIPE], "fflush": [errno.ENOSPC],
    "fputs": [errno.ENOSPC], "ftruncate": [errno.EIO],
    "fork": [errno.EAGAIN], "posix_spawn": [errno.EAGAIN], "posix_spawnp": [errno.EAGAIN],
    "poll": [errno.EINTR, errno.ENOMEM],
    "perf_event_open": [errno.EMFILE, errno.EACCES, errno.ENOENT, errno.EBUSY],
    "bpf": [errno.ENOMEM, errno.EPERM, errno.ENOENT],
}
# What goes to stderr cannot be said there.
WRITERS = ("write", "fwrite", "fflush", "fputs")

Run = collections.namedtuple("Run", "code out err file log left")


@pytest.fixture(autouse=True)
def shim(monkeypatch):
    if not SHIM.exists():
        subprocess.run(["make", "--no-print-directory", *([f"O={os.environ['O']}"] if os.environ.get("O") else []), "fault-shim"],
                       cwd=pathlib.Path(__file__).parents[2], check=True)
    limit = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, limit[1]))
    for name, value in {**IN_C, "LD_PRELOAD": str(SHIM)}.items():
        monkeypatch.setenv(name, value)
    yield
    resource.setrlimit(resource.RLIMIT_CORE, limit)


@pytest.fixture(autouse=True)
def orphans():
    """Whom pstat leaves behind becomes a child of the test."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def left_behind(known):
    """Command lines of the processes that are still there, which end here."""
    deadline = time.monotonic() + GRACE
    while True:
        mine = [pid for pid in children_of(os.getpid()) if pid not in known]
        for pid in mine:
            if state_of(pid) == "Z":
                os.waitpid(pid, 0)
        mine = [pid for pid in children_of(os.getpid()) if pid not in known]
        if not mine or time.monotonic() > deadline:
            break
        time.sleep(0.002)
    names = [proc_text(pid, "cmdline").replace("\0", " ") for pid in mine]
    for pid in mine:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return names


def run(args, fault=None):
    """pstat with the shim. `code` is None when it did not end."""
    log, file = pathlib.Path("log"), pathlib.Path("out")
    log.unlink(missing_ok=True)
    file.unlink(missing_ok=True)
    known = children_of(os.getpid())
    env = {**os.environ, "FAULT_LOG": str(log.absolute()), **({"FAULT": fault} if fault else {})}
    with subprocess.Popen([PSTAT, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", env=env) as process:
        try:
            out, err = process.communicate(timeout=PATIENCE)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            code = None
    return Run(code, out, err, file.read_text(encoding="utf-8") if file.exists() else None,
               log.read_text(encoding="ascii") if log.exists() else "", left_behind(known))


def faults_of(log):
    """FUNCTION:N:ERRNO of the calls that are in a log."""
    numbers, seen = collections.Counter(), collections.Counter()
    faults = []
    for function, site in re.findall(r"^call (\S+) (\S+)$", log, re.M):
        numbers[function] += 1
        seen[function, site] += 1
        errnos = ERRNOS.get(function, [errno.ENOMEM])
        if LONG or seen[function, site] == 1:
            faults += [f"{function}:{numbers[function]}:{number}" for number in errnos]
    if LONG or len(faults) <= SAMPLE:
        return faults
    return [faults[i * len(faults) // SAMPLE] for i in range(SAMPLE)]


def shape(text):
    """Text without its figures, without what it says of itself, and of one space where there are more."""
    text = "\n".join(line for line in (text or "").split("\n") if not re.match("pstat: |       [a-z]|# started on", line))
    return re.sub(r"N+(\.N+)?", "N", re.sub(r"\s+", " ", mask(text)))


class Line:
    """A command line, the events that are in its output, and what that output says without its figures."""

    def __init__(self, *args, events=(), shape_of=shape, code=0):
        self.args = list(map(str, args))
        self.events = events
        self.shape_of = shape_of
        self.code = code

    def shapes(self, done):
        return [self.shape_of(done.out), self.shape_of(done.err), self.shape_of(done.file)]

    def whole(self, done):
        """Has what was printed all its rows, and is JSON what should be?"""
        text = done.file if "out" in self.args else done.out + done.err
        if text is None or any(event not in text for event in self.events):
            return False
        if "list" in self.args:
            json.loads(done.out)
        elif "-j" in self.args:
            for row in text.splitlines():
                json.loads(row)
        return True

    def wrong(self, clean, done, fault):
        """What is wrong with a run in which a call failed, in words."""
        function = fault.split(":")[0]
        said = re.search(r"^pstat: ", done.err, re.M)
        if done.code is None:
            yield "it hangs"
        elif done.code < 0:
            yield f"it dies of signal {-done.code}"
        if done.left:
            yield f"it leaves processes: {done.left}"
        yield from (f"it leaks: {row}" for row in re.findall("^kept .*", done.log, re.M))
        if clean.code or done.code is None:
            return
        if done.code and not said and function not in WRITERS:
            yield f"it ends with {done.code} and does not say why"
        if done.code and done.file == "":
            yield "it leaves an empty file"
        if done.code or self.shapes(done) == self.shapes(clean):
            return
        # a row says so itself where an event cannot be counted, where only the user's part can, and where it does not open
        marks = re.findall(r"<not (?:supported|counted)>|:u\b|WhyNot", done.out + done.err + (done.file or ""))
        if not said and not marks:
            yield "it ends with 0, has printed something else, and says nothing of it"
        if not self.whole(done):
            yield "it ends with 0 and not all was printed"


def check(line, pins=None):
    """@pins: the folder of the BPF file system in which the line may pin something; what was there before stays."""
    pinned = lambda: sorted(path.name for path in pins.rglob("*") if path.name != ATTR_MAP) if pins else []
    run(line.args)  # the first of all may pin what is there to stay
    clean = run(line.args)
    assert clean.code == line.code and not clean.left and "kept" not in clean.log, clean
    before = pinned()
    faults = faults_of(clean.log)
    assert faults, clean
    failed = 0
    problems = []
    for fault in faults:
        done = run(line.args, fault)
        failed += "\nfailed " in "\n" + done.log
        problems += [f"{fault}: {problem}\n{done.err}" for problem in line.wrong(clean, done, fault)]
        if pinned() != before and "is left behind" not in done.err:
            problems.append(f"{fault}: it leaves pins: {pinned()}")
    assert not problems, f"{len(problems)} of {len(faults)} faults of `pstat {' '.join(line.args)}`\n" + "\n".join(problems)
    # what a line calls may differ a little from run to run, but the faults must have been there
    assert failed >= len(faults) * 0.9, f"{failed} of {len(faults)} faults came about"


def test_the_shim_makes_the_call_fail_that_it_is_told():
    done = run(["-e", "cs", "true"], f"perf_event_open:1:{errno.EMFILE}")
    assert done.code == 255 and "EMFILE" in done.err
    assert re.match(r"failed perf_event_open pstat\+0x[0-9a-f]+\n", done.log)


def test_an_event_that_could_not_be_tried_is_not_one_for_cpus_alone():
    rows = json.loads(run(["list", "-j", "--check", "cpu-clock"], f"perf_event_open:1:{errno.EMFILE}").out)
    assert rows[0]["Opens"] == "no" and "EMFILE" in rows[0]["WhyNot"]
    rows = json.loads(run(["list", "-j", "--check", "cpu-clock"], f"perf_event_open:1:{errno.ENOENT}").out)
    assert rows[0]["Opens"] == "on CPUs"


@pytest.mark.parametrize("line", [
    Line("true", events=("task-clock", "context-switches", "page-faults")),
    Line("-x,", "-e", "cs,task-clock,page-faults", "true", events=("cs", "task-clock", "page-faults")),
    Line("-j", "-o", "out", "-e", "cs,page-faults", "true", events=("cs", "page-faults")),
    Line("-I", 10, "--interval-count", 2, "-e", "task-clock", *workload("spin", "--ms", 30), events=("task-clock",)),
    Line("-r", 3, "-e", "task-clock", "true", events=("task-clock",)),
    Line("list", "-j", "--check", "sw", events=("cpu-clock", "task-clock", "page-faults", "context-switches"),
         shape_of=lambda text: re.sub(r'"Opens" : ("yes"|"in user space"|"on CPUs"|"no", "WhyNot" : "[^"]*")', "", shape(text))),
], ids=["default", "csv", "json-file", "interval", "repeat", "list"])
def test_a_line_survives_each_fault(line):
    check(line)


def test_counting_a_process_survives_each_fault(sleeper):
    check(Line("-p", sleeper().pid, "-e", "cs,page-faults", "--timeout", 10, events=("cs", "page-faults")))


def test_counting_by_bpf_survives_each_fault(bpffs):
    check(Line("-a", "--bpf-counters", "--bpf-attr-map", bpffs / ATTR_MAP, "-e", "cpu-clock", "--timeout", 10,
               events=("cpu-clock",)), bpffs)


def test_counting_control_groups_by_bpf_survives_each_fault(cgroup, sys_bpffs):
    check(Line("-a", "--bpf-counters", "--for-each-cgroup", cgroup("faults"), "-e", "cpu-clock", "--timeout", 10,
               events=("cpu-clock",)), sys_bpffs)


def test_a_profile_survives_each_fault():
    """Which functions are in it differs from run to run; that there are samples and what they are of does not."""
    heading = lambda text: re.findall(r"^# (\S+),|^ *(share) .*function$", text or "", re.M)
    check(Line("profile", "-e", "cpu-clock", "--", *workload("spin", "--ms", 20), events=("cpu-clock",), shape_of=heading))


def test_counting_a_bpf_program_survives_each_fault(bpf_prog):
    """Where the kernel refuses it, what goes before."""
    check(Line("-b", bpf_prog(), "-e", "run_cnt,cpu-clock", "true", events=("run_cnt", "cpu-clock"), code=FAILED if why_no_fentry() else 0))
