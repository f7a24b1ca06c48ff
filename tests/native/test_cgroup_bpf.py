# SPDX-License-Identifier: GPL-2.0-only
"""
Control groups counted in BPF at the context switch. An event with the modifier b stands beside the same event without: one pstat
counts both ways in one window, and the kernel's own count is what the other has to be.
"""

import contextlib
import csv
import json
import os
import pathlib
import re
import subprocess
import time

import pytest

from native import (FAILED, IN_C, PATIENCE, PSTAT, USAGE, cgroup_mount, csv_rows, default_signals, inside, online_cpus,
                    run, start, urgent, wait_for, wait_until_counting, workload)

EVERYTHING = "task-clock:b,task-clock,cs:b,cs,page-faults:b,page-faults,msr/tsc/:b,msr/tsc/"
NEVER = "<not counted>"


def why_no_bpf():
    """None where control groups can be counted in BPF; else the reason in pstat's words."""
    text = subprocess.run([PSTAT, "--version", "-vv"], env={**os.environ, **IN_C}, capture_output=True, text=True,
                          check=True).stdout
    word, _, reason = re.search(r"^  --for-each-cgroup, BPF +(yes|no)(?:: )?(.*)$", text, re.M).group(1, 2, 2)
    return None if word == "yes" else reason


pytestmark = pytest.mark.skipif(bool(why_no_bpf()), reason=f"probe: pstat --version -vv: {why_no_bpf()}")


def rows_of(text):
    """{(group, event): count, None when not counted} of -x, with one row for all CPUs. Names of tracepoints are without :b."""
    return {(row[3], row[2]): None if row[0].startswith("<") else float(row[0]) for row in csv.reader(text.splitlines())}


def lines(text):
    """The fields of each line of -x, -I, without what is said of a busy machine."""
    return [row for row in csv_rows(text) if len(row) > 5]


def guesses(text):
    """Of how many slices it had to be guessed whose they were, by -v: the kernel hid a context switch. It hides none in most places."""
    return int(re.search(r"^pstat: .* told nobody of \((\d+) between counted groups\)", text, re.M)[1])


def without_words(text):
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("pstat: "))


def run_known(*args, before=lambda: None, **popen):
    """As `run`, again and again until there was nothing to guess: then counts are exact. `before` is called before each."""
    for _ in range(50):
        before()
        done = run("-v", *args, **popen)
        assert done.returncode == 0, done.stderr
        if not guesses(done.stderr):
            return subprocess.CompletedProcess(done.args, 0, done.stdout, without_words(done.stderr))
    raise AssertionError(f"the kernel hides context switches all the time: {done.stderr}")


def count(groups, events, *args, **popen):
    return rows_of(run_known("-x,", "-a", "--for-each-cgroup", ",".join(groups), "-e", events, *args, **popen).stderr)


def within(share, ours, theirs, slack=0):
    return abs(ours - theirs) <= share * theirs + slack


def until_it_ran(process, msec):
    """A command that ends when the process has had so much CPU time: on a machine with other load that can take long."""
    script = (f'ran() {{ cut -d" " -f1 /proc/{process.pid}/schedstat; }}; enough=$(($(ran) + {msec}000000)); '
              'while [ "$(ran)" -lt $enough ]; do sleep 0.02; done')
    return ["sh", "-c", script]


@pytest.fixture
def busy(cgroup, spawn):
    """A process that uses its CPU all the time, in a group of that name."""

    def begin(name, cpu=0):
        group = cgroup(name)
        process = spawn(inside(group, "taskset", "-c", cpu, *workload("spin", 10**15)))
        procs = cgroup_mount() / group / "cgroup.procs"
        wait_for("it is in its group", lambda: str(process.pid) in procs.read_text(encoding="ascii").split())
        process.group = group
        return process

    return begin


# ---- counts ----


def test_counts_are_those_of_the_kernels_own_way_in_the_same_run(cgroup, spawn, busy):
    top, left = cgroup("top"), cgroup("top/left")
    busy("top/left/deep")
    busy("top/right", online_cpus()[-1])
    spawn(inside(left, *workload("faults", "--pause", 300, 50000)))
    groups = [top, left, f"{left}/deep", f"{top}/right", "/"]
    done = run("-v", "-x,", "-a", "--for-each-cgroup", ",".join(groups), "-e", EVERYTHING, "--timeout", 3000)
    rows = rows_of(without_words(done.stderr))
    # one of both ways is switched on first: the slack is what can be counted in 5 ms. The kernel's own way does not guess.
    slacks = {"task-clock": 5, "cs": 10, "page-faults": 2000, "msr/tsc/": 5000 * tsc_per_usec()}
    for group in groups:
        for event, slack in slacks.items():
            ours, theirs = rows[group, f"{event}:b"], rows[group, event]
            assert within(0.01, ours, theirs, slack * (1 + guesses(done.stderr))), (group, event, ours, theirs)
    assert rows[left, "page-faults:b"] > 1000
    assert rows[top, "msr/tsc/:b"] >= rows[left, "msr/tsc/:b"] + rows[f"{top}/right", "msr/tsc/:b"]


def test_each_event_counts_exactly_in_its_group_and_in_those_above(cgroup, madvise):
    a, b, c, d = cgroup("a"), cgroup("a/b"), cgroup("a/b/c"), cgroup("d")
    script = "; ".join(f"( {' '.join(map(shell_word, inside(group, *workload('faults', number))))} )"
                       for group, number in ((a, 10), (b, 200), (c, 3000), (d, 4000)))
    rows = count([a, b, c, d], f"{madvise}:b", "sh", "-c", script)
    assert [rows[group, madvise] for group in (a, b, c, d)] == [3210, 3200, 3000, 4000]


def shell_word(word):
    return "'" + word.replace("'", "'\\''") + "'"


def test_what_is_listed_only_in_part_counts_at_the_listed_levels(cgroup, madvise):
    names = ["a", "a/b", "a/b/c", "a/b/c/d"]
    made = [cgroup(name) for name in names]
    rows = count([made[0], made[2]], f"{madvise}:b", *inside(made[3], *workload("faults", 1234)))
    assert [rows[group, madvise] for group in (made[0], made[2])] == [1234, 1234]


def test_one_that_never_ran_was_not_counted_and_one_that_ran_without_the_event_counted_zero(cgroup, busy, madvise):
    asleep, spinner = cgroup("asleep"), busy("running")
    running = spinner.group
    rows = count(["/", asleep, running, cgroup("other")], f"{madvise}:b,cs:b,task-clock:b",
                 "sh", "-c", f'{workload("faults")[0]} 10; exec "$@"', "sh", *until_it_ran(spinner, 50))
    assert rows[asleep, madvise] is None and rows[asleep, "task-clock:b"] is None
    assert rows[running, madvise] == 0 and rows[running, "task-clock:b"] > 0
    assert rows["/", madvise] >= 10


def test_groups_and_the_rest_are_all_that_ran(busy):
    spinners = busy("one"), busy("other", online_cpus()[-1])
    one, other = (spinner.group for spinner in spinners)
    wait = " && ".join(f"( {' '.join(map(shell_word, until_it_ran(spinner, 50)))} )" for spinner in spinners)
    rows = rows_of(run("-x,", "-a", "--for-each-cgroup", f"{one},{other},/", "-e", "msr/tsc/:b,msr/tsc/", "sh", "-c", wait).stderr)
    assert within(0.01, rows["/", "msr/tsc/:b"], rows["/", "msr/tsc/"])
    assert rows[one, "msr/tsc/:b"] + rows[other, "msr/tsc/:b"] <= rows["/", "msr/tsc/:b"]


def test_a_group_and_all_that_is_in_it_at_any_depth(cgroup, madvise):
    names = ["/".join(["deep"] + [str(level) for level in range(1, depth + 1)]) for depth in range(41)]
    made = [cgroup(name) for name in names]
    levels = [made[depth] for depth in (0, 1, 10, 12, 40)]
    rows = count(levels, f"{madvise}:b", *inside(made[40], *workload("faults", 500)))
    assert [rows[group, madvise] for group in levels] == [500] * 5
    rows = count(made, f"{madvise}:b", *inside(made[39], *workload("faults", 77)))
    assert [rows[group, madvise] for group in made] == [77] * 40 + [None]


@pytest.mark.parametrize("number", [1, 32, 33, 64])
def test_as_many_events_as_are_asked_for(cgroup, tracefs, number):
    group = cgroup("a")
    names = sorted(path.name for path in (tracefs / "events/syscalls").glob("sys_enter_[a-m]*") if path.name != "sys_enter_madvise")
    events = [f"syscalls:{name}" for name in names[:number - 1]] + ["syscalls:sys_enter_madvise"]
    rows = count([group], ",".join(f"{event}:b" for event in events), *inside(group, *workload("faults", 321)))
    assert len(rows) == number
    assert rows[group, "syscalls:sys_enter_madvise"] == 321


def test_events_in_braces(cgroup, madvise):
    group = cgroup("a")
    rows = count([group], f"{{{madvise},page-faults,msr/tsc/}}:b,cs:b", *inside(group, *workload("faults", 321)))
    assert rows[group, madvise] == 321 and rows[group, "page-faults"] >= 321 and rows[group, "msr/tsc/"] > 0


def test_an_event_of_the_user_part_only_counts_no_switches(cgroup):
    group = cgroup("a")
    rows = count([group], "context-switches:ub,context-switches:kb", *inside(group, *workload("spin", "--ms", 20)))
    assert rows[group, "context-switches:kb"] > 0
    assert rows[group, "context-switches:ub"] == 0


def test_the_option_is_for_all_events(cgroup):
    group = cgroup("a")
    done = run("-x,", "-a", "--bpf-counters", "--for-each-cgroup", group, "-e", "cs,page-faults,duration_time", "-v", *inside(group, "true"))
    assert "context switches seen" in done.stderr
    assert [row[2] for row in csv_rows(done.stderr) if len(row) > 5] == ["cs", "page-faults", "duration_time"]


# ---- the window ----


class Told:
    """A pstat that is told when to count."""

    def __init__(self, *args):
        theirs, self.to = os.pipe()
        self.back, answers = os.pipe()
        self.guesses = None  # known at the end
        self.process = subprocess.Popen([PSTAT, "-v", "-x,", "-a", "-D", "-1", "--control", f"fd:{theirs},{answers}", *args],
                                        pass_fds=(theirs, answers), text=True, env={**os.environ, **IN_C},
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=default_signals)
        os.close(theirs)
        os.close(answers)

    def ask(self, word):
        os.write(self.to, (word + "\n").encode())
        assert os.read(self.back, 5) == b"ack\n\0"

    def end(self):
        self.ask("stop")
        text = self.process.communicate(timeout=PATIENCE)[1]
        os.close(self.to)
        os.close(self.back)
        self.guesses = guesses(text)
        return rows_of("\n".join(line for line in without_words(text).splitlines() if not line.startswith("Events")))


def cpu_usec(group):
    return int(re.search(r"^usage_usec (\d+)$", (cgroup_mount() / group / "cpu.stat").read_text(encoding="ascii"), re.M)[1])


def tsc_per_usec():
    rows = run("-x,", "-a", "-e", "msr/tsc/,cpu-clock", "--timeout", 300).stderr
    (tsc, *_), (clock, *_) = csv_rows(rows)
    return float(tsc) / float(clock) / 1000


def test_the_count_is_the_time_that_the_kernel_says_it_ran(busy):
    if "cpu.stat" not in os.listdir(cgroup_mount()):
        pytest.skip(f"probe: {cgroup_mount()}/cpu.stat: the hierarchy tells no CPU time")
    process = busy("spinner", online_cpus()[-1])
    hertz, pstat = tsc_per_usec(), Told("--for-each-cgroup", process.group, "-e", "msr/tsc/:b")
    used = [cpu_usec(process.group)]
    pstat.ask("enable")
    used.append(cpu_usec(process.group))
    time.sleep(4)
    used.append(cpu_usec(process.group))
    pstat.ask("disable")
    used.append(cpu_usec(process.group))
    time.sleep(0.2)
    # the kernel adds a slice to cpu.stat at its end, or at a tick; between a word and a reading this test may have to wait
    counted = pstat.end()[process.group, "msr/tsc/:b"] / hertz
    assert 0.99 * (used[2] - used[1]) - 12000 <= counted <= 1.01 * (used[3] - used[0]) + 12000, (counted, used)


def test_what_runs_while_it_is_disabled_does_not_count(cgroup, madvise):
    group, rows, pstat = cgroup("a"), None, None
    while pstat is None or pstat.guesses:
        pstat = Told("--for-each-cgroup", group, "-e", f"{madvise}:b")
        for number, word in ((1, "enable"), (10, "disable"), (100, "enable"), (1000, "disable")):
            subprocess.run(inside(group, *workload("faults", number)), check=True)
            pstat.ask(word)
        rows = pstat.end()
    assert rows[group, madvise] == 1010


def test_intervals_add_up_to_the_whole(cgroup, madvise):
    group = cgroup("a")
    done = run_known("-x,", "-a", "-I", 50, "--summary", "--for-each-cgroup", group, "-e", f"{madvise}:b",
                     *inside(group, *workload("faults", "--pause", 20, 1000)))
    rows = lines(done.stderr)
    parts = [float(row[1]) for row in rows if row[0] != "summary" and not row[1].startswith("<")]
    assert len(parts) >= 4 and sum(parts) == 1000
    assert [float(row[1]) for row in rows if "summary" in row[0]] == [1000]


def test_runs_begin_at_zero(cgroup, madvise):
    group = cgroup("a")
    rows = count([group], f"{madvise}:b", "-r", 3, *inside(group, *workload("faults", 50)))
    assert rows[group, madvise] == 50


# ---- tasks that move ----


def move(pid, groups, seconds, pstat):
    """From one group to the next every 10 ms."""
    procs = [os.open(cgroup_mount() / group / "cgroup.procs", os.O_WRONLY) for group in groups]
    due, moves = time.monotonic(), 0
    while pstat.poll() is None:
        os.write(procs[moves % len(procs)], str(pid).encode())
        moves += 1
        due += 0.01
        time.sleep(max(0, due - time.monotonic()))
    for fd in procs:
        os.close(fd)
    assert moves > seconds * 30
    return moves


@pytest.mark.parametrize("kind", ["a lone pinned spinner", "a process of four threads"])
def test_a_task_that_moves_counts_where_it_is(cgroup, spinner, threads, kind):
    groups = [cgroup("a"), cgroup("b")]
    if kind == "a lone pinned spinner":
        pid = spinner(online_cpus()[-1]).pid
    else:
        process = threads()
        for _ in range(4):
            process.ask("spin")
        pid = process.pid
    with start("-v", "-x,", "-a", "--for-each-cgroup", ",".join(groups), "-e", "msr/tsc/:b,msr/tsc/", "--timeout", 5000,
               preexec_fn=urgent) as pstat:
        wait_until_counting(pstat)
        move(pid, groups, 5, pstat)
        text = pstat.communicate(timeout=PATIENCE)[1]
    # the kernel's own way does not guess: it counts no more of that slice, of some ms
    rows, slack = rows_of(without_words(text)), 5000 * tsc_per_usec() * guesses(text)
    for group in groups:
        assert within(0.02, rows[group, "msr/tsc/:b"], rows[group, "msr/tsc/"], slack), rows


def test_a_group_that_is_removed_meanwhile_keeps_its_count(cgroup, madvise):
    stays = cgroup("stays")
    gone = cgroup_mount() / stays / "gone"
    script = f"( {' '.join(map(shell_word, inside(f'{stays}/gone', *workload('faults', 250))))} ); rmdir {gone}"
    rows = count([stays, f"{stays}/gone"], f"{madvise}:b", "sh", "-c", script, before=gone.mkdir)
    assert not gone.exists()
    assert rows[f"{stays}/gone", madvise] == rows[stays, madvise] == 250


# ---- many ----


@pytest.fixture
def many():
    """Makes so many groups in one."""
    made = []

    def make(number):
        top = cgroup_mount() / f"pstat-many-{os.getpid()}"
        top.mkdir()
        made.append(top)
        for i in range(number):
            (top / str(i)).mkdir()
        return [f"{top.name}/{i}" for i in range(number)]

    yield make
    for top in made:
        for path in top.iterdir():
            if path.is_dir():
                path.rmdir()
        top.rmdir()


def test_a_thousand_groups(many, madvise):
    groups = many(1000)
    events = f"{madvise}:b,cs:b,page-faults:b,msr/tsc/:b"
    begun = time.monotonic()
    with start("-v", "-x,", "-a", "-I", 100, "--interval-count", 10, "-o", "out", "--for-each-cgroup", ",".join(groups), "-e", events,
               preexec_fn=urgent) as pstat:
        wait_until_counting(pstat)
        took = time.monotonic() - begun
        files = len(os.listdir(f"/proc/{pstat.pid}/fd"))
        subprocess.run(inside(groups[777], *workload("faults", 55)), check=True)
        words = pstat.communicate(timeout=PATIENCE)[1]
        assert pstat.returncode == 0
    rows = lines(pathlib.Path("out").read_text(encoding="utf8"))
    assert took < 1
    assert files <= 4 * len(online_cpus()) + 64
    assert sum(int(row[1]) for row in rows if row[3] == madvise and row[1] != NEVER) == 55 or guesses(words)
    times = sorted({float(row[0]) for row in rows})
    assert len(rows) == 10 * 4 * 1000 and len(times) == 10
    assert all(abs(seconds - (number + 1) / 10) < 0.05 for number, seconds in enumerate(times)), times


def test_five_thousand_groups(many, madvise):
    groups = many(5000)
    rows = count(groups, f"{madvise}:b,msr/tsc/:b", *inside(groups[4321], *workload("faults", 55)))
    assert len(rows) == 10000
    assert {group: value for (group, event), value in rows.items() if value and event == madvise} == {groups[4321]: 55}


# ---- groups that come and go ----


class Nursery:
    """Groups in one, each made for one command, and removed after it."""

    def __init__(self, top):
        self.top, self.alive = cgroup_mount() / top, {}

    def make(self, name, *argv):
        path = self.top / name
        path.mkdir()
        procs = os.open(path / "cgroup.procs", os.O_WRONLY)
        self.alive[name] = subprocess.Popen(list(map(str, argv)), preexec_fn=lambda: os.write(procs, str(os.getpid()).encode()),
                                            stdout=subprocess.DEVNULL)
        os.close(procs)

    def remove(self, name):
        self.alive.pop(name).wait()
        (self.top / name).rmdir()


@pytest.fixture
def follow(cgroup):
    """A pstat that follows the groups in one: it, and where to make them."""
    running = []

    def begin(*args, events):
        top = cgroup("top")
        pstat = start("-v", "-x,", "-a", "--bpf-counters", "--cgroup-follow", "--for-each-cgroup", f"^{top}", "-e", events, *args)
        wait_until_counting(pstat)
        running.append((pstat, Nursery(top)))
        return running[-1]

    yield begin
    for pstat, nursery in running:
        if pstat.poll() is None:
            pstat.kill()
        pstat.communicate()
        for name in list(nursery.alive):
            nursery.remove(name)


def test_rows_come_and_go_with_the_groups(follow, madvise):
    pstat, nursery = follow("-I", 100, "--summary", events=f"{madvise},task-clock")
    time.sleep(0.25)
    nursery.make("one", *workload("faults", "--pause", 40, 500))
    time.sleep(0.3)
    nursery.remove("one")
    time.sleep(0.3)
    pstat.terminate()
    text = pstat.communicate(timeout=PATIENCE)[1]
    top = nursery.top.name
    rows = [row for row in lines(text) if row[3] == madvise]
    seen = [row for row in rows if row[4] == f"{top}/one" and "summary" not in row[0]]
    times = sorted({float(row[0]) for row in rows if "summary" not in row[0]})
    assert times.index(float(seen[0][0])) >= 1 and float(seen[-1][0]) < times[-1]
    assert len(seen) == len({row[0] for row in seen})
    totals = {row[4]: float(row[1]) for row in rows if "summary" in row[0]}
    assert totals.keys() == {top, f"{top}/one"}
    assert sum(float(row[1]) for row in seen if row[1] != NEVER) == totals[f"{top}/one"]
    assert within(0, totals[f"{top}/one"], 500, 100 * guesses(text)) and totals[top] >= totals[f"{top}/one"]


def test_five_hundred_groups_of_a_quarter_of_a_second_are_all_seen(follow, madvise):
    pstat, nursery = follow("-I", 100, "--summary", "-o", "out", events=f"{madvise},task-clock")
    born = []
    for number in range(500):
        nursery.make(str(number), *workload("faults", "--pause", 25, 100))
        born.append((time.monotonic(), str(number)))
        while len(born) >= 25:
            when, name = born.pop(0)
            time.sleep(max(0, when + 0.25 - time.monotonic()))
            nursery.remove(name)
    for _, name in born:
        nursery.remove(name)
    pstat.terminate()
    words = pstat.communicate(timeout=PATIENCE)[1]
    rows = lines(pathlib.Path("out").read_text(encoding="utf8").split("\n\n", 1)[1])
    totals = {row[4]: row[1] for row in rows if "summary" in row[0] and row[3] == madvise}
    top = nursery.top.name
    seen = [f"{top}/{number}" for number in range(500)]
    assert not set(seen) - set(totals)
    shown = {row[4] for row in rows if "summary" not in row[0]}
    assert not set(seen) - shown
    assert within(0, float(totals[top]), 50000, 20 * guesses(words))
    assert within(0.01, sum(float(totals[name]) for name in seen if totals[name] != NEVER), float(totals[top]))


def test_places_of_those_that_have_gone_are_taken_and_their_counts_stay(follow, madvise):
    events = [madvise] + ["task-clock"] * 255  # there is room for 64 groups then
    pstat, nursery = follow(events=",".join(events))
    for number in range(150):
        nursery.make(str(number), *workload("faults", 10))
        nursery.remove(str(number))
        time.sleep(0.01)
    files, memory = len(os.listdir(f"/proc/{pstat.pid}/fd")), pathlib.Path(f"/proc/{pstat.pid}/status").read_text(encoding="ascii")
    pstat.terminate()
    text = pstat.communicate(timeout=PATIENCE)[1]
    rows = [row for row in csv_rows(text) if len(row) > 3 and row[2] == madvise]
    top = nursery.top.name
    totals = {row[3]: float(row[0]) for row in rows if row[0] != NEVER}
    slack = 20 * guesses(text)
    assert within(0, totals[top], 1500, slack)
    assert "(gone)" in totals and len(rows) == 1 + 55 + 1  # 8 are kept for those to come
    assert sum(totals.values()) - totals[top] == pytest.approx(1500, abs=slack)
    assert files < 64 and "VmRSS" in memory


def test_a_name_of_a_group_to_come(cgroup, madvise):
    top = cgroup("top")
    with start("-v", "-x,", "-a", "--bpf-counters", "--cgroup-follow", "--for-each-cgroup", f"{top}/later", "-e", madvise) as pstat:
        wait_until_counting(pstat)
        subprocess.run(inside(cgroup("top/later"), *workload("faults", 5)), check=True)
        pstat.terminate()
        text = pstat.communicate(timeout=PATIENCE)[1]
    rows = csv_rows(without_words(text))
    assert [row[3] for row in rows] == [f"{top}/later"]
    assert rows[0][0] == "5" or guesses(text)


# $1: where control groups are mounted, $2: pstat, $3: an event, $4: faults
IN_A_NAMESPACE = r"""
umount -l $1 && mount -t cgroup2 none $1 || exit 77
mkdir $1/old
$2 -v -x, -a --bpf-counters --cgroup-follow --for-each-cgroup '^old,^new' -e $3 sh -c '
	mkdir $0/new $0/old/deep $0/other
	sleep 0.2
	(echo 0 >$0/new/cgroup.procs; exec $1 77)
	(echo 0 >$0/old/deep/cgroup.procs; exec $1 5)
	(echo 0 >$0/other/cgroup.procs; exec $1 900)
	' $1 $4
rmdir $1/old/deep $1/old $1/new $1/other
"""


def test_groups_that_come_are_known_by_their_names_in_a_namespace(cgroup, madvise):
    top, mount = cgroup("top"), cgroup_mount()
    for _ in range(20):
        done = subprocess.run(inside(top, "unshare", "--cgroup", "--mount", "sh", "-c", IN_A_NAMESPACE, "sh", mount, PSTAT, madvise,
                                     *workload("faults")), capture_output=True, text=True, env={**os.environ, **IN_C}, check=False)
        if done.returncode == 77 or "unshare" in done.stderr:
            pytest.skip(f"probe: unshare --cgroup --mount; mount -t cgroup2: {done.stderr.strip()}")
        if not guesses(done.stderr):
            break
    rows = rows_of(without_words(done.stderr))
    assert {group: count for (group, _), count in rows.items()} == {"new": 77, "old": 5, "old/deep": 5}, done.stderr


# ---- output ----


def test_a_row_for_each_cpu_and_for_each_socket(busy):
    cpus = online_cpus()
    spinner = busy("a", cpus[-1])
    group = spinner.group
    rows = csv_rows(run("-x,", "-a", "-A", "--bpf-counters", "--for-each-cgroup", group, "-e", "task-clock",
                        *until_it_ran(spinner, 50)).stderr)
    assert [(row[0], row[4]) for row in rows] == [(f"CPU{cpu}", group) for cpu in cpus]
    assert [row[1] == NEVER for row in rows] == [True] * (len(cpus) - 1) + [False]
    rows = csv_rows(run("-x,", "-C", cpus[-1], "--per-socket", "--bpf-counters", "--for-each-cgroup", group, "-e", "task-clock",
                        *until_it_ran(spinner, 50)).stderr)
    assert len(rows) == 1 and rows[0][5] == group and float(rows[0][2]) > 0


def test_only_the_chosen_cpus_count(busy):
    cpus = online_cpus()
    if len(cpus) < 2:
        pytest.skip(f"probe: this machine has CPUs {cpus}: two are needed")
    group = busy("a", cpus[-1]).group
    rows = csv_rows(run("-x,", "-C", cpus[0], "--bpf-counters", "--for-each-cgroup", group, "-e", "task-clock", "--timeout", 100).stderr)
    assert rows[0][0] == NEVER


def test_json(busy):
    group = busy("a").group
    lines = run("-j", "-a", "--bpf-counters", "--for-each-cgroup", f"{group},/", "-e", "cs,task-clock", "--timeout", 100).stderr.splitlines()
    assert [(row["cgroup"], row["event"]) for row in map(json.loads, lines)] == [
        (group, "cs"), (group, "task-clock"), ("/", "cs"), ("/", "task-clock")]


def test_the_largest_alone(cgroup, madvise):
    groups = [cgroup(name) for name in "abcd"]
    script = "; ".join(f"( {' '.join(map(shell_word, inside(group, *workload('faults', number))))} )"
                       for group, number in zip(groups, (20, 5, 30, 10)))
    for native in ("", ":b"):
        done = (run_known if native else run)(
            "-x,", "-a", "--top", 2, "--for-each-cgroup", ",".join(groups), "-e", f"{madvise}{native},cs{native}", "sh", "-c", script)
        rows = csv_rows(done.stderr)
        assert [(row[3], row[0]) for row in rows if row[2] == madvise] == [(groups[2], "30"), (groups[0], "20")]
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


@pytest.mark.parametrize("name", ["with a space", "quo\"te's", "back\\slash", "-x", "umläut", "tab\there"])
def test_odd_names_are_counted_and_stay_one_field(name, madvise):
    with odd_group(f"pstat-odd-{os.getpid()}{name}") as group:
        procs = cgroup_mount() / group / "cgroup.procs"
        # no shell here: the name goes as it is
        script = f"import os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); os.execv(sys.argv[2], sys.argv[2:])"
        command = ["/usr/bin/python3", "-c", script, str(procs), *workload("faults", 44)]
        done = run_known("-j", "-a", "--bpf-counters", "--for-each-cgroup", group, "-e", madvise, *command)
        row = json.loads(done.stderr)
        # Python may give memory back before it becomes the other program
        assert row["cgroup"] == group and 44 <= float(row["counter-value"]) <= 46
        done = run_known("-x,", "-a", "--bpf-counters", "--for-each-cgroup", group, "-e", madvise, *command)
        (row,) = csv.reader(done.stderr.splitlines(keepends=True))
        assert row[3] == group and 44 <= int(row[0]) <= 46


def test_one_that_is_named_twice_has_one_row(cgroup):
    group = cgroup("a")
    rows = csv_rows(run("-x,", "-a", "--bpf-counters", "--for-each-cgroup", f"{group},/,{group}", "-e", "cs", "true").stderr)
    assert [row[3] for row in rows] == [group, "/"]


def test_two_names_of_one_group_count_the_same(cgroup, madvise):
    group = cgroup("a")
    rows = count([group, f"/{group}//", f"./{group}/."], f"{madvise}:b", *inside(group, *workload("faults", 9)))
    assert list(rows.values()) == [9, 9, 9]


def test_a_pattern_is_matched_against_all_groups(cgroup):
    names = [cgroup(name) for name in ("web", "web/one", "web/two", "db", "db/one")]
    web = f"^pstat-test-{os.getpid()}-web/"
    rows = csv_rows(run("-x,", "-a", "--bpf-counters", "--for-each-cgroup", f"{web}.*", "-e", "cs", "true").stderr)
    assert [row[3] for row in rows] == [names[1], names[2]]
    rows = csv_rows(run("-x,", "-a", "--bpf-counters", "--for-each-cgroup", f"^pstat-test-{os.getpid()}-.*one$,", "-e", "cs", "true").stderr)
    assert [row[3] for row in rows] == ["/", names[4], names[1]]
    rows = csv_rows(run("-x,", "-a", "--for-each-cgroup", f"{web}t[w]o", "-e", "cs", "true").stderr)
    assert [row[3] for row in rows] == [names[2]]


@pytest.mark.parametrize("text, words", [("^none$", "not one of the [0-9]+ control groups below .* matches"),
                                         ("a[", "'a\\[' is no regular expression: "), ("none", "there is no control group")])
def test_what_finds_nothing_is_an_error_before_anything_is_counted(text, words):
    done = run("-a", "--bpf-counters", "--for-each-cgroup", text, "-e", "cs", "touch", "ran")
    assert done.returncode == USAGE and re.search(f"^pstat: --for-each-cgroup {re.escape(text)}: {words}", done.stderr)
    assert not os.path.exists("ran")


def test_a_pattern_to_follow_is_looked_at_first_too():
    done = run("-a", "--bpf-counters", "--cgroup-follow", "--for-each-cgroup", "^a[", "-e", "cs", "touch", "ran")
    assert done.returncode == USAGE and "'^a[' is no regular expression: " in done.stderr
    assert not os.path.exists("ran")


def test_a_package_has_no_control_groups(cgroup):
    uncore = [path.parent.name for path in pathlib.Path("/sys/bus/event_source/devices").glob("*/cpumask")]
    if not uncore:
        pytest.skip("probe: /sys/bus/event_source/devices/*/cpumask: this machine has no PMU of a package")
    group = cgroup("a")
    done = run("-v", "-x,", "-a", "--bpf-counters", "--for-each-cgroup", group, "-e", f"{uncore[0]}/config=0/", "true")
    assert "<not supported>" in done.stderr and "no control group can be told apart" in done.stderr


# ---- sessions side by side ----


def test_sessions_share_programs_and_each_may_be_killed(cgroup, madvise):
    groups = [cgroup("a"), cgroup("a/b")]
    args = ["-v", "-x,", "-a", "--bpf-counters", "-e", f"{madvise},cs", "--for-each-cgroup"]
    with start(*args, groups[0]) as maker:
        wait_until_counting(maker)
        with start(*args, ",".join(reversed(groups))) as second:
            wait_until_counting(second)
            subprocess.run(inside(groups[1], *workload("faults", 30)), check=True)
            maker.kill()
            maker.wait()
            subprocess.run(inside(groups[0], *workload("faults", 500)), check=True)
            second.terminate()
            text = second.communicate(timeout=PATIENCE)[1]
    assert "counted by the leader of link" in text
    rows = rows_of(without_words(text))
    assert [rows[group, madvise] for group in groups] == [530, 30] or guesses(text), text


# ---- what may go wrong ----


def test_without_privileges_it_says_what_is_needed(cgroup):
    group = cgroup("a")
    done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "cat", "/dev/null"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"probe: setpriv gives privileges up: {done.stderr.strip()}")
    done = subprocess.run(["setpriv", "--bounding-set=-sys_admin,-bpf,-perfmon", "--inh-caps=-all", PSTAT, "-a", "--bpf-counters",
                           "--for-each-cgroup", group, "-e", "task-clock", "touch", "ran"], capture_output=True, text=True,
                          env={**os.environ, **IN_C}, check=False)
    assert done.returncode == FAILED and "CAP_BPF and CAP_PERFMON are needed" in done.stderr, done.stderr
    assert not os.path.exists("ran")


def bpf_programs():
    """The names of all programs that are loaded, by bpftool: with multiplicity."""
    done = subprocess.run(["bpftool", "-j", "prog", "list"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"probe: bpftool prog list: {done.stderr.strip() or done.stdout.strip()}")
    return [(prog["id"], prog.get("name")) for prog in json.loads(done.stdout)]


def test_nothing_stays_behind_when_it_is_killed(cgroup):
    before = set(bpf_programs())
    # events in braces are not shared: no other session has or needs these programs
    with start("-a", "--bpf-counters", "--for-each-cgroup", cgroup("a"), "-e", "{cs,page-faults}") as pstat:
        wait_until_counting(pstat)
        ours = {one for one in set(bpf_programs()) - before if one[1] in ("on_switch", "on_move")}
        assert len(ours) >= 2
        pstat.kill()
        pstat.wait()
    wait_for("the programs are gone", lambda: not ours & set(bpf_programs()))
