# SPDX-License-Identifier: GPL-2.0-only
"""Time around a count, where the guest's clock is the host's: between two moments no CPU has had
more of it than has passed."""
import re

# a command that prints the guest's time, in a line of its own
NOW = "sed 's/ .*//; s/^/now /' /proc/uptime"


def between(text):
    """ms that passed between the first NOW in the text and the second, between the third and the
    fourth, and so on."""
    moments = [float(moment) for moment in re.findall(r"^now ([\d.]+)$", text, re.M)]
    assert moments and len(moments) % 2 == 0, text
    return [1000 * (end - begin) for begin, end in zip(moments[::2], moments[1::2])]


def most(ms, cpus=1):
    """What so many CPUs can have counted in that time at the most: /proc/uptime has hundredths of a
    second, and the clock that tasks are charged by has a rate of its own."""
    return cpus * (1.05 * ms + 20)
