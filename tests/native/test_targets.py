# SPDX-License-Identifier: GPL-2.0-only
"""Targets: commands, their children, processes, threads and CPUs. Each count is compared with a
known value."""

import re
import subprocess
import time

import pytest

from native import (PATIENCE, count, cpu_seconds, csv_values, elapsed, online_cpus, proc_text, run,
                    start, std_count, wait_for, wait_for_cpu_time, wait_until_counting, workload)

# The number of page faults of a program differs a little between runs, because its addresses are
# random.
NOISE = 8
# The scheduler's clock stops during interrupts and steal time; the clock of perf events does not.
STOLEN = 1.05


def perf_count(event, *argv):
    """Returns the count of a perf event with enable_on_exec and inherit, from the exec of `argv`
    to its end."""
    text = subprocess.run(workload("perf-count", event, *argv), capture_output=True, text=True,
                          check=True).stderr
    return int(re.search(rf"^{event} (\d+)$", text, re.M)[1])


# ---- a command ----


def test_a_command_counts_from_its_exec():
    """The count excludes the faults of pstat's child before the exec. There are dozens of them,
    because fork shares pages."""
    assert abs(count("page-faults", "true") - perf_count("page-faults", "true")) <= NOISE


@pytest.mark.parametrize("command", ["/bin/true", "true"])
def test_the_count_of_a_command_includes_the_end_of_the_exec_but_not_its_start(tracefs, command):
    """The count also excludes attempts to execute the command in earlier directories of PATH."""
    if not (tracefs / "events/syscalls/sys_enter_execve").is_dir():
        pytest.skip("probe: tracefs has events/syscalls/sys_enter_execve: this kernel has no "
                    "system call tracepoints")
    values = csv_values(
        run("-x,", "-e", "syscalls:sys_enter_execve,syscalls:sys_exit_execve", command).stderr)
    assert values == {"syscalls:sys_enter_execve": 0, "syscalls:sys_exit_execve": 1}


def test_the_page_faults_of_a_command_are_exact():
    few, many = (count("page-faults", *workload("faults", n)) for n in (1000, 5000))
    assert abs(many - few - 4000) <= NOISE
    assert abs(few - 1000 - perf_count("page-faults", *workload("faults", 0))) <= NOISE


def test_a_tracepoint_of_a_command_is_exact(madvise):
    assert [count(madvise, *workload("faults", n)) for n in (0, 1, 4321)] == [0, 1, 4321]


def test_the_task_clock_of_a_command_is_its_cpu_time():
    """spin ends as soon as it has used 200 ms. Its last reading of the clock and its exit add a
    little."""
    assert 199 <= count("task-clock", *workload("spin", "--ms", 200)) <= 202 * STOLEN


def test_context_switches_are_those_that_the_kernel_itself_counts():
    """pstat counts perf-count, and perf-count counts its command. The counts differ only by the
    switches of perf-count itself."""
    inside = workload("perf-count", "context-switches", *workload("faults", "--pause", 1, 10))
    done = run("-x,", "-e", "cs", "-o", "outside", *inside)
    with open("outside", encoding="ascii") as file:
        outside = csv_values("".join(file.readlines()[2:]))["cs"]
    own = int(re.search(r"^context-switches (\d+)$", done.stderr, re.M)[1])
    assert own >= 10
    assert 0 <= outside - own <= 10


def test_children_of_a_command_are_counted(madvise):
    assert count(madvise, *workload("faults", "--children", 3, 700)) == 2100
    few, many = (count("page-faults", *workload("faults", "--children", 3, n)) for n in (0, 700))
    assert abs(many - few - 2100) <= 4 * NOISE


def test_children_are_not_counted_with_no_inherit(madvise):
    for option in ("-i", "--no-inherit"):
        assert count(madvise, option, *workload("faults", "--children", 3, 700)) == 0
        assert count("page-faults", option, *workload("faults", "--children", 3, 700)) < 700
    assert count(madvise, "-i", *workload("faults", 700)) == 700


def test_a_group_is_counted_like_single_events(madvise):
    done = run("-x,", "-e", f"{{{madvise},page-faults}}", *workload("faults", "--children", 2, 500))
    values = csv_values(done.stderr)
    assert values[madvise] == 1000
    assert 1000 <= values["page-faults"] <= 1300


def test_the_command_has_stdin_stdout_and_stderr_of_pstat():
    with start("-o", "report", "-e", "cs", "sh", "-c", "tr a-z A-Z; echo err >&2",
               stdin=subprocess.PIPE) as process:
        out, err = process.communicate("through\n", timeout=PATIENCE)
    assert (out, err, process.returncode) == ("THROUGH\n", "err\n", 0)


def test_the_command_inherits_only_the_standard_files_of_pstat():
    script = "for fd in $(seq 0 99); do [ ! -e /proc/$$/fd/$fd ] || echo $fd; done"
    assert run("-o", "report", "-e", "cs", "sh", "-c", script).stdout == "0\n1\n2\n"


def test_the_command_has_the_signal_mask_that_pstat_was_started_with():
    """pstat blocks signals for itself. A command that inherited this mask could not be stopped."""
    done = run("-o", "report", "-e", "cs", "grep", "SigBlk", "/proc/self/status")
    assert re.fullmatch(r"SigBlk:\s+0+\n", done.stdout)


# ---- processes and threads ----


def test_a_spinning_process_uses_the_whole_time_of_the_count(spinner):
    """The task clock is at most the total CPU time of the process, and at least its CPU time during
    the reported time. On an idle machine, both limits are equal to the reported time."""
    pid = spinner().pid
    began, used = time.monotonic(), cpu_seconds(pid)
    done = run("-p", pid, "-e", "task-clock", "--timeout", 300)
    used, took = cpu_seconds(pid) - used, time.monotonic() - began
    reported, clock = elapsed(done.stderr), std_count(done.stderr, "task-clock") / 1000
    assert 0.3 <= reported <= took
    assert clock <= reported * 1.001 and clock <= used * STOLEN
    assert clock >= (reported - (took - used)) * 0.98


def test_two_processes_are_counted_together(spinner):
    pids = [spinner().pid, spinner().pid]
    began, used = time.monotonic(), sum(map(cpu_seconds, pids))
    done = run("-p", ",".join(map(str, pids)), "-e", "task-clock", "--timeout", 300)
    used, took = sum(map(cpu_seconds, pids)) - used, time.monotonic() - began
    clock = std_count(done.stderr, "task-clock") / 1000
    # outside of the count, the process used at most the time that is not in the elapsed time
    assert used - 2 * (took - elapsed(done.stderr)) * 1.02 <= clock <= used * STOLEN


WITHOUT_MAIN = """
#include <pthread.h>
#include <stdio.h>
static void *spin(void *arg) { for (volatile long n = 0;; n++) ; return arg; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin, NULL);
    puts("ready");
    fflush(stdout);
    pthread_exit(NULL);
}
"""


def test_a_process_whose_main_thread_has_ended_is_counted(tmp_path):
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(WITHOUT_MAIN)
    subprocess.run(["gcc", "-pthread", source, "-o", program], check=True)
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        wait_for("the end of the main thread",
                 lambda: "State:\tZ" in proc_text(process.pid, "status"))
        done = run("-p", process.pid, "-x,", "-e", "task-clock", "--timeout", 200)
        process.kill()
    assert done.returncode == 0 and csv_values(done.stderr)["task-clock"] > 20, done.stderr


def test_a_process_is_counted_while_a_command_runs(spinner):
    done = run("-p", spinner().pid, "-e", "task-clock", "sleep", "0.2")
    assert done.returncode == 0
    assert 0.2 <= elapsed(done.stderr)
    # pstat may lose the CPU for a moment between enabling the events and reading the wall time
    assert std_count(done.stderr, "task-clock") <= elapsed(done.stderr) * 1001 + 2


def test_a_process_is_all_its_threads_and_a_thread_is_one(threads):
    target = threads()
    spins, sleeps = target.ask("spin"), target.ask("sleep")
    texts = {}
    for name, option, ident in (("process", "-p", target.pid), ("spins", "-t", spins),
                                ("sleeps", "-t", sleeps)):
        used = cpu_seconds(target.pid)
        done = run(option, ident, "-e", "task-clock", "--timeout", 100)
        texts[name] = std_count(done.stderr, "task-clock"), (cpu_seconds(target.pid) - used) * 1000
    assert texts["sleeps"][0] is None
    for name in ("process", "spins"):
        clock, used = texts[name]
        assert 0 < clock <= used * STOLEN


def test_two_threads_are_counted_and_the_third_is_not(threads):
    """The third thread also uses a CPU, and the process cannot use more time than the CPUs have."""
    target = threads()
    tids = [target.ask("spin") for _ in range(3)]
    used = cpu_seconds(target.pid)
    both = run("-t", f"{tids[0]},{tids[2]}", "-e", "task-clock", "--timeout", 200)
    used = (cpu_seconds(target.pid) - used) * 1000
    alone = run("-t", tids[1], "-e", "task-clock", "--timeout", 200)
    assert 0 < std_count(alone.stderr, "task-clock") <= elapsed(alone.stderr) * 1001 + 2
    # Two of three threads use about two thirds of the time. All three would use more than 90 %.
    assert 0 < std_count(both.stderr, "task-clock") < used * 0.9


def test_a_thread_that_begins_later_is_counted_except_with_i(threads):
    target = threads()
    with start("-p", target.pid, "-e",
               "task-clock") as inherits, start("-i", "-p", target.pid, "-e",
                                                "task-clock") as not_inherits:
        wait_until_counting(inherits)
        wait_until_counting(not_inherits)
        target.ask("spin")
        wait_for_cpu_time(target.pid, 0.05)
        target.ask("end")
        target.process.stdin.close()
        counts = [
            std_count(p.communicate(timeout=PATIENCE)[1], "task-clock")
            for p in (inherits, not_inherits)
        ]
    assert counts[0] >= 45
    assert counts[1] < 20


def test_the_count_ends_with_its_process(sleeper):
    target = sleeper()
    with start("-p", target.pid, "-e", "task-clock") as process:
        wait_until_counting(process)
        target.stdin.close()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert std_count(err, "task-clock") > 0


def test_the_count_ends_with_the_last_of_its_processes(sleeper):
    first, second = sleeper(), sleeper()
    with start("-p", f"{first.pid},{second.pid}", "-I", 20, "-x,", "-e", "cs") as process:
        process.stderr.readline()
        first.stdin.close()
        first.wait()
        for _ in range(5):
            assert process.stderr.readline()
        second.stdin.close()
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_the_count_ends_with_its_thread(threads):
    target = threads()
    tid = target.ask("sleep")
    with start("-t", tid, "-e", "task-clock") as process:
        wait_until_counting(process)
        assert target.ask("end") == tid
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert std_count(err, "task-clock") > 0


def test_the_count_continues_while_one_of_its_threads_lives(threads, sleeper):
    """Counts the main thread of a process, which ends, and a thread of another process, which
    does not."""
    leader, target = sleeper(), threads()
    tid = target.ask("sleep")
    with start("-t", f"{leader.pid},{tid}", "-e", "cs") as process:
        wait_until_counting(process)
        leader.stdin.close()
        leader.wait()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        target.ask("end")
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_a_process_that_is_killed_ends_the_count(spinner):
    target = spinner()
    with start("-p", target.pid, "-e", "task-clock") as process:
        wait_until_counting(process)
        target.kill()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert 0 < std_count(err, "task-clock") <= elapsed(err) * 1001 + 2


# ---- CPUs ----


def test_the_task_clock_of_the_system_is_time_times_cpus():
    done = run("-a", "-e", "task-clock", "--timeout", 300)
    assert std_count(done.stderr, "task-clock") / 1000 == pytest.approx(
        elapsed(done.stderr) * len(online_cpus()), rel=0.02)


def test_the_task_clock_of_one_cpu_is_the_time():
    cpu = online_cpus()[-1]
    done = run("-C", cpu, "-e", "task-clock", "--timeout", 300)
    assert f"Performance counter stats for 'CPU(s) {cpu}':" in done.stderr
    assert std_count(done.stderr, "task-clock") / 1000 == pytest.approx(
        elapsed(done.stderr), rel=0.02)


def test_a_cpu_counts_only_what_runs_on_it(madvise):
    cpus = online_cpus()
    if len(cpus) < 2:
        pytest.skip("probe: /sys/devices/system/cpu/online: one CPU")
    pinned = ["taskset", "-c", cpus[0], *workload("faults", 30000)]
    assert count(madvise, "-C", cpus[0], *pinned) >= 30000
    assert count(madvise, "-C", cpus[1], *pinned) < 30000
    assert count(madvise, "-a", *pinned) >= 30000


def test_a_bound_spinner_keeps_its_cpu_busy(spinner):
    """The task-clock of a CPU always runs, so the test compares it with the spinner's own clock
    to see the idle time."""
    cpu = online_cpus()[0]
    pid = spinner(cpu).pid
    wait_for("the spinner has its CPU", lambda: cpu_seconds(pid) > 0.01)
    with start("-x,", "-C", cpu, "-e", "task-clock", "--timeout", 300) as whole:
        task = run("-x,", "-p", pid, "-e", "task-clock", "--timeout", 200)
        _, err = whole.communicate(timeout=PATIENCE)
    assert 0 < csv_values(task.stderr)["task-clock"] < csv_values(err)["task-clock"]


def test_without_a_target_the_system_is_counted_until_a_signal():
    with start("-e", "task-clock") as process:
        wait_until_counting(process)
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
    assert "Performance counter stats for 'system wide':" in err
    assert std_count(err, "task-clock") / 1000 == pytest.approx(
        elapsed(err) * len(online_cpus()), rel=0.1)


def test_with_all_cpus_a_command_only_determines_the_length_of_the_count():
    done = run("-a", "-e", "task-clock", "sleep", "0.2")
    assert 0.2 <= elapsed(done.stderr)
    assert std_count(done.stderr, "task-clock") / 1000 == pytest.approx(
        elapsed(done.stderr) * len(online_cpus()), rel=0.02)
