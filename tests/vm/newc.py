# SPDX-License-Identifier: GPL-2.0-only
"""Writes cpio archives for an initramfs (newc). The same files always give the same bytes."""

import os
import stat

MTIME = 1767225600  # 2026-01-01, also the initial date of the guests' clocks


class Archive:
    """Writes a newc archive to `out`. Directories must be added before their contents."""

    def __init__(self, out):
        self.out = out
        self.inode = 0

    def add(self, name, data=b"", mode=stat.S_IFREG | 0o644):
        self.inode += 1
        path = name.encode() + b"\0"
        fields = (self.inode, mode, 0, 0, 1, MTIME, len(data), 0, 0, 0, 0, len(path), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + path
        for part in (head, data):
            self.out.write(part + b"\0" * (-len(part) % 4))

    def add_directory(self, name):
        self.add(name, mode=stat.S_IFDIR | 0o755)

    def add_file(self, name, path):
        """Adds the file or directory tree at `path` under the name `name`. Keeps execute
        permission."""
        if os.path.isdir(path):
            self.add_directory(name)
            for entry in sorted(os.listdir(path)):
                self.add_file(f"{name}/{entry}", os.path.join(path, entry))
            return
        with open(path, "rb") as file:
            executable = os.fstat(file.fileno()).st_mode & 0o111
            self.add(name, file.read(), stat.S_IFREG | (0o755 if executable else 0o644))

    def finish(self):
        self.add("TRAILER!!!", mode=0)
