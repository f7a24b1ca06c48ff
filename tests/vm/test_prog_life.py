# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b over time: intervals, ends of every kind, programs that cannot be counted. With two CPUs."""
import os
import pathlib
import re

import pytest

from csv_rows import series, values
from guest import guest_each

FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "target", "bpf-objects", "kill-at-random")]

LONG = bool(os.environ.get("PSTAT_LONG"))
KILLS = 200 if LONG else 20
MACHINES = [("x86_64", "6.12"), ("x86_64", "6.1")] + ([("aarch64", "6.12"), ("aarch64", "6.1")] if LONG else [])

COMMANDS = {
    # every run begins and ends inside the count
    "all runs in five intervals": """
. ./target
target --prog count
pstat -x, -b $id -I 1000 -e run_cnt -- bpf-run --id $id --for 4300 --batch 500
./ask counter
""",
    "a program that runs all the time": """
bpf-run --prog count --batch 500 --forever --print-id >id &
runner=$!
while ! [ -s id ]; do usleep 10000; done
pstat -x, -b $(head -n 1 id) -I 1000 --interval-count 5 -e run_cnt,task-clock,cpu-clock
kill $runner
""",
    "two sessions": """
. ./target
target --prog count
pstat -x, -b $id -e run_cnt,task-clock -- sh -c 'pstat -x, -b '$id' -e run_cnt,cs -- ./ask "run 30"; ./ask "run 12"'
""",
    "a CPU": """
. ./target
target --prog count --cpu 1
pstat -x, -b $id -C 1 -e run_cnt,task-clock -- ./ask "run 30"
pstat -x, -b $id -C 0 -e run_cnt,task-clock -- ./ask "run 30"
""",
    "killed": f"./bpf-objects >before; ./kill-at-random {KILLS}; ./bpf-objects before",
    "no BTF": """
mkfifo hold; bpf-no-btf <hold >id & exec 3>hold
while ! [ -s id ]; do usleep 10000; done
./bpf-objects >before; pstat -b $(cat id) -e cs true; echo $?; ./bpf-objects before
""",
    "sleepable": """
. ./target
target --type syscall --prog count
pstat -b $id -e cs true
echo $?
""",
    "one of two is missing": """
. ./target
target --prog count
./bpf-objects >before; pstat -b $id,77777 -o report -e cs true; echo $?; ls report; ./bpf-objects before
""",
    "a program of pstat's own": """
. ./target
target --prog count
pstat -b $id --timeout 3000 -e cs 2>/dev/null &
while ! bpftool prog show | grep -q run_begin; do usleep 20000; done
its=$(bpftool prog show name run_begin | sed -n 's/^\\([0-9]*\\): .*/\\1/p')
pstat -x, -b $its -e run_cnt -- ./ask "run 9"
echo $?
kill $!
""",
    "what is allowed": "pstat --version -vv",
}


@pytest.fixture(scope="module", params=MACHINES, ids="-".join)
def results(request):
    arch, kernel = request.param
    done = guest_each(COMMANDS, files=FILES, arch=arch, kernel=kernel, cpus=2, timeout=900 if LONG else 300)
    return {"kernel": kernel, **{name: result.stdout for name, result in done.items()}}


def test_each_run_is_in_one_interval_and_none_in_two(results):
    text = results["all runs in five intervals"]
    runs = [row.value for row in series(text, "run_cnt")]
    counter = int(re.search(r"^counter (\d+)$", text, re.M)[1])
    assert len(runs) == 5
    assert sum(runs) == counter > 0


def test_no_interval_of_a_busy_program_is_empty(results):
    text = results["a program that runs all the time"]
    for event in ("run_cnt", "task-clock", "cpu-clock"):
        counted = series(text, event)
        assert len(counted) == 5
        assert all(row.value for row in counted), text


def test_the_intervals_lie_on_the_grid(results):
    for name in ("all runs in five intervals", "a program that runs all the time"):
        times = [row.time for row in series(results[name], "run_cnt")]
        grid = times if name == "a program that runs all the time" else times[:4]
        for number, time in enumerate(grid, 1):
            assert number <= time < number + 0.005, times


def test_two_sessions_count_the_same_program_independently(results):
    counts = [row.value for row in series(results["two sessions"], "run_cnt")]
    assert counts == [30, 42]


def test_only_runs_on_the_given_cpus_count(results):
    counts = [row.value for row in series(results["a CPU"], "run_cnt")]
    clocks = [row.value for row in series(results["a CPU"], "task-clock")]
    assert counts == [30, 0]
    assert clocks[0] > 0 and clocks[1] is None


def test_nothing_is_left_behind_whatever_ends_it(results):
    assert results["killed"] == "nothing is left\n"


def test_a_program_without_btf_is_refused_with_the_reason(results):
    lines = results["no BTF"].splitlines()
    assert re.match(r"pstat: -b \d+ \(no_btf\): the program has no BTF", lines[0])
    assert lines[-2:] == ["255", "nothing is left"]


def test_a_sleepable_program_is_refused_with_the_reason(results):
    lines = results["sleepable"].splitlines()
    assert re.match(r"pstat: -b \d+ \(syscall_count\): a sleepable program", lines[0])
    assert "255" in lines


def test_when_one_program_is_missing_none_is_attached_and_no_file_is_made(results):
    lines = results["one of two is missing"].splitlines()
    assert lines[0] == "pstat: -b 77777: no BPF program has the id 77777"
    assert "255" in lines and "nothing is left" in lines
    assert "report" not in lines


def test_a_tracing_program_as_target_is_counted_or_refused_in_words(results):
    text = results["a program of pstat's own"]
    if results["kernel"] == "6.12":
        assert values(text)["run_cnt"] == 9
    else:
        assert re.search(r"^pstat: -b \d+ \(run_begin\): the kernel does not take fentry on it", text, re.M), text
        assert re.search(r"^255$", text, re.M)


def test_version_says_what_the_kernel_allows(results):
    assert re.search(r"^  -b, --bpf-prog +yes$", results["what is allowed"], re.M)
