# SPDX-License-Identifier: GPL-2.0-only
"""Sharing counters with other tools through perf's ABI, with perf's keys. A tool that implements
the ABI uses pstat's counters, and pstat uses that tool's counters. If PERF_BPF=/path/to/perf names
a perf with --bpf-counters, perf itself is also tested."""
import pathlib
import re

import pytest

from csv_rows import rows
from guest import guest_each, machines
from perf_tool import outputs

HERE = pathlib.Path(__file__).parent
FILES = [HERE / "guest-files" / name for name in ("sessions", "bpf-objects", "map-dump")]
GOLDEN = HERE.parent / "golden/bperf/attr-keys.txt"
MACHINES = machines(("x86_64", "6.12"), ("aarch64", "6.12"))
MAP = "/sys/fs/bpf/perf_attr_map"

KEYS = [re.fullmatch(r"(.*?\S)\s{2,}(\w+)\s+(\w+)\s+(0x\w+)((?:\s+\d+:\d=\w+)*)", line).groups()
        for line in GOLDEN.read_text(encoding="ascii").splitlines() if line and line[0] != "#"]

# pstat counts a task. perf-abi follows its leader and counts first the task, then a CPU, then all
# CPUs.
PSTAT_LEADS = """
rm -f {map}; {make}
. ./sessions
spin --nap 1000 200000 & task=$!
start --bpf-counters -e task-clock,cs,page-faults{more} -p $task; ask 1
start -e task-clock,task-clock:b -p $task; ask 2
for event in task-clock cs page-faults{follow}; do
    for target in "-p $task" "-C 0" ""; do
        echo "$event [$target]"; timeout 20 perf-abi follow $event $target --ms 200
    done
done
objects
end_all
kill $task
./map-dump
"""
# perf-abi leads the events. pstat counts with this leader, for each kind of target, next to native
# events.
ABI_LEADS = """
rm -f {map} log
spin --nap 1000 200000 & task=$!
perf-abi leader task-clock:b page-faults:b cs:b{more} --key-size {size} >log & abi=$!
until grep -qs ready log; do usleep 10000; done
before=$(bpftool prog show | grep -c 'name on_switch ')
for target in "-p $task" "-t $task" -a "-C 0"; do
    echo "# $target"
    pstat -v -x, -e task-clock,task-clock:b,page-faults,page-faults:b{events} $target --timeout 200
done
echo "# command"
pstat -x, -e task-clock,task-clock:b,page-faults,page-faults:b{events} -- faults 3000
echo "# interval"
pstat -x, -e task-clock,task-clock:b,page-faults,page-faults:b{events} -I 100 \\
    --interval-count 3 -p $task
echo "# leaders"
pstat -x, -e task-clock:b,page-faults:b -p $task 2>/dev/null & p=$!; usleep 400000
echo leaders $before $(bpftool prog show | grep -c 'name on_switch ')
kill $p; wait $p
kill $abi; wait $abi
echo "# alone again"
pstat -x, -e task-clock,task-clock:b{events} -p $task --timeout 100
./map-dump
kill $task
"""


def keys_command():
    return (
        "\n".join(
            f"rm -f {MAP}; pstat {options} true 2>/dev/null; ./map-dump" for options, *_ in KEYS
        )
        + "\ncat /sys/bus/event_source/devices/msr/type"
        " /sys/kernel/tracing/events/sched/sched_switch/id"
    )


def commands(arch):
    more = (
        {"more": ",instructions,instructions:u", "follow": " instructions instructions:u"}
        if arch == "aarch64"
        else {"more": "", "follow": ""}
    )
    events = (
        {"more": " instructions:b", "events": ",instructions,instructions:b"}
        if arch == "aarch64"
        else {"more": "", "events": ""}
    )
    found = {
        "pstat leads": PSTAT_LEADS.format(map=MAP, make="", **more),
        "pstat leads in a map of 128 byte keys": PSTAT_LEADS.format(
            map=MAP, make="perf-abi leader cs:G --key-size 128 & usleep 200000; kill $!; wait",
            **more,
        ),
        # an entry that a later version of a tool may make
        "pstat leads in a map of 144 byte keys": PSTAT_LEADS.format(
            map=MAP, make="perf-abi leader cs:G --key-size 144 & usleep 200000; kill $!; wait",
            **more,
        ), **{
            f"perf-abi leads, {size}": ABI_LEADS.format(map=MAP, size=size, **events)
            for size in (136, 128, 144)
        }, "pstat leads by modifier": f"""
rm -f {MAP}
. ./sessions
spin --nap 1000 200000 & task=$!
start -e task-clock:b,cs:b -p $task; ask 1
for event in task-clock:b cs:b; do echo "$event [-p]"
timeout 20 perf-abi follow $event -p $task --ms 200; done
end_all; kill $task
""", "another path": (
            "rm -f log; perf-abi leader task-clock --map /sys/fs/bpf/other >log & until [ -s "
            "log ]; do usleep 10000; done; "
            f"rm -f {MAP}; pstat -v --bpf-counters --bpf-attr-map /sys/fs/bpf/other -e "
            "task-clock -- spin 1000000; "
            "ls /sys/fs/bpf; kill $!; rm /sys/fs/bpf/other"),
        "a mode": f"rm -f {MAP}; umask 0; pstat --bpf-counters -e cs true; stat -c %a {MAP}",
    }
    if arch == "x86_64":
        found["keys"] = keys_command()
    return found


@pytest.fixture(scope="module", params=MACHINES, ids="-".join)
def results(request):
    arch, kernel = request.param
    done = guest_each(commands(arch), files=FILES, arch=arch, kernel=kernel, icount=True,
                      timeout=600)
    return {"arch": arch, **{name: result.stdout for name, result in done.items()}}


def followed(text):
    """Returns [(event, target, value, native)] from the output of perf-abi."""
    found = re.findall(r"^(\S+) \[(.*)\]\nready\nvalue (\d+) enabled \d+ running \d+ native (\d+)$",
                       text, re.M)
    return [(event, target.split(" ")[0], int(value), int(native))
            for event, target, value, native in found]


@pytest.mark.parametrize("keys", ["", " in a map of 128 byte keys", " in a map of 144 byte keys"])
def test_a_tool_that_implements_the_abi_counts_correctly_on_leaders_of_pstat(results, keys):
    text = results["pstat leads" + keys]
    found = followed(text)
    assert len(found) == (15 if results["arch"] == "aarch64" else 9), text
    wrong = []
    for event, target, value, native in found:
        edge = 2 if event in ("cs", "page-faults") else 30000
        # Page faults of this tool itself occur between its two readings.
        if value != pytest.approx(native, rel=0.01, abs=edge):
            wrong.append(f"{event} {target}: native {native}, on the leader {value}")
        if event == "task-clock":
            assert value > 10**7, text
    assert not wrong, "\n".join(wrong)


def test_a_tool_counts_correctly_on_leaders_of_events_with_the_modifier_b(results):
    found = followed(results["pstat leads by modifier"])
    assert [event for event, *_ in found] == ["task-clock:b",
                                              "cs:b"], results["pstat leads by modifier"]
    for event, _, value, native in found:
        assert value == pytest.approx(native, rel=0.005, abs=2) and value > 10


def test_the_events_of_pstat_are_found_in_one_leader(results):
    """--bpf-counters and the modifier b use different keys for the same leader: perf searches for
    the first key, pstat for both."""
    leaders = int(re.search(r"^leaders (\d+)", results["pstat leads"], re.M)[1])
    assert leaders == 1, results["pstat leads"]


def pairs(text):
    """Returns the rows of native events, each with the next row of the same event through BPF."""
    found = rows(text)
    assert all(bperf.event == f"{native.event}:b"
               for native, bperf in zip(found[::2], found[1::2])), text
    return list(zip(found[::2], found[1::2]))


def differs(event, native, bperf):
    edge = {"task-clock": 0.05, "page-faults": 2, "instructions": 25000}[event]
    return bperf != pytest.approx(native, rel=0.01, abs=edge)


@pytest.mark.parametrize("size", [136, 128, 144])
def test_pstat_counts_correctly_on_leaders_of_another_tool(results, size):
    text = results[f"perf-abi leads, {size}"]
    parts = dict(re.findall(r"^# (.*)\n((?:(?!# ).*\n)*)", text, re.M))
    assert len(parts) == 8, text
    wrong = []
    for name, part in parts.items():
        if name in ("leaders", "interval"):
            continue
        found = pairs(part)
        wrong += [
            f"{name}: {native.event} {native.value}, {bperf.event} {bperf.value}"
            for native, bperf in found if differs(native.event, native.value or 0, bperf.value or 0)
        ]
        assert found, (name, part)
    assert not wrong, "\n".join(wrong)
    # The task may run once, for a few milliseconds, between the operations for one event and those
    # for the next, at the start or at a reading between two intervals.
    intervals = pairs(parts["interval"])
    times = list(dict.fromkeys(native.time for native, _ in intervals))
    assert len(times) == 3, parts["interval"]
    for native, bperf in intervals:
        assert (bperf.value or 0) == pytest.approx(native.value or 0, rel=0.1,
                                                   abs=2), parts["interval"]
    apart = {
        native.time for native, bperf in intervals
        if differs(native.event, native.value or 0, bperf.value or 0)
    }
    assert not {times[0], times[2]} <= apart, parts["interval"]


@pytest.mark.parametrize("size", [136, 128, 144])
def test_pstat_makes_no_leader_where_there_is_one(results, size):
    before, now = re.search(r"^leaders (\d+) (\d+)$", results[f"perf-abi leads, {size}"],
                            re.M).groups()
    assert before == now != "0"


def test_another_map_can_be_named(results):
    text = results["another path"]
    assert re.search(
        r"^pstat: task-clock: counted by the leader of link \d+, which another tool "
        r"made$", text, re.M), text
    assert text.splitlines()[-1] == "other", text


def test_only_root_can_read_the_map(results):
    assert results["a mode"].splitlines()[-1] == "600"


def test_the_keys_are_those_of_perf(results):
    if results["arch"] != "x86_64":
        pytest.skip("probe: the recording is of a machine with an msr PMU, this one is arm64")
    *lines, msr, tracepoint = results["keys"].splitlines()
    assert len(lines) == len(KEYS), results["keys"]
    ids = {"msr": msr, "sched_switch": tracepoint}
    for (options, kind, config, flags, more), line in zip(KEYS, lines):
        key, value = (bytes.fromhex(text.replace(" ", "")) for text in line.split(" = "))
        expected = bytearray(136)
        members = [(0, 4, ids.get(kind, kind)), (4, 4, "136"), (8, 8, ids.get(config, config)),
                   (40, 8, flags), *((int(at), int(size), number)
                                     for at, size, number in re.findall(r"(\d+):(\d)=(\w+)", more))]
        for at, size, number in members:
            expected[at:at + size] = int(number, 0).to_bytes(size, "little")
        assert key.hex(" ") == bytes(expected).hex(" "), options
        assert len(value) == 8 and value[:4] != bytes(4) and value[4:] != bytes(4)


# ---- perf itself ----

EVENTS = "task-clock,cs,msr/tsc/,sched:sched_switch"
PERF_SETUP = "spin --nap 1000 200000 & task=$!\n"

WITH_PERF = {
    # -I is used because without it, perf stops counting before it reads.
    "perf on pstat": PERF_SETUP + f"""
. ./sessions
start --bpf-counters -e {EVENTS} -p $task; ask 1
./perf stat -x, --bpf-counters -e {EVENTS} -p $task -I 300 --interval-count 2 -o perf.out & perf=$!
pstat -x, -e task-clock,cs,sched:sched_switch -p $task -I 300 --interval-count 2 >native 2>&1
wait $perf; echo status $?
objects
cat perf.out; echo "# native"; cat native; end_all; kill $task
""",
    "pstat on perf": PERF_SETUP + f"""
rm -f {MAP}
./perf stat --bpf-counters -e {EVENTS} -p $task -I 10000 -o perf.out & perf=$!
usleep 1500000
before=$(bpftool prog show | grep -c 'name on_switch ')
pstat -v -x, --bpf-counters -e {EVENTS} -p $task --timeout 500 & pstat=$!
pstat -x, -e task-clock,cs,sched:sched_switch,task-clock:b -p $task --timeout 500 >native 2>&1
usleep 100000
wait $pstat; echo status $?
echo leaders $before
echo "# native"; cat native
kill -INT $perf; wait $perf; kill $task
""",
}


@pytest.fixture(scope="module")
def with_perf():
    return outputs(WITH_PERF, FILES, timeout=300)


def test_perf_counts_on_leaders_of_pstat(with_perf):
    text = with_perf["perf on pstat"]
    assert "status 0" in text and "leaders 1 " in text, text
    perf = re.findall(r"^ *[\d.]+,([\d.]+),(?:msec)?,(task-clock|cs|msr/tsc/|sched:sched_switch),",
                      text.split("# native")[0], re.M)
    native = re.findall(r"^ *[\d.]+,([\d.]+),(?:msec)?,(task-clock|cs|sched:sched_switch),",
                        text.split("# native")[1], re.M)
    assert len(perf) == 8 and len(native) >= 6, text
    for (count, event), (expected, same) in zip([row for row in perf if row[1] != "msr/tsc/"],
                                                native):
        assert event == same
        # Two tools do not begin at the same moment.
        assert float(count) == pytest.approx(float(expected), rel=0.15, abs=10), text


def test_pstat_counts_on_leaders_of_perf(with_perf):
    text = with_perf["pstat on perf"]
    assert "status 0" in text and "leaders 4" in text, text
    assert len(re.findall(r"which another tool made", text)) == 4, text
    counted = {row.event: row.value for row in rows(text.split("# native")[0])}
    native = {row.event: row.value for row in rows(text.split("# native")[1])}
    assert counted["task-clock"] == pytest.approx(native["task-clock"], rel=0.05), text
    for event in ("cs", "sched:sched_switch"):
        assert counted[event] == pytest.approx(native[event], rel=0.05, abs=10), text
