# SPDX-License-Identifier: GPL-2.0-only
"""Checks the whole message and the exit status of each bad command line. pstat must run no command,
create no file, and count nothing."""

import os
import re
import shlex

import pytest

from native import CONFLICT, FAILED, USAGE, run

WEEK = 604800000
NUMBER = "must be a whole number from"
PLACES = "write it as fd:IN[,OUT] or fifo:IN[,OUT]"
CPUS = "give -a or -C too"
CPU_MODES = f"{CPUS}, or count all events through BPF (--bpf-counters)"
NO_THRESHOLD = (
    "is neither a whole number, as in 50000, nor a time, as in 50us, nor a percentile, as in p99.9"
)
HERE = "MINE"  # This is replaced by the ID of this process, which exists.

# The command line, the exit status, and the message without "pstat: " (a regular expression; the
# second line follows \n).
BAD = [
    # values
    ("-r x", USAGE, f"-r x: the number of runs {NUMBER} 0 to 2147483647"),
    ("-r -1", USAGE, f"-r -1: the number of runs {NUMBER} 0 to 2147483647"),
    ("-r 1e3", USAGE, f"-r 1e3: the number of runs {NUMBER} 0 to 2147483647"),
    ("-r 99999999999", USAGE, f"-r 99999999999: the number of runs {NUMBER} 0 to 2147483647"),
    ("-D x", USAGE,
     f"-D x: the delay in milliseconds {NUMBER} 0 to {WEEK}, or -1 to begin when --control "
     "enables the events"),
    ("-D -2", USAGE,
     f"-D -2: the delay in milliseconds {NUMBER} 0 to {WEEK}, or -1 to begin when --control "
     "enables the events"),
    ("-D 1.5", USAGE,
     f"-D 1.5: the delay in milliseconds {NUMBER} 0 to {WEEK}, or -1 to begin when --control "
     "enables the events"),
    ("-I -5", USAGE, f"-I -5: the interval in milliseconds {NUMBER} 0 to {WEEK}"),
    ("--timeout ten", USAGE, f"--timeout ten: the time in milliseconds {NUMBER} 0 to {WEEK}"),
    ("-I 9 --interval-count -1", USAGE,
     f"--interval-count -1: the number of intervals {NUMBER} 0 to 4294967295"),
    ("-I 0 --interval-count 2", CONFLICT,
     "--interval-count counts the intervals of -I: give -I too"),
    ("--log-fd -1", USAGE, f"--log-fd -1: the file descriptor {NUMBER} 0 to 2147483647"),
    ("--log-fd stderr", USAGE, f"--log-fd stderr: the file descriptor {NUMBER} 0 to 2147483647"),
    ("--log-fd 977", USAGE, "--log-fd 977: this file descriptor is not open"),
    ("-a --per-cache=0", USAGE, "--per-cache=0: the level of a cache must be L1 to L4"),
    ("-a --per-cache=L5", USAGE, "--per-cache=L5: the level of a cache must be L1 to L4"),
    ("-a --per-cache=LL2", USAGE, "--per-cache=LL2: the level of a cache must be L1 to L4"),
    ("-a --per-cache=", USAGE, "--per-cache='': the level of a cache must be L1 to L4"),
    ("-b 9 --outliers x", USAGE, f"--outliers x: 'x' {NO_THRESHOLD}"),
    ("-b 9 --outliers 1.5", USAGE, f"--outliers 1.5: '1.5' {NO_THRESHOLD}"),
    ("-b 9 --outliers ''", USAGE, f"--outliers '': '' {NO_THRESHOLD}"),
    ("-b 9 --outliers p100", USAGE,
     "--outliers p100: p100 is not a percentile: write p and a number between 0 and 100, as in "
     "p99.9"),
    ("-b 9 --outliers 5,", USAGE, "--outliers 5,: there is no event after the comma"),
    ("-b 9 -e cs,task-clock --outliers 5,cycles", USAGE,
     "--outliers 5,cycles: 'cycles' is not counted (counted: cs, task-clock, time)\nadd it to -e"),
    ("-b 9 -e run_cnt --outliers 5", USAGE,
     "--outliers 5 needs an event that is counted in each run (run_cnt is always 1): add one to "
     "-e, or name 'time', as in --outliers 50us,time"),
    ("-b 9 -e run_cnt,cs --outliers 5,run_cnt", USAGE,
     "--outliers 5,run_cnt: run_cnt is always 1 per run (counted: cs, time)\nname another event"),
    ("-b 9 -e duration_time,cs --outliers 5,duration_time", USAGE,
     "--outliers 5,duration_time: 'duration_time' has no count per run (counted: cs, time)\n"
     "name another event"),
    ("-b 9 -e cs --hist=run_cnt", USAGE,
     "--hist=run_cnt: run_cnt is always 1 per run (counted: cs)\nname another event"),
    ("-b 9 -e run_cnt --hist=run_cnt", USAGE,
     "--hist=run_cnt: run_cnt is always 1 per run (counted: none)\n"
     "add another event to -e, such as task-clock, and name it"),
    ("-b 9 -e cs --outliers 5us", USAGE,
     "--outliers 5us: cs does not count time: give a number without a unit"),
    ("-b 9 -e cs,task-clock --hist --outliers p99,task-clock", CONFLICT,
     "--outliers p99,task-clock and --hist name different events, but percentiles come from the "
     "histogram of --hist\nname the same event in both options"),
    ("-b 9 --outliers 5 --packet 0", USAGE, f"--packet 0: the number of bytes {NUMBER} 1 to 16384"),
    ("-b 9 --outliers 5 --packet 16385", USAGE,
     f"--packet 16385: the number of bytes {NUMBER} 1 to 16384"),
    ("-b 9 --outliers 5 --outlier-rate 0", USAGE,
     f"--outlier-rate 0: the number of runs per second {NUMBER} 1 to 1000000000"),
    ("--control x", USAGE, f"--control x: {PLACES}"),
    ("--control fd", USAGE, f"--control fd: {PLACES}"),
    ("--control fd:", USAGE, "--control fd:: '' is not the number of a file descriptor"),
    ("--control fd:7x", USAGE, "--control fd:7x: '7x' is not the number of a file descriptor"),
    ("--control fifo:none", USAGE,
     "--control fifo:none: there is no named pipe none: make one with mkfifo"),
    ("--control fifo:/", USAGE, "--control fifo:/: / is not a named pipe: make one with mkfifo"),
    ("--events-dir none -e cs", USAGE,
     "--events-dir none: the directory cannot be read: No such file or directory"),
    ("--events-dir /dev/null -e cs", USAGE,
     "--events-dir /dev/null: the directory cannot be read: Not a directory"),
    ("--events-dir '' -e cs", USAGE,
     "--events-dir '': the directory cannot be read: No such file or directory"),
    ("profile --events-dir none", USAGE,
     "--events-dir none: the directory cannot be read: No such file or directory"),
    ("profile --debug-dir none", USAGE,
     "--debug-dir none: the directory cannot be read: No such file or directory"),
    ("profile --debug-dir /:none:/", USAGE,
     "--debug-dir none: the directory cannot be read: No such file or directory"),
    ("profile --debug-dir ''", USAGE,
     "--debug-dir '': the directory cannot be read: No such file or directory"),
    # empty values, as from a variable that is not set
    ("-C ''", USAGE, "-C '': not a list of CPUs: write it as 0-3,8"),
    ("-p ''", USAGE, "-p '': '' is not a process ID"),
    ("-b ''", USAGE,
     "-b '': '' is not the id of a BPF program: ids are integers from 1 to 4294967295\nsee "
     "`pstat progs`"),
    ("-I ''", USAGE, f"-I '': the interval in milliseconds {NUMBER} 0 to {WEEK}"),
    ("-D ''", USAGE,
     f"-D '': the delay in milliseconds {NUMBER} 0 to {WEEK}, or -1 to begin when --control "
     "enables the events"),
    ("--control ''", USAGE, f"--control '': {PLACES}"),
    ("-a -G '' -e cs", USAGE, "-G '': give the events (-e) before -G"),
    ("-o ''", FAILED, "-o '': cannot open the file for writing: No such file or directory"),
    ("--metrics-file '' -M ipc", USAGE,
     "--metrics-file '': cannot be read: No such file or directory"),
    ("''", 127, "'': cannot be run: No such file or directory"),
    ("--interval-clear -I 9", FAILED, "--interval-clear: stderr is not a terminal"),
    # targets
    ("-p 0", USAGE, "-p 0: '0' is not a process ID"),
    ("-p x,1", USAGE, "-p x,1: 'x' is not a process ID"),
    ("-t ,1", USAGE, "-t ,1: '' is not a thread ID"),
    ("-p 4194305", USAGE, "-p 4194305: there is no process 4194305"),
    ("-t 4194305", USAGE, "-t 4194305: there is no thread 4194305"),
    ("-p MINE,4194305", USAGE, "-p MINE,4194305: there is no process 4194305"),
    ("-C x", USAGE, "-C x: not a list of CPUs: write it as 0-3,8"),
    ("-C 1-0", USAGE, "-C 1-0: 1-0 runs backwards: write it as 0-1"),
    ("-C 0-70000", USAGE, "-C 0-70000: CPU 70000: the largest possible id is 65535"),
    ("-C 65000", USAGE, r"-C 65000: CPU 65000 is not online: the online CPUs are \S+"),
    ("-b x", USAGE,
     "-b x: 'x' is not the id of a BPF program: ids are integers from 1 to 4294967295\n"
     "write name:x for programs of that name; see `pstat progs`"),
    ("-b ,", USAGE,
     "-b ,: '' is not the id of a BPF program: ids are integers from 1 to 4294967295\nsee `pstat "
     "progs`"),
    ("-b name:", USAGE, "-b name:: 'name:': a pattern of names is missing after the colon"),
    ("-b tag:12", USAGE,
     "-b tag:12: '12' is not the tag of a BPF program: a tag has 16 hexadecimal digits\nsee "
     "`pstat progs`"),
    ("-b type:xpd", USAGE,
     "-b type:xpd: 'xpd' is not a type of BPF programs\nthe types are: socket_filter .* cgroup"),
    ("-b 5:", USAGE, "-b 5:: '5:': the function's name is missing after the colon"),
    ("-b 5 --follow", CONFLICT,
     "--follow and -b 5 cannot be combined: no later program can have this ID: give name:, tag:, "
     "type: or all"),
    ("-b 5 duration x", USAGE,
     "duration x: the time in seconds must be a whole number from 1 to 604800\n"
     "to run a command of this name, write it after --"),
    ("-b 5 duration 0 cycles", USAGE,
     "duration 0: the time in seconds must be a whole number from 1 to 604800\n"
     "to run a command of this name, write it after --"),
    ("-b 5 duration 1 cycles", USAGE, "duration: 'touch' is not a metric of bpftool prog profile\n"
     "give other events with -e, and a command after --"),
    ("-b 5 --timeout 9 duration 1", CONFLICT,
     "duration 1 and --timeout cannot be combined: both limit the time"),
    ("-a -e cs -G none", USAGE, "-G none: there is no cgroup /.*/none"),
    ("-a -e cs,cs -G /,none", USAGE, "-G none: there is no cgroup /.*/none"),
    ("-a -e cs -G /,/", USAGE,
     "-G /: there are more cgroups than events: the first cgroup is for the first event, "
     "and so on"),
    ("-a -G / -e cs", USAGE, "-G /: give the events (-e) before -G"),
    ("-a --for-each-cgroup none", USAGE, "--for-each-cgroup none: there is no cgroup /.*/none"),
    ("-a --for-each-cgroup /,none", USAGE, "--for-each-cgroup none: there is no cgroup /.*/none"),
    ("-a -G /proc/self", USAGE, "-G /proc/self: there is no cgroup /.*//proc/self"),
    # events
    ("--filter x==1", USAGE,
     "--filter 'x==1': a filter applies to the tracepoints of the preceding -e: give -e first"),
    ("--filter x==1 -e cs", USAGE,
     "--filter 'x==1': a filter applies to the tracepoints of the preceding -e: give -e first"),
    ("-e cs --filter x==1", USAGE,
     "--filter 'x==1': a filter needs a tracepoint, and the preceding -e has none"),
    # options that cannot be combined
    ("-A", CONFLICT, f"-A and COMMAND by itself cannot be combined: {CPU_MODES}"),
    ("--no-merge", CONFLICT, f"--no-merge and COMMAND by itself cannot be combined: {CPU_MODES}"),
    ("-p MINE --no-merge", CONFLICT,
     "-p and --no-merge cannot be combined: the kernel does not keep the counts of a task .*"),
    ("--per-core", CONFLICT, f"--per-core and COMMAND by itself cannot be combined: {CPU_MODES}"),
    ("-e cs -G /", CONFLICT, f"-G and COMMAND by itself cannot be combined: {CPUS}"),
    ("--per-thread", CONFLICT,
     "--per-thread and COMMAND by itself cannot be combined: the rows are for threads that exist "
     "at the start: "
     "give -p, -t or -a too"),
    ("-p MINE -A", CONFLICT,
     "-p and -A cannot be combined: the kernel does not keep the counts of a task .*"),
    ("-n -a --for-each-cgroup /", CONFLICT,
     "-n and --for-each-cgroup cannot be combined, because -n counts no "
     "events: give -e too"),
    ("-n -b all --follow", CONFLICT, "-n and --follow cannot be combined: -n counts no events"),
    ("profile -x, -j", CONFLICT, "-x and -j cannot be combined: choose one format"),
    ("profile --append", CONFLICT, "--append adds to the file of -o: give -o too"),
    ("profile -x ''", USAGE, "-x '': the separator is empty\ntry -x, or -x \\\\t"),
    ("--all-user --all-kernel", CONFLICT,
     "--all-user and --all-kernel cannot be combined: omit both to count user space and the "
     "kernel"),
    ("-B -x,", CONFLICT, "-B and -x cannot be combined: digits are never grouped in CSV"),
    ("-o f --log-fd 2", CONFLICT,
     "-o and --log-fd cannot be combined: choose one place to write to"),
    ("--range", CONFLICT, "--range compares the repetitions of -r: give -r too"),
    ("--range -r 1", CONFLICT,
     "--range and -r 1 cannot be combined: --range compares repetitions: give -r 2 or more"),
    ("--table", CONFLICT, "--table prints the repetitions of -r: give -r too"),
    ("--table -r 1", CONFLICT,
     "--table and -r 1 cannot be combined: --table compares repetitions: give -r 2 or more"),
    ("--interval-count 3", CONFLICT, "--interval-count counts the intervals of -I: give -I too"),
    # options that pstat does not have
    ("--iostat", USAGE, "--iostat: .*\nuse .*"),
    ("--iostat=0000:00", USAGE, "--iostat: .*\nuse .*"),
    ("-e cs --pmu-filter x", USAGE,
     "--pmu-filter x must precede .*\ngive it before the first -e or -M"),
    ("--cputype nope", USAGE,
     "--cputype nope is not supported: this machine has no PMU of this name\nits core PMUs: .*"),
    ("-e cs --cputype software", USAGE,
     "--cputype software must precede .*\ngive it before the first -e"),
    ("--input x", USAGE, "--input: .*\nuse -x or -j with -o, and keep the file"),
    ("record", USAGE, "stat record: .*\nuse `pstat profile` .*, or `-- record` to run .*"),
    ("-e cs report", USAGE, "stat report: .*\nuse `pstat profile` .*, or `-- report` to run .*"),
    ("-e {cs:b,task-clock}", CONFLICT,
     "task-clock: BPF must count all events of a group or none: .*"),
    ("-e {cs,task-clock:b}", CONFLICT,
     "task-clock:b: modifier b: BPF must count all events of a group or none: .*"),
    ("-b 4294967295 -e cs:b", CONFLICT,
     "cs:b: modifier b: -b has its own BPF programs that read the counters"),
    ("-a -e cs:b -G /", CONFLICT,
     "cs:b: modifier b: shared counters cannot be limited to a cgroup"),
    # errors of the system
    ("-o none/f", FAILED, "-o none/f: cannot open the file for writing: No such file or directory"),
]


def test_the_table_has_many_lines():
    assert len(BAD) == len({line for line, _, _ in BAD}) >= 60


def matches(pattern, message):
    r"""Compares the message literally, except for .*, | and \S+ in the pattern."""
    literal = "".join(part if part in (".*", "|", r"\S+") else re.escape(part)
                      for part in re.split(r"(\.\*|\||\\S\+)", pattern))
    return re.fullmatch(literal.replace(re.escape(HERE), str(os.getpid())), message)


@pytest.mark.parametrize("line, code, message", BAD, ids=[line for line, _, _ in BAD])
def test_a_bad_line_is_refused_with_its_message(line, code, message):
    words = shlex.split(line.replace(HERE, str(os.getpid())))
    done = run(*words, "touch", "it-ran")
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    first, *rest = done.stderr.splitlines()
    told = "\n".join(
        [first.removeprefix("pstat: "), *(line.removeprefix(" " * 7) for line in rest)]
    )
    assert first.startswith("pstat: ") and matches(message, told), done.stderr
    assert os.listdir() == []


@pytest.mark.parametrize(
    "line", ["--nosuch", "-Q", "--per", "--no", "-e", "-r", "-D", "--control", "--for-each-cgroup"])
def test_an_unknown_option_or_one_without_its_value_is_named(line):
    done = run(line)
    assert done.returncode == USAGE
    assert line.lstrip("-") in done.stderr and "--help" in done.stderr


@pytest.mark.parametrize("command", [(), ("profile",), ("list",), ("progs",), ("why",)])
def test_an_unknown_option_is_printed_without_escape_sequences(command):
    """The name of the option is printed by getopt(3), and may come from a variable of a script."""
    for option, quoted in (("--\x1b[31mred", "'--?[31mred'"), ("--\x9b2J", "'--?2J'"),
                           ("-\x1b", "'?'"), ("--né", "'--né'")):
        done = run(*command, option)
        assert done.returncode == USAGE
        assert re.match(
            r"pstat(?: \w+)?: (?:unrecognized|invalid) option (?:-- "
            rf")?{re.escape(quoted)}\nTry `pstat", done.stderr), done.stderr
