# SPDX-License-Identifier: GPL-2.0-only
"""Checks both tables of pstat-stat(1) about options that cannot be combined. Tries every pair of
options, together with the options that they need. pstat must refuse the pairs in the tables, with
the exit status 234 and a message with both names, and accept all other pairs."""

import itertools
import os
import re

import pytest

from native import CONFLICT, TOP, run, workload

MAN = (TOP / "Documentation/pstat-stat.1.adoc").read_text(encoding="utf-8")
pytestmark = pytest.mark.usefixtures("own_pins")
ALONE = "COMMAND by itself"
CPU_TARGETS = {"-a", "-C", "-b"}
TASK_TARGETS = {"-p", "-t"}

VALUES = {
    "-b": "name:no_such_program", "-p": str(os.getpid()), "-t": str(os.getpid()), "-C": "0",
    "-G": "/", "--for-each-cgroup": "/", "-e": "cs", "-r": "2", "-I": "1000", "--top": "1",
    "--interval-count": "1", "--timeout": "100", "-x": ",", "-o": "file", "--log-fd": "2",
    "-D": "0", "--control": "fd:0", "--pre": "true", "--post": "true", "-M": "cpus_utilized",
    "--bpf-attr-map": "/sys/fs/bpf/perf_attr_map", "--outliers": "1000", "--packet": "64",
    "--scope": f"uprobe:{workload('scope-calls')[0]}:work", "--outlier-rate": "10",
    "--start": f"uprobe:{workload('scope-calls')[0]}:work",
    "--stop": f"uprobe:{workload('scope-calls')[0]}:outer",
    "--metrics-file": str(TOP / "tests/data/metrics/example.json"), "--save": "saved",
    "--against": str(TOP / "tests/data/baseline.json"), "--fail-over": "cs:1%", "--seed": "2",
    "--ab": "true"
}
# A selection of the options that are in no table. They can be combined with all others.
OTHERS = [
    "-d", "-D", "--control", "--pre", "--post", "-S", "--timeout", "--summary", "--no-big-num",
    "--scale", "--no-merge", "-a", "-e", "-i", "-j"
]
SAME = {"--no-merge": "-A"}


def table(number):
    """Returns {option: options after the colons} of a table of the manual."""
    text = MAN.split("[horizontal]\n")[number].split("\n\n")[0]
    return {name: others.split(", ") for name, others in re.findall(r"^(-\S+):: (.+)$", text, re.M)}


REFUSES, NEEDS = table(1), table(2)
OPTIONS = sorted({*REFUSES, *NEEDS, *itertools.chain(*REFUSES.values(), *NEEDS.values()), *OTHERS} -
                 {ALONE, "COMMAND"})


def refused(one, other):
    one, other = SAME.get(one, one), SAME.get(other, other)
    return one != other and (other in REFUSES.get(one, ()) or one in REFUSES.get(other, ()))


def complete(options):
    """Adds the options that these options need. Returns all options, and whether a table refuses
    any pair of them."""
    options = list(options)
    for name in options:
        name = SAME.get(name, name)
        needed = NEEDS.get(name, ["COMMAND"])
        if "COMMAND" not in needed and not set(needed) & set(options):
            options.append(needed[0])
        if name == "--cgroup-follow" and "--bpf-counters" not in options:
            options.append("--bpf-counters")
        if ALONE in REFUSES.get(name, ()) and not set(options) & (CPU_TARGETS | TASK_TARGETS):
            options.append("-a")
    return options, any(refused(*pair) for pair in itertools.combinations(options, 2))


def line(options):
    """Returns the words of the command line."""
    # events must be given before their cgroups
    words = [word for name in sorted(options, key=lambda name: name != "-e")
             for word in ([name, VALUES[name]] if name in VALUES else [name])]
    if "--ab" not in options:
        return [*words, "true"]
    # only a few repetitions, because the kernel is slow to detach probes
    few = ["-r", "2"] if {"--start", "--stop"} & set(options) else []
    return [*words, "--ab", VALUES["--ab"], *few]


def test_the_tables_are_there():
    assert len(REFUSES) > 15 and len(NEEDS) > 5 and len(OPTIONS) > 40


@pytest.mark.parametrize("one", OPTIONS)
def test_the_manual_is_right_about_each_pair(one):
    wrong = []
    for other in OPTIONS:
        if other <= one:
            continue
        if refused(one, other):
            done = run(*line([one, other]))
            told = done.stderr.splitlines()
            right = (done.returncode == CONFLICT and len(told) == 1
                     and "cannot be combined" in told[0]
                     and all(re.search(rf"(?<!\S){name}(?!\S)", told[0]) for name in (one, other)))
        else:
            options, impossible = complete([one, other])
            done = run(*line(options))
            right = (done.returncode == CONFLICT) == impossible
        if not right:
            wrong.append((one, other, done.returncode, done.stderr))
    assert not wrong


@pytest.mark.parametrize("one", sorted(name for name, others in REFUSES.items() if ALONE in others))
def test_options_for_cpus_are_refused_with_a_command(one):
    done = run(*line([one]))
    assert done.returncode == CONFLICT
    assert done.stderr.startswith(f"pstat: {one} and COMMAND by itself cannot be combined")


@pytest.mark.parametrize("one, needed", NEEDS.items())
def test_an_option_that_needs_another_option_is_refused_without_it(one, needed):
    done = run(one, VALUES[one]) if one in VALUES else run(one, "true")
    assert done.returncode == CONFLICT
    told = done.stderr.splitlines()
    assert len(told) == 1 and told[0].startswith(f"pstat: {one} ")
    for name in needed[:3]:
        assert name in told[0]


def test_the_statements_of_the_manual_next_to_the_tables_hold():
    done = run("--table", "-r", "1", "true")
    assert done.returncode == CONFLICT and "--table and -r 1" in done.stderr
    done = run("-n", "-a", "-e", "cs", "--for-each-cgroup", "/", "true")
    assert done.returncode == 0 and "cs" in done.stderr


# ---- the manual and --help ----


COMMANDS = ["stat", "profile", "export", "list", "progs", "why", "compare"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_has_every_option_of_help_and_no_other(command):
    text = run(command, "--help").stdout
    options = re.compile(r"^ +(?:-([A-Za-z?]), )?--([a-z-]+)", re.M)
    helped = {name for found in options.findall(text) for name in found if name}
    helped |= set(re.findall(r"^ +-([A-Za-z]) {2,}", text, re.M))  # an option of a single letter
    manual = (TOP / f"Documentation/pstat-{command}.1.adoc").read_text(encoding="utf-8")
    section = re.split(r"^== ", manual[manual.index("== OPTIONS\n") + 3:], maxsplit=1,
                       flags=re.M)[0]
    heads = re.findall(r"^(\*-.*)::$", section, re.M)
    described = {
        name.lstrip("-") for head in heads
        for name in re.findall(r"\*(--?[A-Za-z?][a-z-]*)\*", head)
    }
    assert described == helped


def test_options_that_pstat_lacks_are_refused_with_a_replacement():
    names = re.search(r"^These options and subcommands of perf stat are not available: (.*?)\.",
                      MAN, re.M | re.S)[1]
    names = re.findall(r"\*(\S+)\*", names)
    assert names
    for name in names:
        value = ["x"] if name in ("--input",) else []
        done = run(name, *value, *([] if name[0] == "-" else ["x"]))
        assert done.returncode == 129, name
        assert re.search(r"\n {7}(use|leave) ", done.stderr), done.stderr
