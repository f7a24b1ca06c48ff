# SPDX-License-Identifier: GPL-2.0-only
"""Shared counters and cgroups that BPF counts, while a CPU goes offline and comes back. `faults N`
calls madvise exactly N times, and nothing else in the guest does, so every count is known."""
import functools

import pytest

from guest import USUAL, few_machines, guest_outputs

M = "syscalls:sys_enter_madvise"
HELPERS = f"""
CPU1=/sys/devices/system/cpu/cpu1/online
M={M}
G=/sys/fs/cgroup
rm -f log* out*
until_said() {{ n=0; until [ $(cat log* | grep -c "$2") -ge $1 ]; do usleep 20000; n=$((n + 1))
[ $n -lt 1000 ] || exit 3; done; }}
# the kernel's own event for comparison is opened after that
blink() {{ echo 0 >$CPU1; usleep 100000; echo 1 >$CPU1; until_said $1 opened; usleep 300000; }}
burst() {{ taskset 2 faults 1000; }}
end() {{ kill -INT $1; wait $1; cat out; }}
now() {{ cut -d' ' -f1 /proc/uptime; }}
begin() {{ pstat -v -x, -o out "$@" 2>log & session=$!; until_said 1 leader; usleep 500000; }}
"""
# A session that has a leader and is then stopped, so that it repairs nothing.
STOPPED = """pstat -v {0} -o out-maker 2>log-maker & maker=$!
until_said 1 leader; usleep 300000; kill -STOP $maker
echo 0 >$CPU1; usleep 100000; echo 1 >$CPU1
"""
IN_WEB = "sh -c 'echo $$ >/sys/fs/cgroup/web/cgroup.procs; exec taskset 2 faults 1000'"
BY_GROUP = "--bpf-counters -a --for-each-cgroup web,/"

CALLS = "/usr/local/bin/scope-calls"
COMMANDS = {
    "system wide": "begin -a -e $M:b,$M\nfor i in 1 2 3; do blink $i; burst; done\nend $session",
    "a group of events": (
        "begin -a -e {page-faults,$M}:b\nfor i in 1 2; do blink $i; burst; done\nend $session"
    ),
    # pstat is stopped, so the CPU comes back before pstat notices that it was offline
    "runs of a scope between points": f"""
pstat -v -x, -o out -e run_cnt,task-clock --scope uprobe:{CALLS}:nap \\
    --start uprobe:{CALLS}:main 2>log &
session=$!
until_said 1 'counting itself adds'; usleep 1000000
scope-calls -m 1 -s 4000000 -k 10 sleep & nap=$!
usleep 500000; kill -STOP $session; echo 0 >$CPU1; usleep 50000; echo 1 >$CPU1; kill -CONT $session
until_said 1 'came back before pstat'
wait $nap; scope-calls -m 2 -s 1000 -k 10 sleep; end $session; cat log
""",
    "intervals": "begin -a -I 200 -e $M:b\nfor i in 1 2; do blink $i; burst; done\nend $session",
    "a task": (
        # the task makes its calls after both events have begun to count
        "sh -c 'kill -STOP $$; exec taskset 1 faults --pause 400 4000' & task=$!\n"
        "begin -e $M:b,$M -p $task\nkill -CONT $task\n"
        "for i in 1 2; do blink $i; taskset -p 2 $task; usleep 500000; taskset -p 1 $task; "
        "done\nwait $task; wait $session; cat out"
    ),
    "a command": (
        "echo 'for i in 1 2; do blink $i; burst; done' >script; (echo '"
        + HELPERS.replace("rm -f log* out*\n", "").replace("'", "'\\''")
        + "'; cat script) >whole\npstat -v -x, -o out -e $M:b,$M sh whole 2>log; cat out"
    ),
    "a new session": (
        STOPPED.format("-a -e cs:b,$M:b")
        + "pstat -v -x, -a -e $M:b,$M taskset 2 faults 1000 2>&1; kill -9 $maker"
    ),
    "a new session of a command": (
        STOPPED.format("-a -e cs:b,$M:b")
        + "pstat -v -x, -e $M:b,$M taskset 2 faults 1000 2>&1; kill -9 $maker"
    ),
    "a killed maker": (
        "pstat -v --bpf-counters -a -e $M 2>log0 >&2 & maker=$!\nuntil_said 1 made\nbegin -a "
        "-e $M:b,$M\nkill -9 $maker\n"
        "blink 1; burst\npstat -x, -e $M:b taskset 2 faults 700 2>&1\nend $session"
    ),
    "offline at the start": (
        "echo 0 >$CPU1\nbegin -a -A -e $M:b,cpu-clock:b\necho 1 >$CPU1; until_said 1 opened; "
        "burst\nend $session"
    ),
    "offline while it starts": (
        "for wait in 1 30000 60000 100000 200000; do\npstat -x, -o out -a -e "
        "$M:b,cpu-clock:b & session=$!\n"
        "since=$(now); usleep $wait; echo 0 >$CPU1; echo 1 >$CPU1; usleep 1500000; burst\n"
        "end $session; echo length,$since,$(now); done"
    ),
    "clocks": (
        "begin -a -A -e task-clock:b,cpu-clock:b\na=$(now); echo 0 >$CPU1; b=$(now); usleep "
        "1000000; c=$(now); echo 1 >$CPU1; d=$(now)\n"
        "usleep 500000; end $session; echo times,$a,$b,$c,$d"
    ),
    "by control group": (
        f"mkdir $G/web; begin {BY_GROUP} -e $M\nfor i in 1 2; do blink $i; {IN_WEB}; done\n"
        "end $session; rmdir $G/web"
    ),
    "by control group, joined": (
        "mkdir $G/web\n"
        + STOPPED.format(f"{BY_GROUP} -e $M")
        + f"pstat -v -x, {BY_GROUP} -e $M {IN_WEB} 2>&1; kill -9 $maker; usleep 100000; rmdir "
        "$G/web"
    ),
    "by control group, a killed maker": (
        f"mkdir $G/web; pstat -v {BY_GROUP} -e $M 2>log0 >&2 & maker=$!\nuntil_said 1 made\n"
        f"begin {BY_GROUP} -e $M\n"
        f"kill -9 $maker\nblink 1; {IN_WEB}\nend $session; rmdir $G/web"
    ),
    "by control group, alone": (
        f"mkdir $G/web; pstat -v -x, -o out {BY_GROUP} -e '{{page-faults,'$M'}}' 2>log & "
        "session=$!\nusleep 1000000\n"
        f"for i in 1 2; do blink $i; {IN_WEB}; done\nend $session; rmdir $G/web"
    ),
    "by control group, followed": (
        "pstat -v -x, -o out --bpf-counters -a --for-each-cgroup '^web' --cgroup-follow -e "
        "$M 2>log & session=$!\n"
        f"usleep 1000000; blink 1; mkdir $G/web; usleep 300000; {IN_WEB}\nend $session; "
        "rmdir $G/web"
    ),
    "by control group, gone": (
        "begin --bpf-counters -a --for-each-cgroup / -e $M\nburst; echo 0 >$CPU1; usleep "
        "200000\nend $session; echo 1 >$CPU1"
    ),
    "clocks of a control group": (
        "begin --bpf-counters -a --for-each-cgroup / -A -e task-clock\n"
        "a=$(now); echo 0 >$CPU1; b=$(now); usleep 1000000; c=$(now); echo 1 >$CPU1; "
        "d=$(now)\n"
        "usleep 500000; end $session; echo times,$a,$b,$c,$d"
    ),
}
# {mode: number of calls to madvise}
TRUTH = {
    "system wide": 3000, "a group of events": 2000, "intervals": 2000, "a command": 2000,
    "a new session": 1000, "a new session of a command": 1000, "offline at the start": 1000,
    "by control group": 2000, "by control group, joined": 1000,
    "by control group, a killed maker": 1000, "by control group, alone": 2000,
    "by control group, followed": 1000, "by control group, gone": 1000
}


@functools.cache
def outputs(machine):
    arch, kernel = machine
    return guest_outputs({name: HELPERS + command for name, command in COMMANDS.items()}, arch=arch,
                         kernel=kernel, cpus=2, timeout=400)


def fields_of(text):
    return [line.split(",") for line in text.splitlines() if line.count(",") > 3]


def counts(text, event=M, group=None):
    """Returns the event's counts, one for each row. The event's name is two fields after its count;
    its modifiers are ignored."""
    return [
        int(row[i - 2])
        for row in fields_of(text)
        for i, field in enumerate(row)
        if i > 1
        and field.split(" ")[0] == event
        and group in (None, row[i + 1])
        and row[i - 2].isdigit()
    ]


def on_cpu(text, cpu, event):
    """Returns the count of a clock on a CPU, in seconds."""
    return (
        sum(
            float(row[1])
            for row in fields_of(text)
            if row[0] == f"CPU{cpu}" and row[3].split(" ")[0] == event
        )
        / 1000
    )


@pytest.fixture(scope="module", ids="-".join,
                params=few_machines(("x86_64", USUAL), ("aarch64", USUAL)))
def machine(request):
    return request.param


@pytest.mark.parametrize("name", TRUTH)
def test_a_cpu_that_comes_back_is_counted_again(machine, name):
    text = outputs(machine)[name]
    found = counts(text,
                   group=("/" if "gone" in name else "web") if "control group" in name else None)
    # the same event, counted by the kernel at the same time
    own = found[1::2] if "$M:b,$M" in COMMANDS[name] else []
    assert sum(found) - sum(own) == TRUTH[name] and (not own or sum(own) == TRUTH[name]), text


def test_a_task_is_followed_from_cpu_to_cpu(machine):
    text = outputs(machine)["a task"]
    assert counts(text) == [4000, 4000], text


@pytest.mark.parametrize("name", ["a new session", "by control group, joined"])
def test_a_session_that_joins_an_unrepaired_leader_repairs_it(machine, name):
    text = outputs(machine)[name]
    assert (
        "opened" in text
        and "counted by the leader of link" in text
        and "made the leader" not in text
    ), text


def test_a_session_that_outlives_the_maker_of_a_leader_repairs_it(machine):
    text = outputs(machine)["a killed maker"]
    first, _, rest = text.partition("# started")
    assert counts(first) == [700] and counts(rest) == [1700, 1700], text


def test_no_time_before_the_start_is_counted_on_a_cpu_that_comes_online(machine):
    text = outputs(machine)["offline at the start"]
    assert 0 < on_cpu(text, 1, "cpu-clock:b") < on_cpu(text, 0, "cpu-clock:b"), text


def test_a_cpu_may_go_offline_while_a_session_starts(machine):
    text = outputs(machine)["offline while it starts"]
    for part in text.split("# started")[1:]:
        _, since, until = part[part.index("length,"):].split(",")
        clock = next(float(row[0]) / 1000 for row in fields_of(part) if row[2] == "cpu-clock:b")
        assert clock <= 2 * (float(until) - float(since)) + 0.02 and counts(part) == [1000], part


@pytest.mark.parametrize("name, clock", [("clocks", "task-clock:b"), ("clocks", "cpu-clock:b"),
                                         ("clocks of a control group", "task-clock")])
def test_clocks_do_not_advance_while_a_cpu_is_offline(machine, name, clock):
    text = outputs(machine)[name]
    a, b, c, d = (float(word) for word in text[text.index("times,"):].split(",")[1:])
    assert c - b - 0.02 <= on_cpu(text, 0, clock) - on_cpu(text, 1, clock) <= d - a + 0.02, text


def test_a_run_that_read_dead_events_does_not_count_between_points_either(machine):
    text = outputs(machine)["runs of a scope between points"]
    # the first run was in progress when the CPU came back
    assert [row for row in text.splitlines() if row.startswith("2,,run_cnt")], text
