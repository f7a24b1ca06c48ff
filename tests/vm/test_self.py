# SPDX-License-Identifier: GPL-2.0-only
"""Programs that count themselves (libpstat-self): each thread gets its own exact count, from the
leaders that pstat and perf share, and nothing is left behind. If PERF_BPF=/path/to/perf is set,
perf is also tested."""
import os
import pathlib
import re

import pytest

from csv_rows import rows
from elapsed import NOW, between, most
from guest import LONG, guest_each, kernels
from perf_tool import outputs

HERE = pathlib.Path(__file__).parent
FILES = [HERE / "guest-files" / name for name in ("sessions", "bpf-objects")]
KERNELS = kernels("6.12")
MAP = "/sys/fs/bpf/perf_attr_map"
TURNS = 500000     # two instructions each

SHELL = """
. ./sessions
followers() { bpftool prog show | grep -c 'name follow_self '; }
holders=0
hold() { holders=$((holders + 1))
self-handles hold "$@" >held.$holders 2>&1 & eval holder_$holders=$!; }
all_hold() { for n in $(seq $holders); do until grep -q 'ready\\|error' held.$n; do usleep 10000
done; done; cat held.*; }
kill_held() { for n in $(seq $holders); do eval kill -9 \\$holder_$n; eval wait \\$holder_$n
done 2>/dev/null; }
"""

STEPS = {
    "alone": f"""
./bpf-objects >before
self-count threads instructions:u 20 {TURNS} 2
self-count --native threads instructions 2 {10 * TURNS} 1
./bpf-objects before
""", "beside sessions": f"""
spin --nap 1000 200000 & task=$!
start --bpf-counters -e instructions,cycles,instructions:u -a; ask 1
start --bpf-counters -e cycles -p $task
start --bpf-counters -e instructions,cycles -I 100 -p $task; all_count
hold cycles; hold instructions; all_hold
echo "# threads"
self-count threads instructions:u 20 {TURNS} 2
echo "# all"
self-count --native threads instructions 20 {4 * TURNS} 1
echo "# objects"
objects; echo own $(followers)
kill_held; end_all >ended; kill $task
cat ended
""", "counted by others": (
        "pstat -x, -e instructions,instructions:b,cs,cs:b -- self-count threads instructions 4 "
        f"{2 * TURNS} 1 2>&1"), "another tool leads": f"""
rm -f {MAP}
perf-abi leader instructions instructions:u cs >log & abi=$!
until grep -q ready log; do usleep 10000; done
all_gone; objects
hold instructions:u; all_hold
self-count threads instructions:u 20 {TURNS} 2
self-count --native threads instructions 2 {10 * TURNS} 1
echo '# switches'; self-count --native threads cs 4 {10 * TURNS} 1
objects
kill_held; kill $abi; wait $abi
""", "handles": f"""
start --bpf-counters -e cycles,instructions:u,instructions -a; ask 1
self-handles handles instructions:u 16 {TURNS}
self-handles reopen instructions 30
self-handles signals instructions 20000 cycles
self-handles signals cycles 20000 instructions
self-count --native threads cycles 4 {4 * TURNS} 1
objects
echo "# switches"; self-count --native threads cs 4 {10 * TURNS} 1; echo "# again"
end_all >ended; all_gone
self-handles reopen cycles 30
""", "more events than counters": f"""
start -a \\
    -e instructions:b,cycles:b,instructions:ub,cycles:ub,instructions:kb,cycles:kb,r8:b,r11:b,r8:ub
ask 1
self-count threads instructions:u 2 {50 * TURNS} 1
end_all >ended; all_gone
""", "killed": """
./bpf-objects >before
hold instructions; hold cycles:u; hold instructions; all_hold
./bpf-objects >during; grep -vxFf before during | sed 's/ .*//' | sort | uniq -c
kill_held
./bpf-objects before
""",
    "churn": "self-count churn instructions:u 4200 2000; self-count churn instructions:u 64 100000",
    "fork": f"self-handles fork instructions:u {TURNS}",
    "a user": f"self-handles user instructions:u {TURNS}",
    "sealed": "self-handles sealed instructions", "an older kernel": f"""
export PSTAT_TASK_STATE=btf
self-count threads instructions:u 20 {TURNS} 2
self-count churn instructions:u 64 100000
echo "# pstat"
for i in $(seq 300); do true | true; done & others=$!
pstat -x, -e cs,cs:b -- forks --fast 300; wait $others
echo "# no types"
mount -t tmpfs none /sys/kernel/btf
self-count cost instructions 1; pstat -x, -e cs:b -- true; echo status $?
umount /sys/kernel/btf
""", "by number": "hold 0:1; all_hold; hold instructions; all_hold >/dev/null; objects; kill_held",
    "another map": (
        f"rm -f {MAP}; self-count --map /sys/fs/bpf/other threads instructions:u 1 {TURNS} 1; "
        "ls /sys/fs/bpf; rm /sys/fs/bpf/*"),
    "a map elsewhere": "self-count --map /tmp/other cost instructions 1",
    "no capability": f"with-caps all-sys_admin self-count cost instructions 1", "no such events": (
        "for e in instrctions duration_time instructions,cycles 0:1234567 cpu/foo/; do "
        "self-count cost $e 1; done; ls /sys/fs/bpf"),
    "the example": (
        "./count-self instructions:u; echo status $?; ./count-self no-such-event; echo status $?"),
    "cost": "self-count --native cost instructions 200",
}


if LONG:
    STEPS["many"] = """
for n in $(seq 40); do hold instructions; done; all_hold | sort | uniq -c
objects; echo own $(followers)
kill_held
"""


@pytest.fixture(scope="module", params=KERNELS)
def results(request, tmp_path_factory):
    from guest import build
    build("aarch64")
    example = pathlib.Path(os.environ.get(
        "PSTAT_BUILD", HERE.parents[1] / ".build")) / "guest-aarch64/.build/examples/count-self"
    steps = {name: SHELL + command for name, command in STEPS.items()}
    done = guest_each(steps, files=[*FILES, example], arch="aarch64", kernel=request.param,
                      icount=True, timeout=400)
    return {name: result.stdout for name, result in done.items()}


def counted(text, columns=3):
    """Returns [[number]] for the lines that consist of this many numbers."""
    return [
        list(map(int, line.split()))
        for line in text.splitlines()
        if re.fullmatch(r"\d+( \d+){%d}" % (columns - 1), line)
    ]


def assert_loops(text, nr, turns=TURNS):
    """In user space, only the loop and a few instructions of the library are executed between two
    reads."""
    found = counted(text)
    assert len(found) == nr, text
    for value, enabled, running in found:
        assert 2 * turns < value < 2 * turns + 300, text
        assert enabled == running > 2 * turns, text


def assert_natives(text, nr, turns):
    """The count includes the kernel's work in the thread's time slices, so it is compared with a
    native event of the thread."""
    found = counted(text, columns=4)
    assert len(found) == nr, text
    for native, value, _, _ in found:
        assert 2 * turns < value == pytest.approx(native, rel=0.01), text


def test_twenty_threads_count_their_own_loops_exactly(results):
    assert_loops(results["alone"], nr=40)
    assert_natives(results["alone"], nr=2, turns=10 * TURNS)


def test_threads_count_themselves_next_to_sessions_of_pstat(results):
    parts = results["beside sessions"].split("# ")
    assert_loops(parts[1], nr=40)
    assert_natives(parts[2], nr=20, turns=4 * TURNS)


def test_all_of_them_share_one_leader_and_its_perf_events(results):
    text = results["beside sessions"]
    # the two sessions with -p have followers, and so do the two processes that count themselves
    assert "leaders 1 followers 2 arrays 1\nown 2\n" in text, text
    assert text.count("perf events 0\n") == 2, text


def test_a_program_that_counts_itself_can_also_be_counted_by_sessions(results):
    found = {row.event: row.value for row in rows(results["counted by others"])}
    assert found["instructions:b"] == pytest.approx(found["instructions"], rel=0.005)
    assert found["cs:b"] == pytest.approx(found["cs"], abs=2)


def test_a_leader_of_another_tool_serves_as_well(results):
    text = results["another tool leads"]
    assert_loops(text, nr=40)
    assert_natives(text.split("# switches")[0], nr=2, turns=10 * TURNS)
    before, after = re.findall(r"^leaders .*", text, re.M)
    assert before == after == "leaders 3 followers 0 arrays 3", text
    assert "perf events 0" in text


def test_handles_of_one_process_share_their_leader_and_follower(results):
    text = results["handles"]
    assert_loops("\n".join(text.splitlines()[:16]), nr=16)
    joined, made = [
        list(map(int, found)) for found in re.findall(r"^files (\d+) (\d+) (\d+)$", text, re.M)
    ]
    one, many, none = joined
    assert one == many == none + 3 and joined == made, text
    assert int(re.search(r"^files (\d+)$", text, re.M)[1]) == none, text
    assert "leaders 1 followers 0 arrays 1" in text


def test_signal_handlers_may_read(results):
    """Both events have one leader: if a handler reads one event, the count of the other must
    remain for the thread that reads it."""
    found = re.findall(r"signals (\d+) backs (\d+)", results["handles"])
    assert len(found) == 2 and "leaders 1 followers 0 arrays 1" in results["handles"], results[
        "handles"
    ]
    for number, backs in found:
        assert int(number) > 50 and backs == "0", results["handles"]


def test_an_event_further_back_in_the_leader_counts_too(results):
    found = counted(results["handles"].split("# switches")[0], columns=4)
    assert len(found) == 4
    for native, value, _, _ in found:
        # the native count also includes the thread's own system calls around it and an interrupt in
        # them
        assert 16 * TURNS < value == pytest.approx(native, rel=0.01), results["handles"]


@pytest.mark.parametrize("step", ["handles", "another tool leads"])
def test_context_switches_are_those_of_the_thread(results, step):
    found = counted(results[step].split("# switches")[1], columns=4)
    assert len(found) == 4
    # the native count begins earlier and ends later, and the thread may be preempted in between
    differences = [native - value for native, value, _, _ in found]
    assert set(differences) <= {0, 1} and differences.count(0) >= 2, results[step]
    assert all(value > 0 for _, value, _, _ in found), results[step]


def test_multiplexed_counts_show_their_share_and_can_be_scaled(results):
    found = counted(results["more events than counters"])
    assert len(found) == 2, results["more events than counters"]
    for value, enabled, running in found:
        assert 0.3 * enabled < running < enabled
        assert value * enabled / running == pytest.approx(100 * TURNS, rel=0.1)


def test_a_process_that_is_killed_leaves_nothing(results):
    lines = results["killed"].splitlines()
    assert lines.count("ready") == 3 and sum("link" in line for line in lines) == 1, lines
    assert lines[-1] == "nothing is left"


def test_a_missing_leader_is_made_and_ends_with_its_maker(results):
    assert results["alone"].splitlines()[-1] == "nothing is left"


def test_threads_that_come_and_go_find_slots_and_count_correctly(results):
    """There are more threads than slots; most of them use a slot that another thread has used
    before."""
    assert results["churn"].splitlines() == ["threads 4208 wrong 0", "threads 64 wrong 0"]


def test_a_child_opens_its_own_handle_and_the_parent_continues(results):
    child, own, parent = results["fork"].splitlines()
    assert child.startswith("child -116: the counter was opened before a fork")
    assert_loops(own, nr=1)
    assert 2 * TURNS < int(parent.split()[1]) < 2 * TURNS + 5000, parent


def test_privileges_are_needed_to_open_alone(results):
    assert_loops(results["a user"], nr=1)


def test_a_process_that_lost_the_right_to_call_bpf_gets_an_error(results):
    assert re.match(r"-1: this process may not call bpf\(\): .*\nkeep CAP_BPF",
                    results["sealed"]), results["sealed"]


def test_the_end_of_a_task_is_seen_on_kernels_whose_tracepoint_does_not_report_it(results):
    text, refused = results["an older kernel"].split("# no types")
    threads, pstat = text.split("# pstat")
    assert_loops(threads, nr=40)
    assert "threads 64 wrong 0" in threads, threads
    found = {row.event: row.value for row in rows(pstat)}
    # if no exit were noticed, 900 would be counted: those of later threads with the same addresses
    assert found["cs"] > 300 and found["cs:b"] == pytest.approx(found["cs"], abs=20), pstat
    assert refused.count("BPF cannot see which tasks end: "
                         ) == 2 and "error -2" in refused and "status 255" in refused, refused


def test_an_event_given_by_numbers_counts_as_the_event_given_by_name(results):
    assert "leaders 1 followers 0 arrays 1" in results["by number"], results["by number"]


def test_another_map_can_be_named(results):
    assert_loops(results["another map"], nr=1)
    assert results["another map"].splitlines()[-1] == "other"


def test_wrong_figures_are_reported(results):
    assert re.match(r"error -22\ninstructions: /tmp is not on a BPF file system",
                    results["a map elsewhere"])
    assert re.match(r"error -1\ninstructions: .*CAP_SYS_ADMIN.*\nrun this program as root",
                    results["no capability"])
    text = results["no such events"]
    errors = re.split(r"^error ", text, flags=re.M)[1:]
    assert len(errors) == 5, text
    assert errors[0].startswith(
        "-22\nevent syntax error: 'instrctions'") and "instructions" in errors[0]
    assert errors[1].startswith("-95\nduration_time: it is not a perf event")
    assert errors[2].startswith("-22\ninstructions,cycles: names 2 events")
    assert errors[3].startswith("-22\nevent 0:0x12d687 on CPU 0: cannot be counted here")
    assert errors[4].startswith("-22\nevent syntax error: 'cpu/foo/'")


def test_the_example_prints_its_counts(results):
    first, status, error, failed = results["the example"].strip().splitlines()[:2] + \
        [results["the example"].split("status 0\n")[1], results["the example"].splitlines()[-1]]
    assert re.fullmatch(r"\d+ instructions:u", first) and 10**6 < int(first.split()[0]) < 10**8
    assert status == "status 0" and "unknown event" in error and failed == "status 1"


def test_more_processes_than_a_leader_can_have_followers_share_two(results):
    if not LONG:
        pytest.skip("probe: PSTAT_LONG is not set, and 40 processes take long to begin")
    text = results["many"]
    assert "40 ready" in text and "leaders 2 followers 0 arrays 2\nown 40" in text, text


def test_a_read_costs_less_than_twice_what_one_of_a_perf_event_does(results):
    least, mean, native = map(int, re.findall(r"\d+", results["cost"]))
    assert 0 < least < 2 * native and least <= mean, results["cost"]


# ---- two CPUs ----

MIGRATE = {
    "alone": f"{NOW}; self-count --native migrate task-clock 8 10000000; {NOW}",
    "while others read": f"""
pstat -a --bpf-counters -e task-clock,cs -I 10 2>/dev/null & one=$!
pstat --bpf-counters -e task-clock,cs -I 10 -p $$ 2>/dev/null & two=$!
usleep 500000
{NOW}
self-count --native migrate task-clock 8 10000000
{NOW}
kill -INT $one $two; wait
""",
}


@pytest.fixture(scope="module")
def migrated():
    done = guest_each(MIGRATE, arch="x86_64", kernel="6.12", cpus=2, timeout=300)
    return {name: result.stdout for name, result in done.items()}


@pytest.mark.parametrize("name", MIGRATE)
def test_threads_that_go_from_cpu_to_cpu_take_their_counts_along(migrated, name):
    """The CPUs of this guest stop sometimes, at any point, so only most counts must be as near as
    two other clocks of the thread. The sum must not exceed the time of the two CPUs."""
    found = counted(migrated[name], columns=4)
    assert len(found) == 8
    (ms,) = between(migrated[name])
    assert all(value > 0
               for _, value, *_ in found) and sum(value for _, value, *_ in found) / 1e6 <= most(
                   ms, cpus=2), migrated[name]
    assert not any(back for *_, back in found), found
    near = 0
    for native, value, cpu_time, _ in found:
        margin = max(0.05 * native, 2 * abs(native - cpu_time))
        near += min(native, cpu_time) - margin <= value <= max(native, cpu_time) + margin
    assert near > 4, found


# ---- perf itself ----

PERF_EVENTS = "task-clock,cs,msr/tsc/"
PERF_SETUP = SHELL + f"""
rm -f {MAP}
spin --nap 1000 200000 & task=$!
"""
COUNT_BOTH = f"""
hold task-clock; hold msr/tsc/; all_hold
self-count --native threads task-clock 20 {20 * TURNS} 1
echo "# tsc"
self-count threads msr/tsc/ 20 {TURNS} 1
echo "# objects"
objects; echo own $(followers)
"""
WITH_PERF = {
    "perf leads": (PERF_SETUP + f"""
./perf stat --bpf-counters -e {PERF_EVENTS} -p $task -I 10000 -o perf.out & perf=$!
usleep 1500000
start --bpf-counters -e {PERF_EVENTS} -p $task; ask 1
{COUNT_BOTH}
kill_held; end_all; kill -INT $perf; wait $perf; kill $task
"""), "pstat leads": (PERF_SETUP + f"""
start --bpf-counters -e {PERF_EVENTS} -p $task; ask 1
./perf stat --bpf-counters -e {PERF_EVENTS} -p $task -I 10000 -o perf.out & perf=$!
usleep 1500000
{COUNT_BOTH}
kill_held; end_all; kill -INT $perf; wait $perf; kill $task
"""), "a process leads": (PERF_SETUP + f"""
hold task-clock; hold msr/tsc/; hold cs; all_hold
self-count --native threads task-clock 20 {20 * TURNS} 1
./perf stat --bpf-counters -x, -e {PERF_EVENTS} -p $task -I 300 --interval-count 2 -o perf.out
echo status $?
objects; cat perf.out; kill_held; kill $task
"""),
}


@pytest.fixture(scope="module")
def with_perf():
    return outputs(WITH_PERF, FILES, timeout=400)


@pytest.mark.parametrize("who, leaders, own", [("perf leads", 3, 2), ("pstat leads", 1, 2)])
def test_threads_count_themselves_on_leaders_that_perf_and_pstat_share(
        with_perf, who, leaders, own):
    text = with_perf[who]
    both, tsc, objects = text.split("# tsc")[0], *text.split("# tsc")[1].split("# objects")
    assert_natives(both, nr=20, turns=20 * TURNS)
    assert len(counted(tsc)) == 20
    for value, _, _ in counted(tsc):
        assert value > 2 * TURNS, tsc
    assert f"leaders {leaders} " in objects and f"arrays {leaders}\nown {own}" in objects, text


def test_perf_follows_a_leader_that_a_process_made_for_itself(with_perf):
    text = with_perf["a process leads"]
    assert_natives(text, nr=20, turns=20 * TURNS)
    assert "status 0" in text and "leaders 3 " in text, text
    perf = re.findall(r"^ *[\d.]+,([\d.]+),(?:msec)?,(task-clock|cs|msr/tsc/),", text, re.M)
    assert len(perf) == 6 and all(float(count) > 0 for count, _ in perf), text
