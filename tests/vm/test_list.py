# SPDX-License-Identifier: GPL-2.0-only
"""pstat list in guests: each event that it prints can be opened, or --check prints why not."""
import json

import pytest

from guest import GUESTS, guest_each

KINDS = "hw sw cache tool pmu 'sched:*' 'syscalls:sys_enter_w*'"

COMMANDS = {
    "check": f"pstat list --check -j {KINDS} 2>/dev/null",
    # pstat counts each event: NAME, exit status, and "no" if the event is not supported
    "count": f"""
pstat list --no-desc {KINDS} | sed 's/^  //; s/ .*//' | while read -r name; do
    pstat -x, -e "$name" -o out true 2>err
    code=$?
    grep -q '<not supported>' out && code=no
    echo "$name $code"
done
""",
    "hardware": "pstat -x, -e cycles,instructions true",
}


@pytest.fixture(scope="module", params=GUESTS, ids=lambda machine: "-".join(machine))
def results(request):
    return request.param, guest_each(COMMANDS, arch=request.param[0], kernel=request.param[1],
                                     timeout=300)


def test_each_event_opens_or_check_says_why_not(results):
    events = {event["EventName"]: event for event in json.loads(results[1]["check"].stdout)}
    counted = dict(line.split() for line in results[1]["count"].stdout.splitlines())
    assert counted.keys() == events.keys()
    assert len(events) > 60
    for name, event in events.items():
        if name in ("run_cnt", "scope-time"):
            assert counted[name] == "129", "it needs -b or --scope"
        elif event["Opens"] == "no":
            assert event["WhyNot"]
            assert counted[name] != "0"
        elif event["Opens"] == "yes":
            assert counted[name] == "0"


def test_events_of_a_pmu_are_listed_with_their_pmu(results):
    (arch, _), done = results
    events = {event["EventName"]: event for event in json.loads(done["check"].stdout)}
    assert events["cycles" if "cycles" in events else "cpu-cycles"]["Opens"] == (
        "yes" if arch == "aarch64" else "no")
    if arch == "aarch64":
        assert events["armv8_pmuv3/cpu_cycles/"]["Opens"] == "yes"
        assert events["armv8_pmuv3/cpu_cycles/"]["Unit"] == "armv8_pmuv3"
    else:
        assert events["msr/tsc/"]["Opens"] == "yes"
