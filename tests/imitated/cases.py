# SPDX-License-Identifier: GPL-2.0-only
"""
Command lines for imitated machines (cases/*.txt), and what is compared of each run: the attrs that
were counted, the output, and the exit status.
"""

import contextlib
import hashlib
import itertools
import pathlib
import re
import shlex
import subprocess
import time

import imitated

CASES = pathlib.Path(__file__).resolve().parent / "cases"
GOLDEN = imitated.TOP / "tests/golden/imitated"
# If an output has more lines than this, the golden file has the first ones and a digest of all.
WHOLE = 40
HEAD = 12
# The fields that determine what an event counts. The other fields only say how the tool opens and
# reads it.
COMPARED = ("config1", "config2", "config3", "period", "freq", "precise_ip", "pinned", "exclusive",
            "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle", "exclude_host",
            "exclude_guest", "bp_type")


def expanded(line):
    """Returns the command lines of a line with alternatives {A|B|C}, one for each combination."""
    parts = re.split(r"(\{[^{}]*\|[^{}]*\})", line)
    choices = [part[1:-1].split("|") if number % 2 else [part] for number, part in enumerate(parts)]
    return [" ".join("".join(choice).split()) for choice in itertools.product(*choices)]


def topics():
    """Returns the names of the files of cases."""
    return sorted(path.stem for path in CASES.glob("*.txt"))


def cases(topic):
    """Returns {machine: [command line, …]} of a file of cases."""
    found, machines, texts = {}, imitated.names(), {}
    for line in (CASES / f"{topic}.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        named = re.fullmatch(r"([A-Z]+) = (.*)", line)
        line = re.sub(r"\$([A-Z]+)", lambda name: texts[name[1]], line)
        if named:
            texts[named[1]] = named[2]
        elif line.startswith("compare:"):
            continue
        elif line.startswith("machines:"):
            machines = line.split()[1:]
        else:
            for machine in machines:
                found.setdefault(machine, []).extend(expanded(line))
    return found


def compared(topic, lines):
    """Returns the part of an outcome that is compared: all of it, or the part that a line
    "compare:" in the file of cases selects. "rows" selects the attrs, the rows (of -x ';') and the
    exit status. "output" selects everything except the attrs."""
    text = (CASES / f"{topic}.txt").read_text(encoding="utf-8") if topic else ""
    what = re.search(r"^compare: (.*)$", text, re.MULTILINE)
    if not what:
        return lines
    if what[1] == "output":
        return [line for line in lines if not line.startswith("a ")]
    return [line for line in lines if not line.startswith("|") or line.count(";") >= 6]


def _attr_text(fields):
    shown = [f"{key}={fields[key]}" for key in COMPARED if key in fields]
    return " ".join([f"{fields['type']}:{fields['config']}", *shown])


def _opened(lines):
    """Returns the events by serial number as (attr, pid, cpu, serial of the leader), and the
    serials that were read."""
    opened, read, group_reads = {}, set(), set()
    for line in lines:
        words = line.split()
        if words[0] == "read":
            read.add(words[1])
        elif words[1] != "-":
            fields = dict(word.split("=", 1) for word in words[2:] if len(word) > 1 and "=" in word)
            opened[words[1]] = (_attr_text(fields), fields["pid"], fields["cpu"], fields["group"])
            if int(fields.get("read_format", "0"), 16) & 8:  # PERF_FORMAT_GROUP
                group_reads.add(words[1])
    # Reading the leader reads the group.
    read |= {serial for serial, event in opened.items() if event[3] in read & group_reads}
    return opened, read


def attrs_of(log):
    """Returns a line for each attr that was counted, with its CPUs and its group's leader. The
    lines are sorted, because the tools open events in different orders."""
    opened, read = _opened(log)
    found, seen, tasks = {}, {}, {"all": "all", "cgroup": "cgroup"}
    for serial, (attr, pid, cpu, group) in opened.items():
        if serial not in read:
            continue
        pid = tasks.setdefault(pid, f"task{len(tasks) - 1}")
        leader = f" in {opened[group][0]}" if group in opened else ""
        place = (attr + leader, pid, cpu)
        seen[place] = seen.get(place, 0) + 1
        found.setdefault((attr + leader, pid, seen[place]), set()).add(int(cpu))
    return sorted(f"{attr} pid={pid} cpus={'any' if cpus == {-1} else imitated.list_of(cpus)}"
                  for (attr, pid, _), cpus in found.items())


def masked(text, pid):
    """Removes the sleeper's PID, and "(null)", which perf prints as the unit of a missing
    metric."""
    text = text.replace('"metric-unit" : "(null)"', '"metric-unit" : ""')
    if pid:
        # Columns keep their width, regardless of the number of digits of the PID.
        text = re.sub(rf"\b{pid}( +)", lambda column: "PID".ljust(len(column[0])), text)
        text = re.sub(rf"\b{pid}\b", "PID", text)
    return text


@contextlib.contextmanager
def sleeper(words):
    """Returns the ID of a process that sleeps if the words contain PID, otherwise None."""
    if "PID" not in words:
        yield None
        return
    with subprocess.Popen(["sleep", "1000"]) as process:
        try:
            comm = pathlib.Path(f"/proc/{process.pid}/comm")
            while comm.read_text(encoding="utf-8") != "sleep\n":
                time.sleep(0.001)
            yield process.pid
        finally:
            process.kill()


def shortened(lines):
    """Returns the lines, or the first of them and a digest of all."""
    if len(lines) <= WHOLE:
        return lines
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    return [*lines[:HEAD], f"… {len(lines)} lines, {digest}"]


def outcome(machine, tool, line):
    """Runs a command line. Returns (lines of a golden file, the same without omissions)."""
    words = shlex.split(line)
    first = next((n for n, word in enumerate(words) if not re.match(r"[A-Z_]+=", word)), 0)
    env = dict(word.split("=", 1) for word in words[:first])
    with sleeper(words) as pid:
        words = [str(pid) if word == "PID" else word for word in words[first:]]
        done, log = machine.attrs([tool, "stat", *words], env)
    attrs = [f"a {attr}" for attr in attrs_of(log)]
    # Below the rows, pstat prints why events are not supported. perf does not.
    errors = re.sub(r"^pstat: not counted: .*\n(?: {7}.*\n)?", "", done.stderr, flags=re.M)
    output = [f"| {text}" for text in masked(errors + done.stdout, pid).splitlines()]
    status = f"exit {done.returncode}"
    return [status, *shortened(attrs), *shortened(output)], [status, *attrs, *output]


def golden_path(machine, topic):
    return GOLDEN / f"{machine}-{topic}.txt"


def recorded(machine, topic):
    """Returns {command line: lines} of a golden file."""
    found, lines = {}, None
    for text in golden_path(machine, topic).read_text(encoding="utf-8").splitlines():
        if text.startswith("$ "):
            lines = found.setdefault(text[2:], [])
        elif lines is not None:
            lines.append(text)
    return found


def names_of_golden():
    """Returns [(machine, topic), …] for the files that a test compares."""
    return [(machine, topic) for topic in topics() for machine in sorted(cases(topic))]
