# SPDX-License-Identifier: GPL-2.0-only
"""The guest suspends itself to memory while pstat counts, and is woken up a second later. That
takes CPU 1 offline without any message from the kernel. `faults N` calls madvise exactly N times,
and nothing else in the guest does."""
import csv
import pathlib

import pytest

from guest import guest_outputs
from suspend import ASLEEP

M = "syscalls:sys_enter_madvise"
FILES = [pathlib.Path(__file__).parent / "guest-files" / "target"]
BEFORE, AFTER = {0: 1, 1: 20}, {0: 300, 1: 4000}
CALLS = {cpu: BEFORE[cpu] + AFTER[cpu] for cpu in (0, 1)}

HELPERS = """
until_said() { n=0; until grep -q "$1" log; do usleep 20000; n=$((n + 1))
[ $n -lt 1500 ] || exit 3; done; }
sleep_well() { echo mem >/sys/power/state || exit 4; until_said "$1"; usleep 200000; }
"""
# $1 is the message of pstat when it counts on CPU 1 again; $2 is a command that makes a given
# number of calls
WORKLOAD = HELPERS + f"""
taskset 1 $2 {BEFORE[0]}; taskset 2 $2 {BEFORE[1]}
sleep_well "$1"
taskset 1 $2 {AFTER[0]}; taskset 2 $2 {AFTER[1]}
"""
ONLINE, OPENED, STARTED = "CPU 1 came online", "opened", "started"
IN_WEB = "sh -c 'echo $$ >/sys/fs/cgroup/web/cgroup.procs; exec \"$@\"' sh "
LOAD = ". ./target; target --prog count; "


def count(options, said=ONLINE, calls="faults", before="", wrap=""):
    """Returns a command that counts calls before and after the guest is suspended."""
    return (f"cat >workload <<'END'\n{WORKLOAD}\nEND\necho started >log; {before}\n"
            f"pstat -v -x, -o counts {options} -- {wrap}sh workload '{said}' \"{calls}\" 2>>log "
            "|| cat log; cat counts log")


BY_GROUP = "--bpf-counters -a --for-each-cgroup web"
COUNTS = {
    "-a -A": count(f"-a -A -e {M}"),
    # its events are not bound to CPUs
    "a command": count(f"-e {M}", STARTED), "-I": count(f"-a -I 200 -e {M}"),
    "-G": count(f"-a -e {M} -G web", before="mkdir -p /sys/fs/cgroup/web", wrap=IN_WEB),
    "-b": count("-b $id -A -e run_cnt,cs", calls="bpf-run --id $id --runs",
                before=LOAD), ":b": count(f"-a -e {M}:b",
                                          OPENED), ":b, a command": count(f"-e {M}:b", OPENED),
    "--scope -A": count(f"--scope uprobe:$(command -v faults):main -A -e {M}"),
    "--for-each-cgroup": count(f"{BY_GROUP} -e {M}", OPENED, before="mkdir -p /sys/fs/cgroup/web",
                               wrap=IN_WEB),
}
OTHERS = {
    "profile": count("-a -e page-faults -c 1 --folded").replace("pstat -v -x,", "pstat profile -v"),
    "clocks": (HELPERS + f"""
: >log; now() {{ cut -d' ' -f1 /proc/uptime; }}; since=$(now)
pstat -v -x, -o counts -a -A -e cpu-clock,cpu-clock:b 2>log & session=$!
until_said leader; sleep_well "{ONLINE}"; kill -INT $session; wait $session; cat counts
echo length,$since,$(now)"""
               ),
}


@pytest.fixture(scope="module")
def results():
    return guest_outputs({**COUNTS, **OTHERS}, files=FILES, arch="x86_64", cpus=2, suspend=True,
                         timeout=900)


def fields_of(text):
    return [row for row in csv.reader(text.splitlines()) if len(row) > 4]


@pytest.mark.parametrize("mode", COUNTS)
def test_calls_before_and_after_a_suspend_are_counted(results, mode):
    counts = [int(row[i - 2]) for row in fields_of(results[mode]) for i, field in enumerate(row)
              if i >= 2 and field.split(":b")[0] in (M, "run_cnt")]
    assert sum(counts) == sum(CALLS.values()), results[mode]
    if "-A" in COUNTS[mode]:
        assert counts == list(CALLS.values())


def test_faults_before_and_after_a_suspend_are_sampled(results):
    """`faults` makes a page fault with each call. It runs four times, and its other faults in
    main() are the same each time."""
    stacks = [
        line.rsplit(" ", 1) for line in results["profile"].splitlines()
        if line.startswith(("faults;main ", "faults;main;take (inlined) "))
    ]
    taken = sum(int(samples) for _, samples in stacks)
    assert (
        0 <= taken - sum(CALLS.values()) <= 20 and (taken - sum(CALLS.values())) % 4 == 0
    ), results["profile"]


def test_the_time_asleep_is_in_no_shared_clock(results):
    """The kernel's own clock of CPU 0 may include it: that CPU stays online, and local_clock() can
    jump."""
    text = results["clocks"]
    since, until = next((float(row[1]), float(row[2])) for row in csv.reader(text.splitlines())
                        if row[:1] == ["length"])
    clocks = {(row[0], row[3].split()[0]): float(row[1]) / 1000 for row in fields_of(text)}
    assert len(clocks) == 4, text
    for (cpu, event), value in clocks.items():
        if (cpu, event) != ("CPU0", "cpu-clock"):
            assert 0 < value < until - since - 0.9 * ASLEEP, text
