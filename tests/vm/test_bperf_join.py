# SPDX-License-Identifier: GPL-2.0-only
"""Sessions that use a leader of another session although their events or options differ."""

import pytest

from csv_rows import rows
from guest import guest_each

# A session that continues, so that its leader exists.
LASTING = (
    "pstat --bpf-counters -a -e cs,task-clock,page-faults,msr/tsc/ --timeout 60000 >/dev/null 2>&1"
    " & lasting=$!; usleep 500000\n"
)
CPU1 = "/sys/devices/system/cpu/cpu1/online"
NUMBERS = (5, 64, 65, 200)


FORMS = [("--bpf-counters -e sched:sched_switch", "-e sched:sched_switch:b"),
         ("-e sched:sched_switch:b", "--bpf-counters -e sched:sched_switch")]


def times(number):
    return ",".join(["task-clock:b"] * number)


ONE_CPU = {
    **{
        number: (
            f"{LASTING}spin --ms 5000 >/dev/null & pid=$!; pstat -x, -e"
            f" task-clock,{times(number)} -p $pid --timeout 100; kill $lasting $pid"
        )
        for number in NUMBERS
    },
    # the third session first finds the entry of the first one, which has another exclude_guest
    **{
        f"after {first}": f"""
pstat -a {first} true >/dev/null 2>&1
pstat -a {second} --timeout 60000 >/dev/null 2>&1 & lasting=$!; usleep 500000
pstat -v -a {first} true 2>&1; kill $lasting"""
        for first, second in FORMS
    },
    "CPUs": f"{LASTING}pstat -x, -e task-clock,{times(200)} -a --timeout 100; kill $lasting",
    "namespaces": """
cat >inner <<'END'
mount -t proc proc /proc
spin --ms 3000 >/dev/null & here=$!
unshare -p -f spin --ms 3000 >/dev/null & usleep 200000
below=$(cat /proc/$!/task/$!/children)
pstat -x, -e task-clock,task-clock:b -p $here --timeout 100
pstat -x, -e task-clock,task-clock:b -p $below --timeout 100
END
unshare -p -f sh inner
""",
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


@pytest.mark.parametrize("first", [first for first, _ in FORMS])
def test_an_entry_without_a_leader_hides_no_other_leader(one_cpu, first):
    text = one_cpu[f"after {first}"].stdout
    assert "counted by the leader of link" in text and "made the leader" not in text, text


def test_a_task_in_a_child_pid_namespace_is_reported_as_not_counted(one_cpu):
    text = one_cpu["namespaces"].stdout
    in_same, in_below = text.split("pstat: ")
    native, counted = (row.value for row in rows(in_same))
    assert native > 10 and counted == pytest.approx(native, rel=0.005), text
    assert "1 of the threads" in in_below and "in another PID namespace" in in_below, text
    native, counted = (row.value for row in rows(in_below))
    assert native > 10 and not counted, text


# CPU 1 comes online after the leader was made.
TWO_CPUS = {
    "new CPU": f"""
echo 0 >{CPU1}
{LASTING}
echo 1 >{CPU1}
pstat -v -x, -e page-faults,page-faults:b,task-clock,task-clock:b -- taskset 2 faults 3000
kill $lasting
""", "all at once": """
sleep 1000 & task=$!
for i in $(seq 60); do
    pstat -v --bpf-counters -e cs,task-clock,page-faults -p $task \\
        --timeout 500000 >/dev/null 2>said.$i &
    sessions="$sessions $!"
done
for i in $(seq 600); do
    [ $(grep -l 'leader of link' said.* | wc -l) = 60 ] && break
    usleep 200000
done
kill $sessions; grep -h -e 'made the leader' -e 'without the lock' -e 'without this lock' said.*
kill $task
""", "other leader": f"{LASTING}pstat -v --bpf-counters -e cs true; kill $lasting",
}


@pytest.fixture(scope="module")
def two_cpus():
    return guest_each(TWO_CPUS, arch="x86_64", cpus=2)


def test_a_leader_that_was_made_before_a_cpu_came_is_repaired(two_cpus):
    text = two_cpus["new CPU"].stdout
    assert (
        "another leader" not in text and "page-faults:b: counted by the leader of link" in text
    ), text
    assert "task-clock:b: counted by the leader of link" in text, text  # a clock needs no event
    native, counted = (row.value for row in rows(text) if row.event.startswith("page-faults"))
    assert native > 3000 and counted == pytest.approx(native, rel=0.01), text


def test_a_leader_that_has_all_cpus_is_not_repaired(two_cpus):
    text = two_cpus["other leader"].stdout
    assert "cs: counted by the leader of link" in text and "made the leader" not in text, text
    assert text.endswith(" # counters read by BPF: 1 shared (made by another session)\n"), text


def test_sixty_sessions_that_begin_at_once_wait_for_each_other_and_make_two_leaders(two_cpus):
    said = two_cpus["all at once"].stdout
    assert said.count(
        "made the leader"
    ) == 2 and "without the lock" not in said and "without this lock" not in said, said
