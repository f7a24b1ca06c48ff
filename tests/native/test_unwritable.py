# SPDX-License-Identifier: GPL-2.0-only
"""Output that cannot be written, because the disk is full or nobody reads the pipe. pstat must end
immediately with the correct exit status, and leave no command and no pin behind."""

import contextlib
import os
import signal
import subprocess

import pytest

from native import (
    FAILED,
    IN_C,
    PATIENCE,
    PSTAT,
    default_signals,
    run,
    start,
    wait_until_counting,
    workload,
)

# A command that would run far longer than a test waits.
LONG_COMMAND = ["sleep", "100"]

# Each of these writes to standard error or to the file of -o.
COUNTS = {
    "std": ["-e", "cs,task-clock", "true"],
    "csv": ["-x,", "-e", "cs", "true"],
    "json": ["-j", "-e", "cs", "true"],
    "repeat": ["-r", "2", "-e", "cs", "true"],
    "metrics": ["-M", "cpus_utilized", "--metric-only", "true"],
    "cpus": ["-a", "-A", "-e", "cpu-clock", "--timeout", "10"],
    "interval": ["-I", "10", "-e", "cs", *LONG_COMMAND],
    "interval-csv": ["-I", "10", "-x,", "-e", "cs", *LONG_COMMAND],
    "interval-json": ["-I", "10", "-j", "-e", "cs", *LONG_COMMAND],
    "system": ["-a", "-I", "10", "-e", "cpu-clock"],
    "bpf": ["-a", "--bpf-counters", "-I", "10", "-e", "cpu-clock"],
}
# These write to stdout.
LISTS = {
    "list": ["list"], "list-json": ["list", "-j", "sw"], "progs": ["progs"],
    "profile": ["profile", "-e", "cpu-clock", "--", *workload("spin", "--ms", 10)],
    "profile-folded": [
        "profile", "--folded", "-e", "cpu-clock", "--", *workload("spin", "--ms", 10)
    ], "profile-json": ["profile", "-j", "-e", "cpu-clock", "--", *workload("spin", "--ms", 10)],
    "version": ["--version"], "modes": ["--version", "-vv"], "usage": ["--help"],
}


@contextlib.contextmanager
def full_disk():
    with open("/dev/full", "w", encoding="ascii") as file:
        yield file


@contextlib.contextmanager
def unread_pipe():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as file:
        yield file


def ignoring_pipes():
    default_signals()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def pipes_kill():
    default_signals()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


# The destination, the streams on which pstat reports a pipe without a reader, and the exit
# statuses.
PLACES = {
    "full": (full_disk, pipes_kill, (FAILED,)),
    "pipe": (unread_pipe, pipes_kill, (-signal.SIGPIPE,)),
    "pipe-ignored": (unread_pipe, ignoring_pipes, (FAILED,)),
}


def write_to(place, stream, args):
    """Runs pstat with its standard output or standard error redirected. Returns the exit status and
    the text on the other stream. The other stream ends only when all processes that pstat started
    have ended."""
    opened, signals, _ = PLACES[place]
    other = {"stdout": "stderr", "stderr": "stdout"}[stream]
    with opened() as file, subprocess.Popen([PSTAT, *args], stdin=subprocess.DEVNULL, text=True,
                                            preexec_fn=signals, env={**os.environ, **IN_C},
                                            **{stream: file, other: subprocess.PIPE}) as process:
        try:
            said = "".join(text or "" for text in process.communicate(timeout=PATIENCE))
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, said


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("args", COUNTS.values(), ids=COUNTS)
def test_counts_that_cannot_be_written_to_stderr_end_pstat_and_its_command(args, place, request):
    if "--bpf-counters" in args:
        request.getfixturevalue("own_pins")
    code, _ = write_to(place, "stderr", args)
    assert code in PLACES[place][2]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("args", LISTS.values(), ids=LISTS)
def test_a_failed_write_to_stdout_is_an_error(args, place, request):
    if args == ["progs"]:
        # At least one case must be reported by pstat.
        request.getfixturevalue("bpf_prog")("--hold")
    code, said = write_to(place, "stdout", args)
    assert code in PLACES[place][2]
    if code == FAILED:
        assert said.startswith("pstat: cannot write"), said


@pytest.fixture
def small_disk(tmp_path):
    """Makes a file system with room for one or two pages."""
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k,nr_inodes=8", "tmpfs", folder],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"probe: mount a tmpfs of two pages: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("options", [[], ["-x,"], ["-j"]], ids=["std", "csv", "json"])
def test_a_disk_that_becomes_full_in_the_middle_ends_the_count(options, small_disk):
    file = small_disk / "out"
    done = run("-o", file, *options, "-I", 10, "-a", "-A", "-e",
               "cpu-clock,cs,page-faults,cpu-clock:k,cpu-clock:u,cs:k,cs:u,dummy")
    assert done.returncode == FAILED
    assert done.stderr.startswith(
        f"pstat: -o {file}: cannot write the output: No space left on device"), done.stderr
    assert 4096 <= file.stat().st_size <= 8192, "what was written earlier is missing"


@pytest.mark.parametrize("options", [[], ["-x,"], ["-I", "10"], ["-j", "-I", "10"]],
                         ids=["std", "csv", "interval", "json-interval"])
@pytest.mark.parametrize("place", ["pipe", "pipe-ignored"])
def test_a_named_pipe_that_has_lost_its_reader_ends_the_count(options, place):
    os.mkfifo("out")
    os.mkfifo("go")
    reader = os.open("out", os.O_RDONLY | os.O_NONBLOCK)
    with start("-o", "out", "-e", "cs", *options, "sh", "-c", "read x <go",
               preexec_fn=PLACES[place][1]) as process:
        wait_until_counting(process)
        os.close(reader)
        with contextlib.suppress(OSError):  # By then, the intervals have ended pstat.
            os.write(os.open("go", os.O_RDWR | os.O_NONBLOCK), b"go\n")
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode in PLACES[place][2], err


def test_a_session_without_a_reader_leaves_no_map_of_sessions(cgroup, sys_bpffs):
    before, group = sorted(sys_bpffs.iterdir()), cgroup("unread")
    for place in ("pipe", "pipe-ignored", "full"):
        code, _ = write_to(
            place, "stderr",
            ["-a", "--bpf-counters", "--for-each-cgroup", group, "-I", "10", "-e", "cpu-clock"])
        assert code in PLACES[place][2]
        assert sorted(sys_bpffs.iterdir()) == before
