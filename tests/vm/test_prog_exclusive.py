# SPDX-License-Identifier: GPL-2.0-only
"""The exclusive cost of a run: without the cost of counting, without the runs inside it, and
without the time of tasks that preempted it."""
import pathlib
import re

import pytest

from csv_rows import rows, values
from guest import guest_outputs, kernels, machines

FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "target", "nest")]

# each set contains instructions; the set of 8 has 2 hardware events and 6 software events
EVENTS = {
    1: "instructions",
    4: "cycles,instructions,task-clock,cs",
    8: "cycles,instructions,cs,task-clock,page-faults,cpu-clock,migrations,dummy",
}
TURNS = (0, 3, 300)  # about 40, 120 and 8000 instructions
SAMPLES = 5  # the smallest of them contains no timer tick
DEPTHS = range(5)


def samples(ids, events, command):
    return (
        f"for i in $(seq {SAMPLES}); do pstat -x, -b {ids} -e run_cnt,{events} -- {command}; done\n"
    )


ALONE = {
    f"empty {nr}": ". ./target\ntarget --prog empty\n" + samples("$id", events, './ask "run 10"')
    for nr, events in EVENTS.items()
} | {
    f"loop {turns} {nr}":
    f". ./target\ntarget --prog loop --loops {turns}\n" + samples("$id", events, './ask "run 10"')
    for turns in TURNS for nr, events in EVENTS.items()
}

# the outer program fires a tracepoint, to which the inner one is attached
INSIDE = {
    f"{which} {nr}": f"""
. ./target
rm -f other
bpf-run --type raw_tp --prog loop --loops 1000 --attach bpf_trace_printk --print-id --hold >other &
while ! [ -s other ]; do usleep 10000; done
inner=$(cat other)
target --prog print --loops 100
outer=$id
"""
    + samples(ids, events, './ask "run 2"')
    + "kill %1"
    for nr, events in EVENTS.items()
    for which, ids in (("outer", "$outer"), ("inner", "$inner"), ("both", "$outer,$inner"))
}

# In each iteration, the program calls two of its own functions. If they are counted together with
# the program, the sum is the count of the program alone.
FUNCTION_TURNS = 100
FUNCTIONS = {
    f"functions {name}": f"""
bpf-run --prog lookup --loops {FUNCTION_TURNS} --print-id --hold >held & holder=$!
while ! [ -s held ]; do usleep 10000; done
id=$(head -n 1 held)
""" + samples(ids, "instructions", "bpf-run --id $id --runs 2 --batch 2") +
    "kill $holder; wait $holder; rm -f held"
    for name, ids in (("none", "$id"), ("hash", "$id,$id:hash_number"), ("look up",
                                                                         "$id,$id:look_up_number"),
                      ("both", "$id,$id:hash_number,$id:look_up_number"))
}

NESTED = {
    f"depth {depth}": f"""
. ./nest
./ask "depth {depth}" "send 3"
for i in $(seq {SAMPLES}); do
    ./ask "send 0"
    pstat -x, -v -b $id -e run_cnt,instructions,cycles -- ./ask "send 20"
done
"""
    for depth in DEPTHS
}

RAW = {
    "raw": """
. ./target
target --prog empty
for sample in 1 2 3; do pstat -v -x, -b $id -e run_cnt,instructions,cs -- ./ask "run 10"; done
for sample in 1 2 3; do pstat -v -x, --no-calibrate -b $id -e run_cnt,instructions,cs -- ./ask \\
    "run 10"; done
"""
}

# the program causes the tracepoint to which it is attached: the kernel does not start it again
# inside itself
LEFT_OUT = {
    "left out": """
. ./target
rm -f other
bpf-run --type raw_tp --prog print --attach bpf_trace_printk --print-id --hold >other &
while ! [ -s other ]; do usleep 10000; done
target --prog print
pstat -v -x, -b $(cat other) -e run_cnt,instructions -- ./ask "run 10"
kill %1
"""
}

# Programs of the type syscall can lose the CPU in the middle of a run, unlike other programs in a
# test run. LONG_RUN is the number of iterations of a run that lasts for many time slices.
LONG_RUN, RUNS, SHORT_RUNS = 5000000, 30, 200000
PREEMPTED = {
    "alone": f"""
. ./target
target --type syscall --prog loop --loops {LONG_RUN}
pstat -x, -b $id -e run_cnt,task-clock -- ./ask "run 1"
""", "beside another task": f"""
. ./target
target --type syscall --prog loop --loops {LONG_RUN}
spin --ms 1000000 & spinning=$!
pstat -v -x, -b $id -e run_cnt,task-clock,duration_time -- ./ask "run 1"
kill $spinning
""", "a few slices": f"""
. ./target
target --type syscall --prog loop --loops 300000
pstat -x, -b $id -e run_cnt,task-clock -- ./ask "run {RUNS}"
""", "beside itself": f"""
. ./target
target --type syscall --prog loop --loops 300000
bpf-run --type syscall --id $id --each --forever >other & other=$!
pstat -v -x, -b $id -e run_cnt,task-clock -- ./ask "run {RUNS}"
kill $other
wait $other
""", "short": f"""
. ./target
target --type syscall --prog empty
pstat -v --no-calibrate -x, -b $id -e run_cnt,task-clock --hist=task-clock -- ./ask \\
    "run {SHORT_RUNS // 10}"
""", "short beside another task": f"""
. ./target
target --type syscall --prog empty
spin --ms 1000000 & spinning=$!
pstat -v --no-calibrate -x, -b $id -e run_cnt,task-clock --hist=task-clock -- ./ask \\
    "run {SHORT_RUNS}"
kill $spinning
""", "how": (
        "mount -t debugfs none /sys/kernel/debug 2>/dev/null; cat /sys/kernel/debug/sched/preempt"),
}

ASLEEP = {
    "asleep": """
. ./target
target --type syscall --prog read --late 100
spin --ms 1000000 & spinning=$!
pstat -v -x, -b $id -e run_cnt,task-clock,duration_time -- ./ask "run 10"
kill $spinning
./ask counter
""",
    "awake": """
. ./target
target --type syscall --prog count
pstat -v -x, -b $id -e run_cnt,task-clock -- ./ask "run 10"
""",
}


@pytest.fixture(scope="module", params=kernels("6.12", "6.1"))
def exact(request):
    return guest_outputs({**ALONE, **INSIDE, **FUNCTIONS, **RAW, **LEFT_OUT}, files=FILES,
                         arch="aarch64", kernel=request.param, icount=True)


@pytest.fixture(scope="module")
def nested():
    return guest_outputs(NESTED, files=FILES, arch="aarch64", kernel="6.12", icount=True)


@pytest.fixture(scope="module")
def preempted():
    return guest_outputs(PREEMPTED, files=FILES, arch="x86_64", icount=True,
                         parameters="preempt=full")


@pytest.fixture(scope="module", ids="-".join,
                params=machines(("aarch64", "6.12"), ("x86_64", "6.12"), ("x86_64", "6.1")))
def asleep(request):
    arch, kernel = request.param
    return guest_outputs(ASLEEP, files=FILES, arch=arch, kernel=kernel)


def per_run(text, runs=10, divisor=10):
    """Returns the instructions per run in the sample that contains no timer tick."""
    run_cnt = {row.value for row in rows(text) if row.event == "run_cnt"}
    counted = [row.value for row in rows(text) if row.event == "instructions"]
    assert run_cnt == {runs} and len(counted) == SAMPLES, text
    return min(counted) / divisor


@pytest.mark.parametrize("nr", EVENTS)
def test_an_empty_program_has_almost_no_cost(exact, nr):
    assert 0 <= per_run(exact[f"empty {nr}"]) <= 20


@pytest.mark.parametrize("nr", EVENTS)
def test_the_cost_of_a_program_is_the_number_of_its_instructions(exact, nr):
    counted = [per_run(exact[f"loop {turns} {nr}"]) for turns in TURNS]
    a_turn = (counted[2] - counted[1]) / (TURNS[2] - TURNS[1])
    assert a_turn == int(a_turn) > 10
    for turns, value in zip(TURNS, counted):
        # the cost of the code around the loop is not known; the next test checks that it does not
        # depend on what is counted
        assert value == pytest.approx(counted[0] + turns * a_turn, rel=0.02, abs=10)


@pytest.mark.parametrize("turns", TURNS)
def test_the_cost_of_a_run_does_not_depend_on_how_many_events_are_counted(exact, turns):
    counted = [per_run(exact[f"loop {turns} {nr}"]) for nr in EVENTS]
    assert max(counted) - min(counted) <= 10, counted


@pytest.mark.parametrize("nr", EVENTS)
def test_the_cost_of_an_inner_run_is_only_in_its_own_count(exact, nr):
    outer, inner = (per_run(exact[f"{which} {nr}"], 2, 2) for which in ("outer", "inner"))
    both = per_run(exact[f"both {nr}"], 4, 2)
    assert inner > 20000
    # counted alone, the outer program includes the instructions of the inner one
    assert both - inner == pytest.approx(outer - inner, rel=0.02, abs=10)
    assert both == pytest.approx(outer, rel=0.001)


@pytest.mark.parametrize("name, inner", [("hash", 1), ("look up", 1), ("both", 2)])
def test_functions_that_are_counted_take_no_instructions_from_the_program(exact, name, inner):
    """A difference of a few instructions is possible, because the code of the counting programs
    depends on the addresses of their maps."""
    runs = 2 * FUNCTION_TURNS * inner
    alone = per_run(exact["functions none"], 2, 1)
    together = per_run(exact[f"functions {name}"], 2 + runs, 1)
    assert together == pytest.approx(alone, abs=3 * runs), (alone, together)


def test_the_cost_of_counting_is_reported_and_can_be_kept_in_the_count(exact):
    costs = list(
        map(int, re.findall(r"-b: instructions: counting itself adds (\d+) to a run", exact["raw"]))
    )
    counted = [row.value for row in rows(exact["raw"]) if row.event == "instructions"]
    assert len(costs) == 3 and len(counted) == 6, exact["raw"]
    # in runs that contain no timer tick
    net, gross = min(counted[:3]), min(counted[3:])
    assert min(costs) > 100 and any(gross - net == pytest.approx(10 * cost, abs=100)
                                    for cost in costs), exact["raw"]


def test_runs_that_the_kernel_skipped_are_reported(exact):
    assert values(exact["left out"])["run_cnt"] == 10
    assert (
        "-b: 10 times the kernel did not start a program, because it was already "
        "running on that CPU"
        in exact["left out"]
    )


def test_nested_runs_are_all_counted_and_cost_the_same_at_each_depth(nested):
    counted = []
    for depth in DEPTHS:
        text = nested[f"depth {depth}"]
        counter = list(map(int, re.findall(r"^counter (\d+)$", text, re.M)))[-2 * SAMPLES :]
        runs = [row.value for row in rows(text) if row.event == "run_cnt"]
        assert runs == [after - before
                        for before, after in zip(counter[::2], counter[1::2])] and min(runs) > 0
        clean = "not counted: 0 lost, 0 with a counter that could not be read, 0 missed"
        assert text.count(clean) == SAMPLES
        counted.append(min(row.value for row in rows(text) if row.event == "instructions"))
    # each level has one more packet and a copy of it; if inner runs were counted twice, the steps
    # would grow by about the size of the first step. A sample can contain a timer tick of about
    # 3500 instructions, a tenth of a step.
    steps = [b - a for a, b in zip(counted[1:], counted[2:])]
    assert max(steps) - min(steps) <= 0.25 * max(steps), steps


def test_the_time_in_which_another_task_has_the_cpu_is_not_counted(preempted):
    assert "(full)" in preempted["how"]
    alone, beside = (values(preempted[name]) for name in ("alone", "beside another task"))
    assert alone["run_cnt"] == beside["run_cnt"] == 1
    # the program was preempted in its only run: the other task had nearly half of the time
    assert beside["duration_time"] > 1.5e6 * alone["task-clock"]
    assert beside["task-clock"] == pytest.approx(alone["task-clock"], rel=0.02)


def test_runs_of_one_program_that_preempt_each_other_are_distinguished(preempted):
    text = preempted["beside itself"]
    alone, beside = values(preempted["a few slices"]), values(text)
    assert beside["run_cnt"] > 1.5 * RUNS
    # if a switch occurs during the counting itself, which is rare, both runs in progress are lost
    lost, *others = map(
        int,
        re.search(
            r"not counted: (\d+) lost, (\d+) with a counter that could not be "
            r"read, (\d+) missed", text).groups())
    assert lost <= 2 and others == [0, 0], text
    assert beside["task-clock"] / beside["run_cnt"] == pytest.approx(
        alone["task-clock"] / RUNS, rel=0.02
    )


def test_a_run_that_loses_the_cpu_while_it_is_counted_is_lost_and_not_too_long(preempted):
    """Short runs spend most of the time in the counting itself, so tasks are often preempted
    there."""
    texts = [preempted[name] for name in ("short", "short beside another task")]
    lost = [int(re.search(r"not counted: (\d+) lost", text)[1]) for text in texts]
    alone, beside = map(values, texts)
    assert (
        alone["run_cnt"] == SHORT_RUNS // 10 - lost[0]
        and beside["run_cnt"] == SHORT_RUNS - lost[1]
        and lost[1] > 0
    ), texts
    assert beside["task-clock"] / beside["run_cnt"] == pytest.approx(
        alone["task-clock"] / alone["run_cnt"], rel=0.05), texts


def test_a_run_that_sleeps_is_not_charged_for_its_sleep(asleep):
    counted = values(asleep["asleep"])
    assert counted["run_cnt"] == 10
    assert counted["duration_time"] > 10 * 100e6
    assert 0 < counted["task-clock"] < 100
    assert "counter 10" in asleep["asleep"]


def test_a_sleepable_program_that_does_not_sleep_is_counted(asleep):
    assert values(asleep["awake"])["run_cnt"] == 10
