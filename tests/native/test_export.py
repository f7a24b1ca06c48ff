# SPDX-License-Identifier: GPL-2.0-only
"""pstat export --once and --textfile: the page, its values, and the file."""

import os
import re
import signal
import subprocess
import threading
import time

import pytest

from native import (CONFLICT, FAILED, USAGE, cgroup_mount, end, inside, run, start, wait_for,
                    workload)
from prometheus import labelled, openmetrics, promtool


def page_of(*args, **popen):
    """Returns the metrics of `pstat export --once`, in the form of openmetrics()."""
    done = run("export", "--once", *args, **popen)
    assert (done.stderr, done.returncode) == ("", 0)
    return openmetrics(done.stdout)


def value(page, name, **labels):
    found = labelled(page, name, **labels)
    assert len(found) == 1, (name, labels, page)
    return next(iter(found.values()))


def names_of(page):
    return {name for name, _ in page}


# ---- --once ----


@pytest.mark.usefixtures("tracefs")
def test_the_calls_of_a_command_are_counted_exactly():
    more, less = (value(page_of("-e", "syscalls:sys_enter_madvise", *workload("faults", n)),
                        "pstat_syscalls_sys_enter_madvise_total") for n in (1500, 500))
    assert more - less == 1000


def test_both_formats_pass_the_check_of_promtool_and_have_the_same_names():
    pages = {}
    for form in ("openmetrics", "prometheus"):
        done = run("export", "--once", "--format", form, "-a", "-e",
                   "cpu-clock,cs,duration_time,num_cpus,page-faults:u", "-I", 50)
        assert (done.stderr, done.returncode) == ("", 0)
        pages[form] = done.stdout
    samples = names_of(openmetrics(pages["openmetrics"]))
    promtool("check", "metrics", input=pages["prometheus"])
    assert {line.split("{")[0].split()[0] for line in pages["prometheus"].splitlines()
            if not line.startswith("#")} == samples
    assert {"pstat_cpu_clock_seconds_total", "pstat_cs_total", "pstat_page_faults_u_total",
            "pstat_duration_time_seconds_total", "pstat_num_cpus", "pstat_build_info",
            "pstat_event_running_seconds_total"} <= samples


def test_without_a_command_it_counts_for_the_time_of_the_option():
    page = page_of("-a", "-e", "duration_time", "-I", 200)
    assert 0.2 <= value(page, "pstat_duration_time_seconds_total") < 5


def test_each_cpu_has_a_label():
    page = page_of("-A", "-e", "cpu-clock", "-I", 50)
    assert {dict(labels)["cpu"] for labels in
            labelled(page, "pstat_cpu_cpu_clock_seconds_total")} == {
                str(cpu) for cpu in os.sched_getaffinity(0)}


def test_the_default_events_can_be_counted_on_every_machine():
    page = page_of("-a", "-I", 50)
    up = {dict(labels)["event"]: dict(labels).get("reason")
          for labels in labelled(page, "pstat_event_up")}
    assert list(up) == ["task-clock", "context-switches", "cpu-migrations", "page-faults",
                        "cycles", "instructions"]
    assert not any(list(up.values())[:4])
    # The reason is one line without the event and the CPU, so it is equal on all machines.
    assert all(why is None or (" on CPU " not in why and "software events" not in why)
               for why in up.values())


def test_an_event_without_a_counter_is_absent_and_has_a_reason():
    page = page_of("-a", "-e", "cs,cpu/event=0xffff/u" if os.path.isdir(
        "/sys/bus/event_source/devices/cpu") else "cs,branch-load-misses:G", "-I", 50)
    down = [dict(labels) for labels, up in labelled(page, "pstat_event_up").items() if not up]
    if not down:
        pytest.skip("probe: pstat export: this machine counts guests")
    assert len(down) == 1 and down[0]["reason"]
    assert value(page, "pstat_event_up", event="cs") == 1


def test_without_privileges_it_exports_what_can_be_counted(as_nobody):
    done = as_nobody("export", "--once", "-a", "-e", "cs,user_time", "-I", 50)
    assert (done.stderr, done.returncode) == ("", 0)
    page = openmetrics(done.stdout)
    assert "pstat_user_time_seconds_total" in names_of(page)
    assert not any("pstat_cs" in name for name in names_of(page))
    [why] = labelled(page, "pstat_event_up", event="cs")
    assert "perf_event_paranoid" in dict(why)["reason"]


def test_it_fails_only_if_nothing_can_be_counted(as_nobody):
    done = as_nobody("export", "--once", "-a", "-e", "cs", "-I", 50)
    assert (done.stdout, done.returncode) == ("", FAILED)
    assert "none of the events can be counted: cs" in done.stderr


def test_hostile_names_of_cgroups_are_escaped(spawn):
    made = os.fsencode(cgroup_mount()) + b'/pstat-test-%d-x"\\\x1b[31m\xff' % os.getpid()
    os.mkdir(made)
    try:
        spinner = spawn(workload("spin", 10**15))
        with open(made + b"/cgroup.procs", "w", encoding="ascii") as procs:
            procs.write(str(spinner.pid))
        page = page_of("-a", "--for-each-cgroup", f"^pstat-test-{os.getpid()}-x", "-e",
                       "cpu-clock", "-I", 100)
        end(spinner)
    finally:
        wait_for("the cgroup is empty", lambda: not os.rmdir(made))
    [labels] = labelled(page, "pstat_cgroup_cpu_clock_seconds_total")
    assert dict(labels)["cgroup"] == f'/pstat-test-{os.getpid()}-x"\\\ufffd1b[31m\ufffdff'


def test_ids_of_containers_come_from_the_path(cgroup, spawn):
    container = "0123456789abcdef" * 4
    parent = cgroup("docker")
    group = cgroup(f"docker/{container}")
    spawn(inside(group, *workload("spin", 10**15)))
    page = page_of("-a", "--for-each-cgroup", f"{parent},{group}", "-e", "cpu-clock", "-I", 200)
    assert value(page, "pstat_cgroup_cpu_clock_seconds_total", container_id=container) > 0
    assert labelled(page, "pstat_cgroup_cpu_clock_seconds_total", cgroup="/" + parent)


def test_top_adds_up_the_other_cgroups(busy, cgroup):
    names = [busy("one").group, cgroup("two"), cgroup("three")]
    page = page_of("-a", "--for-each-cgroup", ",".join(names), "-e", "cpu-clock", "-I", 200,
                   "--top", 1)
    samples = {dict(labels)["cgroup"]: seconds for labels, seconds in
               labelled(page, "pstat_cgroup_cpu_clock_seconds_total").items()}
    assert set(samples) == {"/" + names[0], "(other)"}
    assert samples["(other)"] == 0 < samples["/" + names[0]]


def test_options_that_cannot_be_combined():
    for args, code, why in [
            (["--once", "-I", 50, "true"], CONFLICT, "omit -I"),
            (["--once", "-A", "-a", "--for-each-cgroup", "/"], CONFLICT, "-A cannot be"),
            (["--once", "--top", 3, "true"], CONFLICT, "--top selects among cgroups"),
            (["--once", "--textfile", "x"], CONFLICT, "--once"),
            (["--format", "openmetrics"], CONFLICT, "--once"),
            (["--once", "--format", "xml", "true"], USAGE, "unknown format"),
            (["-I", 50], CONFLICT, "--textfile")
    ]:
        done = run("export", *args)
        assert (done.stdout, done.returncode) == ("", code), args
        assert why in done.stderr, args


# ---- --textfile ----


def exporting(folder, **popen):
    """Starts an export to a file in `folder`, and waits until the file exists."""
    process = start("export", "--textfile", folder / "pstat.prom", "-I", 20, "-a", "-e",
                    "cpu-clock,cs", **popen)
    wait_for("the file exists", (folder / "pstat.prom").exists)
    return process


def test_a_reader_always_finds_a_whole_file(tmp_path):
    file, totals, inodes = tmp_path / "pstat.prom", [], set()
    with exporting(tmp_path) as process:
        deadline = time.monotonic() + 0.6
        while time.monotonic() < deadline:
            with open(file, encoding="utf-8") as reader:
                inodes.add(os.fstat(reader.fileno()).st_ino)
                lines = reader.read().splitlines()
            assert lines[0] == "# HELP pstat_cpu_clock_seconds_total The event cpu-clock"
            assert lines[-1].startswith("pstat_")
            totals += [float(line.split()[1]) for line in lines if line.startswith("pstat_cs_")]
        promtool("check", "metrics", input="\n".join(lines) + "\n")
        process.terminate()
    assert totals == sorted(totals) and totals[0] < totals[-1]
    # a new file is made before the old one is removed
    assert len(inodes) > 1


def test_a_write_that_fails_does_not_end_the_count(tmp_path):
    folder, away = tmp_path / "folder", tmp_path / "away"
    folder.mkdir()
    with exporting(folder, stderr=subprocess.PIPE, text=True) as process:
        folder.rename(away)
        assert "cannot write the file: No such file" in process.stderr.readline()
        assert "tries again" in process.stderr.readline()
        before = (away / "pstat.prom").read_text(encoding="ascii")
        away.rename(folder)
        assert "can be written again" in process.stderr.readline()
        total = re.compile(r"^pstat_cpu_clock_seconds_total (\S+)", re.M)
        after = (folder / "pstat.prom").read_text(encoding="ascii")
        assert float(total.search(before)[1]) < float(total.search(after)[1])
        process.terminate()
        assert process.wait() == 0 and not list(folder.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_removes_the_file(tmp_path, number):
    with exporting(tmp_path) as process:
        process.send_signal(number)
        _, said = process.communicate(timeout=10)
    assert said == ""
    assert not os.listdir(tmp_path)


def series_of(file):
    """Returns the first label of each sample of cpu-clock in the file."""
    if not file.exists():
        return []
    return [line.split('"')[1] for line in file.read_text(encoding="utf-8").splitlines()
            if re.match(r"pstat_\w+_cpu_clock_seconds_total", line)]


def test_a_series_ends_with_its_cgroup(tmp_path, busy):
    file, processes = tmp_path / "pstat.prom", [busy("kept"), busy("removed")]
    names = [process.group for process in processes]
    with start("export", "--textfile", file, "-I", 50, "-a", "-e", "cpu-clock",
               "--for-each-cgroup", ",".join(names)) as process:
        wait_for("both are counted", lambda: series_of(file) == ["/" + name for name in names])
        end(processes[1])
        os.rmdir(cgroup_mount() / names[1])
        wait_for("a series has ended", lambda: series_of(file) == ["/" + names[0]])
        os.mkdir(cgroup_mount() / names[1])
        process.terminate()


def test_a_series_ends_with_its_thread(tmp_path, spinner):
    file, one, other = tmp_path / "pstat.prom", spinner(), spinner()
    pids = [str(pid) for pid in sorted([one.pid, other.pid])]
    with start("export", "--textfile", file, "-I", 50, "-e", "cpu-clock", "--per-thread", "-p",
               ",".join(pids)) as process:
        wait_for("both are counted", lambda: sorted(series_of(file)) == sorted(pids))
        end(other)
        wait_for("a series has ended", lambda: series_of(file) == [str(one.pid)])
        process.terminate()


def test_after_sigkill_there_is_only_the_file(tmp_path):
    with exporting(tmp_path) as process:
        process.kill()
        process.wait()
    assert os.listdir(tmp_path) == ["pstat.prom"]


def test_the_file_has_the_mode_that_the_umask_allows(tmp_path):
    old = os.umask(0o027)
    try:
        with exporting(tmp_path) as process:
            assert os.stat(tmp_path / "pstat.prom").st_mode & 0o777 == 0o640
            process.terminate()
    finally:
        os.umask(old)


def test_the_file_replaces_neither_a_device_nor_a_link(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    os.symlink("fifo", tmp_path / "link")
    for name, why in [("fifo", "not a regular file"), ("link", "not a regular file"),
                      (".", "not a regular file"), ("", "must end with the name of a file")]:
        done = run("export", "--textfile", f"{tmp_path}/{name}", "-a", "-e", "cs")
        assert (done.stdout, done.returncode) == ("", FAILED)
        assert why in done.stderr, name
    assert sorted(os.listdir(tmp_path)) == ["fifo", "link"]


def test_a_directory_that_does_not_exist_is_reported_at_the_start(tmp_path):
    done = run("export", "--textfile", tmp_path / "no/pstat.prom", "-a", "-e", "cs")
    assert done.returncode == FAILED
    assert "cannot make files in its directory: No such file or directory" in done.stderr


def test_the_file_ends_with_the_command(tmp_path):
    seen = threading.Event()

    def look():
        while not seen.is_set() and not (tmp_path / "pstat.prom").exists():
            time.sleep(0.005)
        seen.set()

    watcher = threading.Thread(target=look)
    watcher.start()
    done = run("export", "--textfile", tmp_path / "pstat.prom", "-I", 20, "-e", "cs", "sh", "-c",
               "sleep 0.3; exit 3")
    seen.set()
    watcher.join()
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 3)
    assert not os.listdir(tmp_path)
