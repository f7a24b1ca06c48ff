# SPDX-License-Identifier: GPL-2.0-only
"""Events whose values pstat reads without perf_event_open(2): facts about the machine, CPU times of
CPUs and tasks, sensors, and graphics devices. Also tests the term cpu=. The expected rows are the
rows that perf stat of Linux 7.2 prints for the same files (for CPU times: Linux 6.12)."""

import json
import os
import pathlib
import re
import subprocess

import pytest

from native import PATIENCE, PSTAT, csv_rows, online_cpus, run

SENSORS = {
    "hwmon0/name": "coretemp", "hwmon0/temp1_input": "42000", "hwmon0/temp1_label": "Package id 0",
    "hwmon0/temp2_input": "-5500", "hwmon1/name": "nct6775", "hwmon1/fan1_input": "1234",
    "hwmon1/temp1_input": "30500", "hwmon1/in0_input": "1104", "hwmon1/in0_label": "Vcore",
}

CLIENT = ("drm-driver:\\ti915\\ndrm-engine-render:\\t1234 ns\\n"
          "drm-engine-capacity-video:\\t2\\ndrm-total-system0:\\t125 MiB\\n"
          "drm-maxfreq-render:\\t1300 MHz\\n")

HIDE_CLASSES = ("mount -t tmpfs none /sys/class && mkdir /sys/class/hwmon && "
                "cd /sys/class/hwmon || exit 77; ")
# The files of a process that has a device open twice. The device itself is not needed.
MAKE_CLIENT = ("sleep 1000 & p=$!; trap 'kill $p' EXIT; cd /proc/$p && "
               "mount -t tmpfs none fdinfo && mount -t tmpfs none fd && "
               "mknod fdinfo/dev c 226 128 && ln -s ../fdinfo/dev fd/4 && "
               "ln -s ../fdinfo/dev fd/5 || exit 77; "
               f"printf '{CLIENT}' | tee fdinfo/4 >fdinfo/5; cd /; ")


def in_mounts(script, *args, command="stat"):
    """Runs pstat in a mount namespace in which `script` has mounted other files. Skips the test
    if the user may not mount."""
    words = ["unshare", "-m", "sh", "-c", f"{script} \"$@\"", "sh", PSTAT, command, *map(str, args)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip(f"probe: unshare -m and mount -t tmpfs: {done.stderr.strip()}")
    return done


def with_sensors(*args, command="stat"):
    """Runs pstat on a machine with the files of SENSORS."""
    files = " ".join(f"mkdir -p {os.path.dirname(name)}; echo '{text}' >{name};"
                     for name, text in SENSORS.items())
    return in_mounts(HIDE_CLASSES + files + "cd /;", *args, command=command)


def columns(text):
    """Returns value, unit and event of each CSV line."""
    return [tuple(row[:3]) for row in csv_rows(text)]


def test_facts_are_those_of_this_machine():
    online = str(len(online_cpus()))
    events = "num_cpus_online,tool/num_cpus_online/,tool/num_cpus_online,name=cpus/,target_cpu"
    assert columns(run("-x,", "-e", events, "true").stderr) == [
        (online, "", "num_cpus_online"), (online, "", "tool/num_cpus_online/"),
        (online, "", "cpus"), ("0", "", "target_cpu")]
    done = run("-x,", "-a", "-e", "target_cpu,core_wide", "true")
    assert columns(done.stderr) == [("1", "", "target_cpu"), ("1", "", "core_wide")]
    pmem = pathlib.Path("/sys/firmware/acpi/tables/NFIT").exists()
    done = run("-x,", "-e", "has_pmem", "true")
    assert columns(done.stderr) == [(str(int(pmem)), "", "has_pmem")]


def test_a_fact_is_the_same_in_every_interval_repetition_and_summary():
    done = run("-x,", "-I", 20, "--summary", "-e", "num_packages", "sleep", 0.07)
    figures = re.findall(r"(\d+),,num_packages,", done.stderr)
    assert len(figures) >= 4 and len(set(figures)) == 1
    done = run("-x,", "-r", 3, "-e", "num_packages", "true")
    assert columns(done.stderr) == [(figures[0], "", "num_packages")]
    assert csv_rows(done.stderr)[0][3] == "0.00%"


def test_a_fact_has_one_row_with_its_pmu_for_all_cpus():
    done = run("-x,", "-a", "-A", "-e", "num_cpus,tool/smt_on/", "true")
    assert [(row[0], row[3]) for row in csv_rows(done.stderr)] == [
        ("CPU0", "tool/num_cpus/"), ("CPU0", "tool/smt_on/")]


def test_a_fact_can_be_in_a_group_and_in_json():
    done = run("-j", "-e", "{num_cpus,cs}", "true")
    rows = [json.loads(line) for line in done.stderr.splitlines()]
    assert [row["event"] for row in rows] == ["num_cpus", "cs"]
    assert float(rows[0]["counter-value"]) >= 1
    assert run("-e", "tool/num_cpu/", "true").returncode == 129


@pytest.fixture
def not_nice():
    """In /proc/stat, the time of a process with a nice value above 0 is not user time (see
    proc(5))."""
    if os.nice(0) > 0 and os.geteuid():
        pytest.skip("probe: nice: the tests run with a nice value above 0, which only root can "
                    "lower")
    return lambda: os.setpriority(os.PRIO_PROCESS, 0, min(os.nice(0), 0))


def test_cpu_time_has_a_row_for_each_cpu(not_nice):
    spinning = ["sh", "-c", "timeout 0.2 sh -c 'while :; do :; done'; true"]
    done = run("-x,", "-a", "-A", "-e", "user_time,cpu-clock", *spinning, preexec_fn=not_nice)
    rows = [row for row in csv_rows(done.stderr) if row[3] == "user_time"]
    assert rows and all(row[0].startswith("CPU") for row in rows)
    ticks = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    assert all(int(row[1]) % ticks == 0 for row in rows)
    alone = run("-x,", "-a", "-e", "user_time,cpu-clock", *spinning, preexec_fn=not_nice)
    user, clock = columns(alone.stderr)
    assert 0 < int(user[0]) <= float(clock[0]) * 1e6 + 2 * ticks * os.cpu_count()


def test_with_the_term_cpu_only_these_cpus_are_counted():
    cpus = sorted(os.sched_getaffinity(0))
    events = [f"cpu-clock/cpu={cpu}/" for cpu in cpus]
    done = run("-x,", "-a", "-e", ",".join(events), "-e", "cpu-clock", "sleep", 0.1)
    *of_one, of_all = (float(row[0]) for row in csv_rows(done.stderr))
    # all clocks run for the same time, so the counts of the single CPUs add up to the count of all
    # CPUs
    assert sum(of_one) == pytest.approx(of_all, rel=0.2) and all(value > 90 for value in of_one)


def test_the_term_cpu_adds_rows_for_its_cpus_only():
    first, *_, last = sorted(os.sched_getaffinity(0)) * 2
    done = run("-x,", "-a", "-A", "-e", f"cs/cpu={first}/,cpu-clock/cpu={last}/", "sleep", 0.05)
    assert [(row[0], row[3]) for row in csv_rows(done.stderr)] == [
        (f"CPU{first}", f"cs/cpu={first}/"), (f"CPU{last}", f"cpu-clock/cpu={last}/")]
    if first != last:
        done = run("-x,", "-C", last, "-e", f"cs/cpu={first}/,cs", "true")
        assert (f"event 1: -C chooses CPUs {last}, but the term cpu= limits the event to "
                f"CPUs {first}") in done.stderr
        assert "(null)" not in done.stderr


def test_pstat_warns_if_the_term_cpu_names_an_offline_cpu(machine_of):
    """On this machine, CPU 0 is offline and CPU 1 is online."""
    warning = "pstat: event 2: the term cpu= names CPUs that are offline: 0"
    done = machine_of("sparse").run(
        [PSTAT, "-x,", "-a", "-A", "-e", "cs/cpu=1/,cs/cpu=0-1/,cs/cpu=2/", "true"])
    assert done.returncode == 0 and done.stderr.splitlines()[0] == warning
    rows = [(row[0], row[3]) for row in csv_rows(done.stderr.partition("\n")[2])]
    assert rows == [("CPU1", "cs/cpu=1/"), ("CPU1", "cs/cpu=0-1/"), ("CPU2", "cs/cpu=2/")]
    assert "offline" not in machine_of("sparse").run(
        [PSTAT, "-x,", "-C", "1", "-e", "cs/cpu=1/", "true"]).stderr


def test_with_the_term_cpu_a_task_is_counted_only_on_these_cpus():
    last = max(os.sched_getaffinity(0))
    done = run("-x,", "-e", f"task-clock/cpu={last}/,task-clock", "true",
               preexec_fn=lambda: os.sched_setaffinity(0, {last}))
    on_last, everywhere = csv_rows(done.stderr)
    assert on_last[0] == everywhere[0] and float(on_last[0]) > 0
    assert run("-e", "cs/cpu=0-1/", "true").returncode in (129, 234)
    assert run("-a", "--bpf-counters", "-e", "cs/cpu=0/", "true").returncode == 234


def test_sensors_are_events_of_their_chips():
    events = "hwmon_coretemp/temp1/,hwmon0/temp2/,fan1,in_vcore,hwmon_nct6775/in0_input/"
    assert columns(with_sensors("-x,", "-e", events, "true").stderr) == [
        ("42.00", "'C", "hwmon_coretemp/temp1/"), ("-5.50", "'C", "hwmon0/temp2/"),
        ("1234", "rpm", "fan1"), ("1.10", "V", "in_vcore"),
        ("1.10", "V", "hwmon_nct6775/in0_input/")]


def test_a_sensor_that_several_chips_have_is_shown_for_each():
    done = with_sensors("-x,", "-a", "-A", "-e", "temp1,fan1", "true")
    assert [tuple(row[:4]) for row in csv_rows(done.stderr)] == [
        ("CPU0", "42.00", "'C", "hwmon_coretemp/temp1/"),
        ("CPU0", "30.50", "'C", "hwmon_nct6775/temp1/"),
        ("CPU0", "1234", "rpm", "hwmon_nct6775/fan1/")]


def test_a_negative_temperature_has_a_negative_mean():
    done = with_sensors("-x,", "-r", 2, "-e", "hwmon0/temp2/", "true")
    assert columns(done.stderr) == [("-5.50", "'C", "hwmon0/temp2/")]


def test_a_sensor_that_never_answers_does_not_block_pstat():
    files = "mkdir hwmon0; echo slow >hwmon0/name; mkfifo hwmon0/temp1_input; cd /;"
    done = in_mounts(HIDE_CLASSES + files, "-x,", "-e", "hwmon0/temp1/", "true")
    assert columns(done.stderr) == [("<not counted>", "'C", "hwmon0/temp1/")]


def test_a_sensor_that_is_missing_is_not_supported_and_others_count():
    done = with_sensors("-x,", "-e", "hwmon0/temp7/,fan1", "true")
    assert columns(done.stderr) == [("<not supported>", "'C", "hwmon0/temp7/"),
                                    ("1234", "rpm", "fan1")]
    assert done.returncode == 0
    assert with_sensors("-e", "hwmon0/temp_nothing/", "true").returncode == 129


def test_sensors_are_listed_and_checked():
    done = with_sensors("--no-desc", "hwmon", command="list")
    assert re.findall(r"^  (hwmon_\S+)", done.stdout, re.M) == [
        "hwmon_coretemp/temp_package_id_0/", "hwmon_coretemp/temp2/", "hwmon_nct6775/fan1/",
        "hwmon_nct6775/in_vcore/", "hwmon_nct6775/temp1/"]
    done = with_sensors("--check", "fan", command="list")
    assert re.search(r"hwmon_nct6775/fan1/ .* can be opened\n", done.stdout)
    broken = in_mounts(HIDE_CLASSES + "mkdir -p hwmon0/fan1_input; echo x >hwmon0/name; cd /;",
                       "--check", "hwmon", command="list")
    assert re.search(r"hwmon_x/fan1/ .* cannot be opened\n +.Is a directory", broken.stdout)


def test_the_use_of_graphics_devices_is_summed():
    events = ("drm_i915/drm-engine-render/,drm-total-system0,drm-maxfreq-render,"
              "drm-engine-capacity-video")
    done = in_mounts(MAKE_CLIENT, "-x,", "-a", "-e", events, "true")
    assert columns(done.stderr) == [("1234", "ns", "drm_i915/drm-engine-render/"),
                                    ("131072000", "bytes", "drm-total-system0"),
                                    ("1300000000", "hz", "drm-maxfreq-render"),
                                    ("2", "capacity", "drm-engine-capacity-video")]
    done = in_mounts(MAKE_CLIENT + 'set -- "$@" -p $p sleep 0.01;', "-x,", "-e",
                     "drm-engine-render")
    assert columns(done.stderr) == [("1234", "ns", "drm-engine-render")]
    done = in_mounts(MAKE_CLIENT, "-x,", "-e", "drm-engine-render", "true")
    assert columns(done.stderr) == [("0", "ns", "drm-engine-render")]
