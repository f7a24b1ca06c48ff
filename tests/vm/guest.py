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
    """Returns the pairs of architecture and kernel that tests run on: the pairs in `usual`, or all
    pairs with PSTAT_LONG=1. With PSTAT_KERNEL, the architectures in `usual` run that kernel."""
    if LONG and not os.environ.get("PSTAT_KERNEL"):
        return [(arch, kernel) for arch in machine.MACHINES for kernel in machine.KERNELS[::-1]]
    return few_machines(*usual)


def few_machines(*usual):
    """Like machines(), but for slow tests, to which PSTAT_LONG=1 adds no machines."""
    if os.environ.get("PSTAT_KERNEL"):
        return list(dict.fromkeys((arch, os.environ["PSTAT_KERNEL"]) for arch, _ in usual))
    return list(usual)


def kernels(*usual):
    """Returns the kernels that tests for one architecture run on."""
    pairs = machines(*[("aarch64", kernel) for kernel in usual])
    return list(dict.fromkeys(kernel for _, kernel in pairs))


GUESTS = machines(*[(arch, kernel) for arch in machine.MACHINES for kernel in (USUAL, OLD)])


# One line for each guest that died and was booted again. conftest.py adds them to the report of the
# test.
deaths = []
# Matches a function in the kernel's trace, or an address that is not in any known function.
FRAME = re.compile(r"\b([A-Za-z_][\w.]*)\+0x[0-9a-f]+/0x[0-9a-f]+|\] +(?:\? )?(0x[0-9a-f]{16})\b")
REASON = re.compile(r"(?:BUG:|Oops:|general protection fault|kernel tried to execute|Kernel "
                    r"panic).*")


class GuestError(Exception):
    """The guest hung, died, or could not be started, so there is no exit status."""


@functools.cache
def build(arch):
    """Builds the programs for guests of `arch`, once for all tests."""
    done = subprocess.run([os.path.join(HERE, "build"), arch], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise GuestError(done.stderr)


def environment(arch="aarch64", **more):
    """Returns the environment for `run`, which then does not build anything."""
    build(arch)
    return {**os.environ, "PSTAT_NO_BUILD": "1", **more}


def argv(command, arch="aarch64", kernel="6.12", cpus=1, icount=False, parameters="", files=(),
         timeout=120, suspend=False, urgent=False):
    """Returns the command line of `run`."""
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
    """Checks whether the guest with this console died of something other than what is tested. This
    is so if its trace contains neither BPF nor perf functions."""
    frames = [name or address for name, address in FRAME.findall(console)]
    return bool(frames) and not any(re.search("bpf|perf|^0x", frame) for frame in frames)


def _tell_death(console, arch="aarch64", kernel="6.12", **_):
    reason = REASON.search(console)
    deaths.append(f"{arch}-{kernel}: {reason[0].strip() if reason else 'no reason on its console'}")
    warnings.warn(f"a guest died and was booted again: {console}")


def guest_bytes(command, **machine):
    """Runs the shell line `command` in a guest of its own. Returns a CompletedProcess: returncode
    is the command's exit status, and stdout is its standard output and standard error together, as
    bytes. On an emulated x86-64, the kernel sometimes panics in code that has nothing to do with
    pstat. Such a guest is booted a second time, and its console is printed. If the trace contains
    BPF or perf functions, the guest is not booted again, because the test may have caused the
    panic."""
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
    """Like guest_bytes(), with stdout as text."""
    done = guest_bytes(command, **machine)
    done.stdout = done.stdout.decode(errors="replace")
    return done


def guest_each(commands, files=(), **machine):
    """Runs the shell lines of the dict `commands` one after the other in one guest, each in its own
    shell. Returns a dict of CompletedProcesses with the same keys. Thus, many small checks need
    only one boot."""
    with tempfile.TemporaryDirectory(prefix="pstat-steps.") as directory:
        steps = os.path.join(directory, "steps")
        os.mkdir(steps)
        for number, command in enumerate(commands.values()):
            with open(os.path.join(steps, str(number)), "w") as file:
                file.write(command + "\n")
        # Each output follows a line with its exit status and its length.
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
    """Like guest_each(), but no command may fail. Returns a dict of the outputs."""
    done = guest_each(commands, timeout=timeout, **machine)
    for name, result in done.items():
        assert result.returncode == 0, f"{name}: {result.stdout}"
    return {name: result.stdout for name, result in done.items()}
