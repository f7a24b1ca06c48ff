# SPDX-License-Identifier: GPL-2.0-only
"""pstat profile compared with known shares: three loops with 1, 2 and 4 times as many iterations,
in a guest whose instructions are exact."""
import json

import pytest

from guest import guest_each, kernels

# The guest's clock counts instructions, so the time that samples take must not reduce their number.
# At least two events are sampled, because QEMU 7.2 forgets the overflow of a counter that is
# enabled again until any counter is read or written.
THREE = """
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
rm -f id
bpf-run --type raw_tp --prog three --loops 1000 --print-id --batch 1 --forever >id &
runner=$!
while ! [ -s id ]; do usleep 10000; done
id=$(head -n 1 id)
"""
END = """
kill $runner
wait $runner
"""
# pstat's own programs in the kernel. Programs are freed a little after their owner ends.
LEFT = "bpftool prog | grep -c pstat_; bpftool link | grep -c perf_event"

COMMANDS = {
    "three loops": (
        f"{THREE} pstat profile -j -b $id -e instructions,instructions -c 10000 --timeout "
        f"300; {END}"), **{
            how: f"""{THREE}
PSTAT_PROFILE_ATTACH={how} pstat profile -v -j -b $id -e cycles,instructions -c 20000 --timeout 100
{END}""" for how in ("link", "ioctl")
        }, **{
        f"killed {how}": f"""{THREE}
PSTAT_PROFILE_ATTACH={how} pstat profile -b $id -e instructions -c 20000 &
pstat=$!
until bpftool prog | grep -q pstat_sample; do usleep 10000; done
usleep 100000
{LEFT}
kill -9 $pstat
wait $pstat
usleep 200000
{LEFT}
{END}""" for how in ("link", "ioctl")
    },
    # a program that calls helpers and functions, counted and then sampled for the same number of
    # runs
    "calls": """
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
rm -f id
bpf-run --type xdp --prog lookup --loops 1000 --print-id --hold >id &
holder=$!
while ! [ -s id ]; do usleep 10000; done
id=$(head -n 1 id)
pstat stat -j -b $id -e instructions -- bpf-run --id $id --batch 500 --runs 500
pstat profile -j --annotate -b $id -e instructions,instructions -c 50021 -- bpf-run --id $id \\
    --batch 500 --runs 500
kill $holder
wait $holder
""", "throttled": f"""{THREE}
echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 1000 >/proc/sys/kernel/perf_event_max_sample_rate
pstat profile -j -b $id -e instructions,cycles -c 10000 --timeout 100
echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
{END}""", "hidden": """
mkfifo types
bpf-types tracepoint <types >types.id &
exec 4>types
while ! [ -s types.id ]; do usleep 10000; done
pstat profile -b $(head -n 1 types.id) -e cycles --timeout 50
exec 4>&-
wait
""",
}


@pytest.fixture(scope="module",
                params=kernels("6.12"))
def results(request):
    done = guest_each(COMMANDS, arch="aarch64", kernel=request.param, icount=True, timeout=120)
    return {name: result.stdout for name, result in done.items()}


def objects(text, kind):
    return [
        item
        for item in map(json.loads, (line for line in text.splitlines() if line.startswith("{")))
        if item.get("kind") == kind
    ]


def samples(text, event="instructions"):
    """Returns {function: samples} of the loops' own functions."""
    found = {}
    for row in objects(text, "line"):
        if row["event"] == event and row["function"].endswith("_loop"):
            found[row["function"]] = found.get(row["function"], 0) + row["samples"]
    return found


def test_the_total_of_a_program_equals_its_count(results):
    """The count of a program includes everything that the program calls, and so does its total. The
    program's own code is about half of it."""
    text = results["calls"]
    counted = next(
        float(item["counter-value"])
        for item in map(json.loads, (line for line in text.splitlines() if line[:1] == "{"))
        if item.get("event") == "instructions" and "counter-value" in item)
    total = objects(text, "total")[0]
    # the kernel's work at each sample, before it stops the counters, causes 2 % of the samples
    assert total["kept"] * 50021 == pytest.approx(counted, rel=0.03), total
    assert total["no-stack"] == total["no-room"] == total["busy"] == 0
    assert 0.3 * total["kept"] < total["self"] < 0.75 * total["kept"], total


def test_the_total_of_a_line_includes_the_code_that_it_calls(results):
    text = results["calls"]
    kept = objects(text, "total")[0]["kept"]
    functions = {
        row["function"]: row for row in objects(text, "function") if row["event"] == "instructions"
    }
    lines = {(row["function"], row["text"].strip()): row for row in objects(text, "line")}
    lookup = lines["look_up_number", "return !bpf_map_lookup_elem(&table, &number);"]
    hashing = lines["hash_number", "number = (number << 5) + (number ^ i);"]
    outer = lines["xdp_lookup", "bpf_loop(loops, look_up_turn, (void *)0, 0);"]
    inner = lines["look_up_turn", "turns += look_up_number(hash_number(index));"]
    # most of the time is spent in the kernel's function, which is not part of the program
    assert lookup["samples"] < hashing["samples"] < lookup["total-samples"]
    assert hashing["total-samples"] == hashing["samples"]
    # all samples in a called function count for the call, even if the function has no frame yet, or
    # no longer has one
    assert outer["total-samples"] == pytest.approx(kept, rel=0.01)
    called = (
        functions["hash_number"]["total-samples"] + functions["look_up_number"]["total-samples"]
    )
    assert inner["total-samples"] - inner["samples"] == pytest.approx(called, rel=0.01)
    # the rows add up: each sample is in the code of a line, or in code outside of the programs that
    # a line calls
    assert sum(row["samples"] for row in objects(text, "line")
               if row["event"] == "instructions") == sum(total["self"]
                                                         for total in objects(text, "total"))


def test_samples_are_divided_among_three_loops_like_their_time(results):
    text = results["three loops"]
    found = samples(text)
    total = objects(text, "total")[0]
    assert total["kept"] > 1000 and total["busy"] == total["no-room"] == 0, total
    unit = sum(found.values()) / 7
    assert found == {
        "first_loop": pytest.approx(unit,
                                    rel=0.05), "second_loop": pytest.approx(2 * unit, rel=0.05),
        "third_loop": pytest.approx(4 * unit, rel=0.05)
    }
    # each sample stands for this number of instructions
    assert total["weight"] == 10000 * total["samples"]


@pytest.mark.parametrize("how", ["link", "ioctl"])
def test_with_both_attachments_samples_belong_to_the_right_event(results, how):
    text = results[how]
    assert f"attached by {how}," in text
    cycles, instructions = objects(text, "total")
    assert (cycles["event"], instructions["event"]) == ("cycles", "instructions")
    # Two cycles pass for each instruction. pstat enables one event after the other, and the
    # program, which runs all the time, may run in between.
    rates = [total["samples"] / total["enabled"] for total in (cycles, instructions)]
    assert rates[0] == pytest.approx(2 * rates[1], rel=0.05)
    assert instructions["kept"] > 500


@pytest.mark.parametrize("how", ["link", "ioctl"])
def test_nothing_is_left_of_a_killed_session(results, how):
    assert results[f"killed {how}"].split()[:2] == ["1", "1" if how == "link" else "0"
                                                    ], results[f"killed {how}"]
    counts = [line for line in results[f"killed {how}"].splitlines() if line.isdigit()]
    assert counts[2:4] == ["0", "0"], results[f"killed {how}"]


def test_samples_that_the_kernel_throttled_are_reported(results):
    total = objects(results["throttled"], "total")[0]
    assert total["missed"] > total["samples"] > 0


def test_a_type_of_program_that_hides_samples_is_reported(results):
    assert (
        "while the kernel runs a program of type tracepoint, it does not run"
        in results["hidden"]
    )
