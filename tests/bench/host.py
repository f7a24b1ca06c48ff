# SPDX-License-Identifier: GPL-2.0-only
"""Programs on this machine: sessions that count, the ping-pong, what a command costs."""

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

PATIENCE = 30  # seconds, far more than anything here takes
# A map of leaders of our own: perf leaves behind what it has pinned.
ATTR_MAP = f"/sys/fs/bpf/pstat-bench-{os.getpid()}"
IN_C = {**os.environ, "LC_ALL": "C"}


class Refused(Exception):
    """In the words of the tool that refused."""


def installed_perf():
    """A perf to compare with: one that counts through BPF or, without, any in PATH; None."""
    return programs.bpf_perf() or shutil.which("perf")


def stat(tool, options):
    """The argv of pstat or perf with `options`, a text, and then what else there is."""
    path = {"pstat": str(programs.PSTAT), "perf": installed_perf()}[tool]
    if "--for-each-cgroup" not in options:
        options = options.replace("--bpf-counters", f"--bpf-counters --bpf-attr-map {ATTR_MAP}")
    return [path, "stat", *options.split()]


def clean_up():
    with contextlib.suppress(FileNotFoundError):
        os.unlink(ATTR_MAP)


class Session:
    """`TOOL stat ...` in the background, which counts as soon as this is there."""

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
        """False when it has gone."""
        try:
            os.write(self._control, b"ping\n")
        except BrokenPipeError:
            return False
        ready, _, _ = select.select([self._ack], [], [], PATIENCE)
        return bool(ready and os.read(self._ack, 16))

    def end(self):
        """What it has printed."""
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
    """A BPF program that does nothing, at each context switch of this machine."""

    def __init__(self):
        self._process = subprocess.Popen([str(programs.WORKLOADS / "bpf-types"), "switch"],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True)
        if not self._process.stdout.readline():
            raise Refused(words(self.end()))

    def end(self):
        """What it has complained of."""
        return self._process.communicate()[1]


class PingPong:
    """Two tasks on one CPU; `pids` as -p takes them."""

    def __init__(self):
        self._process = subprocess.Popen([str(programs.WORKLOADS / "ping-pong")],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pids = ",".join(self._process.stdout.readline().split()[1:])

    def ns(self, ms):
        """ns of a round trip, over that many ms."""
        self._process.stdin.write(f"for {ms}\n")
        self._process.stdin.flush()
        _, ops, _, ns = self._process.stdout.readline().split()
        return int(ns) / int(ops)

    def end(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def cost(argv):
    """(ns, KiB) of one run of a command from its fork to its end: time, and the most memory."""
    done = subprocess.run([str(programs.WORKLOADS / "run-cost"), *argv], capture_output=True,
                          text=True, env=IN_C, check=False)
    match = re.fullmatch(r"ns (\d+) busy \d+ kib (\d+)\n", done.stdout)
    if not match:
        raise Refused(words(done.stderr) or f"exit status {done.returncode}")
    return int(match[1]), int(match[2])


def in_turn(names, rounds, measure):
    """{name: values} and {name: why not}. Each round has all of them once, beginning with another
    one each time, so that what this machine does besides falls on all alike. One that refuses is
    not asked again."""
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
    """(those of `names` that are wanted, the tools to measure them with); says so when there are
    any."""
    wanted = [name for name in names if context.wants(part, name)]
    if wanted:
        context.say(f"{part}: {context.rounds} rounds on this machine")
    return wanted, ["pstat", *(["perf"] if installed_perf() else [])]


def row(name, measured, figures):
    """The row of a name, of what in_turn() has returned for (tool, name): figures(values, tool,
    prefix) of each tool, the prefix being that of its columns, or why it refused."""
    values, refused = measured
    found = {"name": name}
    for tool, prefix in (("pstat", ""), ("perf", "perf_")):
        if (tool, name) in refused:
            found[f"{prefix}why"] = refused[tool, name]
        elif values.get((tool, name)):
            found.update(figures(values[tool, name], tool, prefix))
    return found


def load():
    """What else was going on, as a note: times on a busy machine are others' times too."""
    return (
        f"load of this machine in the last minute: {os.getloadavg()[0]:.1f}, with"
        f" {os.cpu_count()} CPUs"
    )


def quartiles(values):
    """As a text: half of the values are between these."""
    ordered = sorted(values)
    return f"{ordered[len(ordered) // 4]:.2f}-{ordered[3 * len(ordered) // 4]:.2f}"
