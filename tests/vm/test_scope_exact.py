# SPDX-License-Identifier: GPL-2.0-only
"""--scope against what is known: functions with a known number of instructions, in an arm64 guest
whose instructions are exact. Linux 6.1 attaches perf events, 6.12 links with many points."""

import re

import pytest

from csv_rows import values
from guest import guest_outputs, kernels

CALLS = 2000
FEW = 100
EVENTS = {
    1: "instructions",
    4: "instructions,cycles,instructions:u,task-clock",
    8: "instructions,cycles,instructions:u,cs,page-faults,migrations,task-clock,scope-time",
}
# Context switches, and the tracepoint that each of them passes. With MANY, there are more events
# than the programs read without a loop.
SWITCHES = "run_cnt,cs,context-switches:u,sched:sched_switch"
MANY = (",page-faults,migrations,minor-faults,major-faults,"
        "instructions,cycles,instructions:u,cycles:u")
SIZES = (10, 100, 10000)
# The maximum number of instructions that timer ticks and the first run of a process add to all runs
# together: the kernel maps a page for the probes, and may do other work in an interrupt.
MOST_NOISE = 300_000


BOTH = "run_cnt,instructions,instructions:u"
INCLUSIVE = {
    "exclusive": "--per-scope", "inclusive": "--inclusive",
    "inclusive per scope": "--inclusive --per-scope",
}
# name, calls, instructions of work(), what the workload does, scopes, modes
NESTED = [
    ("nested", FEW, 10000, "nested", "outer work", list(INCLUSIVE)),
    ("recursion", FEW, 10000, "recursive", "recurse", list(INCLUSIVE)),
    ("lost", FEW, 10000, "lost", "around quit nap", ["inclusive"]),
    ("more lost", FEW, 10000, "lost", "around quit nap work", list(INCLUSIVE)[::2]),
]
# name, scopes, mode
SHORT = [
    ("alone", "outer", "inclusive"),
    ("inclusive", "outer work", "inclusive"),
    ("inclusive per scope", "outer work", "inclusive per scope"),
]


def scopes_of(names):
    return " ".join(f"--scope uprobe:/usr/local/bin/scope-calls:{name}" for name in names.split())


def calls(options, names="work", events="run_cnt,instructions", more=""):
    return f"pstat -x, {more} -e {events} {scopes_of(names)} scope-calls {options}"


COMMANDS = {
    **{f"{size} with {nr}": calls(f"-m {CALLS if size < 10000 else FEW} -k {size}",
                                  events=f"run_cnt,{events}", more="--hist=instructions")
       for size in SIZES for nr, events in EVENTS.items()},
    "threads": calls(f"-m {FEW} -k 10000 threads", events="run_cnt,instructions,instructions:u"),
    "outer": calls(f"-m {FEW} -k 10000 nested", "outer work"),
    "recursive": calls(f"-m {FEW} -k 10000 recursive", "recurse"),
    "forks": calls("-m 10 forks", "around work"),
    "jump": calls("-m 10 jump", "leave work", "run_cnt"),
    "exec": calls("-m 10 exec", "around work", "run_cnt"),
    "exit": calls("-m 10 exit", "around", "run_cnt"),
    "partner": f"""
spin --ms 60000 & other=$!
{calls(f"-m {FEW} -s 2000 -k 100000 sleep", "nap", "run_cnt,instructions:u,cs")}
kill $other
""",
    **{f"switches, {nr} more": f"""
spin --ms 60000 & other=$!
{calls(f"-m {FEW} -s 2000 -k 1000 sleep", "nap", SWITCHES + more)}
kill $other
""" for nr, more in ((0, ""), (8, MANY))},
    **{f"{name}, {mode}": calls(f"-m {nr} -k {size} -s 1 {what}", scopes, BOTH, INCLUSIVE[mode])
       for name, nr, size, what, scopes, modes in NESTED for mode in modes},
    **{f"short, {name}": calls("-m 500 -k 98 nested", scopes, BOTH,
                               f"{INCLUSIVE[mode]} --hist=instructions")
       for name, scopes, mode in SHORT},
    "cgroups": f"""
mkdir -p /sys/fs/cgroup/a/inner /sys/fs/cgroup/b
work='for group in a/inner b; do echo $$ >/sys/fs/cgroup/$group/cgroup.procs
scope-calls -m {FEW} -k 10000 nested; done; echo $$ >/sys/fs/cgroup/cgroup.procs
scope-calls -m {FEW} -k 10000'
for options in '--for-each-cgroup a,a/inner,b' '--per-scope --for-each-cgroup a,a/inner,b' \\
    '-G a,b,,b'
do
    pstat -x, -e run_cnt,run_cnt,run_cnt,instructions:u $options {scopes_of("work")} \\
        {scopes_of("outer")} -- sh -c "$work"
    echo end
done
""",
    "per thread": f"""
for runs in 7 9; do
    mkfifo /run/go.$runs
    scope-calls -w -m $runs -k 10000 <>/run/go.$runs & pids=$pids,$!
done
pstat -x, -e run_cnt,instructions:u --per-thread {scopes_of("work")} -p ${{pids#,}} -- \
    sh -c 'echo >/run/go.7; echo >/run/go.9; sleep 1'
""",
    "single runs": calls("-m 5 -k 10000 nested", "work outer", "instructions:u,instructions",
                         "--outliers=9000,instructions:u"),
    # no event that the kernel counts: only BPF needs the cgroups
    "single runs in cgroups": f"""
mkdir -p /sys/fs/cgroup/c/inner
pstat -x, -e run_cnt,scope-time --per-scope --for-each-cgroup c,c/inner --outliers 1,scope-time \\
    {scopes_of("work")} {scopes_of("outer")} -- \\
    sh -c 'echo $$ >/sys/fs/cgroup/c/inner/cgroup.procs; scope-calls -m 5 -k 10000 nested'
""",
    "at once": """
for i in 1 2 3 4 5 6; do
    pstat -v -x, -e run_cnt,instructions --scope uprobe:$(command -v faults):main true 2>e.$i &
done
wait; cat e.*
""",
    "every run": calls(f"-m {FEW} -k 98", "work", "instructions,cycles,cs",
                       "--outliers=0,instructions"),
}


@pytest.fixture(scope="module", params=kernels("6.12"))
def results(request):
    return guest_outputs(COMMANDS, arch="aarch64", kernel=request.param, icount=True)


@pytest.mark.parametrize("nr", EVENTS)
@pytest.mark.parametrize("size", SIZES)
def test_a_function_has_its_own_instructions(results, size, nr):
    counted = values(results[f"{size} with {nr}"])
    runs = CALLS if size < 10000 else FEW
    # the workload's numbers leave out the probed instruction and the return
    assert counted["run_cnt"] == runs
    assert (size - 3) * runs < counted["instructions"] < size * runs + MOST_NOISE
    if nr > 1:
        # the cost of counting is known to within 15 instructions, for each of the two events; an
        # interrupt between their readings at a point is counted in only one of them
        noise = max(0, counted["instructions"] - size * runs)
        assert abs(counted["cycles"] - 2 * counted["instructions"]) < max(
            30 * runs, 0.08 * counted["cycles"]) + noise
        assert counted["instructions:u"] == (size - 2) * runs


@pytest.mark.parametrize("nr", EVENTS)
@pytest.mark.parametrize("size", SIZES)
def test_most_runs_have_exactly_the_functions_instructions(results, size, nr):
    lines = [line.split(",") for line in results[f"{size} with {nr}"].splitlines()]
    buckets = sorted((int(line[4]), int(line[5]), int(line[0]))
                     for line in lines if len(line) > 5 and line[3] == "hist")
    low, high, runs = max(buckets, key=lambda bucket: bucket[2])
    assert low - 10 <= size - 2 <= high + 10
    assert runs > 0.8 * sum(bucket[2] for bucket in buckets)


def test_threads_do_not_disturb_each_other(results):
    counted = values(results["threads"])
    assert counted["run_cnt"] == 20 * FEW
    assert counted["instructions:u"] == 20 * FEW * 9998
    assert counted["instructions"] == pytest.approx(20 * FEW * 9998, rel=0.02)


@pytest.mark.parametrize("name, runs, work", [("outer", 3, 2), ("recursive", 6, 6)])
def test_inner_runs_are_not_in_the_outer_ones(results, name, runs, work):
    counted = values(results[name])
    assert counted["run_cnt"] == runs * FEW
    assert counted["instructions"] == pytest.approx(work * FEW * 10000, rel=0.02,
                                                    abs=MOST_NOISE / 2)


def test_what_other_tasks_do_is_not_in_a_run(results):
    counted = values(results["partner"])
    assert counted["run_cnt"] == FEW
    assert counted["cs"] >= FEW
    # nap() and the system call's wrapper add less than 100
    assert FEW * 99998 <= counted["instructions:u"] < FEW * 100100


@pytest.mark.parametrize("name, runs, lost", [
    ("forks", 30, None),
    ("jump", 10, "10 lost: 1 because their thread exited; 9 because their function was left"),
    ("exec", 10, "1 lost: 1 because their process called execve(2)"),
    ("exit", 0, "10 lost: 10 because their thread exited"),
])
def test_only_runs_without_an_end_are_lost(results, name, runs, lost):
    rows = [line for line in results[name].splitlines() if not line.startswith("pstat: ")]
    assert values("\n".join(rows))["run_cnt"] == runs
    assert ("lost" in results[name]) == bool(lost)
    assert (lost or "") in results[name]


def by_scope(text):
    """Returns {scope: {event: value}} for the rows of --per-scope, or for those of the sum, whose
    scope is ''."""
    found = {}
    for line in text.splitlines():
        fields = line.split(",")
        if line.startswith("pstat: ") or len(fields) < 7:
            continue
        scope = fields.pop(0).removeprefix("scope-calls:") if ":" in fields[0] else ""
        value = 0 if fields[0] == "<not counted>" else float(fields[0])
        found.setdefault(scope, {})[fields[2]] = value
    return found


@pytest.mark.parametrize("name, mode, runs, work", [
    # runs, and calls to work() in them, for each scope, in multiples of FEW
    ("nested", "exclusive", {"outer": 1, "work": 2}, {"outer": 0, "work": 2}),
    ("nested", "inclusive", {"": 1}, {"": 2}),
    ("nested", "inclusive per scope", {"outer": 1, "work": 2}, {"outer": 2, "work": 2}),
    ("recursion", "exclusive", {"recurse": 6}, {"recurse": 6}),
    ("recursion", "inclusive", {"": 1}, {"": 6}),
    ("recursion", "inclusive per scope", {"recurse": 1}, {"recurse": 6}),
    # quit() is left by longjmp(3), so the counts of quit() itself belong to around()
    ("lost", "inclusive", {"": 1}, {"": 2}),
    ("more lost", "exclusive", {"around": 1, "quit": 0, "nap": 1, "work": 2},
     {"around": 0, "nap": 0, "work": 2}),
    ("more lost", "inclusive per scope", {"around": 1, "quit": 0, "nap": 1, "work": 2},
     {"around": 2, "nap": 1, "work": 2}),
])
def test_an_inclusive_run_contains_the_runs_inside_it(results, name, mode, runs, work):
    counted = by_scope(results[f"{name}, {mode}"])
    assert {scope: events["run_cnt"] for scope, events in counted.items()} == {
        scope: FEW * nr for scope, nr in runs.items()}
    for scope, nr in work.items():
        if "lost" not in name:  # the kernel executes the system call of nap()
            assert counted[scope]["instructions"] == pytest.approx(FEW * nr * 10000, rel=0.02,
                                                                   abs=MOST_NOISE / 2)
        # in user space, probes cost nothing, and the functions around work() are short
        assert 0 <= counted[scope]["instructions:u"] - FEW * nr * 9998 < FEW * 6 * 40


SLOW_ALLOCATION = 173  # instructions, on arm64 6.1


def most_frequent(text, scope):
    """Returns the bucket of the histogram of the scope that has the most runs: (low, high). Timer
    ticks and other work of the kernel occur in only a few runs."""
    rows = [line.split(",") for line in text.splitlines() if ",hist," in line]
    rows = [row[1:] if ":" in row[0] else row for row in rows
            if ":" not in row[0] or row[0] == f"scope-calls:{scope}"]
    return max((int(row[0]), (int(row[4]), int(row[5]))) for row in rows)[1]


def test_the_cost_of_runs_inside_an_inclusive_run_is_subtracted(results):
    """outer() costs the same whether the calls inside it are counted, too, or not."""
    alone = by_scope(results["short, alone"])[""]
    low, high = most_frequent(results["short, alone"], "outer")
    for name, scope in (("inclusive", ""), ("inclusive per scope", "outer")):
        counted = by_scope(results[f"short, {name}"])[scope]
        assert counted["instructions:u"] == alone["instructions:u"]
        # two calls inside, each known to within 20 instructions; before Linux 6.13, the second one
        # can take the slow path of the kernel's allocator in each run (see NOTES.md)
        least, most = most_frequent(results[f"short, {name}"], "outer")
        assert least - SLOW_ALLOCATION - 2 * 20 <= high and low <= most + 2 * 20, (
            name, low, high, least, most)


def test_runs_are_charged_to_the_cgroups_of_their_threads(results):
    each, rows, chosen = (
        [line.split(",") for line in part.splitlines()
         if line.count(",") > 6 and not line.startswith("pstat: ")]
        for part in results["cgroups"].split("end\n")[:3])
    groups = {"a": FEW, "a/inner": FEW, "b": FEW}
    assert [(row[3], int(row[0])) for row in each if row[2] == "run_cnt"] == [
        (group, 3 * runs) for group, runs in groups.items() for _ in range(3)]
    for group in groups:
        counted = [int(row[0]) for row in each if row[2:4] == ["instructions:u", group]]
        assert 2 * FEW * 9998 <= counted[0] < 2 * FEW * 9998 + FEW * 20
    runs = {(row[0], row[4]): int(row[1]) for row in rows if row[3] == "run_cnt"}
    assert runs == {(f"scope-calls:{scope}", group): nr * FEW
                    for scope, nr in (("work", 2), ("outer", 1)) for group in groups}
    # the third event has no cgroup: it also counts runs in the root
    assert [(int(row[0]), row[3]) for row in chosen] == [
        (3 * FEW, "a"), (3 * FEW, "b"), (7 * FEW, ""), (int(chosen[3][0]), "b")]
    assert 2 * FEW * 9998 <= int(chosen[3][0]) < 2 * FEW * 9998 + FEW * 20


@pytest.mark.parametrize("more", [0, 8])
def test_context_switches_are_as_many_as_the_tracepoint_counts(results, more):
    counted = values(results[f"switches, {more} more"])
    assert counted["run_cnt"] == FEW
    assert counted["cs"] == counted["sched:sched_switch"] >= FEW
    # no context switch happens in user space
    assert counted["context-switches:u"] == 0


def test_each_thread_has_the_instructions_of_its_runs(results):
    rows = [line.split(",") for line in results["per thread"].splitlines()]
    assert [row[1] for row in rows if row[3] == "run_cnt"] == ["7", "9"]
    assert [int(row[1]) for row in rows if row[3] == "instructions:u"] == [7 * 9998, 9 * 9998]


def test_a_single_run_has_exactly_its_own_instructions(results):
    runs = [line.split(",") for line in results["single runs"].splitlines()
            if line.startswith("outlier,")]
    assert [run[7] for run in runs] == 10 * ["scope-calls:work"]
    assert [run[8:11] for run in runs] == 10 * [["9998", "", "instructions:u"]]
    for run in runs:
        counts = dict(zip(run[10::3], run[8::3]))
        assert 9988 <= int(counts["instructions"]) < 10000 + 3000
        assert float(run[5]) < float(run[1])
    assert "outliers,all,10,streamed,10,suppressed,0,lost,0" in results["single runs"]


def test_single_runs_are_streamed_for_each_scope_if_there_are_cgroups(results):
    rows = [line.split(",") for line in results["single runs in cgroups"].splitlines()]
    streamed = [row[7] for row in rows if row[0] == "outlier"]
    assert sorted(streamed) == 5 * ["scope-calls:outer"] + 10 * ["scope-calls:work"], rows
    assert [(row[0], row[1], row[4]) for row in rows if row[3:4] == ["run_cnt"]] == [
        (f"scope-calls:{scope}", runs, group)
        for scope, runs in (("work", "10"), ("outer", "5")) for group in ("c", "c/inner")]


def test_sessions_that_start_at_once_do_not_count_each_others_calibration(results):
    """All calls of the calibration are in the same file. Without a lock, each session would count
    the calls of all sessions."""
    costs = [
        int(cost) for cost in re.findall(r"counting itself adds (\d+) instructions to a run",
                                         results["at once"])
    ]
    assert len(costs) == 6 and "cannot be measured" not in results["at once"], results["at once"]
    assert max(costs) - min(costs) < 100, costs


def test_the_median_run_is_exact_for_each_event(results):
    """Interrupts occur in only a few runs."""
    runs = [line.split(",") for line in results["every run"].splitlines()
            if line.startswith("outlier,")]
    assert len(runs) == FEW
    median = {event: sorted(int(dict(zip(run[10::3], run[8::3]))[event]) for run in runs)[FEW // 2]
              for event in ("instructions", "cycles", "cs")}
    assert abs(median["instructions"] - 96) <= 10 and abs(median["cycles"] - 2 * 96) <= 20
    assert median["cs"] == 0
