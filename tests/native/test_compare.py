# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of two series of runs: --save, --against, --ab and pstat compare."""
import copy
import json
import os
import pathlib
import random
import re
import stat
import subprocess
import tempfile

import jsonschema
import pytest

from native import PSTAT, TOP, csv_rows, run, workload

SCHEMA = json.loads((TOP / "Documentation/baseline.schema.json").read_text(encoding="utf-8"))
WORSE, CANNOT_TELL, USAGE, FAILED, CONFLICT = 100, 101, 129, 255, 234


def faults(number):
    return workload("faults", number)


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


@pytest.fixture
def base(scratch, madvise):
    """Returns a file of ten repetitions, each with 100 calls to madvise(2)."""
    done = run("-r", 10, "--save", "base.json", "-e", f"{madvise},task-clock", *faults(100))
    assert done.returncode == 0 and "10 runs" in done.stderr, done.stderr
    return scratch / "base.json"


def rows_of(*args):
    done = run("compare", "-j", *args)
    return done, {row["event"]: row for row in map(json.loads, done.stdout.splitlines())}


def write(path, values, **more):
    """Writes a file with one event for each key of `values`."""
    events = [{"event": name, "unit": "", "attr": {"type": "software", "config": "0x2"},
               "values": numbers, "counted": [1] * len(numbers)}
              for name, numbers in values.items()]
    pathlib.Path(path).write_text(json.dumps({
        "schema": "pstat baseline", "version": 1, "values-of": "repetitions", "lost-runs": 0,
        "machine": {}, "seconds": {"elapsed": [], "user": [], "system": []}, "events": events,
        **more}), encoding="utf-8")
    return path


def test_the_file_contains_each_repetition_and_follows_the_schema(base, madvise):
    found = read(base)
    jsonschema.validate(found, SCHEMA)
    assert [event["event"] for event in found["events"]] == [madvise, "task-clock"]
    assert len(set(found["events"][0]["values"])) == 1, "the count is not exact"
    assert all(len(event["values"]) == 10 for event in found["events"])
    assert found["events"][0]["attr"]["type"] == f"tracepoint {madvise}"
    assert found["target"].endswith(" 100") and len(found["seconds"]["elapsed"]) == 10
    assert found["machine"]["kernel"] == os.uname().release
    assert found["machine"]["cpus"] == str(os.cpu_count())
    assert stat.S_IMODE(base.stat().st_mode) == 0o666 & ~0o022


def test_the_same_command_is_within_the_tolerance(base, madvise):
    done = run("-r", 10, "--against", base, "-e", madvise, "--fail-over", f"{madvise}:0%", *faults(
        100))
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^{madvise} .* 1\.0000 +exact +within 0 %$", done.stderr, re.M), done.stderr
    assert "seconds time elapsed" not in done.stderr, "the report is also printed"


def test_one_more_page_fault_is_found(base, madvise):
    done = run("-r", 2, "--against", base, "-e", madvise, "--fail-over", f"{madvise}:0%",
               *faults(101))
    assert done.returncode == WORSE, done.stderr
    assert re.search(rf"^{madvise} .* exact +worse$", done.stderr, re.M), done.stderr
    done = run("-r", 2, "--against", base, "-e", madvise, "--fail-over", f"{madvise}:0%",
               *faults(99))
    assert done.returncode == 0 and re.search(r" better$", done.stderr, re.M), done.stderr


def test_an_event_that_is_not_named_does_not_decide(base, madvise):
    done = run("-r", 2, "--against", base, "-e", madvise, *faults(200))
    assert done.returncode == 0 and re.search(r" worse$", done.stderr, re.M), done.stderr


def test_the_status_of_the_command_comes_first(base, madvise):
    done = run("-r", 2, "--against", base, "-e", madvise, "--fail-over", f"{madvise}:0%",
               "sh", "-c", "exit 3")
    assert done.returncode == 3


def test_a_single_run_has_no_verdict_and_strict_makes_this_an_error(base, madvise):
    args = ["--against", base, "-e", madvise, "--fail-over", f"{madvise}:5%"]
    done = run(*args, *faults(200))
    assert done.returncode == 0
    assert "cannot tell (too few runs: at least 2 are needed)" in done.stderr
    assert run(*args, "--strict", *faults(200)).returncode == CANNOT_TELL


def test_the_heading_names_both_commands_even_if_all_cpus_are_counted():
    done = run("--ab", "true A", "--ab", "true B", "-r", 2, "-e", "duration_time")
    assert done.returncode == 0, done.stderr
    assert "\n  old: true A (" in done.stderr and "\n  new: true B\n" in done.stderr


def test_two_commands_run_alternately():
    done = run("--ab", "echo A >>order", "--ab", "echo B >>order", "-r", 3, "--warmup", 1, "-e",
               "cs")
    assert done.returncode == 0, done.stderr
    order = pathlib.Path("order").read_text(encoding="ascii").split()
    assert order == list("ABBAABBA")


def test_the_better_of_two_commands_is_found(madvise):
    lines = [f"{faults(n)[0]} {n}" for n in (3000, 100)]
    for first, second, verdict, status in ((0, 1, "better", 0), (1, 0, "worse", WORSE),
                                           (0, 0, "within", 0)):
        done = run("--ab", lines[first], "--ab", lines[second], "-j", "-e", madvise, "--fail-over",
                   f"{madvise}:1%")
        row, = map(json.loads, done.stderr.splitlines())
        assert (row["verdict"], done.returncode) == (verdict, status)
        assert (row["old-runs"], row["new-runs"]) == (10, 10)


def test_each_format_has_the_same_values(scratch):
    old = write("old", {"a": [10, 11, 12, 11, 10, 12, 11], "b|c": [5, 5]})
    new = write("new", {"a": [20, 21, 22, 21, 20, 22, 21], "b|c": [5, 5]})
    done, rows = rows_of(old, new)
    assert done.returncode == 0
    assert (rows["a"]["old"], rows["a"]["new"], rows["a"]["verdict"]) == (11, 21, "worse")
    assert rows["a"]["low"] <= rows["a"]["ratio"] <= rows["a"]["high"]
    assert rows["b|c"]["low"] == rows["b|c"]["high"] == 1
    csv = csv_rows(run("compare", "-x,", old, new).stdout)
    assert [float(csv[0][i]) for i in (0, 1, 4, 5, 6)] == [
        rows["a"][key] for key in ("old", "new", "ratio", "low", "high")]
    assert csv[0][2:4] == ["", "a"] and csv[0][7] == "worse" and len(csv[0]) == len(csv[1])
    table = run("compare", "--markdown", old, new).stdout.splitlines()
    assert table[1] == "|---|---:|---:|---:|---|---|" and r"| b\|c | 5 |" in table[3]
    assert run("compare", "-o", "file", "-x,", old, new).stdout == ""
    assert csv_rows((scratch / "file").read_text(encoding="ascii")) == csv


def test_the_charts_show_the_range_of_the_runs():
    old = write("old", {"a": [0, 0, 0, 10]})
    new = write("new", {"a": [10, 10, 20, 20]})
    for locale, low, high in (("C.UTF-8", "▁", "█"), ("C", ".", "O")):
        shown = run("compare", old, new, locale={"LC_ALL": locale}).stdout
        strips = re.findall(r"^    (old|new) \|(.{60})\|$", shown, re.M)
        assert [side for side, _ in strips] == ["old", "new"]
        assert strips[0][1] == high + " " * 29 + low + " " * 29, locale
        assert (strips[1][1][30], strips[1][1][59]) == (high, high)


def test_a_difference_of_machines_is_named(base):
    changed = read(base)
    changed["machine"]["kernel"] = "5.0"
    del changed["machine"]["cpus"]
    pathlib.Path("new.json").write_text(json.dumps(changed), encoding="utf-8")
    done = run("compare", base, "new.json")
    kernel = os.uname().release
    assert f"kernel: {kernel} in the old runs, 5.0 in the new ones\n" in done.stderr
    assert "cpus: " in done.stderr and "host: " not in done.stderr


def test_missing_or_multiplexed_counts_cause_a_warning():
    old = write("old", {"a": [5, 5, 5], "b": [5, 5, 5]})
    new = read(write("new", {"a": [5, None, 5], "b": [5, 5, 5]}))
    new["events"][1]["counted"][2] = 0.25
    pathlib.Path("new").write_text(json.dumps(new), encoding="utf-8")
    done, rows = rows_of(old, "new", "--fail-over", "a:1,b:1")
    assert rows["a"]["explanation"] == "within 1 %; not counted in 1 of 6 runs"
    assert rows["b"]["explanation"] == "within 1 %; counted 25.00 % of the time"
    assert "missing or multiplexed" in done.stderr
    new["lost-runs"] = 7
    pathlib.Path("new").write_text(json.dumps(new), encoding="utf-8")
    assert "(old: 0, new: 7)" in run("compare", old, "new").stderr
    write("none", {"a": [None, None]})
    done, rows = rows_of(old, "none", "--fail-over", "a:1", "--strict")
    assert done.returncode == CANNOT_TELL
    assert rows["a"]["explanation"] == "cannot tell: not counted in the new runs"
    assert rows["b"]["explanation"] == "cannot tell: only the old runs have this event"


def test_events_that_count_something_else_are_not_compared(base, madvise):
    changed = read(base)
    changed["events"][1]["attr"]["config"] = "0x5"
    pathlib.Path("new.json").write_text(json.dumps(changed), encoding="utf-8")
    done = run("compare", base, "new.json")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert ("task-clock: the events differ: config was 0x1 in the old runs, and is 0x5"
            in done.stderr)


def test_an_event_of_fail_over_must_exist(base):
    done = run("compare", base, base, "--fail-over", "page-fault:1%")
    assert done.returncode == USAGE
    assert "neither side has an event named page-fault\n" in done.stderr


@pytest.mark.parametrize("text", ["", "x", "x:", "x:y%", "x:-1%", ":1%", "x:1%,", "x:1001",
                                  "x:nan"])
def test_a_malformed_limit_is_refused(base, text):
    done = run("compare", base, base, "--fail-over", text)
    assert done.returncode == USAGE and "EVENT:PERCENT% is needed" in done.stderr


def test_a_file_that_is_damaged_is_refused_with_its_place(base):
    good = read(base)
    damaged = {
        "this is not a file of --save": lambda it: it.pop("schema"),
        "its version is 2": lambda it: it.update(version=2),
        '"events" is not an array': lambda it: it.update(events={}),
        "event 2 is not an object": lambda it: it["events"].insert(1, 1),
        '"event" of event 1 is not a string': lambda it: it["events"][0].update(event=7),
        '"counted" of event 2 is not an array': lambda it: it["events"][1]["counted"].pop(),
        '"values" of event 1 contains': lambda it: it["events"][0]["values"].insert(0, "x") or
        it["events"][0]["counted"].append(1),
        'events 1 and 2 have the same name': lambda it: it["events"].insert(0, it["events"][0]),
        '"counted" of event 1 contains': lambda it: it["events"][0]["counted"].__setitem__(0, -1),
        '"attr" of event 1 is not an object': lambda it: it["events"][0].pop("attr"),
        '"elapsed" of repetition 2 is not a number': lambda it: it["seconds"].update(
            elapsed=[1, None]),
        '"config" of event 2 is not a number': lambda it: it["events"][1]["attr"].update(
            config="x"),
    }
    for message, damage in damaged.items():
        it = copy.deepcopy(good)
        damage(it)
        pathlib.Path("bad").write_text(json.dumps(it), encoding="utf-8")
        done = run("compare", base, "bad")
        assert (done.returncode, done.stdout) == (USAGE, ""), done.stdout
        assert f"bad: {message}" in done.stderr
    pathlib.Path("bad").write_text(base.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    assert "pstat: bad: line " in run("compare", "bad", base).stderr
    assert run("compare", "none", base).returncode == FAILED


def test_an_event_of_only_one_side_causes_a_warning():
    old, new = write("old", {"a": [5, 5], "b": [5, 5]}), write("new", {"b": [5, 5]})
    for first, second in ((old, new), (new, old)):
        done = run("compare", first, second, "--fail-over", "a:1")
        assert done.returncode == 0 and "missing or multiplexed" in done.stderr
        assert run("compare", first, second, "--fail-over", "b:1").stderr == ""


def test_negative_values_have_no_verdict():
    old, new = write("old", {"a": [-5, -5]}), write("new", {"a": [-50, -50]})
    done, rows = rows_of(old, new, "--strict", "--fail-over", "a:1")
    assert done.returncode == CANNOT_TELL
    assert rows["a"]["explanation"] == "cannot tell: some values are negative"
    assert (rows["a"]["old"], rows["a"]["new"]) == (-5, -50)


def test_intervals_and_repetitions_are_not_compared():
    old = write("old", {"a": [5, 5]}, **{"values-of": "intervals"})
    new = write("new", {"a": [5, 5]})
    done = run("compare", old, new)
    assert done.returncode == USAGE
    assert "a: the values differ: the old runs counted intervals" in done.stderr
    pathlib.Path("report").write_text("kept", encoding="utf-8")
    for path in ("report", "new-report"):
        assert run("compare", "-o", path, old, new).returncode == USAGE
    assert pathlib.Path("report").read_text(encoding="utf-8") == "kept"
    assert not pathlib.Path("new-report").exists()


def test_a_difference_in_one_of_hundreds_of_events_is_found():
    old = write("old", {f"e{i}": [*range(10, 20)] for i in range(300)})
    new = write("new", {f"e{i}": [*range(20, 30)] for i in range(300)})
    assert {row["verdict"] for row in rows_of(old, new)[1].values()} == {"worse"}


def test_an_interrupted_repetition_does_not_replace_a_file(scratch):
    (scratch / "base").write_text("before", encoding="ascii")
    done = run("-r", 5, "--save", "base", "-e", "cs", "sh", "-c", "kill -INT $PPID; sleep 0.1")
    assert "no repetition was completed" in done.stderr
    assert (scratch / "base").read_text(encoding="ascii") == "before"


def test_random_bytes_never_crash_the_reader(base):
    text, dice = bytearray(base.read_bytes()), random.Random(22)
    for _ in range(100):
        changed = bytearray(text)
        for _ in range(dice.randrange(1, 4)):
            changed[dice.randrange(len(changed))] = dice.randrange(256)
        pathlib.Path("bad").write_bytes(changed)
        assert run("compare", base, "bad").returncode in (0, USAGE)


def test_a_file_that_cannot_be_saved_is_reported_before_the_count():
    done = run("--save", "none/file", "-e", "cs", "touch", "ran")
    assert done.returncode == FAILED and "--save none/file: cannot be written" in done.stderr
    assert not pathlib.Path("ran").exists()


def test_a_file_is_replaced_as_a_whole(scratch):
    (scratch / "old").write_text("before", encoding="ascii")
    os.link(scratch / "old", scratch / "link")
    assert run("-r", 2, "--save", "old", "-e", "cs", "true").returncode == 0
    assert (scratch / "link").read_text(encoding="ascii") == "before"
    jsonschema.validate(read("old"), SCHEMA)
    assert sorted(path.name for path in scratch.iterdir()) == ["link", "old"]


def test_a_link_stays_a_link_and_the_file_keeps_its_permissions(scratch):
    (scratch / "target").write_text("before", encoding="ascii")
    (scratch / "target").chmod(0o600)
    os.symlink("target", scratch / "link")
    assert run("--save", "link", "-e", "cs", "true").returncode == 0
    assert (scratch / "link").is_symlink()
    jsonschema.validate(read("target"), SCHEMA)
    assert stat.S_IMODE((scratch / "target").stat().st_mode) == 0o600


def test_a_file_that_is_open_as_stdout_is_appended_to(scratch):
    (scratch / "log").write_text("before\n", encoding="ascii")
    before = os.lstat("/dev/stdout").st_ino
    with open(scratch / "log", "a", encoding="ascii") as log:
        done = subprocess.run([PSTAT, "--save", "/dev/stdout", "-e", "cs", "true"], stdout=log,
                              stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert os.lstat("/dev/stdout").st_ino == before, "the link in /dev was replaced"
    first, text = (scratch / "log").read_text(encoding="utf-8").split("\n", 1)
    assert first == "before"
    jsonschema.validate(json.loads(text), SCHEMA)


def test_a_directory_is_refused_before_the_count(scratch):
    (scratch / "dir").mkdir()
    done = run("--save", "dir", "-e", "cs", "touch", "ran")
    assert done.returncode == FAILED and "Is a directory" in done.stderr
    assert not pathlib.Path("ran").exists()


@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_file_that_cannot_be_replaced_is_refused_before_the_count(as_nobody, mode):
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        directory, file = pathlib.Path(path), pathlib.Path(path) / "file"
        file.touch()
        file.chmod(0o666)
        directory.chmod(mode)
        done = as_nobody("--save", file, "-e", "cs:u", "echo", "ran")
        assert (done.returncode, done.stdout) == (FAILED, "")
        assert f"--save {file}: cannot be written: " in done.stderr
        assert [entry.name for entry in directory.iterdir()] == ["file"]


def test_times_are_written_for_the_scripts_of_hyperfine(base):
    assert run("compare", base, base, "--hyperfine", "times.json").returncode == 0
    results, times = read("times.json")["results"], read(base)["seconds"]["elapsed"]
    assert len(results) == 2 and results[0]["times"] == times
    assert results[0]["command"].endswith(" 100")
    assert results[0]["min"] == pytest.approx(min(times)) and results[0]["stddev"] > 0
    assert results[0]["mean"] == pytest.approx(sum(times) / 10)
    assert results[0]["exit_codes"] == 10 * [0]
    assert sorted(results[0]) == ["command", "exit_codes", "max", "mean", "median", "min",
                                  "stddev", "system",
                                  "times", "user"]


def test_intervals_are_compared_too():
    for name in ("a", "b"):
        done = run("-I", 20, "--interval-count", 8, "--save", name, "-e", "cpu-clock", "-C", 0)
        assert done.returncode == 0
    found = read("a")
    jsonschema.validate(found, SCHEMA)
    assert found["values-of"] == "intervals" and len(found["events"][0]["values"]) == 8
    assert rows_of("a", "b")[1]["cpu-clock"]["old-runs"] == 8


def test_ab_needs_two_commands_and_no_third():
    assert "give --ab twice" in run("--ab", "true").stderr
    assert run("--ab", "true", "--ab", "true", "true").returncode == USAGE
    assert run("--ab", "true", "--ab", "true", "-p", "1").returncode == CONFLICT


def test_a_named_pipe_without_a_reader_does_not_block_pstat(scratch):
    os.mkfifo("pipe")
    done = run("-r", 2, "--save", "pipe", "-e", "cs", "true")
    assert done.returncode == FAILED and "pipe: cannot be written: No such device" in done.stderr
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run("-r", 2, "--save", "pipe", "-e", "cs", "true").returncode == 0
    jsonschema.validate(json.loads(os.read(reader, 100_000)), SCHEMA)
    os.close(reader)
    done = run("-r", 2, "--save", "/dev/full", "-e", "cs", "true")
    assert done.returncode == FAILED and "/dev/full: cannot be written: No space" in done.stderr
