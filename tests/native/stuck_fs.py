#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A FUSE file system that stops answering, with two equal files, `program` and `data`. It imitates
a network file system whose server is gone.

    stuck_fs.py DIRECTORY FILE      mounts the file system at DIRECTORY, and prints "ready"

Both files have the content of FILE. After SIGUSR1, the server accepts requests, but answers none.
After SIGUSR2, the server does not answer requests to open or read. It never answers requests to
write. A process that opens a file with O_SYNC reads it without the kernel's cache. The mount ends
with this process, which exits after two minutes at the latest. All waiting processes then get an
error.
"""
import ctypes
import errno
import os
import signal
import struct
import sys

LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE = (
    1,
    2,
    3,
    4,
    14,
    15,
    16,
    17,
    18,
)
FLUSH, INIT, INTERRUPT, BATCH_FORGET = 25, 26, 36, 42
ROOT = 1
FILES = {b"program": 2, b"data": 3}
FOPEN_DIRECT_IO = 1
SILENT = {signal.SIGUSR1: range(64), signal.SIGUSR2: (OPEN, READ)}
LIFE_S = 120  # A process that waits for this one can also block others, such as ps(1).
VERSION = 7, 31  # include/uapi/linux/fuse.h describes the protocol.


class Server:
    def __init__(self, folder, content):
        self.content = content
        self.silent = ()
        self.fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self.fd},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"stuck", os.fsencode(folder), b"fuse", 0, options.encode()):
            sys.exit(f"cannot mount: {os.strerror(ctypes.get_errno())}")
        signal.alarm(LIFE_S)
        for number in SILENT:
            signal.signal(number, self.fall_silent)
            signal.siginterrupt(number, False)

    def fall_silent(self, number, _frame):
        self.silent = SILENT[number]

    def status(self, node):
        mode, size = (0o40755, 0) if node == ROOT else (0o100755, len(self.content))
        times = [0] * 6
        return struct.pack("<6Q10I", node, size, size // 512 + 1, *times, mode, 1, 0, 0, 0, 4096, 0)

    def answer(self, kind, node, body):
        if kind == INIT:
            limits = 65536, 0, 12, 9, 65536, 1, 0, 0
            return struct.pack("<4I2H2I2H8I", *VERSION, *limits, *[0] * 8)[:64]
        if kind == LOOKUP and body.rstrip(b"\0") in FILES:
            file = FILES[body.rstrip(b"\0")]
            # The kernel may cache nothing, so it asks again each time.
            return struct.pack("<4Q2I", file, 0, 0, 0, 0, 0) + self.status(file)
        if kind in (GETATTR, SETATTR):
            return struct.pack("<Q2I", 0, 0, 0) + self.status(node)
        if kind == OPEN:
            is_direct = struct.unpack_from("<I", body)[0] & os.O_SYNC == os.O_SYNC
            return struct.pack("<Q2I", 1, FOPEN_DIRECT_IO if is_direct else 0, 0)
        if kind == READ:
            _, offset, size = struct.unpack_from("<2QI", body)
            return self.content[offset:offset + size]
        if kind == STATFS:
            return struct.pack("<5Q4I", 1, 1, 1, 1, 1, 512, 255, 512, 0) + bytes(24)
        return b"" if kind in (RELEASE, FLUSH) else None

    def serve(self):
        while True:
            try:
                request = os.read(self.fd, 1 << 20)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                    continue
                return
            _, kind, unique, node = struct.unpack_from("<2I2Q", request)
            if kind in (FORGET, INTERRUPT, BATCH_FORGET, WRITE) or kind in self.silent:
                continue
            answer = self.answer(kind, node, request[40:])
            refused = -errno.ENOENT if kind == LOOKUP else -errno.ENOSYS
            status = 0 if answer is not None else refused
            answer = answer or b""
            try:
                os.write(self.fd, struct.pack("<IiQ", 16 + len(answer), status, unique) + answer)
            except OSError:
                pass  # The caller was interrupted.


if __name__ == "__main__":
    with open(sys.argv[2], "rb") as file:
        server = Server(sys.argv[1], file.read())
    print("ready", flush=True)
    server.serve()
