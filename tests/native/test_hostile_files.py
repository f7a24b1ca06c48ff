# SPDX-License-Identifier: GPL-2.0-only
"""Root runs `pstat profile` on programs whose files another user has made to attack pstat. The time
limits are far above the measured times."""

import ctypes
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import pytest

import hostile_elf
from native import (LIBC, PATIENCE, PSTAT, WORKLOADS, cpu_seconds, default_signals, end, links_of,
                    proc_text, run, start, wait_for, wait_until_counting, workload)

NOBODY = 65534
SAMPLING = ("-e", "cpu-clock:u", "-c", "200000")
MB = 1 << 20
IN_OPEN = 0x20  # from sys/inotify.h
WAITS = re.compile("request_wait|map_files|m_start|mm_access|rwsem")  # functions of the kernel
pytestmark = [
    pytest.mark.usefixtures("sampling"),
    pytest.mark.skipif(os.geteuid() != 0, reason="probe: not root: there is no other user to trust")
]


@pytest.fixture
def theirs():
    """Makes a directory that the other user can reach and write to. The directories of pytest are
    inaccessible to other users."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pstat-theirs-"))
    os.chown(folder, NOBODY, NOBODY)
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def run_theirs():
    """Starts programs as the other user, and kills them at the end."""
    started = []

    def begin(*argv, **popen):
        process = subprocess.Popen([*map(str, argv)], user=NOBODY, group=NOBODY, extra_groups=[],
                                   preexec_fn=default_signals, **popen)
        started.append(process)
        return process

    yield begin
    for process in started:
        end(process)


class Watch:
    """Watches whether a file is opened. Opening it with O_PATH does not count."""

    def __init__(self, path):
        self.fd = LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert LIBC.inotify_add_watch(self.fd, os.fsencode(path), IN_OPEN) >= 0, os.strerror(
            ctypes.get_errno())

    def opened(self):
        try:
            return bool(os.read(self.fd, 4096))
        except BlockingIOError:
            return False
        finally:
            os.close(self.fd)


def profile(*args, patience=PATIENCE):
    """Returns the rows of functions, the messages, the peak memory in bytes of pstat or its child,
    and the seconds taken."""
    begun = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([PSTAT, "profile", "-j", *SAMPLING, *map(str, args)],
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env={**os.environ, "LC_ALL": "C"
                                        }, preexec_fn=default_signals, start_new_session=False)
        status = None
        try:
            while status is None and time.monotonic() - begun < patience:
                pid, code, usage = os.wait4(process.pid, os.WNOHANG)
                status = code if pid else None
                time.sleep(0.01)
            assert status is not None, "pstat hangs"
        finally:
            if status is None:
                process.kill()
                process.wait()
            process.returncode = 0
        out.seek(0)
        err.seek(0)
        messages = err.read().decode()
        assert status == 0, messages
        items = [json.loads(line) for line in out.read().decode().splitlines()]
    rows = [item for item in items if item["kind"] == "symbol"]
    return rows, messages, usage.ru_maxrss * 1024, time.monotonic() - begun


def functions(rows, path):
    return {row["function"] for row in rows if row["object"] == str(path) and row["samples"]}


def make(path, name=b"victim", **more):
    hostile_elf.write(path, hostile_elf.symbol(1), b"\0" + name + b"\0", **more)
    return path


def running(process, path):
    wait_for("it runs", lambda: os.readlink(f"/proc/{process.pid}/exe") == str(path))


@pytest.fixture
def terminal():
    """Returns the path of a terminal that belongs to the other user."""
    master, slave = pty.openpty()
    path = os.ttyname(slave)
    os.close(slave)
    yield path
    os.close(master)


@pytest.mark.parametrize("kind", ["fifo", "terminal", "file"])
@pytest.mark.parametrize("place", ["renamed", "deleted", "common"])
def test_no_path_that_a_user_names_is_opened(theirs, run_theirs, terminal, kind, place):
    """pstat opens only the mapped file. Opening a FIFO would block, a terminal would become pstat's
    controlling terminal, and a watchdog would start."""
    target = pathlib.Path(terminal) if kind == "terminal" else theirs / "target"
    if kind == "fifo":
        os.mkfifo(target)
    elif kind == "file":
        shutil.copy(WORKLOADS / "call-tree", target)
    if place == "common":
        link = theirs / "link"
        link.write_bytes(os.fsencode(target) + b"\0" + bytes(range(20)))
        program = theirs / "program"
        subprocess.run([
            "objcopy", f"--add-section=.gnu_debugaltlink={link}", WORKLOADS / "call-tree", program
        ], check=True)
        process = run_theirs(program, 10**9, 1000, 1000, 1000)
        running(process, program)
    else:
        program = make(theirs / "program")
        process = run_theirs(program)
        running(process, program)
        program.unlink()
        where = program if place == "renamed" else theirs / "program (deleted)"
        if kind == "fifo":
            target.rename(where)
            target = where
        else:
            where.symlink_to(target)
    watch = Watch(target)
    rows, _, _, _ = profile("--lines", "-p", process.pid, "--timeout", 300)
    assert not watch.opened()
    # the mapped file is still found, through the process
    assert functions(rows, program) & {"victim", "a", "b", "c", "work", "stay"}, rows


def test_perfs_configuration_is_read_from_a_regular_file_only(theirs, tmp_path, monkeypatch):
    """sudo may keep HOME, where a symbolic link could lead to any device."""
    target, link = tmp_path / "target", theirs / ".perfconfig"
    monkeypatch.delenv("PERF_CONFIG", raising=False)
    os.mkfifo(target)
    link.symlink_to(target)
    watch = Watch(target)
    done = run("stat", "-e", "task-clock", "true", locale={"LC_ALL": "C", "HOME": str(theirs)})
    assert not watch.opened()
    assert (
        done.returncode == 0
        and f"pstat: {link} is not a regular file: its settings are ignored" in done.stderr
    ), done.stderr


# Exchanges two files as fast as possible (RENAME_EXCHANGE).
SWAPPER = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
a, b = map(os.fsencode, sys.argv[1:])
while True:
    libc.renameat2(-100, a, -100, b, 2)
"""


def test_a_fifo_that_is_exchanged_with_a_program_does_not_block_pstat(theirs, run_theirs):
    """At the moment of opening, the path may already belong to a FIFO to which nobody writes."""
    program, fifo = make(theirs / "program"), theirs / "fifo"
    process = run_theirs(program)
    running(process, program)
    os.mkfifo(fifo)
    os.chown(fifo, NOBODY, NOBODY)
    run_theirs(sys.executable, "-c", SWAPPER, program, fifo)
    for _ in range(8):
        rows, _, _, _ = profile("--lines", "-p", process.pid, "--timeout", 100)
        assert rows


LONG = b"n" * 100000


@pytest.mark.parametrize("kind", ["shared", "parts"])
def test_names_that_symbols_share_are_stored_once(theirs, run_theirs, kind):
    """A file of 580 kB has 20000 functions that share one name of 100 kB, or have parts of that
    name."""
    symbols = b"".join(
        hostile_elf.symbol(1 + (i if kind == "parts" else 0), hostile_elf.BASE + 0x100, 16)
        for i in range(20000)
    )
    program = theirs / "names"
    hostile_elf.write(program, symbols, b"\0" + LONG + b"\0")
    assert program.stat().st_size < 600000
    process = run_theirs(program)
    running(process, program)
    rows, _, memory, _ = profile("-p", process.pid, "--timeout", 300)
    name, = functions(rows, program)
    assert set(name) == {"n"} and len(name) <= 4096
    assert memory < 100 * MB, memory


@pytest.mark.parametrize("bound", ["symbols", "sections"])
def test_sparse_tables_are_not_read(theirs, run_theirs, bound):
    program = theirs / "sparse"
    if bound == "symbols":
        make(program, symbols_size=24 * 90000000)
    else:
        make(program, sections=30000000)
    process = run_theirs(program)
    running(process, program)
    rows, messages, memory, _ = profile("-p", process.pid, "--timeout", 300)
    assert rows and functions(rows, program) == {""}
    assert messages.count(
        f"pstat: {program}: no functions are known: its tables are too large") == 1, messages
    assert memory < 100 * MB, memory


@pytest.mark.parametrize("what", ["memory", "huge"])
def test_reading_a_line_table_of_extreme_size_is_bounded(theirs, run_theirs, what):
    """A file of less than 1 MB has a line table of 600 MB, or one that claims to have 1 PB."""
    more = hostile_elf.lines(60 * MB if what == "memory" else 1000, b"\x01")
    if what == "huge":
        more[2].data = more[2].data[:8] + (1 << 50).to_bytes(8, "little") + more[2].data[16:]
    program = make(theirs / "bomb", more=more)
    assert program.stat().st_size < MB
    process = run_theirs(program)
    running(process, program)
    rows, messages, memory, _ = profile("--lines", "-p", process.pid, "--timeout", 300,
                                        patience=2 * PATIENCE)
    assert functions(rows, program) == {"victim"}
    assert memory < 1300 * MB, memory
    if what == "memory":
        assert (
            f"{program}: no source lines: reading them takes more than 1024 MB of memory"
            in messages
        ), messages


@pytest.mark.parametrize("count", [3, 1 << 20])
def test_inlined_functions_of_a_bomb_are_bounded(theirs, run_theirs, count):
    """The second file has more inlined functions than pstat reads. pstat shows the functions that
    it has read, without a message for each address."""
    program = make(theirs / "bomb", more=hostile_elf.inlined(count))
    process = run_theirs(program)
    running(process, program)
    rows, messages, memory, _ = profile("-p", process.pid, "--timeout", 300)
    assert functions(rows, program) == {"copy"}
    assert memory < 300 * MB, memory
    assert messages.count("some inlined functions are missing: there are more than 1048576") == (
        count > 3), messages


def test_a_signal_is_answered_while_lines_are_read(theirs, run_theirs):
    """Reading the line table, 900 MB of opcodes, would take several seconds."""
    program = make(theirs / "slow", more=hostile_elf.lines(900 * MB, b"\x08"))
    process = run_theirs(program)
    running(process, program)
    with start("profile", *SAMPLING, "--lines", "-p", process.pid) as pstat:
        wait_until_counting(pstat)
        time.sleep(0.2)
        pstat.send_signal(signal.SIGINT)
        # except the child that opens files
        wait_for("its child reads",
                 lambda: len(proc_text(pstat.pid, f"task/{pstat.pid}/children").split()) == 2)
        pstat.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        out, err = pstat.communicate(timeout=PATIENCE)
        seconds = time.monotonic() - begun
    print(f"answered after {seconds:.3f} s")
    assert "victim" in out and "a signal ended the lookup of function names" in err, (out, err)
    assert seconds < 1, seconds


# Maps as much code as the kernel permits, from one file for each mapping or from one file for all,
# and waits.
MAPPER = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
]
count, own = int(sys.argv[1]), sys.argv[2] == "own"
fd = -1
for i in range(count):
    if own or fd < 0:
        if fd >= 0:
            os.close(fd)
        fd = os.memfd_create("m")
        os.truncate(fd, 4096)
    if libc.mmap(None, 4096, 5, 2, fd, 0) in (None, 2**64 - 1):
        break
print(i + 1, flush=True)
while True:
    pass
"""


def mapper(run_theirs, count, kind):
    process = run_theirs(sys.executable, "-c", MAPPER, count, kind, stdout=subprocess.PIPE,
                         text=True)
    assert int(process.stdout.readline()) > 0.9 * count
    return process



def cpu_seconds_exactly(pid):
    """Returns the CPU time of a process that has one thread, or 0 if it no longer exists."""
    text = proc_text(pid, "schedstat")
    return int(text.split()[0]) / 1e9 if text else 0


def test_a_signal_is_answered_while_mappings_are_read(run_theirs):
    """Measures CPU time, because other processes can delay pstat. Uses the least time of three
    runs, because a page fault can cost more than usual."""
    process = mapper(run_theirs, 60000, "own")
    kallsyms = Watch("/proc/kallsyms")
    spent = []
    for _ in range(3):
        with start("profile", *SAMPLING, "-p", process.pid) as pstat:
            wait_for("it reads the mappings", lambda: pstat.poll() is not None or any(
                "memfd:pstat-file" in link for link in links_of(pstat.pid)))
            begun = cpu_seconds_exactly(pstat.pid)
            pstat.terminate()
            pstat.stdout.read()
            _, _, usage = os.wait4(pstat.pid, 0)
            pstat.returncode = -signal.SIGTERM
            spent.append(usage.ru_utime + usage.ru_stime - begun)
    print(f"answered after {spent} s of CPU time")
    assert begun and min(spent) < 0.3, spent
    assert not kallsyms.opened(), "no stack has a frame of the kernel"


def test_the_kernels_symbols_are_read_only_for_frames_of_the_kernel():
    for event, reads in (("cpu-clock:u", False), ("cpu-clock:k", True)):
        kallsyms = Watch("/proc/kallsyms")
        done = run("profile", "-e", event, "-c", "200000", "--", "dd", "if=/dev/zero",
                   "of=/dev/null", "bs=64k", "count=20000", "status=none")
        assert done.returncode == 0, done.stderr
        assert kallsyms.opened() == reads, (event, done.stdout)


@pytest.mark.parametrize("kind", ["own", "one"])
def test_many_mappings_are_read_quickly_and_hide_no_other_process(run_theirs, theirs, kind):
    process = mapper(run_theirs, 60000, kind)
    program = make(theirs / "other")
    other = run_theirs(program)
    running(other, program)
    program.unlink()
    rows, messages, memory, seconds = profile("-p", f"{process.pid},{other.pid}", "--timeout", 500)
    print(f"{kind}: {seconds:.2f} s, {memory // MB} MB\n{messages}")
    assert functions(rows, program) == {"victim"}
    assert ("too many files are mapped as code" in messages) == (kind == "own"), messages
    assert memory < 200 * MB and seconds < 10


def is_idle(pid):
    before = cpu_seconds(pid)
    time.sleep(0.3)
    return cpu_seconds(pid) - before < 0.01


def test_deleted_mappings_leave_file_descriptors_for_others(run_theirs, theirs):
    process = mapper(run_theirs, 3000, "own")
    program = make(theirs / "other")
    other = run_theirs(program)
    running(other, program)
    program.unlink()
    with start("profile", "-j", *SAMPLING, "-p", f"{process.pid},{other.pid}") as pstat:
        wait_until_counting(pstat)
        assert len(os.listdir(f"/proc/{pstat.pid}/fd")) < 400
        # pstat opens up to 3000 files before it samples
        wait_for("the end of pstat's start", lambda: is_idle(pstat.pid))
        time.sleep(1)
        pstat.send_signal(signal.SIGINT)
        out, err = pstat.communicate(timeout=PATIENCE)
    assert pstat.returncode == -signal.SIGINT
    assert functions([row for row in map(json.loads, out.splitlines()) if row["kind"] == "symbol"],
                     program) == {"victim"}
    assert "too many deleted files are mapped as code" in err, err


def test_a_copied_build_id_in_a_users_file_changes_no_names(theirs, run_theirs):
    """pstat first maps a user's copy of a program, which has the same build ID but other names.
    The program keeps its own names."""
    trusted = theirs.parent / f"{theirs.name}-trusted"
    trusted.mkdir()
    try:
        meant, forged = trusted / "tree", theirs / "tree"
        shutil.copy(WORKLOADS / "call-tree", meant)
        trusted.chmod(0o755)
        subprocess.run(
            ["objcopy", *(f"--redefine-sym={name}=forged_{name}"
                          for name in "abc"), meant, forged], check=True)
        os.chown(forged, NOBODY, NOBODY)
        argv = workload("call-tree", 10**9, 1000, 1000, 1000)[1:]
        theirs_runs, ours = run_theirs(forged, *argv), run_theirs(meant, *argv)
        running(theirs_runs, forged)
        running(ours, meant)
        rows, _, _, _ = profile("-p", f"{theirs_runs.pid},{ours.pid}", "--timeout", 400)
        # pstat attributes a sample without a build ID by its address, to the file of its process.
        names = functions(rows, meant)
        assert names & set("abc") and not any(name.startswith("forged") for name in names), rows
    finally:
        shutil.rmtree(trusted)


@pytest.fixture
def stuck(tmp_path):
    """Mounts a file system that can stop answering, and starts its program. Yields the path, the
    server and the program."""
    folder = tmp_path / "stuck"
    folder.mkdir()
    try:
        server = subprocess.Popen([
            sys.executable,
            pathlib.Path(__file__).parent / "stuck_fs.py", folder, WORKLOADS / "spin"
        ], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if server.stdout.readline() != "ready\n":
            pytest.skip(f"probe: FUSE: {server.communicate()[1].strip().splitlines()[-1]}")
        program = subprocess.Popen([folder / "program", "1000000000000"])
        wait_for("it runs",
                 lambda: os.readlink(f"/proc/{program.pid}/exe") == str(folder / "program"))
        yield folder / "program", server, program
        program.kill()
    finally:
        # Without the server, the kernel ends all requests that wait.
        server.kill()
        server.communicate()
        LIBC.umount2(os.fsencode(folder), 2)
    program.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("silence", [signal.SIGUSR1, signal.SIGUSR2], ids=["all", "open"])
def test_a_signal_is_answered_while_a_file_system_does_not_answer(stuck, silence, number):
    _, server, program = stuck
    server.send_signal(silence)
    with tempfile.TemporaryFile() as out:
        pstat = subprocess.Popen(
            [PSTAT, "profile", *SAMPLING, "-p", str(program.pid)], stdin=subprocess.DEVNULL,
            stdout=out, stderr=out, preexec_fn=default_signals)
        try:
            wait_for("a child opens the file", lambda: children_that_wait(pstat.pid))
            begun = time.monotonic()
            pstat.send_signal(number)
            pstat.wait(PATIENCE)
        finally:
            server.kill()  # Without this, a pstat that waits for the server cannot be killed.
            end(pstat)
    # pstat ends after 50 ms. Without an answer, it would wait for seconds.
    assert time.monotonic() - begun < 1


# Maps the file and writes to it, then maps it again without the kernel's cache. The kernel must
# first write the page back, and holds the lock of the process's mappings until then.
LOCKER = """
import mmap, os, sys
direct = os.open(sys.argv[1], os.O_RDWR | os.O_SYNC)
page = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 4096)
page[0] = 1
print("ready", flush=True)
mmap.mmap(direct, 4096, flags=mmap.MAP_PRIVATE)
"""


@pytest.fixture
def locked(stuck):
    """Starts a process whose mappings cannot be read, because the kernel holds their lock."""
    process = subprocess.Popen([sys.executable, "-c", LOCKER, stuck[0].parent / "data"],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    wait_for("its mappings are locked", lambda: "folio_wait" in proc_text(process.pid, "wchan"))
    yield process
    stuck[1].kill()
    end(process)


def answer_to_a_signal(server, number, *argv):
    """Starts pstat, and waits until pstat waits for the file system. Returns the number of seconds
    from a signal to the end of pstat."""
    with tempfile.TemporaryFile() as out:
        pstat = subprocess.Popen([PSTAT, *map(str, argv)], stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=out, preexec_fn=default_signals)
        try:
            wait_for("a child waits", lambda: children_that_wait(pstat.pid))
            begun = time.monotonic()
            pstat.send_signal(number)
            pstat.wait(PATIENCE)
            seconds = time.monotonic() - begun
        finally:
            server.kill()  # Without this, a pstat that waits for the server cannot be killed.
            end(pstat)
        assert pstat.returncode == -number
    return seconds


@pytest.mark.parametrize(
    "what", ["command", "profiled command", "symbol", "symbol of a process", "debug file"])
def test_a_signal_is_answered_while_a_path_of_the_user_leads_to_a_stuck_file_system(
        stuck, what, tmp_path):
    path, server, program = stuck
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, WORKLOADS / "spin"], check=True)
    with subprocess.Popen([stripped, "1000000000000"]) as other:
        server.send_signal(signal.SIGUSR1)
        try:
            assert answer_to_a_signal(
                server, signal.SIGTERM, *{
                    "command": ("-e", "cs", path, "1"), "profiled command": (
                        "profile", *SAMPLING, path, "1"), "symbol": ("-e", "mem:main:x", path, "1"),
                    "symbol of a process": ("-e", "mem:main:x", "-p", program.pid),
                    "debug file": ("profile", *SAMPLING, "--debug-dir", path.parent, "-p",
                                   other.pid, "--timeout", 100),
                }[what]) < 1
        finally:
            other.kill()


def test_a_signal_is_answered_while_the_mappings_of_a_process_are_locked(stuck, locked):
    assert answer_to_a_signal(stuck[1], signal.SIGINT, "profile", *SAMPLING, "-p", locked.pid) < 1


def test_a_process_with_locked_mappings_hides_no_other_process(stuck, locked, theirs, run_theirs):
    program = make(theirs / "other")
    other = run_theirs(program)
    running(other, program)
    rows, messages, *_ = profile("-p", f"{locked.pid},{other.pid}", "--timeout", 300)
    # Before Linux 6.17, reading `maps` also waits. Later, only reading `map_files` waits.
    assert re.search(
        rf"/proc/{locked.pid}/map\S+: skipped, because .* has not answered for 2 "
        r"seconds", messages), messages
    assert functions(rows, program) == {"victim"}


def children_that_wait(pid):
    """Returns processes that wait for an answer of a FUSE server, or for the lock of mappings."""
    return [
        kid
        for kid in proc_text(pid, f"task/{pid}/children").split()
        if WAITS.search(proc_text(kid, "wchan"))
    ]


def test_files_on_a_file_system_that_does_not_answer_are_skipped(stuck):
    """The profile ends by itself, and the program's samples are in it."""
    path, server, program = stuck
    rows, *_ = profile("-p", program.pid, "--timeout", 300)
    before = functions(rows, path)
    assert before
    server.send_signal(signal.SIGUSR1)
    rows, messages, _, took = profile("-p", program.pid, "--timeout", 300)
    assert messages.count("its file system has not answered for 2 seconds") == 1, messages
    assert sum(row["samples"] for row in rows) > 0 and not before & functions(rows, path), rows
    assert took < 20, took


# The limits of time and memory are far above what pstat needs: 1 s and 150 MB.
@pytest.mark.parametrize("kind", ["fifo", "terminal", "sparse", "shared", "symbols", "notes"])
def test_the_work_for_a_file_with_scopes_is_bounded(theirs, terminal, own_pins, kind):
    path = theirs / "program"
    many = range(200000)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "terminal":
        path.symlink_to(terminal)
    elif kind == "sparse":
        make(path, symbols_size=1 << 31)
    elif kind == "shared":
        hostile_elf.write(path, b"".join(hostile_elf.symbol(1 + i) for i in range(20000)),
                          b"\0" + LONG + b"\0")
    elif kind == "symbols":
        hostile_elf.write(path, b"".join(hostile_elf.symbol(1 + 8 * i) for i in many),
                          b"\0" + b"".join(b"%07d\0" % i for i in many))
    else:
        note = struct.pack("<III8sQQQ6s2x", 8, 30, 3, b"stapsdt", hostile_elf.BASE + 0x100, 0, 0,
                           b"p\0end\0")
        section = hostile_elf.Section(".note.stapsdt", 7, note * len(many))
        make(path, more=(section,))
    spec = f"usdt:{path}:end..end" if kind == "notes" else f"uprobe:{path}:*"
    watch = Watch(terminal)
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen([PSTAT, "-x,", "--scope", spec, "-e", "run_cnt", "true"],
                                   stdin=subprocess.DEVNULL, stderr=err)
        begun = time.monotonic()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        message = err.read().decode()
    works = kind in ("symbols", "notes")
    assert (process.returncode == 0) == works, message
    assert works or str(path) in message, message
    assert time.monotonic() - begun < PATIENCE / 2 and usage.ru_maxrss * 1024 < 400 * MB
    assert not watch.opened()
