# SPDX-License-Identifier: GPL-2.0-only
"""Runs random command lines (command_lines.py) with a pstat that is built with the address and
undefined-behaviour sanitizers. No line crashes, hangs or leaves a process, an error message names
what it refuses, and the output of a valid line is complete. PSTAT_SEED=N chooses other lines."""

import fcntl
import json
import os
import re
import shlex
import signal
import subprocess
import time

import pytest

import command_lines
from faults import left_behind
from native import (
    BUILD,
    CONFLICT,
    FAILED,
    IN_C,
    LIBC,
    PATIENCE,
    TOP,
    USAGE,
    children_of,
    default_signals,
)

SANITIZED = BUILD / ".build/sanitize/pstat"
SEED = int(os.environ.get("PSTAT_SEED", 1))
LINES = 2000 if os.environ.get("PSTAT_LONG") else 60
CHUNK = 50
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
REPORTED = 99  # the exit status of a sanitizer
# A line that may count forever gets SIGINT after this number of seconds, repeatedly.
ENOUGH = 1
# The time limit in seconds. A valid line ends by itself, even with sanitizers, but the machine may
# be busy.
LONGEST = 6 * PATIENCE

pytestmark = pytest.mark.usefixtures("own_pins")


@pytest.fixture(scope="module")
def sanitized():
    """Returns the path of pstat with sanitizers, which make builds if necessary."""
    out = os.environ.get("O", "")
    with open(BUILD / ".build/flags", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Another worker may also build it.
        subprocess.run(
            ["make", "--no-print-directory", *([f"O={out}"] if out else []), "sanitized-pstat"],
            cwd=TOP, check=True, capture_output=True)
    return SANITIZED


@pytest.fixture
def orphans():
    """Makes processes that pstat leaves behind children of the test."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


class Done:
    """Holds the result of a line."""

    def __init__(self, program, line, folder):
        self.line = line
        self.logs = folder.parent / "sanitizer"
        env = {**os.environ, **IN_C, "ASAN_OPTIONS": f"log_path={self.logs}:exitcode={REPORTED}",
               "UBSAN_OPTIONS": f"log_path={self.logs}:print_stacktrace=1"}
        words = [os.fsencode(word) if "\udcff" in word else word for word in line.words]
        known = children_of(os.getpid())
        self.interrupted = self.hangs = False
        with subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=folder, env=env,
                              preexec_fn=default_signals) as process:
            self.out, self.err = (text.decode(errors="surrogateescape")
                                  for text in self.await_end(process))
            self.status = process.returncode
        self.left = left_behind(known)
        self.files = {
            path.name: path.read_text(encoding="utf-8", errors="surrogateescape")
            for path in folder.iterdir()
        }
        for path in folder.iterdir():
            path.unlink()

    def await_end(self, process):
        began = time.monotonic()
        while True:
            try:
                return process.communicate(timeout=LONGEST if self.line.kind == "valid" else ENOUGH)
            except subprocess.TimeoutExpired:
                self.hangs = time.monotonic() - began > LONGEST
                self.interrupted = True
                process.send_signal(signal.SIGKILL if self.hangs else signal.SIGINT)

    # ---- possible faults ----

    def messages(self):
        return "\n".join(
            re.findall(
                r"^(?:pstat(?: [a-z]+)?: |event syntax error|       [a-z]).*", self.err, re.M
            )
        )

    def faults(self):
        reports = [
            path.read_text(encoding="utf-8", errors="replace")
            for path in self.logs.parent.glob(f"{self.logs.name}.*")
        ]
        for path in self.logs.parent.glob(f"{self.logs.name}.*"):
            path.unlink()
        yield from reports
        if self.hangs:
            yield f"it did not end in {LONGEST} s"
        elif self.status not in self.allowed():
            yield f"exit status {self.status}, not in {sorted(self.allowed())}"
        elif self.status in (USAGE, CONFLICT, FAILED):
            yield from self.unnamed()
        elif self.line.kind == "valid" and self.line.form:
            yield from self.malformed()
        if self.left:
            yield f"processes are left behind: {self.left}"
        if not all(any(word.endswith(name) for word in self.line.words) for name in self.files):
            yield f"files are left behind: {sorted(self.files)}"
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", self.messages()):
            yield f"a message has control characters: {self.messages()!r}"

    def allowed(self):
        """Returns the permitted exit statuses: those in the manual, and those of the commands."""
        if self.line.kind == "valid":
            return {self.line.status}
        allowed = {0, 1, 2, 3, 126, 127, USAGE, CONFLICT, FAILED}
        # a mistake in the script may change the status
        if any("exit" in word for word in self.line.words):
            allowed |= set(range(256)) - {REPORTED}
        return allowed | {-signal.SIGINT, 128 + signal.SIGINT, 128 +
                          signal.SIGTERM} if self.interrupted else allowed

    def unnamed(self):
        """An error message contains a part of the line."""
        pieces = {
            piece for word in self.line.words
            for piece in [*word, word, *re.split(r"[^\w]+", word)] if piece
        }
        if not any(piece in self.err
                   for piece in pieces) and "''" not in self.err and self.status != FAILED:
            yield f"the message names nothing of the line: {self.err!r}"
        # messages of perf, without "pstat: "
        known = ("Usage: ", "Cannot find metric", "freeze_on_smi is not supported")
        if not self.messages() and not any(text in self.err for text in known):
            yield f"exit status {self.status} without a reason: {self.err!r}"

    def malformed(self):
        words, form = self.line.words, self.line.form
        listed = words[0] in ("profile", "list", "progs")
        text = self.files.get("out", "") if "out" in words else self.out if listed else self.err
        rows = [
            row for row in text.splitlines()
            if row and not row.startswith(("pstat: ", "       ", "# started on"))
        ]
        if form == "list":
            rows, form = [self.out.replace("\n", " ")], "json"
        if "true" not in words and "--" in words:
            return
        if not rows:
            yield f"nothing is printed: {self.err!r}"
        if form == "json":
            for row in rows:
                try:
                    json.loads(row)
                except ValueError as error:
                    yield f"{error}: {row!r}"
        elif form == "csv" and words[0] != "profile":
            separator = words[words.index("-x") + 1].replace("\\t", "\t")
            for row in rows:
                if row.count(separator) < 3:
                    yield f"a row without fields: {row!r}"


@pytest.mark.parametrize("first", range(0, LINES, CHUNK))
def test_a_random_command_line_does_no_harm(first, sanitized, sampling, orphans, sleeper, tmp_path):
    pid, wrong = sleeper().pid, []
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(first, min(first + CHUNK, LINES)):
        line = command_lines.Maker(SEED, number, pid).line()
        faults = list(Done(sanitized, line, folder).faults())
        if faults:
            wrong.append(f"PSTAT_SEED={SEED}, line {number} ({line.kind}): pstat "
                         f"{shlex.join(line.words)}\n  " + "\n  ".join(faults))
    assert not wrong, "\n".join(wrong).encode(errors="backslashreplace").decode()


@pytest.mark.parametrize("words", [["-e", "{cycles,instructions},cs"],
                                   ["-a", "-r", "2", "-e", "uncore_imc/clockticks/,slots"],
                                   ["-e", "{r1,r2,r3,r4,r5,r6,r7,r8,r9}:W"]], ids=" ".join)
def test_the_sanitizers_report_nothing_on_an_imitated_machine(sanitized, icelake, words):
    done = icelake.run([sanitized, "-x,", *words, "true"],
                       env={"ASAN_OPTIONS": f"exitcode={REPORTED}"})
    assert (
        done.returncode == 0 and len(done.stderr.splitlines()) == words[-1].count(",") + 1
    ), done.stderr
