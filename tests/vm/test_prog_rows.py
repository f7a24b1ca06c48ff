# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b --per-prog: each row is as exact as a count of this program only, for the selected runs,
even if the program has been unloaded."""
import pathlib

import pytest

from guest import guest_outputs, kernels

FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "target", "many")]
SAMPLES = 4
RUNS = 200

START = """
. ./many; many
tell 'load short' 'calls long' >/dev/null
id() { pstat progs -j $1 | sed -n 's/.*"id" : \\([0-9]*\\).*/\\1/p'; }
"""

# the programs return immediately: without calibration, nearly all of their count is the cost of
# counting
EXACT = {
    "calibrated": START + f"""
for i in $(seq {SAMPLES}); do
    begin -x, -b all --per-prog -e run_cnt,instructions
    tell 'run short {RUNS}' 'run long {RUNS}' >/dev/null
    end
done
""",
    "as it is": START + f"""
for i in $(seq {SAMPLES}); do
    begin -x, -b all --per-prog --no-calibrate -e run_cnt,instructions
    tell 'run short {RUNS}' 'run long {RUNS}' >/dev/null
    end
done
""",
    "alone": START + f"""
for name in short long; do
    for i in $(seq {SAMPLES}); do
        begin -x, -b name:$name --per-prog -e run_cnt,instructions
        tell 'run short {RUNS}' 'run long {RUNS}' >/dev/null
        end
    done
done
""",
    "gone": START + f"""
for i in $(seq {SAMPLES}); do
    begin -x, -b all --follow --per-prog -e run_cnt,instructions
    tell 'run short {RUNS}' 'run long {RUNS}' 'drop short' 'drop long' >/dev/null
    usleep 3500000
    echo left: $(pstat progs | grep -cE ' (short|long) ')
    end
    tell 'load short' 'calls long' >/dev/null
done
""",
}

# "long" does not run at all, then runs only in the first of three intervals
IDLE = {
    "beside": START + f"""
begin -x, -b all --per-prog -e run_cnt,instructions,task-clock
tell 'run short {RUNS}' >/dev/null
end
""",
    "alone": START + """
begin -x, -b name:long --per-prog -e run_cnt,instructions,task-clock
end
""",
    "intervals": START + f"""
begin -x, -b all --per-prog -e instructions -I 500 --interval-count 3
tell 'run short {RUNS}' 'run long {RUNS}' >/dev/null; usleep 700000
tell 'run short {RUNS}' >/dev/null; usleep 500000
tell 'run short {RUNS}' >/dev/null
end
""",
}

CHOSEN = {
    "a process": (START + """
begin -x, -b all --per-prog -p $bpf_many -e run_cnt
tell 'run short 7' 'run long 8' >/dev/null
bpf-run --id $(id short) --runs 50 >/dev/null
end
"""), "the largest control group": (START + """
mkdir -p /sys/fs/cgroup/g1 /sys/fs/cgroup/g2 /sys/fs/cgroup/g3
in_group() { ( echo 0 >/sys/fs/cgroup/$1/cgroup.procs
exec bpf-run --id $2 --runs $3 ) >/dev/null; }
begin -x, -b name:short,name:long --per-prog --for-each-cgroup g1,g2,g3 --top 2 -e run_cnt,cs
in_group g1 $(id short) 5; in_group g2 $(id short) 70; in_group g2 $(id long) 900
in_group g3 $(id long) 300
end
"""),
}


@pytest.fixture(scope="module", params=kernels("6.12", "6.1"))
def exact(request):
    return guest_outputs(EXACT, files=FILES, arch="aarch64", kernel=request.param, icount=True)


@pytest.fixture(scope="module")
def idle():
    return guest_outputs(IDLE, files=FILES, arch="aarch64", icount=True)


@pytest.fixture(scope="module")
def chosen():
    return guest_outputs(CHOSEN, files=FILES, arch="x86_64")


def per_run(text):
    """Returns {program: instructions per run} for the sample that contains no timer tick."""
    found = {}
    for line in text.splitlines():
        fields = line.split(",")
        if "run_cnt" in fields:
            assert fields[2] == str(RUNS), text
        if "instructions" in fields:
            found.setdefault(fields[1], []).append(int(fields[2]) / RUNS)
    assert {len(samples) for samples in found.values()} == {SAMPLES}, text
    return {name: min(samples) for name, samples in found.items()}


def test_the_cost_of_counting_is_subtracted_from_each_row(exact):
    calibrated, as_it_is = per_run(exact["calibrated"]), per_run(exact["as it is"])
    for name in ("short", "long"):
        assert calibrated[name] < 120
        assert as_it_is[name] - calibrated[name] > 100
    assert as_it_is["short"] - calibrated["short"] == pytest.approx(
        as_it_is["long"] - calibrated["long"], abs=1)
    # three more calls
    assert calibrated["long"] > calibrated["short"]


def test_a_row_has_the_count_that_its_program_has_alone(exact):
    alone, together = per_run(exact["alone"]), per_run(exact["calibrated"])
    assert together == pytest.approx(alone, abs=1)


def test_the_cost_is_also_subtracted_for_an_unloaded_program(exact):
    assert exact["gone"].count("left: 0") == SAMPLES
    assert per_run(exact["gone"]) == pytest.approx(per_run(exact["calibrated"]), abs=1)


def values(text, program):
    """Returns {event: values of the program's rows, in order}."""
    found = {}
    for line in text.splitlines():
        fields = line.split(",")
        if program in fields:
            place = fields.index(program)
            found.setdefault(fields[place + 3], []).append(fields[place + 1])
    return found


def test_a_program_without_runs_is_not_counted_alone_or_next_to_others(idle):
    never = {"run_cnt": ["0"], "instructions": ["<not counted>"], "task-clock": ["<not counted>"]}
    assert values(idle["alone"], "long") == never
    assert values(idle["beside"], "long") == never
    ran = values(idle["beside"], "short")
    assert (
        ran["run_cnt"] == [str(RUNS)]
        and int(ran["instructions"][0])
        and ran["task-clock"] != ["<not counted>"]
    )


def test_a_program_is_not_counted_in_an_interval_without_its_runs(idle):
    assert all(int(value) for value in values(idle["intervals"], "short")["instructions"])
    first, *later = values(idle["intervals"], "long")["instructions"]
    assert int(first) and later == ["<not counted>"] * 2


def counted(text):
    """Returns [(program, count, cgroup or event)] of run_cnt, in the order of the rows."""
    lines = [line.split(",") for line in text.splitlines() if ",run_cnt," in line]
    return [(line[1], line[2], line[5]) for line in lines]


def test_rows_count_the_runs_in_a_process(chosen):
    assert [row[:2] for row in counted(chosen["a process"])] == [("short", "7"), ("long", "8")]


def test_each_program_has_rows_for_the_cgroups_with_the_largest_sums(chosen):
    assert counted(chosen["the largest control group"]) == [
        ("short", "70", "g2"), ("short", "0", "g3"), ("long", "900", "g2"), ("long", "300", "g3")]
