# SPDX-License-Identifier: GPL-2.0-only
"""Runs perf in an x86-64 guest, for tests of what perf and pstat share. PERF_BPF=/path/to/perf
names a perf that has --bpf-counters."""
import os
import pathlib
import sys

import pytest

from guest import guest_each

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import programs

PERF = os.environ.get("PERF_BPF")
# The first commands of each step. After them, ./perf works.
INSTALL = """
mkdir -p /lib/x86_64-linux-gnu /lib64 /usr
cp *.so* /lib/x86_64-linux-gnu/; cp ld-linux* /lib64/ 2>/dev/null
export LD_LIBRARY_PATH=/lib/x86_64-linux-gnu
"""


def outputs(commands, files, **machine):
    """Returns the output of each of `commands` in one guest with exact time. Skips the test if
    there is no perf."""
    if not PERF:
        pytest.skip("probe: PERF_BPF does not name a perf that has --bpf-counters")
    done = guest_each({name: INSTALL + command
                       for name, command in commands.items()}, arch="x86_64", kernel="6.12",
                      icount=True, files=[*files, PERF, *programs.libraries(PERF)], **machine)
    return {name: result.stdout for name, result in done.items()}
