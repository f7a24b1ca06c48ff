# SPDX-License-Identifier: GPL-2.0-only
"""perf's configuration: which files pstat reads and which settings it uses. A bad file never
prevents counting."""

import os
import re

import pytest

from native import CONFLICT, LIBC, csv_values, default_signals, run, why_not, workload

FAULTS = 5000
PR_CAPBSET_DROP = 24  # linux/prctl.h
CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF = 21, 38, 39  # linux/capability.h


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Writes a configuration file: the file that PERF_CONFIG names, or the file in HOME."""

    def write(text, home=False):
        folder = tmp_path / "home"
        folder.mkdir(exist_ok=True)
        path = folder / ".perfconfig" if home else tmp_path / "named"
        path.write_text(text, encoding="ascii")
        if home:
            monkeypatch.delenv("PERF_CONFIG")
            monkeypatch.setenv("PERF_CONFIG_NOSYSTEM", "1")
            monkeypatch.setenv("HOME", str(folder))
        else:
            monkeypatch.setenv("PERF_CONFIG", str(path))
        return path

    return write


def messages(done):
    """Returns the first lines of pstat's own messages."""
    return re.findall(r"^pstat: (.*)", done.stderr, re.M)


# ---- format of numbers ----


def digits(*args, locale):
    """Returns the printed count of page faults."""
    done = run("-e", "page-faults", *args, *workload("faults", FAULTS), locale=locale)
    assert done.returncode == 0 and not messages(done), done.stderr
    return re.search(r"^ +(\S+) +page-faults", done.stderr, re.M)[1]


def test_digits_are_grouped_unless_the_configuration_says_otherwise(config, german):
    assert "." in digits(locale=german)
    config("[stat]\n\tbig-num = true\n")
    assert "." in digits(locale=german)
    config("[stat]\n\tbig-num = false\n")
    assert "." not in digits(locale=german)


def test_the_command_line_overrides_the_configuration(config, german):
    config("[stat]\nbig-num = off")
    assert "." in digits("-B", locale=german)
    config("[stat]\nbig-num = on")
    assert "." not in digits("--no-big-num", locale=german)


def test_the_users_file_is_read_without_a_named_one(config, german, monkeypatch):
    config("[stat]\nbig-num = off", home=True)
    assert "." not in digits(locale=german)
    monkeypatch.setenv("PERF_CONFIG_NOGLOBAL", "1")
    assert "." in digits(locale=german)
    monkeypatch.delenv("PERF_CONFIG_NOGLOBAL")
    monkeypatch.setenv("PERF_CONFIG", "")
    assert "." in digits(locale=german)


@pytest.mark.parametrize("value, said", [("true", False), ("false", True)])
def test_the_prefix_of_summary_lines_can_be_omitted(config, value, said):
    config(f"[stat]\nno-csv-summary = {value}\n")
    done = run("-x,", "-a", "-I", 50, "--interval-count", 1, "--summary", "-e", "cs")
    assert done.returncode == 0 and not messages(done), done.stderr
    assert done.stderr.splitlines()[-1].startswith("summary,") == said


def test_unused_settings_of_a_configuration_are_not_errors(config):
    config("[stat]\nno-csv-summary = true\nbig-num = true\n[report]\nchildren = false\n[stat]\n"
           "not-there = 1\n")
    done = run("-x,", "-e", "page-faults", "true")
    assert done.returncode == 0 and not messages(done), done.stderr


# ---- bad files ----


@pytest.mark.parametrize(
    "text, line, why",
    [("[stat]\nbig-num = off\n\nbad line\n", 4,
      "= is missing after 'bad': a setting is written NAME = VALUE"),
     ("[stat]\nbig-num = off\n[stat\n", 3,
      "the end of the line in a section's name: ] must end the name"),
     ("[stat]\nbig-num = off\nx = \"y\n", 3, "the quotes of a value are not closed"), ])
def test_a_bad_line_is_reported_and_the_lines_before_it_apply(config, german, text, line, why):
    path = config(text + "[stat]\nbig-num = on\n")
    done = run("-e", "page-faults", *workload("faults", FAULTS), locale=german)
    assert done.returncode == 0
    assert done.stderr.startswith(f"pstat: {path}:{line}: {why}\n"
                                  "       the rest of this file is ignored\n\n Performance counter")
    assert re.search(r"^ +\d{4,} +page-faults", done.stderr, re.M), done.stderr


def test_a_value_that_is_neither_true_nor_false_is_reported_and_ignored(config, german):
    path = config("[stat]\nbig-num = off\nbig-num = perhaps\n")
    done = run("-e", "page-faults", *workload("faults", FAULTS), locale=german)
    assert done.returncode == 0
    assert messages(done) == [
        f"{path}:3: stat.big-num = perhaps is ignored: the value must be "
        "true or false"
    ]
    assert re.search(r"^ +\d{4,} +page-faults", done.stderr, re.M), done.stderr


@pytest.mark.parametrize("name, why", [("not-there", "No such file or directory"),
                                       (".", "Is a directory"), ("/dev/zero", "File too large")])
def test_a_named_file_that_cannot_be_read_is_reported(monkeypatch, name, why):
    monkeypatch.setenv("PERF_CONFIG", name)
    done = run("-e", "page-faults", "true")
    assert done.returncode == 0
    assert messages(done) == [f"PERF_CONFIG={name} cannot be read: {why}: its settings are ignored"]


def test_a_home_that_this_user_cannot_read_causes_no_message(config, as_nobody):
    """HOME is usually unreadable after su -p. If PERF_CONFIG names the file, pstat warns."""
    path = config("[stat]\n", home=True)
    path.parent.chmod(0o700)
    home = {"HOME": str(path.parent), "PERF_CONFIG_NOSYSTEM": "1"}
    assert not messages(as_nobody("-e", "page-faults:u", "true", **home))
    told = messages(as_nobody("-v", "-e", "page-faults:u", "true", **home))
    assert f"this user may not read {path}: its settings are ignored" in told
    told = messages(as_nobody("-e", "page-faults:u", "true", PERF_CONFIG=str(path)))
    assert told == [
        f"PERF_CONFIG={path} cannot be read: Permission denied: its settings are "
        "ignored"
    ]


def test_a_file_of_another_user_is_not_read_but_reported(config):
    path = config("[stat]\nbad", home=True)
    try:
        os.chown(path, 12345, -1)
    except PermissionError as error:
        pytest.skip(f"probe: chown to another user: {error}")
    done = run("-e", "page-faults", "true")
    assert done.returncode == 0
    assert messages(done) == [
        f"{path} belongs to neither this user nor root: its settings are "
        "ignored"
    ]


def test_quiet_suppresses_the_message(config):
    config("[stat]\nbad")
    done = run("--quiet", "-e", "page-faults", "true")
    assert (done.returncode, done.stderr) == (0, "")


# ---- events that BPF counts ----


@pytest.fixture
def bpf(own_pins):
    """Skips tests if BPF programs cannot run at the context switch. The tests share counters only
    with each other."""
    if why_not("--bpf-counters"):
        pytest.skip(f"probe: pstat --version -vv, --bpf-counters: {why_not('--bpf-counters')}")


def shared(done):
    """Returns the named events in the messages of -v, each with the reason why it is not shared,
    or None."""
    found = re.findall(r"^pstat: (\S+): (?:not counted through BPF, although \S+ names it: (.*)|"
                       r"counted through BPF, because \S+ names it)$", done.stderr, re.M)
    return [(event, why or None) for event, why in found]


def test_events_that_the_configuration_names_are_counted_by_bpf(config, bpf):
    path = config("[stat]\nbpf-counter-events = cs , page-faults\n")
    done = run("-v", "-x,", "-e", "page-faults,page-faults:u,cs,task-clock",
               *workload("faults", FAULTS))
    assert done.returncode == 0, done.stderr
    assert f"pstat: page-faults: counted through BPF, because {path}:2 names it\n" in done.stderr
    assert shared(done) == [("page-faults", None), ("cs", None)]
    values = csv_values("".join(line + "\n" for line in done.stderr.splitlines()
                                if not re.match(r"pstat: |\S+: \d", line)))
    # The program causes a few page faults in addition to FAULTS.
    assert values["page-faults:u"] >= FAULTS and values["page-faults"] >= values["page-faults:u"]


def test_configured_events_can_be_counted_in_ways_that_only_bpf_allows(config, bpf, spinner):
    """Only BPF can count a task separately on each CPU."""
    argv = ["-p", spinner().pid, "-A", "-x,", "--timeout", 50, "-e"]
    assert run(*argv, "task-clock").returncode == CONFLICT
    config("[stat]\nbpf-counter-events = task-clock\n")
    done = run(*argv, "task-clock")
    assert done.returncode == 0 and re.search(r"^CPU\d+,", done.stderr, re.M), done.stderr
    assert run(*argv, "task-clock,page-faults").returncode == CONFLICT
    config("[stat]\nbpf-counter-events = task-clock\nbpf-counter-events =\n")
    assert run(*argv, "task-clock").returncode == CONFLICT


def test_a_later_setting_overrides_an_earlier_one(config, bpf):
    config("[stat]\nbpf-counter-events = cs\n[stat]\nbpf-counter-events = page-faults\n")
    assert shared(run("-v", "-e", "cs,page-faults", "true")) == [("page-faults", None)]


def test_a_group_is_counted_by_bpf_if_all_of_its_events_are_named(config, bpf):
    config("[stat]\nbpf-counter-events = cs,page-faults\n")
    done = run("-v", "-e", "{cs,page-faults},{task-clock,cs},{page-faults,faults}", "true")
    why = "its group contains events that the setting does not name"
    assert done.returncode == 0, done.stderr
    assert shared(done) == [("cs", None), ("page-faults", None), ("cs", why), ("page-faults", why)]


def test_cgroups_are_counted_by_the_kernel(config):
    config("[stat]\nbpf-counter-events = cs\n")
    why = "shared counters cannot be limited to a cgroup"
    for option in ("-G", "--for-each-cgroup"):
        done = run("-v", "-a", "-e", "cs", option, "/", "--timeout", 50)
        assert done.returncode == 0, done.stderr
        assert shared(done) == [("cs", why)]


def test_bpf_programs_are_counted_as_without_the_configuration(config, bpf_prog):
    config("[stat]\nbpf-counter-events = task-clock\n")
    done = run("-v", "-b", bpf_prog(), "-e", "task-clock", "--timeout", 50)
    assert ("task-clock", "-b has its own BPF programs that read the counters") in shared(done)
    assert done.returncode != CONFLICT, done.stderr


@pytest.mark.usefixtures("bpf")
def test_scopes_are_counted_as_without_the_configuration(config):
    config("[stat]\nbpf-counter-events = cs\n")
    done = run("-v", "--scope", "syscall", "-e", "cs", "true")
    assert ("cs", "--scope has its own BPF programs that read the counters") in shared(done)
    assert done.returncode == 0, done.stderr


def test_the_option_counts_all_events_through_bpf_whatever_the_configuration_names(config, bpf):
    config("[stat]\nbpf-counter-events = cs\n")
    done = run("-v", "--bpf-counters", "-e", "cs,page-faults", "true")
    assert done.returncode == 0 and not shared(done), done.stderr


def without_capabilities():
    """For preexec_fn. After this, the process may not load BPF programs, even if the user is
    root."""
    default_signals()
    for capability in (CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def test_a_user_who_may_not_load_programs_still_counts(config):
    config("[stat]\nbpf-counter-events = page-faults\n")
    done = run("-v", "-e", "page-faults", *workload("faults", FAULTS),
               preexec_fn=without_capabilities)
    assert done.returncode == 0, done.stderr
    [(event, why)] = shared(done)
    assert event == "page-faults"
    assert why.startswith("no BPF program can be loaded for a tracepoint: EPERM"), why
    counted = re.search(r"^ +([\d,]+) +page-faults(:u)? ", done.stderr, re.M)
    assert int(counted[1].replace(",", "")) >= FAULTS


def test_missing_files_cause_no_message(tmp_path, monkeypatch):
    monkeypatch.delenv("PERF_CONFIG")
    monkeypatch.setenv("PERF_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    done = run("-v", "-e", "page-faults", "true")
    assert done.returncode == 0 and not messages(done), done.stderr
