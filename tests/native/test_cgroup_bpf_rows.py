# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups that BPF counts: their rows and their names."""

import contextlib
import csv
import json
import os
import pathlib
import re
import shlex

import pytest

from cgroup_bpf import NEVER, count, in_bpf, run_known, until_it_ran
from native import USAGE, cgroup_mount, csv_rows, inside, online_cpus, run, workload

pytestmark = in_bpf


# ---- output ----


def test_each_cpu_and_each_socket_has_a_row(busy):
    cpus = online_cpus()
    spinner = busy("a", cpus[-1])
    group = spinner.group
    rows = csv_rows(
        run("-x,", "-a", "-A", "--bpf-counters", "--for-each-cgroup", group, "-e", "task-clock",
            *until_it_ran(spinner, 50)).stderr)
    assert [(row[0], row[4]) for row in rows] == [(f"CPU{cpu}", group) for cpu in cpus]
    assert [row[1] == NEVER for row in rows] == [True] * (len(cpus) - 1) + [False]
    rows = csv_rows(
        run("-x,", "-C", cpus[-1], "--per-socket", "--bpf-counters", "--for-each-cgroup", group,
            "-e", "task-clock", *until_it_ran(spinner, 50)).stderr)
    assert len(rows) == 1 and rows[0][5] == group and float(rows[0][2]) > 0


def test_only_the_chosen_cpus_count(busy):
    cpus = online_cpus()
    if len(cpus) < 2:
        pytest.skip(f"probe: this machine has CPUs {cpus}: two are needed")
    group = busy("a", cpus[-1]).group
    rows = csv_rows(
        run("-x,", "-C", cpus[0], "--bpf-counters", "--for-each-cgroup", group, "-e", "task-clock",
            "--timeout", 100).stderr)
    assert rows[0][0] == NEVER


def test_json_has_an_object_for_each_cgroup(busy):
    group = busy("a").group
    lines = run("-j", "-a", "--bpf-counters", "--for-each-cgroup", f"{group},/", "-e",
                "cs,task-clock", "--timeout", 100).stderr.splitlines()
    assert [(row["cgroup"], row["event"]) for row in map(json.loads, lines)] == [
        (group, "cs"), (group, "task-clock"), ("/", "cs"), ("/", "task-clock")]


def test_only_the_largest_cgroups_have_rows(cgroup, madvise):
    groups = [cgroup(name) for name in "abcd"]
    script = "; ".join(f"( {shlex.join(inside(group, *workload('faults', number)))} )"
                       for group, number in zip(groups, (20, 5, 30, 10)))
    for native in ("", ":b"):
        done = (run_known if native else run)("-x,", "-a", "--top", 2, "--for-each-cgroup",
                                              ",".join(groups), "-e",
                                              f"{madvise}{native},cs{native}", "sh", "-c", script)
        rows = csv_rows(done.stderr)
        assert [(row[3], row[0]) for row in rows if row[2] == madvise] == [
            (groups[2], "30"),
            (groups[0], "20"),
        ]
        assert [row[3] for row in rows] == [groups[2], groups[2], groups[0], groups[0]]


# ---- names ----


@contextlib.contextmanager
def odd_group(name):
    path = cgroup_mount() / name
    path.mkdir()
    try:
        yield name
    finally:
        path.rmdir()


@pytest.mark.parametrize("name",
                         ["with a space", "quo\"te's", "back\\slash", "-x", "umläut", "tab\there"])
def test_unusual_names_are_counted_and_stay_one_field(name, madvise):
    with odd_group(f"pstat-odd-{os.getpid()}{name}") as group:
        procs = cgroup_mount() / group / "cgroup.procs"
        # no shell is involved, so the name is passed unchanged
        script = (
            "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); os.execv(sys.argv[2],"
            " sys.argv[2:])"
        )
        command = ["/usr/bin/python3", "-c", script, str(procs), *workload("faults", 44)]
        done = run_known("-j", "-a", "--bpf-counters", "--for-each-cgroup", group, "-e", madvise,
                         *command)
        row = json.loads(done.stderr)
        # Python may free memory before it executes the other program.
        assert row["cgroup"] == group and 44 <= float(row["counter-value"]) <= 46
        done = run_known("-x,", "-a", "--bpf-counters", "--for-each-cgroup", group, "-e", madvise,
                         *command)
        (row,) = csv.reader(done.stderr.splitlines(keepends=True))
        assert row[3] == group and 44 <= int(row[0]) <= 46


def test_a_cgroup_that_is_named_twice_has_a_single_row(cgroup):
    group = cgroup("a")
    rows = csv_rows(
        run("-x,", "-a", "--bpf-counters", "--for-each-cgroup", f"{group},/,{group}", "-e", "cs",
            "true").stderr)
    assert [row[3] for row in rows] == [group, "/"]


def test_two_names_of_one_cgroup_count_the_same(cgroup, madvise):
    group = cgroup("a")
    rows = count([group, f"/{group}//", f"./{group}/."], f"{madvise}:b",
                 *inside(group, *workload("faults", 9)))
    assert list(rows.values()) == [9, 9, 9]


def test_a_pattern_is_matched_against_all_cgroups(cgroup):
    names = [cgroup(name) for name in ("web", "web/one", "web/two", "db", "db/one")]
    web = f"^pstat-test-{os.getpid()}-web/"
    rows = csv_rows(
        run("-x,", "-a", "--bpf-counters", "--for-each-cgroup", f"{web}.*", "-e", "cs",
            "true").stderr)
    assert [row[3] for row in rows] == [names[1], names[2]]
    rows = csv_rows(
        run("-x,", "-a", "--bpf-counters", "--for-each-cgroup",
            f"^pstat-test-{os.getpid()}-.*one$,", "-e", "cs", "true").stderr)
    assert [row[3] for row in rows] == ["/", names[4], names[1]]
    rows = csv_rows(run("-x,", "-a", "--for-each-cgroup", f"{web}t[w]o", "-e", "cs", "true").stderr)
    assert [row[3] for row in rows] == [names[2]]


@pytest.mark.parametrize("text, words", [("^none$", "none of the [0-9]+ cgroups below .* matches"),
                                         ("a[", "'a\\[' is not a regular expression: "),
                                         ("none", "there is no cgroup")])
def test_a_selector_without_a_match_is_an_error_before_anything_is_counted(text, words):
    done = run("-a", "--bpf-counters", "--for-each-cgroup", text, "-e", "cs", "touch", "ran")
    assert done.returncode == USAGE and re.search(
        f"^pstat: --for-each-cgroup {re.escape(text)}: {words}", done.stderr)
    assert not os.path.exists("ran")


def test_a_pattern_is_checked_first_even_if_pstat_follows_it():
    done = run("-a", "--bpf-counters", "--cgroup-follow", "--for-each-cgroup", "^a[", "-e", "cs",
               "touch", "ran")
    assert done.returncode == USAGE and "'^a[' is not a regular expression: " in done.stderr
    assert not os.path.exists("ran")


def test_an_event_of_a_package_cannot_be_counted_for_a_cgroup(cgroup):
    uncore = [
        path.parent.name for path in pathlib.Path("/sys/bus/event_source/devices").glob("*/cpumask")
    ]
    if not uncore:
        pytest.skip("probe: /sys/bus/event_source/devices/*/cpumask: this machine has no PMU of "
                    "a package")
    group = cgroup("a")
    done = run("-v", "-x,", "-a", "--bpf-counters", "--for-each-cgroup", group, "-e",
               f"{uncore[0]}/config=0/", "true")
    assert "<not supported>" in done.stderr and "cannot be attributed to a cgroup" in done.stderr
