# SPDX-License-Identifier: GPL-2.0-only
"""Helpers that make pstat's calls fail: which calls to try, with which errno, and how to check the
run. fault-shim.c makes the calls fail. The following calls are pstat's own: calls that pstat itself
makes, each bpf(2) and perf_event_open(2), and allocations of memory by libc. All other calls are
made by libraries."""

import collections
import contextlib
import errno
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from native import BUILD, PATIENCE, PSTAT, children_of, mask, proc_text, state_of

SHIM = BUILD / ".build/tests/native/fault-shim.so"
LONG = bool(os.environ.get("PSTAT_LONG"))
# The number of faults for each command line in a normal run: for pstat's own calls, and for the
# calls that libraries make.
OWN, INSIDE = 60, 16
# The number of faults, in a long run, for calls that a loop makes in one place. The first calls and
# a selection of the others fail.
LOOP = 40
GRACE = 0.1  # Seconds within which a child that waits for pstat must notice that pstat has ended.

# How each call fails: the errnos that the kernel returns for it, or 0 for a short write. Most calls
# fail for lack of memory.
FILES = [errno.EMFILE, errno.EACCES]
ERRNOS = {
    "open": FILES, "open64": FILES, "openat": FILES, "opendir": FILES, "fopen": FILES,
    "fopen64": FILES, "pipe2": FILES[:1], "socketpair": FILES[:1], "epoll_create1": FILES[:1],
    "timerfd_create": FILES[:1], "signalfd": FILES[:1], "syscall": FILES[:1], "dup": FILES[:1],
    "dup3": FILES[:1], "read": [errno.EIO,
                                errno.EINTR], "pread": [errno.EIO], "pread64": [errno.EIO],
    "fread": [errno.EIO], "fgets": [errno.EIO], "__getdelim": [errno.ENOMEM, errno.EIO],
    "readdir": [errno.EIO], "readdir64": [errno.EIO], "access": [errno.EACCES], "stat": [
        errno.EACCES
    ], "wait4": [errno.EINTR], "waitpid": [errno.EINTR], "epoll_wait": [errno.EINTR], "write": [
        errno.ENOSPC, errno.EPIPE, 0, errno.EINTR
    ], "fwrite": [errno.ENOSPC, errno.EPIPE], "fflush": [errno.ENOSPC], "fputs": [errno.ENOSPC],
    "fclose": [errno.ENOSPC], "ftruncate": [errno.EIO], "fork": [errno.EAGAIN], "posix_spawn": [
        errno.EAGAIN
    ], "posix_spawnp": [errno.EAGAIN], "poll": [errno.EINTR, errno.ENOMEM], "perf_event_open": [
        errno.EMFILE, errno.EACCES, errno.ENOENT, errno.EBUSY
    ], "bpf": [errno.ENOMEM, errno.EPERM, errno.ENOENT],
}
# If a write to standard error fails, pstat cannot report the error there.
WRITERS = ("write", "fwrite", "fflush", "fputs", "fclose")
OF_MEMORY = ("malloc", "calloc", "realloc")

Run = collections.namedtuple("Run", "code out err file log left")


def left_behind(known):
    """Returns the command lines of processes that still exist, and kills them."""
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


def run(args, fault=None, stdin=""):
    """Runs pstat with the shim. `code` is None if pstat did not end in time."""
    log, file = pathlib.Path("log"), pathlib.Path("out")
    log.unlink(missing_ok=True)
    file.unlink(missing_ok=True)
    known = children_of(os.getpid())
    env = {
        **os.environ, "LD_PRELOAD": str(SHIM), "FAULT_LOG": str(log.absolute()),
        **({"FAULT": fault} if fault else {})
    }
    with subprocess.Popen([PSTAT, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", env=env) as process:
        try:
            out, err = process.communicate(stdin, timeout=PATIENCE)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            code = None
    return Run(code, out, err, file.read_text(encoding="utf-8") if file.exists() else None,
               log.read_text(encoding="ascii") if log.exists() else "", left_behind(known))


def is_own(function, site):
    return site.startswith("pstat+") or function in ("bpf", "perf_event_open") or (
        function in OF_MEMORY and site.startswith("libc."))


def spread(things, number):
    """Returns this number of items, evenly spread, or all items if there are fewer."""
    return [things[i * len(things) // number]
            for i in range(number)] if len(things) > number else things


def calls_of_loop(numbers):
    return numbers[:LOOP // 2] + spread(numbers[LOOP // 2:], LOOP // 2)


def faults_of(log):
    """Returns the faults to try for the calls in a log, as FUNCTION:N:ERRNO, in the order of the
    calls."""
    numbers, places = collections.Counter(), {}
    for function, site in re.findall(r"^call (\S+) (\S+)$", log, re.M):
        numbers[function] += 1
        places.setdefault((function, site), []).append(numbers[function])
    own, inside = [], []
    for (function, site), calls in places.items():
        faults = own if is_own(function, site) else inside
        faults += [
            f"{function}:{number}:{code}"
            for number in (calls_of_loop(calls) if LONG else calls[:1])
            for code in ERRNOS.get(function, [errno.ENOMEM])
        ]
    return own + inside if LONG else spread(own, OWN) + spread(inside, INSIDE)


def where(done):
    """Returns a text for messages: the place of the call that failed."""
    failed = re.search(r"^failed (\S+) (\S+)$", done.log, re.M)
    return f" at {failed[2]}" if failed else ""


def leaks_of(log):
    """Returns the places that allocated memory without freeing it. Ignores libc and the loader,
    which keep memory, and code without a file, whose addresses differ in each run. Includes other
    libraries only if none of their own calls failed. The result has no sizes for libraries, because
    libbpf never frees its table of sections, which grows with each registration."""
    failed = re.search(r"^failed (\S+) (\S+)$", log, re.M)
    whose = r"(?!libc\.|ld-|\?)" if not failed or failed[2].startswith("pstat+") else r"pstat\+"
    rows = re.findall(rf"^kept ({whose}.*)", log, re.M)
    return {row if row.startswith("pstat") else row.split()[0] for row in rows}


def shape(text):
    """Returns text without figures, without pstat's own messages, and with single spaces."""
    text = "\n".join(line for line in (text or "").split("\n")
                     if not re.match("pstat: |       [a-z-]|# started on", line))
    return re.sub(r"N+(\.N+)?", "N", re.sub(r"\s+", " ", mask(text)))


class Line:
    """Holds a command line, the events in its output, and its output without figures."""

    def __init__(self, *args, events=(), shape_of=shape, code=0, stdin=""):
        self.args = list(map(str, args))
        self.events = events
        self.shape_of = shape_of
        self.code = code
        self.stdin = stdin

    def run(self, fault=None):
        return run(self.args, fault, self.stdin)

    def shapes(self, done):
        return [self.shape_of(done.out), self.shape_of(done.err), self.shape_of(done.file)]

    def whole(self, done):
        """Checks that the output has all its rows, and that JSON is valid."""
        text = done.file if "out" in self.args else done.out + done.err
        if text is None or any(event not in text for event in self.events):
            return False
        if self.args[0] in ("list", "progs"):
            json.loads(done.out)
        elif "-j" in self.args:
            for row in text.splitlines():
                json.loads(row)
        return True

    def wrong(self, clean, done, fault):
        """Describes what is wrong with a run in which a call failed."""
        function = fault.split(":")[0]
        said = re.search(r"^pstat: ", done.err, re.M)
        if done.code is None:
            yield "it hangs"
        elif done.code < 0:
            yield f"it dies of signal {-done.code}: " + " < ".join(
                re.findall("^frame (.*)", done.log, re.M)
            )
        if done.left:
            yield f"it leaves processes: {done.left}"
        yield from (f"it leaks: {row}" for row in sorted(leaks_of(done.log) - leaks_of(clean.log)))
        if clean.code or done.code is None:
            return
        if done.code and not said and function not in WRITERS:
            yield f"it ends with {done.code} and does not say why"
        if done.code and done.file == "":
            yield "it leaves an empty file"
        if done.code or self.shapes(done) == self.shapes(clean):
            return
        # Rows show whether an event could not be counted or opened, or only in user space.
        marks = re.findall(r"<not (?:supported|counted)>|:u\b|WhyNot|\bno: ",
                           done.out + done.err + (done.file or ""))
        if not said and not marks:
            yield (
                "it ends with 0, has printed something else, and says nothing of it:"
                f" {self.shapes(done)} for {self.shapes(clean)}"
            )
        if not self.whole(done):
            yield "it ends with 0 and not all was printed"
