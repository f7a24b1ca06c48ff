# SPDX-License-Identifier: GPL-2.0-only
"""Makes seccomp filters that refuse system calls, as containers and services have them."""

import ctypes
import errno
import functools
import re
import struct
import subprocess

from native import LIBC, default_signals

# linux/filter.h, linux/seccomp.h, linux/prctl.h
LD_W_ABS, JEQ_K, RET_K = 0x20, 0x15, 0x06
RET_ERRNO, RET_ALLOW = 0x00050000, 0x7FFF0000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2


@functools.cache
def system_calls():
    """Returns the numbers of this architecture's system calls by name."""
    done = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                          capture_output=True, text=True, check=True)
    return {name: int(number)
            for name, number in re.findall(r"#define __NR_(\w+) (\d+)\n", done.stdout)}


def refusing(*calls, error=errno.EPERM):
    """Returns a function for preexec_fn that makes these calls fail."""
    lines = [(LD_W_ABS, 0, 0, 0)]
    for call in calls:
        lines += [(JEQ_K, 0, 1, system_calls()[call]), (RET_K, 0, 0, RET_ERRNO | error)]
    lines.append((RET_K, 0, 0, RET_ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))

    def prepare():
        default_signals()
        program = ctypes.create_string_buffer(
            struct.pack("HxxxxxxP", len(lines), ctypes.addressof(code)))
        assert not LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        assert not LIBC.prctl(PR_SET_SECCOMP, FILTER, program, 0, 0)
    return prepare
