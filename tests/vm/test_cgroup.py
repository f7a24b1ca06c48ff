# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups that BPF counts, in guests with real instructions, both hierarchies and two kernels, none
of which hides a context switch. All counts must be exact."""

import csv

import pytest

from guest import GUESTS, NEWEST, guest_each, machines

# The program `inside GROUP COMMAND...`
IN = ("printf '#!/bin/sh\\necho $$ >/sys/fs/cgroup/$M$1/cgroup.procs\\nshift\\nexec \"$@\"\\n' "
      ">/bin/inside; chmod +x /bin/inside; "
      "mkdir -p /sys/fs/cgroup/${M}a/b /sys/fs/cgroup/${M}c; ")
V1 = ("umount /sys/fs/cgroup; mount -t tmpfs none /sys/fs/cgroup; mkdir /sys/fs/cgroup/v1 "
      "/sys/fs/cgroup/v2; "
      "mount -t cgroup -o perf_event none /sys/fs/cgroup/v1; mount -t cgroup2 none "
      "/sys/fs/cgroup/v2; "
      "mkdir -p /sys/fs/cgroup/v2/a/only; export M=v1/; ")
MADVISE = "syscalls:sys_enter_madvise"


def rows_of(text):
    """Returns {(cgroup, event): count} of -x; the count is None if it is not counted."""
    return {(row[3], row[2]): None if row[0].startswith("<") else float(row[0])
            for row in csv.reader(text.splitlines()) if len(row) > 5}


def exact(hierarchy):
    """Makes faults in three cgroups. Returns the counts of each."""
    return (f"{hierarchy}{IN}pstat -x, -a --bpf-counters --for-each-cgroup a,a/b,c -e {MADVISE} "
            "-o out -- "
            "sh -c 'inside a faults 7; inside a/b faults 50; inside c faults 600'; cat out")


FOLLOW = (f"{IN}mkdir /sys/fs/cgroup/top; pstat -x, -a --bpf-counters --cgroup-follow "
          f"--for-each-cgroup ^top -e {MADVISE},cs -o out & p=$!;"
          "until grep -q poll /proc/$p/wchan; do sleep 0.01; done; "
          "for i in $(seq 40); do mkdir /sys/fs/cgroup/top/$i; inside top/$i faults 10; "
          "until rmdir /sys/fs/cgroup/top/$i 2>/dev/null; do sleep 0.01; done; done; kill -INT "
          "$p; wait $p; cat out")


# The cgroups may use different CPUs in turn, so the kernel moves a running task to another CPU in
# the middle of each move.
MOVES = (f"{IN}echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control; echo 0 "
         ">/sys/fs/cgroup/a/cpuset.cpus; "
         "echo 1 >/sys/fs/cgroup/c/cpuset.cpus; spin 100000000000 & export spinner=$!; "
         "pstat -x, -a --for-each-cgroup a,c -e task-clock:b,task-clock -o out -- sh -c 'for "
         "turn in 1 2 3 4 5; do for group in a c; "
         "do echo $spinner >/sys/fs/cgroup/$group/cgroup.procs; sleep 0.1; done; done'; kill "
         "$spinner; wait; cat out")


@pytest.fixture(scope="module", params=machines(("x86_64", NEWEST), *GUESTS), ids="-".join)
def on_two_cpus(request):
    arch, kernel = request.param
    return guest_each({"v2": exact(""), "follow": FOLLOW, "moves": MOVES, "v1": exact(V1)},
                      arch=arch, kernel=kernel, cpus=2)


def test_a_task_that_is_moved_counts_where_it_is(on_two_cpus):
    text = on_two_cpus["moves"].stdout
    rows = rows_of(text)
    for group in ("a", "c"):
        assert rows[group, "task-clock"] > 300, text
        assert rows[group, "task-clock:b"] == pytest.approx(rows[group, "task-clock"],
                                                            rel=0.05), text


def test_each_cgroup_counts_exactly_what_happened_in_it(on_two_cpus):
    results = on_two_cpus
    for version in ("v2", "v1"):
        rows = rows_of(results[version].stdout)
        assert [rows.get((group, MADVISE))
                for group in ("a", "a/b", "c")] == [57, 50, 600], results[version].stdout
    rows = rows_of(results["follow"].stdout)
    assert rows["top", MADVISE] == 400, results["follow"].stdout
    assert [rows.get((f"top/{number}", MADVISE))
            for number in range(1, 41)] == [10] * 40, results["follow"].stdout


def test_the_instructions_of_a_loop_count_in_its_cgroup():
    count = (
        f"{IN}pstat -x, -a --bpf-counters --for-each-cgroup a,a/b,c -e instructions:u,cycles:u -o"
        " out -- inside a/b spin %d; cat out"
    )
    both = (f"{IN}inside a/b spin 100000000000 & inside c spin 100000000000 & sleep 0.1;"
            "pstat -x, -a --for-each-cgroup a,c -e instructions:b,instructions,cs:b,cs --timeout "
            "1000; kill $(pidof spin)")
    results = guest_each({"some": count % 5000000, "more": count % 25000000, "both": both},
                         icount=True)
    some, more = (rows_of(results[name].stdout) for name in ("some", "more"))
    for group in ("a", "a/b"):
        assert more[group, "instructions:u"] - some[group, "instructions:u"] == pytest.approx(
            40000000, rel=0.001)
    assert more["c", "instructions:u"] is None
    rows = rows_of(results["both"].stdout)
    for group in ("a", "c"):
        assert rows[group, "instructions:b"] == pytest.approx(rows[group, "instructions"],
                                                              rel=0.001), results["both"].stdout
        assert rows[group, "cs:b"] == pytest.approx(rows[group, "cs"], abs=2)
