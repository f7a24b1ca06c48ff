# SPDX-License-Identifier: GPL-2.0-only
"""Programs on this machine: sessions that count, the ping-pong, and the cost of a command."""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile

import programs
from table import words

PATIENCE = 30  # seconds, far more than anything here needs
# This map of leaders belongs to the bench, because perf leaves its pinned map behind.
ATTR_MAP = f"/sys/fs/bpf/pstat-bench-{os.getpid()}"
IN_C = {**os.environ, "LC_ALL": "C"}


class Refused(Exception):
    """Raised if a tool refuses to count. The text is the tool's message."""


def installed_perf():
    """Returns a perf to compare with: one that counts through BPF, otherwise any perf in PATH,
    otherwise None."""
    return programs.bpf_perf() or shutil.which("perf")


def stat(tool, options):
    """Returns the command line of pstat or perf, with `options` (a text) and the other
    arguments."""
    path = {"pstat": str(programs.PSTAT), "perf": installed_perf()}[tool]
    if "--for-each-cgroup" not in options:
        options = options.replace("--bpf-counters", f"--bpf-counters --bpf-attr-map {ATTR_MAP}")
    return [path, "stat", *options.split()]


def clean_up():
    with contextlib.suppress(FileNotFoundError):
        os.unlink(ATTR_MAP)


class Session:
    """`TOOL stat ...` in the background. When the constructor returns, the session counts."""

    def __init__(self, argv):
        control, self._control = os.pipe()
        self._ack, ack = os.pipe()
        self._log = tempfile.TemporaryFile("w+")
        try:
            self._process = subprocess.Popen([*argv, "-x,", "--control", f"fd:{control},{ack}"],
                                             pass_fds=(control, ack), stdin=subprocess.DEVNULL,
                                             stdout=self._log, stderr=self._log, env=IN_C)
        finally:
            os.close(control)
            os.close(ack)
        if not self._answers():
            raise Refused(words(self.end()) or f"{argv[0]} does not answer")

    def _answers(self):
        """Returns False if the session has ended."""
        try:
            os.write(self._control, b"ping\n")
        except BrokenPipeError:
            return False
        ready, _, _ = select.select([self._ack], [], [], PATIENCE)
        return bool(ready and os.read(self._ack, 16))

    def end(self):
        """Ends the session, and returns its output."""
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.seek(0)
        text = self._log.read()
        self._log.close()
        os.close(self._control)
        os.close(self._ack)
        return text


class EmptyProgram:
    """Runs a BPF program that does nothing at each context switch of this machine."""

    def __init__(self):
        self._process = subprocess.Popen([str(programs.WORKLOADS / "bpf-types"), "switch"],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True)
        if not self._process.stdout.readline():
            raise Refused(words(self.end()))

    def end(self):
        """Ends the program, and returns its error messages."""
        return self._process.communicate()[1]


class PingPong:
    """Runs two tasks on one CPU. `pids` is their list for -p."""

    def __init__(self):
        self._process = subprocess.Popen([str(programs.WORKLOADS / "ping-pong")],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pids = ",".join(self._process.stdout.readline().split()[1:])

    def ns(self, ms):
        """Returns the ns of a round trip: the mean over this number of ms."""
        self._process.stdin.write(f"for {ms}\n")
        self._process.stdin.flush()
        _, ops, _, ns = self._process.stdout.readline().split()
        return int(ns) / int(ops)

    def end(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def cost(argv):
    """Returns (ns, KiB) of one run of a command from its fork to its end: the time, and the peak
    memory."""
    done = subprocess.run([str(programs.WORKLOADS / "run-cost"), *argv], capture_output=True,
                          text=True, env=IN_C, check=False)
    match = re.fullmatch(r"ns (\d+) busy \d+ kib (\d+)\n", done.stdout)
    if not match:
        raise Refused(words(done.stderr) or f"exit status {done.returncode}")
    return int(match[1]), int(match[2])


def in_turn(names, rounds, measure):
    """Returns {name: values} and {name: reason}. Each round measures all names once, and begins
    with another name each time, so that other work on this machine affects all of them equally. A
    name that was refused is not measured again."""
    values, refused = {name: [] for name in names}, {}
    try:
        for number in range(rounds):
            first = number % len(names)
            for name in [*names[first:], *names[:first]]:
                if name not in refused:
                    try:
                        values[name].append(measure(name))
                    except Refused as error:
                        refused[name] = str(error)
    finally:
        clean_up()
    return values, refused


def choose(context, part, names):
    """Returns the requested names and the tools with which they are measured. If there are any,
    prints the number of rounds."""
    wanted = [name for name in names if context.wants(part, name)]
    if wanted:
        context.say(f"{part}: {context.rounds} rounds on this machine")
    return wanted, ["pstat", *(["perf"] if installed_perf() else [])]


def row(name, measured, figures):
    """Returns the row of a name from the result of in_turn() for (tool, name). figures(values,
    tool, prefix) makes the figures of each tool, with the prefix of its columns. If a tool refused,
    the row has the reason."""
    values, refused = measured
    found = {"name": name}
    for tool, prefix in (("pstat", ""), ("perf", "perf_")):
        if (tool, name) in refused:
            found[f"{prefix}why"] = refused[tool, name]
        elif values.get((tool, name)):
            found.update(figures(values[tool, name], tool, prefix))
    return found


def load():
    """Returns a note about other work. On a busy machine, measured times include the time of other
    work."""
    return (
        f"load of this machine in the last minute: {os.getloadavg()[0]:.1f}, with"
        f" {os.cpu_count()} CPUs"
    )


def quartiles(values):
    """Returns the range that contains half of the values, as a text."""
    ordered = sorted(values)
    return f"{ordered[len(ordered) // 4]:.2f}-{ordered[3 * len(ordered) // 4]:.2f}"
