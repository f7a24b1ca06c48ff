# SPDX-License-Identifier: GPL-2.0-only
"""Command lines to run on imitated machines (cases/*.txt), and what of a run is compared: attrs, output, exit status."""

import hashlib
import itertools
import pathlib
import re
import shlex

import imitated

CASES = pathlib.Path(__file__).resolve().parent / "cases"
GOLDEN = imitated.TOP / "tests/golden/imitated"
# Of more lines than this a golden file has the first ones and a digest of them all.
WHOLE = 40
HEAD = 12
# What decides what an event counts; the other fields say how the tool opens and reads it.
COMPARED = ("config1", "config2", "config3", "period", "freq", "precise_ip", "pinned", "exclusive", "exclude_user", "exclude_kernel",
            "exclude_hv", "exclude_idle", "exclude_host", "exclude_guest", "bp_type")


def expanded(line):
    """The command lines of a line with alternatives {A|B|C}, of which each is taken in turn."""
    parts = re.split(r"(\{[^{}]*\|[^{}]*\})", line)
    choices = [part[1:-1].split("|") if number % 2 else [part] for number, part in enumerate(parts)]
    return [" ".join("".join(choice).split()) for choice in itertools.product(*choices)]


def topics():
    """The names of the files of cases."""
    return sorted(path.stem for path in CASES.glob("*.txt"))


def cases(topic):
    """{machine: [command line, …]} of a file of cases."""
    found, machines = {}, imitated.names()
    for line in (CASES / f"{topic}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("machines:"):
            machines = line.split()[1:]
        elif line and not line.startswith("#"):
            for machine in machines:
                found.setdefault(machine, []).extend(expanded(line))
    return found


def _opened(lines):
    """[(attr, pid, cpu, serial of the leader or "-", format)] by serial of events that were opened, and the serials that were read."""
    opened, read = {}, set()
    for line in lines:
        words = line.split()
        if words[0] == "read":
            read.add(words[1])
        elif words[1] != "-":
            fields = dict(word.split("=", 1) for word in words[2:] if "=" in word and word != "=")
            attr = " ".join([f"{fields['type']}:{fields['config']}", *(f"{key}={fields[key]}" for key in COMPARED if key in fields)])
            opened[words[1]] = (attr, fields["pid"], fields["cpu"], fields["group"], int(fields.get("read_format", "0"), 16))
    for serial, event in opened.items():
        # a read of the leader reads the group
        if event[3] in read and opened[event[3]][4] & 8:
            read.add(serial)
    return opened, read


def attrs_of(log):
    """What was counted: a line for each attr, with its CPUs (or tasks) and its group's leader; sorted, the tool's order is its own."""
    opened, read = _opened(log)
    found, seen = {}, {}
    for serial, (attr, pid, cpu, group, _) in opened.items():
        if serial not in read:
            continue
        leader = f" in {opened[group][0]}" if group in opened else ""
        place = (attr + leader, pid, cpu)
        seen[place] = seen.get(place, 0) + 1
        found.setdefault((attr + leader, pid, seen[place]), set()).add(int(cpu))
    return sorted(f"{attr} pid={pid} cpus={'any' if cpus == {-1} else imitated.list_of(cpus)}"
                  for (attr, pid, _), cpus in found.items())


def masked(text):
    """Without what differs from run to run: seconds, rates by the clock on the wall, ids of processes."""
    text = re.sub(r"^ +[\d.]+(?= seconds (time elapsed|user|sys))", "      N", text, flags=re.M)
    text = re.sub(r"[\d.]+(?= +CPUs utilized)", lambda figure: "N".rjust(len(figure[0])), text)
    text = re.sub(r"[\d.]+(?=,CPUs utilized)", "N", text)
    text = re.sub(r'[\d.]+(?=", "metric-unit" : "CPUs utilized)', "N", text)
    return re.sub(r"\b(true|sleep)-\d+", r"\1-N", text)


def shortened(lines):
    """The lines, or the first of them and a digest of all."""
    if len(lines) <= WHOLE:
        return lines
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    return [*lines[:HEAD], f"… {len(lines)} lines, {digest}"]


def outcome(machine, tool, line):
    """(what the run came to as lines of a golden file, all of its lines)."""
    done, log = machine.attrs([tool, "stat", *shlex.split(line)])
    output = masked(done.stderr + done.stdout).splitlines()
    attrs = attrs_of(log)
    whole = [f"exit {done.returncode}", *(f"a {attr}" for attr in attrs), *(f"| {text}" for text in output)]
    return [whole[0], *(f"a {attr}" for attr in shortened(attrs)), *(f"| {text}" for text in shortened(output))], whole


def golden_path(machine, topic):
    return GOLDEN / f"{machine}-{topic}.txt"


def recorded(machine, topic):
    """{command line: lines} of a golden file."""
    found, lines = {}, None
    for text in golden_path(machine, topic).read_text(encoding="utf-8").splitlines():
        if text.startswith("$ "):
            lines = found.setdefault(text[2:], [])
        elif lines is not None:
            lines.append(text)
    return found


def names_of_golden():
    """[(machine, topic), …] that a test compares."""
    return [(machine, topic) for topic in topics() for machine in sorted(cases(topic))]
