# SPDX-License-Identifier: GPL-2.0-only
"""Each event that pstat list prints can be opened, or --check prints the reason why not. The list
contains every event of the kernel."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from native import FAILED, IN_C, PSTAT, USAGE, run

DEVICES = pathlib.Path("/sys/bus/event_source/devices")
NO_EVENTS = "Raw event descriptor"


def listed(*args):
    # The kernel needs more than a minute to close all its tracepoints.
    done = subprocess.run([PSTAT, "list", "-j", *args], capture_output=True, text=True, check=False,
                          env={**os.environ, **IN_C}, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names(*args):
    return [event["EventName"] for event in listed(*args)]


def check(events):
    """Counts each event with pstat, and compares the result with the output of --check."""
    assert events
    for event in events:
        done = run("-x,", "-e", event["EventName"], "-a" if event["Opens"] == "on CPUs" else "-v",
                   "true")
        counted = done.returncode == 0 and "<not supported>" not in done.stderr
        if event["EventName"] == "run_cnt":
            assert "needs -b" in done.stderr
        elif event["EventName"] == "scope-time":
            assert "it needs --scope" in done.stderr
        elif event["Opens"] == "no":
            assert event["WhyNot"]
            assert not counted, event
        else:
            assert "WhyNot" not in event
            assert counted, (event, done.stderr)


def test_each_event_opens_or_check_says_why_not():
    check([event for event in listed("--check", "hw", "sw", "cache", "tool", "pmu")])


def test_each_tracepoint_opens_or_check_says_why_not(tracefs):
    """Tries three systems, because the kernel needs 30 ms for each tracepoint. PSTAT_LONG=1
    tries all."""
    globs = (
        ["tracepoint"]
        if os.environ.get("PSTAT_LONG")
        else ["sched:*", "signal:*", "syscalls:sys_enter_w*"]
    )
    events = listed("--check", *globs)
    assert len(events) > 20
    for event in events:
        assert event["Opens"] != "no" or event["WhyNot"]
    check([event for event in events if event["Opens"] == "no"] + events[:3])


def test_the_list_has_every_event_that_the_kernel_shows(tracefs):
    shown = set(names())
    of_pmus = {
        f"{file.parent.parent.name}/{file.name}/" for file in DEVICES.glob("*/events/*")
        if "." not in file.name
    }
    assert of_pmus
    assert not of_pmus - shown
    tracepoints = {
        f"{id.parent.parent.name}:{id.parent.name}" for id in (tracefs / "events").glob("*/*/id")
    }
    assert not tracepoints ^ {
        name for name in shown if ":" in name and not name.isupper() and "[" not in name
    }


def test_words_select_kinds_and_globs_select_names(tracefs):
    assert {event["EventType"] for event in listed("hw")} == {"Hardware event"}
    assert {event["EventType"] for event in listed("sw")} == {"Software event", "Tool event"}
    assert {event["EventType"] for event in listed("cache")} == {"Hardware cache event"}
    assert {event["EventType"] for event in listed("tracepoint")} == {"Tracepoint event"}
    assert {event["EventType"] for event in listed("raw")} == {NO_EVENTS}
    assert names("page-faults") == ["page-faults"]
    assert names("faults") == [
        "page-faults", "minor-faults", "major-faults", "alignment-faults", "emulation-faults"
    ]
    assert names("?aults") == ["page-faults"], "by its alias"
    assert names("SCHED:sched_switch") == ["sched:sched_switch"]
    assert len(names("hw", "sched:sched_switch")) == 11
    assert names("nothing has this name") == []


def test_a_tracepoint_is_listed_with_its_fields(tracefs):
    event, = listed("sched:sched_switch")
    assert event["PublicDescription"].startswith("prev_comm, prev_pid, ")
    assert event["Topic"] == "sched"
    assert "[prev_comm, prev_pid, " in run("list", "-v", "sched:sched_switch").stdout


def test_the_text_has_a_line_for_each_event_and_its_description():
    assert run("list", "context-switches").stdout == (
        "  context-switches OR cs                             [Software event]\n"
        "       [switches from one task to another]\n")
    assert run("list", "task-clock", "--no-desc", "--check").stdout == (
        "  task-clock                                         [Software event] can be opened\n"
        "\nevents: 1; can be opened: 1; only with -a or -C: 0; cannot be opened: 0\n")
    assert "[Unit: msec, a count is 1e-06]" in run("list", "task-clock").stdout


def test_a_full_disk_is_an_error():
    with open("/dev/full", "w", encoding="ascii") as full:
        done = run("list", stdout=full)
    assert done.returncode == 255
    assert "No space left on device" in done.stderr


def test_an_unknown_option_is_refused():
    assert run("list", "--nope").returncode == USAGE


def test_the_list_needs_no_privilege():
    """For a user without any permission, the list is complete, and --check prints what is not
    allowed."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        pstat = shutil.copy(PSTAT, folder)
        os.chmod(folder, 0o755)
        done = subprocess.run([
            "setpriv", "--reuid", "65534", "--clear-groups", pstat, "list", "--check", "-j", "hw",
            "sw", "cache", "pmu", "raw"
        ], capture_output=True, text=True, check=False, env=IN_C)
    assert done.returncode == 0, done.stderr
    events = json.loads(done.stdout)
    assert [event["EventName"] for event in events] == names("hw", "sw", "cache", "pmu", "raw")
    for event in events:
        assert event["EventType"] == NO_EVENTS or event["Opens"] != "no" or event["WhyNot"]


def test_a_name_that_does_not_exist_is_reported():
    for words in (["nosuch"], ["-j", "nosuch"], ["nosuch", "n?such"]):
        done = run("list", *words)
        assert (done.returncode, done.stdout.split()) == (0, ["[", "]"] if "-j" in words else [])
        assert "pstat: no event matches nosuch\n" in done.stderr
    assert "no event matches n?such\n" in done.stderr
    assert run("list", "nosuch", "page-faults").stderr == ""


def test_a_kind_that_has_no_events_is_reported():
    assert run("list", "vendor").stderr == (
        "pstat: this machine has no events of this kind\n"
        "       the names of vendors' events are not installed\n"
        "       install the package pstat-events, or run `make install-events` in pstat's source\n")


def test_a_folder_of_events_that_the_command_line_names_must_exist(tmp_path, monkeypatch):
    for folder in ("/no/such", "", "/dev/null"):
        done = run("list", "--events-dir", folder, "cs")
        assert (done.returncode, done.stdout) == (USAGE, "")
        assert done.stderr.startswith("pstat: --events-dir " + (folder or "''") +
                                      ": the directory cannot be read: ")
    assert run("list", "--events-dir", tmp_path,
               "page-faults").stderr.startswith(f"pstat: {tmp_path}/mapfile.csv: ")
    monkeypatch.setenv("PSTAT_EVENTS", "/no/such")
    for words in (["list", "page-faults"], ["-e", "page-faults", "true"]):
        done = run(*words)
        assert done.returncode == 0
        assert done.stderr.startswith("pstat: PSTAT_EVENTS=/no/such: the directory cannot be read: "
                                      "No such file or directory\n")
    monkeypatch.setenv("PSTAT_EVENTS", "")
    assert run("list", "page-faults").stderr == ""


@pytest.mark.parametrize("words", [
    "tracepoint", "hw tracepoint", "'sched:*'", "-v sched:sched_switch", "-j cs sched:sched_switch",
    "nosuch"
])
def test_without_tracefs_the_list_says_how_to_mount_it(tracefs, words):
    """Runs in its own mount namespace, where another file system hides tracefs."""
    line = f"mount -t tmpfs none {tracefs} && {PSTAT} list {words}"
    done = subprocess.run(["unshare", "-m", "sh", "-c", line], capture_output=True, text=True,
                          check=False, env={**os.environ, **IN_C})
    if done.returncode and "unshare" in done.stderr:
        pytest.skip(f"probe: unshare -m: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert bool(done.stdout) == ("hw" in words or "cs" in words)
    assert f"mount -t tracefs tracefs {tracefs}" in done.stderr


def test_a_list_without_tracepoints_does_not_mention_them(tracefs):
    line = f"mount -t tmpfs none {tracefs} && {PSTAT} list page-faults && {PSTAT} list >&2"
    done = subprocess.run(["unshare", "-m", "sh", "-c", line], capture_output=True, text=True,
                          check=False, env={**os.environ, **IN_C})
    if done.returncode and "unshare" in done.stderr:
        pytest.skip(f"probe: unshare -m: {done.stderr.strip()}")
    assert "page-faults" in done.stdout and "cpu-clock" in done.stderr
    assert "pstat:" not in done.stderr


def test_the_raw_dump_has_the_names_that_perf_prefers_and_separates_them_by_spaces():
    """perf's shell completion splits the dump into words."""
    hardware = ("cycles instructions cache-references cache-misses branches branch-misses "
                "bus-cycles idle-cycles-frontend idle-cycles-backend ref-cycles ")
    done = run("list", "--raw-dump", "hw")
    assert (done.returncode, done.stdout, done.stderr) == (0, hardware, "")
    every = run("list", "--raw-dump", "hw", "sw", "cache", "tracepoint", "pmu", "sdt")
    assert (every.returncode, every.stderr) == (0, "")
    assert every.stdout.startswith(hardware)
    wanted = [event.get("EventAlias", event["EventName"])
              for event in listed("hw", "sw", "cache", "tracepoint", "pmu")]
    assert every.stdout.split() == wanted
    metrics = run("list", "--raw-dump", "metric", "metricgroup")
    assert metrics.stdout.split() == [*run("list", "--no-desc", "metric").stdout.split(),
                                      *run("list", "--no-desc", "metricgroup").stdout.split()]
    assert not set(metrics.stdout) & set("\n[")
    done = run("list", "--raw-dump", "nosuch")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_events_and_metrics_are_one_json_array():
    both = listed("hw", "metrics", "metricgroup", "sdt")
    assert "EventName" in both[0] and "Metrics" in both[-1]
    assert sum("EventName" in one for one in both) == 10
    assert sum("MetricExpr" in one for one in both) == len(listed("metrics"))
    assert listed("sdt") == listed("metrics", "nosuch") == []


def test_a_glob_matches_each_group_of_a_metric_by_itself(tmp_path):
    metric = '[{"MetricName": "%s", "MetricExpr": "cycles", "MetricGroup": "%s"}]'
    (tmp_path / "file").write_text(metric % ("twogroups", "Zfirst; Zsecond"), encoding="ascii")
    file = ("--metrics-file", tmp_path / "file", "-j", "metrics")
    for glob in ("zfirst", "Z?irst", "Z?econd", "Zsec*"):
        assert [one["MetricName"] for one in listed(*file, glob)] == ["twogroups"], glob
    assert listed(*file, "Z?irst*d") == []


def test_the_list_goes_to_the_file_of_o(tmp_path):
    for words in (["hw"], ["-j", "hw", "metrics"], ["metricgroup"]):
        done = run("list", "-o", tmp_path / "list", *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert (tmp_path / "list").read_text(encoding="ascii") == run("list", *words).stdout
    done = run("list", "--output", tmp_path / "none" / "list", "hw")
    assert done.returncode == FAILED and "cannot write the file: No such file" in done.stderr
    done = run("list", "-o", "/dev/full")
    assert done.returncode == FAILED and "No space left on device" in done.stderr


def test_v_adds_encodings_and_long_descriptions():
    plain, details, long = (run("list", *words, "metric", "ipc").stdout
                            for words in ([], ["--details"], ["-v"]))
    assert "instructions / cycles" in details and "instructions / cycles" not in plain
    assert long == details, "ipc has no long description"
    pmu = listed("pmu")[0]
    text = run("list", "--details", pmu["EventName"]).stdout
    assert f"[{pmu['Encoding']}]" in text


def test_unit_and_cputype_choose_a_pmu():
    msr = names("--unit", "msr", "pmu")
    assert msr and all(name.startswith("msr/") for name in msr)
    assert names("--unit", "m?r", "pmu") == names("--cputype", "msr", "pmu") == msr
    assert names("--unit", "nosuch", "pmu") == []
    assert names("--unit", "nosuch", "hw") == names("hw"), "no PMU has such events"
    done = run("list", "--cputype", "nosuch")
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr == "ERROR: cputype is not supported!\n"
    assert run("list", "--debug", "hw").stdout == run("list", "hw").stdout


@pytest.mark.parametrize("machine, words, prefix", [
    ("alderlake", ["--cputype", "atom"], "cpu_atom/"),
    ("alderlake", ["--cputype", "cpu_core"], "cpu_core/"),
    ("biglittle", ["--cputype", "armv8_cortex_a53"], "armv8_cortex_a53/"),
    ("icelake", ["--unit", "uncore_imc"], "uncore_imc/"),
    ("icelake", ["--cputype", "imc_0"], "uncore_imc/"),
])
def test_cputype_and_unit_choose_the_same_pmus_as_perf(machine_of, machine, words, prefix):
    done = machine_of(machine).run([PSTAT, "list", "--raw-dump", *words, "pmu"])
    everything = machine_of(machine).run([PSTAT, "list", "--raw-dump", "pmu"])
    chosen = done.stdout.split()
    assert done.returncode == 0 and len(chosen) >= 2, done.stderr
    assert chosen == [name for name in everything.stdout.split() if name.startswith(prefix)]


def test_braces_in_a_glob_list_alternatives(tracefs):
    del tracefs
    names = run("list", "--raw-dump", "syscalls:sys_enter_{getppid,wri*e}").stdout.split()
    assert names == ["syscalls:sys_enter_getppid", "syscalls:sys_enter_write"]
    done = run("list", "x{" + "0,1}{" * 10 + "0,1}")
    assert done.returncode == USAGE and "too many alternatives" in done.stderr
