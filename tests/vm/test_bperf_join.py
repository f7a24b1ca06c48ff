# SPDX-License-Identifier: GPL-2.0-only
"""What a session counts at a leader that another session has made, when the two differ in what they need of it."""
import pytest

from csv_rows import rows, values
from guest import guest_each

# A session that lasts; then its leader is there.
LASTING = "pstat --bpf-counters -a -e cs,task-clock,page-faults,msr/tsc/ --timeout 60000 >/dev/null 2>&1 & lasting=$!; usleep 500000\n"
NUMBERS = (5, 64, 65, 200)


def times(number):
    return ",".join(["task-clock:b"] * number)


ONE_CPU = {
    **{number: f"{LASTING}spin --ms 5000 >/dev/null & pid=$!; pstat -x, -e task-clock,{times(number)} -p $pid --timeout 100; "
       "kill $lasting $pid" for number in NUMBERS},
    "CPUs": f"{LASTING}pstat -x, -e task-clock,{times(200)} -a --timeout 100; kill $lasting",
}


@pytest.fixture(scope="module")
def one_cpu():
    return guest_each(ONE_CPU, arch="x86_64", icount=True)


@pytest.mark.parametrize("number", [*NUMBERS, "CPUs"])
def test_an_event_may_be_named_more_often_than_its_leader_has_events(one_cpu, number):
    text = one_cpu[number].stdout
    native, *counted = (row.value for row in rows(text))
    assert len(counted) == (200 if number == "CPUs" else number), text
    assert native > 10 and all(value == pytest.approx(native, rel=0.005) for value in counted), text
