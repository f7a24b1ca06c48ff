# SPDX-License-Identifier: GPL-2.0-only
"""The test bed itself: what other tests in guests rely on."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import pytest

import patience
from guest import (
    GUESTS,
    GuestError,
    argv,
    environment,
    guest,
    guest_bytes,
    guest_each,
    may_boot_again,
)


def counts(text):
    """Returns {event: counts} for perf-count's lines in `text`, with the counts in their order."""
    found = {}
    for event, count in re.findall(r"^(\S+) (\d+)$", text, re.M):
        found.setdefault(event, []).append(int(count))
    return found


@pytest.fixture(scope="module")
def exact():
    """Runs the same commands in two guests with instruction-exact time."""
    commands = {
        "programs": "for p in bpftool pstat bpf-run spin perf-count; do command -v $p; done",
        "mounts": "cut -d' ' -f2 /proc/mounts; cat /sys/fs/cgroup/cgroup.subtree_control",
        "spin 1000000": (
            "for i in 1 2 3 4 5; do perf-count instructions:u,cycles:u spin 1000000; done"
        ),
        "spin 3000000": (
            "for i in 1 2 3 4 5; do perf-count instructions:u,cycles:u spin 3000000; done"
        ),
        "all": (
            "perf-count instructions,context-switches,page-faults spin 1000000; cat /proc/uptime"
        ),
        "failing": "echo out; echo err >&2; exit 9",
    }
    return [guest_each(commands, icount=True) for _ in range(2)]


def test_output_status_and_files_come_through_byte_by_byte(tmp_path):
    blob = bytes(range(256)) * 1500 + b"\r\n\n\r\0 no newline at the end"
    (tmp_path / "blob").write_bytes(blob)
    tree = tmp_path / "tree"
    tree.mkdir()
    script = tree / "script"
    script.write_text("#!/bin/sh\nprintf 'script %s' $1 >&2\n")
    script.chmod(0o755)

    done = guest_bytes("cat blob; tree/script a; exit 37", arch="x86_64",
                       files=[tmp_path / "blob", tree])

    assert done.stdout == blob + b"script a"
    assert done.returncode == 37
    assert done.stderr == b""


def test_a_hung_guest_is_killed_and_its_output_and_processes_are_shown():
    with pytest.raises(GuestError) as error:
        guest("echo before; mkfifo fifo; cat fifo", timeout=6)
    assert "did not end within 6 s" in str(error.value)
    assert "Its output: before" in str(error.value)
    assert re.search(r"\d+ S +cat fifo", str(error.value))


@pytest.fixture(scope="module")
def panicked():
    return subprocess.run(argv("echo c >/proc/sysrq-trigger", arch="x86_64"),
                          env=environment("x86_64"), stderr=subprocess.PIPE, text=True)


def test_the_limit_of_a_guest_does_not_count_the_time_in_which_it_waits_for_a_cpu():
    """Four processes share a CPU, so each runs for a quarter of the time, and waits for the
    rest."""
    cpu = str(min(os.sched_getaffinity(0)))
    spinning = ["taskset", "-c", cpu, "sh", "-c", "while :; do :; done"]
    processes = [subprocess.Popen(spinning) for _ in range(4)]
    try:
        began = time.monotonic()
        with pytest.raises(subprocess.TimeoutExpired):
            patience.wait(processes[0], 0.1)
        passed, lost = time.monotonic() - began, patience.waited(processes[0].pid)
        assert passed > 0.1 + lost / 2 and lost > 0.1, (passed, lost)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_hung_guest_is_exit_status_124_and_a_panicked_one_125(panicked):
    hung = subprocess.Popen(argv("sleep 1000", timeout=5), env=environment(),
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert panicked.returncode == 125
    assert "died before the command ended" in panicked.stderr
    assert "Kernel panic - not syncing: sysrq triggered crash" in panicked.stderr
    assert hung.wait() == 124


def test_a_guest_that_died_is_booted_again_unless_bpf_or_perf_is_in_its_trace(panicked):
    console = panicked.stderr
    assert may_boot_again(console), console
    frame = re.search(r"^.* sysrq_handle_crash\+0x\w+/0x\w+.*$", console, re.M)[0]
    for name in ("bpf_prog_6deef7357e7b4530_on_switch+0x1a/0x2c",
                 "__perf_event_task_sched_out+0x5f/0x1d0", "? 0xffffffffc0012345"):
        assert not may_boot_again(console.replace(frame,
                                                  f"{frame}\n{frame.split(']')[0]}]  {name}")), name
    assert not may_boot_again("run: the x86_64 guest died before the command ended; the end of its "
                              "console:\n    (nothing)\n")


def test_a_guest_that_died_is_in_the_report_of_its_test(tmp_path):
    (tmp_path / "test_it.py").write_text("import guest\n\ndef test_it():\n    "
                                         "guest.deaths.append('x86_64-6.12: BUG: one')\n\n"
                                         "def test_another():\n    pass\n")
    report = tmp_path / "report.xml"
    subprocess.run([
        sys.executable, "-m", "pytest", "-q", "-p", "conftest", f"--junitxml={report}", "test_it.py"
    ], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent)})
    cases = {
        case.get("name"): [(one.get("name"), one.get("value")) for one in case.iter("property")]
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase")
    }
    assert cases == {"test_it": [("guest died", "x86_64-6.12: BUG: one")], "test_another": []}


def test_a_command_may_exit_with_the_statuses_of_a_hung_or_dead_guest():
    assert guest("exit 124").returncode == 124


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_takes_its_guest_with_it(number, tmp_path):
    run = subprocess.Popen(argv("while :; do :; done"), env=environment(TMPDIR=str(tmp_path)))
    qemus = []
    deadline = time.monotonic() + 30
    while not qemus and time.monotonic() < deadline:
        time.sleep(0.2)
        qemus = processes_naming(str(tmp_path))
    assert qemus
    run.send_signal(number)
    run.wait()
    deadline = time.monotonic() + 5
    while processes_naming(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_naming(str(tmp_path)) == []
    if number == signal.SIGTERM:
        assert run.returncode == 128 + signal.SIGTERM
        assert os.listdir(tmp_path) == []


def processes_naming(text):
    """Returns the command lines of QEMU processes that contain `text`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                line = file.read()
        except OSError:
            continue
        if line.startswith("qemu-system-") and text in line:
            found.append(line)
    return found


def test_guests_at_the_same_time_do_not_disturb_each_other(tmp_path):
    runs = []
    for name in ("one", "two"):
        file = tmp_path / name / "file"
        file.parent.mkdir()
        file.write_text(name)
        command = argv("cat file; nproc", cpus=2, files=[file])
        runs.append(subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True))
    assert [run.communicate()[0] for run in runs] == ["one2\n", "two2\n"]


def test_a_guest_has_the_programs_and_file_systems_that_tests_need(exact):
    assert exact[0]["programs"].stdout.splitlines() == [
        "/bin/bpftool",
        "/usr/local/bin/pstat",
        "/usr/local/bin/bpf-run",
        "/usr/local/bin/spin",
        "/usr/local/bin/perf-count",
    ]
    assert exact[0]["mounts"].stdout.splitlines() == [
        "/",
        "/proc",
        "/sys",
        "/dev",
        "/sys/fs/cgroup",
        "/sys/fs/bpf",
        "/sys/kernel/tracing",
        "/sys/kernel/debug",
        "pids",
    ]


def test_steps_in_one_guest_have_their_own_status_and_output(exact):
    failing = exact[0]["failing"]
    assert (failing.returncode, failing.stdout) == (9, "out\nerr\n")
    assert exact[0]["mounts"].returncode == 0


def test_with_exact_time_arm64_counts_each_instruction_and_two_cycles_for_it(exact):
    few, many = (counts(exact[0][name].stdout) for name in ("spin 1000000", "spin 3000000"))
    for user in (few, many):
        assert len(user["instructions:u"]) == 5
        assert user["cycles:u"] == [2 * count for count in user["instructions:u"]]
    # Sometimes a turn is a few instructions longer, because an interrupted instruction is started
    # twice.
    assert min(many["instructions:u"]) - min(few["instructions:u"]) == 2 * 2000000


def test_with_exact_time_two_guests_print_the_same(exact):
    first, second = ({name: done.stdout for name, done in results.items()} for results in exact)
    assert counts(first["all"])["instructions"]
    assert first == second


@pytest.fixture(scope="module", params=GUESTS, ids=lambda machine: "-".join(machine))
def runs(request):
    """Returns the output of bpf-run in a guest of each kind. On x86-64 with exact time, one
    nanosecond is one instruction."""
    arch, kernel = request.param
    commands = {
        "release": "uname -m; uname -r",
        "commands": (
            "printf 'run 7\\ncounter\\nloops 5\\nrun 2\\ncounter\\nquit\\n' | bpf-run --prog loop"
        ),
        "other": (
            "bpf-run --prog count --print-id sh -c"
            " 'echo id $BPF_ID; bpf-run --id $BPF_ID --runs 5; bpftool map dump name "
            "bpf_run_.bss | grep counter; exit 3'"
        ),
        "hold": (
            "bpf-run --prog count --hold --print-id >id & until [ -s id ]; do sleep 0.1; done;"
            "bpf-run --id $(cat id) --runs 5; kill $!; wait $!; tail -n +2 id"
        ),
        "forever": "bpf-run --prog count --forever --batch 10 & sleep 0.3; kill $!; wait $!",
    }
    for kind in ("xdp", "raw_tp", "syscall"):
        commands[kind] = (f"bpf-run --type {kind} --prog count --runs 1000; bpf-run --type "
                          f"{kind} --prog count --runs 300 --each;"
                          f"bpf-run --type {kind} --prog loop --loops 100000 --runs 2; bpf-run "
                          f"--type {kind} --prog empty --runs 3")
    for loops in (1000, 2000, 3000):
        commands[loops] = (
            "sysctl -q kernel.bpf_stats_enabled=1;"
            f"bpf-run --prog loop --loops {loops} sh -c 'for i in $(seq 9); do "
            "bpf-run --id $BPF_ID --runs 1;"
            " bpftool prog show id $BPF_ID; done' | sed -n 's/.*run_time_ns \\([0-9]*\\).*/\\1/p'")
    return request.param, guest_each(commands, arch=arch, kernel=kernel, icount=True)


def test_a_guest_has_the_requested_architecture_and_kernel(runs):
    (arch, kernel), results = runs
    machine, release = results["release"].stdout.splitlines()
    assert machine == arch
    assert release.startswith(kernel + ".")


@pytest.mark.parametrize("kind", ["xdp", "raw_tp", "syscall"])
def test_a_program_runs_exactly_the_requested_number_of_times(runs, kind):
    assert runs[1][kind].stdout == (
        "runs 1000\ncounter 1000\n" "runs 300\ncounter 300\n" "runs 2\ncounter 2\n" "runs 3\n"
    )


def test_bpf_run_executes_the_commands_on_stdin(runs):
    assert runs[1]["commands"].stdout == "runs 7\ncounter 7\nloops 5\nruns 2\ncounter 9\n"


def test_a_program_can_be_run_by_another_process_than_the_one_that_loaded_it(runs):
    other = runs[1]["other"]
    assert re.fullmatch(r"(\d+)\nid \1\nruns 5\n.*\"counter\": 5\n", other.stdout)
    assert other.returncode == 3


def test_a_held_program_is_run_by_others_only(runs):
    assert runs[1]["hold"].stdout == "runs 5\nruns 0\ncounter 5\n"


def test_bpf_run_ends_at_a_signal_and_has_then_counted_all_runs(runs):
    ran, counted = re.fullmatch(r"runs (\d+)\ncounter (\d+)\n", runs[1]["forever"].stdout).groups()
    assert int(ran) >= 10
    assert ran == counted


def test_each_turn_of_the_loop_takes_the_same_number_of_instructions(runs):
    def shortest(loops):
        totals = [0, *map(int, runs[1][loops].stdout.split())]
        assert len(totals) == 10
        return min(after - before for before, after in zip(totals, totals[1:]))

    one, two, three = map(shortest, (1000, 2000, 3000))
    # The clock of an arm64 guest ticks every 16 ns, so the difference of two readings is wrong by
    # less than that.
    error = 4 * 16 if runs[0][0] == "aarch64" else 0
    assert one > 10 * 1000
    assert abs((three - two) - (two - one)) <= error
