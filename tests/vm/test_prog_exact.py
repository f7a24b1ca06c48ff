# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b compared with known costs: an arm64 guest whose instructions are exact, with two
cycles for each."""
import pathlib

import pytest

from csv_rows import rows, series, values
from guest import NEWEST, guest_outputs, kernels

FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "target")]
RUNS = (1, 10, 1000)
LOOPS = 300  # so few iterations that most runs contain no timer tick
SAMPLES = 30    # single runs

def single_runs(turns, options):
    """Runs the program with this number of iterations several times, each run in its own
    interval."""
    return f"""
. ./target
target --prog loop
./ask "loops {turns}" >&2
pstat -x, -I 40 {options} -- sh -c 'for i in $(seq {SAMPLES}); do ./ask "run 1" >&2
usleep 60000; done'
"""


COMMANDS = {
    **{
        f"count {n}": f"""
. ./target
target --prog loop --loops 10000
pstat -x, -b $id -e run_cnt,cycles,instructions -- ./ask "run {n}"
""" for n in RUNS
    }, **{
        f"inside {turns}": single_runs(turns, "-b $id -e run_cnt,instructions")
        for turns in (LOOPS, 2 * LOOPS)
    }, **{
        f"natively {turns}": single_runs(turns, "-p $runner -e instructions:k")
        for turns in (LOOPS, 2 * LOOPS)
    }, "eight events": """
. ./target
target --prog loop --loops 10000
pstat -x, -b $id \\
    -e cycles,instructions,cs,task-clock,page-faults,cpu-clock,migrations,dummy,run_cnt \\
    -- ./ask "run 100"
""", "a group": """
. ./target
target --prog loop --loops 10000
pstat -x, -b $id -e '{run_cnt,cycles,instructions}' -- ./ask "run 100"
""", "two programs": """
. ./target
target --prog loop --loops 10000
bpf-run --prog count --print-id --hold >other &
while ! [ -s other ]; do usleep 10000; done
pstat -x, -b $id,$(cat other) -e run_cnt,instructions -- sh -c './ask "run 7"
bpf-run --id $(cat other) --runs 5'
kill $!
""", "nine on seven counters": """
. ./target
target --prog loop --loops 100000
pstat -x, -b $id \\
    -e run_cnt,instructions,cycles,instructions:k,cycles:k,r8,r11,r8:k,r11:k,instructions \\
    -- ./ask "run 300"
pstat -x, -b $id -e run_cnt,instructions -- ./ask "run 10"
""",
}


@pytest.fixture(scope="module", params=kernels(NEWEST, "6.12", "6.1"))
def results(request):
    return guest_outputs(COMMANDS, files=FILES, arch="aarch64", kernel=request.param, icount=True)


@pytest.mark.parametrize("runs", RUNS)
def test_run_cnt_is_the_number_of_runs(results, runs):
    assert values(results[f"count {runs}"])["run_cnt"] == runs


@pytest.mark.parametrize("runs", RUNS)
def test_two_cycles_pass_for_each_instruction(results, runs):
    counted = values(results[f"count {runs}"])
    assert counted["instructions"] / runs > 100000
    assert counted["cycles"] / counted["instructions"] == pytest.approx(2.00, abs=0.02)


def smallest(text, event):
    """Returns the smallest of the intervals with a single run, which contains no timer tick."""
    run_cnt = [row.value for row in series(text, "run_cnt")]
    counted = [row.value for row in series(text, event)]
    single = [
        value for value, runs in zip(counted, run_cnt or [1] * len(counted)) if value and runs == 1
    ]
    assert len(single) >= 20, text
    return min(single)


def test_twice_the_turns_are_exactly_twice_the_instructions(results):
    inside = [smallest(results[f"inside {turns}"], "instructions") for turns in (LOOPS, 2 * LOOPS)]
    natively = [
        smallest(results[f"natively {turns}"], "instructions:k") for turns in (LOOPS, 2 * LOOPS)
    ]
    per_turn, rest = divmod(inside[1] - inside[0], LOOPS)
    assert rest == 0 and per_turn > 0
    # the system call around a run can need a few more or fewer instructions, but the difference is
    # much less than one for each turn
    assert per_turn == round((natively[1] - natively[0]) / LOOPS)


def test_eight_events_are_counted_at_once(results):
    counted = values(results["eight events"])
    assert len(counted) == 9 and None not in counted.values()
    assert counted["run_cnt"] == 100
    # the clocks agree with the cycles of a CPU with one cycle per ns
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


def test_nine_events_on_seven_counters_are_scaled_and_show_their_share(results):
    run_cnt, *nine, alone_run_cnt, alone = rows(results["nine on seven counters"])
    assert (run_cnt.value, len(nine), alone_run_cnt.value, alone.percent) == (300, 9, 10, 100)
    instructions = alone.value / 10
    for row in nine:
        # in the armv8 architecture, r8 is instructions and r11 is cycles
        times = 1 if row.event.split(":")[0] in ("instructions", "r8") else 2
        assert 50 < row.percent < 100, row
        assert row.value / 300 == pytest.approx(times * instructions, rel=0.05), row


