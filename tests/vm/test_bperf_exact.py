# SPDX-License-Identifier: GPL-2.0-only
"""Counters that BPF manages must give the same counts as perf fds in the same session, in guests
whose time and instructions are exact: for tasks that never switch and tasks that only switch, for
each kind of target, and for short counts. Then on two CPUs, where two native events also differ."""

import pytest

from csv_rows import rows
from elapsed import NOW, between, most
from guest import GUESTS, LONG, guest_each, kernels, machines
from windows import FILES, WORKLOADS, command, pairs, reports


EVENTS = {
    "aarch64": "instructions,instructions:b,task-clock,task-clock:b,cs,cs:b",
    "x86_64": "task-clock,task-clock:b,cs,cs:b",
}
TOLERANCE = {10: 0.02, 100: 0.005, 1000: 0.005}
# The tolerance for a task that only switches. The kernel starts and stops native counters inside
# the switch, so the rest of the switch is counted for no task. BPF counts it for the next task. For
# each switch, the difference is 0.2 us on x86-64. On arm64, it is up to 1.95 us, or 190
# instructions.
PER_SWITCH = {"cs": 0, "task-clock": 0.0022, "instructions": 220}
# If a child is forked at the moment at which its parent's native events are enabled, its own events
# may stay disabled. It spins for 0.4 ms.
CHILD = {"cs": 0, "task-clock": 0.45, "instructions": 220000}
FORKING = 0.02
# At each end of a window, one of the two counts may include switches that the other does not
# include. This matters for a task that hardly ran. The difference is 10 us, or twice as much for a
# tree that forks, because all its tasks want the CPU between the two readings. Both counts of
# task-clock are also rounded to 10 us, by up to 5 us each.
EDGE = {"cs": 15, "task-clock": 0.02, "instructions": 5000}


def exact_commands(arch, kernel):
    short = {name: command(EVENTS[arch], (10, 100), name) for name in WORKLOADS}
    long = {f"{name}, 1 s": command(EVENTS[arch], (1000,), name) for name in WORKLOADS}
    if LONG or (arch, kernel) == ("aarch64", "6.12"):
        return {**short, **long}
    return {**short, "spinner, 1 s": command(EVENTS[arch], (1000,), "spinner", ("command", "-p"))}


@pytest.fixture(scope="module", params=GUESTS, ids="-".join)
def exact(request):
    arch, kernel = request.param
    done = guest_each(exact_commands(arch, kernel), files=FILES, arch=arch, kernel=kernel,
                      icount=True, timeout=1800 if LONG else 400)
    counted = {name: reports(result.stdout) for name, result in done.items()}
    return {"kernel": kernel, **counted}


def counted_on(ms, native, bperf):
    """Returns whether a child continued to count because it was forked at the moment at which
    native counting ended. In this case, there is no value to compare with."""
    return (native or 0) > 1.1 * ms >= (bperf or 0)


def lost_time(both, rate):
    """Returns whether the native clock is wrong and the count of BPF is right. In a given time, the
    CPU cannot execute more instructions than it does when it is never idle. This was seen once on
    6.1, with a tree that forks: the native clock counted 76.45 ms for 40.61 million instructions,
    which take 81.2 ms. The enabled times of the native instructions and cs were 81.58 and 81.71 ms,
    and BPF counted 81.87 ms. Why the native clock is short is not known."""
    if not rate:
        return False
    instructions, clock = both["instructions"], both["task-clock"]
    return instructions[0] > 1.02 * rate * clock[0] and clock[1] == pytest.approx(
        instructions[1] / rate, rel=0.02)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_counts_are_those_of_native_events(exact, workload):
    windows = exact[workload] + exact.get(f"{workload}, 1 s", [])
    wrong, lost = [], []
    # instructions per millisecond; the x86-64 guests have no counter of instructions
    rate = max((both["instructions"][0] / both["task-clock"][0]
                for both in (pairs(counted) for target, ms, counted in windows
                             if target == "-a" and ms >= 100) if "instructions" in both), default=0)
    for target, ms, counted in windows:
        both = pairs(counted)
        assert both, (target, ms, counted)
        if (workload, target) == ("fork tree", "command") and counted_on(ms, *both["task-clock"]):
            continue
        for event, (native, bperf) in both.items():
            exactly = workload == "spinner" and event == "instructions" and ms >= 100
            rel, edge = 0.0005 if exactly else TOLERANCE[ms], EDGE[event]
            if workload == "ping-pong" and target in ("-p", "-t"):
                edge += PER_SWITCH[event] * both["cs"][0]
            elif workload == "fork tree" and target in ("-p", "-t"):
                rel, edge = FORKING, edge * (2 if event == "cs" else 1) + CHILD[event]
            # a task that did not run in the window is not counted
            if (bperf or 0) != pytest.approx(native or 0, rel=rel, abs=edge):
                is_lost = event == "task-clock" and lost_time(both, rate)
                (lost if is_lost else wrong).append((target, ms, event, native, bperf))
    assert len(windows) >= 10
    assert len({(target, ms) for target, ms, *_ in lost}) <= 1, lost
    assert not wrong, wrong


def test_a_spinner_counted_for_a_second_has_run_for_a_second(exact):
    """Nothing else runs, so this test rules out that both counts are wrong in the same way."""
    for target, ms, counted in exact["spinner, 1 s"]:
        clock = next(row.value for row in counted if row.event == "task-clock:b")
        assert clock == pytest.approx(ms, rel=0.02), target


# ---- more events than counters ----

NINE = (
    "instructions:b,cycles:b,instructions:ub,cycles:ub,instructions:kb,cycles:kb,r8:b,r11:b,r8:ub"
)
TURNS = 250000000

MULTIPLEXED = {
    "nine": f"pstat -x, -e {NINE} spin {TURNS}", "nine for people": f"pstat -e {NINE} spin {TURNS}",
    "nine natively": f"pstat -x, -e {NINE.replace('b,', ',').replace(':,', ',')[:-1]} spin {TURNS}",
    "all CPUs": f"pstat -x, -a -e {NINE} spin {TURNS}",
    "seven": "pstat -x, -e instructions:b,cycles:b,instructions:ub,cycles:ub,r8:b,r11:b,r8:ub "
    f"spin {TURNS}",
    "a group": f"pstat -x, -e '{{instructions,cycles}}:b' spin {TURNS}; pstat -x, -e "
    f"'{{instructions,cycles,r8}}:b,{{r11,cycles:u}}:b' spin {TURNS}",
    "groups in turn": "pstat -x, -e "
    f"'{{instructions,cycles,r8,r11}}:b,{{instructions:u,cycles:u,r8:u,r11:u}}:b' "
    f"spin {TURNS}",
    "a group too large": f"pstat -x, -e '{{{NINE.replace('b', '')}}}:b' spin 1000; echo status $?".
    replace(":,", ",").replace(":}", "}"),
}


@pytest.fixture(scope="module", params=kernels("6.12"))
def multiplexed(request):
    # The kernel frees the events of a session a moment after its end. Until then, the next session
    # has fewer counters.
    commands = {
        name: "usleep 500000; " + command.replace("; pstat", "; usleep 500000; pstat")
        for name, command in MULTIPLEXED.items()
    }
    done = guest_each(commands, arch="aarch64", kernel=request.param, icount=True, timeout=400)
    return {name: result.stdout for name, result in done.items()}


def is_cycles(event):
    """r8 is instructions and r11 is cycles in the armv8 architecture."""
    return event.split(":")[0] in ("cycles", "r11")


@pytest.mark.parametrize("name", ["nine", "nine natively", "all CPUs"])
def test_nine_events_on_seven_counters_are_scaled_and_show_their_share(multiplexed, name):
    nine = rows(multiplexed[name])
    assert len(nine) == 9, multiplexed[name]
    for row in nine:
        assert 50 < row.percent < 100, row
        if ":k" not in row.event:
            assert row.value == pytest.approx(2 * TURNS * (2 if is_cycles(row.event) else 1),
                                              rel=0.05), row


def test_nine_events_have_the_same_share_of_the_counters_as_natively(multiplexed):
    bperf, native = rows(multiplexed["nine"]), rows(multiplexed["nine natively"])
    assert [row.event for row in bperf] == NINE.split(",")
    assert [row.event
            for row in native] == [event.replace("b", "").rstrip(":") for event in NINE.split(",")]
    assert sum(row.percent for row in bperf) == pytest.approx(sum(row.percent for row in native),
                                                              rel=0.05), (bperf, native)


def test_scaled_counts_show_their_share_of_the_time(multiplexed):
    lines = [
        line for line in multiplexed["nine for people"].splitlines()
        if ":b" in line or ":ub" in line or ":kb" in line
    ]
    assert len(lines) == 9
    for line in lines:
        assert line.rstrip().endswith("%)"), line


def test_seven_events_on_seven_counters_are_not_scaled(multiplexed):
    seven = rows(multiplexed["seven"])
    assert [row.percent for row in seven] == [100] * 7
    by_name = {row.event: row.value for row in seven}
    assert by_name["cycles:b"] == 2 * by_name["instructions:b"] or \
        by_name["cycles:b"] == pytest.approx(2 * by_name["instructions:b"], rel=0.0005)
    assert by_name["r8:b"] == pytest.approx(by_name["instructions:b"], rel=0.0005)


def test_the_events_of_a_group_have_the_same_times(multiplexed):
    found = rows(multiplexed["a group"])
    assert len(found) == 7, multiplexed["a group"]
    for row in found:
        assert row.percent == 100
        if ":u" not in row.event:
            times = 2 if is_cycles(row.event) else 1
            assert row.value == pytest.approx(times * found[0].value, rel=0.001), row


def test_groups_that_do_not_fit_on_the_counters_together_take_turns_as_a_whole(multiplexed):
    found = rows(multiplexed["groups in turn"])
    assert len(found) == 8
    for group in (found[:4], found[4:]):
        assert len({row.percent for row in group}) == 1, found
        assert 30 < group[0].percent < 70
        instructions = group[0].value
        assert instructions == pytest.approx(2 * TURNS, rel=0.05)
        for row in group:
            # events of one group are counted over the same time, so their ratio is as exact as
            # without multiplexing
            assert row.value == pytest.approx((2 if is_cycles(row.event) else 1) * instructions,
                                              rel=0.001), row


def test_a_group_too_large_for_the_pmu_is_not_counted_in_part(multiplexed):
    text = multiplexed["a group too large"]
    assert not [row for row in rows(text) if row.value is not None], text
    assert "pstat: " in text or "<not supported>" in text or "<not counted>" in text


# ---- two CPUs, whose clock is the host's ----

# The host also has other work, so two consecutive readings may be far apart. Tasks are therefore
# counted from their start to their end, and only CPUs between two moments.
FINITE = {
    "spinner": "spin 100000000",
    "fork tree": "forks 200000",
    "sleeper": "spin --nap 3000 500000",
    "eight threads": "threads 8 10000000",
}
# the number of CPUs that the tasks can use at the same time
WIDE = {"spinner": 1, "fork tree": 2, "sleeper": 1, "eight threads": 2}
# The two native clocks are of different kinds, so the kernel reads them one after the other. (Two
# events of the same kind use the same clock, so their difference would show nothing.)
THREE = "task-clock,task-clock:b,cpu-clock"
TIMES = 5
# If the counts are too far apart, TIMES counts are made again, at most this number of times.
MORE = 3


def on_two_commands():
    commands = {}
    for name, workload in FINITE.items():
        workload = f"timeout 1 {workload}" if name == "sleeper" else workload
        commands["command", name] = (
            f"for i in $(seq {TIMES}); do {NOW}; pstat -x, -e {THREE} -- {workload}; {NOW}; done"
        )
        for target in ("-p", "-t"):
            commands[target, name] = f"""
. ./sessions
for i in $(seq {TIMES}); do
    {NOW}
    sh -c 'kill -STOP $$; exec {workload}' & task=$!
    start -e {THREE} {target} $task
    ask $i
    kill -CONT $task
    wait
    {NOW}
    cat out.$i
done
rm -f ctl.* ack.*
"""
    for target, cpus in (("-a", 2), ("-C 1", 1)):
        commands[target, cpus] = (
            f"for i in $(seq {TIMES}); do {NOW}; pstat -x, -e {THREE} {target} --timeout 300;"
            f" {NOW}; done"
        )
    return commands


def is_near(native, bperf, second):
    """Allows a difference of 3 %, or of twice the difference between two native events."""
    margin = max(0.03 * native, 2 * abs(native - second))
    return min(native, second) - margin <= bperf <= max(native, second) + margin


def counts(text):
    """Returns [(task-clock, task-clock:b, cpu-clock)] in ms, for each count."""
    clocks = [row.value for row in rows(text)]
    assert clocks and len(clocks) % (3 * TIMES) == 0, text
    return list(zip(clocks[::3], clocks[1::3], clocks[2::3]))


def least_of(target, workload):
    """Returns the minimum count in ms if no CPU of the guest was stopped."""
    return {("-a", 2): 500, ("-C 1", 1): 250}.get((target, workload), 20)


def are_near(text, least):
    """Checks whether at least two of the counts are near each other, and as long as they should be.
    If the host is busy, a CPU of the guest may stop for a few seconds while the other continues.
    This can happen between two readings of the same moment, or while pstat enables the events,
    which then count less."""
    return sum(is_near(*count) and min(count) > least for count in counts(text)) >= 2


@pytest.fixture(scope="module", params=machines(("x86_64", "6.12"), ("aarch64", "6.12")),
                ids="-".join)
def on_two(request):
    """Returns {(target, workload): output}."""
    arch, kernel = request.param
    files = [FILES[0].parent / "sessions"]
    texts, again = {}, on_two_commands()
    for _ in range(1 + MORE):
        done = guest_each(again, files=files, arch=arch, kernel=kernel, cpus=2, urgent=True,
                          timeout=600)
        texts.update({name: texts.get(name, "") + result.stdout for name, result in done.items()})
        again = {
            name: command for name, command in again.items()
            if not are_near(texts[name], least_of(*name))
        }
        if not again:
            break
    return texts


def check_on_two(text, least, cpus):
    for (_, bperf, _), ms in zip(counts(text), between(text)):
        assert bperf <= most(ms, cpus), (bperf, ms, text)
    assert are_near(text, least), text


@pytest.mark.parametrize("workload", FINITE)
@pytest.mark.parametrize("target", ["command", "-p", "-t"])
def test_on_two_cpus_tasks_count_as_near_as_two_native_events(on_two, target, workload):
    check_on_two(on_two[target, workload], least_of(target, workload), WIDE[workload])


@pytest.mark.parametrize(("target", "cpus"), [("-a", 2), ("-C 1", 1)])
def test_on_two_cpus_a_cpu_counts_as_near_as_two_native_events(on_two, target, cpus):
    check_on_two(on_two[target, cpus], least_of(target, cpus), cpus)
