# SPDX-License-Identifier: GPL-2.0-only
"""The work that pstat does before it counts. pstat must do nothing that no option needs."""

import os
import pathlib
import re
import subprocess

import pytest

from native import BUILD, IN_C, PSTAT, TOP, USAGE, run, workload

SHIM = BUILD / ".build/tests/native/fault-shim.so"
MOST_MIB = 6


def calls(*args):
    """Returns [(function, object)] for the calls that pstat and its libraries make, as logged by
    the shim for faults."""
    log = "calls"
    pathlib.Path(log).unlink(missing_ok=True)
    subprocess.run(
        [PSTAT, *map(str, args)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, **IN_C, "LD_PRELOAD": str(SHIM), "FAULT_LOG": os.path.abspath(log)})
    with open(log, encoding="ascii") as file:
        return re.findall(r"^call (\S+) ([^+\s]+)\+", file.read(), re.M)


def callers(*args):
    return set(calls(*args))


@pytest.mark.parametrize("args", [("-e", "cs", "true"),
                                  ("-a", "-e", "cs,page-faults,task-clock", "--timeout", 10),
                                  ("--version", )], ids=["a command", "all CPUs", "its version"])
def test_libraries_do_nothing_before_they_are_needed(args):
    found = callers(*args)
    assert found and {where for _, where in found} <= {"pstat", "libc.so.6"}, found
    assert not [name for name, _ in found if "bpf" in name], found


def test_libraries_that_few_runs_need_are_not_loaded_at_the_start():
    done = subprocess.run([PSTAT], capture_output=True, text=True, check=True,
                          env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"})
    assert "libbpf.so.1 =>" in done.stdout and not re.search("libdw|lzma|bz2|jansson|traceevent",
                                                             done.stdout), done.stdout


def test_a_library_that_cannot_be_loaded_is_named_and_only_where_it_is_needed(
        tmp_path, monkeypatch):
    for name in ("libjansson.so.4", "libtraceevent.so.1"):
        (tmp_path / name).write_text("no library", encoding="ascii")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert "install the library" not in run("-e", "cs", "true").stderr
    done = run("--metrics-file", TOP / "tests/data/metrics/example.json", "-M", "cpus_utilized",
               "true")
    assert done.returncode == USAGE
    assert re.fullmatch(
        rf"pstat: {tmp_path}/libjansson\.so\.4: .+\n"
        r" {7}install the library \(Debian's package libjansson4\)\n"
        r"pstat: --metrics-file \S+/example\.json: libjansson\.so\.4 cannot be "
        r"loaded\n", done.stderr), done.stderr


@pytest.mark.parametrize("args, words", [
    (("-e", "cs,no.such_event", "true"), "unknown event 'no.such_event'"),
    (("-M", "NoSuchMetric", "true"), "NoSuchMetric"),
    (("list", "vendor"), "vendors' events"),
])
def test_if_its_library_is_missing_a_folder_of_events_is_refused_with_the_name_of_the_package(
        tmp_path, monkeypatch, args, words):
    (tmp_path / "libjansson.so.4").write_text("no library", encoding="ascii")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    folder = f"--events-dir={TOP / 'tests/data/vendor'}"
    lines = run(*(["list", folder, *args[1:]] if args[0] == "list" else [folder, *args])).stderr
    assert words in lines and lines.count("install the library (Debian's package libjansson4)") == 1
    assert "cannot be read without libjansson.so.4\n" in lines and "memory" not in lines


def test_the_calls_of_a_library_that_is_needed_are_logged(own_pins):
    found = callers("-a", "--bpf-counters", "-e", "cs", "--timeout", 10)
    assert ("bpf", "libbpf.so.1") in found


@pytest.mark.parametrize("args",
                         [("-e", "cs", "true"),
                          ("-a", "-e", "cs,page-faults,task-clock", "-I", 10, "--timeout", 50)],
                         ids=["a command", "all CPUs, intervals"])
def test_a_count_needs_little_memory(args):
    done = subprocess.run([*workload("run-cost"), PSTAT, *map(str, args)], capture_output=True,
                          text=True, check=True, env={**os.environ, **IN_C})
    assert int(re.search(r"kib (\d+)$", done.stdout)[1]) <= MOST_MIB * 1024, done.stdout


def test_a_list_reads_each_tracepoint_once(tracefs):
    """Each read(2) of a format, even at the end of the file, may wait 40 ms for a process that
    closes tracepoints."""
    known = len(list((tracefs / "events/sched").glob("*/format")))
    reads = [
        sum(name in ("read", "__read_chk") for name, _ in calls("list", "-j", glob))
        for glob in ("nosuch", "sched:*")
    ]
    assert known > 10 and reads[1] - reads[0] == known, reads


def test_pstat_is_linked_only_to_libraries_that_are_cheap_to_load():
    found = subprocess.run(["readelf", "-d", PSTAT], check=True, capture_output=True, text=True)
    needed = re.findall(r"\(NEEDED\).*\[(lib\w+)", found.stdout)
    assert "libbpf" in needed and set(needed) <= {"libbpf", "libelf", "libz", "libc"}
