# SPDX-License-Identifier: GPL-2.0-only
"""pstat progs on this machine's own kernel, no matter whether it allows fentry."""

import json
import re
import subprocess

import pytest

import native
from native import FAILED, PSTAT, USAGE, bpftool, run, wait_for, why_not_allowed, workload

LONG = "a_name_of_more_than_15_characters"


class Many:
    """Controls the workload bpf-many."""

    def __init__(self, process):
        self.process = process
        self.pid = process.pid

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()[-1]

    def load(self, name, how="load"):
        return int(self.ask(f"{how} {name}"))


@pytest.fixture
def many(spawn):
    process = spawn(workload("bpf-many"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
    process.stdin.write(f"load {LONG}\n")
    process.stdin.flush()
    if not process.stdout.readline():
        pytest.skip(f"probe: bpf-many loads a BPF program: {why_not_allowed(process)}")
    return Many(process)


def listed(*words):
    done = run("progs", "-j", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def of(many, *words):
    """Returns {name: program} for the programs of the workload."""
    return {
        prog["name"]: prog for prog in listed(*words)
        if many.pid in [held["pid"] for held in prog["pids"]]
    }


def test_names_are_complete_and_found_in_either_form(many):
    for glob in ("a_name_of_more*", LONG, LONG[:15], f"name:{LONG}"):
        assert list(of(many, glob)) == [LONG], glob
    done = run("progs", LONG)
    assert re.search(rf"^ *\d+ +xdp +{LONG} ", done.stdout, re.M)


def test_a_pattern_excludes_other_programs(many):
    many.load("one")
    many.load("other")
    assert set(of(many, "o*")) == {"one", "other"}
    assert set(of(many, "one", LONG)) == {"one", LONG}
    assert set(of(many, "all")) == {"one", "other", LONG}
    assert set(of(many)) == {"one", "other", LONG}


def test_ids_tags_and_types_select_programs_too(many):
    ident = many.load("calling", "calls")
    prog = of(many, ident)["calling"]
    assert prog["id"] == ident and prog["type"] == "xdp"
    assert re.fullmatch("[0-9a-f]{16}", prog["tag"])
    assert list(of(many, f"tag:{prog['tag']}")) == ["calling"]
    assert set(of(many, "type:xdp")) == {"calling", LONG}
    assert not of(many, "type:cgroup")


def test_a_pinned_program_is_found_by_its_path(bpffs, many):
    many.ask(f"pin {LONG} {bpffs}/it")
    assert [prog["name"] for prog in listed(f"pinned:{bpffs}/it")] == [LONG]
    assert listed(f"pinned:{bpffs}/other") == []


def test_the_process_that_holds_a_program_is_named(many):
    prog = of(many, LONG)[LONG]
    assert prog["pids"] == [{"pid": many.pid, "comm": "bpf-many"}]
    assert f" bpf-many-{many.pid} " in run("progs", LONG).stdout


def test_a_program_in_a_prog_array_is_marked_as_such(many):
    array = int(many.ask(f"array {LONG}"))
    many.load("free")
    assert of(many, LONG)[LONG]["prog_array_ids"] == [array]
    assert of(many, "free")["free"]["prog_array_ids"] == []
    assert f"in prog array {array}\n" in run("progs", LONG).stdout


def test_the_maps_of_a_program_are_listed(bpf_prog):
    ident = bpf_prog("--prog", "count")
    prog, = listed(ident)
    theirs = next(item for item in bpftool("prog", "show") if item["id"] == ident)
    assert sorted(prog["map_ids"]) == sorted(theirs["map_ids"]) != []


def test_the_list_agrees_with_that_of_bpftool(many):
    ident = of(many, LONG)[LONG]["id"]
    theirs = next(prog for prog in bpftool("prog", "show") if prog["id"] == ident)
    ours, = listed(ident)
    for key in ("id", "type", "tag", "uid"):
        assert ours[key] == theirs[key], key


def test_runs_are_listed_if_the_kernel_counts_runs(many):
    sysctl = native.proc_text("sys", "kernel/bpf_stats_enabled").strip()
    ident = of(many, LONG)[LONG]["id"]
    if sysctl == "0":
        assert "run_cnt" not in listed(ident)[0]
    try:
        with open("/proc/sys/kernel/bpf_stats_enabled", "w", encoding="ascii") as file:
            file.write("1")
    except OSError as error:
        pytest.skip(f"probe: sysctl kernel.bpf_stats_enabled=1: {error}")
    try:
        assert listed(ident)[0]["run_cnt"] == 0
        many.ask(f"run {LONG} 17")
        prog, = listed(ident)
        assert prog["run_cnt"] == 17 and prog["run_time_ns"] > 0
    finally:
        with open("/proc/sys/kernel/bpf_stats_enabled", "w", encoding="ascii") as file:
            file.write(sysctl)


def test_events_that_cannot_be_counted_have_a_reason(many, bpf_prog):
    prog = of(many, LONG)[LONG]
    why = native.why_no_fentry()
    assert prog["countable"] == (not why)
    if why:
        assert prog["why_not"] == why
    without = listed(bpf_prog(loader="bpf-no-btf"))[0]
    assert (
        not without["countable"]
        and "no BTF" in without["why_not"]
        and without["run_count_and_time"]
    )
    text = run("progs", without["id"]).stdout
    assert "run count and time only: the program has no BTF" in text


def test_if_no_program_matches_the_list_is_empty(many):
    done = run("progs", "there_is_no_such_name")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "pstat: name:there_is_no_such_name: no such BPF program is loaded\n"
    assert listed("there_is_no_such_name") == []


def test_an_unloaded_program_is_not_listed(many):
    ident = many.load("goes")
    assert listed(ident)
    many.ask("drop goes")
    wait_for("the program is gone", lambda: not listed(ident))


@pytest.mark.parametrize("word, words", [("tag:12", "16 hexadecimal digits"),
                                         ("type:xpd", "is not a type of BPF programs"),
                                         ("0", "is not the id of a BPF program"),
                                         ("5:", "function's name is missing")])
def test_a_bad_word_is_a_usage_error(word, words):
    done = run("progs", word)
    assert done.returncode == USAGE and done.stdout == ""
    assert words in done.stderr


def test_a_user_without_permission_gets_a_message():
    done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", PSTAT, "progs"],
                          capture_output=True, text=True, check=False)
    if "not found" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip(f"probe: setpriv runs pstat as another user: {done.stderr}")
    assert done.returncode == FAILED
    assert "CAP_SYS_ADMIN" in done.stderr and "run pstat as root" in done.stderr


def test_a_pattern_that_selects_no_countable_program_is_refused_with_the_reason(many):
    if not native.why_no_fentry():
        pytest.skip("probe: pstat --version -vv: this kernel allows fentry")
    done = run("-b", f"name:{LONG}", "-e", "cs", "true")
    assert done.returncode == FAILED
    assert done.stderr.splitlines(
    )[0] == f"pstat: -b: none of these programs can be counted (1): {native.why_no_fentry()}"
