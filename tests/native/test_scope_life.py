# SPDX-License-Identifier: GPL-2.0-only
"""--scope in unusual circumstances: pstat is killed, files change, programs are of all kinds, and
pstat has few privileges."""

import os
import platform
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import pathlib
import time

import pytest

import hostile_elf
from native import (FAILED, PATIENCE, PSTAT, USAGE, bpftool, csv_values, default_signals, end,
                    interval_rows, own_workload, run, start, wait_for, workload)

CALLS = pathlib.Path(own_workload("scope-calls")[0])
KILLS = 200 if os.environ.get("PSTAT_LONG") else 20


def unseen(text):
    """Returns the number of runs that were lost because this kernel does not report every context
    switch."""
    found = re.search(r"(\d+) because the kernel did not report a context switch", text)
    return int(found[1]) if found else 0


def runs_of(text):
    """Returns the number of runs, including those lost because the kernel did not report a context
    switch."""
    rows = [line for line in text.splitlines() if not line.startswith("pstat: ")]
    return csv_values("\n".join(rows))["run_cnt"] + unseen(text)


def runs(spec, *command, **popen):
    done = run("-x,", "-e", "run_cnt", "--scope", spec, *command, **popen)
    assert done.returncode == 0, done.stderr
    return runs_of(done.stderr)


@pytest.fixture
def calls(spawn):
    """Starts the workload. It waits for a line before its calls."""

    def begin(*args, program=CALLS, **popen):
        return spawn([program, "-w", *map(str, args)], stdin=subprocess.PIPE, **popen)

    return begin


class Session:
    """Runs a pstat that counts runs until its process ends."""

    def __init__(self, spec, pid):
        self.process = start("-x,", "-I", 20, "-e", "run_cnt", "--scope", spec, "-p", pid)
        self.text = self.process.stderr.readline()  # printed when the count begins

    def finish(self):
        self.text += self.process.communicate(timeout=PATIENCE)[1]
        assert self.process.returncode == 0, self.text
        return sum(value for _, _, value in interval_rows(self.text)) + unseen(self.text)


def finish(process):
    process.communicate("\n", timeout=PATIENCE)
    return process.returncode


# ---- a pstat that is killed ----


def attached():
    """Returns the ids of pstat's programs. A program exists as long as it is attached."""
    return {item["id"] for item in bpftool("prog", "show")
            if item.get("name", "").startswith("pstat_")}


def code_of(pid, path, offset):
    """Returns the bytes at this offset of the file, in the memory of a process that runs the
    file."""
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="ascii").splitlines():
        place, flags, start_of, *_ = line.split()
        first, last = (int(part, 16) for part in place.split("-"))
        if "x" in flags and line.endswith(str(path)):
            at = offset - int(start_of, 16)
            if 0 <= at < last - first:
                with open(f"/proc/{pid}/mem", "rb") as memory:
                    memory.seek(first + at)
                    return memory.read(8)
    raise AssertionError(f"{path} is not mapped")


def test_killed_sessions_leave_nothing_attached_and_the_program_unharmed(tmp_path, spawn):
    program = tmp_path / "calls"
    shutil.copy(CALLS, program)
    listed = run("list", "scopes", "-j", program, "nap").stdout
    offset = int(re.search(r'"Address" : "(0x\w+)"', listed)[1], 16)  # also in the file of a PIE
    traced = spawn([program, "-m", "100000000", "-s", "100", "sleep"])
    wait_for("it runs", lambda: str(program) in os.readlink(f"/proc/{traced.pid}/exe"))
    before, bytes_before = attached(), code_of(traced.pid, program, offset)
    args = ("-e", "run_cnt,cs", "--hist=cs", "--scope", f"uprobe:{program}:nap", "--scope",
            f"uprobe:{program}:work", "-p", traced.pid)
    begun = time.monotonic()
    assert run(*args, "--timeout", 10).returncode == 0
    whole = time.monotonic() - begun
    for _ in range(KILLS):
        with start(*args, preexec_fn=default_signals) as pstat:
            time.sleep(random.uniform(0, 1.2 * whole))
            pstat.send_signal(signal.SIGKILL)
    wait_for("all is detached", lambda: not attached() - before)
    assert traced.poll() is None
    assert code_of(traced.pid, program, offset) == bytes_before
    # The next session works as usual.
    done = run("-x,", *args[:1], "run_cnt", *args[3:], "--timeout", 100)
    assert runs_of(done.stderr) > 0


def test_two_sessions_count_the_same_function(calls):
    traced = calls("-m", 400)
    spec = f"uprobe:{CALLS}:work"
    sessions = [Session(spec, traced.pid) for _ in range(2)]
    assert finish(traced) == 0
    assert [session.finish() for session in sessions] == [400, 400]


# ---- files that change ----


@pytest.mark.parametrize("change", ["replaced", "deleted"])
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_program_is_counted_after_its_file_was_changed(tmp_path, calls, change, when):
    program = tmp_path / "program"
    shutil.copy(CALLS, program)
    traced = calls("-m", 300, program=program)
    wait_for("it runs", lambda: str(program) in os.readlink(f"/proc/{traced.pid}/exe"))

    def alter():
        if change == "deleted":
            program.unlink()
        else:
            shutil.copy("/bin/true", tmp_path / "new")
            (tmp_path / "new").rename(program)

    if when == "before":
        alter()
    session = Session(f"uprobe:{program}:work", traced.pid)
    if when == "meanwhile":
        alter()
    assert finish(traced) == 0
    assert session.finish() == 300


THREADED = """
import sys, threading, zlib
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("ready", flush=True)
sys.stdin.readline()
for i in range(123): zlib.crc32(b"x")
"""


def test_a_process_with_threads_in_another_mount_namespace_is_counted(tmp_path, spawn):
    """The library exists only in that namespace. pstat finds the library by its name and by its
    path."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    library = re.search(r"(libz\.so\.\d+) .*(?:x86-64|AArch64).* => (.*)", cache.stdout)
    script = (f"mount -t tmpfs tmpfs {tmp_path} && cp {library[2]} {tmp_path}/{library[1]} && "
              f"LD_LIBRARY_PATH={tmp_path} exec /usr/bin/python3 -S -c '{THREADED}'")
    for spec in (f"uprobe:{tmp_path}/{library[1]}:crc32", "uprobe:libz:crc32"):
        traced = spawn(["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert traced.stdout.readline() == "ready\n"
        assert len(os.listdir(f"/proc/{traced.pid}/task")) > 1
        session = Session(spec, traced.pid)
        assert finish(traced) == 0
        assert session.finish() == 123
    done = run("--scope", f"uprobe:{tmp_path}/{library[1]}:crc32", "true")
    assert done.returncode == FAILED and "there is no file" in done.stderr


# ---- programs of all kinds ----

SOURCE = """
#include <stdlib.h>
__attribute__((noinline)) int twice(int n) { __asm__(""); return 2 * n; }
static int one(void) { return 1; }
static int (*choose(void))(void) { return one; }
int chosen(void) __attribute__((ifunc("choose")));
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < atoi(argv[1]); i++)
		sum += twice(i) + chosen();
	return sum < 0 || argc < 2;
}
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Compiles the program above with these options."""
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "kinds.c").write_text(SOURCE, encoding="ascii")

    def make(*options):
        program = folder / ("kinds" + "".join(options))
        subprocess.run(["gcc", "-O1", *options, folder / "kinds.c", "-o", program], check=True)
        return program

    return make


@pytest.mark.parametrize("options", [("-static",), ("-static-pie",), ("-no-pie",), ("-pie",)])
def test_a_program_of_any_kind_is_counted(build, options):
    program = build(*options)
    assert runs(f"uprobe:{program}:twice", program, 77) == 77


FOR_32_BITS = """
.globl _start, work
.type work, @function
_start: mov $10, %esi
again: call work
dec %esi
jnz again
mov $1, %eax
xor %ebx, %ebx
int $0x80
work: push %ebp
call inside
pop %ebp
ret
.size work, . - work
.type inside, @function
inside: ret
.size inside, . - inside
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="probe: not x86-64")
def test_functions_of_a_32_bit_program_are_counted(tmp_path):
    """The return addresses of a 32-bit program have four bytes. The program uses no library."""
    subprocess.run(["as", "--32", "-o", tmp_path / "prog.o"], input=FOR_32_BITS, text=True,
                   check=True)
    subprocess.run(["ld", "-m", "elf_i386", "-o", tmp_path / "prog", tmp_path / "prog.o"],
                   check=True)
    assert runs(f"uprobe:{tmp_path}/prog:*", tmp_path / "prog") == 20


def test_a_function_that_is_selected_at_load_time_is_refused(build):
    program = build("-pie")
    done = run("-e", "run_cnt", "--scope", f"uprobe:{program}:chosen", program, 7)
    assert done.returncode == FAILED and "IFUNC" in done.stderr
    assert runs(f"uprobe:{program}:one", program, 7) == 7


def test_a_stripped_program_is_counted_by_address(build, tmp_path):
    program, stripped = build("-no-pie"), tmp_path / "stripped"
    names = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    address = re.search(r"(\w+) T twice$", names, re.M)[1]
    subprocess.run(["strip", "-o", stripped, program], check=True)
    done = run("--scope", f"uprobe:{stripped}:twice", "true")
    assert done.returncode == FAILED
    assert "the file is stripped, and its debug file is not installed: write an address" in (
        done.stderr)
    assert runs(f"uprobe:{stripped}:0x{address}", stripped, 33) == 33


@pytest.mark.parametrize("name", ["twice", "twi*"])
def test_the_local_functions_of_a_stripped_program_are_said_to_be_unknown(build, tmp_path, name):
    program = tmp_path / "stripped"
    exporting = build("-pie", "-Wl,--export-dynamic-symbol=main")
    subprocess.run(["strip", "-o", program, exporting], check=True)
    assert runs(f"uprobe:{program}:main", program, 33) == 1
    done = run("--scope", f"uprobe:{program}:{name}", "true")
    assert done.returncode == FAILED
    assert "only the functions that it exports are known" in done.stderr
    done = run("--scope", f"uprobe:{exporting}:no_{name}", "true")
    assert done.returncode == FAILED and "stripped" not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="probe: not root: no file of another user")
def test_a_setuid_program_of_another_user_is_counted():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pstat-setuid-"))
    try:
        program = folder / "calls"
        shutil.copy(CALLS, program)
        os.chown(program, 65534, 65534)
        program.chmod(0o4755)
        folder.chmod(0o755)
        assert runs(f"uprobe:{program}:work", program, "-m", 44) == 44
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("line, name", [
    ("#!/usr/bin/python3 -u", "/usr/bin/python3"),
    ("#! /usr/bin/env -S LANG=C perl -w", "perl"),
])
def test_for_a_script_the_interpreter_is_named(tmp_path, line, name):
    script = tmp_path / "script"
    script.write_text(f"{line}\n", encoding="ascii")
    done = run("--scope", f"uprobe:{script}:main", "true")
    assert done.returncode == FAILED
    assert f"'{script}' is a script, which has no functions of its own" in done.stderr
    assert done.stderr.endswith(f"name its interpreter: {name}\n")


@pytest.mark.parametrize("first", [b"#!", b"#!/bin/\x1b[31mred\n", b"#!" + b"x" * 300, b"#! \n",
                                   b"#!/usr/bin/env\n"])
def test_what_only_looks_like_a_script_is_not_a_script(tmp_path, first):
    script = tmp_path / "script"
    script.write_bytes(first)
    done = run("--scope", f"uprobe:{script}:main", "true")
    assert done.returncode == FAILED and "it is not an ELF file" in done.stderr
    assert "\x1b" not in done.stderr


def test_points_that_no_program_maps():
    done = run("-x,", "-e", "run_cnt", "--scope", f"usdt:{workload('scope-usdt')[0]}:begin..end",
               "true")
    assert done.returncode == 0 and runs_of(done.stderr) == 0


def test_many_forks_and_many_threads_are_counted():
    """Runs begin and end while many tasks are created and end."""
    with start("-x,", "-e", "run_cnt", "--scope", f"uprobe:{CALLS}:work", "sh", "-c",
               f"{CALLS} -m 200 forks & {CALLS} -m 200 exit & {CALLS} -m 200 threads; wait") as one:
        text = one.communicate(timeout=4 * PATIENCE)[1]
    # work() is called twice in each child: around fork(2), and in the child itself
    assert runs_of(text) == 20 * 200 + FORKED * 200


FORKED = 2


# ---- pstat with few privileges ----


def limited(number, value):
    def prepare():
        default_signals()
        resource.setrlimit(number, (value, value))
    return prepare


def without_raise(*argv):
    """Returns a command line without CAP_SYS_RESOURCE, so that root cannot raise the limits."""
    return ["setpriv", "--bounding-set=-sys_resource", "--inh-caps=-sys_resource", *argv]


def run_limited(number, value, *args):
    return subprocess.run(without_raise(PSTAT, *args), capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"}, preexec_fn=limited(number, value),
                          timeout=PATIENCE)


ONE = ("-x,", "-e", "run_cnt", "--scope", f"uprobe:{CALLS}:work", CALLS, "-m", "50")


def test_too_few_open_files_are_reported_with_what_is_needed():
    done = run_limited(resource.RLIMIT_NOFILE, 24, *ONE)
    assert done.returncode == FAILED
    needed = re.match(r"pstat: (\d+) open files are needed, but this process may open only 24\n",
                      done.stderr)
    assert needed, done.stderr
    done = run_limited(resource.RLIMIT_NOFILE, int(needed[1]), *ONE)
    assert runs_of(done.stderr) == 50


def test_no_memory_needs_to_be_locked():
    assert runs_of(run_limited(resource.RLIMIT_MEMLOCK, 0, *ONE).stderr) == 50


def test_no_file_system_of_bpf_or_of_the_tracers_is_needed():
    script = 'mount -t tmpfs tmpfs /sys/kernel/tracing; mount -t tmpfs tmpfs /sys/kernel/debug; ' \
             'mount -t tmpfs tmpfs /sys/fs/bpf; exec "$@"'
    done = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", script,
                           "sh", PSTAT, *ONE], capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"}, timeout=PATIENCE)
    assert done.returncode == 0 and runs_of(done.stderr) == 50


@pytest.mark.parametrize("caps, enough", [("nothing", False), ("perfmon", False),
                                          ("bpf", False), ("bpf,perfmon", True),
                                          ("sys_admin", True)])
def test_scopes_need_only_certain_capabilities(for_all, caps, enough):
    shutil.copy(CALLS, for_all)
    words = [f"{for_all}/pstat", "-x,", "-e", "run_cnt", "--scope",
             f"uprobe:{for_all}/scope-calls:work", f"{for_all}/scope-calls", "-m", "50"]
    prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
              "--inh-caps=-all"] if caps == "nothing" else [f"{for_all}/with-caps", caps]
    done = subprocess.run([*prefix, *words], capture_output=True, text=True, check=False, cwd="/",
                          env={**os.environ, "LC_ALL": "C"}, timeout=PATIENCE)
    if enough:
        assert done.returncode == 0 and runs_of(done.stderr) == 50, done.stderr
    else:
        assert done.returncode == FAILED
        assert "CAP_BPF" in done.stderr and "CAP_PERFMON" in done.stderr, done.stderr


# ---- malicious files ----

HUGE = 1 << 40
HOSTILE = {
    "a table of symbols of a terabyte": {"symbols_size": HUGE},
    "millions of sections": {"sections": 4_000_000},
}


@pytest.mark.parametrize("words", [("--scope", "uprobe:{}:victim", "true"),
                                   ("list", "scopes", "{}")])
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_malicious_file_costs_little(tmp_path, kind, words):
    path = tmp_path / "hostile"
    hostile_elf.write(path, hostile_elf.symbol(1), b"\0victim\0", **HOSTILE[kind])
    with start(*(word.format(path) for word in words)) as pstat:
        _, status, usage = os.wait4(pstat.pid, 0)
        text = pstat.stderr.read()
        pstat.returncode = os.waitstatus_to_exitcode(status)
    assert pstat.returncode in (FAILED, USAGE), text
    assert str(path.name) in text and "too large" in text
    assert usage.ru_maxrss < 200 << 10 and usage.ru_utime + usage.ru_stime < 5
