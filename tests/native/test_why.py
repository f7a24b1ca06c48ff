# SPDX-License-Identifier: GPL-2.0-only
"""pstat why, on this machine's own kernel. tests/unit/test_why_search.c breaks the attr field by
field."""

import json
import os
import re
import resource
import subprocess

import pytest

from native import CONFLICT, FAILED, PATIENCE, PSTAT, USAGE, run
from seccomp import refusing

NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
AS_ROOT = pytest.mark.skipif(bool(os.geteuid()), reason="probe: geteuid: root changes its user")


def why(*words, **popen):
    done = run("why", "-j", *words, **popen)
    rows = json.loads(done.stdout)
    good = all(row.get("opens", row.get("works")) for row in rows)
    assert done.returncode == (0 if good else FAILED), done
    return rows


def test_events_that_open_are_named():
    done = run("why", "-e", "cs:u,page-faults:u", "true")
    assert (done.returncode, done.stdout) == (0, "cs:u: opens\npage-faults:u: opens\n")


def test_a_member_of_a_group_cannot_be_pinned():
    leader, member = why("-e", "{cs:u,page-faults:uD}", "true")
    assert leader == {"event": "cs:u", "opens": True, "opens_with": []}
    assert member["error"] == "EINVAL" and member["where"] == "for a command in its group"
    assert "without the modifier D (pinned)" in member["opens_with"]
    assert "outside of its group" in member["opens_with"]
    assert member["cause"] == "only the leader of a group can be pinned"


def test_the_text_has_the_same_facts():
    done = run("why", "-e", "{cs:u,page-faults:uD}", "true")
    assert done.returncode == FAILED
    assert done.stdout.startswith("""\
cs:u: opens
page-faults:uD: refused for a command in its group (EINVAL)
  it opens     without the modifier D (pinned)
               outside of its group
""")
    assert "  cause        only the leader of a group can be pinned\n" in done.stdout


def test_why_refuses_the_events_that_a_session_reports():
    """Each event that cannot be opened here has an answer, and the other events have none."""
    events = "cycles,instructions,cache-misses,cs,page-faults,r1ff,LLC-loads,alignment-faults"
    counted = {line.split(",")[2]: line.split(",")[0]
               for line in run("-x,", "-e", events, "true").stderr.splitlines()
               if line.count(",") > 4}
    for row in why("-e", events, "true"):
        if row["opens"]:
            assert counted[row["event"]].isdigit() or counted[row["event"]] == "<not counted>"
        else:
            assert counted[row["event"]] == "<not supported>" and row["cause"], row


@AS_ROOT
def test_an_ordinary_user_reads_what_paranoid_forbids(for_all):
    """This needs a perf_event_paranoid of 1 or more, as most machines with ordinary users have."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        level = int(file.read())
    if level not in (1, 2):
        pytest.skip(f"probe: kernel.perf_event_paranoid is {level}")
    line = [f"{for_all}/pstat", "why", "-j", "-e", "cs"]
    done = subprocess.run([*line, "-a"], capture_output=True, text=True, check=False, cwd="/",
                          timeout=PATIENCE, **NOBODY)
    row, = json.loads(done.stdout)
    # If there are two reasons, pstat prints the one that also applies to events in user space.
    assert row["error"] == "EACCES" and "paranoid is above 0" in row["cause"], row
    assert any("for a process instead of a CPU" in way for way in row["opens_with"])
    assert done.stderr == "", "functions of the kernel, which nobody may watch, are named"
    done = subprocess.run([*line, "true"], capture_output=True, text=True, check=False, cwd="/",
                          timeout=PATIENCE, **NOBODY)
    assert json.loads(done.stdout) == [
        {"event": "cs", "opens": True, **({"user_only": True} if level == 2 else {}),
         "opens_with": []}]
    done = subprocess.run([*line, "-p", "1"], capture_output=True, text=True, check=False, cwd="/",
                          timeout=PATIENCE, **NOBODY)
    row, = json.loads(done.stdout)
    assert any("for a process of this user" in way for way in row["opens_with"]), row
    assert "belongs to another user" in row["cause"], row


@AS_ROOT
@pytest.mark.parametrize("error", [1, 13, 38])
def test_a_seccomp_filter_is_named(error):
    for row in why("-e", "cs,page-faults:u", "true",
                   preexec_fn=refusing("perf_event_open", error=error)):
        assert "seccomp" in row["cause"] and "seccomp" in row["remedy"] and not row["opens_with"]


@AS_ROOT
def test_bpf_that_a_filter_refuses_is_reported():
    """The events can be opened, but no BPF program can be loaded."""
    words = "-a", "-e", "cs:b"
    event, way = why(*words, preexec_fn=refusing("bpf"))
    assert event["opens"] and not way["works"] and "seccomp" in way["cause"], way
    allowed = json.loads(run("why", "-j", *words).stdout)[1]
    done = run("-x,", *words, "--timeout", "10")
    assert allowed["works"] == bool(re.search(r"^\d+,,cs:b,", done.stderr, re.M)), (allowed, done)


def test_programs_of_b_are_checked_as_by_progs(bpf_prog):
    """If the kernel refuses fentry for all programs, there is one answer for all of them."""
    number = str(bpf_prog())
    rows = why("-b", number, "-e", "cs")
    listed = json.loads(run("progs", "-j", number).stdout)
    assert rows[0]["opens"] and rows[1]["what"] == "runs of BPF programs (-b)"
    assert rows[-1]["works"] == listed[0]["countable"], (rows, listed)


@pytest.mark.parametrize("name, words, cause, change", [
    ("icelake", ("-e", "topdown-retiring"), "only in a group whose first event is slots", None),
    ("icelake", ("-a", "-e", "uncore_imc_0/event=1/u"), "cannot tell user space from the kernel",
     "without the modifiers u, k and h"),
    ("icelake", ("-e", "cycles:ppp"), "degree of precision", "without the modifier p (precise_ip)"),
    ("zen3", ("-e", "ibs_op/cnt_ctl=1/"), "it only takes samples", "with samples (pstat profile)"),
    ("zen3", ("-a", "-e", "cycles:ppp"), "cannot sample precisely",
     "without the modifier p (precise_ip)"),
])
def test_users_of_other_machines_get_the_cause(machine_of, name, words, cause, change):
    """These command lines are from questions of users of perf."""
    done = machine_of(name).run([PSTAT, "why", "-j", *words, "true"])
    row, = json.loads(done.stdout)
    assert done.returncode == FAILED and cause in row["cause"], row
    assert not change or change in row["opens_with"], row


def test_few_files_may_be_open():
    """With seven files, pstat still reads its options, but not every event of the group opens."""
    for limit in range(4, 20):
        done = run("why", "-e", "{cs:u,page-faults:u,task-clock:u,minor-faults:u,major-faults:u}",
                   "true",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        assert done.returncode in (0, FAILED, USAGE, 127), (limit, done)
        if "(EMFILE)" in done.stdout:
            assert "(ulimit -n)" in done.stdout and "raise the limit" in done.stdout
            return
    raise AssertionError("no limit was reached")


@pytest.mark.parametrize("words, part", [
    (("-e", "no_such_event"), "no_such_event"),
    (("-e", "cs", "-p", "no"), "-p"),
    (("--no-such-option",), "no-such-option"),
])
def test_wrong_words_are_reported_as_by_stat(words, part):
    done = run("why", *words)
    assert done.returncode == USAGE and part in done.stderr and not done.stdout


def test_the_version_is_printed_as_by_stat():
    assert run("why", "--version").stdout == run("--version").stdout


@pytest.mark.parametrize("word", ["sw", "page-*", "--check", "--details", "--unit=cpu", "metrics"])
def test_free_counters_cannot_be_combined_with_words_that_choose_events(word):
    done = run("list", "--free", word)
    assert done.returncode == CONFLICT and "--free lists counters" in done.stderr


def test_nothing_is_counted_and_no_command_runs(tmp_path):
    mark = tmp_path / "mark"
    assert run("why", "-e", "cs:u", "touch", mark).returncode == 0
    assert not mark.exists()


def test_free_counters_name_the_holders(spawn):
    """A session holds perf events of this machine's CPUs."""
    session = spawn([PSTAT, "-a", "-e", "cs,page-faults", "--timeout", "20000"],
                    stderr=subprocess.DEVNULL)
    cpus = os.sysconf("SC_NPROCESSORS_ONLN")
    for _ in range(200):
        rows = json.loads(run("list", "--free", "-j").stdout)
        held = [row["events"] for row in rows if row.get("pid") == session.pid]
        if held == [2 * cpus]:
            break
    assert held == [2 * cpus], rows
    text = run("list", "--free").stdout
    assert re.search(rf"^ *{session.pid} +{2 * cpus}  pstat$", text, re.M), text


def test_without_a_pmu_the_list_of_free_counters_gives_the_reason():
    done = run("list", "--free")
    if re.search(r"^pmu +cpu +counters", done.stdout):
        pytest.skip("probe: pstat list --free: this machine has counters")
    assert done.returncode == 0
    assert "pstat: no PMU of this machine has counters\n" in done.stderr


def test_each_option_for_help_describes_why():
    help_text = run("why", "--help").stdout
    assert help_text.startswith("Usage: pstat why [OPTION...]")
    for option in "-h", "-?":
        assert run("why", option).stdout == help_text
