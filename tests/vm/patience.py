# SPDX-License-Identifier: GPL-2.0-only
"""Waits for a process, with a time limit that does not depend on how busy this machine is."""

import os
import subprocess
import time


def waited(pid):
    """Returns how many seconds the threads of a process were ready to run but had no CPU: the
    largest value of all threads, or 0 if the kernel does not report it
    (Documentation/scheduler/sched-stats.rst).
    """
    longest = 0
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                longest = max(longest, int(file.read().split()[1]))
    except (OSError, IndexError):
        pass
    return longest / 1e9


def wait(process, seconds):
    """Waits until a Popen ends, or until this number of seconds has passed. Seconds in which the
    process waited for a CPU are not included. Raises subprocess.TimeoutExpired.
    """
    began = time.monotonic()
    while True:
        try:
            return process.wait(min(1, seconds))
        except subprocess.TimeoutExpired:
            if time.monotonic() - began - waited(process.pid) > seconds:
                raise
