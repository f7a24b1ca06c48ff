# SPDX-License-Identifier: GPL-2.0-only
"""Many sessions that share counters: the number of leaders and perf events, the counts of each
session, and what remains afterwards."""
import pathlib
import re

import pytest

from csv_rows import rows
from guest import LONG, guest_each, machines

FILES = [
    pathlib.Path(__file__).parent / "guest-files" / name
    for name in ("sessions", "kill-sessions", "bpf-objects")
]
KILLS = 200 if LONG else 20
NUMBERS = (1, 5, 38, 39, 60)
MACHINES = machines(("x86_64", "6.12"))

# The events of the sessions, in turn. The first session has all events, so each later one finds its
# events in the same leader. Each event is also counted natively in the same session.
EVENTS = ["task-clock", "cs", "page-faults", "minor-faults"]
SETS = [EVENTS, ["cs", "task-clock"], ["page-faults"], ["task-clock", "page-faults"], ["cs"]]

# Time slices of 10 ms. The cost of sixty followers at a switch is part of the task's native event,
# but not of the count through BPF.
TASK = "spin --nap 15000 5000000"


def event_list(events):
    return ",".join(f"{event},{event}:b" for event in events)


def many(number):
    starts = "\n".join(f"start -e {event_list(SETS[i % len(SETS)])} -p $task; all_count"
                       for i in range(number))
    # ask only the last session of each group: when it counts, the earlier ones count, too
    starts = starts.replace("; all_count", "; ask $started")
    return (
        f". ./sessions\n{TASK} & task=$!\n{starts}\nobjects\nusleep 200000\nend_all\nkill"
        " $task\nwait\nall_gone"
    )


COMMANDS = {
    "before": "pstat --bpf-counters -e cs true 2>/dev/null; usleep 300000; ./bpf-objects | tee "
    "before", **{number: many(number) for number in NUMBERS}, "CPUs": ". ./sessions\n" +
    f"start -e {event_list(EVENTS)} -a; ask 1\n" * 1 +
    "".join(f"start -e {event_list(SETS[i % len(SETS)])} -a\n"
            for i in range(44)) + "all_count; objects; end_all; all_gone",
    # all sessions look for a leader at the same time
    "at the same time": f". ./sessions\n{TASK} & task=$!\n" +
    "".join(f"start -e {event_list(SETS[i % len(SETS)])} -p $task\n" for i in range(20)) +
    "all_count; objects; usleep 200000; end_all; kill $task; all_gone", "the first leaves": f"""
. ./sessions
{TASK} & task=$!
start -e {event_list(EVENTS)} -p $task; all_count
start -e {event_list(EVENTS)} -p $task; all_count
start -e {event_list(EVENTS)} -a; all_count
kill -KILL $(cat pid.1)
usleep 200000; objects
end_all 2>/dev/null; kill $task
""",
    # how many programs the kernel attaches to the leader of a session that needs no follower
    "limit": f"""
. ./sessions
start -e {event_list(EVENTS)} -a; ask 1
bpftool prog show | sed -n 's/^\\([0-9]*\\): raw_tracepoint .*name on_switch .*/follow \\1/p' |
    bpf-many
end_all; all_gone
""",
    "killed": f"./kill-sessions {KILLS}",
    "left": "./bpf-objects before; bpftool prog show; bpftool link show; ls /sys/fs/bpf; bpftool "
    "map show",
}


@pytest.fixture(scope="module", params=MACHINES, ids="-".join)
def results(request):
    arch, kernel = request.param
    done = guest_each(COMMANDS, files=FILES, arch=arch, kernel=kernel, icount=True,
                      timeout=1800 if LONG else 600)
    return {name: result.stdout for name, result in done.items()}


def sessions(text):
    """Returns {number: rows} for all sessions."""
    parts = re.split(r"^# (\d+)\n", text, flags=re.M)
    return {int(number): rows(part) for number, part in zip(parts[1::2], parts[2::2])}


def objects(text):
    return dict(
        zip(("leaders", "followers", "arrays"),
            map(int,
                re.search(r"^leaders (\d+) followers (\d+) arrays (\d+)$", text, re.M).groups())))


def wrong_counts(text, number):
    """Returns the counts of sessions that differ from their native events. A session without a
    count is also wrong. At a switch, the kernel handles the native events of all sessions one by
    one. The events that it has not handled yet include the time for the others."""
    found = sessions(text)
    wrong = [f"{number} sessions, {len(found)} reports"] if len(found) != number else []
    for session, counted in found.items():
        by_name = {row.event: row.value for row in counted}
        if not any(name.endswith(":b") for name in by_name):
            wrong.append(f"session {session}: no counts")
        for event, bperf in by_name.items():
            native = by_name.get(event[:-2])
            edge = 4 if event == "cs:b" else 0.1
            if event.endswith(":b") and (bperf or 0) != pytest.approx(
                    native or 0, rel=0.01 + 0.00015 * number, abs=edge):
                wrong.append(f"session {session}: {event}: native {native}, bperf {bperf}")
    return wrong


@pytest.mark.parametrize("number", NUMBERS)
def test_each_session_counts_correctly(results, number):
    wrong = wrong_counts(results[number], number)
    assert not wrong, "\n".join([*wrong, results[number]])


@pytest.mark.parametrize("number", NUMBERS)
def test_each_session_has_a_follower_and_each_leader_has_as_many_as_the_kernel_allows(
        results, number):
    limit = re.search(r"^followers (\d+): Argument list too long$", results["limit"], re.M)
    assert limit and 30 < int(limit[1]) <= 38, results["limit"]  # BPF_MAX_TRAMP_PROGS
    leaders = -(-number // int(limit[1]))
    assert objects(results[number]) == {"leaders": leaders, "followers": number, "arrays": leaders}


def test_sessions_that_count_cpus_need_no_followers_and_one_leader(results):
    assert not wrong_counts(results["CPUs"], 45)
    assert objects(results["CPUs"]) == {"leaders": 1, "followers": 0, "arrays": 1}


def test_sessions_that_begin_at_the_same_time_count_correctly_and_share(results):
    """The first session makes a leader for its own events only, so there is at most one leader
    for each event."""
    assert not wrong_counts(results["at the same time"], 20), results["at the same time"]
    assert objects(results["at the same time"])["leaders"] <= len(EVENTS)


def test_a_leader_remains_if_its_maker_is_killed(results):
    text = results["the first leaves"]
    assert objects(text) == {"leaders": 1, "followers": 1, "arrays": 1}
    found = sessions(text)
    assert not wrong_counts(re.sub(r"^# 1\n", "", text, flags=re.M), 2)
    clock = next(row.value for row in found[2] if row.event == "task-clock:b")
    assert clock > 10


def test_the_other_counts_stay_correct_while_sessions_are_killed(results):
    assert not wrong_counts(results["killed"], 1), results["killed"]
    clock = next(row.value for row in sessions(results["killed"])[1] if row.event == "task-clock")
    assert clock > 20


def test_at_the_end_only_the_pin_is_left(results):
    first, *rest = results["left"].splitlines()
    assert first == "nothing is left", results["left"]
    assert rest[0] == "perf_attr_map"
    assert (
        re.match(r"\d+: hash ", rest[1])
        and sum(bool(re.match(r"\d+: ", line)) for line in rest) == 1
    )


# ---- two CPUs ----

def test_the_array_of_a_leader_holds_each_event_on_each_cpu_and_nothing_else():
    """Only deleting an element shows whether it was filled."""
    command = f"""
. ./sessions
{TASK} & task=$!
for i in 1 2 3 4 5; do
    start -e task-clock:b,minor-faults:b,cs:b,page-faults:b -p $task
    ask $i
done
objects
for map in $(sed -n 's/^\\([0-9]*\\): perf_event_array .*name events .*/\\1/p' maps); do
    entries=$(bpftool map show id $map | sed -n 's/.*max_entries \\([0-9]*\\).*/\\1/p')
    filled=0
    for key in $(seq 0 $((entries - 1))); do
        bpftool map delete id $map key $((key & 255)) $((key >> 8)) 0 0 >/dev/null 2>&1 && \\
            filled=$((filled + 1))
    done
    echo filled $filled
done
end_all
kill $task
"""
    text = guest_each({"all": command}, files=FILES, arch="x86_64", kernel="6.12",
                      cpus=2)["all"].stdout
    # cs and task-clock are counted at the switch itself: they need no events
    assert objects(text)["arrays"] == 1
    filled = [int(number) for number in re.findall(r"^filled (\d+)$", text, re.M)]
    assert len(filled) == 1 and filled[0] == 2 * 2, text
