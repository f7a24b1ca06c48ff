# SPDX-License-Identifier: GPL-2.0-only
"""Commands in guests, for tests."""

import functools
import os
import re
import subprocess
import tempfile
import warnings

import machine

HERE = os.path.dirname(os.path.abspath(__file__))
DIED = 125
LONG = bool(os.environ.get("PSTAT_LONG"))
OLD, USUAL, NEWEST = machine.KERNELS


def machines(*usual):
    """The pairs of architecture and kernel that tests run on: those named, or all of them with
    PSTAT_LONG=1. With PSTAT_KERNEL, those named run that kernel instead."""
    if os.environ.get("PSTAT_KERNEL"):
        return list(dict.fromkeys((arch, os.environ["PSTAT_KERNEL"]) for arch, _ in usual))
    if LONG:
        return [(arch, kernel) for arch in machine.MACHINES for kernel in machine.KERNELS[::-1]]
    return list(usual)


def kernels(*usual):
    """The kernels that tests for one architecture run on."""
    pairs = machines(*[("aarch64", kernel) for kernel in usual])
    return list(dict.fromkeys(kernel for _, kernel in pairs))


GUESTS = machines(*[(arch, kernel) for arch in machine.MACHINES for kernel in (USUAL, OLD)])


# Of guests that died and were booted again, a line each: conftest.py hands them on to the report of
# the test.
deaths = []
# A function in the kernel's trace, and an address there that is none of a function that it knows.
FRAME = re.compile(r"\b([A-Za-z_][\w.]*)\+0x[0-9a-f]+/0x[0-9a-f]+|\] +(?:\? )?(0x[0-9a-f]{16})\b")
REASON = re.compile(r"(?:BUG:|Oops:|general protection fault|kernel tried to execute|Kernel "
                    r"panic).*")


class GuestError(Exception):
    """The guest hung, died, or could not be run: no exit status came from it."""


@functools.cache
def build(arch):
    """Brings the programs for guests of `arch` up to date, once for all tests."""
    done = subprocess.run([os.path.join(HERE, "build"), arch], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise GuestError(done.stderr)


def environment(arch="aarch64", **more):
    """The environment for `run`, which then need not build."""
    build(arch)
    return {**os.environ, "PSTAT_NO_BUILD": "1", **more}


def argv(command, arch="aarch64", kernel="6.12", cpus=1, icount=False, parameters="", files=(),
         timeout=120, suspend=False, urgent=False):
    """The command line of `run`."""
    options = ["-a", arch, "-k", kernel, "-c", str(cpus), "-t", str(timeout), "-p", parameters]
    if icount:
        options.append("-i")
    if suspend:
        options.append("-s")
    if urgent:
        options.append("-u")
    for file in files:
        options += ["-f", str(file)]
    return [os.path.join(HERE, "run"), *options, "--", command]


def _run(command, **machine):
    return subprocess.run(
        argv(command, **machine),
        env=environment(machine.get("arch", "aarch64")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def may_boot_again(console):
    """Has the guest of this console died of something else than what is tested? Its trace says so
    when nothing in it is of BPF or perf."""
    frames = [name or address for name, address in FRAME.findall(console)]
    return bool(frames) and not any(re.search("bpf|perf|^0x", frame) for frame in frames)


def _tell_death(console, arch="aarch64", kernel="6.12", **_):
    reason = REASON.search(console)
    deaths.append(f"{arch}-{kernel}: {reason[0].strip() if reason else 'no reason on its console'}")
    warnings.warn(f"a guest died and was booted again: {console}")


def guest_bytes(command, **machine):
    """Runs the shell line `command` in a guest of its own. A CompletedProcess: returncode is the
    command's exit status, stdout its output, of stdout and stderr in one, as bytes. Kernels on an
    emulated x86-64 panic now and then, in the middle of what has nothing to do with pstat: such a
    guest has a second boot, and that is told with its console. One in whose trace BPF or perf is
    has none: that may be what a test is for."""
    done = _run(command, **machine)
    if done.returncode == DIED and machine.get("arch") == "x86_64" and may_boot_again(
            done.stderr.decode(errors="replace")):
        _tell_death(done.stderr.decode(errors="replace"), **machine)
        done = _run(command, **machine)
    if done.returncode in (124, DIED, 126) and done.stderr:
        output = done.stdout.decode(errors="replace")
        raise GuestError(f"{done.stderr.decode(errors='replace')}\nThe command was: {command}\n"
                         f"Its output: {output}")
    return done


def guest(command, **machine):
    """The same with stdout as text."""
    done = guest_bytes(command, **machine)
    done.stdout = done.stdout.decode(errors="replace")
    return done


def guest_each(commands, files=(), **machine):
    """Runs the shell lines of the dict `commands` one after the other in one guest, each in a shell
    of its own. A dict of CompletedProcesses with the same keys: what many small checks cost is one
    boot."""
    with tempfile.TemporaryDirectory(prefix="pstat-steps.") as directory:
        steps = os.path.join(directory, "steps")
        os.mkdir(steps)
        for number, command in enumerate(commands.values()):
            with open(os.path.join(steps, str(number)), "w") as file:
                file.write(command + "\n")
        # An output comes after a line with its exit status and its length.
        loop = (
            f"for i in $(seq 0 {len(commands) - 1}); do"
            " sh steps/$i >/run/step 2>&1; echo $? $(wc -c </run/step); cat /run/step; done"
        )
        rest = guest_bytes(loop, files=[*files, steps], **machine).stdout
    results = {}
    for name, command in commands.items():
        head, _, rest = rest.partition(b"\n")
        status, length = map(int, head.split())
        results[name] = subprocess.CompletedProcess(command, status,
                                                    rest[:length].decode(errors="replace"))
        rest = rest[length:]
    return results


def guest_outputs(commands, timeout=300, **machine):
    """guest_each() where none may fail: a dict of what the commands printed."""
    done = guest_each(commands, timeout=timeout, **machine)
    for name, result in done.items():
        assert result.returncode == 0, f"{name}: {result.stdout}"
    return {name: result.stdout for name, result in done.items()}
