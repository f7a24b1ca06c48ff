# SPDX-License-Identifier: GPL-2.0-only
"""Sessions that count cgroups with one leader. Each has its own events, cgroups and start, and each
may be killed at any time, including the session that made the leader."""

import os
import pathlib
import re

import pytest

from guest import guest, guest_each, kernels
from test_cgroup import IN, MADVISE, rows_of

FILES = [
    pathlib.Path(__file__).parent / "guest-files" / name for name in ("sessions", "bpf-objects")
]
KERNELS = kernels("6.12")
PIN = "/sys/fs/bpf/pstat_cgroups"
LEADERS = "echo leaders $(bpftool prog show | grep -c 'name on_switch ')"
DEEP = "z/" + "/".join(str(level) for level in range(1, 15))
MANY = f"for i in $(seq 70); do mkdir /sys/fs/cgroup/n$i; done; mkdir -p /sys/fs/cgroup/{DEEP}"


def until_leaders(number):
    """Waits, because the kernel frees unused programs a little later."""
    return (
        f"for attempt in $(seq 100); do [ \"$({LEADERS})\" = 'leaders {number}' ] && break; usleep"
        f" 100000; done; {LEADERS}"
    )


def begin(groups, events):
    return f"start -v -a --bpf-counters --for-each-cgroup {groups} -e {events}; ask $started"


def parts_of(text):
    """Returns {number of the session: its output}. Key 0 has the output before the first
    session."""
    parts = {0: ""}
    number = 0
    for line in text.splitlines():
        if re.fullmatch(r"# \d+", line):
            number = int(line[2:])
            parts[number] = ""
        else:
            parts[number] += line + "\n"
    return parts


COMMANDS = {
    "before": ("mount | grep -q 'on /sys/fs/bpf ' || mount -t bpf bpf /sys/fs/bpf; "
               "pstat -a --bpf-counters --for-each-cgroup / -e cs true 2>/dev/null; usleep 300000; "
               "./bpf-objects | tee before; ls /sys/fs/bpf"), "sessions": f"""
. ./sessions
{IN}
mkdir /sys/fs/cgroup/a/b/deep
{begin("a,a/b,c", f"{MADVISE},cs,task-clock")}
{begin("a", MADVISE)}
{begin("c,a/b", f"cs,{MADVISE}")}
{begin("a/b/deep,a", MADVISE)}
{begin("a", f"{MADVISE},page-faults")}
{LEADERS}
inside a faults 7; inside a/b faults 50; inside c faults 600; inside a/b/deep faults 1000
kill -KILL $(cat pid.1); wait $(cat pid.1)
inside a faults 10000; inside a/b/deep faults 20000
{begin("a/b,c", MADVISE)}
inside a/b/deep faults 100000
kill -KILL $(cat pid.3)
inside a/b faults 200000
{LEADERS}
end_all 2>/dev/null""", "all killed": f"""
. ./sessions
{begin("a", MADVISE)}
{begin("a/b", MADVISE)}
kill -KILL $(cat pid.1) $(cat pid.2); wait
{until_leaders(0)}
rm -f pid.* ack.* ctl.* out.* err.*
ls /sys/fs/bpf
pstat -v -x, -a --bpf-counters --for-each-cgroup a -e {MADVISE} inside a faults 5""",
    "told when": f"""
. ./sessions
{begin("a", MADVISE)}
start -D -1 -a --bpf-counters --for-each-cgroup a -e {MADVISE}; ask 2
tell() {{ exec 8<>ctl.2 9<>ack.2; echo $1 >&8; timeout 60 head -c 5 <&9 >/dev/null
exec 8>&- 9>&-; }}
inside a faults 1; tell enable; inside a faults 10; tell disable; inside a faults 100
tell enable; inside a faults 1000; tell disable
inside a faults 10000
end_all""", "a leader of another kind": f"""
pstat --bpf-counters -a -e cs -- sleep 1000 2>/dev/null & p=$!
until bpftool link show | grep -q sched_switch; do usleep 10000; done
id=$(bpftool link show | sed -n 's/^\\([0-9]*\\): raw_tracepoint .*/\\1/p' | head -n 1)
bpftool map create {PIN} type hash key 4 value 4 entries 8 name other flags 1
bpftool map update pinned {PIN} key $((id % 256)) $((id / 256)) 0 0 value 1 0 0 0
pstat -v -x, -a --bpf-counters --for-each-cgroup a -e {MADVISE} inside a faults 5
rm -f {PIN}; kill $p; wait""", "something else is pinned": f"""
bpftool map create {PIN} type hash key 8 value 4 entries 8 name other flags 1
pstat -v -x, -a --bpf-counters --for-each-cgroup a -e {MADVISE} inside a faults 5
rm -f {PIN}""",
    # the leader has 68 slots
    "some do not fit": f"""
. ./sessions
{MANY}
{begin("a", MADVISE)}
{begin("n$(seq -s ,n 70)", MADVISE)}
{LEADERS}
kill -KILL $(cat pid.2); wait $(cat pid.2)
{until_leaders(1)}
{begin(f"n$(seq -s ,n 60),{DEEP}", MADVISE)}
{begin("n$(seq -s ,n 60)", MADVISE)}
inside n7 faults 9; inside {DEEP} faults 30
end_all 2>/dev/null""",
    # as in a cgroup namespace: there are cgroups above the mounted one
    "a part is mounted": f"""
. ./sessions
mkdir -p /sys/fs/cgroup/top/x/inner
{begin("top", MADVISE)}
unshare -m sh -c 'mount --bind /sys/fs/cgroup/top/x /sys/fs/cgroup
	exec pstat -v -x, -a --bpf-counters --for-each-cgroup inner -e {MADVISE} \\
	    inside inner faults 7'
inside top/x/inner faults 50
end_all""", "left": "./bpf-objects before; ls /sys/fs/bpf",
}


@pytest.fixture(scope="module", params=KERNELS)
def results(request):
    done = guest_each(COMMANDS, files=FILES, arch="x86_64", kernel=request.param, cpus=2,
                      parameters="no_timer_check")
    return {name: result.stdout for name, result in done.items()}


def test_each_session_counts_its_cgroups_and_events_from_its_own_beginning(results):
    parts = parts_of(results["sessions"])
    counts = {
        number:
        {group: value for (group, event), value in rows_of(text).items() if event == MADVISE}
        for number, text in parts.items()
    }
    total = 7 + 50 + 1000 + 10000 + 20000 + 100000 + 200000
    assert counts[2] == {"a": total}, results["sessions"]
    assert counts[4] == {"a/b/deep": 121000, "a": total}
    assert counts[5] == {"a": total}
    assert counts[6] == {"a/b": 300000, "c": None}


def test_sessions_share_one_leader_if_it_has_all_their_events(results):
    assert [line for line in results["sessions"].splitlines()
            if line.startswith("leaders")] == ["leaders 2", "leaders 2"]


def test_leaders_end_with_the_last_session_and_the_next_session_makes_new_ones(results):
    text = results["all killed"]
    assert "leaders 0\n" in text and "pstat_cgroups" in text, text
    assert "made the leader of link" in text and rows_of(text)["a", MADVISE] == 5, text


def test_each_event_is_enabled_and_disabled_separately(results):
    parts = parts_of(results["told when"])
    assert rows_of(parts[1])["a", MADVISE] == 11111, results["told when"]
    assert rows_of(parts[2])["a", MADVISE] == 1010, results["told when"]


def test_a_program_that_is_not_a_leader_is_not_followed(results):
    text = results["a leader of another kind"]
    assert (
        "is not a leader of cgroups: it runs a different program" in text
        and rows_of(text)["a", MADVISE] == 5
    ), text
    text = results["something else is pinned"]
    assert (
        "the object that is pinned there is not a map of leaders: remove it" in text
        and rows_of(text)["a", MADVISE] == 5
    ), text


def test_a_session_that_does_not_fit_leaves_the_leaders_slots_free(results):
    text = results["some do not fit"]
    parts = parts_of(text)
    assert [line for line in parts[0].splitlines()
            if line.startswith("leaders")] == ["leaders 2", "leaders 1"], text
    assert "made the leader of link" in parts[1] and "made the leader of link" in parts[2], text
    assert "not shared: a cgroup is nested too deeply" in parts[3], text
    assert rows_of(parts[3])["n7", MADVISE] == 9 and rows_of(parts[3])[DEEP, MADVISE] == 30, text
    assert (
        "counted by the leader of link" in parts[4] and rows_of(parts[4])["n7", MADVISE] == 9
    ), text


def test_a_session_that_does_not_see_all_ancestors_of_a_cgroup_counts_alone(results):
    text = results["a part is mounted"]
    parts = parts_of(text)
    assert "not shared: /sys/fs/cgroup is not the root of the cgroup hierarchy" in parts[0], text
    assert (
        rows_of(parts[0])["inner", MADVISE] == 7 and rows_of(parts[1])["top", MADVISE] == 57
    ), text


def test_nothing_is_left(results):
    assert "nothing is left" in results["left"] and "pstat_cgroups" not in results["left"], results[
        "left"
    ]


# Many possible CPUs and 60 events make a slot large, and a shared leader has a hundred more slots
# than a leader for a single session.
LITTLE_MEMORY = f"""
{IN}
for i in $(seq 40); do mkdir /sys/fs/cgroup/n$i; done
events=$(for i in $(seq 60); do printf {MADVISE},; done)
for limit in $(seq 12000 1000 32000); do
	echo "# $limit"
	(ulimit -v $limit; pstat -v -x, -a --bpf-counters --for-each-cgroup n$(seq -s ,n 40) \\
	    -e ${{events%,}} inside n3 faults 9 2>&1) |
		grep -e ,n3, -e shared: -e leader | sort -u
done"""


@pytest.mark.skipif(not os.environ.get("PSTAT_LONG"), reason="long: PSTAT_LONG is not set")
def test_a_session_without_enough_memory_to_share_counts_alone():
    parts = parts_of(
        guest(LITTLE_MEMORY, arch="x86_64", kernel="6.1", cpus=2,
              parameters="no_timer_check possible_cpus=200").stdout)
    alone = [
        text for text in parts.values()
        if "not shared: the counting programs cannot be loaded: Cannot allocate memory" in text
    ]
    assert any(rows_of(text).get(("n3", MADVISE)) == 9 for text in alone), parts
    assert "made the leader of link" in parts[32000], parts
