# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b on programs to which fentry cannot be attached: the kernel's own statistics count their
runs and time."""
import json
import re

import pytest

from csv_rows import values
from guest import guest_each, kernels

START = """
rm -f hold id other; mkfifo hold; bpf-no-btf <hold >id & exec 5>hold
bpf-run --prog loop --loops 100 --print-id --hold >other 5>&- & holder=$!
while ! [ -s id ] || ! [ -s other ]; do usleep 10000; done
id=$(head -n 1 id); other=$(head -n 1 other)
run() { bpf-run --id $1 --runs $2 >/dev/null 5>&-; }
facts() { pstat progs -j $id | tail -n 2 | head -n 1; }
"""
END = """
exec 5>&-; kill $holder; wait
"""
OPTIONS = {
    "-p 1": "task", "-C 0": "all CPUs", "-A": "all CPUs", "--hist": "no single runs",
    "--outliers 1us,time": "no single runs", "--for-each-cgroup /": "no counts for cgroups"
}
COMMANDS = {
    "alone": "facts; pstat -x, -b $id -- bpf-run --id $id --runs 70 5>&- >/dev/null; facts",
    "several": """pstat -x, -b $id,$other --per-prog -e run_cnt,task-clock -- sh -c "
bpf-run --id $id --runs 70; bpf-run --id $other --runs 30" 5>&-""",
    "sum": """pstat -x, -b all -e run_cnt,task-clock -- sh \\
        -c "bpf-run --id $id --runs 70; bpf-run --id $other --runs 30" 5>&-""",
    "more events": """pstat -b $id,$other -e run_cnt,instructions true; echo $?
pstat -x, -b all -e run_cnt,instructions -- sh \\
    -c "bpf-run --id $id --runs 70; bpf-run --id $other --runs 30" 5>&-""",
    "one event": "pstat -b $id -e cs true; echo $?",
    "repeated": "pstat -r 3 -j -b $id -e run_cnt -- bpf-run --id $id --runs 70 5>&-",
    "intervals": """pstat -x, -b $id -e run_cnt -I 100 --interval-count 3 2>rows & pstat=$!
while ! [ -s rows ]; do usleep 10000; done; run $id 25; wait $pstat; cat rows""",
    "follows": """exec 5>&-; kill $holder; wait
pstat -x, -b name:no_btf --follow -e run_cnt 2>rows & pstat=$!
usleep 700000
rm -f hold id; mkfifo hold; bpf-no-btf <hold >id & exec 5>hold
while ! [ -s id ]; do usleep 10000; done; usleep 2900000
run $(head -n 1 id) 12; kill -INT $pstat; wait $pstat; cat rows""",
    "afterwards": """pstat -b $id -e run_cnt true 2>/dev/null; facts; run $id 9; facts
pstat -b $id -e run_cnt -I 50 2>rows & pstat=$!
while ! grep -q run_cnt rows; do usleep 10000; done; kill -9 $pstat; wait $pstat; usleep 100000
facts; run $id 9; facts""",
    "listed": "pstat progs $id; facts", **{
        option: f"pstat -b $id {option} -e task-clock true; echo $?" for option in OPTIONS
    },
}


@pytest.fixture(scope="module",
                params=kernels("6.12"))
def results(request):
    done = guest_each({name: START + command + END for name, command in COMMANDS.items()},
                      arch="aarch64", kernel=request.param, icount=True, timeout=120)
    return {name: result.stdout for name, result in done.items()}


def facts(text):
    return [
        json.loads(line) for line in text.splitlines() if line.startswith("{") and '"tag"' in line
    ]


def test_runs_and_time_are_those_that_the_kernel_has_counted(results):
    text = results["alone"]
    before, after = facts(text)
    counted = values(text)
    assert counted["run_cnt"] == 70 == after["run_cnt"] - before.get("run_cnt", 0)
    assert counted["task-clock"] == pytest.approx(
        (after["run_time_ns"] - before.get("run_time_ns", 0)) / 1e6, abs=0.005)
    assert "<not supported>,,cycles" in text and "<not supported>,,instructions" in text
    assert re.search(
        r"pstat: -b: 1 program is counted with the kernel's own statistics, which "
        r"have only the number and the time of runs\n"
        r" {7}program \d+ \(no_btf\): the program has no BTF", text)


def test_programs_of_both_kinds_are_counted_at_the_same_time(results):
    rows = [line.split(",") for line in results["several"].splitlines() if line.count(",") > 5]
    found = {(row[1], row[4]): float(row[2]) for row in rows}
    assert found["no_btf", "run_cnt"] == 70 and found["xdp_loop", "run_cnt"] == 30, rows
    assert all(count > 0 for count in found.values())
    assert values(results["sum"])["run_cnt"] == 100


def test_an_event_that_only_some_can_count_is_counted_without_the_others(results):
    refused, _, counted = results["more events"].partition("\n255\n")
    assert re.match(r"pstat: -b \d+ \(no_btf\): the program has no BTF",
                    refused) and "count only run_cnt, task-clock" in refused
    assert "-b: programs that cannot be counted and are left out: 1;" in counted
    assert values(counted)["run_cnt"] == 30 and values(counted)["instructions"] > 3000


def test_an_event_that_no_program_can_count_is_refused(results):
    text = results["one event"]
    assert re.match(r"pstat: -b \d+ \(no_btf\): the program has no BTF", text)
    assert (
        "the kernel's statistics cannot be used instead: they have only run_cnt" in text
        and text.splitlines()[-1] == "255"
    )


@pytest.mark.parametrize("option", OPTIONS)
def test_options_that_the_statistics_cannot_serve_are_refused_with_the_reason(results, option):
    lines = results[option].splitlines()
    assert (
        lines[-1] == "255" and "the program has no BTF" in lines[0] and OPTIONS[option] in lines[1]
    ), lines


def test_repetitions_and_intervals_have_their_own_runs(results):
    row, = [json.loads(line) for line in results["repeated"].splitlines() if line.startswith("{")]
    assert (float(row["counter-value"]), row["variance"]) == (70, 0)
    assert results["repeated"].count("is counted with the kernel's own statistics") == 1
    counts = [
        int(line.split(",")[1]) for line in results["intervals"].splitlines() if ",run_cnt," in line
    ]
    assert len(counts) == 3 and sum(counts) == 25, counts


def test_the_statistics_count_a_program_that_is_loaded_later_too(results):
    assert values(results["follows"])["run_cnt"] == 12, results["follows"]
    assert "is counted with the kernel's own statistics" in results["follows"]


def test_the_kernel_keeps_no_statistics_after_the_count_however_it_ends(results):
    found = [prog.get("run_cnt", 0) for prog in facts(results["afterwards"])]
    assert len(found) == 4 and len(set(found)) == 1, found


def test_the_list_shows_which_programs_the_statistics_can_count(results):
    assert re.search(r" run count and time only: the program has no BTF", results["listed"])
    prog, = facts(results["listed"])
    assert (prog["countable"], prog["run_count_and_time"]) == (False, True)
