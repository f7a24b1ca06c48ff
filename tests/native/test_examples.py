# SPDX-License-Identifier: GPL-2.0-only
"""Checks the commands in Documentation/examples.txt, README.md and the manual pages: pstat accepts
them and, if this machine can count their events, prints the same rows."""
import json
import os
import re
import shlex

import pytest

from native import CONFLICT, FAILED, PSTAT, TOP, USAGE, csv_rows, opens, run, why_not, workload


def joined(text):
    """Joins the lines of a command that a backslash at the end of a line continues."""
    return text.replace("\\\n", "")


TEXT = (TOP / "Documentation/examples.txt").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(line, comments=True)
    for line in re.findall(r"^\t[$#] pstat (.*)$", joined(TEXT), re.M)
]

README = [
    shlex.split(re.split(r" {2,}[#(]", line)[0])
    for line in re.findall(
        r"^ {4}[$#] pstat (.*)$", (TOP / "README.md").read_text(encoding="utf-8"), re.M
    )
]

MAN = [shlex.split(line, comments=True) for page in sorted((TOP / "Documentation").glob("*.1.adoc"))
       for line in re.findall(r"^\t[$#] pstat (.*)$", joined(page.read_text(encoding="utf-8")),
                              re.M)]


def test_there_are_twelve_questions():
    assert re.findall(r"^(\d+)\. .*\?$", TEXT, re.M) == [str(number) for number in range(1, 13)]


def named_here(text, request):
    """Makes cgroups with the names in an example. For a pattern, makes two: one whose name begins
    with the pattern, and one inside it."""
    cgroup = request.getfixturevalue("cgroup")
    pattern = re.fullmatch(r"\^(\w+)(/.*)", text)
    if not pattern:
        return ",".join(map(cgroup, text.split(",")))
    top = cgroup(pattern[1])
    cgroup(f"{pattern[1]}/one")
    return f"^{top}{pattern[2]}"


def exported_once(words):
    """Makes `pstat export` print the metrics once, instead of serving them until a signal."""
    places = {"--listen", "--textfile", "-I", "--once"}
    kept = [word for before, word in zip(["", *words], words)
            if word not in places and before not in places - {"--once"}]
    return [*kept, "--once", "-I", "50"]


def here(words, request):
    """Adapts a command to this machine: replaces processes, cgroups and workloads, and limits
    its time."""
    # The kernel would need 15 s to close the tracepoints of all system calls.
    if words[0] == "export":
        return exported_once(words)
    calls, = workload("scope-calls")
    points, = workload("scope-usdt")
    other = {"access": workload("access")[0], "./scope-calls": calls,
             "uprobe:./scope-calls:work": f"uprobe:{calls}:work",
             "syscalls:sys_enter_*": "syscalls:sys_enter_{read,w*}",
             "usdt:./app:warm": f"usdt:{points}:begin", "usdt:./app:done": f"usdt:{points}:end",
             "./app": points}
    other.update({word: f"usdt:{workload('scope-usdt')[0]}:begin..end" for word in words
                  if word.startswith("usdt:") and "postgres" in word})
    for name in {"base.json", "prog.json", "new.json", "func.json"} & set(words):
        assert run("-r", 2, "--save", name, "-e", "cs,task-clock", "true").returncode == 0
    if "-p" in words:
        other[words[words.index("-p") + 1]] = str(request.getfixturevalue("sleeper")().pid)
    for option in {"-G", "--for-each-cgroup"} & set(words):
        names = words[words.index(option) + 1]
        other[names] = named_here(names, request)
    if any("syscalls:" in word for word in words):
        request.getfixturevalue("tracefs")
    if "--bpf-counters" in words or any(":b" in word for word in words):
        request.getfixturevalue("own_pins")
    before = dict(zip(words[1:], words))
    other.update({word: "50" for word in words if before.get(word) in ("--timeout", "-I")})
    ends = {"--timeout", "--interval-count"} & set(words) or not {"-p", "-a", "-b"} & set(words)
    ends = ends or words[0] in ("why", "compare")  # these count nothing
    command = words[:1] if words[0] in ("profile", "why", "compare") else []
    return [
        *command,
        *([] if ends else ["--timeout", "200"]),
        *(other.get(word, word) for word in words[len(command) :]),
    ]


NO_PROGRAM = "no BPF program has the id|no such BPF program|nothing is pinned"


def may_fail(words):
    """Returns whether a command may fail here. Commands for BPF programs need programs and
    permissions, `why` explains events that cannot be opened, `export` fails if none of its events
    can be opened, and --against needs the file of an earlier run."""
    mode = "--for-each-cgroup, BPF" if "--for-each-cgroup" in words else "--bpf-counters"
    if words[0] in ("why", "export") or "--against" in words:
        return True
    return "-b" in words or "--bpf-counters" in words and why_not(mode) or os.geteuid()


def check_taken(words, done):
    """Checks the exit status. A command may also end with 255, if this kernel refuses an event, or
    with 129, if there is no BPF program of this name."""
    lacks = "-b" in words and re.search(NO_PROGRAM, done.stderr)
    worse = 100 if "--fail-over" in words else 0
    assert done.returncode in (0, worse, USAGE if lacks else FAILED), done.stderr
    assert not re.search(r"unknown|unrecognized|syntax error|Cannot find|invalid|Usage|go together",
                         done.stderr), done.stderr
    assert done.returncode in (0, worse) or may_fail(words), done.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_each_command_of_the_examples_is_accepted(words, request, scratch):
    (scratch / "numbers").write_text("2\n1\n", encoding="ascii")
    (scratch / "page").write_text("text\n", encoding="ascii")
    check_taken(words, run(*here(words, request)))


def of_text(words, request):
    """Replaces things that the README and the manual assume to exist, such as a makefile, with
    things that exist on this machine."""
    there = {
        "make": ["true"], "sort": ["true"], "./sort-numbers": ["true"], "./send-packets": ["true"],
        "0,1": ["0"], "./program": ["true"], "mem:counter:w:u": ["mem:watched:w:u"],
        "./prog": workload("access", 1, 1, 1, 1)
    }
    there.update({word: ["true"] for word in words if re.match(r"\./(bench|old|new)\b", word)})
    if "./prog" in words:
        request.getfixturevalue("tracefs")
    words = ["0.1" if before == "sleep" else word for before, word in zip(["", *words], words)]
    return here([other for word in words for other in there.get(word, [word])], request)


def test_the_readme_has_commands():
    assert len(README) > 20 and ["progs", "xdp_*"] in README
    assert len(MAN) > 15 and ["progs", "type:xdp", "type:tc"] in MAN


@pytest.mark.parametrize("words", README, ids=" ".join)
def test_each_command_of_the_readme_is_accepted(words, request, scratch):
    check_taken(words, run(*of_text(words, request)))


# Maps an option or event to the imitated machine on which its example works. Other machines refuse
# it.
ON_MACHINE = {"--cputype": "alderlake", "-T": "icelake", "--smi-cost": "icelake"}
VENDOR = [{
    "MetricName": "tsx_aborts", "MetricExpr": "branch\\-misses / cycles",
    "MetricGroup": "transaction"
}, {"MetricName": "smi_num", "MetricExpr": "msr@smi@", "MetricGroup": "smi"}]
# The files of the sensors in an example, relative to /sys/class/hwmon.
SENSORS = {"hwmon0/name": "coretemp", "hwmon0/temp1_input": "42000",
           "hwmon1/name": "nct6775", "hwmon1/fan1_input": "1234"}


def machine_for(words):
    if any("hwmon" in word for word in words):
        return "icelake"
    return next((ON_MACHINE[word] for word in words if word in ON_MACHINE), None)


SPECIAL = [words for words in MAN if machine_for(words)]


@pytest.mark.parametrize("words", SPECIAL, ids=" ".join)
def test_each_command_for_other_machines_counts_on_an_imitated_one(
    words, request, machine_of, scratch
):
    (scratch / "vendor.json").write_text(json.dumps(VENDOR), encoding="utf-8")
    sensors = "".join(f"mkdir -p {os.path.dirname(file)}; echo {text} > {file}; "
                      for file, text in SENSORS.items())
    script = ("mount -t tmpfs none /sys/class && mkdir /sys/class/hwmon && cd /sys/class/hwmon "
              "|| exit 77; "
              f'{sensors} cd {scratch}; exec "$@"')
    done = machine_of(machine_for(words)).run(
        ["unshare", "--mount", "sh", "-c", script, "sh", PSTAT, "--metrics-file", "vendor.json",
         *of_text(words, request)])
    assert done.returncode == 0, done.stderr
    assert "<not" not in done.stderr and "none" not in done.stderr
    shown = {"--cputype": "cpu_atom/cycles/", "-T": "tsx_aborts", "--smi-cost": "smi_num",
             "-I": "42.00 'C   hwmon_coretemp/temp1/"}
    assert next(text for option, text in shown.items() if option in words) in done.stderr


def test_the_examples_for_other_machines_are_those_of_the_table():
    assert len(SPECIAL) == len(ON_MACHINE) + 1


@pytest.mark.parametrize("words", [words for words in MAN if words not in SPECIAL], ids=" ".join)
def test_each_command_of_the_manual_is_accepted(words, request, scratch):
    if "--pfm-events" in words and "libpfm4" in run("--pfm-events", "perf::PAGE-FAULTS",
                                                    "true").stderr:
        pytest.skip("probe: libpfm.so.4 can be loaded")
    metric = {"MetricName": "share", "MetricExpr": "page\\-faults", "MetricGroup": "TopdownL1"}
    (scratch / "skx-metrics.json").write_text(json.dumps([metric]), encoding="utf-8")
    check_taken(words, run(*of_text(words, request)))


def test_the_cgroups_of_a_pattern_are_counted(request):
    words = next(words for words in README if "^web/.*" in words)
    if why_not("--for-each-cgroup, BPF"):
        pytest.skip(f"probe: pstat --version -vv: {why_not('--for-each-cgroup, BPF')}")
    done = run("-x,", *of_text(words, request))
    assert {row[3] for row in csv_rows(done.stderr)
            if len(row) > 5} == {request.getfixturevalue("cgroup")("web/one")}


@pytest.mark.parametrize("right, wrong", [("task-clock,cs", "task-clok,cs"), ("--hist=", "--hits="),
                                          ("run_cnt", "run_count"), ("ipc", "icp")])
def test_a_command_with_a_mistake_is_not_accepted(right, wrong, request):
    """The test above would find a mistake in a command."""
    words = next(words for words in COMMANDS if any(right in word for word in words))
    done = run(*here([word.replace(right, wrong) for word in words], request))
    assert done.returncode in (USAGE,
                               CONFLICT) and not re.search(NO_PROGRAM, done.stderr), done.stderr


def events_of(question):
    """Returns the events in the printed rows of a question, in order."""
    part = re.search(rf"^{question}\. .*?(?=^\d+\. |\Z)", TEXT, re.M | re.S)[0]
    return re.findall(r"^\t +[\d.]+(?: msec| {5}) (\S+)", part, re.M)


def test_the_first_two_examples_show_what_a_command_uses(tmp_path):
    numbers = tmp_path / "numbers"
    numbers.write_text("2\n1\n", encoding="ascii")
    for question, words in ((1, COMMANDS[0]), (2, COMMANDS[1])):
        done = run(*words)
        assert done.returncode == 0 and (tmp_path /
                                         "sorted").read_text(encoding="ascii") == "1\n2\n"
        rows = re.findall(r"^ +[\d.]+(?: msec| {5}) (\S+)", done.stderr, re.M)
        assert rows == events_of(question) != []


def test_the_variable_is_written_as_often_as_the_program_prints():
    words = next(words for words in COMMANDS if "access" in words)
    where = words.index("access")
    if not opens("write:u"):
        pytest.skip("probe: perf-count write:u: this machine counts no writes to a variable")
    done = run("-x,", *words[:where], *workload("access", *words[where + 1:]))
    counted = [line.split(",")[0] for line in done.stderr.splitlines()]
    assert counted == re.findall(r"^\t +(\d+) +mem:watched", TEXT, re.M)
