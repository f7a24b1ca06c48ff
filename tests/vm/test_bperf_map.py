# SPDX-License-Identifier: GPL-2.0-only
"""The map through which counters are shared, in every state in which another tool, an older run or
an attacker can leave it. In each state, pstat must count correctly within two seconds, either
shared or with a message that says why not, and must not change a map that is not its own."""
import pathlib
import re

import pytest

from csv_rows import rows
from guest import guest_each

FILES = [
    pathlib.Path(__file__).parent / "guest-files" / name
    for name in ("sessions", "bpf-objects", "map-dump")
]
MAP = "/sys/fs/bpf/perf_attr_map"
EVENTS = "task-clock,task-clock:b,cs,cs:b"
LIMIT = 2.0  # seconds, for a count of 0.1 s

# each of these keys has an entry: that of the modifier b and that of --bpf-counters
ENTRIES = ("dead-ids", "no-ids", "xdp-link", "other-program", "other-place", "other-type", "no-map",
           "small-map", "other-map", "killed")
# a leader of another event with the same shape: no property that can be queried distinguishes the
# two
LEADERS = ("swapped",)
SHARED = "counters are shared through /sys/fs/bpf/perf_attr_map"
NO_MAP = (
    "counters are not shared: /sys/fs/bpf/perf_attr_map: the object that is pinned there is not "
    "a map from attrs to leaders"
)
FULL = "event 4: counted, but not shared, because the map of shared counters is full"
# the message for each state
MAPS = {
    "full-dead": SHARED, "full-foreign": FULL, "full-live": FULL, "small-key": SHARED,
    "large-key": SHARED, "odd-value": NO_MAP, "array": NO_MAP, "lru": NO_MAP, "percpu": NO_MAP,
    "frozen": "cs:b: counted, but not shared: Operation not permitted", "program": NO_MAP,
    "link": NO_MAP,
    "directory": "counters are not shared: /sys/fs/bpf/perf_attr_map is a directory",
}

# $task runs half of the time. Prints how long the count took, in hundredths of a second of the
# guest.
COUNT = f"""
count()
{{
    begin=$(cut -d' ' -f1 /proc/uptime | tr -d .)
    timeout -s KILL 20 "$@"
    echo "status $? after $(($(cut -d' ' -f1 /proc/uptime | tr -d .) - begin))"
}}
"""


def bad(kind, names="", options="", before="", after=""):
    return f"""
{COUNT}
rm -rf {MAP}
spin --nap 1000 100000 & task=$!
rm -f log; perf-abi-corrupt {kind} {names} >log & bad=$!
until [ -s log ]; do usleep 10000; kill -0 $bad || break; done
cat log
{before}
count pstat -v -x, -e {EVENTS} {options} -p $task --timeout 100
echo "# again"
count pstat -v -x, --bpf-counters -e task-clock,cs -a --timeout 100
{after}
kill $bad; wait $bad
usleep 100000
echo "# without it"
count pstat -v -x, -e {EVENTS} -p $task --timeout 100
kill $task; wait $task
echo "# afterwards"
./bpf-objects before
rm -rf {MAP}
"""


LOCKS = {
    "by another user": (
        "rm -f log; perf-abi hold-lock --uid 65534 >log & lock=$!; until [ -s log ]; do usleep "
        "10000; done"
    ),
    "by root": (
        "rm -f log; perf-abi hold-lock >log & lock=$!; until [ -s log ]; do usleep 10000; done"
    ),
}

COMMANDS = {
    "before": "usleep 500000; ./bpf-objects >before",
    **{kind: bad(kind, "task-clock task-clock:b cs cs:b") for kind in (*ENTRIES, *LEADERS)},
    **{kind: bad(kind) for kind in MAPS}, "unreadable": f"""
{COUNT}
rm -f {MAP} log; perf-abi-corrupt unreadable >log & bad=$!
until [ -s log ]; do usleep 10000; done
spin --nap 1000 100000 & task=$!
count with-caps all-dac_override-dac_read_search pstat -v -x, -e {EVENTS} -p $task --timeout 100
kill $bad $task; wait
rm -f {MAP}
""", **{
        f"locked {who}": f"""
{COUNT}
rm -f {MAP}
spin --nap 1000 100000 & task=$!
{how}
count pstat -v -x, -e {EVENTS} -p $task --timeout 100
kill -KILL $lock $task; wait; killall spin
""" for who, how in LOCKS.items()
    },
    # each start is stopped a little later, so some of them hold a lock
    "stopped at any moment": f"""
{COUNT}
spin --nap 1000 100000 & task=$!
for i in $(seq 12); do
    pstat --bpf-counters -e task-clock,cs -o /dev/null -p $task & stopped=$!
    usleep $((i * 2000)); kill -STOP $stopped
    count pstat -x, -e {EVENTS} -p $task --timeout 100
    kill -KILL $stopped; wait $stopped
done 2>&1
kill $task
""", "no bpffs there": (
        f"{COUNT}\ncount pstat -x, --bpf-counters --bpf-attr-map /tmp/map -e page-faults "
        "true; ls /tmp"), "no such folder": (
            f"{COUNT}\ncount pstat -x, --bpf-counters --bpf-attr-map /sys/fs/bpf/none/map -e "
            "page-faults true"),
    "a file": (f"{COUNT}\necho kept >/tmp/map; count pstat -x, --bpf-counters --bpf-attr-map "
               "/tmp/map -e page-faults true; cat /tmp/map; rm /tmp/map"), "few capabilities": f"""
{COUNT}
rm -f {MAP} /run/pstat.lock
# where it is higher, Debian's kernels ask for CAP_SYS_ADMIN even to count
echo 2 >/proc/sys/kernel/perf_event_paranoid
spin --nap 1000 100000 & task=$!
count with-caps bpf,perfmon pstat -v -x, -e {EVENTS} -a --timeout 100
ls {MAP} /run/pstat.lock
count with-caps all-sys_admin pstat -v -x, -e {EVENTS} -p $task --timeout 100
count with-caps perfmon pstat -v -x, --bpf-counters -e cs -a --timeout 100
ls {MAP} /run/pstat.lock
kill $task
""", "eighteen events": f"""
rm -f {MAP} log; perf-abi leader cs:G >log & until [ -s log ]; do usleep 10000; done; kill $!
wait $!
pstat -v -x, -e $(echo task-clock:b cs:b page-faults:b cpu-clock:b migrations:b minor-faults:b \\
    major-faults:b alignment-faults:b \\
    task-clock:ub cs:ub page-faults:ub cpu-clock:ub migrations:ub minor-faults:ub task-clock:kb \\
        cs:kb page-faults:kb cpu-clock:kb |
    tr ' ' ,),task-clock spin 20000000; echo status $?
""",
}


@pytest.fixture(scope="module", params=["6.12"])
def results(request):
    done = guest_each(COMMANDS, files=FILES, arch="x86_64", kernel=request.param, icount=True,
                      timeout=600)
    return {name: result.stdout for name, result in done.items()}


def first_count(text):
    """Returns (status, seconds, output) of the first `count`."""
    said, status, hundredths = re.search(r"\A(.*?)^status (\d+) after (\d+)$", text,
                                         re.M | re.S).groups()
    return int(status), int(hundredths) / 100, said


def wrong(said, status):
    """Describes what is wrong with a count of EVENTS."""
    if status:
        return [f"status {status}"]
    by_name = {row.event: row.value for row in rows(said)}
    found = []
    for event, edge in (("task-clock", 0.1), ("cs", 3)):
        native, bperf = by_name.get(event), by_name.get(f"{event}:b")
        if native is None or not native or bperf is None or bperf != pytest.approx(
                native, rel=0.02, abs=edge):
            found.append(f"{event}: native {native}, bperf {bperf}")
    return found


def check(text):
    """Checks the first count in the text, and returns its messages."""
    status, seconds, said = first_count(text)
    assert not wrong(said, status), text
    assert seconds < LIMIT, text
    return said


def check_again(text):
    """Checks the second count, which is of all CPUs."""
    again = text.split("# again\n")[1]
    status, seconds, said = first_count(again)
    counted = {row.event: row.value for row in rows(said)}
    assert status == 0 and seconds < LIMIT, again
    assert counted["task-clock"] == pytest.approx(100,
                                                  rel=0.05) and 10 < counted["cs"] < 10000, again


@pytest.mark.parametrize("kind", ENTRIES)
def test_an_entry_that_names_no_leader_is_not_trusted(results, kind):
    """Whatever the entry contains, the session makes a leader, because that is always correct."""
    text = results[kind]
    assert text.startswith("ready\n")
    check(text)
    check_again(text)


@pytest.mark.parametrize("kind", LEADERS)
def test_a_leader_of_another_event_causes_no_lasting_error(results, kind):
    """The wrong event counts only user space, in which there are no switches, so task-clock gets
    this count. Context switches are counted correctly, whatever the leader reads."""
    first, again = results[kind].split("# without it\n")[0].split("# again\n")
    for part, names in ((first, ("task-clock:b", "cs:b")), (again, ("task-clock", "cs"))):
        status, seconds, said = first_count(part)
        assert status == 0 and seconds < LIMIT, part
        for name in names:
            assert re.search(
                rf"^pstat: {name}: counted by the leader of link \d+, which another "
                r"tool made$", said, re.M), part
        counted = {row.event: row.value for row in rows(said)}
        assert counted[names[0]] == 0 and counted[names[1]] > 10, part
        assert counted[names[1]] == pytest.approx(counted["cs"], abs=3), part


@pytest.mark.parametrize("kind", MAPS)
def test_with_an_unusable_map_the_count_is_correct_and_pstat_warns(results, kind):
    text = results[kind]
    assert text.startswith("ready\n")
    assert re.search(f"^pstat: {MAPS[kind]}", check(text), re.M), text
    check_again(text)


@pytest.mark.parametrize("kind", [*ENTRIES, *LEADERS, *MAPS])
def test_without_the_map_the_count_is_correct(results, kind):
    check(results[kind].split("# without it\n")[1])


@pytest.mark.parametrize("kind", [*ENTRIES, *LEADERS, *MAPS])
def test_events_that_could_not_be_shared_leave_nothing_behind(results, kind):
    left = results[kind].split("# afterwards\n")[1].split()
    kinds = {word for word in left if word in ("prog", "link")}
    assert not kinds, results[kind]


def test_a_full_map_of_dead_leaders_is_cleared_and_used(results):
    assert "full" not in first_count(results["full-dead"])[2].replace("full-dead", "")


def test_a_map_that_cannot_be_opened_is_reported(results):
    check(results["unreadable"])
    assert re.search(r"^pstat: counters are not shared: .*perf_attr_map: Permission denied$",
                     results["unreadable"], re.M)


@pytest.mark.parametrize("who", LOCKS)
def test_pstat_does_not_wait_for_a_lock_that_is_held_forever(results, who):
    check(results[f"locked {who}"])


def test_a_session_that_is_stopped_anywhere_does_not_block_others(results):
    parts = results["stopped at any moment"].split("status ")
    assert len(parts) == 13, results["stopped at any moment"]
    text = "status ".join(parts)
    for said, status, hundredths in re.findall(r"(.*?)^status (\d+) after (\d+)\n", text,
                                               re.M | re.S):
        assert not wrong(said, int(status)), said
        assert int(hundredths) / 100 < LIMIT, said


@pytest.mark.parametrize("name", ["no bpffs there", "no such folder", "a file"])
def test_a_path_where_nothing_can_be_pinned_is_reported_and_counters_are_not_shared(results, name):
    status, seconds, said = first_count(results[name])
    assert status == 0 and seconds < LIMIT, said
    assert re.search(r"^pstat: counters are not shared: /(tmp|sys/fs/bpf/none)", said, re.M), said
    assert [(row.event, row.value > 0) for row in rows(said)] == [("page-faults", True)], said
    if name == "a file":
        assert results[name].endswith("\nkept\n")


def test_without_sys_admin_nothing_is_shared_and_neither_map_nor_lock_is_made(results):
    text = results["few capabilities"]
    status, _, said = first_count(text)
    assert not wrong(said, status), text
    assert "CAP_SYS_ADMIN" in said
    assert text.count(f"ls: {MAP}: No such file") == 2 and text.count(
        "ls: /run/pstat.lock: No such file") == 2, text
    second = text.split("pstat.lock: No such file or directory\n")[1]
    assert not wrong(first_count(second)[2], first_count(second)[0]), second
    assert re.findall(r"^status (\d+)", text, re.M) == ["0", "0", "255"], text
    assert "CAP_BPF" in second[second.index("status"):], second


def test_events_that_do_not_fit_into_a_small_map_are_counted(results):
    text = results["eighteen events"]
    assert "status 0" in text
    counted = rows(text)
    assert len(counted) == 19 and None not in [row.value for row in counted], text
    clocks = {row.event: row.value for row in counted}
    assert clocks["task-clock:b"] == pytest.approx(clocks["task-clock"], rel=0.01)
