# SPDX-License-Identifier: GPL-2.0-only
"""Runs the same command lines with perf stat and pstat. Apart from figures, the text must be the
same, including spaces at the end of lines. DIFFERENCES lists the intended exceptions and their
reasons. PERF=/path/to/perf selects another perf than the installed one, and PERF_BPF a perf with
BPF skeletons."""

import os
import re
import shlex
import shutil
import subprocess
import time

import pytest

import native
from native import IN_C, PATIENCE, mask, run

LINES = [
    # a command
    "true", "-e cs true", "-e cs,task-clock,page-faults true", "-e task-clock:u,task-clock:k true",
    "-n true", "-d -e cs true", "-dd -e cs true", "-ddd -e cs true", "-d true",
    "-i -e cs,page-faults true", "-v -e page-faults true", "-e {cs,page-faults} true",
    "-e cs -e page-faults true", "-e duration_time true", "-e page-faults --no-big-num true",
    "-e page-faults -B true", "-e page-faults --no-scale true", "--all-user -e page-faults true",
    "--all-kernel -e page-faults true", "-e page-faults --quiet true",
    "-e page-faults sh -c 'exit 3'", "-S -e page-faults true",
    "--pre 'echo pre' --post 'echo post' -e page-faults true",
    # formats
    "-x, -e cs,task-clock,page-faults true", "-x ';' -e page-faults true",
    r"-x '\t' -e page-faults true", "-j -e cs,task-clock,page-faults true",
    "-x, -e cycles,page-faults true", "-e cycles,page-faults true",
    "-x, --summary -e page-faults true", "-o FILE -e page-faults true",
    "-o FILE --append -x, -e page-faults true", "--log-fd 1 -x, -e page-faults true",
    "-o - --append -e page-faults true",
    # repetitions
    "-r 3 -e page-faults,task-clock true", "-r 2 -x, -e page-faults true",
    "-r 2 -j -e page-faults,task-clock true", "-r 2 --table -e page-faults true", "-r 2 -n true",
    # CPUs
    "-a -e cs,task-clock sleep 0.1", "-C 0 -e cs,task-clock sleep 0.1",
    "-a -x, -e cs,task-clock sleep 0.1", "-a --per-socket -e cs,task-clock sleep 0.1",
    "-a --per-die -e cs sleep 0.1", "-a --per-core -e cs,task-clock sleep 0.1",
    "-a --per-node -e cs sleep 0.1", "-a --per-core -x, -e cs sleep 0.1",
    "-a --per-socket -j -e cs sleep 0.1", "-a -A -e cs,task-clock sleep 0.1",
    "-a -A -x, -e cs sleep 0.1", "-a -A -j -e cs sleep 0.1", "-a -A sleep 0.1",
    "-a --per-core -r 2 -e cs,task-clock sleep 0.05", "-C 0 --per-core -e cs sleep 0.1",
    # intervals
    "-a -I 100 --interval-count 3 -e cs,task-clock", "-a -I 100 --interval-count 2 -x, -e cs",
    "-a -I 100 --interval-count 2 -j -e task-clock", "-a -A -I 100 --interval-count 2 -e cs",
    "-a --per-core -I 100 --interval-count 2 -e cs",
    "-a -I 100 --interval-count 2 --summary -e cs,task-clock",
    "-a -I 100 --interval-count 2 --summary -x, -e cs",
    "-a -I 100 --interval-count 2 --summary --no-csv-summary -x, -e cs",
    "-a --timeout 100 -e cs,task-clock", "-D 50 -e page-faults sleep 0.1",
    "-I 0 --timeout 0 -x, -e cs true", "-D -1 -e page-faults true",
    # tasks and cgroups
    "-p PID -e cs,task-clock sleep 0.1", "-t PID -e cs,task-clock -x, sleep 0.1",
    "-p PID --per-thread -e task-clock sleep 0.1",
    "-p PID --per-thread -x, -e task-clock sleep 0.1", "-a -e task-clock -G / sleep 0.1",
    "-a -x, -e cs,task-clock -G /, sleep 0.1", "-a --for-each-cgroup / -e task-clock sleep 0.1",
    "-a --per-socket --for-each-cgroup / -e task-clock sleep 0.1",
]

# For each difference: the reason, the versions of perf, and changes that are made to perf's masked
# text, to pstat's text, and to both texts before the comparison.
ALL, OLD = (lambda version: True), (lambda version: version < (6, 12))
DIFFERENCES = [
    ("-v: debug messages of perf's own", ALL, [(r"^(Using CPUID|Control descriptor is not) .*\n",
                                                "")], [], []),
    ("JSON: without a metric perf's unit is (null), pstat's is empty", ALL,
     [(r'"metric-unit" : "\(null\)"', '"metric-unit" : ""')], [], []),
    ("-r: how many decimals there are, and whether there is a deviation, depends on the runs", ALL,
     [], [], [(r" +N\.N+ \+- N\.N+ seconds", " N +- N seconds"), (r"  \( \+- *N\.NN% \)$", ""),
              (r"^ +N\.N+ \([+-]N\.N+\) #+$", " N (N) #"), (r"^ +# (Table|Final)", r" # \1")]),
    ("on a busy machine an interval may be missed: pstat says so", ALL, [],
     [(r"^pstat: N intervals were missed: .*\n", "")], []),
    ("what nothing can enable: pstat says so", ALL, [],
     [(r"^pstat: with -D -N, only --control .*\n", "")], []),
    ("pstat prints the reason below the rows if events are not supported", ALL, [],
     [(r"^pstat: not counted: .*\n(?: {7}.*\n)?", "")], []),
    ("before 6.12 columns have other widths", OLD, [], [], [(r" +", " "), (r" $", "")]),
    ("before 6.12 times in CSV are padded", OLD, [], [], [(r"^ +(?=[^ ]*,)", "")]),
    ("before 6.12 -A does not name the PMU, and its heading is in capitals", OLD, [],
     [(r" \[software\]", "")], [("time CPU ", "time cpu ")]),
    ("before 6.12 metrics in JSON are numbers", OLD, [(r'"metric-value" : (N\.N+),',
                                                       r'"metric-value" : "\1",')], [], []),
    ("before 6.12 a summary has a head", OLD,
     [(r"^( N\.N{9} .*\n)\n Performance counter stats for .*:\n\n", r"\1")], [], []),
]


class Perf:
    def __init__(self, path):
        self.path = path
        text = subprocess.run([path, "--version"], capture_output=True, text=True,
                              check=False).stdout
        found = re.search(r"(\d+)\.(\d+)", text)
        self.version = tuple(map(int, found.groups())) if found else ()

    def run(self, words):
        return subprocess.run([self.path, "stat", *words], capture_output=True, text=True,
                              timeout=PATIENCE, check=False, env={**os.environ, **IN_C},
                              stdin=subprocess.DEVNULL, preexec_fn=native.default_signals)


def perfs():
    paths = [os.environ.get("PERF") or shutil.which("perf"), os.environ.get("PERF_BPF")]
    return [Perf(path) for path in paths if path]


PERFS = perfs()


def words_of(line, pid, file):
    return [{"PID": str(pid), "FILE": file}.get(word, word) for word in shlex.split(line)]


def text_of(done, words, file):
    """Returns the masked text of all streams and of the file. The date in a file is not
    compared."""
    text = done.stdout + done.stderr
    if file in words:
        with open(file, encoding="ascii") as report:
            text += re.sub(r"^# started on .*$", "# started on DATE", report.read(), flags=re.M)
    return mask(text)


def rewritten(text, rules):
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text


def test_the_tables_have_many_command_lines():
    assert len(LINES) == len(set(LINES)) >= 40


def compare(line, perf, pid):
    """Compares the text and exit status of perf and pstat."""
    texts, codes = [], []
    for name, go in (("theirs", perf.run), ("ours", lambda words: run(*words))):
        words = words_of(line, pid, name)
        done = go(words)
        texts.append(text_of(done, words, name))
        codes.append(done.returncode)
    for _, applies, theirs, ours, both in DIFFERENCES:
        if applies(perf.version):
            texts = [rewritten(texts[0], theirs + both), rewritten(texts[1], ours + both)]
    if codes[0] == 0 and "exit 3" in line:
        codes[0] = 3  # perf 6.12 loses the exit status of the command.
    return [text.split("\n") for text in texts], codes


@pytest.mark.skipif(not PERFS, reason="probe: command -v perf: no perf is installed")
@pytest.mark.parametrize("perf", PERFS, ids=lambda perf: ".".join(map(str, perf.version))
                         if PERFS else "none")
@pytest.mark.parametrize("line", LINES)
def test_the_text_is_that_of_perf(line, perf, request):
    """The kernel starts the clock of a cgroup on a CPU at a switch between two cgroups. If all
    tasks of the machine are in one cgroup, perf prints <not counted>. So each CPU gets a busy
    process in a cgroup of its own.

    The comparison is repeated up to four times. With both tools, it depends on chance whether an
    event runs within 0.1 s. If another test takes samples at the same time, the running time of an
    event of a cgroup can be a few nanoseconds shorter than its enabled time."""
    assert perf.version, f"{perf.path} --version prints no version, and the output depends on it"
    pid = request.getfixturevalue("spinner")().pid if "PID" in line else 0
    for cpu in native.online_cpus() if re.search("cgroup|-G", line) else ():
        request.getfixturevalue("busy")(f"cpu-{cpu}", cpu)
    for pause in (0, 0, 0.5, 2):
        time.sleep(pause)
        texts, codes = compare(line, perf, pid)
        for name in ("theirs", "ours"):
            if os.path.exists(name):
                os.unlink(name)
        if texts[0] == texts[1]:
            break
    assert texts[1] == texts[0]
    assert codes[1] == codes[0]
