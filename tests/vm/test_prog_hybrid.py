# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b with events that exist only on some CPUs: those of the core PMUs of hybrid machines,
and of uncore PMUs."""
import pytest

from guest import guest_outputs

RUNS = 1000
# two PMUs of software events, each with one of the two CPUs
DEVICES = """
for pmu in cpu_core:0 cpu_atom:1; do
	mkdir -p /tmp/devices/${pmu%:*}/format
	echo 1 >/tmp/devices/${pmu%:*}/type
	echo ${pmu#*:} >/tmp/devices/${pmu%:*}/cpus
	echo config:0-63 >/tmp/devices/${pmu%:*}/format/event
done
mkdir -p /tmp/devices/uncore_x/format
echo 1 >/tmp/devices/uncore_x/type
echo 0 >/tmp/devices/uncore_x/cpumask
echo config:0-63 >/tmp/devices/uncore_x/format/event
mount -o bind /tmp/devices /sys/bus/event_source/devices
"""
# The runs are so short that calibration could subtract more than their time from a clock, so the
# tests use --no-calibrate.
EVENTS = "run_cnt,cpu_core/event=0/,cpu_atom/event=0/,task-clock"
COMMANDS = {
    f"on CPU {cpu}": f"""{DEVICES}
bpf-run sh -c 'pstat -x, -v --no-calibrate -b $BPF_ID -e {EVENTS} \\
    bpf-run --id $BPF_ID --cpu {cpu} --runs {RUNS}' 2>&1
umount /sys/bus/event_source/devices
""" for cpu in (0, 1)
}

COMMANDS["uncore"] = f"""{DEVICES}
bpf-run sh -c 'pstat -x, -v --no-calibrate -b $BPF_ID -e uncore_x/event=0/,task-clock \\
    bpf-run --id $BPF_ID --cpu 1 --runs {RUNS}' 2>&1
umount /sys/bus/event_source/devices
"""


@pytest.fixture(scope="module")
def results():
    return guest_outputs(COMMANDS, arch="x86_64", kernel="6.12", cpus=2)


@pytest.mark.parametrize("cpu", [0, 1])
def test_no_run_is_lost_where_an_event_is_on_other_cpus(results, cpu):
    text = results[f"on CPU {cpu}"]
    rows = {
        line.split(",")[2]: line.split(",")[0] for line in text.splitlines() if line.count(",") > 4
    }
    assert (
        f"{RUNS} runs counted; not counted: 0 lost, 0 with a counter that could not be read" in text
    )
    assert rows["run_cnt"] == str(RUNS)
    here, there = ("cpu_core/event=0/", "cpu_atom/event=0/")[::1 if cpu == 0 else -1]
    assert rows[there] == "<not counted>", text
    assert float(rows[here]) > 0 and float(rows["task-clock"]) > 0, text


def test_an_event_of_a_package_is_not_supported_inside_programs(results):
    text = results["uncore"]
    rows = {
        line.split(",")[2]: line.split(",")[0] for line in text.splitlines() if line.count(",") > 4
    }
    assert "uncore_x/event=0/: it counts a whole package, not a BPF program" in text
    assert rows["uncore_x/event=0/"] == "<not supported>"
    assert float(rows["task-clock"]) > 0
    assert (
        f"{RUNS} runs counted; not counted: 0 lost, 0 with a counter that could not be read" in text
    )
