# SPDX-License-Identifier: GPL-2.0-only
"""Makes one call fail at a time while pstat counts BPF programs and shares counters: as
tests/native/test_faults.py does, but on a kernel that accepts fentry and fexit. pstat is linked
dynamically, as it is installed, because the shim must be preloaded. The normal run tries a sample
of the faults of a line, and PSTAT_LONG=1 tries all."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import pytest

from guest import guest_each

HERE = pathlib.Path(__file__).parent
TOP = HERE.parents[1]
sys.path += [str(HERE.parent / "bench"), str(HERE.parent / "native")]

import programs
from faults import ERRNOS, LONG, SHIM, Line, Run, where

FILES = [HERE / "guest-files" / name for name in ("faults", "choose-faults", "target", "ask")]
OWN, INSIDE = ("all", "all") if LONG else (9, 3)
RUNS = 20
LOAD = ". ./target\ntarget --prog loop --loops 1000\n"
RUN = "-- bpf-run --id $id --runs 20"


def headings(text):
    """Returns the headings of histograms and profiles, because the positions of their figures
    differ between runs."""
    return re.findall(
        r"^ *\S+ +(run_cnt|task-clock) |^# (\S+),|^ *(share) .*line$|, (\d+) "
        r"runs:?$|^(outliers),all,", text or "", re.M)


# name: commands that run before, the arguments of pstat, the Line, and the row that the output
# contains if pstat ends with 0
LINES = {
    "csv": (LOAD, f"-x, -b $id -e run_cnt,task-clock,cs {RUN}",
            {"events": ("run_cnt", "task-clock", "cs")}, f"^{RUNS},,run_cnt,"),
    "hist": (LOAD, f"-b $id --hist -e run_cnt,task-clock {RUN}",
             {"events": ("run_cnt", "task-clock"), "shape_of": headings}, f"^ +{RUNS} +run_cnt "),
    "outliers": (LOAD, f"-x, -b $id --outliers 0,time -e run_cnt,task-clock {RUN}",
                 {"events": ("run_cnt", "task-clock", "outliers"),
                  "shape_of": headings}, f"^{RUNS},,run_cnt,"),
    "bperf": ("", "-x, --bpf-counters -e task-clock,cs -- true", {"events": ("task-clock", "cs")},
              ""), "profile": (LOAD, "profile -b $id -e cpu-clock -- bpf-run --id $id --for 30",
                               {"events": ("cpu-clock", ), "shape_of": headings}, ""),
}


def shim():
    if not SHIM.exists():
        subprocess.run([
            "make", "--no-print-directory",
            *([f"O={os.environ['O']}"] if os.environ.get("O") else []), "fault-shim"
        ], cwd=TOP, check=True)
    return SHIM


def take(text, word):
    """Splits a text that begins with a line `WORD BYTES`: returns this number of bytes, and the
    rest."""
    head, _, rest = text.partition(b"\n")
    name, length = head.split()
    assert name.decode() == word, text[:200]
    return rest[:int(length)].decode(errors="replace"), rest[int(length):]


def runs_of(output):
    """Returns [(fault, Run)] from the output of the guest's script."""
    rest, found = output, []
    while rest.startswith(b"run "):
        head, rest = rest.split(b"\n", 1)
        end, rest = rest.split(b"\n", 1)
        out, rest = take(rest, "out")
        err, rest = take(rest, "err")
        left = []
        while rest.startswith(b"left "):
            line, rest = rest.split(b"\n", 1)
            left.append(line.decode())
        log, rest = take(rest, "log")
        code = end.split()[1]
        found.append((head.split()[1].decode(),
                      Run(None if code == b"never" else int(code), out, err, None, log, left)))
    return found


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    if platform.machine() != "x86_64":
        pytest.skip("probe: the guest is an x86-64, and what is preloaded there is of this "
                    f"{platform.machine()}")
    folder = tmp_path_factory.mktemp("faults")
    bundle = programs.bundle(folder, {"pstat": programs.PSTAT})
    for file in [shim(), *programs.libraries(SHIM)]:
        shutil.copy(file, bundle / "lib")
    errnos = folder / "errnos"
    errnos.write_text(
        "".join(f"{function} {' '.join(map(str, codes))}\n" for function, codes in ERRNOS.items()),
        encoding="ascii")
    steps = {"install": programs.INSTALL}
    for name, (before, args, _, _) in LINES.items():
        steps[name] = f"{before}exec ./faults {OWN} {INSIDE} pstat {args}"
    return guest_each(steps, files=[bundle, errnos, *FILES], arch="x86_64", kernel="6.12",
                      timeout=7200 if LONG else 300)


@pytest.mark.parametrize("name", LINES)
def test_a_line_survives_each_fault(results, name):
    _, args, words, row = LINES[name]
    line = Line(*args.split(" -- ")[0].split(), **words)
    (_, _), (_, clean), *tries = runs_of(results[name].stdout.encode())
    assert clean.code == 0 and not clean.left and re.search(
        row, clean.err, re.M) and len(tries) >= (100 if LONG else OWN), clean
    problems = []
    for fault, done in tries:
        wrong = list(line.wrong(clean, done, fault))
        if done.code == 0 and not re.search(row, done.err, re.M) and "pstat: " not in done.err:
            wrong.append("a count that is wrong")
        problems += [f"{fault}{where(done)}: {problem}\n{done.err}" for problem in wrong]
    failed = sum("failed " in done.log for _, done in tries)
    assert not problems, f"{len(problems)} of {len(tries)} faults of `pstat {args}`\n" + "\n".join(
        problems
    )
    assert failed >= len(tries) * 0.5, f"{failed} of {len(tries)} faults came about"
