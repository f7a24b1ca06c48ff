# SPDX-License-Identifier: GPL-2.0-only
"""The command line: which options pstat refuses, with which message and exit status. A refused
command line has no effect."""

import ctypes
import os
import re
import subprocess

import pytest

import native
from native import CONFLICT, FAILED, USAGE, online_cpus, run, shown, std_count

# The command of a command line that pstat must refuse. If it ran, it would create a file.
COMMAND = ["touch", "it-ran"]


def refused(args, code, *words):
    """Runs pstat with `args`. Returns its standard error, which must contain the words."""
    done = run(*args, *COMMAND)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert not os.path.exists("it-ran")
    for word in words:
        assert word in done.stderr
    assert "Performance counter stats" not in done.stderr
    return done.stderr


def told(args, code, *words):
    """Checks that pstat prints a single message, whose lines begin with "pstat: " or are
    indented."""
    lines = refused(args, code, *words).splitlines()
    assert lines[0].startswith("pstat: ")
    assert all(re.match(r" {7}\S", line) for line in lines[1:])
    return lines


@pytest.mark.parametrize("text, word", [("0", "0"), ("abc", "abc"), (",", ""), ("", ""),
                                        ("4294967296", "4294967296"), ("4294967310", "4294967310"),
                                        ("18446744073709551617", "18446744073709551617"),
                                        ("-1", "-1"), ("1,,2", ""), ("1,", ""), ("1,x2", "x2"),
                                        ("0x10", "0x10"), ("1 ", "1 "), ("+1", "+1"), ])
def test_an_invalid_program_id_is_named_in_the_message(text, word):
    lines = told(["-b", text], USAGE, f"-b {shown(text)}: '{word}' is not the id",
                 "from 1 to 4294967295")
    assert "pstat progs" in lines[1]


@pytest.mark.parametrize(
    "text",
    ["-1", "abc", "", "1.5", "1e3", "0x10", "- 100", "100 ", "99999999999999999999", "604800001"])
@pytest.mark.parametrize("option", ["-I", "--timeout"])
def test_a_time_must_be_a_whole_number_of_milliseconds(option, text):
    told([option, text], USAGE, f"{option} {shown(text)}:", "milliseconds",
         "whole number from 0 to 604800000")


@pytest.mark.parametrize("options", [
    "-I 0", "--timeout 0", "-I +0 --timeout 00", "-I 0 --interval-count 0", "--interval-count 0",
    "-I 9 -I 0", "-n -I 0", "-r 2 -I 0 --table"
])
def test_zero_means_no_intervals_or_no_limit(options):
    """0 is allowed even with options that cannot be combined with intervals. The report does not
    change."""
    done = run(*options.split(), "true")
    assert (
        done.returncode == 0 and "Performance counter stats for 'true'" in done.stderr
    ), done.stderr


@pytest.mark.parametrize("text", ["-1", "x", "4294967296"])
def test_a_number_of_intervals_must_be_a_number(text):
    told(["-I", "100", "--interval-count", text], USAGE, f"--interval-count {text}:",
         "whole number from 0")


@pytest.mark.parametrize("text", ["0-", "-1", "a", "0,,", ",0", "0-0-0", "0 1", "0x0"])
def test_an_invalid_list_of_cpus_is_named_in_the_message(text):
    told(["-C", text], USAGE, f"-C {text}: not a list of CPUs")


def test_a_cpu_that_is_offline_is_refused_with_the_list_of_online_cpus():
    missing = online_cpus()[-1] + 1000
    told(["-C", f"0,{missing}"], USAGE,
         f"-C 0,{missing}: CPU {missing} is not online: the online CPUs are 0")


def dead_pid():
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid


@pytest.mark.parametrize("option, what", [("-p", "process"), ("-t", "thread")])
def test_a_task_that_does_not_exist_is_refused(option, what):
    pid = dead_pid()
    told([option, pid], USAGE, f"{option} {pid}: there is no {what} {pid}")
    told([option, f"{os.getpid()},{pid}"], USAGE, f"there is no {what} {pid}")


@pytest.mark.parametrize("option, what", [("-p", "process"), ("-t", "thread")])
@pytest.mark.parametrize("text, word", [("abc", "abc"), ("", ""), ("0", "0"), ("-1", "-1"),
                                        (",", ""), (",1", ""), ("4294967297", "4294967297"),
                                        ("99999999999999999999", "99999999999999999999")])
def test_an_invalid_task_id_is_named_in_the_message(option, what, text, word):
    told([option, text], USAGE, f"{option} {shown(text)}: '{word}' is not a {what} ID")


def test_a_process_that_has_ended_but_was_not_waited_for_is_refused():
    """This process can no longer be counted, and an empty report would give no reason."""
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    try:
        told(["-p", child.pid], USAGE, f"-p {child.pid}:")
    finally:
        child.wait()


def last_first(args):
    """Returns the same options in reverse order, each with its value."""
    options = []
    for arg in args:
        options += [[arg]] if arg.startswith("-") else []
        options[-1] += [] if arg.startswith("-") else [arg]
    return [arg for option in reversed(options) for arg in option]


def test_options_are_reversed_with_their_values():
    assert last_first(["-a", "-p", "1", "--hist"]) == ["--hist", "-p", "1", "-a"]


@pytest.mark.parametrize("args, words", [
    (["-G", "/", "-p", "PID"], ["-G and -p"]),
    (["-x,", "-B"], ["-B and -x"]),
    (["--hist", "-b", "1", "--metric-only"], ["--hist and --metric-only"]),
    (["--hist"], ["--hist", "-b"]),
    (["--outliers", "1"], ["--outliers", "-b"]),
    (["--outliers", "1", "-b", "1", "--quiet"], ["--outliers and --quiet"]),
    (["--packet", "64"], ["--packet", "--outliers"]),
    (["--outlier-rate", "64"], ["--outlier-rate", "--outliers"]),
    (["--branches"], ["--branches", "--outliers"]),
    (["--no-calibrate"], ["--no-calibrate", "-b"]),
    (["--interval-count", "3"], ["--interval-count", "-I"]),
])
def test_options_that_cannot_be_combined_are_named(args, words):
    args = [arg.replace("PID", str(os.getpid())) for arg in args]
    lines = told(args, CONFLICT, *words)
    assert len(lines) == 1
    assert told(last_first(args), CONFLICT) == lines


@pytest.mark.parametrize("option", ["--nosuch", "-Q", "--interval-prinf"])
def test_an_unknown_option_is_named(option):
    refused([option], USAGE, option.lstrip("-"), "--help")


@pytest.mark.parametrize(
    "args, words",
    [(["--per"
       ], ["'--per' is ambiguous", "'--per-core'", "'--per-prog'", "'--percore-show-thread'"]),
     (["--no-all"
       ], ["'--no-all' is ambiguous", "'--no-all-cpus'", "'--no-all-user'", "'--no-all-kernel'"]),
     (["--outl", "1"], ["'--outl' is ambiguous", "'--outliers' '--outlier-rate'"]),
     (["profile", "--p", "1"], ["'--p' is ambiguous", "'--pid' '--program-name'"]),
     (["--verb=1"], ["'--verbose' doesn't allow an argument"]),
     (["--no-append=1"], ["'--no-append' doesn't allow an argument"]),
     (["-aQ"], ["invalid option -- 'Q'"]), ])
def test_a_word_that_is_not_an_option_is_refused_as_getopt_does(args, words):
    refused(args, USAGE, *words)


@pytest.mark.parametrize(
    "option", ["-e", "-b", "-p", "-t", "-C", "-I", "-x", "-o", "--timeout", "--interval-count"])
def test_an_option_without_its_value_is_named(option):
    done = run(option)
    assert done.returncode == USAGE
    assert f"'{option.lstrip('-')}'" in done.stderr or f"'{option}'" in done.stderr


@pytest.mark.parametrize("text, column, word", [("nosuchevent", 0, "nosuchevent"),
                                                ("cs,nosuch", 3, "nosuch"),
                                                ("{cs,nosuch}", 4, "nosuch"),
                                                ("cs,cs:u,nosuch", 8, "nosuch")])
def test_the_message_points_at_an_unknown_event(text, column, word):
    lines = refused(["-e", text], USAGE).splitlines()
    lead = "event syntax error: '"
    assert lines[0] == f"{lead}{text}'"
    assert lines[1].index("\\___ ") == len(lead) + column
    assert f"'{word}'" in lines[1]


def test_the_events_of_each_option_are_checked_separately():
    lines = refused(["-e", "cs", "-e", "nosuch"], USAGE).splitlines()
    assert lines[0] == "event syntax error: 'nosuch'"


def test_an_output_file_in_a_missing_directory_is_refused():
    told(["-o", "missing/file"], FAILED, "-o missing/file:", "No such file or directory")
    told(["-o", "."], FAILED, "-o .:", "Is a directory")


def test_events_may_be_given_by_more_than_one_option():
    done = run("-e", "cs,page-faults", "--event", "task-clock", "true")
    rows = [line.split()[1] for line in done.stderr.splitlines()[3:5]]
    assert rows == ["cs", "page-faults"]
    assert std_count(done.stderr, "task-clock") > 0


@pytest.mark.parametrize("args", [["-e", "cs", "echo", "-v", "-e", "--help"],
                                  ["-e", "cs", "--", "echo", "-v", "-e", "--help"],
                                  ["stat", "-e", "cs", "echo", "-v", "-e", "--help"]])
def test_what_follows_the_command_belongs_to_it(args):
    done = run(*args)
    assert done.stdout == "-v -e --help\n"
    assert done.returncode == 0
    assert "Performance counter stats for 'echo -v -e --help':" in done.stderr


def test_a_command_after_two_dashes_may_begin_with_a_dash():
    done = run("--", "-no-such-command")
    assert done.returncode == 127
    assert "-no-such-command" in done.stderr


def test_help_is_printed_on_stdout_and_names_every_option():
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for option in ("--event", "--no-inherit", "--bpf-prog", "--pid", "--tid", "--all-cpus", "--cpu",
                   "--interval-print", "--interval-count", "--timeout", "--field-separator",
                   "--json-output", "--output", "--append", "--no-big-num", "--verbose",
                   "--version"):
        assert option in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_descriptions_of_help_are_in_one_column():
    """Only names that are wider than their column are an exception."""
    named = re.finditer(r"^( +(?:-., )? *--\S+) +\S", run("--help").stdout, re.M)
    assert {len(match[0]) - 1 for match in named if len(match[1]) < 28} == {29}


def test_version_is_on_stdout():
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"pstat version \d+\.\d+(\.\d+)?\S*\n", done.stdout)


def test_version_prints_libraries_and_kernel_features_on_request():
    once, twice = run("--version", "-v"), run("--version", "-vv")
    assert (once.returncode, twice.returncode) == (0, 0)
    for library in ("libbpf", "libelf", "libdw", "libtraceevent", "libmicrohttpd", "zlib"):
        assert re.search(rf"^{library} v?\d+\.\d+", once.stdout, re.M)
    assert twice.stdout.startswith(once.stdout)
    modes = twice.stdout[len(once.stdout):]
    assert f"kernel {os.uname().release} {os.uname().machine}:\n" in modes
    assert len(re.findall(r"^  \S.* (?:yes|no: .+)", modes,
                          re.M)) == len(modes.splitlines()) - 1 == len(native.modes())


# For each mode: a program or an event that it needs, and whether the kernel accepts it.
NEEDS = {
    "perf events": lambda: native.opens("task-clock:u"),
    "hardware counters": lambda: native.opens("cycles:u"),
    "-b, --bpf-prog": lambda: native.kernel_takes("traced"),
    "--scope": lambda: native.kernel_takes("tp_btf"),
    "--bpf-counters": lambda: native.kernel_takes("switch"),
    "--for-each-cgroup, BPF": lambda: native.kernel_takes("tp_btf"),
    "pstat profile": lambda: native.kernel_takes("perf_event"),
    "libpstat-self": lambda: native.kernel_takes("traced"),
    "pstat export --listen": lambda: bool(ctypes.CDLL("libmicrohttpd.so.12")),
}


@pytest.mark.parametrize("mode", NEEDS)
def test_version_agrees_with_what_the_kernel_accepts_from_other_programs(mode):
    """Tests skip themselves if --version -vv reports that the kernel refuses something. If pstat
    were wrong, all of them would be skipped."""
    assert (native.why_not(mode) is None) == NEEDS[mode](), native.modes()[mode]


def test_version_lists_only_modes_that_were_tested_in_the_kernel():
    assert native.modes().keys() == NEEDS.keys()


def test_counters_are_shared_if_the_kernel_supports_what_sharing_needs():
    said = native.modes()["--bpf-counters"]
    assert (said == "yes") == native.kernel_takes("traced"), said
