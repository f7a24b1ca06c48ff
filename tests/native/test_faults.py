# SPDX-License-Identifier: GPL-2.0-only
"""Makes one of pstat's calls fail at a time. pstat must end by itself, report the error, leave no
processes and no pins behind, and print nothing wrong. Each command line runs once without a fault,
to record its calls and its output, and then once for each fault. A normal run tries a sample of the
places that make calls; PSTAT_LONG=1 tries each call of each line with each errno. The kernel frees
BPF programs that are not pinned when pstat ends, so it is enough to check the pins."""

import ctypes
import errno
import json
import os
import pathlib
import re
import resource
import subprocess

import pytest

from faults import SHIM, Line, faults_of, run, shape, where
from native import FAILED, IN_C, start, wait_until_counting, workload

ATTR_MAP = "map"  # The pinned map of --bpf-counters remains on purpose.
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


@pytest.fixture(autouse=True)
def shim(monkeypatch):
    if not SHIM.exists():
        subprocess.run([
            "make", "--no-print-directory",
            *([f"O={os.environ['O']}"] if os.environ.get("O") else []), "fault-shim"
        ], cwd=pathlib.Path(__file__).parents[2], check=True)
    limit = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, limit[1]))
    for name, value in IN_C.items():
        monkeypatch.setenv(name, value)
    yield
    resource.setrlimit(resource.RLIMIT_CORE, limit)


@pytest.fixture(autouse=True)
def orphans():
    """Makes processes that pstat leaves behind children of the test."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def check(line, pins=None):
    """Tries the faults of a line. `pins` is a directory of a BPF file system in which the line may
    pin objects. Existing pins must remain."""
    pinned = lambda: {path.name for path in pins.rglob("*")
                      if path.name != ATTR_MAP} if pins else set()
    # The first run may pin the map that remains.
    line.run()
    # On a busy machine, the task may not run in some intervals.
    clean = next((done
                  for done in (line.run()
                               for _ in range(9)) if "<not counted>" not in done.out + done.err),
                 None) or line.run()
    assert clean.code == line.code and not clean.left and "\nkept pstat+" not in clean.log, clean
    before = pinned()
    faults = faults_of(clean.log)
    assert faults, clean
    failed = 0
    problems = []
    for fault in faults:
        known = pinned()
        done = line.run(fault)
        failed += "\nfailed " in "\n" + done.log
        problems += [
            f"{fault}{where(done)}: {problem}\n{done.err}"
            for problem in line.wrong(clean, done, fault)
        ]
        # The map of sessions may remain, if pstat warns. The next session removes it.
        remains = re.search(r"map of sessions (cannot be removed|remains)|it remains", done.err)
        if pinned() - known and not remains:
            problems.append(f"{fault}: it leaves pins: {pinned() - known}")
    assert (
        not problems
    ), f"{len(problems)} of {len(faults)} faults of `pstat {' '.join(line.args)}`\n" + "\n".join(
        problems
    )
    # If a line waits, its calls differ between runs, but half of the faults must occur.
    assert failed >= len(faults) * 0.5, f"{failed} of {len(faults)} faults came about"
    line.run()
    assert pinned() == before, "the next session removes what another left behind"


def test_the_shim_makes_the_selected_call_fail():
    done = run(["-e", "cs", "true"], f"perf_event_open:1:{errno.EMFILE}")
    assert done.code == 255 and "EMFILE" in done.err
    assert re.match(r"failed perf_event_open pstat\+0x[0-9a-f]+\n", done.log)


@pytest.mark.parametrize("args", [["-e", "cs", "true"], ["profile", "-e", "cpu-clock", "true"]],
                         ids=["count", "profile"])
def test_a_file_system_that_is_full_only_at_the_end_is_an_error(args):
    """NFS reports this error when the file is closed, which is the last thing that pstat does
    with the file."""
    args = [*args[:-1], "-o", "out", args[-1]]
    calls = len(re.findall(r"^call fclose ", run(args).log, re.M))
    done = run(args, f"fclose:{calls}:{errno.ENOSPC}")
    assert done.code == FAILED and re.search(
        r"^pstat: -o out: cannot write the file: No space left", done.err, re.M), done


def test_an_event_that_could_not_be_tried_is_not_reported_as_limited_to_cpus():
    rows = json.loads(
        run(["list", "-j", "--check", "cpu-clock"], f"perf_event_open:1:{errno.EMFILE}").out)
    assert rows[0]["Opens"] == "no" and "EMFILE" in rows[0]["WhyNot"]
    rows = json.loads(
        run(["list", "-j", "--check", "cpu-clock"], f"perf_event_open:1:{errno.ENOENT}").out)
    assert rows[0]["Opens"] == "on CPUs"


def test_an_error_while_listing_is_not_reported_as_a_write_error():
    args = ["list", "-j", "sw"]
    calls = len(re.findall(r"^call calloc pstat", run(args).log, re.M))
    failed = [
        done for done in (run(args, f"calloc:{number}:{errno.ENOMEM}")
                          for number in range(1, calls + 1)) if done.code
    ]
    assert any("out of memory" in done.err for done in failed)
    assert not [done for done in failed if "cannot write" in done.err]


@pytest.mark.skipif(os.geteuid() != 0, reason="BPF programs need root")
@pytest.mark.parametrize("args", [["-a", "--for-each-cgroup", "/"], ["--bpf-attr-map", ATTR_MAP]],
                         ids=["cgroups", "tasks"])
def test_lack_of_memory_is_not_reported_as_a_missing_feature(args, bpffs, monkeypatch):
    monkeypatch.setenv("PSTAT_TASK_STATE", "btf")
    # -v prints why counters are not shared. pstat tries to share them first.
    args = [
        "-v", "--bpf-counters", *[bpffs / arg if arg == ATTR_MAP else arg for arg in args], "-e",
        "cs", "true"
    ]
    calls = len(re.findall(r"^call calloc pstat", run(args).log, re.M))
    done = [run(args, f"calloc:{number}:{errno.ENOMEM}") for number in range(1, calls + 1)]
    assert any("out of memory" in failed.err for failed in done)
    assert not [
        failed.err
        for failed in done
        if re.search("has no member|no tracepoint|take a kernel", failed.err)
    ]


# The text that a fault may change: parts of --version -vv, and text that differs between runs.
OPENS = r'"Opens" : ("yes"|"in user space"|"on CPUs"|"no", "WhyNot" : "[^"]*")'
ALLOWED = r"(?m) +(yes|no)\b.*$"
DEVIATION = r"\( \+- *[\dN.]+% \)"


def without(pattern):
    """Returns the shape of a text without these parts."""
    return lambda text: re.sub(r" +", " ",
                               re.sub(pattern, "", shape(re.sub(pattern, "", text or ""))))


LINES = {
    "default": Line("true", events=("task-clock", "context-switches", "page-faults")),
    "csv": Line("-x,", "-e", "cs,task-clock,page-faults", "true",
                events=("cs", "task-clock", "page-faults")),
    "json-file": Line("-j", "-o", "out", "-e", "cs,page-faults", "true",
                      events=("cs", "page-faults")),
    "file": Line("-o", "out", "--append", "-r", 2, "-e", "task-clock,cs", "true",
                 events=("task-clock", "cs", "elapsed"), shape_of=without(DEVIATION)),
    "interval": Line("-I", 10, "--interval-count", 2, "-e", "task-clock",
                     *workload("spin", "--ms", 30), events=("task-clock", )),
    "system-interval": Line("-a", "-I", 10, "--interval-count", 2, "-e", "cpu-clock,cs",
                            events=("cpu-clock", "cs")),
    "cpus": Line("-C", 0, "-A", "-x,", "-e", "cpu-clock,cs", "--timeout",
                 10, events=("CPU0", "cpu-clock", "cs")), "repeat": Line(
                     "-r", 3, "-e", "task-clock", "true", events=("task-clock", ),
                     shape_of=without(DEVIATION)), "metrics": Line(
                         "-M", "cpus_utilized,context_switches_per_sec", "true",
                         events=("task-clock", "context-switches")),
    # Without a time limit, pstat would count forever if a fault prevented the command `stop`.
    "control": Line("-a", "-x,", "-D", -1, "--control", "fd:0,1", "--timeout", 1000, "-e",
                    "cpu-clock", events=("cpu-clock", ),
                    stdin="enable\nping\nstop\n"), "list": Line(
                        "list", "-j", "--check", "sw",
                        events=("cpu-clock", "task-clock", "page-faults", "context-switches"),
                        shape_of=without(OPENS)), "progs": Line("progs", "-j", "no_such_program"),
    "version": Line("--version", "-vv", events=("pstat", "-b, --bpf-prog"),
                    shape_of=without(ALLOWED)),
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_line_survives_each_fault(line):
    check(line)


def test_counting_a_process_survives_each_fault(sleeper):
    check(
        Line("-p",
             sleeper().pid, "-e", "cs,page-faults", "--timeout", 10, events=("cs", "page-faults")))


def test_counting_by_bpf_survives_each_fault(bpffs):
    check(
        Line("-a", "--bpf-counters", "--bpf-attr-map", bpffs / ATTR_MAP, "-e", "cpu-clock",
             "--timeout", 10, events=("cpu-clock", )), bpffs)


def test_counting_cgroups_survives_each_fault(cgroup):
    check(
        Line("-a", "--for-each-cgroup", cgroup("faults"), "-e", "cpu-clock,cs", "--timeout", 10,
             events=("cpu-clock", "cs")))


def test_counting_cgroups_by_bpf_survives_each_fault(cgroup, sys_bpffs):
    check(
        Line("-a", "--bpf-counters", "--for-each-cgroup", cgroup("faults"), "-e", "cpu-clock",
             "--timeout", 10, events=("cpu-clock", )), sys_bpffs)


def test_a_session_that_cannot_read_the_map_of_sessions_leaves_it_unchanged(cgroup, sys_bpffs):
    """A session reads the map at its start, to find leaders and to see whether the map is empty,
    and again at its end."""
    args = [
        "-a", "--bpf-counters", "--for-each-cgroup",
        cgroup("faults"), "-e", "cpu-clock", "--timeout", "10"
    ]
    with start(*args[:-2]) as leader:
        wait_until_counting(leader)
        calls = len(re.findall(r"^call bpf_map_get_next_key ", run(args).log, re.M))
        assert calls > 1
        for number in range(1, calls + 1):
            done = run(args, f"bpf_map_get_next_key:{number}:{errno.EPERM}")
            assert done.code == 0 and "\nfailed bpf_map_get_next_key" in "\n" + done.log, done
            assert (sys_bpffs / "pstat_cgroups").exists(), done
        assert "counted by the leader of link" in run(["-v", *args]).err
        leader.kill()


def test_tasks_that_bpf_cannot_count_are_refused_with_the_reason(sleeper):
    args = ["-p", str(sleeper().pid), "--bpf-counters", "-e", "cpu-clock", "--timeout", "10"]
    done = run(args, f"bpf_map_update_elem:1:{errno.ENOMEM}")
    assert (
        done.code == FAILED
        and "cannot write the tasks to count into a BPF map: Cannot allocate memory" in done.err
    ), done


def test_a_profile_survives_each_fault():
    """The functions in a profile differ between runs, but there must be samples of the right
    kind."""
    heading = lambda text: re.findall(r"^# (\S+),|^ *(share) .*function$", text or "", re.M)
    check(
        Line("profile", "-e", "cpu-clock", "--", *workload("spin", "--ms", 20),
             events=("cpu-clock", ), shape_of=heading))


def test_counting_a_bpf_program_survives_each_fault(bpf_prog):
    """If the kernel refuses fentry, its own statistics provide the counts."""
    check(Line("-b", bpf_prog(), "-e", "run_cnt,cpu-clock", "true",
               events=("run_cnt", "cpu-clock")))


@pytest.mark.parametrize("how", [["-D", "10"], ["-D", "-1", "--control", "fd:0"]],
                         ids=["delay", "control"])
def test_events_that_could_not_be_enabled_are_not_reported_as_enabled(how):
    done = run([*how, "-e", "faults", "sleep", "0.1"], f"ioctl:1:{errno.EIO}", stdin="enable\n")
    assert done.code == FAILED and "cannot enable the event: Input/output error" in done.err, done
    assert "Events enabled" not in done.err


def test_times_of_cpus_that_cannot_be_read_are_an_error():
    done = run(["-a", "-x,", "-e", "user_time", "true"], f"__getdelim:1:{errno.EIO}")
    assert done.code == FAILED and "cannot read /proc/stat: Input/output error" in done.err, done
