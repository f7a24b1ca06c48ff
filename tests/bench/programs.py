# SPDX-License-Identifier: GPL-2.0-only
"""The programs that are measured, and their installation in a guest: pstat, linked dynamically,
and a perf that counts through BPF."""

import functools
import os
import pathlib
import re
import shutil
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("O", "")
PSTAT = BUILD / "pstat"
WORKLOADS = BUILD / ".build/tests/workloads"


class NoPerf(Exception):
    """Raised if $PERF_BPF does not name a usable perf."""


def _build_options(perf):
    try:
        done = subprocess.run([perf, "version", "--build-options"], capture_output=True, text=True,
                              errors="replace", check=False)
    except OSError as error:
        return str(error)
    return done.stdout + done.stderr


@functools.cache
def bpf_perf():
    """Returns the path of a perf with BPF skeletons: $PERF_BPF, or the one in PATH. None if
    there is none or $PERF_BPF is empty."""
    named = os.environ.get("PERF_BPF")
    perf = shutil.which("perf") if named is None else named
    if not perf:
        return None
    options = _build_options(perf)
    if re.search(r"^\s*bpf_skeletons: \[ on", options, re.M):
        return perf
    if named:
        raise NoPerf(f"PERF_BPF={named}: `{named} version --build-options` does not say "
                     f"bpf_skeletons: [ on ]\n{options}")
    return None


def version(program, option="version"):
    return subprocess.run([program, option], capture_output=True, text=True,
                          check=True).stdout.split()[-1]


def libraries(program):
    """Returns the shared libraries and the loader that a program needs."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    missing = re.findall(r"^\s*(\S+) => not found", done.stdout, re.M)
    if missing:
        raise NoPerf(f"{program} lacks {', '.join(missing)}")
    return re.findall(r"(/\S+) \(0x", done.stdout)


def bundle(directory, programs, preloaded=()):
    """Makes the directory `bundle` in `directory` for guests: bin/ with {name: path} of `programs`,
    and lib/ with the libraries that they need and those to preload."""
    root = pathlib.Path(directory) / "bundle"
    (root / "bin").mkdir(parents=True)
    (root / "lib").mkdir()
    for name, path in programs.items():
        shutil.copy(path, root / "bin" / name)
        for library in libraries(path):
            shutil.copy(library, root / "lib")
    for library in preloaded:
        shutil.copy(library, root / "lib")
    return root


# The first step in a guest with a bundle. It replaces the guest's C library, because all parts of
# the C library must be of the same version.
INSTALL = "mv -f bundle/lib/* /lib/ && mv -f bundle/bin/* /usr/local/bin/"
