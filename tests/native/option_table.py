#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Pairs and single options of perf stat, and how they are recorded from perf 6.12:

    tests/native/option_table.py PERF

rewrites tests/golden/perf-6.12/option-pairs.txt and options.txt. Both have a block for each line of
the tables below: the options after "$", the exit status, and what perf printed, with N for each
figure. Each line is run with the command `true`; PID is a process that sleeps."""

import os
import pathlib
import re
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden/perf-6.12"

PAIRS = """
-a -p PID -e cs
-p PID -a -e cs
-a -t PID -e cs
-C 0 -p PID -e cs
-t PID -C 0 -e cs
-a -C 0 -p PID -e cs
-p PID -t PID -e cs
-t PID -p PID -x, -e cs
-a -p PID -j -e cs
-a -p PID --quiet -e cs
-a -C 0 -e cs
-a -i -e cs
-i -C 0 -e cs
-i -p PID -e cs
-i -n
-B -j -e cs
-B -x, -e cs
-j -x, -e cs
-x; -j -e cs
-n -x,
-n -j
-n -e cs
-n -d
-n -d -e cs
-n -a
-n -a -A
-n -p PID
-n -C 0 --per-core
-n --all-user -e cs
-n --no-scale
-n --bpf-counters
-n --append
-a --per-core -A -e cs
-a -A --per-core -e cs
-a --per-socket --per-core -x, -e cs
-a --per-socket --per-node -x, -e cs
-a --per-die --per-socket -x, -e cs
-a --per-cluster --per-die -x, -e cs
-a --per-node --per-die -j -e cs
-p PID --per-thread --per-core -e cs
-C 0 --per-thread -e cs
-p PID -A -e cs
-A -e cs
-G / -p PID -e cs
-e cs -G /
-a -e cs -G / --for-each-cgroup /
-a -e cs -d -G /
-a -d -e cs,faults -G / -x,
-a -e cs -G / -e faults -d -x,
-e cs --for-each-cgroup /
-n -a --for-each-cgroup /
-n -a -e cs --for-each-cgroup / -x,
--all-user --all-kernel -e cs
--all-user -e cs:k
--all-kernel -e cs:u
--append -x, -e cs
--append --log-fd 2 -e cs
--quiet -o FILE -e cs
--quiet -x, -e cs
--quiet --log-fd 2 -e cs
-o FILE --log-fd 2 -e cs
-r 2 --table -x, -e cs
-r 2 --table -j -e cs
-r 2 -n
-r 1 --table -e cs
--table -e cs
--summary --no-csv-summary -e cs
--summary --no-csv-summary -x, -e cs
--no-csv-summary -x, -e cs
--percore-show-thread -a -e cs
--percore-show-thread -a -A -x, -e cs
--metric-no-group --metric-no-merge -x, -e cs
--bpf-attr-map /sys/fs/bpf/none -a -e cs
--interval-count 1 -e cs
--timeout 1000 -S -e cs
--pre true --post true -e cs
-a --no-all-cpus -x, -e cs
-a -p PID --no-pid -x, -e cs
-x, --no-field-separator -e cs
-j --no-json-output -e cs
-A --aggr -e cs
-A --merge -e cs
-i --inherit -e cs
-n --no-null -x, -e cs
-dd --no-detailed -x, -e cs
-o FILE --no-output -x, -e cs
"""

SINGLES = """
-e cs
--event cs
--event=cs
-ecs
-i -e cs
--no-inherit -e cs
--inherit -e cs
-p PID -e cs
--pid PID -e cs
--pid=PID -e cs
-pPID -e cs
--no-pid -e cs
-t PID -e cs
--tid PID -e cs
--no-tid -e cs
--bpf-attr-map /sys/fs/bpf/none -e cs
-a -e cs
--all-cpus -e cs
--no-all-cpus -e cs
--scale -e cs
--no-scale -e cs
--no-verbose -e cs
-r 1 -e cs
-r2 -x, -e cs
-r +2 -x, -e cs
--repeat 2 -x, -e cs
--no-table -e cs
-n
--null
--no-null -e cs
-n -d
-n --detailed
--no-detailed -e cs
-S -e cs
--sync -e cs
--no-sync -e cs
-B -e cs
--big-num -e cs
--no-big-num -e cs
-C 0 -e cs
-C0 -e cs
--cpu 0 -e cs
--cpu=0 -e cs
--no-cpu -e cs
-a -A -e cs
-a --no-aggr -e cs
--aggr -e cs
-a --no-merge -e cs
--merge -e cs
-x, -e cs
-x , -e cs
-x '' -e cs
-x \\t -e cs
--field-separator , -e cs
--field-separator=, -e cs
--no-field-separator -e cs
-j -e cs
--json-output -e cs
--no-json-output -e cs
-a -e cs -G /
-a -e cs --cgroup /
-a --for-each-cgroup / -e cs
--no-for-each-cgroup -e cs
-o FILE -e cs
--output FILE -e cs
--output=FILE -e cs
-o - -e cs
--append -e cs
--no-append -e cs
--log-fd 2 -e cs
--log-fd=2 -e cs
--log-fd 0 -e cs
--no-log-fd -e cs
--pre true -e cs
--no-pre -e cs
--post true -e cs
--no-post -e cs
-I 0 -e cs
--no-interval-print -e cs
--no-interval-count -e cs
--no-interval-clear -e cs
--timeout 0 -e cs
--timeout=1000 -e cs
--timeout +1000 -e cs
--no-timeout -e cs
-a --per-socket -e cs
-a --per-die -e cs
-a --per-cluster -e cs
-a --per-cache -x, -e cs
-a --per-cache=L1 -x, -e cs
-a --per-core -e cs
-a --per-node -e cs
-p PID --per-thread -x, -e cs
--no-per-socket -e cs
--no-per-die -e cs
--no-per-cluster -e cs
--no-per-core -e cs
--no-per-thread -e cs
--no-per-node -e cs
-D 0 -e cs
-D +0 -e cs
--no-delay -e cs
--no-metric-only -e cs
--metric-no-group -e cs
--no-metric-no-group -e cs
--metric-no-merge -e cs
--metric-no-threshold -e cs
--record-tpebs -e cs
--no-record-tpebs -e cs
--all-user -e cs
--no-all-user -e cs
--all-kernel -e cs
--no-all-kernel -e cs
--percore-show-thread -e cs
--no-percore-show-thread -e cs
--summary -x, -e cs
--no-summary -x, -e cs
--no-csv-summary -e cs
--csv-summary -e cs
--quiet -e cs
--no-quiet -e cs
--hybrid-merge -e cs
--no-hybrid-merge -e cs
--td-level 1 -e cs
-n -T
-n --topdown
-n --smi-cost
--no-topdown -e cs
--no-transaction -e cs
--no-smi-cost -e cs
-p PID, -e cs
-p PID,PID -x, -e cs
-t PID, -e cs
-C 0, -e cs
--json -e cs
--out FILE -e cs
--o=FILE -e cs
--ev cs
-a --fo / -e cs
-a -e cs --cg /
--ver -n
--all-c -e cs
--no-all-c -e cs
--no-inh -e cs
--inh -e cs
-Sie cs
-aAe cs
-Bp PID -e cs
--no-event
--no-cgroup
--no-metrics
--no-filter
--no-filter -e cs
--no-control -e cs
--no-cputype -e cs
--pid
--all-cpus=1
"""


# Only the status of these lines is compared, because perf's -v prints messages about perf, and
# clusters and caches differ between machines.
SILENT = {
    "--ver -n", "-a --per-cluster -e cs", "-a --per-cache -x, -e cs", "-a --per-cache=L1 -x, -e cs",
    "-a --per-cluster --per-die -x, -e cs"
}


def shape(text):
    """Replaces figures with N, and several spaces with one. Equal neighbours, such as the rows of
    CPUs, become one line."""
    # Unlike perf, pstat prints below the rows why events are not supported.
    text = re.sub(r"^pstat: not counted: .*\n?(?: {7}.*\n?)?", "", text, flags=re.M)
    # The deviation, and the share of the time for which an event of a cgroup was on a CPU.
    text = re.sub(r" +\( *(\+- *)?[\d.]+% *\)", "", text)
    text = re.sub(r"\d+(\.\d+)?", "N", text)
    # For a missing name, perf prints (null), and with -x no JSON.
    text = re.sub(r'("pcnt-running" : N),.*', r"\1", text)
    lines = []
    for line in text.strip().split("\n"):
        line = re.sub(r"[ \t]+", " ", line).strip()
        if line and lines[-1:] != [line]:
            lines.append(line)
    return lines


def words_of(line, pid):
    """Returns the words of a line of the tables."""
    words = re.sub(r"\bPID\b|(?<=-p)PID", str(pid), line).split()
    return ["" if word == "''" else word for word in words]


def read(name):
    """Reads a golden file. Returns [(line, exit status, what was printed)]."""
    blocks = []
    for text in (GOLDEN / name).read_text(encoding="utf-8").split("\n"):
        if text.startswith("$ "):
            blocks.append((text[2:], None, []))
        elif text.startswith("exit "):
            blocks[-1] = (blocks[-1][0], int(text[5:]), blocks[-1][2])
        elif text:
            blocks[-1][2].append(text.removeprefix("    "))
    return blocks


def record(perf, name, table, pid):
    """Writes a golden file. If perf refused the line, writes only the first line of the output,
    because the rest is perf's usage."""
    with open(GOLDEN / name, "w", encoding="utf-8") as file:
        for line in table.strip().split("\n"):
            done = subprocess.run([perf, "stat", *words_of(line, pid), "true"],
                                  env={**os.environ, "LC_ALL": "C"}, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=False)
            shown = shape(
                done.stderr)[:None if done.returncode == 0 else 1] if line not in SILENT else []
            file.write(
                f"$ {line}\nexit {done.returncode}\n" + "".join(f"    {text}\n" for text in shown)
            )


def main():
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as sleeper:
        record(sys.argv[1], "option-pairs.txt", PAIRS, sleeper.pid)
        record(sys.argv[1], "options.txt", SINGLES, sleeper.pid)
        sleeper.kill()
    pathlib.Path("FILE").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
