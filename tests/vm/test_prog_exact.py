# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b against what is known: an arm64 guest whose instructions are exact and whose cycles are twice as many."""
import pathlib

import pytest

from csv_rows import rows, series, values
from guest import guest_each

FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "target")]
RUNS = (1, 10, 1000)
LOOPS = 300     # a run of so many turns fits between two timer ticks many times
SAMPLES = 30    # single runs, of which most have no tick inside

# Single runs of the program with $1 turns, each in an interval of its own.
SINGLE_RUNS = f"""
one_by_one() {{
    ./ask "loops $1" >&2
    pstat -x, -I 40 "$@" -- sh -c 'for i in $(seq {SAMPLES}); do ./ask "run 1" >&2; usleep 60000; done'
}}
"""


def single_runs(turns, options):
    return f"""
. ./target
{SINGLE_RUNS}
target --prog loop
./ask "loops {turns}" >&2
pstat -x, -I 40 {options} -- sh -c 'for i in $(seq {SAMPLES}); do ./ask "run 1" >&2; usleep 60000; done'
"""


COMMANDS = {
    **{f"count {n}": f"""
. ./target
target --prog loop --loops 10000
pstat -x, -b $id -e run_cnt,cycles,instructions -- ./ask "run {n}"
""" for n in RUNS},
    **{f"inside {turns}": single_runs(turns, "-b $id -e run_cnt,instructions") for turns in (LOOPS, 2 * LOOPS)},
    **{f"natively {turns}": single_runs(turns, "-p $runner -e instructions:k") for turns in (LOOPS, 2 * LOOPS)},
    "eight events": """
. ./target
target --prog loop --loops 10000
pstat -x, -b $id -e cycles,instructions,cs,task-clock,page-faults,cpu-clock,migrations,dummy,run_cnt -- ./ask "run 100"
""",
    "a group": """
. ./target
target --prog loop --loops 10000
pstat -x, -b $id -e '{cycles,instructions}' -e run_cnt -- ./ask "run 100"
""",
    "two programs": """
. ./target
target --prog loop --loops 10000
bpf-run --prog count --print-id --hold >other &
while ! [ -s other ]; do usleep 10000; done
pstat -x, -b $id,$(cat other) -e run_cnt,instructions -- sh -c './ask "run 7"; bpf-run --id $(cat other) --runs 5'
kill $!
""",
    "nine on seven counters": """
. ./target
target --prog loop --loops 100000
pstat -x, -b $id -e run_cnt,instructions,cycles,instructions:k,cycles:k,r8,r11,r8:k,r11:k,instructions -- ./ask "run 300"
pstat -x, -b $id -e run_cnt,instructions -- ./ask "run 10"
""",
}


@pytest.fixture(scope="module", params=["6.12", "6.1"])
def results(request):
    done = guest_each(COMMANDS, files=FILES, arch="aarch64", kernel=request.param, icount=True, timeout=300)
    for name, result in done.items():
        assert result.returncode == 0, f"{name}: {result.stdout}"
    return {name: result.stdout for name, result in done.items()}


@pytest.mark.parametrize("runs", RUNS)
def test_run_cnt_is_the_number_of_runs(results, runs):
    assert values(results[f"count {runs}"])["run_cnt"] == runs


@pytest.mark.parametrize("runs", RUNS)
def test_two_cycles_pass_for_each_instruction(results, runs):
    counted = values(results[f"count {runs}"])
    assert counted["instructions"] / runs > 100000
    assert counted["cycles"] / counted["instructions"] == pytest.approx(2.00, abs=0.02)


def smallest(text, event):
    """Of the intervals with a single run, the one without a timer tick inside."""
    run_cnt = [row.value for row in series(text, "run_cnt")]
    counted = [row.value for row in series(text, event)]
    single = [value for value, runs in zip(counted, run_cnt or [1] * len(counted)) if value and runs == 1]
    assert len(single) >= 20, text
    return min(single)


def test_twice_the_turns_are_twice_the_instructions_to_the_last_one(results):
    inside = [smallest(results[f"inside {turns}"], "instructions") for turns in (LOOPS, 2 * LOOPS)]
    natively = [smallest(results[f"natively {turns}"], "instructions:k") for turns in (LOOPS, 2 * LOOPS)]
    per_turn, rest = divmod(inside[1] - inside[0], LOOPS)
    assert rest == 0 and per_turn > 0
    assert inside[1] - inside[0] == natively[1] - natively[0]


def test_eight_events_are_counted_at_once(results):
    counted = values(results["eight events"])
    assert len(counted) == 9 and None not in counted.values()
    assert counted["run_cnt"] == 100
    # the clocks agree with the cycles of a CPU that makes one a nanosecond
    assert counted["task-clock"] * 1e6 == pytest.approx(counted["cycles"], rel=0.02)
    assert counted["cs"] == counted["page-faults"] == counted["migrations"] == 0


def test_a_group_is_counted_whole(results):
    counted = values(results["a group"])
    assert counted["run_cnt"] == 100
    assert counted["cycles"] / counted["instructions"] == pytest.approx(2.00, abs=0.02)


def test_the_counts_of_two_programs_are_summed(results):
    counted = values(results["two programs"])
    assert counted["run_cnt"] == 12
    assert counted["instructions"] > 7 * 100000


def test_nine_events_on_seven_counters_are_scaled_and_say_so(results):
    many, truth = [], None
    for row in rows(results["nine on seven counters"]):
        many.append(row)
    truth = many[-1].value / many[-2].value
    assert many[-2].value == 10
    many = many[:-2]
    assert [row.event for row in many].count("instructions") == 2
    for row in many[1:]:
        assert 50 < row.percent < 100, row
    assert many[0].value == 300
    for row in many[1:]:
        per_run = row.value / 300
        expected = truth if row.event.split(":")[0] in ("instructions", "r8") else 2 * truth
        assert per_run == pytest.approx(expected, rel=0.05), row


def test_the_share_of_time_is_shown_behind_the_row(results):
    # `r8` is instructions, `r11` is cycles: events of the armv8 architecture
    assert all(row.percent == 100 for row in rows(results["eight events"]))
