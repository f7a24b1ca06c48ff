# SPDX-License-Identifier: GPL-2.0-only
"""Series of runs of a deterministic program on a machine whose instructions are exact: all runs
are equal, and the deviation is 0."""

import json

import pytest

from csv_rows import rows
from guest import guest_each

RUNS = 100
TURNS = (100000, 300000)

# The address of the stack determines how the C library aligns copies, which sometimes makes a
# difference of two instructions.
FIXED = "echo 0 >/proc/sys/kernel/randomize_va_space; "

COMMANDS = {
    **{
        f"series {turns}": f"{FIXED}pstat -x, -r {RUNS} -e instructions:u spin {turns}"
        for turns in TURNS
    },
    # If the kernel's timer interrupts a run, the values of the intervals differ: try again.
    **{f"save {prog}": f"bpf-run --prog {prog.split()[0]} --hold --print-id >id & run=$!; "
       f"while ! [ -s id ]; do usleep 10000; done; for try in $(seq 40); do "
       f"pstat -b $(cat id) -e instructions,run_cnt --save '{prog}' -- "
       f"bpf-run --id $(cat id) --for 300; "
       f"values=$(grep -o '\"values\" : .[^]]*' '{prog}' | grep -o '[0-9.]*' | sort -u | wc -l); "
       f"echo try $try: $values values; [ $values = 1 ] && break; done; kill $run; rm id"
       for prog in ("empty", "empty again", "more")},
    **{f"compare with {prog}": f"pstat compare -j --fail-over instructions:0% empty '{prog}'"
       for prog in ("empty again", "more")},
    "one by one": f"for i in $(seq {RUNS}); do pstat -x, -e instructions:u spin {TURNS[0]}; done",
    "for people": f"pstat -r {RUNS} -e instructions:u spin {TURNS[0]}",
    # a weak group of more events than there are counters is broken up, and its events take turns
    "weak": ("pstat -x, -e '{instructions:u,cycles:u,r8:u,r11:u,"
             "instructions:u,cycles:u,r8:u,r11:u,instructions:u}:W' spin 30000000"),
    "strong": (
        "pstat -x, -e"
        " '{instructions:u,cycles:u,r8:u,r11:u,instructions:u,cycles:u,r8:u,r11:u,instructions:u}'"
        " spin 1000"),
    "no scale": (
        "pstat -x, --no-scale -e"
        " instructions:u,cycles:u,r8:u,r11:u,instructions:u,cycles:u,r8:u,r11:u,instructions:u spin"
        " 30000000"),
}


@pytest.fixture(scope="module")
def results():
    done = guest_each(COMMANDS, arch="aarch64", kernel="6.12", icount=True, timeout=300)
    return {name: result if "compare" in name else result.stdout for name, result in done.items()}


def fields(text):
    return [line.split(",") for line in text.splitlines()]


@pytest.mark.parametrize("turns", TURNS)
def test_a_hundred_repetitions_of_the_same_program_are_equal(results, turns):
    row, = fields(results[f"series {turns}"])
    assert row[2:4] == ["instructions:u", "0.00%"]
    assert float(row[0]) > 2 * turns


def test_a_single_count_is_equal_to_the_mean(results):
    counts = {row[0] for row in fields(results["one by one"])}
    assert len(fields(results["one by one"])) == RUNS
    assert counts == {fields(results[f"series {TURNS[0]}"])[0][0]}


def test_more_turns_are_exactly_two_instructions_each_more(results):
    few, many = (int(fields(results[f"series {turns}"])[0][0]) for turns in TURNS)
    assert many - few == 2 * (TURNS[1] - TURNS[0])


def test_no_deviation_is_shown_where_there_is_none(results):
    line = next(line for line in results["for people"].splitlines() if "instructions:u" in line)
    assert "+-" not in line
    assert f"({RUNS} runs):" in results["for people"]


def test_a_weak_group_too_large_for_the_pmu_is_broken_up(results):
    weak, strong = rows(results["weak"]), fields(results["strong"])
    # as perf prints it: the kernel refuses the two events for which no counter is left, and
    # therefore never counts the group
    assert sorted(row[0] for row in strong if len(row) > 5) == (
        ["<not counted>"] * 7 + ["<not supported>"] * 2)
    assert len(weak) == 9 and all(50 < row.percent < 100 for row in weak)
    for row in weak:
        expected = 60000000 * (1 if row.event in ("instructions:u", "r8:u") else 2)
        assert row.value == pytest.approx(expected, rel=0.1), row


def test_counts_are_left_as_they_are_without_scaling(results):
    for row in rows(results["no scale"]):
        expected = 60000000 * (1 if row.event in ("instructions:u", "r8:u") else 2)
        assert row.percent < 100
        assert row.value == pytest.approx(expected * row.percent / 100, rel=0.1), row


def test_one_more_instruction_per_run_of_a_bpf_program_is_found(results):
    """--fail-over ends with status 100 only for the program with the additional instruction."""
    same, more = (json.loads(results[f"compare with {prog}"].stdout)
                  for prog in ("empty again", "more"))
    assert results["compare with empty again"].returncode == 0 and same["verdict"] == "within"
    assert results["compare with more"].returncode == 100 and more["verdict"] == "worse"
    assert (same["event"], same["ratio"]) == ("instructions", 1)
    assert float(more["new"]) - float(more["old"]) == pytest.approx(1, abs=0.1)
    assert more["old-runs"] >= 6, "a single count is divided into intervals"
