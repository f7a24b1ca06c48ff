# SPDX-License-Identifier: GPL-2.0-only
"""Measures the time around a count in guests whose clock is the host's. No CPU can have been
counted for longer than the time that has passed."""
import re

# A command that prints the guest's time on a line of its own
NOW = "sed 's/ .*//; s/^/now /' /proc/uptime"


def between(text):
    """Returns the ms between the first NOW in the text and the second, between the third and the
    fourth, and so on."""
    moments = [float(moment) for moment in re.findall(r"^now ([\d.]+)$", text, re.M)]
    assert moments and len(moments) % 2 == 0, text
    return [1000 * (end - begin) for begin, end in zip(moments[::2], moments[1::2])]


def most(ms, cpus=1):
    """Returns the largest time in ms that this number of CPUs can have counted. /proc/uptime is
    exact to a hundredth of a second, and the clock of tasks runs at a slightly different rate."""
    return cpus * (1.05 * ms + 20)
