# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b on programs of each type. Each run is counted, by the kernel's statistics if the kernel
does not permit fentry."""
import re

import pytest

from csv_rows import values
from guest import NEWEST, guest_each, machines

RUNS = 7
PREEMPTED = r"of the lost runs, (\d+) were in progress when another task got the CPU in the middle"
TYPES = {
    "socket": "socket_filter", "tc": "sched_cls", "cgroup_skb": "cgroup_skb",
    "cgroup_sock": "cgroup_sock", "kprobe": "kprobe", "tracepoint": "tracepoint",
    "raw_tp": "raw_tracepoint", "perf_event": "perf_event", "iter": "tracing", "fentry": "tracing",
    "lsm": "lsm", "struct_ops": "struct_ops", "freplace": "ext", "syscall": "syscall",
}
# kernels newer than 6.1 accept fentry on a tracing program
TRACING = {"iter", "fentry"}


def step(name):
    return f"""
ifconfig lo 127.0.0.1 up
rm -f in out; mkfifo in
bpf-types {name} <in >out & its=$!
exec 3>in
while ! [ -s out ]; do kill -0 $its || exit 1; usleep 10000; done
pstat -x, -b $(cat out) -e run_cnt,cs -- sh -c 'echo {RUNS} >&3; while [ $(wc -l <out) -lt 2 ]
do usleep 10000; done'
echo status $?
pstat progs $(head -n 1 out)
exec 3>&-
wait $its
"""


@pytest.fixture(scope="module", ids="-".join,
                params=machines(("x86_64", NEWEST), ("x86_64", "6.12"), ("x86_64", "6.1"),
                                ("aarch64", "6.12")))
def results(request):
    arch, kernel = request.param
    done = guest_each({name: step(name) for name in TYPES}, arch=arch, kernel=kernel, cpus=2,
                      timeout=300)
    return {"kernel": kernel, **{name: result.stdout for name, result in done.items()}}


def is_by_stats(results, name):
    return name in TRACING and results["kernel"] == "6.1"


@pytest.mark.parametrize("name", TYPES)
def test_each_run_of_a_program_of_each_type_is_counted(results, name):
    text = results[name]
    if is_by_stats(results, name):
        why = (
            "the kernel does not accept fentry and fexit programs for it (Invalid argument: "
            "Cannot recursively attach): it is a tracing program itself"
        )
        assert re.search(rf"^ {{7}}program \d+ \(of_{name}\): {re.escape(why)}", text, re.M), text
        assert "is counted with the kernel's own statistics" in text and values(
            text)["cs"] is None, text
    assert re.search(r"^status 0$", text, re.M), text
    runs = values(text)["run_cnt"]
    if results["kernel"] == NEWEST and (lost := re.search(PREEMPTED, text)):
        # this kernel is preemptible: a run can lose its CPU while it is counted
        runs += int(lost[1])
    # an iterator runs once for each task and once at the end; tasks start and exit during this time
    assert runs == RUNS if name != "iter" else runs > 10 * RUNS, text


@pytest.mark.parametrize("name", TYPES)
def test_the_list_shows_the_type_of_a_program_and_whether_it_can_be_counted(results, name):
    line = results[name].splitlines()[-1]
    assert re.search(rf"^ *\d+ +{TYPES[name]} +of_{name} ", line), line
    assert re.search(r" run count and time only: " if is_by_stats(results, name) else r" yes$",
                     line), line
