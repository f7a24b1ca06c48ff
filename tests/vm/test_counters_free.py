# SPDX-License-Identifier: GPL-2.0-only
"""
A count with BPF releases its hardware counters before it ends. The arm64 guest has seven counters, so the next count of six events
could not get all of them while the count before still holds its own.
"""
import pathlib

import pytest

from csv_rows import rows
from guest import guest_outputs

SIX = "cycles,instructions,instructions:u,instructions:k,r11,r8"
SHARED = "instructions:ub,cycles:b,instructions:b,instructions:kb,instructions:Hb"
NEXT = f"echo '# next'; pstat -x, -e {SIX} true"
CASES = {
    "shared counters": f"pstat -x, -e {SHARED} true >/dev/null 2>&1; {NEXT}",
    "counters that are not shared": f"pstat -x, --bpf-counters --bpf-attr-map /tmp/none -e cycles,instructions,r11,r8,r1b true >/dev/null 2>&1; {NEXT}",
    "control groups": f"""
mkdir /sys/fs/cgroup/a; pstat -x, -a --bpf-counters --for-each-cgroup a -e cycles,instructions,r11,r8,r1b true >/dev/null 2>&1; {NEXT}""",
    "runs of BPF programs": f"""
. ./target; target; pstat -x, -b $id -e cycles,instructions,r11,r8,r1b true >/dev/null 2>&1; {NEXT}; stop_target""",
    "a session that did not make the leader": f"""
pstat -x, -e {SHARED} -- spin 100000000 >/dev/null 2>&1 & maker=$!
usleep 300000
pstat -v -x, -e {SHARED} --timeout 300 -a & joiner=$!
usleep 150000; kill -KILL $maker; killall -KILL spin; wait $joiner
{NEXT}""",
    "repeats": """
pstat -x, -r 6 -e instructions:ub,cycles:b,instructions:b,instructions:kb -- spin 20000
echo "# one"; pstat -x, -e instructions:ub -- spin 20000""",
}
FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("target", "ask")]


@pytest.fixture(scope="module")
def results():
    return guest_outputs(CASES, files=FILES, arch="aarch64", kernel="6.12", icount=True)


@pytest.mark.parametrize("name", [name for name in CASES if name != "repeats"])
def test_the_next_count_gets_its_counters_at_once(results, name):
    found = rows(results[name].split("# next\n")[1])
    assert [row.event for row in found] == SIX.split(","), results[name]
    # each event had a counter all the time
    assert [row.percent for row in found] == [100] * 6, results[name]


def test_each_run_of_a_series_has_its_counters(results):
    series, one = results["repeats"].split("# one\n")
    (expected,) = [row.value for row in rows(one)]
    # in a series, the event is followed by a field with the deviation
    counted = {line.split(",")[2]: line.split(",") for line in series.splitlines()}
    assert float(counted["instructions:ub"][0]) == expected and "never got" not in series, series
    assert all(float(fields[5]) == 100 for fields in counted.values()), series
